"""Any agent from plain values: what ``conlinucb.agent.spec`` knows, and rounds of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conlinucb.agent import spec
from conlinucb.algorithms.conts import conts
from conlinucb.algorithms.duel import conduel
from conlinucb.algorithms.hier_linucb import hier_linucb
from conlinucb.algorithms.hierarchy import hcb, phcb
from conlinucb.catalog.catalog import Catalog
from conlinucb.simulation.own_rounds import AnyAgent

RECIPES: dict[str, Callable[..., AnyAgent]] = {
    **spec.RECIPES,
    **{each.__name__: each for each in (hcb, phcb, conduel, conts, hier_linucb)},
}
"""All recipes by name."""


def agent_of(
    given: Any, catalog: Catalog, where: str = "agent", *, strangers: bool = False
) -> AnyAgent:
    """The agent that a table of plain values describes: see ``conlinucb.agent.spec.agent_of``.

    >>> catalog = Catalog([[1.0, 0.0], [0.0, 1.0]]).with_tree()
    >>> agent_of({"recipe": "hcb", "alpha": 0.2}, catalog).parameters()["alpha"]
    0.2
    """
    agent: AnyAgent = spec.made_of(given, catalog, where, strangers, RECIPES)
    return agent
