"""Tables as people have them: other separators, names, letters, several tags in a cell."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import conlinucb as cl
from conlinucb.datasets import interactions
from support.worlds import refused

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
ROWS = [("Alien", "space"), ("Alien", "horror"), ("Amélie", "Paris"), ("Solaris", "space")]
WANTED = cl.Catalog.from_tags(dict(zip(("item", "tag"), map(list, zip(*ROWS, strict=True)),
                                       strict=True))).version  # fmt: skip


def written(
    folder: Path, *, head: str | None = "item{}tag", between: str = ",", name: str = "t.csv",
    encoding: str = "utf-8",
) -> Path:  # fmt: skip
    lines = ([head.format(between)] if head else []) + [between.join(row) for row in ROWS]
    (folder / name).write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))
    return folder / name


# Text files


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " ", "^", "::", " - ", "§"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.dat", "t.txt"])
def test_any_separator(tmp_path: Path, separator: str, name: str) -> None:
    path = written(tmp_path, between=separator, name=name)
    assert cl.Catalog.from_tags(path, separator=separator).version == WANTED


@pytest.mark.parametrize(("between", "name"), [(";", "t.csv"), ("|", "t.txt"), (",", "t.tsv")])
def test_a_separator_that_only_fits_is_found_and_said(
    tmp_path: Path, between: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path, between=between, name=name)
    assert cl.Catalog.from_tags(path).version == WANTED
    assert f"{path} is read as separated by {between!r}" in caplog.text
    caplog.clear()
    assert cl.Catalog.from_tags(path, separator=between).version == WANTED
    assert not caplog.text


def test_the_usual_separator_needs_no_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "t.csv").write_text("item,tag\na;b,c;d\n")
    assert cl.Catalog.from_tags(tmp_path / "t.csv", d=1).arm_ids == ("a;b",)
    assert not caplog.text


def test_several_tags_in_a_cell_are_pointed_out(caplog: pytest.LogCaptureFixture) -> None:
    films = {"item": ["a", "b"], "tag": ["Drama", "Comedy|Drama"]}
    assert len(cl.Catalog.from_tags(films).term_ids) == 2
    assert "'Comedy|Drama' in 'tag' is one tag; split='|' would make several" in caplog.text
    caplog.clear()
    assert cl.Catalog.from_tags(films, split="|").term_ids == ("Drama", "Comedy")
    assert not caplog.text
    cl.Catalog.from_tags(films, split=";")
    assert "no cell of 'tag' holds ';', so each is one tag" in caplog.text


@pytest.mark.parametrize("header", [False, None])
@pytest.mark.parametrize("named", [{"item": 0, "tag": 1}, {"columns": {"item": 0, "tag": 1}},
                                   {"item": "0", "tag": "1"}])  # fmt: skip
def test_no_header_and_places(tmp_path: Path, header: Any, named: dict[str, Any]) -> None:
    path = written(tmp_path, head=None)
    assert cl.Catalog.from_tags(path, header=header, **named).version == WANTED


def test_no_header_and_names(tmp_path: Path) -> None:
    path = written(tmp_path, head=None)
    assert cl.Catalog.from_tags(path, header=["item", "tag"]).version == WANTED
    assert cl.Catalog.from_tags(path, header=["a", "b"], item="a", tag="b").version == WANTED
    refused(lambda: cl.Catalog.from_tags(path, header=["item"]), "header names 1 columns")


def test_places_with_a_header(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = written(tmp_path, head="what{}genre")
    assert cl.Catalog.from_tags(path, item=0, tag=1).version == WANTED
    assert "the first line, ['what', 'genre'], is taken for the columns' names" in caplog.text
    refused(lambda: cl.Catalog.from_tags(path, item=0, tag=2), "no column 2; it has ['what', ")
    refused(lambda: cl.Catalog.from_tags(path, item=0, tag=-1), "Places count from 0")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "UTF-8"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, encoding=encoding)
    assert cl.Catalog.from_tags(path, encoding=encoding).version == WANTED


@pytest.mark.parametrize("separator", [",", "::"])
def test_bytes_of_another_encoding_are_named(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path, encoding="latin-1", between=separator)
    told = "t.csv is not UTF-8: line 4 has the byte 0xe9 at place 3, in b'Am\\xe9lie"
    refused(lambda: cl.Catalog.from_tags(path, separator=separator), told)
    refused(lambda: cl.Catalog.from_tags(path, separator=separator), "encoding='latin-1'")
    refused(lambda: cl.Catalog.from_tags(path, separator=separator, encoding="ascii"), "not ASCII")


def test_bytes_of_another_encoding_in_a_column_that_nobody_reads(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"item,tag,note\na,x,caf\xe9\n")
    assert cl.Catalog.from_tags(tmp_path / "t.csv").arm_ids == ("a",)


def test_a_file_of_another_encoding_as_a_whole(tmp_path: Path) -> None:
    path = written(tmp_path, encoding="utf-16")
    refused(lambda: cl.Catalog.from_tags(path), "line 1 has the byte 0xff at place 1")
    path = written(tmp_path, encoding="utf-8")
    refused(lambda: cl.Catalog.from_tags(path, encoding="utf-16"), "is not UTF-16")


def test_utf_8_read_as_something_else_is_pointed_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cl.Catalog.from_tags(written(tmp_path, encoding="latin-1"), encoding="latin-1")
    assert not caplog.text
    cl.Catalog.from_tags(written(tmp_path), encoding="latin-1")
    assert "is read as latin-1, but it is UTF-8 as it seems" in caplog.text


def test_a_row_in_place_of_names(tmp_path: Path) -> None:
    path = written(tmp_path, head=None)
    refused(lambda: cl.Catalog.from_tags(path), "If its first line is a row, say header=False")


def test_errors_name_the_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item,tag,weight\na,x,1\nb,,1\nc,z,-1\n")
    refused(lambda: cl.Catalog.from_tags(tmp_path / "t.csv"), "t.csv: Column 'tag' is blank")
    split: dict[str, Any] = {"split": "|"}
    refused(lambda: cl.Catalog.from_tags(tmp_path / "t.csv", **split), "t.csv: Column 'weight'")
    bad = {"item": ["a"], "tag": ["x"], "weight": ["much"]}
    refused(lambda: cl.Catalog.from_tags(bad), "The table of tags: Column 'weight' must hold")


def test_quotes_that_are_letters(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text('item\ttag\n"Weird Al" Yankovic\tfunny\n12" single\tvinyl\n')
    catalog = cl.Catalog.from_tags(tmp_path / "t.tsv", quote=None)
    assert catalog.arm_ids == ('"Weird Al" Yankovic', '12" single')


def test_cells_with_line_ends(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('item,tag,note\na,x,"two\nlines"\nb,"y, z",one\n')
    assert cl.Catalog.from_tags(tmp_path / "t.csv").term_ids == ("x", "y, z")


# Several tags in a cell

CELLS = {"item": ["a", "b", "c", "d"], "tag": ["Comedy|Drama", " drama | War ", "", "|"]}


def test_cells_are_split() -> None:
    catalog = cl.Catalog.from_tags(CELLS, split="|")
    assert (catalog.arm_ids, catalog.term_ids) == (("a", "b"), ("Comedy", "Drama", "War"))
    assert catalog.weights.toarray().tolist() == [[1, 1, 0], [0, 1, 1]]


def test_an_item_with_an_empty_cell_is_an_arm_where_features_come_from_elsewhere() -> None:
    catalog = cl.Catalog.from_embeddings(np.eye(4), list("abcd"), CELLS, split="|")
    assert catalog.weights.toarray()[2:].tolist() == [[0, 0, 0], [0, 0, 0]]


def test_a_weight_is_that_of_each_tag_in_the_cell() -> None:
    catalog = cl.Catalog.from_tags({**CELLS, "weight": [2.0, 3.0, 1.0, 1.0]}, split="|")
    assert catalog.weights.toarray().tolist() == [[2, 2, 0], [0, 3, 3]]
    bad = {**CELLS, "weight": [2.0, -3.0, 1.0, 1.0]}
    refused(lambda: cl.Catalog.from_tags(bad, split="|"), "-3.0 in row 1")


@pytest.mark.parametrize(
    ("table", "received"),
    [
        ({"item": [1], "tag": ["|"]}, "'tag' holds no tag"),
        ({"item": [1], "tag": [7]}, "'tag' must hold text to split, got int64"),
        ({"item": [""], "tag": ["x|y"]}, "'item' is blank in row 0"),
    ],
)
def test_cells_that_cannot_be_split(table: Any, received: str) -> None:
    refused(lambda: cl.Catalog.from_tags(table, split="|"), received, cl.InvalidInput)


# Two tables with other names

PLAYS = {"who": ["ann", "ann", "bo", "bo"], "song": ["a", "b", "b", "c"], "n": [3, 1, 2, 5]}
GENRES = {"id": ["a", "b", "c"], "genre": ["calm|old", "loud", "calm"]}


def test_each_table_has_names_of_its_own() -> None:
    met = {"user": PLAYS["who"], "item": PLAYS["song"], "value": PLAYS["n"]}
    tags = {"item": ["a", "a", "b", "c"], "tag": ["calm", "old", "loud", "calm"]}
    wanted = cl.Catalog.from_interactions(met, tags, d=2)
    options: dict[str, Any] = {
        "columns": {"user": "who", "item": "song", "value": "n"},
        "tag_columns": {"item": "id", "tag": "genre"},
        "split": "|",
    }
    found = cl.Catalog.from_interactions(PLAYS, GENRES, d=2, **options)
    told = cl.Table(GENRES, columns=options["tag_columns"], split="|")
    by_table = cl.Catalog.from_interactions(PLAYS, told, d=2, columns=options["columns"])
    assert found.version == by_table.version == wanted.version
    logged = interactions(PLAYS, told, columns={"person": "who", "item": "song", "value": "n"})
    assert (logged.item_ids, logged.term_ids) == (("a", "b", "c"), ("calm", "old", "loud"))


def test_a_column_has_one_name() -> None:
    both: dict[str, Any] = {"item": "id", "columns": {"item": "genre", "tag": "genre"}}
    refused(lambda: cl.Catalog.from_tags(GENRES, **both), "'item' is named twice: item='id'")
    same: dict[str, Any] = {"item": "id", "columns": {"item": "id", "tag": "genre"}}
    assert cl.Catalog.from_tags(GENRES, **same).arm_ids == ("a", "b", "c")


def test_options_of_text_go_to_the_text_file(tmp_path: Path) -> None:
    (tmp_path / "plays.csv").write_text("who;song\nann;a\nann;b\nbo;b\n")
    tags = pd.DataFrame({"item": ["a", "b"], "tag": ["x", "y"]})
    names: dict[str, Any] = {"columns": {"user": "who", "item": "song"}}
    catalog = cl.Catalog.from_interactions(
        tmp_path / "plays.csv", tags, d=2, separator=";", **names
    )
    assert catalog.user_ids == ("ann", "bo")


def test_feedback_is_read_through_a_table(tmp_path: Path) -> None:
    catalog = cl.Catalog(np.eye(2), np.eye(2), ["a", "b"], ["x", "y"])
    rows = {"person": ["p", "p", "q"], "id": ["a", "b", "a"], "value": [1.0, 0.0, 0.5]}
    (tmp_path / "log.csv").write_text("p;a;1.0\np;b;0.0\nq;a;0.5\n")
    columns = {"person": 0, "id": 1, "value": 2}
    table = cl.Table(tmp_path / "log.csv", separator=";", header=False, columns=columns)
    found, wanted = (cl.Population.fit(catalog, each) for each in (table, rows))
    assert np.array_equal(found.mean, wanted.mean)


# What is in cells


def test_white_space_around_ids_is_no_part_of_them() -> None:
    tags = {"item": ["a ", " b", "a"], "tag": ["x", "y", "z"]}
    assert cl.Catalog.from_tags(tags).arm_ids == ("a", "b")
    met = {"user": ["u", " u", "v"], "item": ["a", " b", "b "]}
    catalog = cl.Catalog.from_interactions(met, tags, d=2)
    assert (catalog.arm_ids, catalog.user_ids) == (("a", "b"), ("u", "v"))
    assert cl.Catalog.from_embeddings(np.eye(2), ["a ", "b"], tags).arm_ids == ("a", "b")


@pytest.mark.parametrize("column", [list, np.array])
def test_ids_that_are_no_number_are_refused(column: Any) -> None:
    table = {"item": column([1.0, np.nan]), "tag": ["x", "y"]}
    refused(lambda: cl.Catalog.from_tags(table), "'item' is NaN in row 1")
    met = {"person": column([np.nan, 1.0]), "item": ["a", "b"], "value": [0, 1]}
    refused(lambda: interactions(met, {"item": ["a"], "tag": ["x"]}), "'person' is NaN in row 0")


def test_repeated_rows() -> None:
    """Tags count once, or their weights' sum; a person's values add up, or their mean counts."""
    twice = {"item": ["a", "a", "b"], "tag": ["x", "x", "y"]}
    assert cl.Catalog.from_tags(twice).weights.toarray().tolist() == [[1, 0], [0, 1]]
    weighted = {**twice, "weight": [2, 3, 1]}
    assert cl.Catalog.from_tags(weighted).weights.toarray().tolist() == [[5, 0], [0, 1]]
    met = {"user": [1, 1, 2], "item": ["a", "a", "b"], "value": [1, 2, 1]}
    once = {"user": [1, 2], "item": ["a", "b"], "value": [3, 1]}
    found, wanted = (cl.Catalog.from_interactions(each, twice, d=2) for each in (met, once))
    assert found.version == wanted.version


# What is said


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda t: cl.Catalog.from_tags(t), "The table of tags: numbers in 'stars' are not used. "
         "columns={'weight': 'stars'} would take them as weight"),
        (lambda t: cl.Catalog.from_interactions(t, t, d=2), "The table: numbers in 'stars' are not "
         "used. columns={'value': 'stars'} would take them as value"),
        (lambda t: interactions(t, t, implicit=True), "The table: numbers in 'stars'"),
    ],
)  # fmt: skip
def test_numbers_that_are_not_used_are_pointed_out(
    read: Any, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = {"user": ["u", "v"], "person": ["u", "v"], "item": ["a", "b"], "tag": ["x", "y"]}
    with caplog.at_level(logging.WARNING, "conlinucb"):
        read(table)
        read({**table, "movieId": [1, 2], "note": ["very", "good"]})
        assert not caplog.text
        read({**table, "stars": [1, 5]})
    assert told in caplog.text


def test_nothing_is_said_of_numbers_once_it_is_said_that_there_are_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    table = {"item": ["a", "b"], "tag": ["x", "y"], "stars": [1, 5]}
    catalog = cl.Catalog.from_tags(table, columns={"weight": None})
    assert catalog.weights.toarray().tolist() == [[1, 0], [0, 1]]
    assert not caplog.text
    assert cl.Catalog.from_tags(table, weight="stars").weights.toarray().tolist() == [
        [1, 0],
        [0, 5],
    ]
    assert not caplog.text


# People


@pytest.mark.parametrize("features", ["paper", "people", "people+tags"])
def test_people_come_back_with_their_ids(features: Any) -> None:
    """Those who met only calm songs like calm songs better than others do."""
    met = {"user": [f"u{u}" for u in range(6) for _ in range(3)],
           "item": [f"{'calm' if u < 3 else 'loud'} {(u + i) % 4}" for u in range(6)
                    for i in range(3)]}  # fmt: skip
    met = {name: [*column, *extra] for (name, column), extra in
           zip(met.items(), (["u0", "u3"], ["loud 0", "calm 0"]), strict=True)}  # fmt: skip
    items = sorted(set(met["item"]))
    tags = {"item": items, "tag": [each.split()[0] for each in items]}
    catalog = cl.Catalog.from_interactions(met, tags, features=features, d=3, tag_d=2)
    assert catalog.user_ids == tuple(f"u{u}" for u in range(6))
    assert catalog.thetas is not None
    scores = catalog.thetas @ catalog.arms.T
    calm = np.array([each.startswith("calm") for each in catalog.arm_ids])
    prefers = scores[:, calm].mean(axis=1) > scores[:, ~calm].mean(axis=1)
    assert prefers.tolist() == [True] * 3 + [False] * 3
    assert np.abs(scores).max() <= 1.0 + 1e-12
    assert catalog.with_constant().thetas is None


def test_papers_people_are_the_other_singular_vectors() -> None:
    rng = np.random.default_rng(0)
    met = {"user": rng.integers(0, 9, 80), "item": rng.integers(0, 7, 80)}
    catalog = cl.Catalog.from_interactions(met, {"item": [0, 1], "tag": ["x", "y"]}, d=4)
    matrix = np.zeros((9, 7))
    rows = [catalog.user_ids.index(each) for each in met["user"]]
    columns = [catalog.arm_ids.index(each) for each in met["item"]]
    np.add.at(matrix, (rows, columns), 1.0)
    u, _, vt = np.linalg.svd(matrix)
    u, v = u[:, :3], vt[:3].T
    cosines = (u / np.linalg.norm(u, axis=1)[:, None]) @ (v / np.linalg.norm(v, axis=1)[:, None]).T
    assert catalog.thetas is not None
    assert np.allclose(catalog.thetas @ catalog.arms.T, (cosines + 1) / 2, atol=1e-12)
