"""Large tables in parts, by hash of the person: PostgreSQL only, where SQLite has one file anyway.

A new database gets them when it is made. One that has events in plain tables goes on with those
until they are moved: copied in batches while the service runs, with every write going to both, and
then swapped in one short step. What was copied stays when the work is interrupted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, text

from conlinucb.errors import InvalidInput
from conlinucb.service.storage.database import Database, Taken
from conlinucb.service.storage.progress import Progresses

PARTS = 32
BATCH = 2_000
"""People whose rows are copied with one statement."""
TRIES = 5


@dataclass(frozen=True)
class Layout:
    """What a table in parts has besides its columns."""

    table: str
    key: tuple[str, ...]
    """Its primary key; the person comes first."""
    once: tuple[str, ...] = ()
    """Columns in which a person has nothing twice."""


LAYOUTS = (
    Layout("events", ("person", "seq"), ("client_id", "subject")),
    Layout("snapshots", ("person", "basis")),
)


def is_part(name: str | None) -> bool:
    """Whether a table is a part of another.

    >>> is_part("events_part_7"), is_part("events")
    (True, False)
    """
    return name is not None and "_part_" in name


def is_partitioned(connection: Connection, table: str) -> bool:
    """Whether a table is in parts."""
    kind = "SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(:name)"
    return bool(connection.scalar(text(kind), {"name": table}))


def made(layout: Layout) -> Iterator[str]:
    """The statements that make an empty table in parts beside the plain one."""
    table, new = layout.table, f"{layout.table}_parts"
    yield f"CREATE TABLE {new} (LIKE {table}) PARTITION BY HASH (person)"
    yield f"ALTER TABLE {new} ADD CONSTRAINT pk_{new} PRIMARY KEY ({', '.join(layout.key)})"
    yield (
        f"ALTER TABLE {new} ADD CONSTRAINT fk_{new}_person FOREIGN KEY (person) "
        "REFERENCES people (id) ON DELETE CASCADE"
    )
    for column in layout.once:
        yield (
            f"CREATE UNIQUE INDEX ix_{new}_person_{column} ON {new} (person, {column}) "
            f"WHERE {column} IS NOT NULL"
        )
    for number in range(PARTS):
        yield (
            f"CREATE TABLE {table}_part_{number} PARTITION OF {new} "
            f"FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {number})"
        )


def swapped(layout: Layout) -> Iterator[str]:
    """The statements that put it in the plain one's place."""
    table, new = layout.table, f"{layout.table}_parts"
    yield f"DROP TABLE {table}"
    yield f"DROP FUNCTION IF EXISTS {new}_follow()"
    yield f"ALTER TABLE {new} RENAME TO {table}"
    yield f"ALTER TABLE {table} RENAME CONSTRAINT pk_{new} TO pk_{table}"
    yield f"ALTER TABLE {table} RENAME CONSTRAINT fk_{new}_person TO fk_{table}_person"
    for column in layout.once:
        yield f"ALTER INDEX ix_{new}_person_{column} RENAME TO ix_{table}_person_{column}"


def _followed(connection: Connection, layout: Layout) -> Iterator[str]:
    """The statements by which everything written to the plain table goes to the other, too."""
    table, new = layout.table, f"{layout.table}_parts"
    wanted = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(:name) AND attnum > 0"
    columns = list(connection.scalars(text(wanted), {"name": table}))
    others = ", ".join(f"{each} = EXCLUDED.{each}" for each in columns if each not in layout.key)
    mine = " AND ".join(f"{each} = OLD.{each}" for each in layout.key)
    yield f"""CREATE FUNCTION {new}_follow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            DELETE FROM {new} WHERE {mine};
        ELSE
            INSERT INTO {new} SELECT NEW.*
            ON CONFLICT ({", ".join(layout.key)}) DO UPDATE SET {others};
        END IF;
        RETURN NULL;
    END $$"""
    yield (
        f"CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {new}_follow()"
    )


class Partitioning:
    """Moves the tables of a database with people in it into parts."""

    def __init__(self, database: Database) -> None:
        if database.engine.dialect.name != "postgresql":
            raise InvalidInput(
                f"{database.place} is SQLite, which has no partitioned tables; PostgreSQL has."
            )
        self._database = database
        self._progress = Progresses(database)

    def waiting(self) -> list[Layout]:
        """The tables that are plain."""
        with self._database.connect() as connection:
            return [each for each in LAYOUTS if not is_partitioned(connection, each.table)]

    def run(self, layout: Layout) -> Iterator[int]:
        """Move one table; the id of the last person after each batch.

        Whoever stops asking stops the work, and a later call goes on with it.
        """
        self._begin(layout)
        name = _name(layout)
        last = int(json.loads(self._progress.get(name) or "0"))
        while (upto := self._next(last)) is not None:
            self._copy(layout, last, upto)
            self._progress.put(name, json.dumps(upto))
            last = upto
            yield last
        self._end(layout)

    def _begin(self, layout: Layout) -> None:
        with self._database.transaction() as connection:
            if connection.scalar(text("SELECT to_regclass(:name)"), {"name": _new(layout)}):
                return  # begun before
            for statement in (*made(layout), *_followed(connection, layout)):
                connection.exec_driver_sql(statement)

    def _next(self, last: int) -> int | None:
        """The last person of the next batch."""
        ids = "SELECT id FROM people WHERE id > :last ORDER BY id LIMIT :batch"
        with self._database.connect() as connection:
            wanted = text(f"SELECT max(id) FROM ({ids}) AS found")
            found = connection.scalar(wanted, {"last": last, "batch": BATCH})
        return None if found is None else int(found)

    def _copy(self, layout: Layout, last: int, upto: int) -> None:
        """The rows of these people, but for those that were written to both."""
        copied = text(
            f"INSERT INTO {_new(layout)} SELECT * FROM {layout.table} "
            "WHERE person > :last AND person <= :upto ON CONFLICT DO NOTHING"
        )
        for attempt in range(TRIES):
            try:
                with self._database.transaction() as connection:
                    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                    connection.execute(copied, {"last": last, "upto": upto})
                return
            except Taken:  # someone of them was deleted just now
                if attempt == TRIES - 1:
                    raise

    def _end(self, layout: Layout) -> None:
        with self._database.transaction() as connection:
            connection.exec_driver_sql(f"LOCK TABLE {layout.table} IN ACCESS EXCLUSIVE MODE")
            for statement in swapped(layout):
                connection.exec_driver_sql(statement)
        self._progress.drop(_name(layout))
        with self._database.connect() as connection:
            connection.exec_driver_sql("SET statement_timeout = 0")
            connection.exec_driver_sql(f"ANALYZE {layout.table}")
            connection.exec_driver_sql("RESET statement_timeout")


def _new(layout: Layout) -> str:
    return f"{layout.table}_parts"


def _name(layout: Layout) -> str:
    return f"partition {layout.table}"
