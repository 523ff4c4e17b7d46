"""The best pair of key-terms by their difference, exactly, without looking at most pairs closely.

The score of x = x~_i - x~_j is the root of chance x'Sx / (noise + share x'Px). Since S is the same
for all pairs, x'Sx follows from products of the two key-terms, which are taken many at a time; and
x'Px is at least x'Sx / e with e the largest x'Sx / x'Px there is. So every pair has a bound, and
only those that can tie with the best so far are scored by their difference itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from conlinucb.agent.strategies.allowed import pair_reluctance
from conlinucb.numerics.compile import (
    FLOAT,
    INDEX,
    INT,
    MATRIX,
    STACK,
    VECTOR,
    VOID,
    kernel,
    tuple_type,
)
from conlinucb.numerics.linalg import (
    cholesky,
    dot,
    full_matrix,
    quadratic,
    solve_cholesky,
    times,
)
from conlinucb.numerics.ties import threshold
from conlinucb.numerics.validation import Floats, Indices

TILE = 64
"""Key-terms whose products are taken together: they fit into the nearest cache."""
SLACK = 1e-9
"""By how much a bound is raised, relatively, so that rounding never makes it too low."""
SWEEPS = 4
POWERS = 12


class Contest(NamedTuple):
    """What pairs are compared by; K key-terms, n of them take part."""

    terms: Floats
    """(K, d)."""
    which: Indices
    """(n,) those that take part, ascending."""
    seen: Floats
    """(d, d) S."""
    cov: Floats
    """(d, d) P."""
    share: float
    """1, or 0 where a score does not depend on P."""
    chances: Floats
    """(K,): a pair's chance is the product of both, ..."""
    noises: Floats
    """(K,) ... and its noise the mean of both."""
    asked: Indices
    """(m,) pairs asked about before, ascending, as ``Wanted`` has them, ..."""
    reluctance: Indices
    """(K,) ... and how little each key-term is wanted."""
    least: int
    """Pairs of this reluctance take part."""


CONTEST = tuple_type(
    Contest,
    *(MATRIX, INDEX, MATRIX, MATRIX, FLOAT, VECTOR, VECTOR, INDEX, INDEX, INT),
)


class Points(NamedTuple):
    """The key-terms that take part, from the longest on: where they are, and what S makes of it."""

    order: Indices
    """(n,) their places in ``Contest.which``."""
    rows: Floats
    """(n + 3, d) as they are apart from the mean, and three of zeros."""
    images: Floats
    """(n, d): S times that."""
    tiles: Floats
    """(n / 64, d, 64): the same, to be read along key-terms; zeros where there are no more."""
    squares: Floats
    """(64 n / 64,) x'Sx of each, never rising, ..."""
    chances: Floats
    noises: Floats
    """... and half the noise."""


POINTS = tuple_type(Points, INDEX, MATRIX, MATRIX, STACK, VECTOR, VECTOR, VECTOR)


@kernel(FLOAT(CONTEST, INT, INT, VECTOR))
def score_of(contest: Contest, i: int, j: int, x: Floats) -> float:
    """The score of the pair of key-terms i and j; ``x`` is scratch."""
    for c in range(x.shape[0]):
        x[c] = contest.terms[i, c] - contest.terms[j, c]
    noise = (contest.noises[i] + contest.noises[j]) / 2.0
    if contest.share > 0.0:
        noise += quadratic(contest.cov, x)
    chance = contest.chances[i] * contest.chances[j]
    return float(np.sqrt(chance * quadratic(contest.seen, x) / noise))


@kernel(FLOAT(MATRIX, MATRIX))
def largest_ratio(seen: Floats, cov: Floats) -> float:
    """A bound of x'Sx / x'Px, some percent too large; inf where rounding hides it.

    The power method finds about where it is; where e P - S has a root, e is a bound.
    """
    d = seen.shape[0]
    L, shifted = np.zeros((d, d)), np.empty((d, d))
    x, y = np.ones(d), np.empty(d)
    if not cholesky(cov, L):
        return np.inf
    for _ in range(POWERS):
        times(seen, x, y)
        solve_cholesky(L, y)
        size = np.sqrt(dot(y, y))
        if not 1e-150 < size < 1e150:
            return np.inf
        for i in range(d):
            x[i] = y[i] / size
    near = quadratic(seen, x) / quadratic(cov, x)
    for attempt in range(12):
        e = near * (1.03 + 0.15 * attempt * attempt)
        for i in range(d):
            for j in range(i + 1):
                shifted[i, j] = e * cov[i, j] - seen[i, j]
        if cholesky(shifted, L):
            return float(e)
    return np.inf


@kernel(POINTS(CONTEST))
def points_of(contest: Contest) -> Points:
    """The key-terms that take part, made ready; see ``Points``."""
    n, d = contest.which.shape[0], contest.terms.shape[1]
    wide = (n + TILE - 1) // TILE
    middle, rows, images = np.zeros(d), np.zeros((n + 3, d)), np.empty((n + 3, d))
    for k in contest.which:
        for c in range(d):
            middle[c] += contest.terms[k, c] / n
    lengths = np.empty(n)
    for i in range(n):
        for c in range(d):
            rows[i, c] = contest.terms[contest.which[i], c] - middle[c]
    rows_times(rows, full_matrix(contest.seen), images)
    for i in range(n):
        lengths[i] = dot(rows[i], images[i])
    order = np.argsort(-lengths, kind="mergesort")
    made = Points(
        order,
        np.zeros((n + 3, d)),
        np.empty((n, d)),
        np.zeros((wide, d, TILE)),
        np.zeros(wide * TILE),
        np.zeros(wide * TILE),
        np.ones(wide * TILE),
    )
    for i in range(n):
        at, k = order[i], contest.which[order[i]]
        for c in range(d):
            made.rows[i, c] = rows[at, c]
            made.images[i, c] = images[at, c]
            made.tiles[i // TILE, c, i % TILE] = images[at, c]
        made.squares[i] = max(lengths[at], 0.0)
        made.chances[i], made.noises[i] = contest.chances[k], contest.noises[k] / 2.0
    return made


@kernel(VOID(MATRIX, MATRIX, MATRIX))
def rows_times(rows: Floats, matrix: Floats, out: Floats) -> None:
    """out = rows matrix, four rows at a time; what is left over of them is left out."""
    n, d = rows.shape
    for i in range(0, n - n % 4, 4):
        for r in range(4):
            for c in range(d):
                out[i + r, c] = 0.0
        for k in range(d):
            a, b, e, f = rows[i, k], rows[i + 1, k], rows[i + 2, k], rows[i + 3, k]
            for c in range(d):
                x = matrix[k, c]
                out[i, c] += a * x
                out[i + 1, c] += b * x
                out[i + 2, c] += e * x
                out[i + 3, c] += f * x


@kernel(VOID(MATRIX, INT, MATRIX, MATRIX))
def products_of_four(rows: Floats, i: int, tile: Floats, out: Floats) -> None:
    """out[r, j] = rows[i + r]'tile[:, j], (4, 64)."""
    d = tile.shape[0]
    for r in range(4):
        for j in range(TILE):
            out[r, j] = 0.0
    for c in range(0, d - d % 2, 2):
        a0, b0, e0, f0 = rows[i, c], rows[i + 1, c], rows[i + 2, c], rows[i + 3, c]
        c1 = c + 1
        a1, b1, e1, f1 = rows[i, c1], rows[i + 1, c1], rows[i + 2, c1], rows[i + 3, c1]
        for j in range(TILE):
            x, y = tile[c, j], tile[c1, j]
            out[0, j] += a0 * x + a1 * y
            out[1, j] += b0 * x + b1 * y
            out[2, j] += e0 * x + e1 * y
            out[3, j] += f0 * x + f1 * y
    if d % 2:
        for r in range(4):
            for j in range(TILE):
                out[r, j] += rows[i + r, d - 1] * tile[d - 1, j]


@kernel(FLOAT(FLOAT, FLOAT, FLOAT, FLOAT, FLOAT), inner=True)
def margin(apart: float, chance: float, noise: float, inverse: float, bar: float) -> float:
    """At least 0 where a pair with x'Sx of ``apart`` may have a squared score of ``bar``."""
    return chance * apart - bar * (noise + inverse * apart)


@kernel(FLOAT(CONTEST, INT, INT, VECTOR))
def allowed_score(contest: Contest, i: int, j: int, x: Floats) -> float:
    """The score of the pair at places i < j of ``which``; -inf where it may not be asked."""
    one, other = contest.which[i], contest.which[j]
    if pair_reluctance(contest.asked, contest.reluctance, one, other) != contest.least:
        return -np.inf
    return score_of(contest, one, other, x)


@kernel(FLOAT(POINTS, INT, INT))
def apart_of(points: Points, i: int, j: int) -> float:
    """A bound of x'Sx of the i-th and j-th point, hardly above it."""
    product = dot(points.rows[i], points.images[j])
    apart = points.squares[i] + points.squares[j] - 2.0 * product
    return float(apart * (1.0 + SLACK) + 1e-3 * SLACK * points.squares[0])


@kernel(FLOAT(CONTEST, POINTS, FLOAT, VECTOR))
def good_score(contest: Contest, points: Points, inverse: float, x: Floats) -> float:
    """The score of a good pair: from the longest to what is best with it, and so on from there."""
    n, i, best = contest.which.shape[0], 0, 0.0
    for _ in range(SWEEPS):
        top, at = -1.0, -1
        for j in range(n):
            apart = apart_of(points, i, j)
            chance = points.chances[i] * points.chances[j]
            worth = chance * apart / (points.noises[i] + points.noises[j] + inverse * apart)
            if j != i and worth > top:
                top, at = worth, j
        if at < 0:
            return best
        low, high = min(points.order[i], points.order[at]), max(points.order[i], points.order[at])
        best = max(best, allowed_score(contest, low, high, x))
        i = at
    return best


@kernel(FLOAT(FLOAT))
def bar_of(best: float) -> float:
    """The squared score from which a pair may tie with the best, a little lower."""
    return max(threshold(best) * (1.0 - SLACK), 0.0) ** 2


@kernel(INT(CONTEST, POINTS, VECTOR, FLOAT, FLOAT, VECTOR))
def first_pair(
    contest: Contest, points: Points, bests: Floats, best: float, inverse: float, x: Floats
) -> int:
    """The lowest pair that ties with the best; ``bests`` (n,) of each as the lower of two."""
    n, enough, bar = bests.shape[0], threshold(best), bar_of(best)
    place = np.empty(n, dtype=np.int64)
    for i in range(n):
        place[points.order[i]] = i
    for i in range(n):
        for j in range(i + 1, n if bests[i] >= enough else 0):
            a, b = place[i], place[j]
            chance = points.chances[a] * points.chances[b]
            noise = points.noises[a] + points.noises[b]
            may = margin(apart_of(points, a, b), chance, noise, inverse, bar) >= 0.0
            if may and allowed_score(contest, i, j, x) >= enough:
                return int(contest.which[i] * contest.terms.shape[0] + contest.which[j])
    return int(contest.which[0] * contest.terms.shape[0] + contest.which[1])


@kernel(INT(CONTEST))
def best_pair(contest: Contest) -> int:
    """first * K + second of the best pair, first < second; of those that tie the lowest.

    At least two key-terms take part, and at least one pair has the least reluctance.
    """
    n, x = contest.which.shape[0], np.empty(contest.terms.shape[1])
    points = points_of(contest)
    inverse = contest.share / largest_ratio(contest.seen, contest.cov) if contest.share else 0.0
    most, least = points.chances.max() ** 2, 2.0 * points.noises[:n].min()
    slack = 1e-3 * SLACK * points.squares[0]
    best, bar = good_score(contest, points, inverse, x), 0.0
    bests, products, margins = np.full(n, -np.inf), np.empty((4, TILE)), np.empty(TILE)
    for t in range(points.tiles.shape[0]):
        first = t * TILE
        width = np.sqrt(points.squares[first])
        squares, chances = points.squares[first:], points.chances[first:]
        noises = points.noises[first:]
        for start in range(0, min(first + TILE, n), 4):
            bar = bar_of(best)
            span = (np.sqrt(points.squares[start]) + width) ** 2 * (1.0 + SLACK) + slack
            if margin(span, most, least, inverse, bar) < 0.0:
                break
            products_of_four(points.rows, start, points.tiles[t], products)
            for r in range(min(4, n - start)):
                i = start + r
                square, chance, noise = points.squares[i], points.chances[i], points.noises[i]
                for j in range(TILE):
                    apart = (square + squares[j] - 2.0 * products[r, j]) * (1.0 + SLACK) + slack
                    margins[j] = margin(apart, chance * chances[j], noise + noises[j], inverse, bar)
                for j in range(max(i + 1 - first, 0), min(TILE, n - first)):
                    if margins[j] >= 0.0:
                        one, other = points.order[i], points.order[first + j]
                        low, high = min(one, other), max(one, other)
                        found = allowed_score(contest, low, high, x)
                        bests[low] = max(bests[low], found)
                        best = max(best, found)
    return first_pair(contest, points, bests, best, inverse, x)
