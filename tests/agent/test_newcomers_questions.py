"""What a question is worth, answers nobody asked for, and a questionnaire for everybody."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.priors import Answers, plain_answers
from support.lines import expected_maximum
from support.matrices import positive_definite
from support.reference import first_of_the_best
from support.worlds import refused, same_state, small_catalog

D, K = 4, 9
CATALOG = small_catalog(arms=30, terms=K, d=D)
RNG = np.random.default_rng(4)
MEAN, COV, NOISE = RNG.normal(size=D), positive_definite(RNG, D) / 3, 0.2


class Known(cl.Gaussian):
    """A prior with uneven answers."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(MEAN, COV, NOISE)
        rng = np.random.default_rng(1)
        self.known = plain_answers(K)._replace(
            weight=rng.uniform(0.1, 2.0, K), chance=rng.uniform(0.2, 1.0, K), **changes
        )

    def answers(self, catalog: cl.Catalog) -> Answers:
        return self.known


def worth(prior: Known, mean: Any, cov: Any, arms: Any, terms: Any) -> float:
    """The best term's expected gain, in reward units throughout."""
    X = CATALOG.arms[arms]
    gains = []
    for k in terms:
        x = CATALOG.terms[k]
        variance = prior.noise / prior.known.weight[k]
        moves = X @ cov @ x / np.sqrt(variance + x @ cov @ x)
        gain = expected_maximum(X @ mean, moves) - (X @ mean).max()
        gains.append(prior.known.chance[k] * gain)
    return float(np.max(gains))


@pytest.mark.parametrize("strategy", ["valuable", "max-radius"])
def test_a_value_is_the_best_expected_gain(strategy: str) -> None:
    prior = Known()
    agent = cl.conlinucb(CATALOG, prior=prior, strategy=strategy)
    user, broad = agent.new_user(), np.flatnonzero((CATALOG.weights > 0).sum(axis=0) > 1)
    found = agent.value(user)
    assert found == pytest.approx(worth(prior, MEAN, COV, np.arange(30), broad), rel=1e-9)
    few = broad[:2]
    found = agent.value(user, pool=[3, 8, 9], offered=few)
    assert found == pytest.approx(worth(prior, MEAN, COV, [3, 8, 9], few), rel=1e-9)
    agent.learn(user, 3, 0.5)
    x = CATALOG.arms[3]
    seen = COV @ x / (NOISE + x @ COV @ x)
    mean, cov = MEAN + seen * (0.5 - x @ MEAN), COV - np.outer(seen, COV @ x)
    assert agent.value(user) == pytest.approx(worth(prior, mean, cov, np.arange(30), broad))
    before = user.to_arrays()
    agent.value(user)
    assert same_state(before, user.to_arrays())


def test_a_value_on_two_levels_is_what_theta_moves_by() -> None:
    """ConUCB: an answer moves theta by (1 - mix) M^-1 times theta~'s move."""
    agent = cl.conucb(CATALOG, mix=0.3, term_beta=0.7, strategy="valuable")
    user = agent.new_user()
    agent.learn(user, 2, 1.0)
    X, terms = np.asarray(CATALOG.arms), np.asarray(CATALOG.terms)
    P = np.linalg.inv(0.7 * np.eye(D) + 0.3 * np.outer(X[2], X[2]))
    gains = []
    for k in np.flatnonzero((CATALOG.weights > 0).sum(axis=0) > 1):
        moves = 0.7 * X @ P @ terms[k] / 0.7 / np.sqrt(1 + terms[k] @ terms[k] / 0.7)
        gains.append(expected_maximum(X @ user.theta, moves) - (X @ user.theta).max())
    assert agent.value(user) == pytest.approx(max(gains), rel=1e-9)


def test_nothing_to_ask_is_worth_nothing() -> None:
    silent = Known()
    silent.known = silent.known._replace(chance=np.zeros(K))
    agent = cl.conlinucb(CATALOG, prior=silent)
    assert agent.value(agent.new_user()) == 0.0
    linucb = cl.linucb(cl.Catalog(np.eye(2), np.zeros((2, 0))))
    assert linucb.value(linucb.new_user()) == 0.0


def test_a_volunteered_answer_is_learned_like_one_asked_for() -> None:
    agent = cl.conlinucb(CATALOG, prior=Known(offset=np.full(K, 0.2)), schedule=cl.Every(1))
    asked, told = agent.new_user(), agent.new_user()
    question = agent.ask(asked)
    assert question is not None
    agent.hear(asked, question, 0.9, weight=1.5)
    agent.volunteer(told, question.index, 0.9, weight=1.5)
    assert np.array_equal(asked.theta, told.theta)
    assert told.times == asked.times == {question.index: 1}
    assert (told.questions, told.open, told.rounds) == (0, None, 0)
    assert agent.questions_due(told) == 1


def test_volunteering_leaves_an_open_question_open() -> None:
    agent = cl.conlinucb(CATALOG, schedule=cl.Every(1))
    user = agent.new_user()
    question = agent.ask(user)
    agent.volunteer(user, 3, 1.0)
    assert user.open == question
    assert agent.ask(user) == question


@pytest.mark.parametrize("strategy", ["informative", "valuable"])
def test_what_was_told_is_not_asked(strategy: str) -> None:
    agent = cl.conlinucb(CATALOG, prior=Known(), strategy=strategy, schedule=cl.Linear(1))
    first = agent.ask(agent.new_user())
    assert first is not None
    user = agent.new_user()
    agent.volunteer(user, first.index, 0.5, weight=1e-6)
    other = agent.ask(user)
    assert other is not None
    assert other.index != first.index


BAD: dict[str, Any] = {
    "term": lambda agent, user: agent.volunteer(user, K, 1.0),
    "answer": lambda agent, user: agent.volunteer(user, 0, np.nan),
    "weight": lambda agent, user: agent.volunteer(user, 0, 1.0, weight=0.0),
    "user": lambda agent, user: agent.volunteer(None, 0, 1.0),
    "n ": lambda agent, user: agent.questionnaire(-1),
    "alike": lambda agent, user: agent.questionnaire(3, alike=2.0),
    "least": lambda agent, user: agent.questionnaire(3, least=-1),
    "offered": lambda agent, user: agent.questionnaire(3, offered=[]),
    "pool": lambda agent, user: agent.value(user, pool=[99]),
}


@pytest.mark.parametrize("named", BAD)
def test_bad_input_is_refused(named: str) -> None:
    agent = cl.conlinucb(CATALOG)
    user = agent.new_user()
    before = user.to_arrays()
    refused(lambda: BAD[named](agent, user), named.strip(), cl.InvalidInput)
    assert same_state(before, user.to_arrays())


def greedy(prior: Known, n: int, left: list[int]) -> list[int]:
    """By total variance of all arms, with a posterior solved anew for each candidate."""
    X, terms = np.asarray(CATALOG.arms), np.asarray(CATALOG.terms)
    chosen: list[int] = []

    def after(asked: list[int]) -> float:
        precision = np.linalg.inv(COV)
        for k in asked:
            precision = precision + np.outer(terms[k], terms[k]) * prior.known.weight[k] / NOISE
        return float(np.einsum("nd,dn->n", X, np.linalg.solve(precision, X.T)).mean())

    while len(chosen) < n and left:
        now = after(chosen)
        drops = [prior.known.chance[k] * (now - after([*chosen, k])) for k in left]
        chosen.append(left.pop(first_of_the_best(np.sqrt(drops) / np.sqrt(NOISE))))
    return chosen


@pytest.mark.parametrize("n", [0, 1, 5, 50])
def test_a_questionnaire_is_greedy(n: int) -> None:
    prior = Known()
    agent = cl.conlinucb(CATALOG, prior=prior)
    broad = np.flatnonzero((CATALOG.weights > 0).sum(axis=0) > 1).tolist()
    assert agent.questionnaire(n, alike=None) == greedy(prior, n, broad)
    assert agent.questionnaire(n, [1, 5, 2], least=0, alike=None) == greedy(prior, n, [1, 2, 5])


def test_a_questionnaire_leaves_out_twins_and_the_silent() -> None:
    arms = np.random.default_rng(0).normal(size=(6, 3))
    weights = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [1, 1, 0, 1], [0, 0.1, 1, 0], [0, 0, 1, 1],
                        [0, 0, 0, 1]], dtype=float)  # fmt: skip
    catalog = cl.Catalog(arms, weights)

    class Silent(cl.Gaussian):
        def answers(self, catalog: cl.Catalog) -> Answers:
            return plain_answers(4)._replace(chance=np.array([1.0, 1.0, 1.0, 0.0]))

    agent = cl.conlinucb(catalog, prior=Silent(np.zeros(3), np.eye(3)))
    both, one = agent.questionnaire(4, alike=None), agent.questionnaire(4)
    assert sorted(both) == [0, 1, 2]
    assert len(one) == 2
    assert 2 in one
    smaller = agent.on(catalog.remove_arms([0, 2]))
    assert set(smaller.questionnaire(4)) <= {1, 2}
