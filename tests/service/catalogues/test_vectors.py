"""Catalogues of items that have a vector and no topics: from a table, JSON, a file, to a talk."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.uploads import Upload, from_file, from_table
from conlinucb.service.catalogues.version import Content
from support import service_films
from support.service_talk import Talk

name = service_films.name
KINDS = {"csv": "text/csv", "parquet": "application/x-parquet", "json": "application/json"}
CENTRES = np.array([[3.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 1.0], [0.0, 0.0, 3.0, 1.0]])
WORDS = ("Heist", "Orbit", "Waltz")
D = 4


def world() -> tuple[list[str], np.ndarray[Any, Any]]:
    """30 films in three heaps, each of which shares a word of its titles."""
    rng = np.random.default_rng(5)
    names = [f"{WORDS[i % 3]} Number {chr(65 + i // 3)}" for i in range(30)]
    return names, CENTRES[np.arange(30) % 3] + rng.normal(0.0, 0.1, (30, D))


def written(how: str) -> tuple[bytes, str]:
    """The same world, in one of the ways in which it may come."""
    names, rows = world()
    if how == "columns":
        lines = ["film,e2,e1,e3,e4"] + [
            f"{film},{b!r},{a!r},{c!r},{d!r}"
            for film, (a, b, c, d) in zip(names, rows.tolist(), strict=True)
        ]
        return "\n".join(lines).encode(), "csv"
    if how == "decimal commas":
        lines = ["Film;dim 1;dim 2;dim 3;dim 4"]
        for film, row in zip(names, rows.tolist(), strict=True):
            lines.append(";".join([film, *(repr(each).replace(".", ",") for each in row)]))
        return "\n".join(lines).encode(), "csv"
    if how == "lists in cells":
        cells = [f'{film},"{row}"' for film, row in zip(names, rows.tolist(), strict=True)]
        return "\n".join(["film,embedding", *cells]).encode(), "csv"
    if how == "json":
        items = [
            {"id": film, "features": row} for film, row in zip(names, rows.tolist(), strict=True)
        ]
        settings = {"noun": "film", "nouns": "films"}
        return json.dumps({"items": items, "settings": settings}).encode(), "json"
    lists: Any = pa.array(rows.tolist(), pa.list_(pa.float32(), D if "fixed" in how else -1))
    file = io.BytesIO()
    pq.write_table(pa.table({"film": names, "vector": lists}), file)
    return file.getvalue(), "parquet"


WAYS = ("columns", "decimal commas", "lists in cells", "lists", "fixed lists", "json")


def put(client: TestClient, name: str, body: bytes, kind: str, **params: Any) -> Any:
    headers = {"content-type": KINDS[kind]}
    return client.put(f"/v1/catalogues/{name}", content=body, headers=headers, params=params)


@pytest.mark.parametrize("how", WAYS)
def test_from_vectors_alone_to_items_that_fit(memory: TestClient, name: str, how: str) -> None:
    response = put(memory, name, *written(how), groups=3)
    assert response.status_code == 200, response.text
    made = response.json()
    assert (made["items"], made["terms"], made["d"]) == (30, 3, D + 1)
    if how != "json":
        assert made["understood"]["layout"] == "vectors"
        assert {each["used_as"] for each in made["understood"]["columns"]} == {"item", "vector"}
    talk = Talk(memory, name)
    talk.next(ask="never")
    asked = talk.next()
    groups = {each["term"] for each in talk.got("GET", "/picture")["topics"]}
    assert groups == {word.casefold() for word in WORDS}
    such = f"such as those with {asked['term']!r} in the title"
    assert asked["text"] == f"Do you like films {such}?"
    talk.answer(question=asked["question"], answer="yes")
    shown = talk.next(ask="never", k=3)["items"]
    word = asked["term"].capitalize()
    assert all(each["item"].startswith(word) for each in shown)
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()


def test_every_way_comes_to_the_same_features() -> None:
    found = [from_table(body, f".{kind}") for body, kind in map(written, WAYS[:4])]
    for each in found:
        np.testing.assert_allclose(
            each.content.catalog.arms @ each.content.catalog.arms.T,
            found[0].content.catalog.arms @ found[0].content.catalog.arms.T,
            atol=1e-5,
        )
    arms = found[0].content.catalog.arms
    assert found[0].content.catalog.constant == D
    assert np.allclose(arms[:, :D].mean(axis=0), 0.0)
    assert np.mean((arms[:, :D] ** 2).sum(axis=1)) == pytest.approx(1.0)


def test_long_vectors_are_kept_in_their_leading_directions() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 60)) + 5.0
    names = [f"item {i}" for i in range(80)]
    file = io.BytesIO()
    pq.write_table(pa.table({"id": names, "embedding": rows.tolist()}), file)
    found = from_table(file.getvalue(), ".parquet", d=3).content
    apart = rows - rows.mean(axis=0)  # three directions hold all of it
    own = found.catalog.arms[:, :3]
    scale = np.sqrt((apart**2).sum(axis=1).mean())
    np.testing.assert_allclose(own @ own.T, apart @ apart.T / scale**2, atol=1e-9)


def test_items_are_added_by_their_vectors_and_find_their_group(
    memory: TestClient, name: str
) -> None:
    put(memory, name, *written("columns"), groups=3).raise_for_status()
    new = {"id": "Waltz of the New", "features": CENTRES[2].tolist()}
    path = f"/v1/catalogues/{name}/items"
    assert memory.post(path, json={"items": [new]}).json()["items"] == 31
    talk = Talk(memory, name)
    version = talk.use_cases.catalogues.serving(name)
    like = [str(version.catalog.arm_ids[a]) for a in version.alike("Waltz of the New", None)[:10]]
    assert {each.partition(" ")[0] for each in like} == {"Waltz"}
    assert talk.next(ask="never", pool=["Waltz of the New"])["items"][0]["terms"] == ["waltz"]
    wrong = memory.post(path, json={"items": [{"id": "x", "features": [1.0]}]})
    assert wrong.status_code == 422
    assert "vector of 4 numbers" in wrong.json()["error"]["message"]
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()


def test_what_was_made_is_kept_whole() -> None:
    content = from_table(*table("columns")).content
    again = Content.from_bytes(content.to_bytes())
    assert again.lens is not None
    assert content.lens is not None
    rows = world()[1]
    assert again.lens.seen(rows).tolist() == content.lens.seen(rows).tolist()
    assert again.catalog.version == content.catalog.version
    assert again.questions == content.questions


def table(how: str) -> tuple[bytes, str]:
    body, kind = written(how)
    return body, f".{kind}"


def test_files_of_a_configuration(tmp_path: Path) -> None:
    names, rows = world()
    (tmp_path / "films.csv").write_bytes(written("columns")[0])
    cl.Catalog.from_embeddings(rows, names).save(tmp_path / "films.npz")
    for file in ("films.csv", "films.npz"):
        found = from_file(tmp_path / file, groups=3)
        assert {each.partition(",")[0] for each in found.catalog.term_ids} == {
            word.casefold() for word in WORDS
        }
        assert set(found.questions) == set(found.catalog.term_ids)
    assert len(from_file(tmp_path / "films.csv").catalog.term_ids) == 5  # the root of 30
    found.catalog.save(tmp_path / "tagged.npz")
    with pytest.raises(InvalidInput, match="has key-terms already"):
        from_file(tmp_path / "tagged.npz", groups=3)


def test_groups_are_named_by_titles_where_there_are_some() -> None:
    rows = "\n".join(
        f"{i},{w} {i},{x},{x}"
        for i, (w, x) in enumerate(zip("AABB", (1, 1.1, 9, 9.1), strict=True))
    )
    found = read("id,title,x1,x2\n" + rows, groups=2)
    assert found.content.questions == {
        name: f"Do you like items such as {name.replace(', ', ' and ')}?"
        for name in ("A 0, A 1", "B 2, B 3")
    }
    assert not found.understood.warnings
    bare = read("id,x1,x2\n1,1,1\n2,1.1,1\n3,9,9\n", groups=2)
    assert "a column title gives them names" in " ".join(bare.understood.warnings)


def read(text: str, **rules: Any) -> Upload:
    return from_table(text.encode(), ".csv", **rules)


BAD = {
    "a word": ("item,e1,e2\nSoup,1,2\nPie,1,much\n", {}, r"line 3: 'Pie,1,much' has the e2 'much'"),
    "nothing": ("item,e1,e2\nSoup,1,\nPie,1,2\n", {}, r"line 2: 'Soup,1,' has the e2 ''"),
    "infinite": ("item,e1,e2\nSoup,1,inf\nPie,1,2\n", {}, "must be a number"),
    "twice": (
        "item,e1,e2\nSoup,1,2\nSoup,3,4\n",
        {},
        "line 3: 'Soup,3,4' has the item 'Soup' once",
    ),
    "alike": ("item,e1,e2\nSoup,1,2\nPie,1,2\n", {}, "vectors of all items are the same"),
    "ragged": ('item,vector\nSoup,"[1,2]"\nPie,"[1]"\n', {}, "has 1 numbers in vector, the first"),
    "no list": ('item,vector\nSoup,"[1,2]"\nPie,none\n', {}, "no list of numbers"),
    "many groups": ("item,e1,e2\nSoup,1,2\nPie,2,2\n", {"groups": 3}, "there are 2 items"),
    "groups of tags": ("item,tag\nSoup,vegan\nPie,sweet\n", {"groups": 2}, "table has topics"),
    "neither": ("item,size\nSoup,1.5\nPie,2.5\n", {}, "columns e1, e2, ..., or one of lists"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_with_a_reason(case: str) -> None:
    text, rules, told = BAD[case]
    with pytest.raises(InvalidInput, match=told):
        read(text, **rules)


def test_json_that_cannot_be(memory: TestClient, name: str) -> None:
    mixed = [{"id": "a", "features": [1.0, 2.0]}, {"id": "b", "features": [1.0]}]
    tagged = [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": ["y"]}]
    for items, more, told in (
        (mixed, {}, "as many of each item, got [1, 2]"),
        (tagged, {"groups": 2}, "the items have tags"),
        ([{"id": "a"}], {}, "neither tags nor features"),
    ):
        body = json.dumps({"items": items, **more}).encode()
        response = put(memory, name, body, "json")
        assert response.status_code == 422
        assert told in response.json()["error"]["message"]
