"""What is expected of a person's events, given some of them."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.priors.fitting import kernels
from conlinucb.agent.priors.fitting.events import Events
from conlinucb.agent.priors.fitting.sums import Belief, Meaning, taken, tempers, whitened
from conlinucb.numerics.validation import Floats
from conlinucb.randomness import Marks


def predicted(
    belief: Belief, meaning: Meaning, cap: float, events: Events, wanted: Marks
) -> tuple[Floats, Floats]:
    """Mean and variance of x'theta for wanted events after the person's others; else NaN."""
    means, variances = np.full((2, events.rows.size), np.nan)
    view, said = whitened(belief, meaning), taken(events, meaning)
    weights = np.where(wanted != 0, 0.0, said.weights)
    kernels.predict_people(
        view.table, view.level, said.starts, said.rows, said.values, weights,
        tempers(events, weights, cap), said.deltas,
        view.popularity, view.popularity_level, view.noise, wanted, means, variances,
    )  # fmt: skip
    return means, variances
