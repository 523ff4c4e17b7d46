"""How answers relate to rewards, from people who gave both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent.priors.fitting.events import Events
from conlinucb.agent.priors.fitting.predict import predicted
from conlinucb.agent.priors.fitting.sums import Belief, Meaning
from conlinucb.numerics.validation import Floats

SLOPE_PULL = 20.0
"""Pseudo-answers, spread as people are, that say an answer is what x~'theta is."""
SLOPE_DEVIATION = 0.5
"""How far slopes are believed to be from 1 beforehand; noisy answers prove less."""
OFFSET_PULL, NOISE_PULL, CHANCE_PULL = 5.0, 1000.0, 5.0
"""Pseudo-answers that hold a key-term's offset, noise and chance at those of all. Noise is held
hardest: what nearly nobody likes is nearly always answered alike, which with one slope for all
would make a question about it look precise."""
LEAST_SLOPE = 0.02
"""Answers that say less are taken at this slope, with a weight that goes to nothing."""
LEAST_WEIGHT = 1e-6
LEAST_NOISE = 0.05
"""Noise is at least this share of what is left of the answers, or of that of all key-terms."""
COUNT, A, F, AA, AF, FF, SPREAD, ASKED, ANSWERED = range(9)
"""Columns of the sums: answers a and what f was expected, over people who gave both."""


class Calibration(NamedTuple):
    """answer = offset + slope x~'theta + noise: of all key-terms, and (K,) of each."""

    slope: float
    weightless: float
    """1, or less where the slope was below the least: what weights are multiplied with."""
    offset: float
    noise: float
    chance: float
    offsets: Floats
    noises: Floats
    chances: Floats

    def weights(self, noises: Any, reward_noise: float) -> Floats:
        """How precise answers are beside a reward."""
        found = self.weightless * reward_noise * self.slope**2 / np.asarray(noises)
        return np.maximum(found, LEAST_WEIGHT)


def identity(terms: int, noise: float) -> Calibration:
    """Answers are like rewards, and always given."""
    offsets, noises, chances = np.zeros(terms), np.full(terms, noise), np.ones(terms)
    return Calibration(1.0, 1.0, 0.0, noise, 1.0, offsets, noises, chances)


def answer_sums(
    belief: Belief, meaning: Meaning, cap: float, arms: int, terms: int, events: Events
) -> Floats:
    """(K, 9): what people answered beside what their rewards made one expect.

    Expectations come from rewards only, so they are less spread than tastes by just what makes
    the slope come out right.
    """
    answers = events.rows >= arms
    term = events.rows[answers] - arms
    given = ~np.isnan(events.values[answers])
    mean, variance = predicted(belief, meaning, cap, events, answers.astype(np.uint8))
    owners = events.owners
    gave = np.bincount(owners[~answers], minlength=events.people) > 0
    both = given & gave[owners[answers]]
    total = np.bincount(owners[answers], events.weights[answers], minlength=events.people)
    share = np.minimum(1.0, cap / np.maximum(total, 1e-300))[owners[answers]]
    weight = np.where(both, events.weights[answers] * share, 0.0)
    a = np.where(given, events.values[answers], 0.0)
    f = mean[answers]
    columns = [np.ones(a.size), a, f, a * a, a * f, f * f, variance[answers]]
    found = [np.bincount(term, weight * each, minlength=terms) for each in columns]
    found += [np.bincount(term, share, minlength=terms)]
    found += [np.bincount(term, share * given, minlength=terms)]
    return np.stack(found, axis=1)


def calibrated(sums: Floats, belief: Belief, terms: Floats) -> Calibration:
    """One slope and one noise, shrunk to identity; each key-term's offset and noise to these."""
    if not sums[:, ASKED].sum():
        return identity(len(sums), belief.noise)
    spread = float(np.mean(np.einsum("kd,de,ke->k", terms, belief.covariance, terms)))
    middle = float(np.mean(terms @ belief.mean))
    pull = SLOPE_PULL * spread + _variance(sums) / SLOPE_DEVIATION**2
    slope, offset, offsets = _line(sums, pull, middle)
    kept = max(slope, LEAST_SLOPE)
    weightless = (max(slope, 0.0) / kept) ** 2
    noise, noises = _noises(sums, kept, offsets, belief.noise)
    chance, chances = _chances(sums)
    return Calibration(kept, weightless, offset, noise, chance, offsets, noises, chances)


def _variance(sums: Floats) -> float:
    """Of all answers, about whatever."""
    n = max(float(sums[:, COUNT].sum()), 1.0)
    return max(float(sums[:, AA].sum()) / n - (float(sums[:, A].sum()) / n) ** 2, 0.0)


def _line(sums: Floats, pull: float, middle: float) -> tuple[float, float, Floats]:
    """Slope, offset and offsets, as if key-terms' offsets were drawn around that of all.

    Then a key-term of n answers speaks fully of the slope within it, and by its means with a
    weight that does not grow beyond ``OFFSET_PULL``. The pull is of answers that equal x~'theta,
    around ``middle`` and of total square ``pull``.
    """
    n = np.maximum(sums[:, COUNT], 1e-300)
    a, f = sums[:, A] / n, sums[:, F] / n
    weight = sums[:, COUNT] * OFFSET_PULL / (sums[:, COUNT] + OFFSET_PULL)
    total = max(float(weight.sum()), 1e-300)
    centre, level = float(weight @ f) / total, float(weight @ a) / total
    top = float(np.sum(sums[:, AF] - n * a * f) + weight @ ((f - centre) * (a - level)))
    bottom = float(np.sum(sums[:, FF] - n * f * f) + weight @ (f - centre) ** 2)
    slope = (top + pull) / (bottom + pull)
    left = a - slope * f
    offset = float(weight @ left + SLOPE_PULL * (1.0 - slope) * middle) / (total + SLOPE_PULL)
    offsets = (sums[:, COUNT] * left + OFFSET_PULL * offset) / (sums[:, COUNT] + OFFSET_PULL)
    return slope, offset, offsets


def _noises(
    sums: Floats, slope: float, offsets: Floats, reward_noise: float
) -> tuple[float, Floats]:
    """What is left of answers, less what is not known of the tastes."""
    n, a, f = sums[:, COUNT], sums[:, A], sums[:, F]
    squares = sums[:, AA] - 2.0 * offsets * a - 2.0 * slope * sums[:, AF]
    squares = squares + n * offsets**2 + 2.0 * slope * offsets * f + slope**2 * sums[:, FF]
    own = squares - slope**2 * sums[:, SPREAD]
    pulled = SLOPE_PULL * reward_noise
    raw = float((squares.sum() + pulled) / (n.sum() + SLOPE_PULL))
    noise = max(float((own.sum() + pulled) / (n.sum() + SLOPE_PULL)), LEAST_NOISE * raw)
    noises = (own + NOISE_PULL * noise) / (n + NOISE_PULL)
    return noise, np.maximum(noises, LEAST_NOISE * noise)


def _chances(sums: Floats) -> tuple[float, Floats]:
    asked, answered = sums[:, ASKED], sums[:, ANSWERED]
    chance = float((answered.sum() + 1.0) / (asked.sum() + 1.0))
    return chance, (answered + CHANCE_PULL * chance) / (asked + CHANCE_PULL)
