"""The public names, their docstrings, and the conformance checks that ship with the package."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import conlinucb as cl
from conlinucb import checks
from conlinucb.agent import estimators
from conlinucb.agent.estimators import ArmScores, Estimator
from conlinucb.agent.estimators.base import Ledger
from conlinucb.checks import check_estimator, check_strategy
from support.worlds import small_catalog

PUBLIC = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "Comparison",
    "ConlinucbError",
    "Draw",
    "Every",
    "IncompatibleState",
    "InvalidInput",
    "Linear",
    "LinearUsers",
    "Logarithmic",
    "MissingExtra",
    "Never",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Results",
    "Ridge",
    "Spanner",
    "StrategyError",
    "TheoryAlpha",
    "TwoStep",
    "UnknownName",
    "User",
    "View",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conlinucb",
    "conucb",
    "datasets",
    "linucb",
    "simulate",
    "strategy_kernel",
    "theory",
]


def test_public_names_are_pinned() -> None:
    assert sorted(cl.__all__) == sorted(PUBLIC)
    assert len(set(cl.__all__)) == len(cl.__all__)
    for name in cl.__all__:
        assert hasattr(cl, name)


def test_strategies_are_pinned() -> None:
    assert set(cl.STRATEGIES) == {
        "spanner",
        "max-radius",
        "ucb",
        "random",
        "optimal-greedy",
        "related-confidence",
        "related-reduction",
    }
    assert all(each.name == name for name, each in cl.STRATEGIES.items())


def test_every_error_is_in_the_tree() -> None:
    errors = [getattr(cl, name) for name in PUBLIC if inspect.isclass(getattr(cl, name))]
    errors = [each for each in errors if issubclass(each, Exception)]
    warnings = [each for each in errors if issubclass(each, Warning)]
    assert warnings == [cl.RankWarning]
    assert all(issubclass(each, cl.ConlinucbError) for each in errors if each not in warnings)
    assert issubclass(cl.InvalidInput, ValueError)
    assert issubclass(cl.UnknownName, LookupError)


# Docstrings


def members(owner: Any) -> Iterator[tuple[str, Any]]:
    """Public functions, methods and properties that the class or module itself defines."""
    module = owner.__name__ if inspect.ismodule(owner) else owner.__module__
    for name, member in vars(owner).items():
        inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        function = inspect.isfunction(inner) and inner.__module__ == module
        if not name.startswith("_") and (function or isinstance(inner, property)):
            yield name, inner


def documented_things() -> dict[str, Any]:
    things: dict[str, Any] = {"conlinucb": cl, "conlinucb.checks": checks}
    owners: list[tuple[str, Any]] = [("checks", checks)]
    for name in PUBLIC:
        thing = getattr(cl, name)
        if inspect.isclass(thing) or inspect.ismodule(thing) or callable(thing):
            things[name] = thing
        if inspect.isclass(thing) or inspect.ismodule(thing):
            owners.append((name, thing))
    things |= {f"STRATEGIES[{name!r}]": each for name, each in cl.STRATEGIES.items()}
    return things | {
        f"{name}.{n}": member for name, owner in owners for n, member in members(owner)
    }


THINGS = documented_things()


def test_enough_is_looked_at() -> None:
    assert {"Agent.ask", "Catalog.load", "Catalog.arms", "theory.alpha", "simulate"} <= set(THINGS)


@pytest.mark.parametrize("name", sorted(THINGS))
def test_everything_public_has_a_docstring(name: str) -> None:
    owner, _, method = name.partition(".")
    found = THINGS[name].__doc__
    if owner in ("Ridge", "TwoStep") and method:  # documented once, in the protocol
        found = found or getattr(estimators.Estimator, method).__doc__
    assert found
    assert found.strip()
    assert not found.startswith(f"{name}(")  # what a dataclass or NamedTuple writes by itself


# The package's own strategies and estimators conform


@pytest.mark.parametrize("name", sorted(cl.STRATEGIES))
def test_strategies_conform(name: str) -> None:
    check_strategy(name)
    check_strategy(cl.STRATEGIES[name]())


ESTIMATORS: list[Estimator] = [
    cl.Ridge(),
    cl.Ridge(beta=0.15, alpha=0.1),
    cl.Ridge(beta=30.0, alpha=cl.TheoryAlpha(delta=0.05)),
    cl.TwoStep(),
    cl.TwoStep(mix=0.1, term_beta=3.0),
    cl.TwoStep(mix=0.9, term_beta=0.1, alpha=cl.TheoryAlpha(), term_alpha=cl.TheoryAlpha()),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_estimators_conform(estimator: Estimator) -> None:
    check_estimator(estimator)


# Broken strategies do not


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


# Broken estimators do not


class GrowingRadius(cl.Ridge):
    def learn_arm(self, state: Ledger, x: Any, reward: float) -> None:
        super().learn_arm(state, x, reward)
        state.P[:] *= 1.5


class OrderDependent(cl.Ridge):
    def learn_arm(self, state: Ledger, x: Any, reward: float) -> None:
        super().learn_arm(state, x, reward)
        state.theta[:] *= 0.95


class SharedState(cl.Ridge):
    def __init__(self) -> None:
        super().__init__()
        self.only: dict[int, Ledger] = {}

    def new_state(self, d: int) -> Ledger:
        return self.only.setdefault(d, super().new_state(d))


class ScoringTeaches(cl.Ridge):
    def score_arms(self, state: Ledger, rows: Any, t: int, questions: int) -> ArmScores:
        state.theta[:] *= 0.95
        return super().score_arms(state, rows, t, questions)


class NotFinite(cl.Ridge):
    def score_arms(self, state: Ledger, rows: Any, t: int, questions: int) -> ArmScores:
        found = super().score_arms(state, rows, t, questions)
        return found._replace(scores=found.scores * np.nan)


class RemembersOutsideTheState(cl.Ridge):
    """Weighs feedback by how much this very object has seen: lost by save and load."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, int] = {}

    def learn_arm(self, state: Ledger, x: Any, reward: float) -> None:
        self.seen[id(state)] = self.seen.get(id(state), 0) + 1
        super().learn_arm(state, x, reward * (1 + len(self.seen)))


BROKEN_ESTIMATORS: dict[Callable[[], Estimator], str] = {
    GrowingRadius: "a radius grew",
    OrderDependent: "order of feedback",
    SharedState: "reached another",
    ScoringTeaches: "order of feedback",
    NotFinite: "not finite",
    RemembersOutsideTheState: "order of feedback|save and load",
}


@pytest.mark.parametrize("broken", list(BROKEN_ESTIMATORS))
def test_broken_estimators_fail_the_check(broken: Callable[[], Estimator]) -> None:
    with pytest.raises(AssertionError, match=BROKEN_ESTIMATORS[broken]):
        check_estimator(broken())


# A stranger's strategy


class LeastDecided:
    """The term about which the estimate is nearest to 0; nothing but a name and a choice."""

    name = "least-decided"

    def choose(self, view: cl.View) -> int:
        means = view.terms[view.offered] @ view.theta
        return int(view.offered[np.argmin(np.abs(means))])


@cl.strategy_kernel
def least_decided(view: cl.View) -> int:
    best, at = np.inf, 0
    for i in range(view.offered.shape[0]):
        mean = abs(np.sum(view.terms[view.offered[i]] * view.theta))
        if mean < best:
            best, at = mean, i
    return int(view.offered[at])


class LeastDecidedFast:
    name = "least-decided-fast"
    kernel = staticmethod(least_decided)


def conversation(agent: cl.Agent, rounds: int = 25) -> list[tuple[int, int]]:
    rng = np.random.default_rng(6)
    taste = rng.normal(size=agent.catalog.d)
    user, log = agent.new_user(), []
    for _ in range(rounds):
        offered = rng.choice(len(agent.catalog.term_ids), size=5, replace=False)
        question = agent.ask(user, offered=offered)
        assert question is not None
        agent.hear(user, question, float(agent.catalog.terms[question.index] @ taste))
        arm = int(agent.recommend(user).arms[0])
        agent.learn(user, arm, float(agent.catalog.arms[arm] @ taste))
        log.append((question.index, arm))
    return log


STRANGERS: list[Callable[[], Any]] = [LeastDecided, LeastDecidedFast]


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_strangers_strategy_conforms(stranger: Callable[[], Any]) -> None:
    check_strategy(stranger())


@pytest.mark.parametrize("recipe", [cl.conlinucb, cl.conucb])
def test_a_plain_and_a_compiled_strategy_choose_the_same(recipe: Callable[..., cl.Agent]) -> None:
    catalog = small_catalog(arms=30, terms=15, d=4)
    logs = [
        conversation(recipe(catalog, strategy=each(), schedule=cl.Every(1))) for each in STRANGERS
    ]
    assert logs[0] == logs[1]
    assert len({term for term, _ in logs[0]}) > 5


def test_a_strangers_strategy_is_named_in_the_parameters() -> None:
    agent = cl.conlinucb(small_catalog(), strategy=LeastDecided())
    assert agent.parameters()["strategy"] == "least-decided"
