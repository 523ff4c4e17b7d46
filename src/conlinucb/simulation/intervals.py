"""Student's interval and test of a mean over people, and what several tests at once ask for."""

from __future__ import annotations

import numpy as np

from conlinucb.numerics.validation import Floats, number

NO_SPREAD = 1e-12
"""A standard error below this share of the largest sample is rounding."""


def checked_level(level: float) -> float:
    """A confidence level between 0 and 1."""
    return number("level", level, low=1e-9, high=1 - 1e-9)


def half_width(samples: Floats, level: float) -> Floats:
    """Half of Student's interval of the mean along the first axis; NaN for a single sample."""
    from scipy import stats  # half a second to import, and not needed to simulate

    checked_level(level)
    n = samples.shape[0]
    if n < 2:
        return np.full(samples.shape[1:], np.nan)
    return np.asarray(stats.t.ppf((1 + level) / 2, n - 1) * stats.sem(samples, axis=0))


def p_value(samples: Floats) -> float:
    """Of the two-sided t-test that the mean is 0; 1 where every sample is 0.

    NaN where nothing can be tested: one sample, or samples that are all alike and not 0.

    >>> round(p_value(np.array([1.0, 2.0, 3.0])), 4), p_value(np.zeros(3)), p_value(np.ones(3))
    (0.0742, 1.0, nan)
    """
    from scipy import stats

    n = samples.size
    if n > 1 and not samples.any():
        return 1.0
    error = stats.sem(samples) if n > 1 else 0.0
    if error <= NO_SPREAD * np.abs(samples).max():
        return float("nan")
    return float(2 * stats.t.sf(abs(samples.mean()) / error, n - 1))


def holm(p_values: Floats) -> Floats:
    """Each p-value corrected for all of them being looked at (Holm); NaN stays NaN.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values)  # NaN last
    times = np.arange(p_values.size, 0, -1)
    corrected = np.empty(p_values.size)
    corrected[order] = np.minimum(np.maximum.accumulate(times * p_values[order]), 1.0)
    return corrected


def simultaneous(level: float, pairs: int) -> float:
    """The level of each of several intervals that hold together at ``level`` (Bonferroni)."""
    return 1 - (1 - checked_level(level)) / pairs
