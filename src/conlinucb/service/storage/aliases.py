"""Further ids of events: what was said again under another id is known by that one, too."""

from __future__ import annotations

import contextlib

from sqlalchemy import insert, select

from conlinucb.service.storage.database import Database, Taken
from conlinucb.service.storage.schema import aliases


class Aliases:
    """Ids that were acknowledged as repetitions, and of which events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, person: int, client_id: str) -> int | None:
        """The event that this id stands for, or None."""
        wanted = select(aliases.c.seq).filter_by(person=person, client_id=client_id)
        with self._database.connect() as connection:
            found: int | None = connection.scalar(wanted)
        return found

    def add(self, person: int, client_id: str, seq: int) -> None:
        """Let an id stand for an event; where it does for one already, that stays."""
        row = {"person": person, "client_id": client_id, "seq": seq}
        with contextlib.suppress(Taken), self._database.connect() as connection:
            connection.execute(insert(aliases), row)
