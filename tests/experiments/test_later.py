"""Items of what came later: who takes part, under what, and what the table of all says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb import report
from conlinucb.experiments import ITEMS, items_of
from conlinucb.experiments.algorithms import authors_constants
from conlinucb.experiments.findings import findings
from conlinucb.experiments.item import Item
from conlinucb.experiments.later import LATER_ITEMS, REFERENCES
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.experiments.outcome import Improvement, Outcome
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.setting import Size, settings_of
from conlinucb.experiments.tuning import RANGES, tune
from conlinucb.people import Compares
from conlinucb.progress import Progress
from conlinucb.report.draw_tuning import draw_tuning
from conlinucb.report.groups import grouped
from conlinucb.report.later import later_tables, places
from conlinucb.report.pictures import pyplot
from conlinucb.report.style import label
from conlinucb.simulation.simulate import simulate
from support.reproductions import play, settings

TINY = {"runs": 1, "users": 2, "rounds": 20, "trials": 2, "tuning_users": 2}
NAMES = [each.name for each in LATER_ITEMS]


def test_later_is_a_family_and_no_part_of_the_paper() -> None:
    assert [each.name for each in items_of(["later"])] == NAMES
    assert not set(NAMES) & {each.name for each in items_of([])}
    assert [each.name for each in items_of(["later-tree", "1a"])] == ["1a", "later-tree"]
    with pytest.raises(cl.UnknownName, match="Did you mean 'later'"):
        items_of(["latter"])


@pytest.mark.parametrize("item", LATER_ITEMS, ids=NAMES)
def test_each_meets_conucb_and_mcr_under_authors_and_fair(item: Item) -> None:
    assert item.agents[: len(REFERENCES)] == REFERENCES
    assert set(item.agents) - set(REFERENCES) <= set(LATER)
    found = {
        name: [each.name for each in settings_of(item, protocol, Size(), seed=0)]
        for name, protocol in PROTOCOLS.items()
    }
    assert found == {"authors": [""], "paper": [], "fair": ["unit theta, sparse graph"]}


def test_every_later_algorithm_is_in_an_item_and_may_be_tuned() -> None:
    assert {each for item in LATER_ITEMS for each in item.agents} == {*LATER, *REFERENCES}
    for name, each in LATER.items():
        assert authors_constants(name, "synthetic") == each.constants
        for parameter, value in each.constants.items():
            assert RANGES[parameter].low <= value <= RANGES[parameter].high, (name, parameter)


def test_people_are_those_of_the_item() -> None:
    people = {
        each.name: settings_of(each, PROTOCOLS["authors"], Size(users=2), 0)[0].people(np.eye(2))
        for each in LATER_ITEMS
    }
    clicks = people["later-relative"]
    assert isinstance(clicks, Compares)
    assert clicks.parameters()["link"] == "clip"
    assert people["later-logistic"].parameters()["link"] == "logistic"
    assert people["later-duel"].parameters()["Compares"][-1] == "logistic"
    assert people["later-thin"].parameters()["shared_noise"] is False


@pytest.mark.more
def test_people_who_share_are_searched_in_the_order_they_come_in(tmp_path: Path) -> None:
    size = Size(runs=1, users=4, rounds=20, trials=1, tuning_users=4)
    setting = settings_of(ITEMS["later-clusters"], PROTOCOLS["fair"], size, 0)[0]
    found = tune(setting, tmp_path, Progress(None, shown=False))
    name = "LinUCB, people shared"
    (trial,) = found.trials[name]
    assert trial.parameters == {"alpha": 0.5, "beta": 1.0, "a": 1.0}
    results = simulate(
        {name: setting.agent(name, trial.parameters)},
        setting.people(setting.thetas()[1]),
        rounds=20,
        seed=setting.tuning_seed,
        arrivals="interleaved",
        progress=False,
    )
    assert trial.regret == results.final_regret(name).mean()


def test_people_of_few_kinds_are_near_their_kind() -> None:
    size = Size(runs=1, users=30, rounds=20, trials=1, tuning_users=20)
    setting = settings_of(ITEMS["later-sharing"], PROTOCOLS["fair"], size, 0)[0]
    for thetas in setting.thetas():
        apart = np.linalg.norm(thetas[:, None] - thetas, axis=2)
        alike = np.arange(len(thetas))[:, None] % 10 == np.arange(len(thetas)) % 10
        assert apart[alike].max() < 0.25 < 0.6 < apart[~alike].min()
    scored, tuned = (thetas[:10] for thetas in setting.thetas())
    assert np.linalg.norm(scored - tuned, axis=1).min() > 0.5, "the kinds are others, too"


def test_made_key_terms_stand_on_the_same_items() -> None:
    (setting,) = settings_of(ITEMS["later-tree"], PROTOCOLS["authors"], Size(users=2), 0)
    assert setting.catalog.tree is not None
    np.testing.assert_array_equal(setting.catalog.arms, setting.dataset.catalog.arms)
    assert setting.agent("HCB", authors_constants("HCB", "synthetic")).catalog is setting.catalog


def test_a_quick_run_of_one_item_is_told_in_the_table_of_all(tmp_path: Path) -> None:
    (setting,) = settings("later-thin", "authors", **TINY)
    outcome = play(setting, tmp_path)
    assert set(outcome.agents) == set(ITEMS["later-thin"].agents)
    pages = {each.name: each for each in report.write_docs(tmp_path, tmp_path / "docs")}
    text = pages["later.md"].read_text("utf-8")
    for name in ("Smoothed", "Thin", "Smoothed where thin"):
        assert f"| {name} | later-thin |" in text
    assert "later.md" in pages["index.md"].read_text("utf-8")
    assert "What came later: all of it" in report.write(tmp_path).read_text("utf-8")


@pytest.mark.more
@pytest.mark.parametrize("protocol", ["authors", "fair"])
@pytest.mark.parametrize("item", NAMES)
def test_every_item_runs(item: str, protocol: str, tmp_path: Path) -> None:
    (setting,) = settings(item, protocol, **TINY)
    outcome = play(setting, tmp_path)
    assert set(outcome.agents) == set(ITEMS[item].agents)
    if protocol == "fair":
        assert outcome.tuning is not None
        assert set(outcome.tuning.chosen) == set(ITEMS[item].agents)
        drawn = [each for group in grouped([outcome]) for each in draw_tuning(group)]
        for each in drawn:
            pyplot().close(each.figure)
        assert len({each.suffix for each in drawn}) == len(drawn)
        told = " ".join(each.alt for each in drawn)
        assert not [each for each in ITEMS[item].agents if label(each) not in told]


def judged(outcome: Outcome, **against_mcr: tuple[float, float, float]) -> Outcome:
    """The outcome with these improvements over MCR, made up."""
    agents = dict(outcome.agents)
    for name, (low, measured, high) in against_mcr.items():
        made = Improvement(measured=measured, low=low, high=high, p_value=0.5)
        agents[name] = replace(agents[name], versus={**agents[name].versus, "MCR": made})
    return replace(outcome, agents=agents)


def test_findings_and_table_follow_the_numbers(tmp_path: Path) -> None:
    (setting,) = settings("later-thin", "authors", **TINY)
    outcome = play(setting, tmp_path)
    rest = {"Thin": (-30.0, -20.0, -10.0), "Smoothed where thin": (-3.0, 1.0, 5.0)}
    clear = judged(outcome, Smoothed=(10.0, 20.0, 30.0), **rest)
    unclear = judged(outcome, Smoothed=(-1.0, 20.0, 41.0), **rest)
    (told,) = [each for each in findings([clear], []) if each.startswith("What came later")]
    assert "less regret than MCR have Smoothed (later-thin) 20.0 % less (10.0 to 30.0)" in told
    assert "of 3 in all, 1 have more, and 1 cannot be told apart" in told
    (told,) = [each for each in findings([unclear], []) if each.startswith("What came later")]
    assert "none beats MCR" in told
    table, whose = later_tables(grouped([clear]))
    assert ["".join(piece.text for piece in row[0]) for row in table.rows] == [
        *("Smoothed", "Smoothed where thin", "Thin")
    ]
    assert len(whose.rows) == 3


def test_places_count_those_who_are_surely_better_and_surely_worse(tmp_path: Path) -> None:
    (setting,) = settings("later-duel", "authors", **TINY)
    outcome = play(setting, tmp_path)
    sure = Improvement(measured=5.0, low=1.0, high=9.0, p_value=0.01)
    unsure = replace(sure, low=-1.0)
    mine = replace(
        outcome.agents["MCR"], versus={"LinUCB": sure, "ConUCB": unsure, "ConDuel": sure}
    )
    made = replace(outcome, agents={**outcome.agents, "MCR": mine})
    assert places(made, "MCR") == (1, 2)
    worse = replace(sure, measured=-5.0, low=-9.0, high=-1.0)
    mine = replace(mine, versus={"LinUCB": worse, "ConUCB": unsure, "ConDuel": sure})
    assert places(replace(made, agents={**made.agents, "MCR": mine}), "MCR") == (2, 3)
