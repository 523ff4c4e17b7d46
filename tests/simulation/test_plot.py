"""Curves over rounds: what is drawn, and where it goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from support.runs import some_agents, some_people
from support.worlds import refused

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


@pytest.fixture(scope="module")
def results() -> cl.Results:
    found = cl.simulate(some_agents(), some_people(5), rounds=40, log=8)
    return found.with_metric("own", lambda log: log["regret"] / log.rounds)


@pytest.fixture(autouse=True)
def pyplot() -> Iterator[Any]:
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")
    yield pyplot
    pyplot.close("all")


def lines(axes: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axes.get_lines()}


@pytest.mark.parametrize("metric", ["regret", "reward", "hits", "own"])
def test_curves_are_those_of_the_results(results: cl.Results, metric: str) -> None:
    axes = results.plot(metric)
    drawn = lines(axes)
    assert set(drawn) == set(results.agents)
    for name, line in drawn.items():
        curve = results.curve(name, metric)
        assert np.array_equal(line.get_xdata(), results.rounds)
        assert np.array_equal(line.get_ydata(), curve.mean)
    assert len(axes.collections) == 4
    ends = [line.get_ydata()[-1] for line in drawn.values()]
    assert ends == sorted(ends, reverse=True)
    assert axes.get_xlabel() == "round"
    assert axes.get_title("left") == "mean over 5 people, 95 % band"


@pytest.mark.parametrize("metric", ["regret", "reward"])
def test_differences_are_taken_user_by_user(results: cl.Results, metric: str) -> None:
    axes = results.plot(metric, against="LinUCB")
    drawn = lines(axes)
    assert set(drawn) == {"Arm-Con", "ConUCB", "MCR"}
    assert "difference from LinUCB" in axes.get_ylabel()
    versus = results.compare("MCR", "LinUCB", metric=metric)
    curve = results.curve("MCR", metric, against="LinUCB")
    assert drawn["MCR"].get_ydata()[-1] == pytest.approx(versus.difference, rel=1e-9)
    assert (curve.low[-1], curve.high[-1]) == pytest.approx((versus.low, versus.high), rel=1e-9)


def test_names_are_those_that_were_given_and_looks_differ(results: cl.Results) -> None:
    agents = dict.fromkeys(("UCB", "mine", "other"), some_agents()["MCR"])
    named = cl.simulate(agents, some_people(2), rounds=5)
    drawn = lines(named.plot())
    assert set(drawn) == {"UCB", "mine", "other"}
    assert len({line.get_color() for line in drawn.values()}) == 3
    assert lines(results.plot(agents=["MCR"]))["MCR"].get_color() == "#D55E00"


def test_names_are_no_formulas_and_nobody_is_left_out(tmp_path: Path) -> None:
    agents = dict.fromkeys(("_mine", "$x^", "a $ or $ b"), some_agents()["MCR"])
    axes = cl.simulate(agents, some_people(2), rounds=5).plot(path=tmp_path / "names.png")
    (legend,) = axes.figure.legends
    shown = {text.get_text().strip().replace("\\$", "$") for text in legend.get_texts()}
    assert shown == set(agents)


def test_an_agent_keeps_its_look_whoever_else_is_drawn() -> None:
    agent = some_agents()["MCR"]
    found = cl.simulate(dict.fromkeys("abc", agent), some_people(2), rounds=5)
    everyone = lines(found.plot())
    assert lines(found.plot(agents=["c"]))["c"].get_color() == everyone["c"].get_color()


def test_on_axes_of_ones_own(results: cl.Results, pyplot: Any) -> None:
    figure, mine = pyplot.subplots()
    size = figure.get_size_inches().tolist()
    assert results.plot(agents=["MCR", "LinUCB"], ax=mine, level=0.5) is mine
    assert set(lines(mine)) == {"MCR", "LinUCB"}
    assert mine.get_legend() is not None
    assert figure.get_size_inches().tolist() == size


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_file_is_written_and_no_figure_is_left(
    results: cl.Results, tmp_path: Path, ending: str, pyplot: Any
) -> None:
    path, before = tmp_path / f"curves.{ending}", pyplot.get_fignums()
    results.plot(path=path)
    first = path.read_bytes()
    assert first.startswith({"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])
    results.plot(path=str(path))
    assert path.read_bytes() == first
    assert pyplot.get_fignums() == before


def test_one_person_has_a_line_and_no_band() -> None:
    axes = cl.simulate(some_agents(), some_people(1), rounds=5).plot()
    assert len(lines(axes)) == 4
    assert not axes.collections
    assert axes.get_title("left") == "1 person"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "regrets"}, "Did you mean 'regret'?"),
        ({"agents": ["mcr"]}, "Did you mean 'MCR'?"),
        ({"agents": "MCR"}, "'MCR'"),
        ({"agents": []}, "nobody"),
        ({"agents": ["MCR"], "against": "MCR"}, "nobody"),
        ({"against": "linucb"}, "Did you mean 'LinUCB'?"),
        ({"path": "curves.doc"}, "'curves.doc'"),
        ({"path": "curves"}, "'curves'"),
        ({"path": "x.svg", "ax": 3}, "not both"),
        ({"level": 2}, "level"),
    ],
)
def test_bad_input_is_refused(results: cl.Results, options: dict[str, Any], message: str) -> None:
    refused(lambda: results.plot(**options), message, cl.InvalidInput)


def test_without_matplotlib_the_extra_is_named(
    results: cl.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(cl.MissingExtra, match=r"pip install 'conlinucb\[runner"):
        results.plot()
