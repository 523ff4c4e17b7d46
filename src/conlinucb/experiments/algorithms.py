"""Every algorithm of the experiments by name, and the constants the authors ran it with."""

from __future__ import annotations

from typing import Any, NamedTuple

from conlinucb.agent.agent import Agent
from conlinucb.agent.alpha import TheoryAlpha
from conlinucb.agent.recipes import B, arm_con, conlinucb, conucb, linucb
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import UnknownName, nearest
from conlinucb.experiments.later_algorithms import LATER
from conlinucb.simulation.own_rounds import AnyAgent

Parameters = dict[str, Any]


class Algorithm(NamedTuple):
    """How an algorithm is put together."""

    two_step: bool
    """ConUCB's estimate in two steps, or one ridge estimate."""
    asks: str | None
    """The strategy that chooses key-terms, "arm", or None for no questions."""
    prior: bool = False
    """Whether it starts from a population of others; it has no constants then."""

    @property
    def fixed_terms(self) -> bool:
        """Whether it needs the same key-terms in every round."""
        return self.asks == "spanner"


ALGORITHMS: dict[str, Algorithm] = {
    "LinUCB": Algorithm(two_step=False, asks=None),
    "Arm-Con": Algorithm(two_step=False, asks="arm"),
    "ConUCB-spanner": Algorithm(two_step=True, asks="spanner"),
    "ConUCB-max-radius": Algorithm(two_step=True, asks="max-radius"),
    "ConUCB-ucb": Algorithm(two_step=True, asks="ucb"),
    "ConUCB-random": Algorithm(two_step=True, asks="random"),
    "ConUCB": Algorithm(two_step=True, asks="optimal-greedy"),
    "ConUCB-related-confidence": Algorithm(two_step=True, asks="related-confidence"),
    "ConUCB-related-reduction": Algorithm(two_step=True, asks="related-reduction"),
    "BS": Algorithm(two_step=False, asks="spanner"),
    "MCR": Algorithm(two_step=False, asks="max-radius"),
    "UCB": Algorithm(two_step=False, asks="ucb"),
    "ConLinUCB-random": Algorithm(two_step=False, asks="random"),
    "ConLinUCB-optimal-greedy": Algorithm(two_step=False, asks="optimal-greedy"),
    "ConLinUCB-related-confidence": Algorithm(two_step=False, asks="related-confidence"),
    "ConLinUCB-related-reduction": Algorithm(two_step=False, asks="related-reduction"),
    "Population": Algorithm(two_step=False, asks="informative", prior=True),
    "Population-max-radius": Algorithm(two_step=False, asks="max-radius", prior=True),
}
"""Every algorithm that an item may name. A strategy that the package gains is not one of them
until it is written here, and takes part in no published item until that item names it."""
_ASKING = {
    name: each
    for name, each in ALGORITHMS.items()
    if each.asks not in (None, "arm") and not each.prior
}
ONE_STEP = {str(each.asks): name for name, each in _ASKING.items() if not each.two_step}
TWO_STEP = {str(each.asks): name for name, each in _ASKING.items() if each.two_step}
"""From a strategy to the algorithm that has it with this estimate."""
PAPER = ("LinUCB", "Arm-Con", "ConUCB", "UCB", "BS", "MCR")
"""The algorithms in the paper's figures."""

_CONUCB: Parameters = {"mix": 0.5, "term_beta": 1.0, "alpha": 0.25, "term_alpha": 0.25}
_AUTHORS: dict[str, dict[str, Parameters]] = {
    "synthetic": {
        "LinUCB": {"beta": 1.2, "alpha": 0.5},
        "Arm-Con": {"beta": 1.2, "alpha": 0.5},
        "UCB": {"beta": 0.2, "alpha": 0.1},
        "one step": {"beta": 0.15, "alpha": 0.1},
    },
    "real": {
        "LinUCB": {"beta": 1.0, "alpha": 0.5},
        "Arm-Con": {"beta": 1.15, "alpha": 0.5},
        "one step": {"beta": 0.1, "alpha": 0.1},
    },
}


def algorithm(name: str) -> Algorithm:
    """The algorithm with this name.

    >>> algorithm("MCR")
    Algorithm(two_step=False, asks='max-radius', prior=False)
    """
    if name not in ALGORITHMS:
        raise UnknownName(f"No algorithm is called {name!r}.{nearest(name, ALGORITHMS)}")
    return ALGORITHMS[name]


def authors_constants(name: str, data: str) -> Parameters:
    """The constants of the authors' code; where it has none, those of its nearest relative.

    >>> authors_constants("BS", "synthetic")
    {'beta': 0.15, 'alpha': 0.1}
    """
    if name in LATER:
        return dict(LATER[name].constants)
    if algorithm(name).two_step:
        return dict(_CONUCB)
    table = _AUTHORS["synthetic" if data == "synthetic" else "real"]
    return dict(table.get(name, table["one step"]))


def theory_constants(name: str, delta: float = 0.05) -> Parameters:
    """Eq. 8 for alpha, and beta 1; ConUCB with the widths of its own analysis."""
    alpha = TheoryAlpha(delta=delta)
    if algorithm(name).two_step:
        return {"mix": 0.5, "term_beta": 1.0, "alpha": alpha, "term_alpha": alpha}
    return {"beta": 1.0, "alpha": alpha}


def is_prior(name: str) -> bool:
    """Whether an algorithm starts from a population and has no constants."""
    return name not in LATER and algorithm(name).prior


def built(
    name: str, catalog: Catalog, parameters: Parameters, schedule: B, rounds: int
) -> AnyAgent:
    """The agent for an algorithm, one of the later ones too, for so many rounds."""
    if name in LATER:
        return LATER[name].make(catalog, schedule=schedule, rounds=rounds, **parameters)
    return build(name, catalog, parameters, schedule)


def build(name: str, catalog: Catalog, parameters: Parameters, schedule: B) -> Agent:
    """The agent for an algorithm of the paper on a catalogue."""
    two_step, asks, _ = algorithm(name)
    if asks is None:
        return linucb(catalog, **parameters)
    if asks == "arm":
        return arm_con(catalog, schedule=schedule, **parameters)
    recipe = conucb if two_step else conlinucb
    return recipe(catalog, strategy=asks, schedule=schedule, **parameters)
