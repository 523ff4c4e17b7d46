"""What is to be evaluated: how likely it would have taken each arm in each logged decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from conlinucb.agent.agent import Agent
from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.offline.log import Log, arm_codes
from conlinucb.offline.replayed import probabilities

ROUNDING = 1e-6
"""By how much the probabilities of a decision may miss 1."""


class Target(NamedTuple):
    """Probabilities for n decisions."""

    chosen: Floats
    """(n,) of the logged action."""
    everywhere: Any
    """(n, N) sparse, of every arm; None where only the logged action's is known."""
    actions: Indices | None
    """(n,) the logged actions as columns of ``everywhere``."""
    features: Any
    """(N, p) of the arms for a model of rewards; sparse where arms are only told apart."""


def target_of(
    given: Any, log: Log, catalog: Catalog | None, draws: int, own: int | None = None
) -> Target:
    """The target that an agent, a column, a table by arm or a matrix describes."""
    if own is not None and not isinstance(given, Agent):
        raise InvalidInput("Only an agent has a history of its own; leave history out.")
    if isinstance(given, str):
        return Target(_checked(log.others[given][log.decisions], given), None, None, None)
    if isinstance(given, Agent):
        return _of_agent(given, log, catalog, draws, own)
    if isinstance(given, Mapping):
        ids = list(given) if catalog is None else list(catalog.arm_ids)
        return _of_matrix(_columns(given, ids, log.decisions.size), log, ids, catalog)
    if catalog is not None and hasattr(given, "__array__"):
        return _of_matrix(np.asarray(given), log, list(catalog.arm_ids), catalog)
    raise InvalidInput(
        f"The target is an agent, the name of a column, probabilities by arm ({{id: number or "
        f"column}}), or with a catalog a matrix of a row for each decision; got "
        f"{type(given).__name__}."
    )


def _of_agent(
    agent: Agent, log: Log, catalog: Catalog | None, draws: int, own: int | None
) -> Target:
    if catalog is not None and catalog is not agent.catalog:
        raise InvalidInput("The agent has a catalogue of its own; leave catalog out.")
    actions = arm_codes(log.actions[log.decisions], agent.catalog.arm_ids)
    found = probabilities(agent, log, draws, own)
    return Target(_at(found, actions), found, actions, _features(agent.catalog))


def _of_matrix(matrix: Any, log: Log, ids: Sequence[Any], catalog: Catalog | None) -> Target:
    n = log.decisions.size
    if matrix.ndim != 2 or matrix.shape != (n, len(ids)) or matrix.dtype.kind not in "biuf":
        raise InvalidInput(
            f"The target's probabilities must be numbers of shape {(n, len(ids))}, a row for each "
            f"decision and a column for each arm; got {matrix.dtype} of shape {matrix.shape}."
        )
    _checked(matrix.ravel(), "target")
    off = np.abs(matrix.sum(axis=1) - 1.0)
    if off.max() > ROUNDING:
        row = int(np.argmax(off))
        total = f"{matrix[row].sum():.6g}"
        raise InvalidInput(
            f"The target's probabilities of decision {row} add up to {total}, not 1."
        )
    actions = arm_codes(log.actions[log.decisions], ids)
    found = sparse.csr_matrix(matrix, dtype=np.float64)
    _refuse_outside(found, log, {str(each): i for i, each in enumerate(ids)})
    features = sparse.identity(len(ids), format="csr") if catalog is None else _features(catalog)
    return Target(_at(found, actions), found, actions, features)


def _columns(given: Mapping[Any, Any], ids: Sequence[Any], n: int) -> Floats:
    """Numbers or columns by id, as a matrix."""
    out = np.zeros((n, len(ids)))
    places = arm_codes(np.array([str(each) for each in given], object), ids)
    for place, (name, values) in zip(places, given.items(), strict=True):
        try:
            out[:, place] = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(
                f"The target's probability of {name!r} must be a number or {n} of them."
            ) from None
    return out


def _refuse_outside(found: Any, log: Log, places: Mapping[str, int]) -> None:
    """What the target takes must have been there."""
    if log.pools is None and log.left_out is None:
        return
    everything = np.arange(len(places))
    for i, row in enumerate(log.decisions):
        wanted = found.indices[found.indptr[i] : found.indptr[i + 1]]
        outside = np.setdiff1d(wanted, log.pool(int(row), places, everything))
        if outside.size:
            raise InvalidInput(
                f"The target takes {list(places)[outside[0]]!r} in row {row}, which is not in that "
                f"row's pool, {None if log.pools is None else log.pools[row]!r}."
            )


def _checked(values: Floats, name: str) -> Floats:
    bad = ~((values >= 0.0) & (values <= 1.0 + ROUNDING))
    if bad.any():
        raise InvalidInput(
            f"{name!r} holds {values[np.argmax(bad)].item()!r}; a probability is from 0 to 1."
        )
    return values


def _at(found: Any, actions: Indices) -> Floats:
    return np.asarray(found[np.arange(actions.size), actions], dtype=np.float64).ravel()


def _features(catalog: Catalog) -> Floats:
    """A constant and the arms' features."""
    return np.column_stack([np.ones(len(catalog.arm_ids)), catalog.arms])
