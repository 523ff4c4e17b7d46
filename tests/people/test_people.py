"""People met by hand and by the loop, alone and inside one another."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.people import compiled_people
from conlinucb.randomness import DRIFT, LIE, REFUSAL, derive, uniform
from support.meetings import assert_met_alike, meet
from support.worlds import refused, small_catalog

CATALOG = small_catalog(arms=30, terms=9, d=5)
TASTES = np.random.default_rng(4).normal(size=(3, 5)) / 2
RATED = np.where(np.random.default_rng(6).random((3, 30)) < 0.5, 0.7, np.nan)


def linear(**options: Any) -> cl.LinearUsers:
    return cl.LinearUsers(TASTES, **{"pool_size": 8, **options})


def clicks(**options: Any) -> cl.ClickUsers:
    return cl.ClickUsers(TASTES, **{"pool_size": 8, **options})


PEOPLE: dict[str, Callable[[], cl.People]] = {
    "linear": lambda: linear(offered_size=5),
    "linear, shared noise": lambda: linear(shared_noise=True),
    "clicks": clicks,
    "clicks, clipped": lambda: clicks(link="clip", offered_size=3),
    "logged": lambda: cl.LoggedPeople(RATED, pool_size=6),
    "logged, mixed": lambda: cl.LoggedPeople(RATED, pool_size=6, own=2, unknown=None),
    "yes or no": lambda: cl.YesNo(linear()),
    "refuses": lambda: cl.Refuses(linear(), 0.5),
    "lies": lambda: cl.Lies(clicks(), 0.4),
    "drifts": lambda: cl.Drifts(linear(), 150),
}
AGENTS = {
    "LinUCB": cl.linucb(CATALOG),
    "Arm-Con": cl.arm_con(CATALOG, schedule=cl.Linear(0.5)),
    "ConUCB": cl.conucb(CATALOG, schedule=cl.Linear(0.5)),
    "MCR": cl.conlinucb(CATALOG, schedule=cl.Linear(1.5)),
    "UCB": cl.conlinucb(CATALOG, strategy="ucb", schedule=cl.Logarithmic(5)),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_by_hand_and_compiled_are_the_same(name: str) -> None:
    people = PEOPLE[name]()
    assert (compiled_people(people) is None) == (name == "drifts")
    assert_met_alike(AGENTS, people, 200, users=1)


def test_all_users_and_repeats_are_different_people() -> None:
    results = cl.simulate({"MCR": AGENTS["MCR"]}, clicks(), rounds=60, repeats=2)
    assert len(np.unique(results.final_regret("MCR"))) == 6


# Changes of answers, in any order


CHANGES: dict[str, Callable[[cl.People], cl.People]] = {
    "yes": lambda inner: cl.YesNo(inner, at=0.1, yes=2.0, no=-1.0),
    "refuses": lambda inner: cl.Refuses(inner, 0.3),
    "lies": lambda inner: cl.Lies(inner, 0.4, low=-1.0, high=2.0),
    "drifts": lambda inner: cl.Drifts(inner, 20),
}


def said(order: tuple[str, ...], place: cl.Place, question: cl.Question, number: int) -> Any:
    """The answer through all changes, the last of ``order`` outermost; None for none."""
    if not order:
        return linear().answer(place, question, number)
    *inner, outer = order
    if outer == "drifts":
        drawn = uniform(derive(place.at, DRIFT), number + 1)
        if drawn < min(place.round / 20, 1.0):
            place = place._replace(user=(place.user + 1) % 3)
        return said(tuple(inner), place, question, number)
    answer = said(tuple(inner), place, question, number)
    depth = sum(each != "drifts" for each in inner)
    if outer == "refuses":
        no = uniform(derive(derive(place.at, REFUSAL), depth), number) < 0.3
        return None if no else answer
    if answer is None:
        return None
    if outer == "yes":
        return 2.0 if answer >= 0.1 else -1.0
    lie = uniform(derive(derive(place.at, LIE), depth), number) < 0.4
    return 1.0 - answer if lie else answer


@pytest.mark.parametrize("order", list(itertools.permutations(CHANGES)), ids=" in ".join)
def test_changes_in_any_order(order: tuple[str, ...]) -> None:
    people: cl.People = linear()
    for each in order:
        people = CHANGES[each](people)
    agent = cl.conlinucb(CATALOG, schedule=cl.Linear(3))
    heard = []
    for t in range(1, 30):
        place = people.place(CATALOG, 0, 0, t % 3, t)
        user = agent.new_user()
        for number in range(3):
            question = agent.ask(user)
            assert question is not None
            expected = said(order, place, question, number)
            found = people.answer(place, question, number)
            assert found == pytest.approx(expected, abs=1e-12)
            heard.append(found)
            agent.hear(user, question, None)
    assert len(set(heard)) > 2
    assert pickle.dumps(people) == pickle.dumps(pickle.loads(pickle.dumps(people)))


THREE = list(itertools.permutations(["yes", "refuses", "lies"]))


@pytest.mark.parametrize("order", THREE, ids=" in ".join)
def test_changes_in_any_order_in_the_loop(order: tuple[str, ...]) -> None:
    people: cl.People = linear()
    for each in order:
        people = CHANGES[each](people)
    assert compiled_people(people) is not None
    agents = {name: AGENTS[name] for name in ("Arm-Con", "MCR")}
    results = assert_met_alike(agents, people, 40, users=2)
    asked, answered = (results.metric("MCR", each)[..., -1] for each in ("questions", "answered"))
    assert (answered < asked).all()
    assert (answered > 0.4 * asked).all()


@pytest.mark.parametrize("between", [lambda people: people, lambda people: cl.Drifts(people, 9)])
def test_who_refuses_twice_refuses_more_often(between: Callable[[cl.People], cl.People]) -> None:
    people = cl.Refuses(between(cl.Refuses(linear(), 0.5)), 0.5)
    agent = cl.conlinucb(CATALOG, schedule=cl.Every(1))
    asked = agent.ask(agent.new_user())
    assert asked is not None
    places = [people.place(CATALOG, 0, 0, 0, t) for t in range(1, 801)]
    silent = sum(people.answer(place, asked, 0) is None for place in places)
    assert 0.70 < silent / 800 < 0.80


def test_a_drift_ends_as_the_other() -> None:
    people, plain = cl.Drifts(linear(noise=0.0), 10), linear(noise=0.0)
    for t in (10, 11, 50):
        place = people.place(CATALOG, 0, 0, 1, t)
        other = place._replace(user=2)
        arms = np.arange(30)
        np.testing.assert_allclose(people.values(place, arms), plain.values(other, arms))
        assert people.reward(place, 3) == plain.reward(other, 3)
        assert np.allclose(np.asarray(people.taste(place)), TASTES[2])
    half = people.place(CATALOG, 0, 0, 1, 5)
    assert np.allclose(np.asarray(people.taste(half)), (TASTES[1] + TASTES[2]) / 2)


# What is overridden is not ignored


class Contrary(cl.LinearUsers):
    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        found = super().answer(place, question, number)
        return None if found is None else -found


class Generous(cl.LinearUsers):
    def reward(self, place: cl.Place, arm: int) -> float | None:
        found = super().reward(place, arm)
        return None if found is None else found + 1.0


class Narrow(cl.LinearUsers):
    def round(self, place: cl.Place) -> cl.Round:
        pool, offered = super().round(place)
        return cl.Round(pool[:3], offered)


class Indifferent(cl.LinearUsers):
    def values(self, place: cl.Place, arms: Any) -> Any:
        return np.zeros(len(arms))


@pytest.mark.parametrize("kind", [Contrary, Generous, Narrow, Indifferent])
def test_what_a_subclass_overrides_is_not_ignored(kind: type[cl.LinearUsers]) -> None:
    people = kind(TASTES, pool_size=8)
    assert compiled_people(people) is None
    assert compiled_people(cl.YesNo(people)) is None
    agents = {"MCR": AGENTS["MCR"]}
    results = assert_met_alike(agents, people, 30, users=1)
    plain = cl.simulate(agents, linear(), rounds=30, seed=4, trace=True)
    differs = [
        not np.array_equal(results.metric("MCR", each), plain.metric("MCR", each))
        for each in ("regret", "reward", "error")
    ]
    assert any(differs)


def test_what_an_object_overrides_is_not_ignored() -> None:
    people = linear()
    people.answer = lambda place, question, number: None  # type: ignore[method-assign]
    results = cl.simulate({"MCR": AGENTS["MCR"]}, people, rounds=20)
    assert (results.metric("MCR", "answered") == 0).all()
    assert (results.metric("MCR", "questions")[..., -1] == 30).all()


class Renamed(cl.LinearUsers):
    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "people": "renamed"}


def test_another_name_is_no_other_behaviour() -> None:
    assert compiled_people(Renamed(TASTES)) is not None
    assert compiled_people(clicks()) is not None


# Clicks


@pytest.mark.parametrize("link", ["clip", "logistic"])
def test_clicks_come_with_the_chance_they_are_worth(link: Any) -> None:
    people, arm = cl.ClickUsers([[0.4, 0.0, 0.0, 0.0, 0.0]], link=link, pool_size=2), 7
    catalog = cl.Catalog(np.eye(8, 5) + np.eye(8, 5, -7), np.ones((8, 1)))
    places = [people.place(catalog, 1, 0, 0, t) for t in range(1, 4001)]
    chance = 0.4 if link == "clip" else 1 / (1 + np.exp(-0.4))
    assert people.values(places[0], np.array([arm, 0]))[1] == pytest.approx(chance)
    clicked = [people.reward(place, 0) or 0.0 for place in places]
    assert set(clicked) == {0.0, 1.0}
    assert np.mean(clicked) == pytest.approx(chance, abs=4 * np.sqrt(0.25 / 4000))
    nothing = [people.reward(place, 1) or 0.0 for place in places[:500]]
    assert np.mean(nothing) == (0.0 if link == "clip" else pytest.approx(0.5, abs=0.1))


def test_who_clicks_on_an_arm_would_click_on_a_better_one() -> None:
    people = clicks()
    for t in range(1, 40):
        place = people.place(CATALOG, 0, 0, 0, t)
        values = people.values(place, np.arange(30))
        clicked = np.array([people.reward(place, arm) for arm in np.argsort(values)])
        assert (np.diff(clicked) >= 0).all()


def test_a_link_must_be_known() -> None:
    refused(lambda: cl.ClickUsers(TASTES, link="probit"), "probit", cl.InvalidInput)  # type: ignore[arg-type]


# One's own


class Own(cl.People):
    """Two people, pools of three, and a small catalogue."""

    def __len__(self) -> int:
        return 2

    def round(self, place: cl.Place) -> cl.Round:
        return cl.Round((np.arange(3) + place.round) % 12, None)

    def answer(self, place: cl.Place, question: cl.Question, number: int) -> float | None:
        return float(question.index + place.user)

    def reward(self, place: cl.Place, arm: int) -> float | None:
        return None if arm % 2 else float(arm)

    def values(self, place: cl.Place, arms: Any) -> Any:
        return np.asarray(arms, dtype=float)


def test_people_of_ones_own_may_have_small_pools() -> None:
    catalog = small_catalog()
    agents = {"MCR": cl.conlinucb(catalog), "ConUCB": cl.conucb(catalog)}
    results = assert_met_alike(agents, Own(), 30)
    assert np.isnan(results.metric("MCR", "error")).all()
    hand = meet(agents["MCR"], Own(), 30, seed=4)
    assert results.metric("MCR", "reward")[0, 0, -1] == sum(a for a in hand.arms if a % 2 == 0)


@pytest.mark.parametrize("lacks", ["__len__", "answer", "reward", "values"])
def test_people_say_what_they_lack(lacks: str) -> None:
    broken = type("Broken", (Own,), {lacks: getattr(cl.People, lacks)})()
    agents = {"MCR": cl.conlinucb(small_catalog())}
    refused(lambda: cl.simulate(agents, broken, rounds=5), f"{lacks}", cl.InvalidInput)


@pytest.mark.parametrize(
    "wrap", [cl.YesNo, lambda p: cl.Refuses(p, 0.1), lambda p: cl.Drifts(p, 3)]
)
def test_only_people_can_be_wrapped(wrap: Callable[[Any], Any]) -> None:
    refused(lambda: wrap("nobody"), "nobody", cl.InvalidInput)


@pytest.mark.parametrize("probability", [-0.1, 1.1, np.nan, "x"])
def test_a_probability_is_from_0_to_1(probability: Any) -> None:
    refused(lambda: cl.Refuses(linear(), probability), "probability", cl.InvalidInput)
    refused(lambda: cl.Lies(linear(), probability), "probability", cl.InvalidInput)


def test_answer_changes_are_part_of_what_a_result_is_of() -> None:
    agents = {"MCR": AGENTS["MCR"]}
    specs = [
        cl.simulate(agents, people, rounds=2).spec["people"]
        for people in (
            *(linear(), cl.YesNo(linear()), cl.YesNo(linear(), at=0.4), cl.Refuses(linear(), 0.3)),
            *(cl.Refuses(cl.Refuses(linear(), 0.3), 0.3), cl.Drifts(linear(), 9), clicks()),
        )
    ]
    assert len({str(each) for each in specs}) == len(specs)


def test_asked_once_and_not_more_than_allowed() -> None:
    people = linear()
    agent = cl.conlinucb(CATALOG, strategy="ucb", schedule=cl.Linear(2))
    for once, most in ((False, None), (True, None), (True, 5)):
        user, asked = agent.new_user(3), []
        for t in range(1, 8):
            place = people.place(CATALOG, seed=1, repeat=0, user=0, round=t)
            happened = cl.play_round(agent, user, people, place, once=once, most=most)
            asked += [question.index for question, _ in happened.questions]
        again = len(asked) > len(set(asked))
        assert (len(asked), again) == (
            {None: 9 if once else 14, 5: 5}[most],  # there are nine key-terms
            not once,
        )
