"""The best arms of a pool: all scored exactly, or a short list of a large one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent import schedule as schedules
from conlinucb.agent.estimators import ArmScores, Estimator, has_factors
from conlinucb.agent.select import Choosing, Seen
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.linalg import products
from conlinucb.numerics.shortlist import LARGE, Arms, Shortlist, shortlist
from conlinucb.numerics.ties import ranking, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import SELECT, derive


@dataclass(frozen=True, eq=False)
class Advice:
    """A recommendation, best arm first."""

    arms: Indices
    """Indices of the recommended arms."""
    scores: Floats
    """What they are ranked by: mean plus exploration, or as ``select`` says."""
    means: Floats
    """Expected rewards x'theta."""
    radii: Floats
    """Uncertainties ||x||_P."""
    round: int
    """The round this recommendation closed, from 1."""
    exploring: NDArray[np.bool_]
    """True where the arm is not among the k best means: it is here to be learned about."""


class Ranking:
    """How one person's next round ranks arms: everything that is the same for all of them."""

    def __init__(
        self, catalog: Catalog, estimator: Estimator, select: Any, schedule: Any, user: User
    ) -> None:
        self.catalog, self.estimator, self.select = catalog, estimator, select
        self.state, self.round = user.state, user.rounds + 1
        self.questions = schedules.asked_by(schedule, self.round)
        self.width = estimator.width(self.round, self.questions, catalog.d)
        self.seed = derive(derive(user.seed, self.round), SELECT)
        self.known = isinstance(select, Choosing)
        self.direction = self.state.theta
        if self.known and select.samples:
            self.direction = estimator.sample(self.state, self.width, self.seed)

    def scores(self, arms: Indices) -> ArmScores:
        """Means, radii and scores of these arms, exactly."""
        everything = arms.size == len(self.catalog) and arms is self.catalog._live_arms
        rows = self.catalog._arms if everything else self.catalog._arms[arms]
        radii, extras = self.estimator.explore(self.state, rows, self.width)
        means = products(rows, self.state.theta)
        return ArmScores(means, radii, self._ranked(rows, means, radii, extras))

    def _ranked(self, rows: Floats, means: Floats, radii: Floats, extras: Floats) -> Floats:
        if not self.known:
            return self._stranger(Seen(means, radii, extras, self.seed, self.round))
        if self.select.samples:
            return products(rows, self.direction)
        return means + extras if self.select.explores else means

    def _stranger(self, seen: Seen) -> Floats:
        scores = np.ascontiguousarray(self.select.rank(seen), dtype=np.float64)
        if scores.shape != seen.means.shape or not np.isfinite(scores).all():
            name = getattr(self.select, "name", type(self.select).__name__)
            raise InvalidInput(
                f"rank of select {name!r} must return {seen.means.size} finite numbers, got an "
                f"array of shape {scores.shape}."
            )
        return scores

    def best(self, arms: Indices, k: int) -> Advice:
        """The k best arms of a pool, by the tie rule."""
        listed = self._shortlist(arms, k)
        kept = arms if listed is None else arms[listed.by_score]
        found = self.scores(kept)
        means = found.means if listed is None else self._means(arms[listed.by_mean])
        best = ranking(found.scores, k)
        kth = np.partition(means, -len(best))[-len(best)]
        return Advice(
            kept[best],
            found.scores[best],
            found.means[best],
            found.radii[best],
            self.round,
            found.means[best] < threshold(float(kth)),
        )

    def _shortlist(self, arms: Indices, k: int) -> Shortlist | None:
        """Of a large pool, what is worth an exact look; None for all of it."""
        if arms.size < LARGE or k >= arms.size or not self.known:
            return None
        if self.select.explores and not has_factors(self.estimator):
            return None
        catalog = self.catalog
        try:
            now = self.state, self.round, self.questions
            factors = self.estimator.factors(*now) if self.select.explores else []
        except np.linalg.LinAlgError:  # too ill-conditioned for a rough look
            return None
        looked_at = Arms(catalog._arms, catalog._short_arms, catalog._arm_norms, arms)
        listed = shortlist(
            looked_at, self.direction, factors, k, lambda some: self.scores(some).scores
        )
        if listed is None or self.direction is self.state.theta:
            return listed
        by_mean = shortlist(looked_at, self.state.theta, [], k, self._means)
        return by_mean and Shortlist(listed.by_score, by_mean.by_mean)

    def _means(self, arms: Indices) -> Floats:
        if not self.state.theta.any():
            return np.zeros(arms.size)
        everything = arms.size == len(self.catalog)
        return products(
            self.catalog._arms if everything else self.catalog._arms[arms], self.state.theta
        )
