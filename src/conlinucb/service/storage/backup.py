"""A whole database in one file, the same for SQLite and PostgreSQL, and back into an empty one.

A zip: a file of lines for each table, a line of JSON for each row, and ``manifest.json`` with the
migration, the columns, how many rows each table has, their checksum, and the last id given. What
is read is one moment of the database, whoever writes meanwhile.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import Connection, Table, column, func, insert, select, table, text

from conlinucb import atomic
from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.storage import migrate
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import metadata

FORMAT = 1
BATCH = 1_000
MANIFEST = "manifest.json"
PASSING = frozenset({"compatible", "departures", "leases", "progress"})
"""Tables about work under way, or made by the migrations."""
Step = Callable[[int], None]


class TableNote(BaseModel):
    """What a backup says of one table."""

    model_config = ConfigDict(extra="forbid")
    name: str
    columns: list[str]
    rows: int
    sha256: str
    last: int | None
    """The last id given, which is never given again; None where ids are not given."""


class Manifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(extra="forbid")
    format: int
    migration: str
    at: int
    tables: list[TableNote]

    @property
    def rows(self) -> int:
        """In all tables."""
        return sum(each.rows for each in self.tables)


def save(database: Database, path: Path, step: Step = lambda rows: None) -> Manifest:
    """Write everything into a file that only its owner may read; there whole or not at all."""
    if path.exists():
        raise InvalidInput(f"There is already a file {path}: name another, or move it away.")
    if not path.absolute().parent.is_dir():
        raise InvalidInput(
            f"There is no folder {path.absolute().parent} to write {path.name} into."
        )
    migrate.require_current(database)
    with atomic.writing(path) as file, _one_moment(database) as connection:
        os.fchmod(file.fileno(), 0o600)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as whole:
            notes = [_save_table(connection, each, whole, step) for each in _tables()]
            made = Manifest(format=FORMAT, migration=migrate.wanted(), at=now(), tables=notes)
            whole.writestr(MANIFEST, made.model_dump_json(indent=1))
    return made


def _tables() -> list[Table]:
    """In an order in which rows refer only to what came before."""
    return [each for each in metadata.sorted_tables if each.name not in PASSING]


@contextmanager
def _one_moment(database: Database) -> Iterator[Connection]:
    """A connection that sees the database as it is now, for as long as it takes."""
    with database.connect() as connection:
        if database.engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        try:
            yield connection
        finally:
            connection.exec_driver_sql("ROLLBACK")


def _save_table(
    connection: Connection, wanted: Table, whole: zipfile.ZipFile, step: Step
) -> TableNote:
    sum_of, rows = hashlib.sha256(), 0
    last = _last_id(connection, wanted)
    query = select(wanted).order_by(*wanted.primary_key.columns)
    streamed = {"stream_results": True, "yield_per": BATCH}
    found = connection.execute(query, execution_options=streamed)
    with whole.open(_entry(wanted.name), "w", force_zip64=True) as file:
        for some in found.partitions():
            lines = b"".join(_line(row) for row in some)
            sum_of.update(lines)
            file.write(lines)
            rows += len(some)
            step(len(some))
    names = [each.name for each in wanted.columns]
    return TableNote(
        name=wanted.name, columns=names, rows=rows, sha256=sum_of.hexdigest(), last=last
    )


def _entry(name: str) -> str:
    return f"{name}.jsonl"


def _line(row: Sequence[Any]) -> bytes:
    values = [
        {"bytes": base64.b64encode(each).decode()} if isinstance(each, bytes) else each
        for each in row
    ]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _values(line: bytes) -> list[Any]:
    found: list[Any] = json.loads(line)
    return [base64.b64decode(each["bytes"]) if isinstance(each, dict) else each for each in found]


def _gives_ids(wanted: Table) -> bool:
    return wanted.autoincrement_column is not None


def _last_id(connection: Connection, wanted: Table) -> int | None:
    if not _gives_ids(wanted):
        return None
    largest = connection.scalar(select(func.max(wanted.c.id))) or 0
    if connection.dialect.name == "postgresql":
        named = text(f"SELECT last_value FROM {_sequence(connection, wanted.name)} WHERE is_called")
    else:
        named = text("SELECT seq FROM sqlite_sequence WHERE name = :name").bindparams(
            name=wanted.name
        )
    return max(int(largest), int(connection.scalar(named) or 0))


def _sequence(connection: Connection, name: str) -> str:
    return str(connection.scalar(select(func.pg_get_serial_sequence(name, "id"))))


def read_manifest(path: Path) -> Manifest:
    """What a backup says of itself, once every row of it has been read and fits."""
    atomic.existing(path)
    try:
        with zipfile.ZipFile(path) as whole:
            made = Manifest.model_validate_json(whole.read(MANIFEST))
            if made.format != FORMAT or made.migration not in migrate.known():
                raise InvalidInput(
                    f"{path} is a backup of format {made.format} at migration {made.migration}; "
                    f"this version of conlinucb reads format {FORMAT} up to migration "
                    f"{migrate.wanted()}: use the one that wrote it, or a newer one."
                )
            for each in made.tables:
                with whole.open(_entry(each.name)) as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
                if found != each.sha256:
                    raise Damaged(f"{path} is damaged: the checksum of {each.name} does not fit.")
    except (zipfile.BadZipFile, KeyError, ValidationError, EOFError, OSError) as error:
        raise Damaged(f"{path} is no backup that can be read: {error}.") from error
    return made


def restore(database: Database, path: Path, step: Step = lambda rows: None) -> Manifest:
    """Everything of a backup into an empty database: all, or nothing where something fails."""
    made = read_manifest(path)
    _must_be_empty(database)
    migrate.upgrade(database, made.migration)
    with zipfile.ZipFile(path) as whole, database.transaction() as connection:
        for each in made.tables:
            with whole.open(_entry(each.name)) as file:
                _restore_table(connection, each, file, step)
    migrate.upgrade(database)
    return made


def _must_be_empty(database: Database) -> None:
    if migrate.current(database) is None:
        return
    migrate.require_current(database)
    with database.connect() as connection:
        for each in metadata.sorted_tables:
            if each.name != "compatible" and connection.execute(select(each).limit(1)).first():
                raise InvalidInput(
                    f"The database {database.place} is not empty: there are {each.name}. "
                    "Restore into a new one."
                )


def _restore_table(connection: Connection, note: TableNote, file: IO[bytes], step: Step) -> None:
    into = insert(table(note.name, *(column(each) for each in note.columns)))
    rows: list[Mapping[str, Any]] = []
    for line in file:
        rows.append(dict(zip(note.columns, _values(line), strict=True)))
        if len(rows) == BATCH:
            connection.execute(into, rows)
            step(len(rows))
            rows = []
    if rows:
        connection.execute(into, rows)
        step(len(rows))
    if note.last:
        _go_on_from(connection, note.name, note.last)


def _go_on_from(connection: Connection, name: str, last: int) -> None:
    """Ids that were given before, though their rows are gone, are not given again."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.setval(_sequence(connection, name), last)))
        return
    known = {"name": name, "last": last}
    connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), known)
    connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), known)
