"""The expected maximum of lines, interval by interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]


def expected_maximum(heights: Floats, slopes: Floats) -> float:
    """E[max (heights + slopes Z)]: between the crossings of two lines one is the highest."""
    one, other = np.triu_indices(heights.size, 1)
    apart = slopes[one] != slopes[other]
    one, other = one[apart], other[apart]
    cuts = np.sort((heights[other] - heights[one]) / (slopes[one] - slopes[other]))
    cuts = np.concatenate([[-np.inf], cuts, [np.inf]])
    middles = np.clip(cuts[:-1], -1e3, 1e3) / 2 + np.clip(cuts[1:], -1e3, 1e3) / 2
    top = np.argmax(heights + np.outer(middles, slopes), axis=1)
    shares, ends = np.diff(norm.cdf(cuts)), norm.pdf(cuts)
    return float(heights[top] @ shares + slopes[top] @ (ends[:-1] - ends[1:]))
