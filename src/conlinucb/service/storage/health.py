"""How the database is: its kind, its size, how long a write takes, what it holds."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite

from conlinucb.service.storage.counts import Counts
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import leases, quarantine, snapshots

_PROBE = "write probe"
MOST = 100_000


@dataclass(frozen=True)
class StoreHealth:
    """What there is to know of a database at one moment."""

    kind: str
    size: int
    """Bytes, indices and free pages included."""
    write: float
    """Seconds that one small transaction took, until it was on disk."""
    people: int
    events: int
    snapshots: int
    findings: dict[str, int]
    """What is damaged and set aside, by kind."""


def health_of(database: Database, counts: Counts, catalogue: int) -> StoreHealth:
    """Look at a database; a row of its own under this catalogue is written to see how that goes.

    People and events are kept counts; snapshots and findings are counted up to ``MOST``.
    """
    some = select(snapshots.c.person).limit(MOST).subquery()
    with database.connect() as connection:
        size = connection.exec_driver_sql(_SIZE[database.engine.dialect.name]).scalar()
        kept = connection.scalar(select(func.count()).select_from(some))
        damaged = Counter(
            str(each).partition(" ")[0]
            for each in connection.scalars(select(quarantine.c.what).limit(MOST))
        )
    known = counts.all()
    kind = "SQLite in memory" if database.is_memory else _NAMES[database.engine.dialect.name]
    return StoreHealth(
        kind=kind,
        size=int(size or 0),
        write=_write(database, catalogue),
        people=known.people,
        events=known.events,
        snapshots=int(kept or 0),
        findings=dict(sorted(damaged.items())),
    )


_NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_SIZE = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}


def _write(database: Database, catalogue: int) -> float:
    """Seconds for one row that nobody reads, until it is on disk."""
    dialect = sqlite if database.engine.dialect.name == "sqlite" else postgresql
    row = {"catalogue": catalogue, "what": _PROBE, "until": now()}
    put = dialect.insert(leases).values(row)
    again = put.on_conflict_do_update(
        index_elements=["catalogue", "what"], set_={"until": put.excluded.until}
    )
    started = time.perf_counter()
    with database.transaction() as connection:
        connection.execute(again)
    return time.perf_counter() - started
