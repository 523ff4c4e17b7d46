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
from conlinucb.agent.estimators import Estimator
from conlinucb.checks import check_estimator, check_strategy
from support.worlds import small_catalog

PUBLIC = [
    "STRATEGIES",
    "Advice",
    "Agent",
    "Catalog",
    "Choice",
    "ClickUsers",
    "Clusters",
    "Compares",
    "Comparison",
    "Comparisons",
    "ConlinucbError",
    "Design",
    "Crowd",
    "Draw",
    "Drifts",
    "EpsilonGreedy",
    "Estimate",
    "Estimator",
    "Evaluation",
    "Every",
    "FirstRounds",
    "Gaussian",
    "Groups",
    "Growing",
    "Halving",
    "Happened",
    "IncompatibleState",
    "InvalidInput",
    "Isotropic",
    "KMeans",
    "Kernels",
    "Lies",
    "Linear",
    "LinearUsers",
    "Log",
    "Logarithmic",
    "LoggedPeople",
    "Logistic",
    "Logit",
    "MissingExtra",
    "Never",
    "Opinions",
    "OwnRounds",
    "People",
    "Picked",
    "Place",
    "Population",
    "Question",
    "QuestionClosed",
    "RankWarning",
    "Recommended",
    "Refuses",
    "Results",
    "Ridge",
    "Round",
    "Sharing",
    "Sometimes",
    "Space",
    "Spanner",
    "State",
    "StrategyError",
    "Summary",
    "SyntheticLog",
    "Table",
    "TheoryAlpha",
    "Thompson",
    "Tuned",
    "TwoStep",
    "Uncertain",
    "Uniform",
    "UnknownName",
    "User",
    "View",
    "WhenWorth",
    "WhereThin",
    "Whole",
    "WorthLearning",
    "YesNo",
    "__version__",
    "arm_con",
    "barycentric_spanner",
    "conduel",
    "conlinucb",
    "conts",
    "conucb",
    "ctof_conlinucb",
    "ctof_conucb",
    "datasets",
    "evaluate",
    "graph_conlinucb",
    "graph_conucb",
    "hcb",
    "hier_linucb",
    "learn_kernel",
    "for_newcomers",
    "linucb",
    "logistic",
    "optimal_design",
    "phcb",
    "play_round",
    "read_export",
    "relative_conucb",
    "rewards_kernel",
    "simulate",
    "strategy_kernel",
    "synthetic_log",
    "theory",
    "tune",
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
        "informative",
        "valuable",
        "thinnest",
        "smoothed",
        "design",
        "log-det",
        "pick-any",
        "best-of",
        "relative-greedy",
        "relative-difference",
        "max-radius-pairs",
        "informative-pairs",
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
    things |= {f"checks.{name}": getattr(checks, name) for name in checks.__all__}
    owners: list[tuple[str, Any]] = []
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
    wanted = {"checks.check_people", "checks.check_prior", "checks.check_storage"}
    assert wanted <= set(THINGS)
    assert {"Agent.ask", "Catalog.load", "Catalog.arms", "theory.alpha", "simulate"} <= set(THINGS)


@pytest.mark.parametrize("name", sorted(THINGS))
def test_everything_public_has_a_docstring(name: str) -> None:
    owner, _, method = name.partition(".")
    found = THINGS[name].__doc__
    if owner in ("Logistic", "Ridge", "TwoStep") and method:  # documented once, in the protocol
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
    cl.Logistic(),
    cl.Logistic(beta=0.15, alpha=2.0, range=(1.0, 5.0)),
    cl.TwoStep(),
    cl.TwoStep(mix=0.1, term_beta=3.0),
    cl.TwoStep(mix=0.9, term_beta=0.1, alpha=cl.TheoryAlpha(), term_alpha=cl.TheoryAlpha()),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_estimators_conform(estimator: Estimator) -> None:
    check_estimator(estimator)


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
