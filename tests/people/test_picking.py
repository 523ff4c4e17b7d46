"""How people answer a group, beside a plain formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.checks import check_people
from conlinucb.people import Part
from conlinucb.people.compiled import LIES, REFUSES, YES_NO
from conlinucb.people.picking import opinion_noise, picked_by
from support.groups import noise, picks
from support.worlds import small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=4)
RNG = np.random.default_rng(3)
TASTES = RNG.normal(size=(3, 4))
GROUP = (4, 0, 7, 2)
YES, REFUSAL, LIE = ("yes-no", 0.3), ("refuses", 0.4), ("lies", 0.4)
NUMBERS = {"yes-no": YES_NO, "refuses": REFUSES, "lies": LIES}


def asked(pick: Any, which: tuple[int, ...] = GROUP) -> cl.Question:
    return question_about(CATALOG, "group", which, 1, 1, pick)


@pytest.mark.parametrize("pick", ["any", "best"])
@pytest.mark.parametrize(
    "changes",
    [
        [],
        [YES],
        [REFUSAL],
        [LIE],
        [LIE, LIE],
        [YES, LIE, REFUSAL],
        [LIE, YES],
        [YES, ("yes-no", 0)],
    ],
    ids=str,
)
def test_what_is_picked(changes: list[tuple[str, float]], pick: Any) -> None:
    rows = np.array([(NUMBERS[name], value, 2.0, -1.0) for name, value in changes]).reshape(-1, 4)
    question, rng, found = asked(pick), np.random.default_rng(6), []
    for t in range(1, 81):
        thought = rng.normal(0.3, 0.6, size=4)
        thought[rng.random(4) < 0.2] = np.nan
        for number in range(2):
            expected = picks(changes, 8, t, number, thought.tolist(), best=pick == "best")
            said = picked_by(8, t, question, number, thought, rows)
            if expected is None:
                assert said is None
            else:
                assert said is not None
                assert said.which == tuple(GROUP[i] for i in expected)
                says = any(name == "yes-no" for name, _ in changes)
                assert (said.no, said.yes) == ((-1.0, 2.0) if says else (0.0, 1.0))
            found.append(None if said is None else len(said.which))
    assert (0 in found) == (pick == "any" or any(name == "yes-no" for name, _ in changes))
    assert (None in found) == ((REFUSAL in changes) or None in found)
    assert (pick == "any") == (2 in found)


def test_nobody_has_an_opinion() -> None:
    nothing = np.full(4, np.nan)
    for pick in ("any", "best"):
        assert picked_by(1, 1, asked(pick), 0, nothing, np.empty((0, 4))) is None


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("link", [None, "logistic"])
def test_opinions_of_people_with_a_taste(link: Any, shared: bool) -> None:
    if link and shared:
        pytest.skip("people who click share no noise")
    people: Any = cl.LinearUsers(TASTES, term_noise=0.7, pool_size=6, shared_noise=shared)
    if link:
        people = cl.ClickUsers(TASTES, link=link, term_noise=0.7, pool_size=6)
    for t in range(1, 6):
        place = people.place(CATALOG, 5, 0, 1, t)
        plain = CATALOG.terms[list(GROUP)] @ TASTES[1]
        plain = 1 / (1 + np.exp(-plain)) if link else plain
        for number in range(3):
            more = [noise(place.seed, t, number, i, 0.7, shared=shared) for i in range(4)]
            found = people.opinions(place, asked("any"), number)
            np.testing.assert_allclose(found.values, plain + more, rtol=1e-9)
            assert found.changes.shape == (0, 4)
            voice = people.voice(CATALOG, place.seed, 1)
            heard = [opinion_noise(voice, t, number, i) for i in range(4)]
            np.testing.assert_allclose(heard, more, rtol=1e-12)


def test_opinions_of_logged_people() -> None:
    said = np.where(RNG.random((3, 9)) < 0.5, RNG.random((3, 9)), np.nan)
    people = cl.LoggedPeople(np.ones((3, 30)), said, pool_size=3)
    for user in range(3):
        place = people.place(CATALOG, 0, 0, user, 1)
        np.testing.assert_array_equal(
            people.opinions(place, asked("any"), 0).values, said[user, list(GROUP)]
        )


class Shouts(cl.LinearUsers):
    """Who answers in their own way: groups, too."""

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return None if question.index == 7 else float(question.index % 2 == 0)


class Mumbles(cl.People):
    """People of one's own, who know nothing of groups."""

    pool_size = 4

    def __len__(self) -> int:
        return 2

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return 0.1 * question.index + number

    def reward(self, place: cl.Place, arm: int) -> float | None:
        return 0.5

    def values(self, place: cl.Place, arms: Any) -> Any:
        return np.full(arms.size, 0.5)


def test_people_of_ones_own_pick_by_their_answers() -> None:
    place = Mumbles().place(CATALOG, 0, 0, 0, 1)
    people = Mumbles()
    assert people.pick(place, asked("any"), 0) == cl.Picked((7,))
    assert people.pick(place, asked("best"), 0) == cl.Picked((7,))
    assert people.pick(place, asked("any"), 1) == cl.Picked(GROUP)
    for outer in (Shouts(TASTES, pool_size=4), cl.Refuses(Shouts(TASTES, pool_size=4), 0.0)):
        assert outer.pick(place, asked("any"), 0) == cl.Picked((4, 0, 2))
    assert cl.YesNo(Mumbles(), at=0.0, yes=5.0, no=1.0).pick(place, asked("best"), 0) == cl.Picked(
        (7,), no=1.0, yes=5.0
    )


EVERYONE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=6, offered_size=5),
    "one offered": cl.LinearUsers(TASTES, pool_size=6, offered_size=1),
    "clicks": cl.ClickUsers(TASTES, pool_size=6),
    "logged": cl.LoggedPeople(
        np.where(RNG.random((3, 30)) < 0.6, RNG.random((3, 30)), np.nan), pool_size=4
    ),
    "changed": cl.Lies(cl.Refuses(cl.YesNo(cl.LinearUsers(TASTES, pool_size=6)), 0.3), 0.3),
    "some": Part(cl.YesNo(cl.LinearUsers(TASTES, pool_size=6), at=0.2), [2, 0]),
    "own": Mumbles(),
    "shouts": Shouts(TASTES, pool_size=6),
}


@pytest.mark.parametrize("name", EVERYONE)
def test_people_pass_the_checks(name: str) -> None:
    check_people(EVERYONE[name], CATALOG, rounds=6)


def test_who_drifts_picks_as_one_of_the_two() -> None:
    opposite = np.stack([TASTES[0], -TASTES[0]])
    people = cl.Drifts(cl.LinearUsers(opposite, term_noise=0.0, pool_size=6), rounds=10)
    inner, seen = people.people, set()
    for t in range(1, 30):
        place = people.place(CATALOG, 0, 0, 0, t)
        said = people.pick(place, asked("best"), 0)
        both = [inner.pick(each, asked("best"), 0) for each in (place, people.other(place))]
        assert said in both
        assert both[0] != both[1]
        seen.add(both.index(said))
    assert seen == {0, 1}
