"""EM with extrapolation (SQUAREM): few passes, and a jump is taken only where it gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from conlinucb.agent.priors.fitting.rule import Rule
from conlinucb.agent.priors.fitting.step import next_belief, objective
from conlinucb.agent.priors.fitting.sums import Belief, Sums
from conlinucb.numerics.validation import Floats

FARTHEST = 64.0
"""Longest jump, in steps of EM."""
SINGULAR = 1e-12
"""Least eigenvalue of a covariance against its largest."""


@dataclass(frozen=True)
class Climb:
    """How far EM has come; all that it takes to go on from there."""

    belief: Belief
    before: Belief
    """The belief of which ``belief`` is the next step, where it is one."""
    rounds: int = 0
    likelihoods: tuple[float, ...] = ()
    """Log-likelihood of an event at each belief."""
    converged: bool = False


def started(belief: Belief) -> Climb:
    """Before any pass."""
    return Climb(belief, belief)


@dataclass(frozen=True)
class Em:
    """How to climb: ``sums`` is a pass over all people concerned."""

    sums: Callable[[Belief], Sums]
    rule: Rule
    pull: float
    tolerance: float
    rounds: int
    noise: bool = True
    """Whether the noise is learned, or stays what it is."""
    scaling: int = 0
    """Rounds in which the target's scales follow people. After them the objective is one and the
    same; a scale that people say little of would else creep for hundreds of rounds."""
    note: Callable[[Climb], None] = lambda climb: None
    """Told after each round."""

    def run(self, climb: Climb) -> tuple[Climb, Sums]:
        """Climb until a step of EM gains less than ``tolerance`` an event; the sums there."""
        sums, score = self._pass(climb.belief)
        if not climb.likelihoods:
            climb = Climb(climb.belief, climb.belief, 0, (_an_event(sums),))
        while not climb.converged and climb.rounds < self.rounds:
            climb, sums, score = self._round(climb, sums, score)
            self.note(climb)
        return climb, sums

    def _round(self, climb: Climb, sums: Sums, score: float) -> tuple[Climb, Sums, float]:
        """One step of EM or, every second time, a jump where two steps point to."""
        scales = climb.rounds < self.scaling
        stepped = next_belief(
            climb.belief, sums, self.rule, self.pull, noise=self.noise, scales=scales
        )
        jumped = _jump(climb.before, climb.belief, stepped) if climb.rounds % 2 else None
        if jumped is not None:
            if not self.noise:
                jumped = jumped._replace(noise=stepped.noise)  # else it would change by rounding
            sums, found = self._pass(jumped)
            if found > score:
                return self._next(climb, jumped, sums, found, converged=False)
        sums, found = self._pass(stepped)
        settled = abs(found - score) < self.tolerance * max(sums.events, 1.0)
        return self._next(climb, stepped, sums, found, converged=settled)

    def _next(
        self, climb: Climb, belief: Belief, sums: Sums, score: float, *, converged: bool
    ) -> tuple[Climb, Sums, float]:
        likelihoods = (*climb.likelihoods, _an_event(sums))
        after = Climb(belief, climb.belief, climb.rounds + 1, likelihoods, converged)
        return after, sums, score

    def _pass(self, belief: Belief) -> tuple[Sums, float]:
        sums = self.sums(belief)
        return sums, objective(belief, sums, self.rule, self.pull)


def _an_event(sums: Sums) -> float:
    return sums.likelihood / max(sums.events, 1.0)


def _jump(first: Belief, second: Belief, third: Belief) -> Belief | None:
    """Where two steps of EM point to; None where they point nowhere new."""
    a, b, c = _packed(first), _packed(second), _packed(third)
    step, bend = b - a, (c - b) - (b - a)
    size, turn = float(np.linalg.norm(step)), float(np.linalg.norm(bend))
    if turn <= 1e-12 or size <= turn:
        return None
    far = min(size / turn, FARTHEST)
    with np.errstate(over="ignore"):
        found = _unpacked(a + 2.0 * far * step + far**2 * bend, first.mean.size)
    return found if _is_sound(found) else None


def _is_sound(belief: Belief) -> bool:
    """Whether it can be worked with: a long jump may end where numbers do."""
    numbers = np.concatenate(
        [belief.mean, belief.covariance.ravel(), [belief.noise], belief.scales]
    )
    if not np.isfinite(numbers).all() or belief.noise <= 0.0:
        return False
    values = np.linalg.eigvalsh(belief.covariance)
    return bool(values[0] > SINGULAR * values[-1])


def _packed(belief: Belief) -> Floats:
    """Numbers that may be anything: mean, log-Cholesky of the covariance, logs of the rest."""
    root = np.linalg.cholesky(belief.covariance)
    lower = root[np.tril_indices(len(root), -1)]
    logs = np.log([*np.diag(root), belief.noise, *belief.scales])
    return np.concatenate([belief.mean, lower, logs])


def _unpacked(packed: Floats, d: int) -> Belief:
    lower = d * (d - 1) // 2
    root = np.zeros((d, d))
    root[np.tril_indices(d, -1)] = packed[d : d + lower]
    rest = np.exp(packed[d + lower :])
    root[np.diag_indices(d)] = rest[:d]
    return Belief(packed[:d], root @ root.T, float(rest[d]), rest[d + 1 :])
