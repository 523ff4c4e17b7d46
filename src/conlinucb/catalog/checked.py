"""Checks of what a catalogue is made of, and how ids are written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.errors import IncompatibleState, InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import Floats, Indices, finite_entries, matrix

Id = str | int
Array = TypeVar("Array", bound=NDArray[Any])


def optional_matrix(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, int]
) -> Floats | None:
    """The matrix of this name, if there is one, of this shape."""
    if name not in arrays:
        return None
    found = matrix(name, arrays[name])
    if found.shape != shape:
        raise IncompatibleState(f"{name} must have shape {shape}, got {found.shape}.")
    return found


def read_only(array: Array) -> Array:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def checked_weights(value: Any, rows: int, columns: int | None = None) -> sparse.csr_array:
    """Checked weights as sparse rows, without stored zeros, columns in order; None for none."""
    value = np.empty((rows, 0)) if value is None else value
    try:
        result = sparse.csr_array(value, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"weights must be a sparse or dense matrix: {error}") from None
    wanted = (rows, result.shape[-1] if columns is None else columns)
    if result.ndim != 2 or result.shape != wanted:
        raise InvalidInput(
            f"weights must have one row for each arm and one column for each key-term, "
            f"{wanted[0]} x {'K' if columns is None else columns}; got shape {result.shape}."
        )
    result.sum_duplicates()
    finite_entries("weights.data", result.data)
    if result.data.size and result.data.min() < 0:
        raise InvalidInput(f"weights must not be negative, got {result.data.min()!r}.")
    result.eliminate_zeros()
    return result


def checked_ids(name: str, given: Iterable[Id] | None, size: int) -> tuple[Id, ...]:
    """Distinct texts or integers, as many as ``size``; 0, 1, ... by default."""
    if given is None:
        return tuple(range(size))
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidInput(f"{name} must be a list of {size} ids, got {given!r}.")
    ids = tuple(int(each) if isinstance(each, np.integer) else each for each in given)
    if len(ids) != size:
        raise InvalidInput(f"{name} must hold {size} ids, got {len(ids)}.")
    for each in ids:
        if isinstance(each, bool) or not isinstance(each, (str, int)):
            raise InvalidInput(f"{name} must be strings or integers, got {each!r}.")
    twice = [each for each, count in Counter(ids).items() if count > 1]
    if twice:
        raise InvalidInput(f"{name} must be distinct, but {twice[0]!r} stands there twice.")
    return ids


def unused_ids(first: int, count: int, taken: dict[Id, int]) -> list[Id]:
    """The next ``count`` indices as ids."""
    clash = [i for i in range(first, first + count) if i in taken]
    if clash:
        raise InvalidInput(f"The next free index {clash[0]} is already an id; pass arm_ids.")
    return list(range(first, first + count))


def look_up(kind: str, wanted: Id, known: dict[Id, int]) -> int:
    """The index of an id."""
    try:
        return known[wanted]
    except (KeyError, TypeError):
        raise UnknownName(f"No {kind} has the id {wanted!r}.{nearest(wanted, known)}") from None


def ids_at(ids: Sequence[Id], where: Indices) -> tuple[Id, ...]:
    """The ids at these indices, in their order."""
    return tuple([ids[each] for each in where.tolist()])


def encode_ids(ids: Sequence[Id]) -> NDArray[np.uint8]:
    """Ids as an array of bytes."""
    return np.frombuffer(json.dumps(list(ids)).encode(), dtype=np.uint8)


def decode_ids(encoded: NDArray[np.uint8]) -> list[Id]:
    """What ``encode_ids`` wrote."""
    decoded: list[Id] = json.loads(encoded.tobytes().decode())
    return decoded
