"""Tables from anywhere as pyarrow tables."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.catalog.names import Names
from conlinucb.catalog.table import TEXT_FILES, Table
from conlinucb.catalog.text_files import read_text
from conlinucb.errors import InvalidInput, MissingExtra

_ENDINGS = f"{', '.join(TEXT_FILES)} or .parquet"


def arrow_table(table: Table, wanted: Names) -> Any:
    """The table, whatever it is; columns of ids in a text file as text."""
    pa, given = arrow(), table.source
    if isinstance(given, (str, Path)):
        return _read_file(table, Path(given), wanted)
    if isinstance(given, Mapping):
        return _from_columns(pa, given)
    try:
        if hasattr(given, "to_arrow"):
            given = given.to_arrow()
        elif hasattr(given, "iloc") and hasattr(given, "columns"):
            given = pa.Table.from_pandas(given, preserve_index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(f"The table cannot be read: {error}") from None
    if isinstance(given, pa.Table):
        return given
    raise InvalidInput(
        f"A table is a pandas, polars or pyarrow table, a dictionary of columns, or the path of a "
        f"{_ENDINGS} file; got {type(given).__name__}."
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


def _read_file(table: Table, path: Path, wanted: Names) -> Any:
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    if not table.is_text and path.suffix.lower() != ".parquet":
        raise InvalidInput(f"{path} must end in {_ENDINGS}.")
    try:
        if table.is_text:
            return read_text(table, path, wanted.ids)
        return importlib.import_module("pyarrow.parquet").read_table(path)
    except (arrow().ArrowException, OSError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None


def arrow() -> Any:
    """The library that reads tables."""
    try:
        return importlib.import_module("pyarrow")
    except ModuleNotFoundError:
        raise MissingExtra("runner", "Reading tables") from None
