"""Nothing that is misspelt is passed over: no option, no column, of no reader."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.adapters.frames import BatchRecommender
from conlinucb.catalog.table import PLAIN
from conlinucb.catalog.tags import TagRules
from conlinucb.datasets import DATASETS, LOGGED, interactions
from conlinucb.experiments.spec import run_spec

pytestmark = pytest.mark.filterwarnings("ignore::conlinucb.RankWarning")
TAGS: dict[str, list[Any]] = {
    "item": ["a", "a", "b", "c"],
    "tag": ["x", "y", "y", "x"],
    "weight": [1.0, 2.0, 1.0, 3.0],
}
MET: dict[str, list[Any]] = {
    "user": ["u", "u", "v", "w"],
    "item": ["a", "b", "b", "c"],
    "value": [1.0, 2.0, 3.0, 4.0],
}
LOG: dict[str, list[Any]] = {"person": MET["user"], "item": MET["item"], "value": MET["value"]}
SAID: dict[str, list[Any]] = {"person": ["u", "v"], "id": ["a", "b"], "value": [1.0, 0.0],
        "kind": ["reward", "reward"], "weight": [1.0, 1.0]}  # fmt: skip
DECIDED: dict[str, list[Any]] = {"action": ["a", "b"], "reward": [1.0, 0.0],
           "propensity": [0.5, 0.5], "person": ["u", "v"], "round": [1, 1], "pool": ["a|b", "a|b"],
           "kind": ["decision", "decision"]}  # fmt: skip
FED: dict[str, list[Any]] = {"person": ["u", "v"], "arm": ["a", "b"], "reward": [1.0, 0.0],
       "weight": [1.0, 1.0]}  # fmt: skip
CATALOG = cl.Catalog(np.eye(3), np.eye(3), list("abc"), list("xyz"))
BATCH = BatchRecommender(cl.linucb(CATALOG))


@dataclass(frozen=True)
class Reading:
    """A reader, its tables by parameter, and where the columns of each can be named."""

    function: Callable[..., Any]
    tables: dict[str, dict[str, list[Any]]]
    others: dict[str, Any]
    columns: dict[str, str]
    """The option that names the columns of each table; none where a Table does."""

    def __call__(self, **changes: Any) -> Any:
        return self.function(**{**self.others, **self.tables, **changes})


READERS = {
    "Catalog.from_tags": Reading(
        cl.Catalog.from_tags, {"table": TAGS}, {}, {"table": "columns"}
    ),
    "Catalog.from_interactions": Reading(
        cl.Catalog.from_interactions, {"table": MET, "tags": TAGS}, {"d": 2},
        {"table": "columns", "tags": "tag_columns"},
    ),
    "Catalog.from_embeddings": Reading(
        cl.Catalog.from_embeddings, {"tags": TAGS},
        {"embeddings": np.eye(3), "items": list("abc")}, {"tags": "columns"},
    ),
    "datasets.interactions": Reading(
        interactions, {"table": LOG, "tags": TAGS}, {},
        {"table": "columns", "tags": "tag_columns"},
    ),
    "Population.fit": Reading(
        cl.Population.fit, {"feedback": SAID}, {"catalog": CATALOG}, {}
    ),
    "Population.calibrated": Reading(
        cl.Population(np.zeros(3), np.eye(3)).calibrated, {"feedback": SAID},
        {"catalog": CATALOG}, {},
    ),
    "evaluate": Reading(
        cl.evaluate, {"log": DECIDED}, {"target": {"a": 0.5, "b": 0.5}}, {"log": "columns"}
    ),
    "BatchRecommender.fit": Reading(BATCH.fit, {"table": FED}, {}, {}),
    "BatchRecommender.partial_fit": Reading(BATCH.partial_fit, {"table": FED}, {}, {}),
    "BatchRecommender.predict": Reading(BATCH.predict, {"persons": {"person": ["u"]}}, {}, {}),
    "BatchRecommender.predict_expectations": Reading(
        BATCH.predict_expectations, {"persons": {"person": ["u"]}}, {}, {}
    ),
}  # fmt: skip
TABLES = {"table", "tags", "feedback", "plays", "frame", "source", "persons"}
"""Parameters that are tables, wherever they are and may be Any."""


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function and method, by name."""
    for name in (*cl.__all__, "BatchRecommender"):
        each = BatchRecommender if name == "BatchRecommender" else getattr(cl, name)
        if inspect.isclass(each):
            for method, made in inspect.getmembers(each, inspect.isroutine):
                if hasattr(made, "__code__") or inspect.ismethod(made):
                    yield f"{name}.{method}", made
        elif inspect.isfunction(each):
            yield name, each
    for name in cl.datasets.__all__:
        if inspect.isfunction(getattr(cl.datasets, name)):
            yield f"datasets.{name}", getattr(cl.datasets, name)


def test_every_reader_is_tried_here() -> None:
    found = {
        name
        for name, each in _public()
        if not name.split(".")[-1].startswith("_")
        and any(
            parameter.annotation == "Any"
            and (option in TABLES or (option == "log" and parameter.default is parameter.empty))
            for option, parameter in inspect.signature(each).parameters.items()
        )
    }
    assert found == {*READERS}


def test_no_other_function_reads_tables() -> None:
    """Whoever adds one adds it to the readers above."""
    callers = set()
    for path in Path(cl.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                called = {ast.unparse(each.func) for each in ast.walk(node)
                          if isinstance(each, ast.Call)}  # fmt: skip
                callers |= {node.name} if "read_columns" in called else set()
    assert callers == {"gathered", "read_met", "interactions", "_events", "_named",
                       "_columns", "_learn", "_people", "_from_table"}  # fmt: skip


def slip(word: str) -> str:
    """With two letters changed about.

    >>> slip("weight")
    'wieght'
    """
    for i in range(1, len(word) - 1):
        if word[i] != word[i + 1]:
            return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word[::-1] if word[::-1] != word else word + "x"


def _options(reading: Reading) -> list[str]:
    parameters = inspect.signature(reading.function).parameters
    named = [each for each in parameters if each not in (*reading.tables, *reading.others)]
    if "options" not in parameters:
        return named
    rules = [each.name for each in fields(TagRules)]
    rules = [] if reading.function is interactions else rules
    return [*(each for each in named if each != "options"), *rules, *PLAIN]


OPTIONS = [(name, option) for name, each in READERS.items() for option in _options(each)]
COLUMNS = [(name, table, column) for name, each in READERS.items()
           for table, columns in each.tables.items() for column in columns]  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_rightly_written_they_are_read(name: str) -> None:
    assert READERS[name]() is not None


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_a_misspelt_option(name: str, option: str) -> None:
    with pytest.raises((cl.UnknownName, TypeError), match=repr(slip(option))) as told:
        READERS[name](**{slip(option): 1})
    if isinstance(told.value, cl.UnknownName):
        assert f"Did you mean {option!r}?" in str(told.value)


@pytest.mark.parametrize(("name", "table", "column"), COLUMNS)
def test_a_misspelt_column_of_the_table(name: str, table: str, column: str) -> None:
    given = READERS[name].tables[table]
    misspelt = {slip(each) if each == column else each: values for each, values in given.items()}
    with pytest.raises(cl.InvalidInput, match=f"no column '{column}'") as told:
        READERS[name](**{table: misspelt})
    assert repr(slip(column)) in str(told.value)
    assert "The table" in str(told.value)


@pytest.mark.parametrize(("name", "table", "column"), COLUMNS)
@pytest.mark.parametrize("wrong", ["key", "value"])
def test_a_misspelt_name_of_a_column(name: str, table: str, column: str, wrong: str) -> None:
    key = slip(column) if wrong == "key" else column
    columns = {key: slip(column) if wrong == "value" else column}
    reading = READERS[name]
    told = cl.Table(reading.tables[table], columns=columns)
    with pytest.raises(cl.InvalidInput, match=f"Did you mean '{column}'") as by_table:
        reading(**{table: told})
    if table in reading.columns:
        with pytest.raises(cl.InvalidInput) as by_option:
            reading(**{reading.columns[table]: columns})
        assert str(by_option.value) == str(by_table.value)


NAMED = [(name, option) for name, each in READERS.items() for option in _options(each)
         if any(option in columns for columns in each.tables.values())
         and "option" not in each.columns and each.columns]  # fmt: skip


@pytest.mark.parametrize(("name", "option"), NAMED)
def test_a_misspelt_column_named_by_an_option(name: str, option: str) -> None:
    with pytest.raises(cl.InvalidInput, match=f"has no column '{slip(option)}'; it has"):
        READERS[name](**{option: slip(option)})


@pytest.mark.parametrize(
    ("option", "value", "right"),
    [
        ("format", "movielnes", "movielens"),
        ("features", "topcis", "topics"),
        ("columns", {"tag": "item", "wieght": "x"}, "weight"),
    ],
)
def test_a_misspelt_value(option: str, value: Any, right: str) -> None:
    with pytest.raises(cl.InvalidInput, match=f"Did you mean '{right}'"):
        cl.Catalog.from_tags(TAGS, **{option: value})


def test_a_misspelt_encoding() -> None:
    with pytest.raises(cl.UnknownName, match="Did you mean 'latin-1'"):
        cl.Table("tags.csv", encoding="latin_2-")


@pytest.mark.parametrize(
    "value", [{"separator": ""}, {"quote": "''"}, {"split": 3}, {"header": "item"}, {"header": []},
              {"columns": ["item"]}, {"columns": {"item": 1.5}}, {"separator": ";"},
              {"encoding": "latin-1"}, {"header": False}],
    ids=str,
)  # fmt: skip
def test_options_that_cannot_be_meant(value: dict[str, Any]) -> None:
    with pytest.raises(cl.InvalidInput, match=next(iter(value))):
        cl.Catalog.from_tags(TAGS, **value)


@pytest.mark.parametrize("name", [*DATASETS, *LOGGED])
def test_options_of_data_sets(name: str) -> None:
    loader: Callable[..., Any] = {**DATASETS, **LOGGED}[name]
    for option in inspect.signature(loader).parameters:
        with pytest.raises(TypeError, match=f"'{slip(option)}'"):
            loader(**{slip(option): 1})


FILE = """
rounds = 5
repeats = 1
[data]
{}
[people]
users = 3
[agents.MCR]
recipe = "conlinucb"
"""


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ('tags = "tags.csv"\nmin_itmes = 2', "no option 'min_itmes'. Did you mean 'min_items'"),
        ('tags = "tags.csv"\nitem = "itme"', "no column 'itme'; it has .* Did you mean 'item'"),
        ('tags = "tags.csv"\nseperator = ";"', "Did you mean 'separator'"),
        ('tags = "tasg.csv"', "There is no file"),
        ('tags = "tags.csv"\ninteractions = "met.csv"\nuesr = "user"', "Did you mean 'user'"),
        ('tags = "tags.csv"\ninteraction = "met.csv"', "no option 'interaction'"),
        ('name = "synthetic"\ntersm = 3', "Did you mean 'terms'"),
    ],
)
def test_in_a_file_of_ones_own(data: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "tags.csv").write_text("item,tag\na,x\nb,y\n")
    (tmp_path / "met.csv").write_text("user,item\nu,a\nv,b\nu,b\n")
    (tmp_path / "own.toml").write_text(FILE.format(data))
    with pytest.raises(cl.InvalidInput, match=told):
        run_spec(tmp_path / "own.toml", tmp_path / "out")
