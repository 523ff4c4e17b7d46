"""How much work an upload may be: a small file can be large inside."""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conlinucb.errors import InvalidInput

MOST_ROWS = 10_000_000
MOST_CELLS = 50_000_000
MOST_TOPICS = 200_000
LARGEST_FEATURES = 1_000_000_000
"""Bytes of the features of all items and topics."""
PLAIN, DIRECTIONS = 300, 50
"""Topics up to which each is a feature, and the features of more, where nobody says how many."""


@dataclass(frozen=True)
class Allowance:
    """What an upload may unpack to, and how long it may take, from when this is made."""

    unpacked_bytes: int = 256_000_000
    seconds: float = 120.0
    cells: int = MOST_CELLS
    _began: float = field(default_factory=time.monotonic)

    def check_seconds(self) -> None:
        """Refuse to go on with what takes too long already."""
        took = time.monotonic() - self._began
        if took > self.seconds:
            raise InvalidInput(
                f"The upload took {took:.0f} seconds so far; at most {self.seconds:g} are taken "
                "(upload_seconds). Send fewer items or topics."
            )

    def check_unpacked(self, size: int) -> None:
        """Refuse what is too large once it is unpacked."""
        if size > self.unpacked_bytes:
            raise InvalidInput(
                f"The table unpacks to {size:,} bytes or more; at most {self.unpacked_bytes:,} "
                "are taken (unpacked_megabytes)."
            )

    def check_shape(self, items: int, topics: int, d: int | None) -> None:
        """Refuse what would be too large as features, before they are made."""
        if topics > MOST_TOPICS:
            raise InvalidInput(f"There are {topics:,} topics; at most {MOST_TOPICS:,} are taken.")
        features = d or (topics if topics <= PLAIN else DIRECTIONS)
        size = 8 * features * (items + topics)
        if size > LARGEST_FEATURES:
            raise InvalidInput(
                f"{items:,} items and {topics:,} topics of {features} features are {size:,} bytes; "
                f"at most {LARGEST_FEATURES:,} are taken: choose a smaller d."
            )
        self.check_seconds()

    def check_cells(self, rows: int, columns: int) -> None:
        """Refuse too many of them, before any becomes a text."""
        if rows * columns > self.cells:
            raise InvalidInput(
                f"The table has {rows:,} rows of {columns:,} columns; at most {self.cells:,} cells "
                "are taken."
            )


OWN = Allowance(unpacked_bytes=2**63, seconds=float("inf"), cells=2**63)
"""For files that whoever runs the service put there."""


def lines_of(path: Path) -> int:
    """How many there are, without reading them all at once."""
    lines = 1
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            lines += piece.count(b"\n")
    return lines


def read_parquet(path: Path, allowance: Allowance) -> Any:
    """A parquet file as a table, unpacked piece by piece; texts are kept once each.

    What a file says of itself is looked at first, what it turns out to be piece by piece.
    """
    parquet, pa = (importlib.import_module(each) for each in ("pyarrow.parquet", "pyarrow"))
    file = parquet.ParquetFile(path)
    _check_told(file, allowance)
    texts = [each.name for each in file.schema_arrow if _is_text(pa, each.type)]
    size, batches = 0, []
    for batch in parquet.ParquetFile(path, read_dictionary=texts).iter_batches(10_000):
        size += sum(_unpacked(pa, each) for each in batch.columns)
        allowance.check_unpacked(size)
        allowance.check_seconds()
        batches.append(batch)
    if not batches:
        return file.schema_arrow.empty_table()
    return pa.Table.from_batches(batches).unify_dictionaries()


def _check_told(file: Any, allowance: Allowance) -> None:
    told = file.metadata
    if told.num_rows > MOST_ROWS:
        raise InvalidInput(f"The table has {told.num_rows} rows; at most {MOST_ROWS} are taken.")
    allowance.check_cells(told.num_rows, told.num_columns)
    groups = [told.row_group(at) for at in range(told.num_row_groups)]
    allowance.check_unpacked(sum(each.total_byte_size for each in groups))


def _is_text(pa: Any, kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )


def _unpacked(pa: Any, column: Any) -> int:
    """Bytes that a column has as text, without making it."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    compute = importlib.import_module("pyarrow.compute")
    lengths = compute.binary_length(column.dictionary)
    return int(compute.sum(lengths.take(column.indices)).as_py() or 0) + 4 * len(column)
