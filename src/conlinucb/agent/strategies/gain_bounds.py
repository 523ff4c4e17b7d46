"""What a question can gain at most, found without looking at every arm and key-term closely.

A question about term k moves the mean of arm a, against the best one's, by s_ak Z: lines of height
h_a <= 0 and slope s_ak over a standard normal Z, of which the best arm's is 0 throughout. Its gain
is E[max_a (h_a + s_ak Z)], and

- at most the sum of E[(h_a + s_ak Z)^+], since a maximum of numbers of which one is 0 is at most
  the sum of the positive ones;
- at most (max_a s_ak - min_a s_ak) / sqrt(2 pi), what it is with all heights lifted to 0, since
  max_a s_a z is z max_a s_a for z > 0 and z min_a s_a for z < 0;
- at most what its chords give: the maximum is a convex function of z, so between two points it is
  below the chord, and beyond the last below the steepest line;
- all of these grow with the slopes' sizes, and |s_ak| <= sigma_a rho_k by Cauchy and Schwarz in
  the metric of P: sigma_a is the length of the arms' difference times sqrt(noise), and rho_k^2 =
  w r^2 / (1 + w r^2) with the term's radius r, of which an old one is an upper bound: radii never
  grow.

P's norm times a length bounds any radius, so arms and rounds without promise cost next to nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from conlinucb.agent.strategies.base import VIEW, View
from conlinucb.agent.strategies.envelope import expected_excess
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MATRIX,
    VECTOR,
    VOID,
    kernel,
    tuple_type,
)
from conlinucb.numerics.linalg import dot
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices

LEVEL = 1.0 / math.sqrt(2.0 * math.pi)
"""E[max(Z, 0)]."""
NEGLIGIBLE = 1e-11
"""Times what a question costs: what an arm may add to a gain without being looked at."""
FAINT = 9.0
"""A line so many standard deviations below 0 gains less than ``BARELY`` times its slope."""
BARELY = 1e-19
ROUNDING = 64.0 * np.finfo(np.float64).eps
"""Times d + 4 and the norm of P: what a squared length in P's metric may be off by."""


SLACK = 1e-9
"""By how much more than computed a bound is taken to be, relatively."""
HALF = (0.3, 0.6, 0.95, 1.35, 1.8, 2.4, 3.2, 4.2)


def chord_weights() -> tuple[Floats, Floats, float]:
    """Points z_i, and w_i and c with E[g(Z); Z > 0] <= sum w_i g(z_i) + c times the steepest rise.

    For g convex and 0 at 0. Between two points a and b the chord's share of g(b) is
    E[(Z - a) / (b - a)] there, of g(a) the rest; beyond the last point g is g there and the rise.
    """
    ends = [0.0, *HALF]
    density = [LEVEL * math.exp(-0.5 * z * z) for z in ends]
    above = [0.5 * math.erfc(z / math.sqrt(2.0)) for z in ends]
    weights = np.zeros(len(ends))
    for i in range(len(HALF)):
        inside = above[i] - above[i + 1]
        share = density[i] - density[i + 1] - ends[i] * inside
        share /= ends[i + 1] - ends[i]
        weights[i] += inside - share
        weights[i + 1] += share
    weights[-1] += above[-1]
    return np.array(HALF), weights[1:].copy(), density[-1] - ends[-1] * above[-1]


POINTS, WEIGHTS, BEYOND = chord_weights()


class Rivals(NamedTuple):
    """The arms that may overtake the best one, and all that is the same for every question."""

    heights: Floats
    """(m,) their means less the best one's."""
    effects: Floats
    """(m, d) sqrt(noise) P (z_a - z_best): its product with x~ is the slope without its scale."""
    most: float
    """No question gains more than this."""


RIVALS = tuple_type(Rivals, VECTOR, MATRIX, FLOAT)


@kernel(FLOAT(FLOAT, FLOAT))
def lone_gain(height: float, slope: float) -> float:
    """At least E[max(height + slope Z, 0)] for a height of at most 0 and a slope of at least 0.

    Exact but for lines that are far below.
    """
    if not slope > 0.0:
        return 0.0
    z = -height / slope
    return slope * (BARELY if z > FAINT else expected_excess(z))


@kernel(FLOAT(VECTOR, VECTOR, VECTOR))
def by_chords(heights: Floats, slopes: Floats, tops: Floats) -> float:
    """At least the gain of these lines; ``tops`` (16,) is scratch."""
    low = high = total = 0.0
    for i in range(16):
        tops[i] = 0.0
    for a in range(heights.shape[0]):
        height, slope = heights[a], slopes[a]
        low, high = min(low, slope), max(high, slope)
        side = np.uint64(0) if slope > 0.0 else np.uint64(8)  # where the line rises above 0
        steep = abs(slope)
        for i in range(np.uint64(8)):
            there = height + steep * POINTS[i]
            tops[side + i] = there if there > tops[side + i] else tops[side + i]
    for i in range(8):
        total += WEIGHTS[i] * (tops[i] + tops[8 + i])
    return total + BEYOND * (high - low)


@kernel(FLOAT(MATRIX))
def largest_stretch(P: Floats) -> float:
    """At least ||P||: the lesser of its Frobenius norm and its largest absolute row sum."""
    squares = rows = 0.0
    for i in range(P.shape[0]):
        row = 0.0
        for j in range(P.shape[1]):
            squares += P[i, j] * P[i, j]
            row += abs(P[i, j])
        rows = max(rows, row)
    return min(math.sqrt(squares), rows)


@kernel(FLOAT(FLOAT, FLOAT, INT), inner=True)
def share_of(square: float, largest: float, d: int) -> float:
    """rho of a weighted squared radius; rounding is relative to the ``largest`` there may be."""
    most = square + ROUNDING * (d + 4) * largest
    return math.sqrt(most / (1.0 + most)) * (1.0 + SLACK)


@kernel(FLOAT(VIEW, FLOAT))
def largest_share(view: View, longest: float) -> float:
    """At least the largest rho_k of the offered terms; none of their radii is above ``longest``."""
    most = 0.0
    for i in range(view.offered.shape[0]):
        k = view.offered[i]
        radius = min(view.bounds[k], longest)
        most = max(most, view.weights[k] * radius * radius)
    return share_of(most, view.weights.max() * longest * longest, view.cov.shape[0])


@kernel(RIVALS(VIEW, INDEX, FLOAT, FLOAT))
def rivals_of(view: View, arms: Indices, longest: float, cost: float) -> Rivals:
    """The arms that may overtake the first of them, the best; ``longest`` is the longest term.

    None where no question can be worth ``cost``. First with every sigma_a bounded by the length of
    the difference, then with those computed that may matter.
    """
    n, d, best = arms.shape[0], view.cov.shape[0], np.uint64(arms[0])
    stretch = largest_stretch(view.cov)
    widest_term = view.weights.max() * longest * longest * stretch
    share = share_of(widest_term, widest_term, d)
    heights, spreads, which, m = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64), 0
    total = widest = 0.0
    for i in range(n):
        square, a = 0.0, np.uint64(arms[i])
        for j in range(np.uint64(d)):
            apart = view.reach[a, j] - view.reach[best, j]
            square += apart * apart
        spread = math.sqrt(view.noise * stretch * square)
        gain = lone_gain(view.means[a] - view.means[best], share * spread)
        total += gain
        widest = max(widest, spread)
        if not gain <= NEGLIGIBLE * cost:
            heights[m], spreads[m], which[m] = view.means[a] - view.means[best], spread, arms[i]
            m += 1
    most = min(total, 2.0 * LEVEL * share * widest)
    if most < threshold(cost):
        return Rivals(heights[:0], np.empty((0, d)), most)
    share = largest_share(view, longest * math.sqrt(stretch))
    return _looked_at(view, arms[0], heights[:m], spreads[:m], which[:m], share, cost)


@kernel(RIVALS(VIEW, INT, VECTOR, VECTOR, INDEX, FLOAT, FLOAT), inner=True)
def _looked_at(
    view: View,
    best: int,
    heights: Floats,
    spreads: Floats,
    which: Indices,
    share: float,
    cost: float,
) -> Rivals:
    """The same with every sigma_a computed."""
    n, d = which.shape[0], view.cov.shape[0]
    apart, effects, every = np.empty((n, d)), np.empty((n, d)), np.arange(n)
    scale, total, widest, m = math.sqrt(view.noise), 0.0, 0.0, 0
    for i in range(n):
        for j in range(d):
            apart[i, j] = scale * (view.reach[which[i], j] - view.reach[best, j])
    cross_products(view.cov, apart, every, every, effects)
    for i in range(n):
        off = ROUNDING * (d + 4) * spreads[i] * spreads[i]
        spread = math.sqrt(max(dot(apart[i], effects[i]), 0.0) + off)
        gain = lone_gain(heights[i], share * spread)
        total += gain
        widest = max(widest, spread)
        if not gain <= NEGLIGIBLE * cost:
            heights[m] = heights[i]
            effects[m] = effects[i]
            m += 1
    most = min(total, 2.0 * LEVEL * share * widest)
    return Rivals(heights[:m], effects[:m], most)


@kernel(VOID(MATRIX, MATRIX, INDEX, INDEX, MATRIX))
def cross_products(
    rows: Floats, terms: Floats, offered: Indices, allowed: Indices, out: Floats
) -> None:
    """out[i, a] = rows[a]'x~ for the term at position allowed[i] of those offered.

    Four terms and four rows at a time, so that each is read once for four products.
    """
    n, m, d = allowed.shape[0], rows.shape[0], rows.shape[1]
    last, end = n - 1, m - 1
    for i in range(0, n, 4):
        i1, i2, i3 = min(i + 1, last), min(i + 2, last), min(i + 3, last)
        k0, k1 = np.uint64(offered[allowed[i]]), np.uint64(offered[allowed[i1]])
        k2, k3 = np.uint64(offered[allowed[i2]]), np.uint64(offered[allowed[i3]])
        for a in range(0, m, 4):
            b, c, e = min(a + 1, end), min(a + 2, end), min(a + 3, end)
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
            c0 = c1 = c2 = c3 = e0 = e1 = e2 = e3 = 0.0
            for j in range(d):
                x0, x1, x2, x3 = terms[k0, j], terms[k1, j], terms[k2, j], terms[k3, j]
                ra, rb, rc, re = rows[a, j], rows[b, j], rows[c, j], rows[e, j]
                a0 += ra * x0
                a1 += ra * x1
                a2 += ra * x2
                a3 += ra * x3
                b0 += rb * x0
                b1 += rb * x1
                b2 += rb * x2
                b3 += rb * x3
                c0 += rc * x0
                c1 += rc * x1
                c2 += rc * x2
                c3 += rc * x3
                e0 += re * x0
                e1 += re * x1
                e2 += re * x2
                e3 += re * x3
            out[i, a], out[i, b], out[i, c], out[i, e] = a0, b0, c0, e0
            out[i1, a], out[i1, b], out[i1, c], out[i1, e] = a1, b1, c1, e1
            out[i2, a], out[i2, b], out[i2, c], out[i2, e] = a2, b2, c2, e2
            out[i3, a], out[i3, b], out[i3, c], out[i3, e] = a3, b3, c3, e3


@kernel(INT(VECTOR, MATRIX, FLOAT, FLOAT, INDEX))
def still_in(heights: Floats, slopes: Floats, cost: float, enough: float, which: Indices) -> int:
    """How many arms may matter to these questions, the rows of ``slopes``, into ``which``.

    0 where all of them together cannot gain ``enough`` for any of the questions.
    """
    n, m = slopes.shape
    steepest, total, widest, count = np.zeros(m), 0.0, 0.0, 0
    for i in range(n):
        for a in range(m):
            size = abs(slopes[i, a])
            steepest[a] = size if size > steepest[a] else steepest[a]
    for a in range(m):
        gain = lone_gain(heights[a], steepest[a])
        total += gain
        widest = max(widest, steepest[a])
        if not gain <= NEGLIGIBLE * cost:
            which[count] = a
            count += 1
    return 0 if min(total, 2.0 * LEVEL * widest) * (1.0 + SLACK) < enough else count
