"""The declared figures and tables against the paper's numbers, written down here once more."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.experiments import ITEMS, items_of
from conlinucb.experiments.algorithms import ALGORITHMS, PAPER
from conlinucb.experiments.item import Claim, Item
from conlinucb.experiments.later import LATER_ITEMS
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.setting import Setting, Size, settings_of
from conlinucb.experiments.table_1 import PAPER_SECONDS
from support.reproductions import real

ASKS = (
    *("spanner", "max-radius", "ucb", "random", "optimal-greedy"),
    *("related-confidence", "related-reduction"),
)
"""The strategies of the published items, whatever others the package has."""
REAL = {"2a": "lastfm", "2b": "movielens", "2c": "lastfm", "2d": "movielens"}
VARYING = {"1d": 300, "2c": 1000, "2d": 1000}
FIGURES = ("1a", "1b", "1c", "1d", *REAL)
NEWCOMERS = ("newcomers-1a", "newcomers-2a", "newcomers-2b")
NAMES = (*FIGURES, "table1", "theory", "crossed", "crossed-lastfm", *NEWCOMERS)
LATER = tuple(each.name for each in LATER_ITEMS)
CLAIMS: dict[tuple[str, float | None, str], float | str] = {
    ("1a", None, "UCB"): 34.91,
    ("1a", None, "BS"): 37.00,
    ("1a", None, "MCR"): 43.10,
    **{("1b", f, "BS"): "better" for f in (5, 10, 20, 30)},
    **{("1b", f, "MCR"): "best" for f in (5, 10, 20, 30)},
    ("1c", 25, "BS"): 34.99,
    ("1c", 25, "MCR"): 40.21,
    ("1c", 500, "BS"): 50.36,
    ("1c", 500, "MCR"): 53.77,
    ("1d", None, "MCR"): 43.02,
    ("2a", None, "UCB"): "better",
    ("2a", None, "BS"): 13.28,
    ("2a", None, "MCR"): 17.12,
    ("2b", None, "UCB"): "better",
    ("2b", None, "BS"): 13.08,
    ("2b", None, "MCR"): 16.93,
    ("2c", None, "MCR"): 19.66,
    ("2d", None, "MCR"): 17.85,
}
SECONDS = {  # total, choosing arms, choosing key-terms
    "ConUCB": (11_297, 5_217, 6_080),
    "UCB": (5_738, 3_060, 2_678),
    "MCR": (4_821, 3_030, 1_791),
    "BS": (3_127, 3_120, 6),
}


def everything(size: Size | None = None) -> list[Setting]:
    return [
        setting
        for item in ITEMS.values()
        if not item.family
        for protocol in PROTOCOLS.values()
        for setting in settings_of(item, protocol, size or Size(), seed=0)
    ]


def where(item: Item, claim: Claim) -> float | None:
    """The place on the item's axis that a claim is about."""
    (point,) = [each for each in item.points if each.label == claim.point]
    return point.at


def test_every_item_is_there() -> None:
    assert tuple(name for name, item in ITEMS.items() if not item.family) == NAMES
    assert tuple(PROTOCOLS) == ("authors", "paper", "fair")


def test_the_papers_claims_are_declared_and_no_others() -> None:
    declared = [
        ((item.name, where(item, claim), claim.agent), claim.improvement)
        for item in ITEMS.values()
        for claim in item.claims
    ]
    assert len(declared) == len(CLAIMS)
    assert dict(declared) == CLAIMS


def test_the_papers_seconds_are_declared() -> None:
    for name, (total, *parts) in SECONDS.items():
        assert list(PAPER_SECONDS[name]) == parts
        assert abs(sum(parts) - total) <= 1, "the paper rounds"
    assert set(PAPER_SECONDS) == set(ITEMS["table1"].agents)
    assert ITEMS["table1"].data == "movielens"
    assert ITEMS["table1"].timed
    assert [name for name, item in ITEMS.items() if item.timed] == ["table1"]


KINDS = {
    **dict.fromkeys(("1a", "1d", "2a", "2b", "2c", "2d", *NEWCOMERS, *LATER), "curves"),
    **dict.fromkeys(("1b", "1c"), "sweep"),
    **dict.fromkeys(("crossed", "crossed-lastfm"), "crossed"),
    "table1": "seconds",
    "theory": "theory",
}


def test_every_item_says_of_what_kind_it_is_and_has_what_that_needs() -> None:
    assert {name: item.kind for name, item in ITEMS.items()} == KINDS
    for item in ITEMS.values():
        assert (item.kind == "sweep") == bool(item.axis)
        assert (item.kind == "sweep") == all(point.at is not None for point in item.points)
        assert (item.kind == "theory") == (item.analyse is not None)
        assert (item.kind == "seconds") == item.timed
        assert item.below in ("", *item.agents)


def test_every_item_has_a_title_of_its_own() -> None:
    assert len({item.title for item in ITEMS.values()}) == len((*NAMES, *LATER))
    for name in FIGURES:
        assert ITEMS[name].title.startswith(f"Figure {name}: ")
    assert ITEMS["table1"].title.startswith("Table 1: ")
    assert all(len(item.title) > 10 for item in ITEMS.values())


@pytest.mark.parametrize("name", NAMES)
def test_data_rounds_and_people_are_the_papers(name: str) -> None:
    item = ITEMS[name]
    newcomers = {"newcomers-2a": "lastfm", "newcomers-2b": "movielens"}
    known = {**REAL, **newcomers, "table1": "movielens", "crossed-lastfm": "lastfm"}
    data = known.get(name, "synthetic")
    assert item.data == data
    assert item.rounds == (1000 if data == "synthetic" else 5000)
    if name != "theory":
        assert item.users == (200 if data == "synthetic" else 500)


def test_figure_1b_sweeps_the_frequency_alone() -> None:
    points = ITEMS["1b"].points
    assert [point.schedule for point in points] == [("logarithmic", f) for f in (5, 10, 20, 30)]
    assert [point.at for point in points] == [5, 10, 20, 30]
    assert {(point.pool_size, point.offered_size) for point in points} == {(50, None)}


def test_figure_1c_sweeps_the_pool_alone() -> None:
    points = ITEMS["1c"].points
    assert [point.pool_size for point in points] == [25, 50, 100, 200, 500]
    assert [point.at for point in points] == [25, 50, 100, 200, 500]
    assert {point.offered_size for point in points} == {None}
    assert {point.schedule for point in points} == {("logarithmic", 5)}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("1b", "1c", "theory")])
def test_nothing_else_is_swept(name: str) -> None:
    for point in ITEMS[name].points:
        assert (point.pool_size, point.schedule, point.noise) == (50, ("logarithmic", 5), 0.1)
        assert point.offered_size == VARYING.get(name)
    assert len(ITEMS[name].points) == (2 if name == "table1" else 1)


def test_table_1_computes_every_radius_once_and_once_not() -> None:
    assert [point.lazy for point in ITEMS["table1"].points] == [False, True]
    others = [each for name in NAMES if name != "table1" for each in ITEMS[name].points]
    assert all(point.lazy for point in others)


def test_who_takes_part() -> None:
    for name in FIGURES:
        assert set(ITEMS[name].agents) == set(PAPER) - ({"BS"} if name in VARYING else set())
    assert set(ITEMS["table1"].agents) == {"ConUCB", "UCB", "BS", "MCR"}
    for name in ("crossed", "crossed-lastfm"):
        crossed = {ALGORITHMS[agent][:2] for agent in ITEMS[name].agents}
        assert {(way, asks) for way in (True, False) for asks in ASKS} < crossed
        assert {"LinUCB", "ConUCB", "UCB", "BS", "MCR"} < set(ITEMS[name].agents)


def test_newcomers_are_nobody_whom_something_was_learned_from() -> None:
    """Those who score, those who tune and those who are logged are different people."""
    assert {item.name for item in ITEMS.values() if item.logged} == set(NEWCOMERS)
    (setting, *_) = settings_of(ITEMS["newcomers-1a"], PROTOCOLS["fair"], Size(), seed=0)
    groups = (*setting.thetas(), setting.logged_thetas())
    assert [len(each) for each in groups] == [200, 50, 250]
    together = np.concatenate(groups)
    assert len(np.unique(together, axis=0)) == len(together)
    assert set(setting.agents) - set(setting.tuned) == {"Population", "Population-max-radius"}


def test_a_spanner_asks_only_where_key_terms_are_fixed() -> None:
    met = {True: 0, False: 0}
    for setting in everything():
        spanners = [each for each in setting.agents if ALGORITHMS[each].asks == "spanner"]
        varying = setting.point.offered_size is not None
        assert bool(spanners) != varying, (setting.item.name, setting.name)
        assert set(setting.item.agents) - set(spanners) <= set(setting.agents)
        met[varying] += 1
    assert met == {True: 3 + 4 + 2 * (1 + 2 + 1), False: len(everything()) - 15}


def test_a_spanner_is_left_out_where_an_item_forgets_to() -> None:
    forgetful = replace(ITEMS["1d"], agents=PAPER)
    for protocol in PROTOCOLS.values():
        for setting in settings_of(forgetful, protocol, Size(), seed=0):
            assert set(PAPER) - set(setting.agents) == {"BS"}


def test_fair_compares_every_strategy() -> None:
    every = {(False, asks) for asks in ASKS}
    for name in FIGURES:
        for setting in settings_of(ITEMS[name], PROTOCOLS["fair"], Size(), seed=0):
            found = {ALGORITHMS[each][:2] for each in setting.agents}
            fixed = {(False, "spanner")} if name in VARYING else set()
            assert every - fixed <= found
            assert {"LinUCB", "Arm-Con", "ConUCB"} < set(setting.agents)


TELL = """
from conlinucb.experiments import ITEMS
from conlinucb.experiments.protocols import PROTOCOLS
from conlinucb.experiments.setting import Size, settings_of
for item in ITEMS.values():
    print(item.name, item.agents, item.extra)
    for protocol in PROTOCOLS.values():
        for setting in settings_of(item, protocol, Size(), seed=0):
            print(protocol.name, setting.name, setting.agents)
"""
NEW_STRATEGY = """
from conlinucb.agent.strategies import STRATEGIES, Random
class Newcomer(Random):
    name = "newcomer"
STRATEGIES["newcomer"] = Newcomer
"""


def test_a_new_strategy_changes_no_published_item() -> None:
    """In processes of their own, so that the registry has it before the items are made."""
    usual, with_newcomer = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for code in (TELL, NEW_STRATEGY + TELL)
    )
    assert "crossed (" in usual.stdout
    assert with_newcomer.stdout == usual.stdout


def test_every_claim_is_about_someone_who_takes_part() -> None:
    for setting in everything():
        about = {each.agent for each in setting.item.claims if each.point == setting.point.label}
        assert about <= set(setting.agents)
        assert not about or "ConUCB" in setting.agents


def test_no_two_settings_share_a_file() -> None:
    paths = [(each.protocol.name, each.item.name, each.slug) for each in everything()]
    assert len(set(paths)) == len(paths)
    assert all(slug and slug.replace("-", "").isalnum() for _, _, slug in paths)


def test_the_synthetic_data_have_the_papers_size() -> None:
    (setting,) = settings_of(ITEMS["1a"], PROTOCOLS["authors"], Size(), seed=0)
    catalog = setting.dataset.catalog
    assert catalog.arms.shape == (5000, 50)
    assert catalog.terms.shape == (500, 50)
    assert setting.thetas()[0].shape == (200, 50)


@real
@pytest.mark.parametrize(("name", "terms"), [("2a", 2726), ("2b", 5585)])
def test_the_real_data_have_the_papers_size(name: str, terms: int) -> None:
    (setting,) = settings_of(ITEMS[name], PROTOCOLS["authors"], Size(), seed=0)
    catalog = setting.dataset.catalog
    assert catalog.arms.shape == (2000, 50)
    assert catalog.terms.shape == (terms, 50)
    assert setting.thetas()[0].shape == (500, 50)


def test_items_come_once_and_in_order() -> None:
    assert [item.name for item in items_of(["theory", "2a", "1a", "2a"])] == ["1a", "2a", "theory"]
    assert [item.name for item in items_of([])] == list(NAMES)


@pytest.mark.parametrize(
    ("given", "told"), [("tabel1", "Did you mean 'table1'"), ("1e", "Did you mean '1")]
)
def test_an_unknown_item_is_refused_with_a_hint(given: str, told: str) -> None:
    with pytest.raises(cl.UnknownName, match=told):
        items_of(["1a", given])


@pytest.mark.parametrize("given", ["runs", "users", "rounds", "trials", "tuning_users"])
def test_a_size_of_nothing_is_refused(given: str) -> None:
    for value in (0, -1, 2.5):
        with pytest.raises(cl.InvalidInput, match=f"{given} .*{value}"):
            Size(**{given: value})  # type: ignore[arg-type]


def test_a_run_is_never_longer_than_the_papers() -> None:
    for asked, rounds in [(None, 1000), (999, 999), (1001, 1000)]:
        (setting,) = settings_of(ITEMS["1a"], PROTOCOLS["authors"], Size(rounds=asked), seed=0)
        assert setting.rounds == rounds
