"""Tables from anywhere: pandas, polars, pyarrow, a dictionary of columns, or a file."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.errors import InvalidInput, MissingExtra, nearest
from conlinucb.numerics.validation import LARGEST, Floats, Indices


def read_columns(table: Any, needed: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Any]:
    """The named columns of a table as pyarrow arrays; optional ones only where they are there."""
    found = _arrow_table(table, needed)
    names = list(found.column_names)
    for name in needed:
        if name not in names:
            raise InvalidInput(
                f"The table has no column {name!r}; it has {names}.{nearest(name, names)}"
            )
    if not found.num_rows:
        raise InvalidInput(f"The table has columns {names} but no rows.")
    return {name: _column(found, name) for name in [*needed, *optional] if name in names}


def _column(table: Any, name: str) -> Any:
    """One column without gaps; categories become what they stand for."""
    types = _arrow().types
    if table.column_names.count(name) > 1:
        raise InvalidInput(f"The table has several columns {name!r}: {table.column_names}.")
    column = table[name].combine_chunks()
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.null_count:
        row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise InvalidInput(
            f"Column {name!r} is empty in {column.null_count} rows, first in row {row}."
        )
    if types.is_string(column.type) or types.is_large_string(column.type):
        _refuse_blanks(name, column)
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


def numbers(name: str, column: Any) -> Floats:
    """A column as finite numbers, not negative."""
    types = _arrow().types
    kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    if not any(kind(column.type) for kind in kinds):
        row, value = _first_other(column.to_pylist())
        raise InvalidInput(
            f"Column {name!r} must hold numbers, it holds {column.type}: {value!r} in row {row}."
        )
    values = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
    bad = ~((values >= 0.0) & (values <= LARGEST))  # also catches NaN
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidInput(
            f"Column {name!r} holds {values[row].item()!r} in row {row}; every entry must be a "
            f"number from 0 to {LARGEST:g} ({int(bad.sum())} are not)."
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


def _arrow_table(table: Any, texts: Sequence[str]) -> Any:
    pa = _arrow()
    if isinstance(table, (str, Path)):
        return _read_file(Path(table), texts)
    if isinstance(table, Mapping):
        return _from_columns(pa, table)
    try:
        if hasattr(table, "to_arrow"):
            table = table.to_arrow()
        elif hasattr(table, "iloc") and hasattr(table, "columns"):
            table = pa.Table.from_pandas(table, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(f"The table cannot be read: {error}") from None
    if isinstance(table, pa.Table):
        return table
    raise InvalidInput(
        f"A table is a pandas, polars or pyarrow table, a dictionary of columns, or the path of a "
        f".csv, .tsv or .parquet file; got {type(table).__name__}."
    )


def _from_columns(pa: Any, columns: Mapping[Any, Any]) -> Any:
    arrays = {}
    for name, column in columns.items():
        try:
            if isinstance(column, (str, bytes)):
                raise TypeError(f"it is the text {column!r}")
            ready = isinstance(column, (pa.Array, pa.ChunkedArray, np.ndarray))
            arrays[str(name)] = column if ready else pa.array(list(column))
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise InvalidInput(f"Column {name!r} cannot be read: {error}") from None
    try:
        return pa.table(arrays)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise InvalidInput(f"The columns {list(arrays)} are no table: {error}") from None


def _read_file(path: Path, texts: Sequence[str]) -> Any:
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    kind = path.suffix.lower()
    if kind not in (".csv", ".tsv", ".parquet"):
        raise InvalidInput(f"{path} must end in .csv, .tsv or .parquet.")
    try:
        return _parse(path, kind, texts)
    except (_arrow().ArrowException, OSError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None


def _parse(path: Path, kind: str, texts: Sequence[str]) -> Any:
    if kind == ".parquet":
        return importlib.import_module("pyarrow.parquet").read_table(path)
    csv = importlib.import_module("pyarrow.csv")
    options = csv.ParseOptions(delimiter="\t" if kind == ".tsv" else ",")
    # Ids are text: 007 and 7 are two items. As bytes first, so that bad ones can be named.
    text = csv.ConvertOptions(column_types=dict.fromkeys(texts, _arrow().binary()))
    return _as_text(csv.read_csv(path, parse_options=options, convert_options=text))


def _as_text(table: Any) -> Any:
    """The table with bytes as text where all of them are UTF-8."""
    pa = _arrow()
    for i, name in enumerate(table.column_names):
        if pa.types.is_binary(table[name].type):
            with contextlib.suppress(pa.ArrowInvalid):
                table = table.set_column(i, name, table[name].cast(pa.string()))
    return table


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "Reading tables") from None
