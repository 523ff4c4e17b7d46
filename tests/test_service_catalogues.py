"""Catalogues over HTTP: uploaded, replaced, changed while people talk; and their settings."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.errors import InvalidInput
from conlinucb.service.app import create_app
from conlinucb.service.catalogues import Catalogues
from conlinucb.service.check import difference
from conlinucb.service.config import (
    DATABASE,
    KEY,
    CatalogueConfig,
    ServiceConfig,
    key_from_environment,
    read_config,
)
from conlinucb.service.conversation import fold
from conlinucb.service.decide import Wish
from conlinucb.service.desk import Desk
from conlinucb.service.live import Live
from conlinucb.service.memory import Memory
from conlinucb.service.served import Served
from conlinucb.service.storage import MEMORY
from service_world import client_of, opened, wait_until_ready
from test_retraction import RECIPES, Talk, arrays
from worlds import same_state

NUMBERS = count()
WAIT = 20.0
"""Seconds for what goes on in the background."""
FILMS: dict[str, list[str]] = {
    "Alien": ["horror", "space"],
    "Heat": ["heist", "city"],
    "Solaris": ["space", "slow"],
    "Ronin": ["heist", "cars"],
    "Drive": ["cars", "city", "slow"],
    "Scream": ["horror", "city"],
}
TAGS = ["horror", "space", "heist", "city", "slow", "cars"]


def items(films: dict[str, list[str]] = FILMS) -> list[dict[str, Any]]:
    return [{"id": film, "tags": tags} for film, tags in films.items()]


def put(client: TestClient, name: str, body: Any) -> Any:
    return client.put(f"/v1/catalogues/{name}", json=body)


def given(recipe: str = "conlinucb", **more: Any) -> dict[str, Any]:
    """Settings with an agent of this recipe."""
    return {"agent": RECIPES[recipe], "max_questions": None, **more}


@pytest.fixture(scope="module")
def memory() -> Iterator[TestClient]:
    with client_of() as client:
        yield client


@pytest.fixture
def name() -> str:
    """A name that no catalogue has yet."""
    return f"films {next(NUMBERS)}"


@pytest.fixture
def talk(memory: TestClient, name: str) -> Talk:
    """Someone who talks about the films."""
    assert put(memory, name, {"items": items(), "settings": given()}).status_code == 200
    return Talk(memory, name)


def served(talk: Talk) -> Served:
    return talk.desk.catalogues.serving(talk.catalogue)


def about(talk: Talk) -> dict[str, Any]:
    response = talk.client.get(f"/v1/catalogues/{talk.catalogue}")
    assert response.status_code == 200, response.text
    return dict(response.json())


def change(talk: Talk, what: str, body: Any, method: str = "POST") -> Any:
    return talk.client.request(method, f"/v1/catalogues/{talk.catalogue}{what}", json=body)


def problem(response: Any) -> tuple[int, str, str]:
    assert set(response.json()) == {"error"}, response.text
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


# Uploads


def test_items_with_tags(memory: TestClient, name: str) -> None:
    questions = {"space": "Do you dream of the stars?"}
    out = put(memory, name, {"items": items(), "questions": questions, "d": 4}).json()
    assert (out["version"], out["building"], out["people"]) == (1, None, 0)
    assert (out["items"], out["terms"], out["d"]) == (6, 6, 4)
    talk = Talk(memory, name)
    rows = [(film, tag) for film, tags in FILMS.items() for tag in tags]
    table = {"item": [film for film, _ in rows], "tag": [tag for _, tag in rows]}
    assert np.array_equal(served(talk).catalog.arms, cl.Catalog.from_tags(table, d=4).arms)
    question = talk.next(offered=["space"])
    assert question["text"] == "Do you dream of the stars?"
    talk.answer(question=question["question"], answer=1)
    talk.next()
    assert talk.next(offered=["slow"])["text"] == "Do you like slow?"


def test_items_with_weights(memory: TestClient, name: str) -> None:
    weighted = [{"id": "a", "tags": {"x": 2.5, "y": 1}}, {"id": "b", "tags": {"y": 0.25}}]
    assert put(memory, name, {"items": weighted}).status_code == 200
    table = {"item": ["a", "a", "b"], "tag": ["x", "y", "y"], "weight": [2.5, 1, 0.25]}
    expected, found = cl.Catalog.from_tags(table), served(Talk(memory, name)).catalog
    assert np.array_equal(found.weights.toarray(), expected.weights.toarray())
    assert np.array_equal(found.arms, expected.arms)


def test_items_with_features(memory: TestClient, name: str) -> None:
    features = np.random.default_rng(3).normal(size=(6, 3))
    body = [each | {"features": row.tolist()} for each, row in zip(items(), features, strict=True)]
    assert put(memory, name, {"items": body}).json()["d"] == 3
    assert np.array_equal(served(Talk(memory, name)).catalog.arms, features)


def parquet(columns: dict[str, Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


TABLE: dict[str, Any] = {
    "item": ["a", "a", "b", "c"],
    "tag": ["x", "y", "y", "z"],
    "weight": [1.0, 2.0, 0.5, 1.0],
}


def send_table(client: TestClient, name: str, kind: str, body: bytes, **params: Any) -> Any:
    headers = {"content-type": kind}
    return client.put(f"/v1/catalogues/{name}", content=body, headers=headers, params=params)


def csv(columns: Any) -> bytes:
    rows = [columns.keys(), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


@pytest.mark.parametrize(
    ("kind", "write"),
    [
        ("text/csv", csv),
        ("Text/CSV; charset=utf-8", csv),
        ("application/vnd.apache.parquet", parquet),
        ("application/x-parquet", parquet),
    ],
)
def test_tables(memory: TestClient, name: str, kind: str, write: Callable[[Any], bytes]) -> None:
    response = send_table(memory, name, kind, write(TABLE), d=2)
    assert response.status_code == 200, response.text
    assert (response.json()["items"], response.json()["d"]) == (3, 2)
    assert response.json()["report"]["rows"] == 4
    found, expected = served(Talk(memory, name)).catalog, cl.Catalog.from_tags(TABLE, d=2)
    assert (found.arm_ids, found.term_ids) == (expected.arm_ids, expected.term_ids)
    assert np.array_equal(found.arms, expected.arms)
    assert np.array_equal(found.terms, expected.terms)


def test_ids_are_text(memory: TestClient, name: str) -> None:
    body = parquet({"item": [7, 7, 42], "tag": [1, 2, 2]})
    assert send_table(memory, name, "application/x-parquet", body).status_code == 200
    talk = Talk(memory, name)
    assert served(talk).catalog.arm_ids == ("7", "42")
    question = talk.next()
    assert question["term"] in ("1", "2")
    talk.answer(question=question["question"], answer="yes")
    assert sorted(each["item"] for each in talk.next(k=5)["items"]) == ["42", "7"]
    assert talk.explain("42")["item"] == "42"
    body = b"item,tag\n007,x\n7,x\n7,y\n"
    assert send_table(memory, name + " csv", "text/csv", body).json()["items"] == 2


def test_other_kinds_of_content(memory: TestClient, name: str) -> None:
    for kind in ("text/plain", "application/octet-stream", "image/png"):
        status, code, message = problem(send_table(memory, name, kind, csv(TABLE)))
        assert (status, code) == (415, "wrong_type")
        assert repr(kind) in message
        assert "text/csv" in message
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


TWO = [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": ["y"]}]
LONG = "a" * 201
BAD_JSON: dict[str, tuple[Any, str]] = {
    "no items": ({"items": []}, "items"),
    "items missing": ({}, "items"),
    "a list": ([], "body"),
    "no tags at all": ({"items": [{"id": "a", "tags": []}]}, "tag"),
    "tags missing": ({"items": [{"id": "a"}]}, "items.0.tags"),
    "unknown field": ({"items": TWO, "colour": 1}, "colour"),
    "empty id": ({"items": [{"id": "", "tags": ["x"]}]}, "items.0.id"),
    "long id": ({"items": [{"id": LONG, "tags": ["x"]}]}, "items.0.id"),
    "control": ({"items": [{"id": "a\n", "tags": ["x"]}]}, "items.0.id"),
    "number as id": ({"items": [{"id": 7, "tags": ["x"]}]}, "items.0.id"),
    "negative weight": ({"items": [{"id": "a", "tags": {"x": -1}}]}, "-1"),
    "weights of 0": ({"items": [{"id": "a", "tags": {"x": 0}}]}, "tag"),
    "one has features": ({"items": [TWO[0] | {"features": [1.0]}, TWO[1]]}, "1 of 2"),
    "unequal features": (
        {"items": [TWO[0] | {"features": [1, 2]}, TWO[1] | {"features": [1]}]},
        "embeddings",
    ),
    "odd feature": ({"items": [TWO[0] | {"features": ["x"]}]}, "features"),
    "d of 0": ({"items": TWO, "d": 0}, "d"),
    "question of no tag": ({"items": TWO, "questions": {"q": "?"}}, "'q'"),
    "item twice": ({"items": [*TWO, {"id": "a", "tags": ["y"]}]}, "'a'"),
    "item without tags": ({"items": [*TWO, {"id": "lonely", "tags": []}]}, "'lonely'"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_json_that_cannot_be_used(memory: TestClient, name: str, case: str) -> None:
    body, told = BAD_JSON[case]
    status, _, message = problem(put(memory, name, body))
    assert status == 422
    assert told in message
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


BAD_TABLES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "The table"),
    "no rows": (b"item,tag\n", "no rows"),
    "another column": (b"itme,tag\na,x\n", "Did you mean 'itme'"),
    "semicolons": (b"item;tag\na;x\n", "'item'"),
    "blank": (b"item,tag\na,x\n ,y\n", "row 1"),
    "not UTF-8": (b"item,tag\na,\xff\xfe\n", "UTF-8"),
    "negative weight": (b"item,tag,weight\na,x,-2\n", "-2"),
    "weight as text": (b"item,tag,weight\na,x,much\n", "'much'"),
    "long id": (b"item,tag\n" + LONG.encode() + b",x\n", "200"),
    "ragged": (b"item,tag\na,x,y,z\n", "The table"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_cannot_be_used(memory: TestClient, name: str, case: str) -> None:
    body, told = BAD_TABLES[case]
    status, code, message = problem(send_table(memory, name, "text/csv", body))
    assert (status, code) == (422, "invalid_input")
    assert told in message
    assert "/tmp" not in message  # where it lay here is nobody's business
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


def test_parquet_that_is_none(memory: TestClient, talk: Talk) -> None:
    whole, before = parquet(TABLE), about(talk)
    for body in (b"nonsense", whole[:-20], b"", parquet({"item": [[1], [2]], "tag": ["x", "y"]})):
        status, code, _ = problem(send_table(memory, talk.catalogue, "application/x-parquet", body))
        assert (status, code) == (422, "invalid_input")
    status, code, _ = problem(send_table(memory, talk.catalogue, "application/json", b"nonsense"))
    assert (status, code) == (422, "invalid_body")
    assert about(talk) == before


# Replaced while people talk


class Hold:
    """Keeps versions from being built until they may be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = False
        build = Catalogues.build_pending
        monkeypatch.setattr(
            Catalogues, "build_pending", lambda catalogues: self.open and build(catalogues)
        )

    def release(self, talk: Talk) -> None:
        """Let the version that waits be built, and wait for it."""
        version = about(talk)["building"]
        assert version is not None
        self.open = True
        wait_for(talk, version=version, building=None)


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Hold:
    return Hold(monkeypatch)


def wait_for(talk: Talk, **wanted: Any) -> None:
    """Until the catalogue is like this."""
    deadline = time.monotonic() + WAIT
    while (found := about(talk)) != found | wanted:
        assert time.monotonic() < deadline, f"{wanted} did not come: {found}"
        time.sleep(0.05)


LATER = {
    "Alien": ["horror", "space", "slow"],
    "Heat": ["heist", "city"],
    "Ronin": ["heist", "cars"],
    "Speed": ["cars", "city", "horror"],
}
"""Another catalogue: two films are gone, one is new, and one has other tags."""


def by_hand(talk: Talk, served: Served) -> Any:
    """The estimate that all answers and rewards of the log come to on this version."""
    agent, catalog = served.agent, served.catalog
    user = agent.new_user(seed=talk.person.seed)
    for each in talk.log():
        if each.kind == "reward" and each.body["item"] in catalog.arm_ids:
            agent.learn(user, catalog.arm_index(each.body["item"]), each.body["reward"])
        if each.kind == "answer" and each.body["answer"] is not None:
            terms = each.body["about"] == "term"
            ids = catalog.term_ids if terms else catalog.arm_ids
            if each.body["id"] in ids:
                index = ids.index(each.body["id"])
                user.was_asked(cl.Question(each.body["about"], index, user.questions + 1, 1))
                assert user.open is not None
                agent.hear(user, user.open, each.body["answer"])
    return user.theta


def assert_folded(talk: Talk) -> None:
    """The state at hand is what the log comes to on the version that is served."""
    state = talk.state()
    assert state.served.number == about(talk)["version"]
    folded, broken = fold(served(talk), talk.person.seed, talk.log())
    assert broken == {}
    assert difference(arrays(state), arrays(folded)) is None
    np.testing.assert_allclose(state.user.theta, by_hand(talk, served(talk)), atol=1e-9)


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_old_version_is_served_until_the_new_one_is_built(
    memory: TestClient, name: str, hold: Hold, recipe: str
) -> None:
    put(memory, name, {"items": items(), "settings": given(recipe)})
    talk, quiet = Talk(memory, name), Talk(memory, name, "bob")
    talk.go_on(24)
    quiet.go_on(4)
    version = about(talk)["version"]
    response = put(memory, name, {"items": items(LATER)})
    assert response.status_code == 202
    assert (response.json()["version"], response.json()["building"]) == (version, version + 1)
    assert (response.json()["items"], response.json()["people"]) == (6, 2)
    talk.go_on(32)
    shown = {each["item"] for each in talk.next(ask="never", k=9)["items"]}
    assert shown == set(FILMS)
    assert_folded(talk)
    hold.release(talk)
    assert about(talk)["version"] == version + 1
    assert about(talk)["settings"]["agent"]["recipe"] == recipe
    for one in (talk, quiet):
        assert_folded(one)
    shown = {each["item"] for each in talk.next(ask="never", k=9)["items"]}
    assert shown == set(LATER)
    talk.go_on(48)
    assert_folded(talk)


def test_one_change_after_the_other(talk: Talk, hold: Hold) -> None:
    talk.go_on(4)
    version = put(talk.client, talk.catalogue, {"items": items(LATER)}).json()["building"]
    for response in (
        put(talk.client, talk.catalogue, {"items": items()}),
        change(talk, "/items", {"items": [{"id": "Jaws", "tags": ["horror"]}]}),
        change(talk, "/removals", {"items": ["Heat"]}),
        change(talk, "/settings", given("conucb"), "PUT"),
    ):
        status, code, message = problem(response)
        assert (status, code) == (409, "catalogue_building")
        assert f"Version {version} " in message
        assert response.headers["retry-after"]
    hold.release(talk)
    assert change(talk, "/removals", {"items": ["Heat"]}).json()["version"] == version + 1


def test_a_build_waits_for_nobody() -> None:
    """Whoever comes first may build a version; only a build under way is left to its builder."""
    storage = opened(MEMORY)
    entry = storage.shelf.create("it")
    storage.shelf.append(entry, "replace", b"one", wait=False)
    waiting = storage.shelf.find("it")
    assert waiting is not None
    storage.shelf.append(waiting, "replace", b"two", wait=True)
    pending = storage.shelf.find("it")
    assert pending is not None
    assert pending.pending == 2
    assert storage.shelf.lease(pending)
    assert not storage.shelf.lease(pending)
    storage.close()


def test_a_build_goes_on_after_a_restart(lasting_url: str, hold: Hold) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": given()})
        talk = Talk(client, "it")
        talk.go_on(12)
        before = put(client, "it", {"items": items(LATER)}).json()
        talk.go_on(16)
    with client_of(lasting_url) as client, client_of(lasting_url) as other:
        talk = Talk(client, "it")
        assert about(talk) == before
        assert before["building"] is not None
        hold.release(talk)
        assert_folded(talk)
        follower = Talk(other, "it")
        wait_for(follower, version=before["building"])
        assert_folded(follower)
        talk.go_on(24)
        assert_folded(follower)


def test_what_was_said_of_things_that_are_gone(talk: Talk) -> None:
    """It teaches nothing, does no harm, and counts again when they are back."""
    for tag in TAGS:
        question = talk.next(offered=[tag])
        assert question["term"] == tag
        talk.answer(question=question["question"], answer=0.8)
        advice = talk.next(k=6)
        item = advice["items"][0]["item"]
        talk.reward(decision=advice["decision"], item=item, reward=0.6)
    before = talk.state().user.theta
    late = talk.next(ask="never", pool=["Heat"])["decision"]
    small = {"Alien": ["horror", "space"], "Solaris": ["space", "slow"]}
    replace_and_wait(talk, small)
    assert_folded(talk)
    why = talk.explain("Alien")
    assert {each["about"] for each in why["contributions"]} <= {"horror", "space", "slow", *small}
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    assert parts == pytest.approx(why["mean"], abs=1e-9)
    assert [each["term"] for each in talk.got("GET", "")["terms"]] == ["horror", "space", "slow"]
    theta = talk.state().user.theta
    talk.reward(decision=late, item="Heat", reward=1)
    assert np.array_equal(talk.state().user.theta, theta)
    replace_and_wait(talk, FILMS)
    assert_folded(talk)
    assert talk.retract(len(talk.log()))["repeated"] is False
    np.testing.assert_allclose(talk.state().user.theta, before, atol=1e-9)


def replace_and_wait(talk: Talk, films: dict[str, list[str]]) -> None:
    version = about(talk)["version"]
    assert put(talk.client, talk.catalogue, {"items": items(films)}).status_code in (200, 202)
    wait_for(talk, version=version + 1)


@pytest.mark.parametrize("at_once", [True, False])
def test_an_open_question_about_a_term_that_is_gone(talk: Talk, at_once: bool) -> None:
    talk.go_on(8)
    question = talk.next(offered=["slow"])
    assert question["term"] == "slow"
    small = {film: [tag for tag in FILMS[film] if tag != "slow"] for film in FILMS}
    replace_and_wait(talk, small)
    theta, said = talk.state().user.theta, {"question": question["question"], "answer": 1}
    if at_once:  # answered before another one is asked
        assert talk.answer(**said)["repeated"] is False
        assert talk.answer(**said)["repeated"] is True
        assert np.array_equal(talk.state().user.theta, theta)
        assert talk.next()["term"] != "slow"
    else:
        other = talk.next()
        assert other["term"] != "slow"
        status, code, _ = problem(talk.send("POST", "/answers", said))
        assert (status, code) == (409, "question_closed")
        talk.answer(question=other["question"], answer=1)
    assert_folded(talk)
    talk.go_on(20)
    assert_folded(talk)


# Items added and removed


def taught(talk: Talk) -> dict[str, Any]:
    return talk.state().user.to_arrays()


@pytest.mark.parametrize("recipe", RECIPES)
def test_items_come_and_go(memory: TestClient, name: str, recipe: str) -> None:
    put(memory, name, {"items": items(), "settings": given(recipe)})
    talk = Talk(memory, name)
    talk.go_on(20)
    before, terms, version = taught(talk), served(talk).catalog.terms, about(talk)["version"]
    new = [{"id": "Jaws", "tags": ["horror"]}, {"id": "Cube", "tags": {"space": 1, "slow": 3}}]
    out = change(talk, "/items", {"items": new}).json()
    assert (out["version"], out["items"], out["building"]) == (version + 1, 8, None)
    assert change(talk, "/removals", {"items": ["Heat", "Jaws"]}).json()["items"] == 6
    assert same_state(before, taught(talk))
    assert np.array_equal(served(talk).catalog.terms, terms)
    for _ in range(3):
        shown = {each["item"] for each in talk.next(ask="never", k=20)["items"]}
        assert shown == set(FILMS) - {"Heat"} | {"Cube"}
    out = change(talk, "/items", {"items": [{"id": "Heat", "tags": ["cars"]}]}).json()
    assert (out["version"], out["items"]) == (version + 3, 7)
    shown = {each["item"] for each in talk.next(ask="never", k=20)["items"]}
    assert shown == {*FILMS, "Cube"}
    assert len(served(talk).catalog) == 8  # Heat came back as it was, in its old place
    assert np.array_equal(served(talk).catalog.terms, terms)
    assert_folded(talk)


def test_they_are_there_after_a_restart(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": given()})
        talk = Talk(client, "it")
        change(talk, "/items", {"items": [{"id": "Cube", "tags": ["space", "slow"]}]})
        change(talk, "/removals", {"items": ["Drive"]})
        talk.go_on(12)
        before, catalog, shown = taught(talk), served(talk).catalog, about(talk)
    with client_of(lasting_url) as client:
        talk = Talk(client, "it")
        assert served(talk).catalog.version == catalog.version
        assert about(talk) == shown
        assert same_state(before, taught(talk))


def test_a_new_item_is_like_an_old_one_with_the_same_tags(talk: Talk) -> None:
    change(talk, "/items", {"items": [{"id": "Ronin 2", "tags": ["heist", "cars"]}]})
    talk.go_on(12)
    old, new = talk.explain("Ronin"), talk.explain("Ronin 2")
    assert new["mean"] == pytest.approx(old["mean"], abs=1e-12)
    assert new["radius"] == pytest.approx(old["radius"], abs=1e-12)


def test_a_term_without_items_is_not_asked_about(talk: Talk) -> None:
    question = talk.next(offered=["slow"])
    assert change(talk, "/removals", {"items": ["Solaris", "Drive"]}).json()["terms"] == 5
    assert talk.next() == question  # it waits for its answer, and the answer counts
    talk.answer(question=question["question"], answer=1)
    assert talk.state().user.theta.any()
    for _ in range(8):
        talk.next()
        question = talk.next()
        assert question["term"] != "slow"
        talk.answer(question=question["question"], answer=0.5)
    for _ in range(2):  # also where a question is due
        assert talk.next(offered=["slow"])["type"] == "recommendation"
    assert "slow" not in [each["term"] for each in talk.got("GET", "")["terms"]]
    assert change(talk, "/items", {"items": items({"Drive": []})}).json()["terms"] == 6


BAD_ITEMS: dict[str, tuple[Any, str]] = {
    "unknown tag": ([{"id": "Jaws", "tags": ["horrors"]}], "Did you mean 'horror'"),
    "there already": ([{"id": "Heat", "tags": ["city"]}], "'Heat'"),
    "twice": ([{"id": "Jaws", "tags": ["city"]}] * 2, "'Jaws'"),
    "other features": ([{"id": "Jaws", "tags": ["city"], "features": [1, 2]}], "2"),
    "one without": (
        [
            {"id": "Jaws", "tags": ["city"], "features": [0.5] * 6},
            {"id": "Cube", "tags": ["city"]},
        ],
        "1 of 2",
    ),
    "none": ([], "items"),
}


@pytest.mark.parametrize("case", BAD_ITEMS)
def test_items_that_cannot_be_added(talk: Talk, case: str) -> None:
    (new, told), before = BAD_ITEMS[case], about(talk)
    status, _, message = problem(change(talk, "/items", {"items": new}))
    assert status == 422
    assert told in message
    assert about(talk) == before


def test_items_that_cannot_be_removed(talk: Talk) -> None:
    before = about(talk)
    status, code, message = problem(change(talk, "/removals", {"items": ["Heat", "Aliens"]}))
    assert (status, code) == (422, "unknown_name")
    assert "Did you mean 'Alien'" in message
    status, code, message = problem(change(talk, "/removals", {"items": list(FILMS)}))
    assert (status, code) == (422, "invalid_input")
    assert about(talk) == before
    assert problem(talk.client.post("/v1/catalogues/no/removals", json={"items": ["a"]}))[0] == 404


def test_items_with_features_of_their_own_grow_by_features(memory: TestClient, name: str) -> None:
    body = [each | {"features": [float(i), 1.0]} for i, each in enumerate(items())]
    put(memory, name, {"items": body, "settings": given()})
    talk = Talk(memory, name)
    status, _, message = problem(change(talk, "/items", {"items": items({"Jaws": ["horror"]})}))
    assert status == 422
    assert "features" in message
    new = {"id": "Jaws", "tags": ["horror"], "features": [0.25, -3.5]}
    assert change(talk, "/items", {"items": [new]}).json()["items"] == 7
    assert served(talk).catalog.arms[-1].tolist() == [0.25, -3.5]


def test_many_add_at_once(url: str) -> None:
    with client_of(url) as client:
        put(client, "it", {"items": items()})
        add_many([Talk(client, "it")])


def test_many_add_at_once_to_two_workers(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items()})
        with client_of(lasting_url) as other:
            add_many([Talk(client, "it"), Talk(other, "it")])


def add_many(workers: list[Talk], changes: int = 16) -> None:
    """Each by a thread: all are there, and every version once."""

    def add(i: int) -> Any:
        new = {"items": [{"id": f"new {i}", "tags": [TAGS[i % 6]]}]}
        return change(workers[i % len(workers)], "/items", new)

    with ThreadPoolExecutor(8) as threads:
        responses = list(threads.map(add, range(changes)))
    assert [each.status_code for each in responses] == [200] * changes
    for talk in workers:
        wait_for(talk, version=1 + changes)
        there = set(served(talk).catalog.arm_ids)
        assert there == {*FILMS, *(f"new {i}" for i in range(changes))}
    storage = workers[0].desk.storage
    written = storage.shelf.changes(served(workers[0]).id, 1, 1 + changes)
    assert [each.kind for each in written] == ["replace"] + ["add"] * changes


def test_the_same_item_is_added_once(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items()})
        with client_of(lasting_url) as other:
            new = {"items": [{"id": "Jaws", "tags": ["horror"]}]}
            workers = [Talk(client, "it"), Talk(other, "it")] * 4
            with ThreadPoolExecutor(8) as threads:
                got = list(threads.map(lambda talk: change(talk, "/items", new), workers))
            assert sorted(each.status_code for each in got) == [200] + [422] * 7
            for talk in workers[:2]:
                wait_for(talk, items=7)


# Workers that are not on the same version, step by step


def worker(url: str) -> Desk:
    """What a process has, without the threads that follow others."""
    storage = opened(url)
    memory = Memory(storage)
    catalogues = Catalogues(storage, memory)
    catalogues.refresh()
    catalogues.opened = True
    return Desk(storage, catalogues, Live(10**8), memory, lambda state, person: None)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with client_of(url) as client:
        put(client, "it", {"items": items(), "settings": given()})
    one, other = worker(url), worker(url)
    yield one, other
    one.storage.close()
    other.storage.close()


JAWS = [{"id": "Jaws", "tags": {"horror": 1.0}, "features": None}]


def test_an_item_that_another_worker_just_added_is_not_added_again(
    workers: tuple[Desk, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between our look at what is served and our look at where to write."""
    one, other = workers
    find = one.storage.shelf.find

    def find_late(name: str) -> Any:
        monkeypatch.setattr(one.storage.shelf, "find", find)
        other.catalogues.add("it", JAWS)
        return find(name)

    monkeypatch.setattr(one.storage.shelf, "find", find_late)
    with pytest.raises(InvalidInput, match="'Jaws'"):
        one.catalogues.add("it", JAWS)
    for desk in workers:
        desk.catalogues.refresh()
        assert desk.catalogues.states() == {"films": "ok", "it": "ok"}


def test_a_reward_counts_before_its_item_is_known_here(workers: tuple[Desk, Desk]) -> None:
    """A worker that has not yet heard of an item takes in its reward, and learns from it."""
    one, other = workers
    one.next("it", "ann", Wish(ask=False))
    other.next("it", "ann", Wish(ask=False))
    one.catalogues.add("it", JAWS)
    advice = one.next("it", "ann", Wish(pool=["Jaws"], ask=False)).event
    other.reward("it", "ann", f"d{advice.seq}", "Jaws", 1.0, None)
    other.catalogues.refresh()
    mine, theirs = (desk.look("it", "ann", lambda state, person: arrays(state)) for desk in workers)
    assert mine["state_theta"].any()
    assert difference(mine, theirs) is None


# Settings


AGENTS = [
    *RECIPES.values(),
    {"recipe": "linucb"},
    {"recipe": "linucb", "alpha": {"delta": 0.1}},
    *({"recipe": "conlinucb", "strategy": each} for each in cl.STRATEGIES),
    *({"recipe": "conucb", "strategy": each, "mix": 0.2} for each in cl.STRATEGIES),
    *(
        {"recipe": recipe, "schedule": schedule}
        for recipe in ("arm_con", "conucb", "conlinucb")
        for schedule in (
            {"name": "never"},
            {"name": "logarithmic", "f": 3},
            {"name": "linear", "b": 0.5, "zero_based": True},
            {"name": "every", "n": 4},
        )
    ),
]


def test_every_agent_can_be_set(talk: Talk) -> None:
    version = about(talk)["version"]
    for number, agent in enumerate(AGENTS, start=1):
        wanted = {"agent": agent, "range": [-1, number + 1], "rest_after_skip": number}
        response = change(talk, "/settings", wanted, "PUT")
        assert response.status_code == 200, response.text
        assert response.json()["version"] == version + number
        found = talk.client.get(f"/v1/catalogues/{talk.catalogue}/settings").json()
        assert {key: found[key] for key in wanted} == wanted
        twin = Talk(talk.client, talk.catalogue, f"user {number}")
        assert twin.next()["type"] in ("question", "recommendation")
        assert twin.send("DELETE", "").status_code == 204  # so that nobody has to be rebuilt


BAD_SETTINGS: dict[str, tuple[Any, str]] = {
    "no recipe": ({"agent": {}}, "recipe"),
    "recipe": ({"agent": {"recipe": "conlinub"}}, "Did you mean 'conlinucb'"),
    "strategy": ({"agent": {"recipe": "conucb", "strategy": "max radius"}}, "'max-radius'"),
    "schedule": ({"agent": {"recipe": "conucb", "schedule": {"name": "evry"}}}, "'every'"),
    "schedule as text": ({"agent": {"recipe": "conucb", "schedule": "every"}}, "every"),
    "schedule option": (
        {"agent": {"recipe": "conucb", "schedule": {"name": "every", "b": 1}}},
        "b",
    ),
    "schedule number": (
        {"agent": {"recipe": "conucb", "schedule": {"name": "every", "n": 0}}},
        "0",
    ),
    "option": ({"agent": {"recipe": "linucb", "betta": 1}}, "Did you mean 'beta'"),
    "strategy of linucb": ({"agent": {"recipe": "linucb", "strategy": "ucb"}}, "'strategy'"),
    "beta": ({"agent": {"recipe": "linucb", "beta": 0}}, "beta"),
    "beta as text": ({"agent": {"recipe": "linucb", "beta": "1"}}, "'1'"),
    "mix": ({"agent": {"recipe": "conucb", "mix": 1}}, "mix"),
    "alpha": ({"agent": {"recipe": "linucb", "alpha": -1}}, "-1"),
    "delta": ({"agent": {"recipe": "linucb", "alpha": {"delta": 2}}}, "delta"),
    "agent": ({"agent": "linucb"}, "agent"),
    "range": ({"range": [1, 0]}, "range"),
    "range of one": ({"range": [1]}, "range"),
    "field": ({"max_question": 3}, "max_question"),
    "cap": ({"max_questions": -1}, "max_questions"),
}


@pytest.mark.parametrize("case", BAD_SETTINGS)
def test_settings_that_cannot_be_used(talk: Talk, case: str) -> None:
    wrong, told = BAD_SETTINGS[case]
    before = about(talk)
    status, _, message = problem(change(talk, "/settings", wrong, "PUT"))
    assert status == 422
    assert told in message
    assert about(talk) == before
    assert talk.next()["type"] == "question"


@pytest.mark.parametrize(
    "wrong", [{"agent": {"recipe": "nope"}}, {"agent": {"recipe": "conucb", "mix": 9}}]
)
def test_a_catalogue_with_settings_that_cannot_be_used(
    memory: TestClient, name: str, wrong: Any
) -> None:
    status, _, _ = problem(put(memory, name, {"items": items(), "settings": wrong}))
    assert status == 422
    assert memory.get(f"/v1/catalogues/{name}").status_code == 404


def test_a_catalogue_and_its_settings_change_together(talk: Talk) -> None:
    talk.go_on(8)
    body = {"items": items(LATER), "settings": given("conucb", range=[0, 5])}
    assert put(talk.client, talk.catalogue, body).status_code in (200, 202)
    wait_for(talk, building=None, items=4)
    wanted = {"agent": RECIPES["conucb"], "range": [0, 5]}
    wait_for(talk, building=None, settings=about(talk)["settings"] | wanted)
    assert_folded(talk)


def test_manners_change_at_once(talk: Talk) -> None:
    talk.go_on(12)
    before, version = taught(talk), about(talk)["version"]
    out = change(talk, "/settings", given(question="{term}, perhaps?", range=[-1, 1]), "PUT")
    assert (out.status_code, out.json()["version"]) == (200, version + 1)
    assert same_state(before, taught(talk))
    question = talk.next()
    assert question["text"] == f"{question['term']}, perhaps?"
    talk.answer(question=question["question"], answer=-1)


def test_another_prior_rebuilds(talk: Talk, hold: Hold) -> None:
    talk.go_on(20)
    before = taught(talk)
    for recipe in ("conucb", "arm_con"):
        version = about(talk)["version"]
        hold.open = False
        out = change(talk, "/settings", given(recipe), "PUT")
        assert out.status_code == 202
        assert out.json()["building"] == version + 1
        assert out.json()["settings"]["agent"]["recipe"] != recipe
        assert talk.state().served.number == version
        hold.release(talk)
        assert about(talk)["settings"]["agent"]["recipe"] == recipe
        assert_folded(talk)
        talk.go_on(len(talk.log()) + 8)
        assert_folded(talk)
    assert not np.array_equal(before["state_theta"], taught(talk)["state_theta"])


def test_another_algorithm_on_the_same_prior_goes_on_at_once(talk: Talk) -> None:
    """LinUCB, Arm-Con and ConLinUCB with one beta read one state."""
    talk.go_on(12)
    before = taught(talk)
    for recipe in ("arm_con", "linucb", "conlinucb"):
        out = change(talk, "/settings", given(recipe), "PUT")
        assert (out.status_code, out.json()["building"]) == (200, None)
        assert same_state(before, taught(talk))


# Names


def test_which_catalogue_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(csv(TABLE))
    catalogues = {"small": CatalogueConfig(file=file), "demo": CatalogueConfig(demo=True)}
    for default, meant in ((None, "small"), ("demo", "demo")):
        with client_of(catalogues=catalogues, default=default) as client:
            client.post("/v1/users/ann/next")
            assert client.get("/v1/users/ann").json()["catalogue"] == meant
            named = client.get("/v1/users/ann", params={"catalogue": "small"})
            assert named.status_code == (200 if meant == "small" else 404)
            listed = client.get("/v1/catalogues").json()
            assert [each["catalogue"] for each in listed] == ["small", "demo"]


def test_where_none_is_meant() -> None:
    app = create_app(ServiceConfig(database=MEMORY, catalogues={}))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        status, code, message = problem(client.post("/v1/users/ann/next"))
        assert (status, code) == (422, "catalogue_needed")
        assert "?catalogue=" in message


def test_an_unknown_catalogue_is_told_the_nearest(memory: TestClient) -> None:
    path = "/v1/users/ann"
    wrong = {"catalogue": "filmz"}
    for response in (
        memory.post(f"{path}/next", params=wrong),
        memory.get(path, params=wrong),
        memory.put(path, params=wrong),
        memory.delete(path, params=wrong),
        memory.get("/v1/catalogues/filmz"),
        memory.get("/v1/catalogues/filmz/settings"),
        memory.put("/v1/catalogues/filmz/settings", json={}),
        memory.delete("/v1/catalogues/filmz"),
    ):
        status, code, message = problem(response)
        assert (status, code) == (404, "unknown_catalogue")
        assert "'filmz'" in message
        assert "Did you mean 'films" in message


def test_a_catalogue_is_deleted_with_everyone_in_it(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        put(client, "it", {"items": items(), "settings": given()})
        with client_of(lasting_url) as other:
            talk, elsewhere = Talk(client, "it"), Talk(other, "it")
            talk.go_on(12)
            elsewhere.next()
            assert client.delete("/v1/catalogues/it").status_code == 204
            assert client.get("/v1/users/ann/export").status_code == 404
            assert put(client, "it", {"items": items(LATER)}).json()["version"] == 1
            assert talk.next()["question"] == "q1"
            wait_for(elsewhere, items=4)
            assert elsewhere.next()["question"] == "q1"
            assert len(elsewhere.log()) == 1


# Configuration


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def clean(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for each in (DATABASE, KEY):
        monkeypatch.delenv(each, raising=False)
    return monkeypatch


def test_no_configuration_is_the_demo(clean: pytest.MonkeyPatch) -> None:
    config = read_config(None)
    assert config.catalogues == {"films": CatalogueConfig(demo=True)}
    assert config.default_catalogue == "films"
    assert (config.host, config.database) == ("127.0.0.1", "sqlite:///conlinucb.db")


TOML = """
database = "sqlite://"
default = "books"
[catalogues.films]
demo = true
[catalogues.books]
file = "tables/books.csv"
d = 2
[catalogues.books.settings]
max_questions = 2
range = [0, 5]
[catalogues.books.settings.agent]
recipe = "conucb"
mix = 0.3
[catalogues.books.settings.agent.schedule]
name = "every"
n = 1
"""


def test_a_configuration_is_served(tmp_path: Path, clean: pytest.MonkeyPatch) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "books.csv").write_bytes(csv(TABLE))
    clean.chdir("/")  # the file is found from where the configuration is
    config = read_config(write(tmp_path / "service.toml", TOML))
    app = create_app(config)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        wait_until_ready(client)
        books = client.get("/v1/catalogues/books").json()
        assert (books["items"], books["d"]) == (3, 2)
        assert books["settings"]["agent"]["mix"] == 0.3
        assert (books["settings"]["range"], books["settings"]["max_questions"]) == ([0, 5], 2)
        assert client.post("/v1/users/ann/next").json()["why"]["strategy"] == "optimal-greedy"
        assert client.get("/v1/catalogues/films").json()["items"] > 50


def test_options_before_environment_before_file(tmp_path: Path, clean: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "service.toml", 'database = "sqlite:///file.db"\nport = 1\nworkers = 2')
    assert read_config(path).database == "sqlite:///file.db"
    clean.setenv(DATABASE, "sqlite:///environment.db")
    assert read_config(path, database=None).database == "sqlite:///environment.db"
    config = read_config(path, database="sqlite:///option.db", port=3, workers=None)
    assert (config.database, config.port, config.workers) == ("sqlite:///option.db", 3, 2)


BAD_TOML: dict[str, tuple[str, str]] = {
    "no TOML": ("database = ", "TOML"),
    "unknown key": ("databse = 'x'", "databse"),
    "port": ("port = 70000", "port"),
    "neither": ("[catalogues.films]", "catalogues.films must have either demo = true or a file"),
    "both": ("[catalogues.films]\ndemo = true\nfile = 'a.csv'", "either"),
    "no such file": ("[catalogues.films]\nfile = 'nowhere.csv'", "nowhere.csv"),
    "settings": ("[catalogues.films]\ndemo = true\nsettings = {range = [1, 0]}", "range"),
    "setting": ("[catalogues.films]\ndemo = true\nsettings = {ranges = [0, 1]}", "ranges"),
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_configurations_that_cannot_be_used(
    tmp_path: Path, clean: pytest.MonkeyPatch, case: str
) -> None:
    text, told = BAD_TOML[case]
    with pytest.raises(InvalidInput) as caught:
        read_config(write(tmp_path / "service.toml", text))
    assert told in str(caught.value)


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.toml"):
        read_config(tmp_path / "nowhere.toml")
    (tmp_path / "odd.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=r"odd\.toml"):
        read_config(tmp_path / "odd.toml")


def test_a_changed_file_is_a_new_version(lasting_url: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    config: Any = {"films": {"file": file}}
    for last, version in (("z", 1), ("z", 1), ("w", 2), ("w", 2)):
        file.write_bytes(csv(TABLE | {"tag": ["x", "y", "y", last]}))
        with client_of(lasting_url, catalogues=config) as client:
            talk = Talk(client, "films")
            wait_for(talk, version=version)
            assert served(talk).catalog.term_ids == ("x", "y", last)
            talk.go_on(8 * version)
            assert_folded(talk)


def test_items_added_to_a_file_outlast_a_restart(lasting_url: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(csv(TABLE))
    config: Any = {"films": {"file": file}}
    with client_of(lasting_url, catalogues=config) as client:
        new = {"items": [{"id": "new", "tags": ["x"]}]}
        assert client.post("/v1/catalogues/films/items", json=new).status_code == 200
    with client_of(lasting_url, catalogues=config) as client:
        assert about(Talk(client, "films"))["items"] == 4


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'service.db'}"


def test_a_changed_file_with_settings_while_people_talk(sqlite: str, tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    for items, recipe in ((3, "conlinucb"), (4, "conucb")):
        file.write_bytes(csv(TABLE) + b"\nd,x,1" * (items - 3))
        config: Any = {"films": {"file": file, "settings": given(recipe)}}
        with client_of(sqlite, catalogues=config) as client:
            talk = Talk(client, "films")
            wait_for(talk, building=None, items=items)
            wanted = about(talk)["settings"] | given(recipe)
            wait_for(talk, building=None, settings=wanted)
            talk.go_on(12)
            assert_folded(talk)


def test_two_workers_find_a_changed_file(sqlite: str, tmp_path: Path, hold: Hold) -> None:
    """Both become ready; one of them wrote the new version, and it is built once it may be."""
    file = tmp_path / "films.csv"
    config: Any = {"films": {"file": file}}
    file.write_bytes(csv(TABLE))
    with client_of(sqlite, catalogues=config) as client:
        Talk(client, "films").go_on(8)
    file.write_bytes(csv(TABLE | {"tag": ["x", "y", "y", "w"]}))
    with client_of(sqlite, catalogues=config) as one, client_of(sqlite, catalogues=config) as two:
        talks = [Talk(one, "films"), Talk(two, "films")]
        assert [about(each)["version"] for each in talks] == [1, 1]
        hold.open = True
        for each in talks:
            wait_for(each, version=2, building=None)
            assert_folded(each)


def test_a_file_that_is_mended_is_served_without_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "films.csv"
    file.write_bytes(b"item,tag\na,\n")
    config = ServiceConfig(database=MEMORY, catalogues={"films": CatalogueConfig(file=file)})
    with TestClient(create_app(config), base_url="http://127.0.0.1") as client:
        assert client.get("/readyz").status_code == 503
        assert problem(client.post("/v1/users/ann/next"))[:2] == (503, "starting")
        wait_for_readiness(client, "blank")
        file.write_bytes(csv(TABLE))
        wait_for_readiness(client, '"status":"ok"')
        assert client.post("/v1/users/ann/next").status_code == 200


def wait_for_readiness(client: TestClient, text: str) -> None:
    """Until this is in what the service says of its readiness."""
    deadline = time.monotonic() + WAIT
    while text not in (said := client.get("/readyz").text):
        assert time.monotonic() < deadline, said
        time.sleep(0.05)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_a_public_address_needs_a_key(clean: pytest.MonkeyPatch, host: str) -> None:
    with pytest.raises(InvalidInput, match=KEY):
        key_from_environment(ServiceConfig(host=host))
    clean.setenv(KEY, "k" * 16)
    assert key_from_environment(ServiceConfig(host=host)) == "k" * 16


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_a_loopback_address_needs_none(clean: pytest.MonkeyPatch, host: str) -> None:
    assert key_from_environment(ServiceConfig(host=host)) is None
    clean.setenv(KEY, "")
    assert key_from_environment(ServiceConfig(host=host)) is None


def test_a_short_key_is_refused_and_not_shown(clean: pytest.MonkeyPatch) -> None:
    clean.setenv(KEY, "secret")
    with pytest.raises(InvalidInput, match="at least 16 characters, it has 6") as caught:
        key_from_environment(ServiceConfig())
    assert "secret" not in str(caught.value)
