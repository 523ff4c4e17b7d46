"""Broken estimators fail the check, each by the sentence that names what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb.agent.estimators import ArmScores, Estimator, Widths, empty
from conlinucb.agent.estimators.kernels import SCORE, belief_score
from conlinucb.agent.estimators.ridge import learn as ridge_learn
from conlinucb.checks import check_estimator
from conlinucb.numerics.compile import kernel


class GrowingRadius(cl.Ridge):
    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        super().learn_arm(state, x, value, weight)
        state.P[:] *= 1.5


class OrderDependent(cl.Ridge):
    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        super().learn_arm(state, x, value, weight)
        state.theta[:] *= 0.95


class SharedState(cl.Ridge):
    def __init__(self) -> None:
        super().__init__()
        self.only: dict[int, cl.State] = {}

    def new_state(self, d: int) -> cl.State:
        return self.only.setdefault(d, super().new_state(d))


class ScoringTeaches(cl.Ridge):
    def score_arms(self, state: cl.State, rows: Any, t: int, questions: int) -> ArmScores:
        state.theta[:] *= 0.95
        return super().score_arms(state, rows, t, questions)


class NotFinite(cl.Ridge):
    def score_arms(self, state: cl.State, rows: Any, t: int, questions: int) -> ArmScores:
        found = super().score_arms(state, rows, t, questions)
        return found._replace(scores=found.scores * np.nan)


class RemembersOutsideTheState(cl.Ridge):
    """Weighs feedback by how much this very object has seen: lost by save and load."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, int] = {}

    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        self.seen[id(state)] = self.seen.get(id(state), 0) + 1
        super().learn_arm(state, x, value * (1 + len(self.seen)), weight)


class NoNewState(Estimator):
    name = "none"


class NewStateOfLists(cl.Ridge):
    def new_state(self, d: int) -> Any:
        return [0.0] * d


class NewStateOfAnotherSize(cl.Ridge):
    def new_state(self, d: int) -> cl.State:
        return super().new_state(d + 1)


class NewStateInSinglePrecision(cl.Ridge):
    def new_state(self, d: int) -> Any:
        state = super().new_state(d)
        return state._replace(numbers=state.numbers.astype(np.float32))


class NewStateNotFinite(cl.Ridge):
    def new_state(self, d: int) -> cl.State:
        state = super().new_state(d)
        state.vectors[1, 0] = np.nan
        return state


class NewStateWithoutDoubt(Estimator):
    """P = 0: everything is known already."""

    def new_state(self, d: int) -> cl.State:
        return empty(d)


class LearnsNothing(cl.Ridge):
    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        pass


class LearnsTheOpposite(cl.Ridge):
    def learn_term(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        super().learn_term(state, x, -value, weight)


class ExploringTeaches(cl.Ridge):
    def explore(self, state: cl.State, rows: Any, width: Any) -> Any:
        state.numbers[0] += 1.0
        return super().explore(state, rows, width)


class ExploresBeyondItsBound(cl.Ridge):
    def explore(self, state: cl.State, rows: Any, width: Any) -> Any:
        radii, extras = super().explore(state, rows, width)
        return radii, 2 * extras


class BoundTooSmall(cl.TwoStep):
    def widths(self, t: Any, questions: Any, d: int) -> Widths:
        found = super().widths(t, questions, d)
        return found._replace(bound=found.bound * 0.5)


class FactorsOfAnother(cl.Ridge):
    def factors(self, state: cl.State, t: int, questions: int) -> Any:
        return [
            each._replace(width=2 * each.width) for each in super().factors(state, t, questions)
        ]


class CannotBeLoaded(cl.Ridge):
    def check_state(self, state: cl.State) -> None:
        raise cl.IncompatibleState("never")


class LosesANumber(cl.Ridge):
    layout = tuple(each for each in cl.Ridge.layout if each.name != "targets")


@cl.learn_kernel
def other_learn(
    state: Any, constants: Any, source: int, x: Any, value: float, weight: float, scratch: Any
) -> int:
    return ridge_learn(state, constants, source, x, value, weight * 1.01, scratch)


class CompiledLearnsOtherwise(cl.Ridge):
    kernels = cl.Kernels(other_learn)

    def learn_arm(self, state: cl.State, x: Any, value: float, weight: float = 1.0) -> None:
        ridge_learn(state, self.constants(), 0, x, value, weight, np.empty_like(x))


@kernel(SCORE, pointer=True)
def crowded_score(
    state: Any, width: Any, arms: Any, which: Any, n: int, radii: Any, extras: Any, scratch: Any
) -> None:
    belief_score(state, width, arms, which, n, radii, extras, scratch)
    for i in range(n):
        extras[i] *= 1.0 if n <= 4 else (i + 1.0) / n


class CountsItsNeighbours(cl.Ridge):
    """The loop looks at a few arms at a time."""

    kernels = cl.Ridge.kernels._replace(score=crowded_score)


@cl.learn_kernel
def quiet_growth(
    state: Any, constants: Any, source: int, x: Any, value: float, weight: float, scratch: Any
) -> int:
    state.matrices[0] *= 1.3
    return ridge_learn(state, constants, source, x, value, weight, scratch)


class GrowsWithoutAWord(cl.Ridge):
    kernels = cl.Kernels(quiet_growth)


@kernel(SCORE, pointer=True)
def doubled_score(
    state: Any, width: Any, arms: Any, which: Any, n: int, radii: Any, extras: Any, scratch: Any
) -> None:
    belief_score(state, width, arms, which, n, radii, extras, scratch)
    for i in range(n):
        extras[i] *= 2.0


class ScoresBeyondItsBound(cl.Ridge):
    kernels = cl.Ridge.kernels._replace(score=doubled_score)


BROKEN_ESTIMATORS: list[tuple[Callable[[], Estimator], str]] = [
    (NoNewState, "new_state fails"),
    (NewStateOfLists, "new_state must return a State"),
    (NewStateOfAnotherSize, "new_state must hold matrices"),
    (NewStateInSinglePrecision, "new_state must hold contiguous float64"),
    (NewStateNotFinite, "new_state holds a number that is not finite"),
    (NewStateWithoutDoubt, r"new_state: matrices\[0\] is not positive definite"),
    (LearnsNothing, "learning is not lasting: nothing changed"),
    (LearnsTheOpposite, "learning is not lasting: after answers of 1"),
    (GrowingRadius, "a radius grew"),
    (GrowsWithoutAWord, "a radius grew"),
    (OrderDependent, "order of feedback"),
    (SharedState, "reached another"),
    (ScoringTeaches, "scoring changes the state"),
    (ExploringTeaches, "scoring changes the state"),
    (NotFinite, "not finite"),
    (ExploresBeyondItsBound, "exploration is larger than"),
    (ScoresBeyondItsBound, "exploration is larger than"),
    (BoundTooSmall, "exploration is larger than"),
    (FactorsOfAnother, "factors are not those of the exploration"),
    (RemembersOutsideTheState, "order of feedback|save and load"),
    (CannotBeLoaded, "save and load fail"),
    (LosesANumber, "save and load lose something"),
    (CompiledLearnsOtherwise, "the compiled learn is not the same as learning by hand"),
    (CountsItsNeighbours, "compiled and by hand are not the same"),
]


@pytest.mark.parametrize(("broken", "sentence"), BROKEN_ESTIMATORS)
def test_broken_estimators_fail_the_check(broken: Callable[[], Estimator], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_estimator(broken())


@cl.learn_kernel
def forgetful(
    state: Any, constants: Any, source: int, x: Any, value: float, weight: float, scratch: Any
) -> int:
    state.matrices[0] *= 1.001
    ridge_learn(state, constants, source, x, value, weight, scratch)
    return 1


class Forgetful(cl.Ridge):
    """What was learned long ago counts less."""

    kernels = cl.Kernels(forgetful)


def test_radii_may_grow_where_learning_says_so() -> None:
    """A check that goes on to what it then finds: theta depends on the order."""
    with pytest.raises(AssertionError, match="order of feedback"):
        check_estimator(Forgetful())
