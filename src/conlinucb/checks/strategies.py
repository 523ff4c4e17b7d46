"""Whether a strategy can be relied on."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import Ridge, TwoStep
from conlinucb.agent.schedule import Linear
from conlinucb.agent.strategies import strategy_of
from conlinucb.agent.user import User
from conlinucb.checks.common import require, require_same_run, small_catalog
from conlinucb.errors import StrategyError
from conlinucb.numerics.validation import Indices
from conlinucb.people import LinearUsers


def check_strategy(strategy: Any, *, rounds: int = 30) -> None:
    """Check a strategy, by name or as an object, on both estimators.

    It must choose offered terms only (of a pair or group different ones), choose the same from
    the same view, change nothing it is shown, go on after save and load, and choose the same in
    the compiled loop, if it has a kernel.
    """
    ready = strategy_of(strategy)
    for estimator in (Ridge(beta=0.5, alpha=0.3), TwoStep(mix=0.3, term_beta=0.5)):
        agent = Agent(small_catalog(), estimator, strategy=ready, schedule=Linear(2))
        try:
            _check_conversation(agent, rounds)
            _check_compiled(agent, rounds)
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
    name, kind = agent.chooser.name, agent.chooser.kind
    before = first.to_arrays()
    shown = _shown(agent)
    asked = agent.ask(first, pool, offered)
    require(shown == _shown(agent), f"{name} changed the catalogue it was shown.")
    twin = agent.ask(again, pool, offered)
    require(asked is not None, f"{name} was not asked, though a question is due.")
    assert asked is not None
    require(asked.kind == kind, f"{name} must ask about a {kind}, asked about {asked}.")
    strange = offered is not None and not np.isin(asked.indices, offered).all()
    require(not strange, f"{name} chose {asked}, not offered.")
    require(asked == twin, f"{name} chose {asked} and then {twin} from the same view.")
    after = first.to_arrays()
    for key in (key for key in before if key.startswith("state_")):
        require(np.array_equal(before[key], after[key]), f"{name} changed the user's {key}.")


def _shown(agent: Agent) -> list[bytes]:
    catalog = agent.catalog
    arrays = (catalog._arms, catalog._terms, catalog._live_arms, catalog._live_terms)
    return [each.tobytes() for each in (*arrays, *catalog._graph)]


def _play_round(
    agent: Agent, users: tuple[User, ...], pool: Indices, offered: Indices | None
) -> None:
    for user in users:
        while (question := agent.ask(user, pool, offered)) is not None:
            picked = [k for k in question.indices if k % 3 == 0][: 1 + (question.pick == "any") * 9]
            group = question.kind == "group"
            agent.hear(user, question, picked if group else float(question.index % 3) / 2)
        arm = int(agent.recommend(user, pool).arms[0])
        agent.learn(user, arm, float(arm % 2))


def _draw(agent: Agent, t: int) -> tuple[Indices, Indices | None]:
    assert agent.chooser is not None
    rng = np.random.default_rng(t)
    pool = rng.choice(len(agent.catalog), size=12, replace=False)
    every = len(agent.catalog.term_ids)
    vary = not agent.chooser.fixed_terms and t % 2
    return pool, rng.choice(every, size=every // 2, replace=False) if vary else None


def _check_compiled(agent: Agent, rounds: int) -> None:
    """The loop shows a strategy the radii it found earlier, and wider rows."""
    assert agent.chooser is not None
    if agent.chooser.kernel is not None:
        tastes = np.random.default_rng(2).normal(size=(2, agent.catalog.d))
        size = None if agent.chooser.fixed_terms else 10
        people = LinearUsers(tastes, pool_size=12, offered_size=size)
        name = agent.chooser.name
        require_same_run(name, {agent.estimator.name: agent}, people, rounds)
