"""Broken priors fail the check, each by the sentence that names what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.priors import Answers, Start, plain_answers
from conlinucb.checks import check_prior
from support.matrices import positive_definite
from support.worlds import small_catalog

D, K = 4, 7
CATALOG = small_catalog(arms=25, terms=K, d=D)


class Own:
    """A prior that holds all that is asked of one; each below spoils one thing."""

    noise: Any = 0.5

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.precision, self.mean = positive_definite(rng, D), rng.normal(size=D)

    def start(self, d: int) -> Any:
        if d != D:
            raise cl.InvalidInput(f"This prior is for {D} features, not {d}.")
        return Start(self.precision.copy(), self.precision @ self.mean)

    def digest(self) -> dict[str, Any]:
        return {"prior": "own"}

    def answers(self, catalog: cl.Catalog) -> Any:
        rng = np.random.default_rng(len(catalog.term_ids))
        return Answers(rng.normal(size=K), rng.random(K) + 0.1, rng.random(K), rng.random(K))


class NoNoise(Own):
    noise = -1.0


class AnotherShape(Own):
    def start(self, d: int) -> Any:
        return Start(np.eye(d), np.zeros(d + 1))


class NotFinite(Own):
    def start(self, d: int) -> Any:
        return Start(np.eye(d), np.full(d, np.nan))


class OneSided(Own):
    def start(self, d: int) -> Any:
        return Start(np.eye(d) + np.eye(d, k=1), np.zeros(d))


class Indefinite(Own):
    def start(self, d: int) -> Any:
        return Start(np.diag(np.linspace(-1.0, 1.0, d)), np.zeros(d))


class GivesItselfAway(Own):
    def start(self, d: int) -> Any:
        return Start(self.precision, np.zeros(d))


class AnyFeatures(Own):
    def start(self, d: int) -> Any:
        return Start(self.precision.copy(), self.precision @ self.mean)


class Unstorable(Own):
    def digest(self) -> dict[str, Any]:
        return {"prior": self.precision}


class Restless(Own):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def digest(self) -> dict[str, Any]:
        self.calls += 1
        return {"prior": self.calls}


class FlatAnswers(Own):
    def answers(self, catalog: cl.Catalog) -> Any:
        return plain_answers(K)._replace(slope=np.zeros(K))


class FewAnswers(Own):
    def answers(self, catalog: cl.Catalog) -> Any:
        return plain_answers(K - 1)


class MoodyAnswers(Own):
    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)

    def answers(self, catalog: cl.Catalog) -> Any:
        return plain_answers(K)._replace(offset=self.rng.normal(size=K))


BROKEN: list[tuple[Callable[[], Any], str]] = [
    (NoNoise, "noise must be a positive number"),
    (AnotherShape, r"must give a precision \(4, 4\) and a moment"),
    (NotFinite, "not finite"),
    (OneSided, "not symmetric"),
    (Indefinite, "not positive definite"),
    (GivesItselfAway, "can be written to"),
    (AnyFeatures, "must be refused"),
    (Unstorable, "cannot be stored as JSON"),
    (Restless, "digest.. is not the same every time"),
    (FlatAnswers, "slope"),
    (FewAnswers, "one for each key-term"),
    (MoodyAnswers, "answers.catalog. are not the same every time"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN)
def test_broken_priors_fail(broken: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_prior(broken(), CATALOG)


@pytest.mark.parametrize(
    "prior",
    [Own(), cl.Isotropic(0.2), cl.Gaussian(np.ones(D), 0.1 * np.eye(D), 0.04)],
    ids=["own", "isotropic", "gaussian"],
)
def test_sound_priors_pass(prior: Any) -> None:
    check_prior(prior, CATALOG)
