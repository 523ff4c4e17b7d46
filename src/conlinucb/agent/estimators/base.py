"""What an agent needs of an estimator, and all of it that follows from a Gaussian belief."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent.alpha import Alpha, checked_alpha
from conlinucb.agent.estimators.kernels import ANSWER, REFUSED, REWARD, Kernels, checked_kernels
from conlinucb.agent.estimators.state import PLAIN, Layout, State
from conlinucb.agent.priors import PLAIN_PAIRS, Answers, PairScale
from conlinucb.agent.question import Kind, Question
from conlinucb.agent.relative import PairUpdate, Said, lessons
from conlinucb.agent.spreading import NOWHERE, Spread, Spreading
from conlinucb.agent.strategies.group import Teaching
from conlinucb.errors import InvalidInput
from conlinucb.numerics.linalg import full_matrix, products
from conlinucb.numerics.shortlist import Factor
from conlinucb.numerics.validation import Floats, Indices, number


class ArmScores(NamedTuple):
    """For each row asked about: x'theta, ||x||_P, and what it is ranked by."""

    means: Floats
    radii: Floats
    scores: Floats


class TermBelief(NamedTuple):
    """What a strategy may know: theta and its covariance as the key-terms see it, and alpha."""

    theta: Floats
    cov: Floats
    alpha: float


class Influence(NamedTuple):
    """How feedback bears on one mean x'theta, (d,) each: y (z @ arm) is the part of it that a
    reward y of an arm with features z has, and y (z @ term) that of an answer about a key-term.
    With what the prior alone says, ``prior``, the parts of everything learned add up to the mean.

    Answers on a scale of their own, ``answers``, count as what they observe: see ``of_answer``.
    """

    arm: Floats
    term: Floats
    prior: float = 0.0
    answers: Answers | None = None
    pair_update: PairUpdate = "difference"
    teaching: Teaching = Teaching()
    spreading: Spreading = NOWHERE
    moment: Callable[[Floats, float], float] | None = None
    """What stands for y where it is not y itself, from z and y."""
    pairs: PairScale = PLAIN_PAIRS

    def of_reward(self, x: Floats, reward: float, weight: float = 1.0) -> float:
        """The part of a reward of an arm with features x."""
        return float(weight * self._moment(x, reward) * np.dot(x, self.arm))

    def of_answer(self, question: Question, answer: Said, weight: float = 1.0) -> float:
        """The part of an answer, taken as this agent takes answers now, with all it spreads to."""
        bears = self.arm if question.kind == "arm" else self.term
        how = self.pair_update, self.teaching, self.pairs, self.spreading
        taught = lessons(question, answer, self.answers, *how)
        parts = (self._moment(x, value) * heavy * np.dot(x, bears) for x, value, heavy in taught)
        return float(weight * sum(parts))

    def _moment(self, x: Floats, value: float) -> float:
        return value if self.moment is None else self.moment(x, value)


class Widths(NamedTuple):
    """Exploration of several rounds at once."""

    values: Floats
    """(T, w): what the estimator's own kernels take, one row a round."""
    bound: Floats
    """(T,): an arm's exploration is at most this times ||x||_P."""
    alpha: Floats
    """(T,): what a strategy gets as alpha."""

    @classmethod
    def constant(cls, width: float, t: Indices) -> Widths:
        """The same in all rounds t."""
        row = np.full(t.shape, width)
        return cls(row[:, None], row, row)


class Estimator:
    """From (direction, value, weight) to a belief. Holds parameters; a ``State`` holds the rest.

    One of your own has a name, ``new_state`` and either a ``learn_arm`` or, to run in the compiled
    loop, ``kernels`` with a ``learn``. Its state keeps theta in ``vectors[0]`` and the covariance
    P, in units of the noise, in ``matrices[0]``; everything here follows from these.
    """

    name = "unnamed"
    kernels: Kernels | None = None
    """What the compiled loop calls; without them an agent is simulated by hand."""
    layout: Layout = PLAIN
    """The names under which a state is stored."""
    alpha: Alpha = 1.0
    noise: float = 1.0
    """Variance of a reward: the unit of P. alpha counts standard deviations."""
    start: Any = None
    """The prior, where there is one: it may say what answers mean."""
    answer_weight: float = 1.0
    """How much every answer counts against a reward, beside what the prior says of it."""
    spread: Spread | None = None
    """Whether an answer also teaches the key-term's neighbours in the catalogue's graph: not at
    all, in "full", or with the weight of each one's edge ("edges")."""

    range: tuple[float, float] | None = None
    """The least and the largest reward and answer; None for any."""
    pairs: PairScale = PLAIN_PAIRS
    """What the answer about a pair says."""
    order_matters = False
    """True where theta depends, a little, on the order of feedback."""
    either: tuple[str, ...] = ()
    """Arguments of which one takes the other's place, such as beta and a prior."""

    def __init__(self, *, alpha: float = 1.0) -> None:
        self.alpha = checked_alpha("alpha", alpha)

    def arguments(self) -> dict[str, Any]:
        """Arguments to make it anew with that are not attributes of the same names."""
        return {}

    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def prior(self) -> dict[str, Any]:
        """The parameters that a stored state depends on."""
        return {name: value for name, value in self.parameters().items() if name != "alpha"}

    def new_state(self, d: int) -> State:
        """The state of someone who has said nothing."""
        raise InvalidInput(f"Estimator {self.name!r} has no new_state(d).")

    def check_state(self, state: State) -> None:
        """Raise IncompatibleState for arrays that are no state of this estimator."""

    def constants(self) -> Floats:
        """Numbers that the learning kernel is given."""
        return np.empty(0)

    def learn_arm(self, state: State, x: Floats, value: float, weight: float = 1.0) -> None:
        """Take in the reward of an arm with features x."""
        self._learn(state, REWARD, x, value, weight)

    def learn_term(self, state: State, x: Floats, value: float, weight: float = 1.0) -> None:
        """Take in the answer to a question about the direction x."""
        if self.kernels is None:
            self.learn_arm(state, x, value, weight)
        else:
            self._learn(state, ANSWER, x, value, weight)

    def _learn(self, state: State, source: int, x: Floats, value: float, weight: float) -> None:
        if self.kernels is None:
            raise InvalidInput(f"Estimator {self.name!r} has neither learn_arm nor kernels.")
        given = source, x, value, weight, np.empty_like(x)
        if self.kernels.learn(state, self.constants(), *given) == REFUSED:
            raise InvalidInput(f"Estimator {self.name!r} takes no value {value!r}.")

    def checked(self, what: str, value: Any, kind: Kind = "arm") -> float:
        """Feedback as a number in the range of what is asked about; of a pair a difference."""
        if self.range is None:
            return number(what, value)
        low, high = self.range
        if kind == "pair":
            low, high = low - high, high - low
        return number(what, value, low=low, high=high)

    def expected(self, means: Floats) -> Floats:
        """The rewards to be expected where x'theta is ``means``: just that, or a chance."""
        return means

    def deviations(self, means: Floats, squares: Floats) -> Floats:
        """How uncertain these are: standard deviations, where ||x||_P^2 is ``squares``."""
        return np.sqrt(self.noise * squares)

    def widths(self, t: Indices, questions: Indices, d: int) -> Widths:
        """The exploration of rounds t, floor(b(t)) = ``questions``: alpha standard deviations."""
        if not isinstance(self.alpha, float):
            raise InvalidInput(f"Estimator {self.name!r} takes a number as alpha.")
        return Widths.constant(self.alpha * np.sqrt(self.noise), t)

    def width(self, t: int, questions: int, d: int) -> Floats:
        """The widths of one round, as the kernels take them."""
        return np.ascontiguousarray(self.widths(np.array([t]), np.array([questions]), d).values[0])

    def explore(self, state: State, rows: Floats, width: Floats) -> tuple[Floats, Floats]:
        """||x||_P and the exploration of arms (n, d)."""
        radii, extras = np.empty(len(rows)), np.empty(len(rows))
        score = Kernels(None).score if self.kernels is None else self.kernels.score
        scratch = np.empty((4, rows.shape[1]))
        score(state, width, rows, np.arange(len(rows)), len(rows), radii, extras, scratch)
        return radii, extras

    def sample(self, state: State, width: Floats, seed: np.uint64) -> Floats:
        """A taste drawn from the belief, (d,)."""
        out = np.empty(state.theta.size)
        draw = Kernels(None).sample if self.kernels is None else self.kernels.sample
        draw(state, width, seed, out)
        return out

    def score_arms(self, state: State, rows: Floats, t: int, questions: int) -> ArmScores:
        """Means, radii and upper confidence bounds of arms (n, d) in round t."""
        radii, extras = self.explore(state, rows, self.width(t, questions, rows.shape[1]))
        means = products(rows, state.theta)
        return ArmScores(means, radii, means + extras)

    def factors(self, state: State, t: int, questions: int) -> list[Factor]:
        """Widths and matrices F such that exploration is the sum of width ||F x||.

        ||x||_P = ||L'x|| with LL' = P.
        """
        width = self.width(t, questions, state.theta.size)
        root = np.asarray(np.linalg.cholesky(state.P).T)
        return [Factor(float(width[0]), root, float(np.linalg.norm(root)))]

    def term_belief(self, state: State, t: int, questions: int) -> TermBelief:
        """The belief that key-term answers bear on."""
        places = Kernels(None) if self.kernels is None else self.kernels
        alpha = self.widths(np.array([t]), np.array([questions]), state.theta.size).alpha
        cov = full_matrix(state.matrices[places.term_matrix])
        return TermBelief(state.vectors[places.term_vector], cov, float(alpha[0]))

    def reach(self, state: State, rows: Floats) -> Floats:
        """Arms (n, d) as the term belief meets them: Z with Z cov x~ the effect of asking x~."""
        return rows

    def reach_noise(self) -> float:
        """The variance that reach cov x~ is in units of."""
        return self.noise

    def influence(self, state: State, x: Floats) -> Influence:
        """How each piece of feedback bears on x'theta."""
        raise InvalidInput(f"Estimator {self.name!r} does not tell how feedback bears on an arm.")

    def sums(self, state: State, start: State) -> Floats:
        """(m, d + 1, d): of each of its m regressions sum w xx' above sum w y x, of all that was
        learned since ``start``, the state of a newcomer. The sums of several people add up."""
        raise InvalidInput(
            f"What estimator {self.name!r} learned of several people does not add up to one belief."
        )

    def with_sums(self, start: State, sums: Floats) -> State:
        """The state of a newcomer, ``start``, of whom all this was learned."""
        raise InvalidInput(f"Estimator {self.name!r} has no with_sums(start, sums).")

    def exchange(self, state: State, before: Estimator) -> State:
        """The state with this estimator's prior in place of that of ``before``."""
        raise InvalidInput(f"The prior of {self.name!r} cannot be exchanged.")

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({inside})"


def checked_estimator(given: Any) -> Estimator:
    """The estimator, refused where it is none, or where the loop could not call its kernels."""
    if not isinstance(given, Estimator):
        raise InvalidInput(f"estimator must be an Estimator such as Ridge(), got {given!r}.")
    checked_kernels(given.name, given.kernels)
    return given


def has_factors(estimator: Estimator) -> bool:
    """Whether ``factors`` are those of its exploration, which may have been overridden since."""
    kind = type(estimator)
    owner: Any = next(each for each in kind.__mro__ if "factors" in vars(each))
    return kind.explore is owner.explore and _score_of(kind) is _score_of(owner)


def _score_of(kind: type[Estimator]) -> Any:
    return (kind.kernels or Kernels(None)).score
