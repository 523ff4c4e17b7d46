"""What all checks need: a small world, and the same run by hand and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from conlinucb.catalog.catalog import Catalog
from conlinucb.people import People
from conlinucb.people.answer_changes import Wrapped
from conlinucb.simulation.own_rounds import AnyAgent
from conlinucb.simulation.simulate import simulate

CLOSE: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-8}


def require(holds: Any, otherwise: str) -> None:
    """``assert`` that python -O does not take away."""
    if not holds:
        raise AssertionError(otherwise)


def small_catalog(arms: int = 40, terms: int = 20, d: int = 6) -> Catalog:
    """Arms in all directions; every key-term has some."""
    rng = np.random.default_rng(11)
    weights = sparse.random_array((arms, terms), density=0.15, rng=rng).toarray()
    weights[rng.integers(arms, size=terms), np.arange(terms)] += 1.0
    return Catalog(rng.normal(size=(arms, d)), weights)


def require_same_run(
    name: str, agents: Mapping[str, AnyAgent], people: People, rounds: int
) -> None:
    """Whether the compiled rounds and those by hand make the same of these."""
    loop, hand = (
        simulate(agents, each, rounds=rounds, seed=3, trace=True)
        for each in (people, ByHand(people))
    )
    for agent in agents:
        for user in range(len(people)):
            traces = zip(loop.trace(agent, 0, user), hand.trace(agent, 0, user), strict=True)
            for what, (one, other) in zip(("arms", "questions"), traces, strict=True):
                require(
                    np.array_equal(one, other),
                    f"{name}: compiled and by hand are not the same, in the {what} of user {user} "
                    f"under {agent}: {one.tolist()} and {other.tolist()}.",
                )
        for what in ("regret", "reward", "answered", "error"):
            require(
                np.allclose(loop.metric(agent, what), hand.metric(agent, what), equal_nan=True),
                f"{name}: compiled and by hand are not the same, in the {what} under {agent}.",
            )


class ByHand(Wrapped):
    """The same people, whom the compiled loop cannot meet."""

    def parameters(self) -> dict[str, Any]:
        """Of the inner people."""
        return self.people.parameters()
