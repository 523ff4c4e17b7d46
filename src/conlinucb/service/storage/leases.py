"""Work that one process is enough for: whoever takes the lease does it, for a while."""

from __future__ import annotations

from sqlalchemy import delete, insert, or_, select, update

from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.schema import leases


class Leases:
    """By the clocks of those who work: a lease only saves work, it decides nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, catalogue: int, what: str, microseconds: int) -> bool:
        """Whether we have it now, and nobody else for so long."""
        until = now() + microseconds
        mine = leases.c.catalogue == catalogue, leases.c.what == what
        # One that lasts longer than anyone takes it for is of a clock that was wrong.
        over = or_(leases.c.until < now(), leases.c.until > until + microseconds)
        with self._database.connect() as connection:
            taken = connection.execute(update(leases).where(*mine, over).values(until=until))
        if taken.rowcount == 1:
            return True
        try:
            with self._database.connect() as connection:
                row = {"catalogue": catalogue, "what": what, "until": until}
                connection.execute(insert(leases), row)
        except Taken:
            return False
        return True

    def renew(self, catalogue: int, what: str, microseconds: int) -> None:
        """Say that the work goes on."""
        mine = leases.c.catalogue == catalogue, leases.c.what == what
        with self._database.connect() as connection:
            until = now() + microseconds
            connection.execute(update(leases).where(*mine).values(until=until))

    def release(self, catalogue: int, what: str) -> None:
        """Let others do it."""
        with self._database.connect() as connection:
            mine = leases.c.catalogue == catalogue, leases.c.what == what
            connection.execute(delete(leases).where(*mine))

    def held(self, catalogue: int, what: str) -> bool:
        """Whether someone is at it."""
        wanted = select(leases.c.until).filter_by(catalogue=catalogue, what=what)
        with self._database.connect() as connection:
            until = connection.scalar(wanted)
        return isinstance(until, int) and until >= now()
