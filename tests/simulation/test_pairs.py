"""Questions about pairs: do you prefer this to that?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.question import question_about
from conlinucb.agent.strategies.base import TermStrategy
from support.meetings import assert_met_alike, meet
from support.worlds import films, refused, same_state, small_catalog

K = 9
CATALOG = small_catalog(arms=30, terms=K, d=5)
RNG = np.random.default_rng(4)
TASTES = RNG.normal(size=(2, 5)) / 2


class Widest(TermStrategy):
    """The pair whose difference is least known; plain Python."""

    name = "widest-pair"
    kind = "pair"

    def choose(self, view: cl.View) -> Any:
        best, found = -1.0, (0, 0)
        for i in view.offered:
            for j in view.offered:
                x = view.terms[i] - view.terms[j]
                size = float(x @ view.cov @ x)
                if i < j and size > best + 1e-9:
                    best, found = size, (int(i), int(j))
        return found


@cl.strategy_kernel
def widest(view: cl.View) -> int:
    best, found = -1.0, 0
    for i in view.offered:
        for j in view.offered:
            x = view.terms[i] - view.terms[j]
            size = np.dot(x, np.dot(view.cov, x))
            if i < j and size > best + 1e-9:
                best, found = size, i * view.terms.shape[0] + j
    return int(found)


class FastWidest(Widest):
    kernel = staticmethod(widest)


def agents(strategy: Any) -> dict[str, cl.Agent]:
    return {
        "ridge": cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Linear(1)),
        "two-step": cl.conucb(CATALOG, strategy=strategy, schedule=cl.Linear(0.5)),
    }


RATED = np.where(RNG.random((2, 30)) < 0.5, RNG.random((2, 30)), np.nan)
SAID = np.where(RNG.random((2, K)) < 0.8, RNG.random((2, K)), np.nan)
PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=8, offered_size=4),
    "clicks": cl.ClickUsers(TASTES, pool_size=8),
    "logged": cl.LoggedPeople(RATED, SAID, pool_size=6),
    "yes or no": cl.YesNo(cl.LinearUsers(TASTES, pool_size=8), at=0.0, yes=1.0, no=-1.0),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_by_hand_and_compiled_are_the_same(name: str) -> None:
    results = assert_met_alike(agents(FastWidest()), PEOPLE[name], 40)
    plain = assert_met_alike(agents(Widest()), PEOPLE[name], 40)
    for agent in results.agents:
        for user in range(2):
            for one, other in zip(
                results.trace(agent, 0, user), plain.trace(agent, 0, user), strict=True
            ):
                assert np.array_equal(one, other)
        assert results.metric(agent, "repeated").max() > 0
    asked = results.trace("ridge", 0, 0)[1]
    assert (asked // K != asked % K).all()
    assert len(set(asked.tolist())) > 2


def test_a_pair_is_the_difference_of_two_terms() -> None:
    agent = agents(Widest())["ridge"]
    user = agent.new_user()
    question = agent.ask(user, offered=[2, 5])
    assert question is not None
    assert (question.kind, question.index, question.others) == ("pair", 2, (5,))
    assert question.ids == (CATALOG.term_ids[2], CATALOG.term_ids[5])
    x = CATALOG.terms[2] - CATALOG.terms[5]
    np.testing.assert_allclose(question.probe, x)
    agent.hear(user, question, 0.8)
    M = 0.15 * np.eye(5) + np.outer(x, x)
    np.testing.assert_allclose(user.theta, np.linalg.solve(M, 0.8 * x), rtol=1e-12)


def test_answers_to_pairs() -> None:
    place = PEOPLE["linear"].place(CATALOG, 0, 0, 1, 3)
    asked = question_about(CATALOG, "pair", (2, 5), 1, 1)
    exact = cl.LinearUsers(TASTES, term_noise=0.0, pool_size=8)
    expected = (CATALOG.terms[2] - CATALOG.terms[5]) @ TASTES[1]
    assert exact.answer(place, asked, 0) == pytest.approx(expected, abs=1e-12)
    clicks = cl.ClickUsers(TASTES, term_noise=0.0, pool_size=8)
    chances = 1 / (1 + np.exp(-CATALOG.terms[[2, 5]] @ TASTES[1]))
    assert clicks.answer(place, asked, 0) == pytest.approx(chances[0] - chances[1])
    logged = cl.LoggedPeople(RATED, SAID).answer(place, asked, 0)
    difference = SAID[1, 2] - SAID[1, 5]
    assert logged == (None if np.isnan(difference) else difference)


def test_an_open_pair_survives_save_and_load() -> None:
    agent = agents(Widest())["ridge"]
    user = agent.new_user(seed=3)
    question = agent.ask(user)
    arrays = user.to_arrays()
    twin = agent.load_user(arrays)
    assert twin.open == question
    assert question is not None
    assert twin.open is not None
    assert twin.open.ids == question.ids
    np.testing.assert_array_equal(twin.open.probe, question.probe)
    for each in (user, twin):
        agent.hear(each, question, 0.4)
    assert same_state(user.to_arrays(), twin.to_arrays())
    arrays["open"] = np.array([2, 4, 1, 1, 4])
    refused(lambda: agent.load_user(arrays), "[2, 4, 4]", cl.IncompatibleState)


@pytest.mark.parametrize(
    ("kind", "which", "sentence"),
    [
        ("pair", (1, 1), "different"),
        ("pair", (1,), "cannot be about [1]"),
        ("pair", (0, 1, 2), "cannot be about"),
        ("pair", (0, 3), "from 0 to 2, got 3"),
        ("pair", (0, -1), "got -1"),
        ("group", (1,), "cannot be about"),
        ("term", (0, 1), "cannot be about"),
        ("trio", (0, 1, 2), "'trio'"),
    ],
)
def test_what_cannot_be_asked(kind: Any, which: tuple[int, ...], sentence: str) -> None:
    refused(lambda: question_about(films(), kind, which, 1, 1), sentence, cl.InvalidInput)


def test_a_question_names_what_it_is_about() -> None:
    pair = question_about(films(), "pair", (0, 2), 4, 2)
    assert pair.ids == ("calm", 3)
    assert repr(pair) == "Question(kind='pair', index=0, number=4, round=2, others=(2,))"
    arm = question_about(films(), "arm", (3,), 1, 1)
    assert arm.ids == ("映画 🎬",)
    np.testing.assert_array_equal(arm.probe, films().arms[3])
    group = question_about(films(), "group", (0, 1, 2), 1, 1)
    np.testing.assert_allclose(group.probe, films().terms.mean(axis=0))


@cl.strategy_kernel
def twins(view: cl.View) -> int:
    return int(view.offered[1] * (view.terms.shape[0] + 1))


@cl.strategy_kernel
def beyond(view: cl.View) -> int:
    return int(view.terms.shape[0] ** 2 + 1)


class Twins(Widest):
    name = "twins"
    kernel = staticmethod(twins)


class PlainTwins(Widest):
    name = "plain-twins"

    def choose(self, view: cl.View) -> Any:
        return 3, 3


class Beyond(Widest):
    name = "beyond"
    kernel = staticmethod(beyond)


@pytest.mark.parametrize("strategy", [Twins, PlainTwins])
def test_a_pair_of_the_same_is_refused(strategy: Any) -> None:
    broken = agents(strategy())
    agent = broken["ridge"]
    refused(lambda: agent.ask(agent.new_user()), "a pair of the same", cl.StrategyError)
    people = PEOPLE["clicks"]
    refused(lambda: cl.simulate(broken, people, rounds=3), "a pair of the same", cl.StrategyError)


def test_a_pair_that_was_not_offered_is_refused() -> None:
    broken = agents(Beyond())
    agent = broken["ridge"]
    refused(lambda: agent.ask(agent.new_user()), "term 9", cl.StrategyError)
    refused(lambda: cl.simulate(broken, PEOPLE["clicks"], rounds=3), "term 9", cl.StrategyError)


def test_a_kind_must_be_known() -> None:
    odd = type("Odd", (Widest,), {"kind": "trio"})()
    refused(lambda: cl.conlinucb(CATALOG, strategy=odd), "'trio'", cl.InvalidInput)


def test_pairs_teach_what_terms_teach() -> None:
    """After all differences are known, so is the taste, up to what no difference shows."""
    people = cl.LinearUsers(TASTES, noise=0.0, term_noise=0.0, pool_size=8)
    agent = cl.conlinucb(CATALOG, strategy=Widest(), beta=1e-6, schedule=cl.Linear(5))
    found = meet(agent, people, 10).user.theta
    differences = CATALOG.terms[1:] - CATALOG.terms[0]
    np.testing.assert_allclose(differences @ found, differences @ TASTES[0], atol=1e-3)


@pytest.mark.parametrize("strategy", [Widest(), FastWidest()])
def test_of_one_offered_term_no_pair_is_asked_about(strategy: Any) -> None:
    agent = cl.conlinucb(CATALOG, strategy=strategy, schedule=cl.Every(1))
    user = agent.new_user()
    assert agent.ask(user, offered=[3]) is None
    assert agent.ask(user, offered=[3, 5]) is not None
    people = cl.LinearUsers(np.ones((2, CATALOG.d)), pool_size=5, offered_size=1)
    results = cl.simulate({"pairs": agent}, people, rounds=6)
    assert results.metric("pairs", "questions").max() == 0


@pytest.mark.parametrize("kernels", [len, cl.Kernels(len)])
def test_kernels_that_are_none_are_named(kernels: Any) -> None:
    class Odd(cl.Ridge):
        name = "odd"

    Odd.kernels = kernels
    with pytest.raises(cl.InvalidInput, match="estimator 'odd' must be"):
        cl.Agent(CATALOG, Odd(), schedule=cl.Never())
