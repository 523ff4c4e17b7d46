"""A log of decisions, read from any table and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.columns import Columns, encode, numbers, read_columns
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import LARGEST, Floats, Indices

COLUMNS = ("action", "reward", "propensity", "person", "round", "pool", "left_out", "kind")
"""What a log may have; the first three it must have."""
KINDS = ("decision", "reward", "answer", "shown")
"""A decision is scored and learned from; the next two are only learned from, by an agent; what was
shown, and nothing came of it, is neither."""
SEPARATOR = "|"
"""Between the ids of a pool."""
Texts = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Log:
    """Rows of a log, in the order of its table; what is scored are its ``decisions``."""

    kinds: Indices
    """(rows,) which of ``KINDS`` each row is."""
    actions: Texts
    """(rows,) ids of arms, or of key-terms where the row is an answer."""
    rewards: Floats
    propensities: Floats
    """(rows,), NaN where the row is no decision."""
    people: Indices | None
    """(rows,) numbers from 0; None where the log does not say who."""
    person_ids: list[Any]
    rounds: Floats
    pools: Texts | None
    """(rows,) ids of arms joined by ``SEPARATOR``."""
    left_out: Texts | None
    """(rows,) the same of arms that could not be chosen, where any other could."""
    others: dict[str, Floats]
    """Further columns asked for by name."""

    @property
    def decisions(self) -> Indices:
        """Rows that are scored."""
        return np.flatnonzero(self.kinds == 0)

    def pool(self, row: int, places: Mapping[str, int], everything: Indices) -> Indices:
        """Places of the arms that a row had to choose from."""
        if self.pools is not None and (self.pools[row] is not None or self.left_out is None):
            return pool_codes(self.pools[row], places, row)
        if self.left_out is None or not self.left_out[row]:
            return everything
        return np.setdiff1d(everything, pool_codes(self.left_out[row], places, row))

    def in_order(self) -> Indices:
        """All rows, person by person, by round, and as in the table where rounds are equal."""
        who = np.zeros(self.rounds.size) if self.people is None else self.people
        return np.lexsort((self.rounds, who))


def read_log(table: Any, columns: Mapping[str, str], others: Sequence[str] = ()) -> Log:
    """The log in a table; ``columns`` says what the table calls what is here called otherwise."""
    found = _columns(table, columns, others)
    size = len(found["action"])
    kinds = _kinds(found.get("kind"), size)
    codes, ids = (None, []) if "person" not in found else found.codes("person")
    return Log(
        kinds,
        _texts(found["action"]),
        _filled(found, "reward"),
        _propensities(found["propensity"], kinds),
        codes,
        ids,
        _filled(found, "round") if "round" in found else np.zeros(size),
        _texts(found["pool"]) if "pool" in found else None,
        _texts(found["left_out"]) if "left_out" in found else None,
        {name: _filled(found, _further(name), kinds == 0) for name in others},
    )


def _columns(table: Any, named: Mapping[str, str], others: Sequence[str]) -> Columns:
    """The table's columns by our names, each for one thing."""
    further = {_further(name): name for name in others}
    numeric = ("reward", "propensity", "round", *further)
    found = read_columns(
        table,
        (*COLUMNS[:3], *further),
        COLUMNS[3:],
        names={**named, **further},
        numbers=numeric,
        empty=(*numeric, "pool", "left_out"),
    )
    theirs = list(found.names.found.values())
    if len(set(theirs)) < len(theirs):
        raise InvalidInput(f"Every column of a log means one thing, got {theirs}.")
    return found


def _further(name: str) -> str:
    """What a column asked for by its own name is for, which is none of ``COLUMNS``."""
    return f"column {name}"


def _texts(column: Any) -> Texts:
    return np.array([None if each is None else str(each) for each in column.to_pylist()], object)


def _kinds(column: Any, size: int) -> Indices:
    if column is None:
        return np.zeros(size, dtype=np.int64)
    codes, names = encode(column)
    for name in names:
        if name not in KINDS:
            raise UnknownName(f"Column 'kind' holds {name!r}.{nearest(name, KINDS)}")
    return np.array([KINDS.index(each) for each in names], dtype=np.int64)[codes]


def _filled(columns: Columns, role: str, needed: NDArray[np.bool_] | None = None) -> Floats:
    """A column of numbers; only rows that are not ``needed`` may have none, and then have 0."""
    column, name = columns[role], columns.names.written(role)
    if not column.null_count:
        return columns.numbers(role, low=-LARGEST)
    empty = column.is_null().to_numpy(zero_copy_only=False)
    empty = empty if needed is None else empty & needed
    if empty.any():
        raise InvalidInput(
            f"Column {name!r} is empty in {int(empty.sum())} rows, first in row "
            f"{int(np.argmax(empty))}; say what no entry means, or leave those rows out."
        )
    return numbers(name, column.fill_null(0), low=-LARGEST)


def _propensities(column: Any, kinds: Indices) -> Floats:
    """In (0, 1] for each decision: a choice that could not happen did not."""
    if not (kinds == 0).any():
        raise InvalidInput("The log has no decisions: no row is of the kind 'decision'.")
    filled = column.fill_null(np.nan) if column.null_count else column
    known = np.full(kinds.size, np.nan)
    values = np.asarray(filled.to_numpy(zero_copy_only=False))
    if values.dtype.kind not in "iuf":
        numbers("propensity", column)  # says what is wrong
    known[kinds == 0] = values[kinds == 0]
    bad = (kinds == 0) & ~((known > 0.0) & (known <= 1.0))  # also catches NaN
    if bad.any():
        row = int(np.argmax(bad))
        among = f"{int(bad.sum())} of {int((kinds == 0).sum())} decisions"
        came = "is empty" if np.isnan(known[row]) else f"holds {known[row].item()!r}"
        raise InvalidInput(
            f"Column 'propensity' {came} in row {row} ({among}); each must be above 0 "
            f"and at most 1: how likely the logged action was. "
            f"Without it nothing can be said; a row of the kind 'reward' is learned from only."
        )
    return known


def arm_codes(ids: Texts, known: Sequence[Any], what: str = "arm") -> Indices:
    """Places of these ids among the known ones."""
    places = {str(each): i for i, each in enumerate(known)}
    for row, each in enumerate(ids):
        if each not in places:
            raise UnknownName(f"Row {row} has an unknown {what}, {each!r}.{nearest(each, places)}")
    return np.array([places[each] for each in ids], dtype=np.int64)


def pool_codes(text: str | None, places: Mapping[str, int], row: int) -> Indices:
    """Places of the arms of a pool."""
    names = [] if text is None else text.split(SEPARATOR)
    unknown = [each for each in names if each not in places]
    if unknown or not names:
        raise UnknownName(
            f"The pool of row {row} is {text!r}; it must be ids of arms with {SEPARATOR!r} between "
            f"them.{nearest(unknown[0], places) if unknown else ''}"
        )
    return np.array([places[each] for each in names], dtype=np.int64)


def ids_of(catalog: Catalog) -> dict[str, int]:
    """A catalogue's arms by id, as text."""
    return {str(each): i for i, each in enumerate(catalog.arm_ids)}
