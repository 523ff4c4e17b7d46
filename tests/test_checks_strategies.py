"""Broken strategies fail the check, each by the sentence that names what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.strategies.base import TermStrategy
from conlinucb.checks import check_strategy


class Nondeterministic:
    name = "dice"

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def choose(self, view: cl.View) -> int:
        return int(self.rng.choice(view.offered))


class CallOrderDependent:
    """Goes round the offered terms by how often it was called, by whomever."""

    name = "turnstile"

    def __init__(self) -> None:
        self.calls = 0

    def choose(self, view: cl.View) -> int:
        self.calls += 1
        return int(view.offered[self.calls % view.offered.size])


class ForgetsToLookAtOffered:
    name = "first-term"

    def choose(self, view: cl.View) -> int:
        return 0


class ChangesTheBelief:
    name = "meddler"

    def choose(self, view: cl.View) -> int:
        view.cov[0, 0] *= 0.5
        return int(view.offered[0])


class ChangesTheTerms:
    name = "eraser"

    def choose(self, view: cl.View) -> int:
        view.terms[:] = 0.0
        return int(view.offered[0])


class ChangesTheOffer:
    name = "shrinker"

    def choose(self, view: cl.View) -> int:
        view.offered[:] = view.offered[0]
        return int(view.offered[0])


@pytest.mark.parametrize(
    "broken",
    [Nondeterministic, CallOrderDependent, ChangesTheBelief, ChangesTheTerms, ChangesTheOffer],
)
def test_broken_strategies_fail_the_check(broken: Callable[[], Any]) -> None:
    with pytest.raises(AssertionError, match=broken().name):
        check_strategy(broken())


def test_a_strategy_that_ignores_what_is_offered_fails_the_check() -> None:
    with pytest.raises((AssertionError, cl.StrategyError), match="first-term"):
        check_strategy(ForgetsToLookAtOffered())


class ForgetsAfterLoading:
    """Knows people by their seed and counts how often it met them: lost by save and load."""

    name = "acquaintance"

    def __init__(self) -> None:
        self.met: dict[int, int] = {}

    def choose(self, view: cl.View) -> int:
        known = self.met[int(view.seed)] = self.met.get(int(view.seed), 0) + 1
        return int(view.offered[known % view.offered.size])


class Fails:
    name = "stumbler"

    def choose(self, view: cl.View) -> int:
        raise RuntimeError("no idea")


class WritesToTheCatalogue(TermStrategy):
    name = "vandal"

    def prepare(self, catalog: cl.Catalog) -> Any:
        self.catalog = catalog
        return np.empty(0)

    def choose(self, view: cl.View) -> int:
        self.catalog._terms[:] *= 0.5
        return int(view.offered[0])


@cl.strategy_kernel
def spoils_bounds(view: cl.View) -> int:
    """Lowers bounds below the radii, and trusts them."""
    for k in view.offered:
        if view.bounds[k] == np.inf:
            view.bounds[k] = 1.0 / (k + 1)
        else:
            return int(k)
    return int(view.offered[-1])


class SpoilsBounds(TermStrategy):
    name = "spoils-bounds"
    kernel = staticmethod(spoils_bounds)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (ForgetsAfterLoading, "acquaintance chose .* and then .* from the same view"),
        (Fails, "stumbler.*no idea"),
        (WritesToTheCatalogue, "vandal changed the catalogue"),
        (Nondeterministic, "dice chose .* from the same view"),
        (ForgetsToLookAtOffered, "first-term.* chose term 0 .* not among the 10 offered"),
        (SpoilsBounds, "spoils-bounds: compiled and by hand are not the same"),
    ],
)
def test_the_sentence_says_what_is_wrong(broken: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_strategy(broken())


# Pairs


class Pairs(TermStrategy):
    """The first and the last of what is offered."""

    name = "ends"
    kind = "pair"

    def choose(self, view: cl.View) -> Any:
        return int(view.offered[0]), int(view.offered[-1])


class PairOfTheSame(Pairs):
    name = "twins"

    def choose(self, view: cl.View) -> Any:
        return int(view.offered[0]), int(view.offered[0])


class PairNotOffered(Pairs):
    name = "elsewhere"

    def choose(self, view: cl.View) -> Any:
        return int(view.offered[0]), (int(view.offered[0]) + 1) % len(view.terms)


class PairThatChanges(Pairs):
    name = "fickle"

    def __init__(self) -> None:
        self.calls = 0

    def choose(self, view: cl.View) -> Any:
        self.calls += 1
        return int(view.offered[0]), int(view.offered[1 + self.calls % 3])


class OneOfAPair(Pairs):
    name = "single"

    def choose(self, view: cl.View) -> Any:
        return (int(view.offered[0]),)


@cl.strategy_kernel
def ends(view: cl.View) -> int:
    return int(view.offered[0] * view.terms.shape[0] + view.offered[-1])


class FastPairs(Pairs):
    name = "fast-ends"
    kernel = staticmethod(ends)


@cl.strategy_kernel
def same_twice(view: cl.View) -> int:
    return int(view.offered[0] * (view.terms.shape[0] + 1))


class FastPairOfTheSame(Pairs):
    name = "fast-twins"
    kernel = staticmethod(same_twice)


@pytest.mark.parametrize("pairs", [Pairs, FastPairs])
def test_a_strategy_of_pairs_conforms(pairs: Callable[[], Any]) -> None:
    check_strategy(pairs())


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (PairOfTheSame, "'twins' chose a pair of the same"),
        (FastPairOfTheSame, "'fast-twins' chose a pair of the same"),
        (PairNotOffered, "'elsewhere' chose term .* not among"),
        (PairThatChanges, "fickle chose .* and then .* from the same view"),
        (OneOfAPair, "'single' failed"),
    ],
)
def test_broken_pairs_fail_the_check(broken: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_strategy(broken())
