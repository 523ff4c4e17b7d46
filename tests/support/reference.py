"""Every algorithm once more, as plainly as possible: what the package is compared with.

All feedback is kept, every matrix is summed anew from it and every product with an inverse is a
``numpy.linalg.solve``. Nothing is updated recursively and nothing is shared with the package but
the draw of a random number, which is a definition. Where the tie rule leaves a choice the same one
is made here: the margin is relative above 1, optimal-greedy compares roots, and b(t) is rounded up
by 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from conlinucb.randomness import QUESTIONS, derive, uniform_index
from support import graphs, thin
from support.lines import expected_maximum
from support.smooth import xi

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def first_of_the_best(scores: Floats) -> int:
    """Scores within 1e-9 of the best tie, relative to it where it exceeds 1; the first wins."""
    best = float(np.max(scores))
    tied = scores >= best - 1e-9 * max(1.0, abs(best))
    return int(np.flatnonzero(tied)[0])


def questions_by(b: Callable[[int], float], t: int) -> int:
    """floor(b(t)), where a b(t) short of a whole number by rounding counts as that number."""
    if t == 0:
        return 0
    near = round(b(t))
    return near if abs(b(t) - near) < 1e-9 else math.floor(b(t))


def logarithmic(f: float) -> Callable[[int], float]:
    return lambda t: f * math.floor(math.log(t + 1))


def linear(slope: float) -> Callable[[int], float]:
    return lambda t: slope * t


class History:
    """All feedback of one kind: M = strength I + weight sum xx', Y = weight sum y x."""

    def __init__(self, d: int, strength: float, weight: float, room: int = 1024) -> None:
        self.strength, self.weight = strength, weight
        self.rows, self.values, self.count = np.zeros((room, d)), np.zeros(room), 0

    def add(self, x: Floats, y: float) -> None:
        self.rows[self.count], self.values[self.count] = x, y
        self.count += 1

    @property
    def M(self) -> Floats:
        X = self.rows[: self.count]
        return self.strength * np.eye(X.shape[1]) + self.weight * (X.T @ X)

    @property
    def Y(self) -> Floats:
        return self.weight * (self.rows[: self.count].T @ self.values[: self.count])


def solve(M: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(M, right))


def root(values: Floats) -> Floats:
    return np.sqrt(np.maximum(values, 0.0))


def radii(M: Floats, rows: Floats) -> Floats:
    """sqrt(x' M^-1 x) for each row."""
    return root(np.sum(rows.T * solve(M, rows.T), axis=0))


@dataclass
class OneStep:
    """Ridge regression over rewards and answers together; ``delta`` asks for Eq. 8's alpha."""

    d: int
    beta: float
    alpha: float
    delta: float | None = None
    both: History = field(init=False)
    answers_reach = 1.0

    def __post_init__(self) -> None:
        self.both = History(self.d, self.beta, 1.0)

    def learn_arm(self, x: Floats, y: float) -> None:
        self.both.add(x, y)

    learn_term = learn_arm

    def width(self, t: int, questions: int) -> float:
        if self.delta is None:
            return self.alpha
        volume = self.d * math.log(1 + (t + questions) / (self.beta * self.d))
        return math.sqrt(2 * math.log(1 / self.delta) + volume) + math.sqrt(self.beta)

    term_width = width

    @property
    def theta(self) -> Floats:
        return solve(self.both.M, self.both.Y)

    term_theta = theta

    @property
    def term_M(self) -> Floats:
        return self.both.M

    def scores(self, rows: Floats, t: int, questions: int) -> Floats:
        return rows @ self.theta + self.width(t, questions) * radii(self.both.M, rows)

    def reach(self, rows: Floats) -> Floats:
        """An arm's variance is x'M^-1 x: it meets the inverse as it is."""
        return rows


@dataclass
class TwoSteps:
    """ConUCB: theta~ from answers, and theta = M^-1 (Y + (1 - mix) theta~)."""

    d: int
    mix: float
    term_beta: float
    alpha: float
    term_alpha: float
    delta: float | None = None
    arms: History = field(init=False)
    terms: History = field(init=False)

    def __post_init__(self) -> None:
        self.arms = History(self.d, 1 - self.mix, self.mix)
        self.terms = History(self.d, self.term_beta, 1.0)

    def learn_arm(self, x: Floats, y: float) -> None:
        self.arms.add(x, y)

    def learn_term(self, x: Floats, y: float) -> None:
        self.terms.add(x, y)

    def width(self, t: int, questions: int) -> float:
        if self.delta is None:
            return self.alpha
        volume = self.d * math.log(1 + self.mix * t / ((1 - self.mix) * self.d))
        return math.sqrt((2 * math.log(2 / self.delta) + volume) / self.mix)

    def term_width(self, t: int, questions: int) -> float:
        if self.delta is None:
            return self.term_alpha
        volume = self.d * math.log(1 + questions / (self.term_beta * self.d))
        return math.sqrt(2 * math.log(2 / self.delta) + volume) + math.sqrt(self.term_beta)

    @property
    def answers_reach(self) -> float:
        """theta moves by this times M^-1 and what theta~ moves by."""
        return 1 - self.mix

    @property
    def term_M(self) -> Floats:
        return self.terms.M

    @property
    def term_theta(self) -> Floats:
        return solve(self.terms.M, self.terms.Y)

    @property
    def theta(self) -> Floats:
        return solve(self.arms.M, self.arms.Y + (1 - self.mix) * self.term_theta)

    def scores(self, rows: Floats, t: int, questions: int) -> Floats:
        return (
            rows @ self.theta
            + self.mix * self.width(t, questions) * radii(self.arms.M, rows)
            + (1 - self.mix) * self.term_width(t, questions) * radii(self.term_M, self.reach(rows))
        )

    def reach(self, rows: Floats) -> Floats:
        """M^-1 x for each row: an arm's variance is x'M^-1 M~^-1 M^-1 x."""
        return solve(self.arms.M, rows.T).T


Estimate = OneStep | TwoSteps


@dataclass
class Moment:
    """What a question may depend on; ``terms`` and the columns of ``weights`` are the offered."""

    estimate: Estimate
    terms: Floats
    members: list[int]
    pool_rows: Floats
    weights: Floats
    t: int
    questions: int
    seed: int
    asked: int
    arms: Floats
    reluctance: Indices
    """Twice the number of times each of ``terms`` was asked about, and 1 more for a narrow one."""
    offered: Indices
    every: Floats
    """Of all terms, offered or not, as ``graph`` and ``design`` are."""
    graph: Floats
    design: Floats

    def draw(self, n: int) -> int:
        return int(uniform_index(derive(np.uint64(self.seed), QUESTIONS), self.asked, n))

    def related_mean(self, values: Floats) -> Floats:
        """Weighted mean of ``values`` (pool, offered) over each term's arms, 0 where none."""
        total = self.weights.sum(axis=0)
        safe = np.where(total > 0, total, 1.0)
        return np.where(total > 0, np.sum(self.weights * values, axis=0) / safe, 0.0)


def by_radius(now: Moment) -> int:
    return first_of_the_best(radii(now.estimate.term_M, now.terms))


def by_ucb(now: Moment) -> int:
    width = now.estimate.term_width(now.t, now.questions)
    means = now.terms @ now.estimate.term_theta
    return first_of_the_best(means + width * radii(now.estimate.term_M, now.terms))


def by_chance(now: Moment) -> int:
    return now.draw(len(now.terms))


def by_optimal_greed(now: Moment) -> int:
    after = solve(now.estimate.term_M, now.terms.T)
    effect = np.sum((now.estimate.reach(now.pool_rows) @ after) ** 2, axis=0)
    return first_of_the_best(np.sqrt(effect / (1 + np.sum(now.terms.T * after, axis=0))))


def by_related_confidence(now: Moment) -> int:
    reach = now.estimate.reach(now.pool_rows)
    variances = np.sum(reach.T * solve(now.estimate.term_M, reach.T), axis=0)
    return first_of_the_best(now.related_mean(variances[:, None]))


def by_related_reduction(now: Moment) -> int:
    reach = now.estimate.reach(now.pool_rows)
    x = now.terms
    larger = now.estimate.term_M + x[:, :, None] * x[:, None, :]
    left = np.sum(reach.T * np.linalg.solve(larger, reach.T), axis=1).T
    drop = radii(now.estimate.term_M, reach)[:, None] - root(left)
    return first_of_the_best(now.related_mean(drop))


def of_the_allowed(now: Moment, scores: Floats) -> int:
    """The best of what was asked least often."""
    return first_of_the_best(np.where(now.reluctance == now.reluctance.min(), scores, -np.inf))


def by_information(now: Moment) -> int:
    after = solve(now.estimate.term_M, now.terms.T)
    effect = np.mean((now.arms @ after) ** 2, axis=0)
    return of_the_allowed(now, np.sqrt(effect / (1 + np.sum(now.terms.T * after, axis=0))))


def values(now: Moment) -> Floats:
    """By how much an answer about what may be asked is expected to improve the best arm."""
    after = solve(now.estimate.term_M, now.terms.T)
    moves = now.estimate.reach(now.pool_rows) @ after
    moves *= now.estimate.answers_reach / np.sqrt(1 + np.sum(now.terms.T * after, axis=0))
    means = now.pool_rows @ now.estimate.theta
    gains = np.zeros(len(now.terms))
    for k in np.flatnonzero(now.reluctance == now.reluctance.min()):
        gains[k] = expected_maximum(means, moves[:, k]) - means.max()
    return gains


def by_value(now: Moment) -> int:
    return of_the_allowed(now, values(now))


def spanner(vectors: Floats) -> list[int]:
    """An exact barycentric spanner, all coefficients solved anew for every step."""
    rows = np.linalg.svd(vectors, full_matrices=False)[0]
    basis = np.eye(rows.shape[1])
    chosen = [-1] * rows.shape[1]
    for column in range(rows.shape[1]):
        at = int(np.argmax(np.abs(solve(basis.T, rows.T)[column])))
        chosen[column], basis[column] = at, rows[at]
    while True:
        sizes = np.abs(solve(basis.T, rows.T)).T
        at, column = divmod(int(np.argmax(sizes)), rows.shape[1])
        if sizes[at, column] <= 1 + 1e-8:
            return sorted(chosen)
        chosen[column], basis[column] = at, rows[at]


def by_design(now: Moment) -> int:
    drawn = graphs.drawn(now)
    return by_radius(now) if drawn is None else drawn


def by_log_det(now: Moment) -> int:
    M = now.estimate.term_M
    return first_of_the_best(graphs.log_dets(M, now.every, now.graph, now.offered, full=False))


def by_thinness(now: Moment) -> int:
    return first_of_the_best(thin.along_the_thinnest(now.estimate.term_M, now.every, now.terms))


def by_smoothing(now: Moment) -> int:
    shaken = [
        x + xi(now.seed, now.asked, int(k), x.size)
        for k, x in zip(now.offered, now.terms, strict=True)
    ]
    return first_of_the_best(np.array(shaken) @ now.estimate.term_theta)


def by_spanner(now: Moment) -> int:
    return now.members[now.draw(len(now.members))]


STRATEGIES: dict[str, Callable[[Moment], int]] = {
    "spanner": by_spanner,
    "max-radius": by_radius,
    "ucb": by_ucb,
    "random": by_chance,
    "optimal-greedy": by_optimal_greed,
    "related-confidence": by_related_confidence,
    "related-reduction": by_related_reduction,
    "informative": by_information,
    "valuable": by_value,
    "design": by_design,
    "log-det": by_log_det,
    "thinnest": by_thinness,
    "smoothed": by_smoothing,
}


@dataclass
class Reference:
    """One user of one algorithm. ``strategy`` names a rule above, "arm" (Arm-Con) or None."""

    arms: Floats
    weights: Floats
    estimate: Estimate
    strategy: str | None
    b: Callable[[int], float]
    seed: int
    t: int = 1
    asked: int = 0
    terms: Floats = field(init=False)
    members: list[int] = field(init=False)
    times: Indices = field(init=False)
    graph: Floats = field(init=False)
    design: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.times = np.zeros(self.weights.shape[1], dtype=np.int64)
        self.terms = (self.weights / self.weights.sum(axis=0)).T @ self.arms
        self.members = spanner(self.terms) if self.strategy == "spanner" else []
        nothing = np.empty(0)
        self.design = graphs.members(self.terms) if self.strategy == "design" else nothing
        linked = self.strategy == "log-det"
        self.graph = graphs.co_occurrence(self.weights, self.terms) if linked else nothing

    def questions_due(self) -> int:
        if self.strategy is None:
            return 0
        return questions_by(self.b, self.t) - questions_by(self.b, self.t - 1)

    def moment(self, pool: Indices, offered: Indices) -> Moment:
        return Moment(
            estimate=self.estimate,
            terms=self.terms[offered],
            members=self.members,
            pool_rows=self.arms[pool],
            weights=self.weights[np.ix_(pool, offered)],
            t=self.t,
            questions=questions_by(self.b, self.t),
            seed=self.seed,
            asked=self.asked,
            arms=self.arms,
            reluctance=(2 * self.times + (np.count_nonzero(self.weights, axis=0) < 2))[offered],
            offered=offered,
            every=self.terms,
            graph=self.graph,
            design=self.design,
        )

    def ask(self, pool: Indices, offered: Indices) -> int:
        if self.strategy == "arm":
            self.asked += 1
            return self.best_arm(pool)
        offered = np.sort(offered)
        rule = STRATEGIES[str(self.strategy)]
        chosen = int(offered[rule(self.moment(pool, offered))])
        self.asked += 1
        self.times[chosen] += 1
        return chosen

    def hear(self, index: int, answer: float) -> None:
        if self.strategy == "arm":
            self.estimate.learn_arm(self.arms[index], answer)
        else:
            self.estimate.learn_term(self.terms[index], answer)

    def scores(self, pool: Indices) -> Floats:
        return self.estimate.scores(self.arms[pool], self.t, questions_by(self.b, self.t))

    def best_arm(self, pool: Indices) -> int:
        return int(pool[first_of_the_best(self.scores(pool))])

    def recommend(self, pool: Indices) -> int:
        best = self.best_arm(pool)
        self.t += 1
        return best

    def learn(self, arm: int, reward: float) -> None:
        self.estimate.learn_arm(self.arms[arm], reward)
