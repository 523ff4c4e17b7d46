"""Tables from anywhere read alike, and bad ones are refused with what came in."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.reading_tables import measure_tables

import conlinucb as cl
from conlinucb.catalog.columns import encode, numbers, read_columns
from conlinucb.errors import MissingExtra
from support.worlds import refused

TABLE: dict[str, list[Any]] = {
    "item": ["b", "a", "a", "c", "c", "d"],
    "tag": ["Slow", "Café", "fast", "slow ", "fast", "映画"],
}
WEIGHTED = TABLE | {"weight": [0.5, 2.0, 1.0, 3.25, 0.125, 1.0]}
TRADE = {"user": [1, 1, 2, 2, 3, 3, 4], "item": ["b", "a", "a", "c", "c", "d", "b"]}


def _csv(folder: Path, table: Any) -> Path:
    pd.DataFrame(table).to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def _tsv(folder: Path, table: Any) -> str:
    pd.DataFrame(table).to_csv(folder / "t.TSV", index=False, sep="\t")
    return str(folder / "t.TSV")


def _parquet(folder: Path, table: Any) -> Path:
    pq.write_table(pa.table(table), folder / "t.parquet")
    return folder / "t.parquet"


def _chunks(folder: Path, table: Any) -> Any:
    whole = pa.table(table)
    return pa.concat_tables([whole.slice(0, 2), whole.slice(2, 0), whole.slice(2)])


FORMS: dict[str, Callable[[Path, Any], Any]] = {
    "dict": lambda folder, table: table,
    "dict of arrays": lambda folder, table: {k: np.array(v) for k, v in table.items()},
    "dict of series": lambda folder, table: {k: pd.Series(v) for k, v in table.items()},
    "dict of arrow": lambda folder, table: {k: pa.array(v) for k, v in table.items()},
    "pandas": lambda folder, table: pd.DataFrame(table, index=range(7, 7 + len(table["item"]))),
    "pandas objects": lambda folder, table: pd.DataFrame(table, dtype=object),
    "polars": lambda folder, table: pl.DataFrame(table),
    "pyarrow": lambda folder, table: pa.table(table),
    "chunks": _chunks,
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Any], Any]:
    return lambda table: FORMS[request.param](tmp_path, table)


# One catalogue from every form


@pytest.mark.parametrize("table", [TABLE, WEIGHTED], ids=["plain", "weighted"])
def test_tags_from_every_form(form: Callable[[Any], Any], table: dict[str, list[Any]]) -> None:
    catalog, wanted = cl.Catalog.from_tags(form(table), d=2), cl.Catalog.from_tags(table, d=2)
    assert catalog.arm_ids == ("b", "a", "c", "d")
    assert catalog.term_ids == ("Slow", "Café", "fast", "映画")
    assert catalog.version == wanted.version
    assert catalog.report == wanted.report


def test_weights_change_the_catalogue() -> None:
    plain, weighted = cl.Catalog.from_tags(TABLE, d=2), cl.Catalog.from_tags(WEIGHTED, d=2)
    assert plain.version != weighted.version
    assert plain.weights.toarray()[1].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert weighted.weights.toarray()[1].tolist() == [0.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize("trade", [TRADE, TRADE | {"value": [1.0, 2.0, 0.5, 3.0, 1.0, 4.0, 0.0]}])
def test_interactions_from_every_form(form: Callable[[Any], Any], trade: dict[str, Any]) -> None:
    wanted = cl.Catalog.from_interactions(trade, WEIGHTED, d=3)
    catalog = cl.Catalog.from_interactions(form(trade), WEIGHTED, d=3)
    assert (catalog.version, catalog.report) == (wanted.version, wanted.report)


def test_embeddings_with_tags_from_every_form(form: Callable[[Any], Any]) -> None:
    wanted = cl.Catalog.from_embeddings(np.eye(4), list("abcd"), WEIGHTED)
    catalog = cl.Catalog.from_embeddings(np.eye(4), list("abcd"), form(WEIGHTED))
    assert (catalog.version, catalog.report) == (wanted.version, wanted.report)


@pytest.mark.parametrize(
    "listed",
    [list, tuple, np.array, pd.Series, pl.Series, pa.array, iter],
    ids=["list", "tuple", "array", "pandas", "polars", "pyarrow", "iterator"],
)
@pytest.mark.parametrize("ids", [["b", "a", "c"], [2, 1, 3]], ids=["text", "int"])
def test_items_of_embeddings_in_every_form(listed: Callable[[Any], Any], ids: list[Any]) -> None:
    tags = {"item": ids, "tag": ["x", "y", "x"]}
    catalog = cl.Catalog.from_embeddings(np.eye(3), listed(ids), tags)
    assert catalog.arm_ids == tuple(ids)
    assert all(type(each) in (str, int) for each in catalog.arm_ids)
    assert catalog.weights.toarray().tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("kind", [pa.int8(), pa.int32(), pa.int64(), pa.uint64()], ids=str)
def test_whole_numbers_as_ids(kind: Any) -> None:
    ids = {"item": pa.array([7, 3, 7], kind), "tag": pa.array([100, 90, 90], kind)}
    catalog = cl.Catalog.from_tags(ids, d=2)
    assert (catalog.arm_ids, catalog.term_ids) == ((7, 3), (100, 90))
    assert all(type(each) is int for each in catalog.arm_ids + catalog.term_ids)


@pytest.mark.parametrize(
    "made",
    [
        lambda: pd.DataFrame({"item": pd.Categorical(TABLE["item"], [*"abcdxyz"])}),
        lambda: pl.DataFrame({"item": TABLE["item"]}, schema={"item": pl.Categorical}),
        lambda: pa.table({"item": pa.array(TABLE["item"]).dictionary_encode()}),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_categories_are_what_they_stand_for(made: Callable[[], Any]) -> None:
    codes, items = encode(read_columns(made(), ["item"])["item"])
    assert (codes.tolist(), items) == ([0, 1, 1, 2, 2, 3], ["b", "a", "c", "d"])


def test_an_optional_column_only_where_it_is() -> None:
    assert set(read_columns(WEIGHTED, ["item"], ["weight", "price"])) == {"item", "weight"}


def test_other_names_and_more_columns(tmp_path: Path) -> None:
    renamed = {"film": WEIGHTED["item"], "Genre": WEIGHTED["tag"], "w": WEIGHTED["weight"]}
    table = pd.DataFrame(renamed | {"note": [None] * 6})
    catalog = cl.Catalog.from_tags(table, d=2, item="film", tag="Genre", weight="w")
    assert catalog.version == cl.Catalog.from_tags(WEIGHTED, d=2).version


def test_a_csv_with_marks_quotes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(b'\xef\xbb\xbfitem,tag\r\na,"b, c"\r\nd,NA\r\n')
    catalog = cl.Catalog.from_tags(path, d=2)
    assert (catalog.arm_ids, catalog.term_ids) == (("a", "d"), ("b, c", "NA"))


@pytest.mark.parametrize(
    "column", [[1, 2], [True, False], [0.5, 2.5], pa.array([1, 2], pa.decimal128(5, 2))], ids=str
)
def test_kinds_of_numbers(column: Any) -> None:
    found = numbers("w", read_columns({"w": column}, ["w"])["w"])
    assert found.dtype == np.float64
    assert found.tolist() == [float(each.as_py() if hasattr(each, "as_py") else each)
                              for each in column]  # fmt: skip


# What is refused

BAD_TABLES: dict[str, tuple[Any, str]] = {
    "no column": ({"item": ["a"], "tags": ["x"]}, "'tag'; it has ['item', 'tags']. Did you mean"),
    "no like column": ({"a": ["a"], "b": ["x"]}, "no column 'item'; it has ['a', 'b']"),
    "no rows": ({"item": [], "tag": []}, "['item', 'tag'] but no rows"),
    "no columns": ({}, "it has []"),
    "an empty id": ({"item": ["a", None], "tag": ["x", "y"]}, "'item' is empty in 1 rows"),
    "an empty tag": (pd.DataFrame({"item": [1, 2], "tag": ["x", None]}), "first in row 1"),
    "a null weight": (WEIGHTED | {"weight": [1, 1, None, 1, 1, 1]}, "first in row 2"),
    "a NaN weight": (WEIGHTED | {"weight": [1.0, np.nan, *[1.0] * 4]}, "holds nan in row 1"),
    "an endless weight": (WEIGHTED | {"weight": [np.inf, *[1.0] * 5]}, "holds inf in row 0"),
    "a huge weight": (WEIGHTED | {"weight": [1e300, *[1.0] * 5]}, "holds 1e+300 in row 0"),
    "a negative weight": (WEIGHTED | {"weight": [1, -2, 1, -3, 1, 1]}, "-2.0 in row 1"),
    "text as weight": (WEIGHTED | {"weight": ["1", "2", "much", "1", "1", "1"]}, "'much' in row 2"),
    "digits as text": (WEIGHTED | {"weight": ["1"] * 6}, "it holds string: '1' in row 0"),
    "dates as weight": (WEIGHTED | {"weight": np.array(["2020-01-01"] * 6, "M8[s]")}, "timestamp"),
    "only 0": (WEIGHTED | {"weight": [0] * 6}, "No tag is left of 4: 0 have fewer"),
    "mixed ids": ({"item": ["a", 1], "tag": ["x", "y"]}, "'item' cannot be read"),
    "a large id": ({"item": [2**70], "tag": ["x"]}, "'item' cannot be read"),
    "half a character": ({"item": ["a\ud800"], "tag": ["x"]}, "'item' cannot be read"),
    "a number as column": ({"item": 5, "tag": ["x"]}, "'item' cannot be read: 'int'"),
    "text as column": ({"item": "abc", "tag": ["x"] * 3}, "text 'abc'"),
    "a matrix as column": ({"item": np.eye(2), "tag": ["x"] * 2}, "['item', 'tag'] are no table"),
    "unequal columns": ({"item": ["a", "b"], "tag": ["x"]}, "['item', 'tag'] are no table"),
    "lists of tags": ({"item": ["a"], "tag": [["x", "y"]]}, "'tag' must hold one value in each"),
    "bytes": ({"item": [b"a"], "tag": ["x"]}, "'item' must be UTF-8 text, it holds binary"),
    "half ids": ({"item": [0.5, 1.0], "tag": ["x", "y"]}, "got 0.5"),
    "mixed pandas": (pd.DataFrame({"item": ["a", 1], "tag": ["x", "y"]}, dtype=object), "read"),
    "a column twice": (
        pa.Table.from_arrays([pa.array(["a"])] * 3, names=["item", "item", "tag"]),
        "several columns 'item'",
    ),
    "two pandas columns": (pd.DataFrame([["a", "b"]], columns=["item", "item"]), "cannot be read"),
    "a list": ([("a", "x")], "got list"),
    "nothing": (None, "got NoneType"),
    "a pandas series": (pd.Series([1]), "got Series"),
    "a polars series": (pl.Series([1]), "got Int64Array"),
    "a lazy frame": (pl.LazyFrame(TABLE), "got LazyFrame"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(case: str) -> None:
    table, received = BAD_TABLES[case]
    refused(lambda: cl.Catalog.from_tags(table, d=1), received, cl.InvalidInput)
    if case == "nothing":
        return  # embeddings need no tags
    everyone = {"item": ["a", "b"]}
    refused(
        lambda: cl.Catalog.from_embeddings(np.eye(2), everyone["item"], table),
        received if case != "half ids" else "'a', 'b'",
        cl.InvalidInput,
    )


BAD_FILES: dict[str, tuple[str, bytes | None, str]] = {
    "missing": ("none.csv", None, "There is no file"),
    "suffix": (
        "t.xlsx",
        b"item,tag\na,b\n",
        "t.xlsx must end in .csv, .tsv, .dat, .txt or .parquet",
    ),
    "empty": ("t.csv", b"", "t.csv cannot be read: Empty CSV"),
    "header only": ("t.csv", b"item,tag\n", "no rows"),
    "ragged": ("t.csv", b"item,tag\na,b\nc,d,e\n", "Expected 2 columns, got 3"),
    "wrong separator": ("t.tsv", b"item:tag\na:b\n", "it has ['item:tag']. Is something else"),
    "two separators": ("t.tsv", b"item;tag|x\na;b|c\n", "separated by ';' or '|': say separator"),
    "latin-1": (
        "t.csv",
        b"item,tag\na,caf\xc3\xa9\nb,caf\xe9\n",
        "t.csv is not UTF-8: line 3 has the byte 0xe9 at place 6, in b'b,caf\\xe9\\n'. If it is "
        "written in another, say which, such as encoding='latin-1'.",
    ),
    "text among numbers": ("t.csv", b"item,tag,weight\na,x,1\nb,x,two\n", "'two' in row 1"),
    "a gap": ("t.csv", b"item,tag,weight\na,x,1\nb,x,\n", "'weight' is empty in 1 rows"),
    "no parquet": ("t.parquet", b"item,tag\na,b\n", "t.parquet cannot be read"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(case: str, tmp_path: Path) -> None:
    name, content, received = BAD_FILES[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    path = tmp_path / name
    refused(lambda: cl.Catalog.from_tags(path, d=1), received, cl.InvalidInput)
    refused(lambda: cl.Catalog.from_tags(str(path), d=1), received, cl.InvalidInput)
    assert [each.name for each in tmp_path.iterdir()] == ([] if content is None else [name])


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    refused(lambda: cl.Catalog.from_tags(tmp_path), f"no file {tmp_path}", cl.InvalidInput)


def test_a_latin_byte_far_down(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"item,tag\n" + b"a,caf\xc3\xa9\n" * 400_000 + b"b,caf\xe9\n")
    refused(lambda: cl.Catalog.from_tags(path), "line 400002 has the byte 0xe9", cl.InvalidInput)


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(importlib, "import_module", missing)
    for call in (
        lambda: cl.Catalog.from_tags(TABLE),
        lambda: cl.Catalog.from_interactions(TRADE, TABLE),
        lambda: cl.Catalog.from_embeddings(np.eye(4), list("abcd"), TABLE),
    ):
        refused(call, "pip install 'conlinucb[runner]'", MissingExtra)


# The benchmark's own parts


@pytest.mark.skipif(sys.platform == "win32", reason="counts memory as Unix does")
def test_the_benchmark_measures_what_it_says() -> None:
    found = measure_tables(items=2000, tags_per_item=5, tags=50, d=10)
    assert (found["items"], found["arms"], found["key_terms"]) == (2000, 2000, 50)
    assert 0 < found["start_gigabytes"] <= found["table_gigabytes"] <= found["from_tags_gigabytes"]
    assert min(found["table_seconds"], found["from_tags_seconds"]) > 0


def test_ids_in_a_csv_are_text(tmp_path: Path) -> None:
    path = tmp_path / "tags.csv"
    path.write_text("item,tag,weight\n007,a,1\n7,b,2\n1e3,a,1\n")
    columns = read_columns(path, ("item", "tag"), ("weight",))
    assert columns["item"].to_pylist() == ["007", "7", "1e3"]
    assert numbers("weight", columns["weight"]).tolist() == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("row", [",jazz", "c,", "c,  "])
def test_blank_ids_are_refused(tmp_path: Path, row: str) -> None:
    path = tmp_path / "tags.csv"
    path.write_text(f"item,tag\na,b\n{row}\n")
    with pytest.raises(cl.InvalidInput, match="blank in row 1"):
        read_columns(path, ("item", "tag"))
