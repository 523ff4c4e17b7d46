"""Conformance checks for strategies and estimators, yours included.

Each function raises ``AssertionError`` with a sentence that says what does not hold, and
returns nothing when all is well. Run them in your own tests:

>>> from conlinucb.checks import check_strategy
>>> check_strategy("max-radius")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import Estimator, Ridge, TwoStep
from conlinucb.agent.schedule import Linear
from conlinucb.agent.strategies import strategy_of
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import StrategyError
from conlinucb.numerics.validation import Indices


def check_strategy(strategy: Any, *, rounds: int = 30) -> None:
    """Check a strategy, by name or as an object, on both estimators.

    It must choose offered terms only, choose the same from the same view, change nothing it
    is shown, and go on after save and load.
    """
    ready = strategy_of(strategy)
    for estimator in (Ridge(beta=0.5, alpha=0.3), TwoStep(mix=0.3, term_beta=0.5)):
        agent = Agent(_catalog(), estimator, strategy=ready, schedule=Linear(2))
        try:
            _check_conversation(agent, rounds)
        except StrategyError as error:
            raise AssertionError(str(error)) from error


def _check_conversation(agent: Agent, rounds: int) -> None:
    first, again = agent.new_user(seed=7), agent.new_user(seed=7)
    for t in range(rounds):
        again = agent.load_user(again.to_arrays())
        pool, offered = _draw(agent, t)
        _same_question(agent, first, again, pool, offered)
        _play_round(agent, (first, again), pool, offered)


def _same_question(
    agent: Agent, first: User, again: User, pool: Indices, offered: Indices | None
) -> None:
    """Ask two equal users the same."""
    assert agent.chooser is not None
    name = agent.chooser.name
    before = first.to_arrays()
    shown = _shown(agent)
    asked = agent.ask(first, pool, offered)
    _require(shown == _shown(agent), f"{name} changed the catalogue it was shown.")
    twin = agent.ask(again, pool, offered)
    _require(asked is not None, f"{name} was not asked, though a question is due.")
    assert asked is not None
    _require(asked.kind == "term", f"{name} must ask about a term, asked about {asked}.")
    _require(offered is None or asked.index in offered, f"{name} chose {asked}, not offered.")
    _require(asked == twin, f"{name} chose {asked} and then {twin} from the same view.")
    after = first.to_arrays()
    for key in (key for key in before if key.startswith("state_")):
        _require(np.array_equal(before[key], after[key]), f"{name} changed the user's {key}.")


def _shown(agent: Agent) -> list[bytes]:
    catalog = agent.catalog
    arrays = (catalog._arms, catalog._terms, catalog._live_arms, catalog._live_terms)
    return [each.tobytes() for each in (*arrays, *catalog._graph)]


def _play_round(
    agent: Agent, users: tuple[User, ...], pool: Indices, offered: Indices | None
) -> None:
    for user in users:
        while (question := agent.ask(user, pool, offered)) is not None:
            agent.hear(user, question, float(question.index % 3) / 2)
        arm = int(agent.recommend(user, pool).arms[0])
        agent.learn(user, arm, float(arm % 2))


def _draw(agent: Agent, t: int) -> tuple[Indices, Indices | None]:
    assert agent.chooser is not None
    rng = np.random.default_rng(t)
    pool = rng.choice(len(agent.catalog), size=12, replace=False)
    every = len(agent.catalog.term_ids)
    vary = not agent.chooser.fixed_terms and t % 2
    return pool, rng.choice(every, size=every // 2, replace=False) if vary else None


def _catalog(arms: int = 40, terms: int = 20, d: int = 6) -> Catalog:
    rng = np.random.default_rng(11)
    weights = sparse.random_array((arms, terms), density=0.15, rng=rng).toarray()
    weights[rng.integers(arms, size=terms), np.arange(terms)] += 1.0
    return Catalog(rng.normal(size=(arms, d)), weights)


def check_estimator(estimator: Estimator, *, d: int = 5, updates: int = 200) -> None:
    """Check an estimator: what it learns must be lasting, fair to order, and ever more certain.

    Radii never grow, the order of feedback does not matter, scoring changes nothing, states are
    independent of one another, and a state survives ``to_arrays`` and ``load_user``.
    """
    rng = np.random.default_rng(5)
    rows, values = rng.normal(size=(updates, d)), rng.normal(size=updates)
    states = [estimator.new_state(d) for _ in range(3)]
    seen = estimator.score_arms(states[0], rows, 1, 0).radii
    for i in range(updates):
        _teacher(estimator, i)(states[0], rows[i], values[i])
        now = estimator.score_arms(states[0], rows, 1, 0)
        _require(np.isfinite(now.scores).all(), f"{estimator} gives a score that is not finite.")
        _require((now.radii <= seen + 1e-9).all(), f"{estimator}: a radius grew at update {i}.")
        seen = now.radii
    for i in rng.permutation(updates):
        _teacher(estimator, int(i))(states[1], rows[i], values[i])
    _require(
        np.allclose(states[0].theta, states[1].theta, rtol=1e-8, atol=1e-8),
        f"{estimator}: theta depends on the order of feedback.",
    )
    _require(not states[2].theta.any(), f"{estimator}: one user's feedback reached another.")
    _check_saved(estimator, states[0], d)


def _teacher(estimator: Estimator, i: int) -> Callable[..., None]:
    return estimator.learn_term if i % 3 == 0 else estimator.learn_arm


def _check_saved(estimator: Estimator, state: Any, d: int) -> None:
    agent = Agent(_catalog(d=d), estimator, strategy="max-radius", schedule=Linear(1))
    user = agent.new_user()
    for mine, learned in zip(user.state, state, strict=True):
        mine[...] = learned
    twin = agent.load_user(user.to_arrays())
    for one in (user, twin):
        agent.learn(one, 0, 1.0)
    _require(np.array_equal(user.theta, twin.theta), f"{estimator}: save and load lose something.")


def _require(holds: Any, otherwise: str) -> None:
    """``assert`` that python -O does not take away."""
    if not holds:
        raise AssertionError(otherwise)
