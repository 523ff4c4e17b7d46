"""What the compiled loop needs of a job: the catalogue, and of each agent its parts as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.agent.agent import Agent
from conlinucb.agent.estimators import State
from conlinucb.agent.estimators.kernels import Kernels, no_sample
from conlinucb.agent.estimators.state import copied
from conlinucb.agent.relative import PAIR_UPDATES
from conlinucb.agent.rewards import always, new_notes
from conlinucb.agent.rewards.base import constants_of
from conlinucb.agent.select import Choosing
from conlinucb.agent.strategies.random import any_offered
from conlinucb.agent.strategies.smoothed import perturbed
from conlinucb.catalog.catalog import Catalog
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.simulation.loop.inputs import ARM, GROUP, PAIR, TERM, Algorithm, World
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
    """The strategy's choice, the schedule's gate, and the estimator's learn, score, reach and
    sample, what an answer is taken for, and whether a reward is asked for."""
    start: State
    """A newcomer's state."""
    bounds: Floats
    """(N,) a newcomer's radii of the arms, ..."""
    term_bounds: Floats
    """(K,) ... and of the key-terms."""
    asked: int
    """Questions in all."""
    notes: int
    """Numbers that are written down of rewards."""

    @cached_property
    def functions(self) -> Indices:
        """Where the kernels are in this process."""
        from conlinucb.simulation.loop.functions import FUNCTIONS, addresses

        found = np.empty(FUNCTIONS, dtype=np.int64)
        addresses(*self.kernels, found)  # type: ignore[call-arg]  # it does not count these
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Without the addresses: in another process they mean something else."""
        return {name: each for name, each in vars(self).items() if name != "functions"}

    def newcomer(self) -> State:
        """A state to be written to."""
        return copied(self.start)

    def workspace(self, world: World, pool: int) -> Workspace:
        """Working space for pools of at most so many arms."""
        pairs = self.asked * {PAIR: 1, GROUP: self.algorithm.group}.get(self.algorithm.kind, 0)
        d, short = world.arms.shape[1], world.short_arms.shape[1]
        return new_workspace(self.bounds, self.term_bounds, pool, pairs, d, short, self.notes)


def can_be_compiled(agent: Agent) -> bool:
    """Whether the loop can run the agent."""
    deciding = (each for each in (agent.chooser, agent.gate) if each is not None)
    known = isinstance(agent.select, Choosing) and _is_whole(agent.estimator)
    probe = None if agent.chooser is None else agent.chooser.probe
    known = known and (probe is None or hasattr(probe, "py_func"))
    return known and all(each.kernel is not None for each in deciding)


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
    estimator, chooser, gate, select = agent.estimator, agent.chooser, agent.gate, agent.select
    widths = estimator.widths(t, asked[1:], d)
    places: Kernels = estimator.kernels  # type: ignore[assignment]
    explores = float(select.explores)
    probe = None if chooser is None else chooser.probe
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
        pairs=estimator.pairs,
        weights=agent.answers.weight * estimator.answer_weight,
        noise=float(estimator.reach_noise()),
        gated=int(gate is not None),
        gate_needs_pool=int(gate is not None and gate.needs_pool),
        gate_constants=np.empty(0) if gate is None else gate.constants,
        own_probe=int(probe is not None),
        pair_update=PAIR_UPDATES.index(agent.pair_update),
        group=1 if chooser is None else chooser.size,
        best=int(chooser is not None and chooser.pick == "best"),
        teaching=agent.teaching,
        spreading=agent.spreading,
        choosy=int(agent.rewards is not None),
        reward_constants=constants_of(agent.rewards),
        reward_noise=float(estimator.noise),
    )
    start = estimator.new_state(d)
    chosen = any_offered if chooser is None else chooser.kernel
    looks = chosen if gate is None else gate.kernel  # without a gate it is not called
    sample = places.sample if select.samples else no_sample
    estimating = places.learn, places.score, places.reach, sample
    wants = always if agent.rewards is None else agent.rewards.kernel
    parts = chosen, looks, *estimating, perturbed if probe is None else probe, wants
    kernels = tuple(_pointer(each) for each in parts)
    bounds = _first_radii(start.P, agent.catalog._arms)
    term_bounds = _first_radii(start.matrices[places.term_matrix], agent.catalog._terms)
    return Prepared(
        algorithm,
        kernels,
        start,
        bounds,
        term_bounds,
        int(questions.sum()),
        new_notes(agent.rewards).size,
    )


def _first_radii(P: Floats, rows: Floats) -> Floats:
    """||x||_P of every row before anything is learned, or a little more."""
    lower = np.tril(P)
    squares = np.einsum("nd,nd->n", rows @ (lower + np.tril(lower, -1).T), rows)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) * (1 + ROUNDING))


def _kind(agent: Agent) -> int:
    if agent.asks == "arm":
        return ARM
    kind = "term" if agent.chooser is None else agent.chooser.kind
    return {"term": TERM, "pair": PAIR, "group": GROUP}[kind]


def _pointer(kernel: Any) -> Any:
    return getattr(kernel, "compiled", kernel)
