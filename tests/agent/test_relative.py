"""What the answer to a pair teaches, beside direct sums; and people who compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import conlinucb as cl
from conlinucb import randomness
from conlinucb.agent.question import question_about
from conlinucb.agent.relative import PAIR_UPDATES, WORDS
from conlinucb.checks import check_people
from conlinucb.people import part_of
from conlinucb.randomness import derive, normal
from support.meetings import assert_met_alike
from support.pairs import InTurn, taught
from support.reference import OneStep, TwoSteps
from support.worlds import refused, refused_unchanged, small_catalog

K, D = 9, 5
CATALOG = small_catalog(arms=30, terms=K, d=D)
RNG = np.random.default_rng(8)
TASTES = RNG.normal(size=(2, D)) / 2
RATED = np.where(RNG.random((2, 30)) < 0.6, RNG.integers(0, 2, (2, 30)), np.nan)
SAID = np.array([[0, 1, 1, np.nan, 0, 1, 0, 1, np.nan], [1, 1, 0, 0, np.nan, 1, 0, 1, 0]])
ANSWERS: tuple[Any, ...] = (*WORDS, 0.7, -1.0, 0.0, (0.9, 0.2), (3.0, 3.0), None)


def agents_of(update: Any, **options: Any) -> dict[str, cl.Agent]:
    given = {"strategy": InTurn(), "pair_update": update, "schedule": cl.Linear(1.5), **options}
    return {"ridge": cl.conlinucb(CATALOG, **given), "two-step": cl.conucb(CATALOG, **given)}


@pytest.mark.parametrize("update", PAIR_UPDATES)
@pytest.mark.parametrize("estimate", ["ridge", "two-step"])
def test_every_answer_teaches_what_it_says(update: str, estimate: str) -> None:
    agent = agents_of(update, answer_weight=0.5, schedule=cl.Linear(len(ANSWERS)))[estimate]
    twin = OneStep(D, 0.15, 0.1) if estimate == "ridge" else TwoSteps(D, 0.5, 1.0, 0.25, 0.25)
    user = agent.new_user()
    for said in ANSWERS:
        question = agent.ask(user)
        assert question is not None
        agent.hear(user, question, said, weight=3.0)
        rows = CATALOG.terms[list(question.indices)]
        for x, y in taught(update, rows[0], rows[1], said):
            twin.learn_term(np.sqrt(1.5) * x, np.sqrt(1.5) * y)
        np.testing.assert_allclose(user.theta, twin.theta, rtol=1e-9, atol=1e-12)


def test_the_updates_differ() -> None:
    """So that the test before is about something."""
    found = []
    for update in PAIR_UPDATES:
        agent = agents_of(update)["ridge"]
        user = agent.new_user()
        question = agent.ask(user)
        assert question is not None
        agent.hear(user, question, "second")
        found.append(user.theta)
    assert len({each.round(6).tobytes() for each in found}) == 3


class Calibrated(cl.Gaussian):
    """Answers on scales of their own; those about key-term 3 tell nothing."""

    def __init__(self) -> None:
        super().__init__(np.zeros(D), np.eye(D), 0.5)
        rng = np.random.default_rng(1)
        weight = rng.uniform(0.2, 3.0, K)
        weight[3] = 0.0
        self.known = rng.normal(size=K), rng.uniform(0.5, 2.0, K), weight, np.ones(K)

    def answers(self, catalog: cl.Catalog) -> Any:
        return self.known


@pytest.mark.parametrize("update", ["winner", "both"])
def test_each_is_taken_on_its_own_scale(update: Any) -> None:
    prior = Calibrated()
    agent = agents_of(update, prior=prior, schedule=cl.Linear(40))["ridge"]
    user, words = agent.new_user(), list(WORDS)
    offset, slope, weight, _ = prior.known
    M, Y = 0.5 * np.eye(D), np.zeros(D)  # the noise is the unit
    met = set()
    for number in range(40):
        question = agent.ask(user)
        assert question is not None
        said = words[number % 4]
        agent.hear(user, question, said)
        rows = CATALOG.terms[list(question.indices)]
        for x, y in taught(update, rows[0], rows[1], said):
            k = question.indices[0] if np.array_equal(x, rows[0]) else question.indices[1]
            met.add(k)
            M += weight[k] * np.outer(x, x)
            Y += weight[k] * (y - offset[k]) / slope[k] * x
        np.testing.assert_allclose(user.theta, np.linalg.solve(M, Y), rtol=1e-8, atol=1e-9)
    assert 3 in met


@pytest.mark.parametrize("update", PAIR_UPDATES)
@pytest.mark.parametrize("estimate", ["ridge", "two-step"])
def test_the_parts_of_answers_add_up(update: str, estimate: str) -> None:
    agent = agents_of(update)[estimate]
    user, heard = agent.new_user(), []
    for t in range(30):
        while (question := agent.ask(user)) is not None:
            said = ANSWERS[(7 * t + question.number) % (len(ANSWERS) - 1)]
            agent.hear(user, question, said)
            heard.append((question, said))
        agent.recommend(user)
    found = agent.influence(user, 4)
    total = sum(found.of_answer(question, said) for question, said in heard)
    assert total == pytest.approx(CATALOG.arms[4] @ user.theta, abs=1e-10)


PEOPLE: dict[str, cl.People] = {
    "linear": cl.LinearUsers(TASTES, pool_size=8, offered_size=4),
    "clicks that compare": cl.Compares(cl.ClickUsers(TASTES, link="clip", pool_size=8)),
    "near": cl.Compares(cl.LinearUsers(TASTES, pool_size=8), near=0.2, liked=-0.1),
    "logged": cl.Compares(cl.LoggedPeople(RATED, SAID, pool_size=6)),
    "liars": cl.Refuses(
        cl.Lies(cl.Compares(cl.LinearUsers(TASTES, pool_size=8), near=0.3), 0.4), 0.3
    ),
    "yes": cl.YesNo(cl.Compares(cl.LinearUsers(TASTES, pool_size=8)), at=0.2),
    "a part": part_of(cl.Compares(cl.LinearUsers(TASTES, pool_size=8), near=0.2), [1]),
}


@pytest.mark.sliced
@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("update", PAIR_UPDATES)
def test_by_hand_and_compiled_are_the_same(update: str, name: str) -> None:
    results = assert_met_alike(agents_of(update), PEOPLE[name], 60)
    assert results.metric("ridge", "answered").max() > 20


@pytest.mark.parametrize("update", PAIR_UPDATES)
def test_the_loop_takes_each_on_its_own_scale(update: str) -> None:
    agents = {"calibrated": agents_of(update, prior=Calibrated())["ridge"]}
    assert_met_alike(agents, PEOPLE["near"], 60)


# People who compare


def test_each_of_two_is_seen_with_noise_of_its_own() -> None:
    people = cl.Compares(cl.ClickUsers(TASTES, link="clip", term_noise=0.1, pool_size=8))
    asked = question_about(CATALOG, "pair", (2, 5), 1, 1)
    values = CATALOG.terms[[2, 5]] @ TASTES[1]
    for t in range(1, 200):
        place = people.place(CATALOG, 0, 0, 1, t)
        stream = derive(place.at, randomness.COMPARED)
        for number in range(3):
            noises = [0.1 * normal(stream, 2 * number + each) for each in range(2)]
            first = values[0] + noises[0] > values[1] + noises[1]
            assert people.answer(place, asked, number) == ("first" if first else "second")


def test_the_better_one_wins_as_often_as_noise_lets_it() -> None:
    people = cl.Compares(cl.LinearUsers(TASTES, pool_size=8), noise=0.4)
    asked = question_about(CATALOG, "pair", (2, 5), 1, 1)
    places = [people.place(CATALOG, 0, 0, 1, t) for t in range(1, 4001)]
    share = np.mean([people.answer(place, asked, 0) == "first" for place in places])
    apart = (CATALOG.terms[2] - CATALOG.terms[5]) @ TASTES[1]
    assert share == pytest.approx(stats.norm.cdf(apart / (0.4 * np.sqrt(2))), abs=0.03)
    assert 0.1 < share < 0.9


def test_what_is_alike_is_both_or_neither() -> None:
    people = cl.Compares(cl.LoggedPeople(RATED, SAID, pool_size=6))
    place = people.place(CATALOG, 0, 0, 1, 1)
    words = {(1.0, 1.0): "both", (0.0, 0.0): "neither", (1.0, 0.0): "first", (0.0, 1.0): "second"}
    met = set()
    for i in range(K):
        for j in set(range(K)) - {i}:
            said = people.answer(place, question_about(CATALOG, "pair", (i, j), 1, 1), 0)
            assert said == words.get((SAID[1, i], SAID[1, j]))
            met.add(said)
    assert met == {*words.values(), None}


def test_other_questions_are_answered_as_before() -> None:
    inner = cl.LinearUsers(TASTES, pool_size=8)
    people = cl.Compares(inner)
    place = people.place(CATALOG, 0, 0, 1, 3)
    for kind in ("term", "arm"):
        asked = question_about(CATALOG, kind, (4,), 1, 1)
        assert people.answer(place, asked, 0) == inner.answer(place, asked, 0)


def test_lies_about_a_pair_are_the_opposite_word() -> None:
    opposite = {"first": "second", "second": "first", "both": "neither", "neither": "both"}
    honest = PEOPLE["near"]
    liars = cl.Lies(honest, 1.0)
    pairs = [question_about(CATALOG, "pair", (k, (k + 2) % K), 1, 1) for k in range(K)]
    met = set()
    for t in range(1, 20):
        place = honest.place(CATALOG, 0, 0, 1, t)
        for asked in pairs:
            said = honest.answer(place, asked, 0)
            assert liars.answer(place, asked, 0) == opposite[str(said)]
            met.add(said)
    assert met == set(opposite)


@pytest.mark.parametrize("name", ["clicks that compare", "near", "logged", "liars", "a part"])
def test_people_who_compare_conform(name: str) -> None:
    check_people(PEOPLE[name], CATALOG)


# Bad input


def test_an_unknown_update_is_refused() -> None:
    refused(lambda: agents_of("loser"), "'loser'", cl.InvalidInput)
    refused(lambda: agents_of(2), "2", cl.InvalidInput)


BAD: dict[str, tuple[Any, str]] = {
    "word": ("frist", "Did you mean 'first'?"),
    "three": ((1.0, 0.0, 1.0), "(1.0, 0.0, 1.0)"),
    "one": ((1.0,), "(1.0,)"),
    "nan": ((1.0, float("nan")), "nan"),
    "texts": (("a", "b"), "'a'"),
    "infinite": (float("inf"), "inf"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("update", PAIR_UPDATES)
def test_what_is_no_answer_is_refused(update: str, name: str) -> None:
    agent, (said, sentence) = agents_of(update)["ridge"], BAD[name]
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    call = lambda: agent.hear(user, question, said)  # noqa: E731
    refused_unchanged(user, call, sentence, cl.InvalidInput)


def test_a_word_answers_nothing_but_a_pair() -> None:
    agent = cl.conlinucb(CATALOG, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    assert question is not None
    for said, named in (("first", "'first'"), ((1.0, 0.0), "1.0, 0.0")):
        call = lambda said=said: agent.hear(user, question, said)  # noqa: E731
        refused_unchanged(user, call, named, cl.InvalidInput)


def test_who_cannot_compare_is_named() -> None:
    refused(lambda: cl.Compares(cl.YesNo(PEOPLE["linear"])), "LinearUsers", cl.InvalidInput)
    linear = PEOPLE["linear"]
    refused(lambda: cl.Compares(linear, noise=-1.0), "noise", cl.InvalidInput)
    refused(lambda: cl.Compares(linear, near=-0.1), "near", cl.InvalidInput)


# An agent as its parameters


def test_the_update_is_a_parameter() -> None:
    agent = agents_of("difference")["ridge"]
    other = agent.replace(pair_update="both")
    assert other != agent
    assert other.replace(pair_update="difference") == agent
    assert other.parameters()["pair_update"] == "both"
    assert "pair_update" not in agent.parameters()
    assert other.get_params()["pair_update"] == "both"
