"""What the compiled loop needs of a job: the catalogue, and of each agent its parts as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import State
from conlinucb.agent.estimators.kernels import Kernels, no_sample
from conlinucb.agent.estimators.state import copied
from conlinucb.agent.select import Choosing
from conlinucb.agent.strategies.random import any_offered
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats
from conlinucb.simulation.loop.inputs import ARM, PAIR, TERM, Algorithm, World
from conlinucb.simulation.loop.workspace import Workspace, new_workspace

ROUNDING = 1e-9
"""By how much more than computed an arm's first radius is taken to be, relatively."""


def make_world(catalog: Catalog) -> World:
    """The catalogue."""
    return World(
        catalog._arms,
        catalog._short_arms,
        float(catalog._arm_norms.max()),
        catalog._terms,
        *catalog._graph,
    )


@dataclass(frozen=True, eq=False)
class Prepared:
    """One agent, ready for the loop."""

    algorithm: Algorithm
    kernels: tuple[Any, ...]
    """The strategy's choice, then the estimator's learn, score, reach and sample."""
    start: State
    """A newcomer's state."""
    bounds: Floats
    """(N,) a newcomer's radii of the arms, ..."""
    term_bounds: Floats
    """(K,) ... and of the key-terms."""
    asked: int
    """Questions in all."""

    def newcomer(self) -> State:
        """A state to be written to."""
        return copied(self.start)

    def workspace(self, world: World, pool: int) -> Workspace:
        """Working space for pools of at most so many arms."""
        pairs = self.asked if self.algorithm.kind == PAIR else 0
        d, short = world.arms.shape[1], world.short_arms.shape[1]
        return new_workspace(self.bounds, self.term_bounds, pool, pairs, d, short)


def can_be_compiled(agent: Agent) -> bool:
    """Whether the loop can run the agent."""
    chosen = agent.chooser is None or agent.chooser.kernel is not None
    known = isinstance(agent.select, Choosing) and _is_whole(agent.estimator)
    return known and chosen and not isinstance(agent.schedule, schedules.WhenWorth)


def _is_whole(estimator: Any) -> bool:
    """Whether the kernels are those of this very class: learning by hand may be overridden."""
    kind = type(estimator)
    if kind.kernels is None:
        return False
    owner = next(each for each in kind.__mro__ if "kernels" in vars(each))
    by_hand = ("learn_arm", "learn_term", "explore", "sample", "term_belief", "reach")
    return all(getattr(kind, name) is getattr(owner, name) for name in by_hand)


def prepare(agent: Agent, rounds: int, *, lazy: bool, timed: bool) -> Prepared:
    """Everything that is the same for all people."""
    d, t = agent.catalog.d, np.arange(1, rounds + 1)
    asked = np.array([schedules.asked_by(agent.schedule, each) for each in range(rounds + 1)])
    questions = np.diff(asked) if agent.asks_at_all else np.zeros_like(t)
    estimator, chooser, select = agent.estimator, agent.chooser, agent.select
    widths = estimator.widths(t, asked[1:], d)
    places: Kernels = estimator.kernels  # type: ignore[assignment]
    explores = float(select.explores)
    algorithm = Algorithm(
        kind=_kind(agent),
        needs_pool=int(chooser is not None and chooser.needs_pool),
        lazy=int(lazy),
        timed=int(timed),
        samples=int(select.samples),
        term_vector=places.term_vector,
        term_matrix=places.term_matrix,
        questions=questions,
        widths=np.ascontiguousarray(explores * widths.values),
        spreads=np.ascontiguousarray(widths.values),
        bound=np.ascontiguousarray(explores * widths.bound),
        alphas=np.ascontiguousarray(widths.alpha),
        constants=np.empty(0) if chooser is None else chooser.constants,
        learning=estimator.constants(),
        answers=agent.answers,
        weights=agent.answers.weight * estimator.answer_weight,
        noise=float(estimator.reach_noise()),
    )
    start = estimator.new_state(d)
    chosen = any_offered if chooser is None else chooser.kernel
    sample = places.sample if select.samples else no_sample
    parts = chosen, places.learn, places.score, places.reach, sample
    kernels = tuple(_pointer(each) for each in parts)
    bounds = _first_radii(start.P, agent.catalog._arms)
    term_bounds = _first_radii(start.matrices[places.term_matrix], agent.catalog._terms)
    return Prepared(algorithm, kernels, start, bounds, term_bounds, int(questions.sum()))


def _first_radii(P: Floats, rows: Floats) -> Floats:
    """||x||_P of every row before anything is learned, or a little more."""
    lower = np.tril(P)
    squares = np.einsum("nd,nd->n", rows @ (lower + np.tril(lower, -1).T), rows)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) * (1 + ROUNDING))


def _kind(agent: Agent) -> int:
    if agent.asks == "arm":
        return ARM
    return PAIR if agent.chooser is not None and agent.chooser.kind == "pair" else TERM


def _pointer(kernel: Any) -> Any:
    return getattr(kernel, "compiled", kernel)
