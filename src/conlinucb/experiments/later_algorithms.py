"""Algorithms that came later, by name: how each is made, and its constants where it is run first.

A new one is a line of ``LATER`` and a name in an item of ``later``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.agent.graph_recipes import graph_conlinucb, graph_conucb
from conlinucb.agent.priors import Gaussian
from conlinucb.agent.recipes import B, conlinucb, conucb, linucb, logistic, relative_conucb
from conlinucb.agent.rewards import Sometimes, Uncertain
from conlinucb.agent.schedule import WhenWorth, WhereThin
from conlinucb.agent.sharing import Clusters, KMeans
from conlinucb.agent.strategies.growing import Growing
from conlinucb.algorithms.conts import conts
from conlinucb.algorithms.duel import conduel
from conlinucb.algorithms.hier_linucb import hier_linucb
from conlinucb.algorithms.hierarchy import hcb, phcb
from conlinucb.catalog.catalog import Catalog
from conlinucb.simulation.own_rounds import AnyAgent

Make = Callable[..., AnyAgent]
NOISE = 0.1
"""The sd of a reward in the experiments: what a question is worth depends on it."""


@dataclass(frozen=True, kw_only=True)
class Later:
    """One algorithm: a recipe, the constants it is run with, and whose those are."""

    after: str
    """The work it is, or is after."""
    make: Make
    """From a catalogue, keywords ``schedule`` and ``rounds``, and the constants."""
    constants: dict[str, float]
    """By name; these are what ``fair`` searches."""
    theirs: str
    """What of it is its authors', and what ours."""


def _on(recipe: Make, **fixed: Any) -> Make:
    """The recipe with fixed options; how long it runs does not matter to it."""

    def make(catalog: Catalog, *, schedule: B, rounds: int, **constants: float) -> AnyAgent:
        return recipe(catalog, schedule=schedule, **fixed, **constants)

    return make


def _alone(recipe: Make) -> Make:
    """A recipe that asks when it wants to, or never."""

    def make(catalog: Catalog, *, schedule: B, rounds: int, **constants: float) -> AnyAgent:
        return recipe(catalog, **constants)

    return make


def _shared(recipe: Make) -> Make:
    """A recipe whose people share, clustered as far apart as ``a`` lets them be."""

    def make(catalog: Catalog, *, a: float, **given: Any) -> AnyAgent:
        return recipe(catalog, sharing=Clusters(a=a), **given)

    return make


def _growing(recipe: Make, by: str) -> Make:
    def make(catalog: Catalog, *, schedule: B, rounds: int, **constants: float) -> AnyAgent:
        strategy = Growing(rounds=rounds, by=by)
        return recipe(catalog, strategy=strategy, schedule=schedule, **constants)

    return make


def _worth(catalog: Catalog, *, beta: float, alpha: float, cost: float) -> AnyAgent:
    """MCR's ridge as a belief with the noise that rewards have, so that gains are rewards."""
    square = NOISE**2
    prior = Gaussian(np.zeros(catalog.d), square / beta * np.eye(catalog.d), noise=square)
    schedule = WhenWorth(cost, most=5)
    return conlinucb(
        catalog, strategy="valuable", prior=prior, alpha=alpha / NOISE, schedule=schedule
    )


def _thin(strategy: str) -> Make:
    def make(catalog: Catalog, *, c: float, **constants: Any) -> AnyAgent:
        schedule = WhereThin(c, every="doubling", most=20)
        return conlinucb(catalog, strategy=strategy, schedule=schedule, **constants)

    return _alone(make)


_TWO = {"alpha": 0.25, "term_alpha": 0.25, "mix": 0.5, "term_beta": 1.0}
_ONE = {"alpha": 0.1, "beta": 0.15}
_BASE = {"alpha": 0.5, "beta": 1.0}
_RELATIVE = "RelativeConUCB (Xie et al., SIGIR 2021)"
_GROWING = "CtoF-ConUCB (Wu et al., CIKM 2021)"
_GRAPH = "GraphConUCB (Zhao et al., WWW 2022)"
_HIERARCHY = "Song et al., WSDM 2022"
_CLISK = "CLiSK, CLiME (Liu et al., KDD 2025)"
_CODE = "theirs: rule and constants, as their code has them"
_TREES = "theirs: rule and constants; ours: a tree by Ward, and pools, where theirs has all items"
_MCRS = "ours: crossed with ConLinUCB, with MCR's constants"

LATER: dict[str, Later] = {
    **{
        f"Relative-{update}": Later(
            after=_RELATIVE,
            make=_on(relative_conucb, pair_update=update),
            constants=_TWO,
            theirs=_CODE,
        )
        for update in ("difference", "winner", "both")
    },
    "MCR of pairs": Later(
        after=_RELATIVE,
        make=_on(conlinucb, strategy="max-radius-pairs"),
        constants=_ONE,
        theirs=_MCRS,
    ),
    "CtoF-ConUCB": Later(
        after=_GROWING,
        make=_growing(conucb, "optimal-greedy"),
        constants=_TWO,
        theirs="theirs: how groups grow, constants, delta 1; ours: at most 100 groups, of all "
        "items, not of the tenth with the best index",
    ),
    "CtoF-MCR": Later(
        after=_GROWING, make=_growing(conlinucb, "max-radius"), constants=_ONE, theirs=_MCRS
    ),
    "LinUCB, people shared": Later(
        after=_GROWING,
        make=_alone(_shared(linucb)),
        constants={**_BASE, "a": 1.0},
        theirs="theirs: splits, merges and phases by what is believed; ours: a 1, and that how "
        "often people come is not compared",
    ),
    "MCR, people shared": Later(
        after=_GROWING,
        make=_on(_shared(conlinucb), strategy="max-radius"),
        constants={**_ONE, "a": 1.0},
        theirs=_MCRS,
    ),
    "MCR, 10 groups by k-means": Later(
        after=_GROWING,
        make=_on(conlinucb, strategy="max-radius", sharing=KMeans(10)),
        constants=_ONE,
        theirs="theirs: k-means over estimates every 50 rounds; ours: one estimate, where it "
        "starts, 10",
    ),
    "GraphConUCB": Later(
        after=_GRAPH,
        make=_on(graph_conucb),
        constants=_TWO,
        theirs="after the abstract and a third party's code",
    ),
    "Graph-MCR": Later(
        after=_GRAPH, make=_on(graph_conlinucb), constants=_ONE, theirs=_MCRS
    ),
    "HCB": Later(
        after=f"HCB ({_HIERARCHY})", make=_alone(hcb), constants=_BASE, theirs=_TREES
    ),
    "pHCB": Later(
        after=f"pHCB ({_HIERARCHY})", make=_alone(phcb), constants=_BASE, theirs=_TREES
    ),
    "Hier-LinUCB": Later(
        after="Hier-LinUCB (Zuo et al., CIKM 2022)",
        make=_alone(hier_linucb),
        constants={**_BASE, "kappa": 0.1},
        theirs="theirs: the switch; ours: who stands for a key-term, kappa 0.1",
    ),
    **{
        f"MCR, {name} of a fifth": Later(
            after="rewards on a budget (Letard et al. 2020, 2022)",
            make=_on(conlinucb, strategy="max-radius", rewards=rewards),
            constants=_ONE,
            theirs="ours, in their spirit: no more was to be had",
        )
        for name, rewards in (("drawn", Sometimes(0.2)), ("uncertain", Uncertain(0.2)))
    },
    "Smoothed": Later(
        after=_CLISK,
        make=_on(conlinucb, strategy="smoothed"),
        constants=_ONE,
        theirs="after a summary of CLiSK; constants ours, MCR's",
    ),
    "Thin": Later(
        after=_CLISK,
        make=_thin("thinnest"),
        constants={**_ONE, "c": 0.01},
        theirs="after the abstract (CLiME); constants ours",
    ),
    "Smoothed where thin": Later(
        after=_CLISK,
        make=_thin("smoothed"),
        constants={**_ONE, "c": 0.01},
        theirs="after the abstract (CLiSK-ME); constants ours",
    ),
    "While worth": Later(
        after="EVOI (Li et al., WWW 2025)",
        make=_alone(_worth),
        constants={**_ONE, "cost": 0.01},
        theirs="after the abstract; criterion and constants ours",
    ),
    "Valuable": Later(
        after="EVOI (Li et al., WWW 2025)",
        make=_on(conlinucb, strategy="valuable"),
        constants=_ONE,
        theirs="ours: its question, asked as often as MCR asks",
    ),
    "ConTS": Later(
        after="ConTS (Li et al., TOIS 2021)",
        make=_alone(conts),
        constants={"alpha": 0.5, "beta": 1.0},
        theirs="theirs: rule and turns; ours: a ridge, key-terms as long as items",
    ),
    "MCR, Thompson": Later(
        after="ConTS (Li et al., TOIS 2021)",
        make=_on(conlinucb, strategy="max-radius", select="thompson"),
        constants=_ONE,
        theirs=_MCRS,
    ),
    "ConDuel": Later(
        after="ConDuel (Yang et al., KDD 2024)",
        make=_on(conduel),
        constants={"alpha": 1.0, "beta": 10.0},
        theirs="theirs: duels, candidates, lambda 10; ours: alpha 1",
    ),
    "Logistic-MCR": Later(
        after="logistic bandits, crossed with ConLinUCB",
        make=_on(logistic, strategy="max-radius"),
        constants={"alpha": 0.5, "beta": 1.0},
        theirs="ours",
    ),
}  # fmt: skip
