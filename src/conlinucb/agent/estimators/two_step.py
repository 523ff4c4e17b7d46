"""ConUCB's estimate: key-terms first, and their estimate as the prior of the arms' one."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb import theory
from conlinucb.agent.alpha import Alpha, TheoryAlpha, checked_alpha
from conlinucb.agent.estimators import ledger
from conlinucb.agent.estimators.base import Estimator, Influence, Widths
from conlinucb.agent.estimators.kernels import (
    LEARN,
    REACH,
    REWARD,
    SAMPLE,
    SCORE,
    Kernels,
    add_draw,
)
from conlinucb.agent.estimators.ledger import enter
from conlinucb.agent.estimators.state import State, copied, empty
from conlinucb.agent.priors import Isotropic, Prior, prior_of, strength_or_prior
from conlinucb.agent.spreading import Spread, checked_spread
from conlinucb.errors import InvalidInput
from conlinucb.numerics.compile import kernel
from conlinucb.numerics.linalg import dot, full_matrix, quadratics, times, times_of
from conlinucb.numerics.shortlist import Factor
from conlinucb.numerics.validation import Floats, Indices, number, positive
from conlinucb.randomness import derive

TERM_MATRIX, TERM_VECTOR = ledger.MATRICES, ledger.VECTORS
"""Where the key-terms' P~ and theta~ stand: behind the arms' ledger."""


@kernel(LEARN, pointer=True)
def learn(
    state: State,
    constants: Floats,
    source: int,
    x: Floats,
    value: float,
    weight: float,
    v: Floats,
) -> int:
    """A reward to the arms' ledger; an answer to the key-terms', and theta by theta~'s change."""
    mix = constants[0]
    if source == REWARD:
        ill = enter(state, 0, x, value, mix * weight, v)
        return ill | state.counts[ledger.COUNTS + 2]
    theta, term_theta = state.vectors[0], state.vectors[TERM_VECTOR]
    prior, before = state.vectors[ledger.PRIOR], term_theta.copy()
    ill = enter(state, 1, x, value, weight * constants[1], v)
    for i in range(theta.shape[0]):
        prior[i] = (1.0 - mix) * term_theta[i]
        before[i] = (1.0 - mix) * (term_theta[i] - before[i])
    times(state.matrices[0], before, v)
    for i in range(theta.shape[0]):
        theta[i] += v[i]
    return ill | state.counts[2]


@kernel(SCORE, pointer=True)
def score(
    state: State,
    width: Floats,
    arms: Floats,
    which: Indices,
    n: int,
    radii: Floats,
    extras: Floats,
    scratch: Floats,
) -> None:
    """||x||_P, and width[0] ||x||_P + width[1] sqrt(x' P P~ P x), four arms at a time."""
    four, seconds = np.arange(4), np.empty(4)
    for start in range(0, n, 4):
        some = min(4, n - start)
        for i in range(some):
            x = arms[which[start + i]]
            times_of(state.matrices, 0, x, scratch[i])
            radii[start + i] = np.sqrt(max(dot(x, scratch[i]), 0.0))
        quadratics(state.matrices, TERM_MATRIX, scratch, four, some, seconds)
        for i in range(some):
            second = np.sqrt(seconds[i])
            extras[start + i] = width[0] * radii[start + i] + width[1] * second


@kernel(REACH, pointer=True)
def reach(state: State, x: Floats, out: Floats) -> None:
    """P x: answers bear on theta by way of theta~."""
    times(state.matrices[0], x, out)


@kernel(SAMPLE, pointer=True)
def sample(state: State, width: Floats, seed: np.uint64, out: Floats) -> None:
    """theta + width[0] L z + width[1] P L~ z~: one draw for each of the two radii."""
    drawn = np.zeros(out.shape[0])
    add_draw(state.matrices[TERM_MATRIX], width[1], derive(seed, 1), drawn)
    times(state.matrices[0], drawn, out)
    for i in range(out.shape[0]):
        out[i] += state.vectors[0, i]
    add_draw(state.matrices[0], width[0], seed, out)


class TwoStep(Estimator):
    """ConUCB: theta~ from answers alone, then theta = M^-1 (Y + (1 - mix) theta~).

    M = (1 - mix) I + mix sum xx' and Y = mix sum r x over arms; M~ = term_beta I + sum w x~x~'
    over key-terms. An arm's score is x'theta + mix alpha ||x||_{M^-1}
    + (1 - mix) term_alpha sqrt(x' M^-1 M~^-1 M^-1 x). ``mix`` is the paper's lambda, and
    ``answer_weight`` the w of an answer; ``spread`` as of ``Estimator``. With a ``prior`` M~ starts
    at its precision and both estimates at its mean; the arms' M starts at (1 - mix) I all the same,
    since it is theta~ that the arms' step is drawn to. Both widths then count standard deviations.

    >>> estimator = TwoStep(mix=0.5)
    >>> state = estimator.new_state(2)
    >>> estimator.learn_term(state, np.array([1.0, 0.0]), 1.0)
    >>> state.theta
    array([0.5, 0. ])
    """

    name = "two-step"
    kernels = Kernels(learn, score, reach, sample, TERM_VECTOR, TERM_MATRIX)
    layout = (*ledger.layout(), *ledger.layout("term_", 1))
    either = ("term_beta", "prior")

    def __init__(
        self,
        *,
        mix: float = 0.5,
        term_beta: float | None = None,
        alpha: float | TheoryAlpha = 0.25,
        term_alpha: float | TheoryAlpha = 0.25,
        prior: Prior | None = None,
        answer_weight: float = 1.0,
        spread: Spread | None = None,
    ) -> None:
        if prior is not None and term_beta is not None:
            raise InvalidInput(
                f"A prior takes the place of term_beta; got both, term_beta={term_beta!r}."
            )
        self.mix = number("mix", mix, low=1e-9, high=1 - 1e-9)
        strength = positive("term_beta", 1.0 if term_beta is None else term_beta)
        self.start = Isotropic(strength) if prior is None else prior_of(prior)
        self.alpha = checked_alpha("alpha", alpha)
        self.term_alpha: Alpha = checked_alpha("term_alpha", term_alpha)
        theory_asked = isinstance(self.alpha, TheoryAlpha) or isinstance(
            self.term_alpha, TheoryAlpha
        )
        if theory_asked and not isinstance(self.start, Isotropic):
            raise InvalidInput("TheoryAlpha is ConUCB's own, which knows term_beta only: no prior.")
        self.answer_weight = positive("answer_weight", answer_weight)
        self.spread = checked_spread(spread)
        self.noise = float(self.start.noise)
        self._least: dict[int, float] = {}

    @property
    def term_beta(self) -> float:
        """The strength of an isotropic prior of the key-terms' step."""
        if not isinstance(self.start, Isotropic):
            raise InvalidInput(f"{self.start!r} has no term_beta.")
        return self.start.beta

    def arguments(self) -> dict[str, Any]:
        return strength_or_prior("term_beta", self.start)

    def parameters(self) -> dict[str, Any]:
        widths = {"alpha": self.alpha, "term_alpha": self.term_alpha}
        return {"mix": self.mix, **self._start(), **widths, **self._weight()}

    def prior(self) -> dict[str, Any]:
        return {"mix": self.mix, **self._start(), **self._weight()}

    def _start(self) -> dict[str, Any]:
        if isinstance(self.start, Isotropic):
            return {"term_beta": self.start.beta}
        return self.start.digest()

    def _weight(self) -> dict[str, Any]:
        said = {} if self.spread is None else {"spread": self.spread}
        return said | ({} if self.answer_weight == 1.0 else {"answer_weight": self.answer_weight})

    def constants(self) -> Floats:
        return np.array([self.mix, self.answer_weight])

    def new_state(self, d: int) -> State:
        sizes = ledger.MATRICES, ledger.VECTORS, ledger.NUMBERS, ledger.COUNTS
        state = empty(d, *(2 * each for each in sizes))
        ledger.begin(state, 1, *self.start.start(d))
        mean = state.vectors[TERM_VECTOR]
        ledger.begin(state, 0, np.eye(d) * (1 - self.mix), (1 - self.mix) * mean)
        return state

    def check_state(self, state: State) -> None:
        ledger.check(state, 0)
        ledger.check(state, 1)

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """mix alpha_t and (1 - mix) term_alpha_t: constants, or what makes ConUCB's width hold.

        The second radius is at most sqrt(||P|| ||P~||) times the first, and both only shrink.
        """
        alpha, term_alpha = np.full(t.shape, self.alpha), np.full(t.shape, self.term_alpha)
        if isinstance(self.alpha, TheoryAlpha):
            alpha = theory.conucb_alpha(t, d, self.mix, self.alpha.delta)
        if isinstance(self.term_alpha, TheoryAlpha):
            delta = self.term_alpha.delta
            term_alpha = theory.conucb_term_alpha(questions, d, self.term_beta, delta)
        deviation = np.sqrt(self.noise)
        both = np.stack([self.mix * alpha, (1 - self.mix) * term_alpha], axis=1).astype(float)
        both *= deviation
        ratio = 1.0 / np.sqrt((1 - self.mix) * self._least_precision(d))
        return Widths(both, both[:, 0] + ratio * both[:, 1], deviation * term_alpha)

    def _least_precision(self, d: int) -> float:
        """1 / ||P~|| of a newcomer; a little less, as eigenvalues are rounded."""
        if isinstance(self.start, Isotropic):
            return self.start.beta
        if d not in self._least:
            least = np.linalg.eigvalsh(self.start.start(d).precision)[0]
            self._least[d] = max(float(least) * (1 - 1e-6), 1e-300)
        return self._least[d]

    def factors(self, state: State, t: int, questions: int) -> list[Factor]:
        """||x||_P = ||L'x|| with LL' = P, and sqrt(x'P P~ P x) = ||L~'P x||.

        P~ may be tiny where P is large, and the other way round: the exact second radius is
        rounded relative to both.
        """
        width = self.width(t, questions, state.theta.size)
        full, size = full_matrix(state.P), np.linalg.norm
        first = np.asarray(np.linalg.cholesky(state.P).T)
        root = np.asarray(np.linalg.cholesky(state.matrices[TERM_MATRIX]).T)
        return [
            Factor(float(width[0]), first, float(size(first))),
            Factor(float(width[1]), root @ full, float(size(root) * size(full))),
        ]

    def reach(self, state: State, rows: Floats) -> Floats:
        return np.ascontiguousarray(rows @ full_matrix(state.P))

    def reach_noise(self) -> float:
        """theta moves by (1 - mix) P times what theta~ moves by."""
        return (1 - self.mix) ** 2 * self.noise

    def influence(self, state: State, x: Floats) -> Influence:
        """x'theta = mix sum r z'Px over arms + (1 - mix) sum w y z~'P~Px over key-terms."""
        seen = full_matrix(state.P) @ x
        term_seen = full_matrix(state.matrices[TERM_MATRIX]) @ seen
        own = (1 - self.mix) * term_seen
        at_first = float(own @ state.vectors[TERM_VECTOR + ledger.PRIOR])
        return Influence(self.mix * seen, self.answer_weight * own, at_first)

    def sums(self, state: State, start: State) -> Floats:
        return np.stack([ledger.sums(state, i, start) for i in range(2)])

    def with_sums(self, start: State, sums: Floats) -> State:
        """The key-terms' step first: the arms' one is drawn to its estimate."""
        state = copied(start)
        ledger.restart(state, 1, sums[1])
        state.vectors[ledger.PRIOR] = (1 - self.mix) * state.vectors[TERM_VECTOR]
        ledger.restart(state, 0, sums[0])
        return state
