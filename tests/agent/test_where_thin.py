"""Questions where M is thin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.gates.thin import is_above
from conlinucb.agent.priors import Answers, plain_answers
from conlinucb.agent.strategies.thinnest import basis_of, thin_directions, within
from support.matrices import positive_definite
from support.worlds import refused


@pytest.mark.parametrize("d", [1, 2, 7, 30])
def test_whether_an_eigenvalue_is_above(d: int) -> None:
    rng = np.random.default_rng(d)
    for scale in (1e-6, 1.0, 1e6):
        P = scale * positive_definite(rng, d)
        largest = float(np.linalg.eigvalsh(P)[-1])
        for share in (1e-3, 0.5, 0.999999, 1.000001, 1.5, 40.0):
            assert is_above(P, share * largest) == (share < 1)


def test_directions_do_not_depend_on_a_basis() -> None:
    """Of several least eigenvalues all count, in whatever basis they come."""
    rng = np.random.default_rng(0)
    turned, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    P = turned @ np.diag([3.0, 3.0 * (1 - 1e-9), 2.0, 1.0, 0.5]) @ turned.T
    found = thin_directions((P + P.T) / 2, np.empty(0))
    np.testing.assert_allclose(found.T @ found, turned[:, :2] @ turned[:, :2].T, atol=1e-6)


def flat_catalog() -> cl.Catalog:
    """Key-terms that tell nothing of the last of three features."""
    arms = [[1.0, 0.0, 0.3], [0.0, 1.0, 0.4], [1.0, 0.0, -0.3], [0.0, 1.0, -0.4], [0.0, 0.0, 1.0]]
    weights = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    return cl.Catalog(arms, weights)


def test_what_no_question_can_tell_of_does_not_count() -> None:
    catalog = flat_catalog()
    basis = basis_of(catalog).reshape(2, 3)
    np.testing.assert_allclose(basis @ basis.T, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(basis[:, 2], 0.0, atol=1e-12)
    P = np.diag([1.0, 2.0, 50.0])
    assert np.linalg.eigvalsh(within(P, basis.ravel()))[-1] == pytest.approx(2.0)
    np.testing.assert_allclose(np.abs(thin_directions(P, basis.ravel())), [[0, 1, 0]], atol=1e-12)
    agent = cl.conlinucb(catalog, strategy="thinnest", beta=1.0, schedule=cl.WhereThin(2.0, most=9))
    user, asked = agent.new_user(), []
    while (question := agent.ask(user)) is not None:
        asked.append(question.index)
        agent.hear(user, question, 0.5)
    assert asked == [0, 1]  # each once lifts its eigenvalue from 1 to 2, and 2 is not below 2


class Quiet(cl.Gaussian):
    """Little is known along the first feature, and the first key-term is answered by chance."""

    def __init__(self, chance: float) -> None:
        super().__init__(np.zeros(2), np.diag([9.0, 1.0]), 1.0)
        self.chance = chance

    def answers(self, catalog: cl.Catalog) -> Answers:
        return plain_answers(2)._replace(chance=np.array([self.chance, 1.0]))


@pytest.mark.parametrize(("chance", "wanted"), [(1.0, 0), (0.7, 0), (0.6, 1), (0.0, 1)])
def test_a_term_that_is_rarely_answered_lifts_less(chance: float, wanted: int) -> None:
    """(0.8, 0.6) has 0.64 of the square of (1, 0) along the first feature."""
    catalog = cl.Catalog([[1.0, 0.0], [0.8, 0.6]], np.eye(2))
    agent = cl.conlinucb(catalog, strategy="thinnest", prior=Quiet(chance), schedule=cl.Linear(1))
    question = agent.ask(agent.new_user())
    assert question is not None
    assert question.index == wanted


@pytest.mark.parametrize("every", [1, 3, "doubling"])
def test_checks(every: int | str) -> None:
    schedule = cl.WhereThin(1e9, every=every, most=2)  # always thin
    agent = cl.conlinucb(flat_catalog(), strategy="thinnest", schedule=schedule)
    user, rounds = agent.new_user(), []
    for t in range(1, 20):
        count = 0
        while (question := agent.ask(user)) is not None:
            agent.hear(user, question, 0.1)
            count += 1
        assert count in (0, 2)
        rounds += [t] * bool(count)
        agent.recommend(user)
    wanted = {1: list(range(1, 20)), 3: [3, 6, 9, 12, 15, 18], "doubling": [1, 2, 4, 8, 16]}
    assert rounds == wanted[every]


BAD: dict[str, Callable[[], Any]] = {
    "c must": lambda: cl.WhereThin(0.0),
    "every": lambda: cl.WhereThin(0.1, every=0),
    "sometimes": lambda: cl.WhereThin(0.1, every="sometimes"),
    "most": lambda: cl.WhereThin(0.1, most=-1),
    "about arms": lambda: cl.arm_con(flat_catalog(), schedule=cl.WhereThin(0.1)),
}


@pytest.mark.parametrize("named", BAD)
def test_bad_input_is_refused(named: str) -> None:
    refused(BAD[named], named, cl.InvalidInput)
