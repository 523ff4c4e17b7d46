"""Ways of asking: everybody is asked as often, answers as people do, and is scored alike."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.experiments.people import ways
from conlinucb.experiments.people.figures import Figure, ranks, rate
from conlinucb.experiments.people.run import scored
from conlinucb.experiments.people.says import Says
from conlinucb.experiments.people.talk import favourites
from conlinucb.experiments.people.ways_findings import advice, ways_findings
from conlinucb.experiments.people.ways_outcome import Ways
from conlinucb.experiments.people.ways_table import WayOutcome, WaysOutcome
from conlinucb.progress import Progress
from conlinucb.report.people.ways import write_ways
from support.logged_people import SMALL, some_task, some_world

CATALOG = cl.Catalog(np.eye(4), np.eye(4), term_ids=["a", "b", "c", "d"])


def ask(kind: str, *indices: int) -> cl.Question:
    return question_about(CATALOG, kind, indices, number=1, round=1)  # type: ignore[arg-type]


def test_people_answer_each_kind_of_question() -> None:
    says = Says(np.array([0.9, 0.7, 0.1, np.nan]), yes=0.5)
    assert says.answer(ask("term", 0)) == 1.0
    assert says.answer(ask("term", 2)) == 0.0
    assert says.answer(ask("term", 3)) is None
    assert says.answer(ask("pair", 0, 1)) == "first"
    assert says.answer(ask("pair", 2, 1)) == "second"
    assert says.answer(ask("pair", 3, 1)) is None
    alike = Says(np.array([0.9, 0.9, 0.1, 0.1]), yes=0.5)
    assert alike.answer(ask("pair", 0, 1)) == "both"
    assert alike.answer(ask("pair", 2, 3)) == "neither"


def test_made_key_terms_are_answered_from_a_persons_own_items() -> None:
    world = some_world(implicit=True)
    made = ways.made_world(world, ways._clusters)
    person = made.log.person(int(made.log.tested(1, 20)[0]))
    group = made.catalog.weights.toarray().argmax(axis=1)[person.asked.items]
    expected = np.bincount(group, minlength=len(made.catalog.term_ids)) / group.size
    np.testing.assert_allclose(made.log.answers(person.asked), expected)
    np.testing.assert_array_equal(made.catalog.arms, world.catalog.arms)
    assert made.prior is world.prior


def group(pick: str, *indices: int) -> cl.Question:
    return question_about(CATALOG, "group", indices, number=1, round=1, pick=pick)  # type: ignore[arg-type]


def test_people_pick_what_they_like_and_the_best_of_it() -> None:
    says = Says(np.array([0.7, 0.9, 0.1, np.nan]), yes=0.5)
    assert says.answer(group("any", 0, 1, 2, 3)) == [0, 1]
    assert says.answer(group("best", 0, 1, 2, 3)) == [1]
    assert says.answer(group("any", 2, 3)) == []
    assert says.answer(group("best", 2, 3)) == []
    nobody = Says(np.full(4, np.nan), yes=0.5)
    assert nobody.answer(group("any", 0, 1)) is None
    assert [says.yes(each) for each in ([], [1], "neither", "first", 0.0)] == [0, 1, 0, 1, 0]


def test_key_terms_of_a_question_are_counted() -> None:
    counts = {way.name: way.key_terms for way in ways.WAYS}
    assert counts["key-terms, ucb"] == counts["clusters, informative"] == counts["ConTS"] == 1
    assert counts["pairs, informative"] == 2
    assert counts["pick any of 6, informative"] == 6
    assert counts["best of 3, ucb"] == 3
    assert ways.DEFAULT in counts


def asks_as_often_as_it_may(implicit: bool, names: set[str]) -> None:
    world = some_world(implicit)
    tested = world.log.tested(1, 20)[:2]
    for way, rhythm, contender in ways.contenders().values():
        if way is None or rhythm is None or way.name not in names:
            continue
        found = scored(world, contender, tested, None, Progress(1, what="", unit=1))
        assert (found.asked <= rhythm.most).all(), contender.name
        if way.made is None:
            assert (found.asked == rhythm.most).all(), contender.name


def test_a_favourite_that_was_named_is_known_before_the_first_round() -> None:
    world, way = some_world(implicit=True), next(w for w in ways.WAYS if w.name == ways.DEFAULT)
    person = world.log.person(int(world.log.tested(1, 20)[0]))
    (favourite,) = favourites(world.log, person, 1).items
    found = {}
    for name in ("each-round", "after-favourite"):
        for asks in (None, way):
            talk = ways.entered(asks, ways.RHYTHMS[name], world)(person)
            talk.recommend(np.array([favourite]))
            found[name, asks is way] = talk._user.theta, len(talk.answers)  # type: ignore[attr-defined]
    assert [asked for _, asked in found.values()] == [0, 1, 0, 1]
    assert not np.allclose(found["each-round", False][0], found["after-favourite", False][0])
    first = next(iter(ways.contenders([ways.RHYTHMS["after-favourite"]])))
    assert first == "prior, no questions, one question a round after a favourite was named"


@pytest.mark.parametrize("implicit", [True, False])
def test_each_kind_of_question_is_asked_as_often_as_it_may(implicit: bool) -> None:
    kinds = {each.kind: each.name for each in ways.WAYS}
    asks_as_often_as_it_may(implicit, set(kinds.values()))


@pytest.mark.more
@pytest.mark.parametrize("implicit", [True, False])
def test_every_way_asks_as_often_as_it_may(implicit: bool) -> None:
    asks_as_often_as_it_may(implicit, {each.name for each in ways.WAYS})


def figure(mean: float, half: float = 1.0) -> Figure:
    return Figure(mean=mean, low=mean - half, high=mean + half)


def made_up(task: str, gains: dict[str, float], half: float) -> WaysOutcome:
    """An outcome with these gains, on the first split and on the reported ones alike."""
    rhythm, most = "3 questions first", max(gains.values())
    nothing = dict.fromkeys(("gain", "gain_all", "a_question", "behind", "over_default", "ranks"))
    known = {"key_terms": 1, "answered": 90.0, "yes": 50.0, "first": figure(50), "all": figure(50)}
    ways_ = [WayOutcome(way="none", kind="nothing", rhythm=rhythm, asked=0, **known, **nothing)]  # type: ignore[arg-type]
    for name, gain in gains.items():
        found = {
            "gain": figure(gain, half),
            "gain_all": figure(gain, half),
            "a_question": figure(gain / 3, half / 3),
            "behind": figure(most - gain, half if gain < most else 0.0),
            "over_default": figure(gain - gains[ways.DEFAULT], half if name != ways.DEFAULT else 0),
            "ranks": (1, 2),
        }
        ways_.append(
            WayOutcome(way=name, kind="key-term", rhythm=rhythm, asked=3, **known, **found)  # type: ignore[arg-type]
        )
    return WaysOutcome(
        task=task, measure="points", rounds=20, first=5, splits=1, tested=9, quick=False, seed=0,
        ways=tuple(ways_), fixed_on=tuple(ways_), fixed_people=9, seconds=1.0, command="it",
        versions={},
    )  # fmt: skip


def test_a_clear_winner_is_named_and_beats_the_default() -> None:
    gains = {ways.DEFAULT: 2.0, "pairs": 9.0, "groups": 3.0}
    made = made_up("plays", gains, half=1.0)
    (told,) = ways_findings(made)
    assert "pairs gains most over asking nothing, 9.0 (8.0 to 10.0) points" in told
    assert "no other is within its interval" in told
    assert told.endswith("the best there, too.")
    (choice,) = advice([made, made_up("stars", gains, half=1.0)])
    assert "choose pairs" in choice
    assert "plays 9.0 (8.0 to 10.0), 3.0 (2.7 to 3.3) a question; stars 9.0" in choice
    assert f"these beat {ways.DEFAULT} beyond the interval: pairs." in choice


def test_without_a_clear_winner_it_is_said_so() -> None:
    gains = {ways.DEFAULT: 2.0, "pairs": 2.5, "groups": 1.8}
    made = made_up("plays", gains, half=3.0)
    (told,) = ways_findings(made)
    assert "2 of 2 others cannot be told apart from it" in told
    assert told.endswith("that asking so helps at all is not beyond doubt.")
    (choice,) = advice([made])
    assert f"No way beats {ways.DEFAULT} beyond its interval on a first split." in choice
    (choice,) = advice([made, made_up("stars", {**gains, "pairs": 9.0}, half=3.0)])
    assert "beyond its interval on every first split (on stars 1 of" in choice


def test_ranks_and_rates_count_people_together() -> None:
    worse = np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4)
    better = np.array([1.0, 2.0, 1.0, 2.0]), np.ones(4)
    assert ranks([worse, better, better]) == [(3, 3), (1, 1), (1, 1)]
    found = rate(better, worse, np.array([2.0, 2.0, 2.0, 2.0]))
    assert (found.mean, found.low, found.high) == (50.0, 50.0, 50.0)


@pytest.mark.more
def test_a_run_is_kept_and_told_of(tmp_path: Path) -> None:
    bar = Progress(1, what="", unit=1)
    only = ["3-first"]
    run = Ways(some_task(implicit=True), tmp_path, SMALL, rhythms=only)
    made = run.outcome(bar, "conlinucb people --ways")
    again = Ways(some_task(implicit=True), tmp_path, SMALL, rhythms=only).outcome(bar, "again")
    assert (again.ways, again.fixed_on) == (made.ways, made.fixed_on)
    kept = json.loads((tmp_path / "ways" / "plays.json").read_text("utf-8"))
    assert WaysOutcome.from_json({**kept}).ways == made.ways
    page = write_ways(tmp_path, tmp_path)
    assert page is not None
    text = page.read_text("utf-8")
    for way in ways.WAYS:
        assert text.count(f"| {way.name} |") == 2
    assert (tmp_path / "figures" / "ways-plays.svg").exists()
    assert len(ways_findings(made)) == len(made.rhythms) == 1
    for rhythm in made.rhythms:
        ranked = made.ranked(rhythm)
        gains = [each.gain.mean for each in ranked if each.gain]
        assert gains == sorted(gains, reverse=True)
        assert ranked[0].behind is not None
        assert ranked[0].behind.mean == 0
        assert made.chosen(rhythm).way == made.ranked(rhythm, fixed_on=True)[0].way
    with pytest.raises(cl.InvalidInput):
        Ways(some_task(implicit=True, yes=0.9), tmp_path, SMALL)
