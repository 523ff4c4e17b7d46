"""One ridge regression inside a state: M, its inverse P, moment Y, prior and theta = P (Y + prior).

Of P and M the lower triangles count; see ``conlinucb.numerics.linalg``. A state may hold several:
ledger ``i`` has its place behind those before it.
"""

from __future__ import annotations

import numpy as np

from conlinucb.agent.estimators.state import STATE, Layout, Part, State
from conlinucb.errors import IncompatibleState
from conlinucb.numerics.compile import FLOAT, INT, VECTOR, VOID, kernel
from conlinucb.numerics.linalg import (
    PENDING,
    REFRESH_ABOVE,
    REFRESH_EVERY,
    ill_conditioned,
    refresh,
    settle,
    times_of,
)
from conlinucb.numerics.validation import Floats

MATRICES, VECTORS, NUMBERS, COUNTS = 2, 3 + PENDING, PENDING, 3
"""What one ledger takes of each stack."""
MATRIX_P, MATRIX_M = 0, 1
THETA, MOMENT, PRIOR, WAITING = 0, 1, 2, 3
"""Places in a ledger; from WAITING on are observations that M has not taken in yet."""


def layout(prefix: str = "", ledger: int = 0) -> Layout:
    """The names under which a ledger is stored, in their order."""
    matrix, vector = ledger * MATRICES, ledger * VECTORS
    return (
        Part(f"{prefix}P", "matrices", matrix + MATRIX_P),
        Part(f"{prefix}M", "matrices", matrix + MATRIX_M),
        Part(f"{prefix}Y", "vectors", vector + MOMENT),
        Part(f"{prefix}prior", "vectors", vector + PRIOR),
        Part(f"{prefix}theta", "vectors", vector + THETA),
        Part(f"{prefix}pending", "vectors", vector + WAITING, PENDING),
        Part(f"{prefix}targets", "numbers", ledger * NUMBERS, NUMBERS),
        Part(f"{prefix}counts", "counts", ledger * COUNTS, COUNTS),
    )


def begin(state: State, ledger: int, M: Floats, moment: Floats) -> None:
    """Nothing learned: M and the prior's moment M mean, and what follows from them."""
    matrices = state.matrices[ledger * MATRICES :]
    vectors = state.vectors[ledger * VECTORS :]
    matrices[MATRIX_M], vectors[PRIOR] = M, moment
    if np.count_nonzero(M - np.diag(np.diagonal(M))) == 0:
        matrices[MATRIX_P] = np.diag(1.0 / np.diagonal(M))
        vectors[THETA] = moment / np.diagonal(M)
    elif not refresh(
        matrices[MATRIX_P], matrices[MATRIX_M], vectors[MOMENT], vectors[PRIOR], vectors[THETA]
    ):
        raise IncompatibleState("the prior's precision is not positive definite.")
    _look(state, ledger)


def sums(state: State, ledger: int, start: State) -> Floats:
    """(d + 1, d): sum w xx', lower triangle, above sum w y x, of everything learned since
    ``start``, the state of a newcomer."""
    d = state.theta.size
    found = np.empty((d + 1, d))
    found[:d] = state.matrices[ledger * MATRICES + MATRIX_M]
    found[d] = state.vectors[ledger * VECTORS + MOMENT]
    waiting = state.vectors[ledger * VECTORS + WAITING : (ledger + 1) * VECTORS]
    targets = state.numbers[ledger * NUMBERS : (ledger + 1) * NUMBERS]
    settle(found[:d], found[d], waiting, targets, state.counts[ledger * COUNTS + 1])
    found[:d] -= start.matrices[ledger * MATRICES + MATRIX_M]
    return found


def restart(state: State, ledger: int, learned: Floats) -> None:
    """Give a newcomer's ledger what was learned elsewhere: ``sums``."""
    matrices = state.matrices[ledger * MATRICES :]
    vectors = state.vectors[ledger * VECTORS :]
    matrices[MATRIX_M] += learned[:-1]
    vectors[MOMENT] += learned[-1]
    places = matrices[MATRIX_P], matrices[MATRIX_M], vectors[MOMENT], vectors[PRIOR], vectors[THETA]
    if not refresh(*places):
        raise IncompatibleState("with this prior the state is too ill-conditioned to go on.")
    _look(state, ledger)


def _look(state: State, ledger: int) -> None:
    """Note whether the matrix is ill-conditioned, as ``absorb`` does from time to time."""
    P, M = state.matrices[ledger * MATRICES : ledger * MATRICES + 2]
    state.counts[ledger * COUNTS + 2] = ill_conditioned(P, M)


@kernel(FLOAT(STATE, INT, VECTOR, FLOAT, FLOAT, VECTOR), inner=True)
def step(state: State, ledger: int, x: Floats, y: float, weight: float, v: Floats) -> float:
    """P and theta by one observation, which waits for M; w x'Px before it. ``v`` is scratch.

    v = Px, g = w / (1 + w x'v), theta += g v (y - x'theta), P -= g vv'. No views: they would cost
    a quarter of it.
    """
    matrices, vectors, counts = state.matrices, state.vectors, state.counts
    m, n, c, d = ledger * MATRICES, ledger * VECTORS, ledger * COUNTS, x.shape[0]
    times_of(matrices, m, x, v)
    growth = mean = 0.0
    for i in range(d):
        growth += x[i] * v[i]
        mean += x[i] * vectors[n, i]
    growth *= weight
    gain = weight / (1.0 + growth)
    change, root_gain, root_weight = gain * (y - mean), np.sqrt(gain), np.sqrt(weight)
    waiting = n + WAITING + counts[c + 1]
    for i in range(d):
        vectors[n, i] += change * v[i]
        vectors[waiting, i] = root_weight * x[i]
        v[i] *= root_gain
    for i in range(d):
        shrink = v[i]
        for j in range(i + 1):
            matrices[m, i, j] -= shrink * v[j]
    state.numbers[ledger * NUMBERS + counts[c + 1]] = root_weight * y
    counts[c] += 1
    counts[c + 1] += 1
    return growth


@kernel(VOID(STATE, INT, INT), inner=True)
def keep_exact(state: State, ledger: int, full: int) -> None:
    """Enter a whole block of observations into M, or compute P and theta anew from M."""
    m, n, c = ledger * MATRICES, ledger * VECTORS, ledger * COUNTS
    P, M = state.matrices[m], state.matrices[m + 1]
    Y, waiting = state.vectors[n + MOMENT], state.vectors[n + WAITING : n + VECTORS]
    targets = state.numbers[ledger * NUMBERS : (ledger + 1) * NUMBERS]
    if state.counts[c + 1] == PENDING:
        settle(M, Y, waiting, targets, PENDING)
        state.counts[c + 1] = 0
        state.counts[c + 2] = ill_conditioned(P, M)
    if full or state.counts[c + 2] == 1:
        # M itself waits for all of a block: it would lose digits by many small additions.
        now, moment = M.copy(), Y.copy()
        settle(now, moment, waiting, targets, state.counts[c + 1])
        state.counts[c + 2] = ill_conditioned(P, now)
        if refresh(P, now, moment, state.vectors[n + PRIOR], state.vectors[n + THETA]):
            state.counts[c] = 0


@kernel(INT(STATE, INT, VECTOR, FLOAT, FLOAT, VECTOR))
def enter(state: State, ledger: int, x: Floats, y: float, weight: float, v: Floats) -> int:
    """One weighted observation y of x'theta (Eq. 6); 1 where the matrix is ill-conditioned by now.

    M += w xx' and Y += w y x. ``counts`` are the updates since P was last computed from M, how
    many of them M has not taken in, and 1 where it is ill-conditioned.
    """
    growth = step(state, ledger, x, y, weight, v)
    counts, c = state.counts, ledger * COUNTS
    full = counts[c] >= REFRESH_EVERY or not growth < REFRESH_ABOVE
    if full or counts[c + 1] == PENDING or counts[c + 2] == 1:
        keep_exact(state, ledger, int(full))
    return counts[c + 2]


def check(state: State, ledger: int) -> None:
    """Refuse contents that no run of updates leads to: kernels trust them."""
    counts = state.counts[ledger * COUNTS : (ledger + 1) * COUNTS]
    fresh, pending, ill = (int(n) for n in counts)
    if fresh < 0 or not 0 <= pending < PENDING or ill not in (0, 1):
        raise IncompatibleState(f"counts are {counts.tolist()}, which cannot be.")
    for i, name in ((MATRIX_P, "P"), (MATRIX_M, "M")):
        if not (np.diagonal(state.matrices[ledger * MATRICES + i]) > 0).all():
            raise IncompatibleState(f"{name} is not positive definite.")
