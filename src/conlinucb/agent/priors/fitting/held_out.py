"""How well people are predicted who were not in the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from conlinucb.agent.priors.fitting.events import Events
from conlinucb.agent.priors.fitting.predict import predicted
from conlinucb.agent.priors.fitting.sums import Belief, Meaning
from conlinucb.randomness import Marks

FEWEST = 10
"""With fewer people nobody is held out."""
EVERY = 5
"""One person in this many is held out."""
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def divided(sample: Events) -> tuple[Events, Events]:
    """Those to fit to, and those held out."""
    out = np.arange(sample.people) % EVERY == EVERY - 1
    return sample.chosen(np.flatnonzero(~out)), sample.chosen(np.flatnonzero(out))


def judged(belief: Belief, meaning: Meaning, cap: float, events: Events) -> dict[str, Any]:
    """Likelihood and coverage of everyone's second half, before and after their first."""
    late = _second_halves(events, meaning)
    if not late.any():
        return {}
    after = predicted(belief, meaning, cap, events, late)
    silent = meaning._replace(weight=np.zeros_like(meaning.weight))
    before = predicted(belief, silent, cap, events, late)
    own = meaning.weight[events.rows] * events.weights
    found: dict[str, Any] = {"held_out_people": events.people, "held_out_events": int(late.sum())}
    distances = []
    for name, (mean, variance) in (("", after), ("_before", before)):
        at = late != 0
        total = variance[at] + belief.noise / own[at]
        away = (events.values[at] - mean[at]) / np.sqrt(total)
        distances.append(np.abs(away))
        likelihood = -0.5 * (np.log(2.0 * np.pi * total) + away**2)
        found[f"held_out_likelihood{name}"] = float(likelihood.mean())
        inside = [float(np.mean(np.abs(away) <= ndtri(0.5 + each / 2.0))) for each in LEVELS]
        found[f"coverage{name}"] = inside[LEVELS.index(0.9)]
        found[f"coverages{name}"] = inside
    found["multiples"] = np.quantile(np.concatenate(distances), LEVELS).tolist()
    return found


def multiple(level: float, multiples: list[float] | None) -> float:
    """Standard deviations that an interval of this level needs, as those held out showed.

    Rewards of yes and no are not normal; where nobody was held out they are taken to be.
    """
    if not multiples:
        return float(ndtri(0.5 + level / 2.0))
    return float(np.interp(level, LEVELS, multiples))


def _second_halves(events: Events, meaning: Meaning) -> Marks:
    """The later half of each person's rewards; of one event, none."""
    counted = (meaning.weight[events.rows] * events.weights > 0.0).astype(np.int64)
    so_far = np.concatenate([[0], np.cumsum(counted)])
    rank = so_far[1:] - so_far[events.starts[:-1]][events.owners]
    size = (so_far[events.starts[1:]] - so_far[events.starts[:-1]])[events.owners]
    return ((rank > (size + 1) // 2) & (counted > 0)).astype(np.uint8)
