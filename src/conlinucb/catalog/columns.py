"""The columns of tables, by what they are for, checked."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.catalog.formats import File, resolved
from conlinucb.catalog.names import BETWEEN, NUMBERS, Names, named_once, point_out, point_out_split
from conlinucb.catalog.sources import arrow, arrow_table
from conlinucb.catalog.table import Table
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import LARGEST, Floats, Indices

IDS = ("item", "user", "person", "id", "arm", "action")
"""Columns of ids: white space around them is no part of them."""


Given = Mapping[str, str | int | None]
"""Names or places of columns that a caller gave; None where it gave none."""


@dataclass(frozen=True, eq=False)
class Columns(Mapping[str, Any]):
    """Columns as pyarrow arrays, by what they are for, with what the table calls them."""

    arrays: Mapping[str, Any]
    names: Names

    def __getitem__(self, role: str) -> Any:
        return self.arrays[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def codes(self, role: str) -> tuple[Indices, list[Any]]:
        """As ``encode``."""
        return encode(self[role])

    def numbers(self, role: str, *, low: float = 0.0) -> Floats:
        """As ``numbers``, with the table's own name of the column in errors."""
        with _in_table(self.names.where):
            return numbers(self.names.written(role), self[role], low=low)


def read_columns(
    table: Any,
    needed: Sequence[str],
    optional: Sequence[str] = (),
    *,
    names: Given | None = None,
    what: str = "The table",
    numbers: Sequence[str] = NUMBERS,
    empty: Sequence[str] = (),
    rows: bool = True,
    say: bool = True,
) -> Columns:
    """Columns by what they are for; optional ones only where they are there, or named.

    ``names`` are those that the caller gave, None where it gave none, beside those of a ``Table``.
    ``numbers`` are those that hold numbers; in text files all others are read as text.
    Columns named in ``empty`` may have entries without a value. With ``rows=False`` the
    table may have no rows at all. With ``say``, numbers that are not used are pointed out.
    """
    told = table if isinstance(table, Table) else Table(table)
    told = replace(told, columns=named_once(names or {}, told.columns))
    told, file = resolved(told, needed, optional)
    where, roles = told.name or what, (tuple(needed), tuple(optional))
    has_names = told.is_text and told.header is True
    wanted = Names(where, *roles, told.columns, tuple(numbers), has_names)
    found = arrow_table(told, wanted)
    wanted = wanted.of(list(found.column_names))
    if rows and not found.num_rows:
        raise InvalidInput(f"{wanted.where} has columns {wanted.there} but no rows.")
    if say and file is None:
        point_out(wanted, _numeric(found))
    gaps = ("tag", *empty) if told.split else empty
    with _in_table(where):
        arrays = {
            role: _column(found, name, role, numeric=role in numbers, gaps=role in gaps)
            for role, name in wanted.found.items()
        }
        return _completed(Columns(arrays, wanted), told, file)


@contextmanager
def _in_table(where: str) -> Iterator[None]:
    """Errors begin with the table they are in."""
    try:
        yield
    except InvalidInput as error:
        named = str(error).startswith(where)
        raise type(error)(str(error) if named else f"{where}: {error}") from None


def _completed(columns: Columns, table: Table, file: File | None) -> Columns:
    """Cells of several tags split, tags by name, and a weight where rows are counted."""
    if "tag" in columns and file is None:
        several = _first_with(columns["tag"], table.split or BETWEEN)
        point_out_split(columns.names, several, table.split)
    if table.split is not None:
        columns = _split(columns, table.split, () if file is None else file.none)
    if file is None:
        return columns
    arrays = dict(columns.arrays)
    if file.names is not None and "tag" in arrays:
        arrays["tag"] = _named(arrays["tag"], file.names, Path(str(table.source)), table)
    if file.counted and "weight" not in arrays:
        arrays["weight"] = arrow().array(np.ones(len(arrays["item"])))
    return replace(columns, arrays=arrays)


def _first_with(column: Any, part: str) -> str | None:
    """The first text in which this occurs."""
    types, compute = arrow().types, importlib.import_module("pyarrow.compute")
    if not (types.is_string(column.type) or types.is_large_string(column.type)):
        return None
    row = compute.index(compute.match_substring(column, part), True).as_py()
    return None if row < 0 else str(column[row].as_py())


def _split(columns: Columns, between: str, none: Sequence[str]) -> Columns:
    """A row for each tag of a cell; an empty cell has none."""
    if "tag" not in columns:
        raise InvalidInput(f"split={between!r} is for a table of tags, not for {list(columns)}.")
    pa, compute = arrow(), importlib.import_module("pyarrow.compute")
    if not pa.types.is_string(columns["tag"].type) and not pa.types.is_large_string(
        columns["tag"].type
    ):
        name = columns.names.written("tag")
        raise InvalidInput(f"Column {name!r} must hold text to split, got {columns['tag'].type}.")
    if "weight" in columns:
        columns.numbers("weight")  # while rows are those of the table
    cells = compute.split_pattern(columns["tag"], between)
    tags = compute.utf8_trim_whitespace(compute.list_flatten(cells))
    row = compute.list_parent_indices(cells)
    kept = compute.invert(compute.is_in(tags, pa.array(["", *none], tags.type)))
    arrays = {role: array.take(row.filter(kept)) for role, array in columns.arrays.items()}
    arrays["tag"] = tags.filter(kept)
    if not len(arrays["tag"]):
        raise InvalidInput(f"Column {columns.names.written('tag')!r} holds no tag.")
    return replace(columns, arrays=arrays)


def _named(codes: Any, names: tuple[str, str, str], beside: Path, table: Table) -> Any:
    """Tags by name, from the file that has the names; one that is not in it keeps its number."""
    file, number, name = names
    listed = read_columns(
        replace(table, source=beside.parent / file, columns={}, split=None),
        ("id", "tag"),
        names={"id": number, "tag": name},
        say=False,
    )
    known = dict(zip(listed["id"].to_pylist(), listed["tag"].to_pylist(), strict=True))
    places, ids = encode(codes)
    return arrow().array([known.get(each, f"tag {each}") for each in ids]).take(places)


def _column(table: Any, name: str, role: str, *, numeric: bool, gaps: bool) -> Any:
    """One column, without gaps unless they are let in; categories become what they stand for."""
    types = arrow().types
    if table.column_names.count(name) > 1:
        raise InvalidInput(f"The table has several columns {name!r}: {table.column_names}.")
    column = table[name].combine_chunks()
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count and not gaps:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise InvalidInput(
            f"Column {name!r} is empty in {column.null_count} rows, first in row {row}."
        )
    if types.is_string(column.type) or types.is_large_string(column.type):
        if not gaps:
            _refuse_blanks(name, column)
        if role in IDS:
            column = importlib.import_module("pyarrow.compute").utf8_trim_whitespace(column)
    if types.is_floating(column.type) and not numeric:
        _refuse_nan(name, column)
    if types.is_nested(column.type):
        raise InvalidInput(
            f"Column {name!r} must hold one value in each row, it holds {column.type}."
        )
    if types.is_binary(column.type) or types.is_large_binary(column.type):
        raise InvalidInput(f"Column {name!r} must be UTF-8 text, {_not_text(column)}.")
    return column


def _refuse_blanks(name: str, column: Any) -> None:
    compute = importlib.import_module("pyarrow.compute")
    blank = compute.equal(compute.utf8_trim_whitespace(column), "")
    if compute.any(blank).as_py():
        row = int(np.argmax(blank.to_numpy(zero_copy_only=False)))
        raise InvalidInput(f"Column {name!r} is blank in row {row}.")


def _refuse_nan(name: str, column: Any) -> None:
    nan = np.isnan(column.to_numpy(zero_copy_only=False))
    if nan.any():
        row = int(np.argmax(nan))
        raise InvalidInput(f"Column {name!r} is NaN in row {row}; every entry must be an id.")


def _numeric(table: Any) -> list[str]:
    """Names of the columns that hold numbers."""
    types = arrow().types
    kinds = (types.is_integer, types.is_floating, types.is_decimal)
    return [each.name for each in table.schema if any(kind(each.type) for kind in kinds)]


def _not_text(column: Any) -> str:
    for row, value in enumerate(column.to_pylist()):
        try:
            value.decode()
        except UnicodeDecodeError:
            return f"row {row} is {value!r}"
    return f"it holds {column.type}"


def encode(column: Any) -> tuple[Indices, list[Any]]:
    """Codes 0, 1, ... in order of first appearance, and the values they stand for."""
    encoded = column.dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.combine_chunks()
    codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return codes, encoded.dictionary.to_pylist()


def numbers(name: str, column: Any, *, low: float = 0.0) -> Floats:
    """A column as finite numbers of at least ``low``."""
    types = arrow().types
    kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    if not any(kind(column.type) for kind in kinds):
        row, value = _first_other(column.to_pylist())
        raise InvalidInput(
            f"Column {name!r} must hold numbers, it holds {column.type}: {value!r} in row {row}."
        )
    values = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
    bad = ~((values >= low) & (values <= LARGEST))  # also catches NaN
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInput(
            f"Column {name!r} holds {values[row].item()!r} in row {row}; every entry must be a "
            f"number from {low:g} to {LARGEST:g} ({int(bad.sum())} are not)."
        )
    return values


def _first_other(values: list[Any]) -> tuple[int, Any]:
    """Row and value of the first entry that is no number, even written as text."""
    for row, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError):
            return row, value
    return 0, values[0]
