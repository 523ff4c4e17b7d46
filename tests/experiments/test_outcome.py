"""Outcomes as types and as files: what is written, what is read, what is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from conlinucb.experiments.json_files import read_outcome, read_search
from conlinucb.experiments.outcome import Outcome
from conlinucb.experiments.run import folder_of
from support.reproductions import play, settings

Content = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Item 1d, tuned; and the theory."""
    made = tmp_path_factory.mktemp("outcomes")
    for item, protocol in (("1d", "fair"), ("theory", "authors")):
        play(settings(item, protocol, runs=1, trials=1)[0], made)
    return made


def file_of(folder: Path, item: str = "1d", ending: str = "json") -> Path:
    setting = settings(item, "fair" if item == "1d" else "authors")[0]
    return folder_of(folder, setting) / f"{setting.slug}.{ending}"


def content_of(folder: Path, item: str = "1d", ending: str = "json") -> Content:
    return dict(json.loads(file_of(folder, item, ending).read_text()))


@pytest.mark.parametrize("item", ["1d", "theory"])
def test_a_file_and_its_outcome_are_the_same(folder: Path, item: str) -> None:
    content = content_of(folder, item)
    outcome = Outcome.from_json(content)
    assert json.dumps(outcome.to_json()) == json.dumps(content)
    assert Outcome.from_json(outcome.to_json()) == outcome
    assert read_outcome(file_of(folder, item)) == outcome


def test_the_keys_are_those_that_were_always_written(folder: Path) -> None:
    assert list(content_of(folder)) == [
        *("format", "item", "protocol", "setting", "point", "at", "variant", "data", "constants"),
        *("schedule", "quick", "tuning", "tuning_seconds", "command", "runs", "users", "rounds"),
        *("seed", "agents", "analysis", "seconds", "resumed", "versions", "machine", "spec"),
    ]
    agent = content_of(folder)["agents"]["MCR"]
    assert list(agent) == ["parameters", "curve", "last", "versus", "improvement"]
    assert list(agent["curve"]) == ["rounds", "mean", "low", "high"]
    assert list(agent["improvement"]) == ["measured", "low", "high", "p_value"]
    assert list(content_of(folder)["tuning"]) == ["trials", "chosen", "edges", "ranges", "users"]
    analysis = content_of(folder, "theory")["analysis"]
    assert list(analysis) == ["coverage", "lambda_B", "delta", "b", "rounds", "bounds", "t0"]


def test_a_file_from_before_formats_and_one_with_more_in_it_are_read(
    folder: Path, tmp_path: Path
) -> None:
    content, path = content_of(folder), tmp_path / "it.json"
    usual = Outcome.from_json(content)
    del content["format"]
    content["spec"]["conlinucb"] = "0.0.1"
    path.write_text(json.dumps({**content, "weather": "fine"}))
    found = read_outcome(path)
    assert found is not None
    assert found.spec["conlinucb"] == "0.0.1"
    assert (found.agents, found.tuning) == (usual.agents, usual.tuning)


@pytest.mark.parametrize("ending", ["json", "tuning.json"])
def test_a_file_of_another_format_is_refused(folder: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / "it.json"
    path.write_text(json.dumps({"format": 2, "spec": {"conlinucb": "9.8.7"}}))
    with pytest.raises(cl.IncompatibleState) as caught:
        read_outcome(path) if ending == "json" else read_search(path)
    assert str(caught.value).startswith(
        f"{path} is of format 2, written by conlinucb 9.8.7; this version reads format 1."
    )
    assert content_of(folder, ending=ending)["format"] == 1


def set_to(value: Any, *keys: str) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        *way, last = keys
        for key in way:
            content = content[key]
        content[last] = value

    return change


def without(*keys: str) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        *way, last = keys
        for key in way:
            content = content[key]
        del content[last]

    return change


CURVE = ("agents", "MCR", "curve")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without("rounds"), "rounds is missing"),
        (without("spec"), "spec is missing"),
        (without("agents", "MCR", "last", "regret"), "agents.MCR.last.regret is missing"),
        (set_to("10", "runs"), "runs must be a whole number, got '10'"),
        (set_to(1.5, "users"), "users must be a whole number, got 1.5"),
        (set_to(True, "rounds"), "rounds must be a whole number, got True"),
        (set_to(0, "quick"), "quick must be true or false, got 0"),
        (set_to(None, "item"), "item must be text, got None"),
        (set_to([], "agents"), "agents must be a table, got []"),
        (set_to({}, *CURVE, "mean"), "agents.MCR.curve.mean must be a list, got {}"),
        (set_to(["x"], *CURVE, "low"), "agents.MCR.curve.low.0 must be a number, got 'x'"),
        (set_to([None], *CURVE, "mean"), "agents.MCR.curve.mean.0 must be a number, got None"),
        (set_to("fine", "tuning"), "tuning must be a table, got 'fine'"),
        (set_to([{}], "tuning", "trials", "BS"), "tuning.trials.BS.0.parameters is missing"),
        (set_to("1b", "item"), "at must be there for the kind sweep, got None"),
        (set_to("theory", "item"), "analysis must be there for the kind theory, got None"),
    ],
)
def test_a_wrong_field_is_named_with_its_file(
    folder: Path, tmp_path: Path, change: Callable[[Content], None], told: str
) -> None:
    content, path = content_of(folder), tmp_path / "it.json"
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(cl.IncompatibleState) as caught:
        read_outcome(path)
    assert str(caught.value) == f"{path} is damaged: {told}. Delete it to run again."


def test_a_search_without_its_specification_is_refused(folder: Path, tmp_path: Path) -> None:
    content, path = content_of(folder, ending="tuning.json"), tmp_path / "it.json"
    del content["spec"]
    path.write_text(json.dumps(content))
    with pytest.raises(cl.IncompatibleState, match="spec must be a table, got None"):
        read_search(path)


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_outcome(tmp_path / "no.json") is None
    assert read_search(tmp_path / "no.json") is None
