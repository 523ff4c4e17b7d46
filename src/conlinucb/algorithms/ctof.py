"""Growing clusters (Wu et al., CIKM 2021): ConUCB and ConLinUCB ask about ever finer groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conlinucb.agent.agent import Agent
from conlinucb.agent.recipes import EXPERIMENTS, conlinucb, conucb
from conlinucb.agent.strategies.growing import Growing
from conlinucb.agent.strategies.max_radius import MaxRadius
from conlinucb.agent.strategies.optimal_greedy import OptimalGreedy
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog

B = Callable[[int], float]


def ctof_conucb(
    catalog: Catalog,
    *,
    rounds: int = 1000,
    delta: float = 1.0,
    most: int = 100,
    schedule: B = EXPERIMENTS,
    **options: Any,
) -> Agent:
    """ConUCB that asks about groups of arms, made from features, ever more of them.

    In round t there are min(floor(N log2(1 + ``delta`` (t - 1) / ``rounds``)) + 1, N, ``most``).
    The agent is on ``agent.catalog``: the same arms, the groups as key-terms. ``options`` are those
    of ``conucb``.

    >>> import numpy as np, conlinucb as cl
    >>> items = cl.Catalog(np.random.default_rng(0).normal(size=(60, 3)))
    >>> agent = cl.ctof_conucb(items, rounds=100, most=12)
    >>> [agent.strategy.groups(t, arms=60) for t in (2, 7, 19, 54)]
    [1, 6, 12, 12]
    """
    strategy = Growing(delta=delta, rounds=rounds, most=most, by=OptimalGreedy.name)
    made = strategy.catalogue(checked_catalog(catalog), schedule)
    return conucb(made, strategy=strategy, schedule=schedule, **options)


def ctof_conlinucb(
    catalog: Catalog,
    *,
    rounds: int = 1000,
    delta: float = 1.0,
    most: int = 100,
    by: str = MaxRadius.name,
    schedule: B = EXPERIMENTS,
    **options: Any,
) -> Agent:
    """The same on ConLinUCB's one matrix; the group is chosen ``by`` "max-radius" (the default) or
    "optimal-greedy". ``options`` are those of ``conlinucb``.

    >>> import numpy as np, conlinucb as cl
    >>> agent = cl.ctof_conlinucb(cl.Catalog(np.eye(4)), rounds=10, schedule=cl.Every(1))
    >>> agent.ask(agent.new_user()).index
    0
    """
    strategy = Growing(delta=delta, rounds=rounds, most=most, by=by)
    made = strategy.catalogue(checked_catalog(catalog), schedule)
    return conlinucb(made, strategy=strategy, schedule=schedule, **options)
