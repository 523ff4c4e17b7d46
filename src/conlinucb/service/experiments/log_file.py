"""The whole log of a catalogue as a parquet file, person by person, in memory that stays flat."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from conlinucb.atomic import writing
from conlinucb.errors import InvalidInput
from conlinucb.service.experiments.log_rows import LogRows, Row

KEY = "CONLINUCB_LOG_KEY"
"""The variable with the key of people's hashes; without it, one is drawn for each export."""
BATCH = 500
"""People read at once."""
LARGEST_KEY = 64
_COLUMNS = (
    ("kind person action pool left_out arm agent pool_digest", pa.string()),
    ("reward propensity shown_propensity score mean radius", pa.float64()),
    ("round slot event version experiment population pool_size excluded", pa.int64()),
    ("rewarded random", pa.bool_()),
    ("at", pa.timestamp("us", tz="UTC")),
)


def hashed(key: bytes, name: str) -> str:
    """A person's id that says nothing to who has not the key.

    >>> hashed(b"one key", "ann") == hashed(b"one key", "ann") != hashed(b"another", "ann")
    True
    """
    return blake2b(name.encode(), key=key, digest_size=12).hexdigest()


def key_of_hashes() -> bytes:
    """From the environment, or a new one that nobody will know."""
    given = os.environ.get(KEY, "").encode()
    if not given:
        return secrets.token_bytes(32)
    if not 16 <= len(given) <= LARGEST_KEY:
        raise InvalidInput(f"{KEY} must have 16 to {LARGEST_KEY} bytes, it has {len(given)}.")
    return given


def write_log(
    path: Path,
    rows: LogRows,
    *,
    with_ids: bool = False,
    seen: Callable[[int], None] = lambda people: None,
) -> dict[str, int]:
    """Write the file, whole or not at all; how many rows there are of each kind."""
    with writing(path) as file:
        os.fchmod(file.fileno(), 0o600)  # what people said, and who they are where one asks for it
        return _write(file, rows, None if with_ids else key_of_hashes(), seen)


def _write(
    file: BinaryIO, rows: LogRows, key: bytes | None, seen: Callable[[int], None]
) -> dict[str, int]:
    schema, counts, last = _schema(rows.shadows), dict[str, int](), 0
    storage, catalogue = rows.storage, rows.version.id
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := storage.people.batch(catalogue, last, limit=BATCH):
            logs = storage.log.of_people([each.id for each in batch])
            found: list[Row] = []
            for person in batch:
                name = person.name if key is None else hashed(key, person.name)
                found += rows.of(name, logs[person.id])
            for each in found:
                counts[each["kind"]] = counts.get(each["kind"], 0) + 1
            if found:
                writer.write_table(pa.Table.from_pylist(found, schema=schema))
            seen(len(batch))
            last = batch[-1].id
    return counts


def _schema(shadows: list[str]) -> Any:
    columns = {name: kind for names, kind in _COLUMNS for name in names.split()}
    columns |= {f"shadow_{each}": pa.float64() for each in shadows}
    return pa.schema(list(columns.items()))
