"""The best arms of a pool: all scored exactly, or a short list of a large one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.agent import schedule as schedules
from conlinucb.agent.estimators import ArmScores, Estimator, State, has_factors
from conlinucb.agent.select import Choosing, Seen
from conlinucb.agent.user import User
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.checked import Id, ids_at
from conlinucb.errors import InvalidInput
from conlinucb.numerics.linalg import products
from conlinucb.numerics.shortlist import LARGE, Arms, Shortlist, shortlist
from conlinucb.numerics.ties import ranking, threshold
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.randomness import PROPENSITY, SELECT, derive


@dataclass(frozen=True, eq=False)
class Advice:
    """A recommendation, best arm first."""

    arms: Indices
    """Indices of the recommended arms."""
    scores: Floats
    """What they are ranked by: mean plus exploration, or as ``select`` says."""
    means: Floats
    """Expected rewards: x'theta, or the chance that goes with it."""
    radii: Floats
    """Uncertainties ||x||_P."""
    round: int
    """The round this recommendation closed, from 1."""
    exploring: NDArray[np.bool_]
    """True where the arm is not among the k best means: it is here to be learned about."""
    ids: tuple[Id, ...]
    """The ids of the recommended arms, as the catalogue has them."""
    propensities: Floats | None = None
    """How likely each arm was to be among these k: 1 where nothing is left to chance, None where
    ``select`` does not tell."""
    wanted: bool = True
    """Whether the best arm's reward is asked for: see ``rewards`` of an ``Agent``."""

    def copy(self) -> Advice:
        """The same in arrays of its own."""
        arrays = {
            name: value.copy() for name, value in vars(self).items() if hasattr(value, "copy")
        }
        return replace(self, **arrays)


class Ranking:
    """How one person's next round ranks arms: everything that is the same for all of them."""

    def __init__(
        self, catalog: Catalog, estimator: Estimator, select: Any, schedule: Any, user: User
    ) -> None:
        self.catalog, self.estimator, self.select = catalog, estimator, select
        self.state, self.round = user.state, user.rounds + 1
        self.questions = schedules.asked_by(schedule, self.round)
        self.width = estimator.width(self.round, self.questions, catalog.d)
        self.at = derive(user.seed, self.round)
        self.seed = derive(self.at, SELECT)
        self.known = isinstance(select, Choosing)
        self.direction = self.state.theta
        if self.known and select.samples:
            self.direction = estimator.sample(self.state, self.width, self.seed)

    def scores(self, arms: Indices) -> ArmScores:
        """Means, radii and scores of these arms, exactly."""
        rows = self._rows(arms)
        seen = self._seen(rows)
        return ArmScores(seen.means, seen.radii, self._ranked(rows, seen))

    def told(self, arms: Indices) -> ArmScores:
        """The same, with the rewards to be expected in place of x'theta."""
        found = self.scores(arms)
        return found._replace(means=self.estimator.expected(found.means))

    def _rows(self, arms: Indices) -> Floats:
        everything = arms.size == len(self.catalog) and arms is self.catalog._live_arms
        return self.catalog._arms if everything else self.catalog._arms[arms]

    def _seen(self, rows: Floats) -> Seen:
        radii, extras = self.estimator.explore(self.state, rows, self.width)
        means = products(rows, self.state.theta)
        return Seen(means, radii, extras, self.seed, self.round)

    def _ranked(self, rows: Floats, seen: Seen) -> Floats:
        if not self.known:
            return self._stranger(seen)
        if self.select.samples:
            return products(rows, self.direction)
        return seen.means + seen.extras if self.select.explores else seen.means

    def propensities(self, arms: Indices, k: int, draws: int = 0) -> Floats | None:
        """How likely each arm is to be among the k best; None where nothing tells.

        For a way to select that samples, the share of ``draws`` further tastes and of the one that
        decides.
        """
        rows = self._rows(arms)
        if not self.known:
            tell = getattr(self.select, "propensities", None)
            return None if tell is None else np.asarray(tell(self._seen(rows), k), dtype=float)
        if not self.select.samples:
            return _share([self._ranked(rows, self._seen(rows))], k)
        if not draws:
            return None
        at = derive(self.at, PROPENSITY)
        tastes = (
            self.estimator.sample(self.state, self.width, derive(at, i)) for i in range(draws)
        )
        return _share([products(rows, each) for each in (self.direction, *tastes)], k)

    def _advised(self, arms: Indices, places: Indices, k: int) -> Floats | None:
        """The propensities of what is recommended; certain things without a second look."""
        if self.known and not self.select.samples:
            return np.ones(places.size)
        found = self.propensities(arms, k, getattr(self.select, "draws", 0))
        return None if found is None else found[places]

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
        places = best if listed is None else listed.by_score[best]
        kth = np.partition(means, -len(best))[-len(best)]
        return Advice(
            kept[best],
            found.scores[best],
            self.estimator.expected(found.means[best]),
            found.radii[best],
            self.round,
            found.means[best] < threshold(float(kth)),
            ids_at(self.catalog.arm_ids, kept[best]),
            self._advised(arms, places, k),
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


def _share(scores: list[Floats], k: int) -> Floats:
    """In which share of these rankings each arm is among the k best."""
    counts = np.zeros(scores[0].size)
    for each in scores:
        counts[ranking(each, k)] += 1.0
    return counts / len(scores)


class Newcomers:
    """What newcomers to a large catalogue get, who are all alike: looked up once."""

    def __init__(self, catalog: Catalog, estimator: Estimator, select: Any) -> None:
        self.catalog, self.estimator = catalog, estimator
        self.alike = isinstance(select, Choosing) and not select.samples
        self._known: tuple[int, int, Advice] | None = None
        self._state: State | None = None

    def best(self, user: User, ranking: Ranking, arms: Indices, k: int) -> Advice:
        """The k best for this user, newcomer or not."""
        if arms.size < LARGE or arms is not self.catalog._live_arms or not self.is_newcomer(user):
            return ranking.best(arms, k)
        known = self._known  # several threads may be here
        if known is None or known[:2] != (user.rounds, k):
            known = self._known = user.rounds, k, ranking.best(arms, k)
        return known[2].copy()

    def is_newcomer(self, user: User) -> bool:
        """Whether nothing was learned of the user, and all such get the same."""
        if not self.alike:
            return False
        # The counts first: they are few, and the first to differ.
        return all(map(np.array_equal, user.state[::-1], self._blank()[::-1]))

    def _blank(self) -> State:
        """The state of someone of whom nothing was learned."""
        if self._state is None:
            self._state = self.estimator.new_state(self.catalog.d)
        return self._state


def known_propensities(ranking: Ranking, arms: Indices, k: int, draws: int) -> Floats:
    """Those of a ranking, which must tell them."""
    found = ranking.propensities(arms, k, draws)
    if found is None:
        raise InvalidInput(f"select {ranking.select!r} has no propensities(seen, k).")
    return found
