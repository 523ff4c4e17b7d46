"""ConLinUCB-MCR: ask about the term the estimate is least certain of."""

from __future__ import annotations

import numpy as np

from conlinucb.linalg import quadratic
from conlinucb.strategies.base import TermStrategy, View, strategy_kernel
from conlinucb.ties import threshold


@strategy_kernel(cache=True)
def max_radius(view: View) -> int:
    """argmax ||x~||_P, exactly, without computing most of the radii.

    A radius never grows, so an old one is an upper bound: take the largest bound, make it
    true, and stop when the largest is true already.
    """
    offered, bounds = view.offered, view.bounds
    true = np.zeros(offered.shape[0], dtype=np.bool_)
    for i in range(offered.shape[0]):
        if np.isinf(bounds[offered[i]]):
            bounds[offered[i]] = np.sqrt(quadratic(view.cov, view.terms[offered[i]]))
            true[i] = True
    while True:
        top = 0
        for i in range(1, offered.shape[0]):
            if bounds[offered[i]] > bounds[offered[top]]:
                top = i
        if true[top]:
            break
        bounds[offered[top]] = np.sqrt(quadratic(view.cov, view.terms[offered[top]]))
        true[top] = True
    enough = threshold(bounds[offered[top]])
    for i in range(top):
        k = offered[i]
        if bounds[k] >= enough and not true[i]:
            bounds[k] = np.sqrt(quadratic(view.cov, view.terms[k]))
        if bounds[k] >= enough:
            return k
    return offered[top]


class MaxRadius(TermStrategy):
    """k = argmax over the offered terms of ||x~_k||_P (the paper's MCR)."""

    name = "max-radius"
    kernel = staticmethod(max_radius)
