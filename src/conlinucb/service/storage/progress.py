"""Where long work stopped, so that it can be gone on with."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite

from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.schema import progress


class Progresses:
    """A few words for each kind of long work, under its name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> str | None:
        """What was noted last, or None."""
        with self._database.connect() as connection:
            found = connection.scalar(select(progress.c.body).filter_by(name=name))
        return found if isinstance(found, str) else None

    def put(self, name: str, body: str) -> None:
        """Note this instead of what was there."""
        dialect = sqlite if self._database.engine.dialect.name == "sqlite" else postgresql
        put = dialect.insert(progress).values(name=name, body=body, at=now())
        new = {each: put.excluded[each] for each in ("body", "at")}
        with self._database.connect() as connection:
            connection.execute(put.on_conflict_do_update(index_elements=["name"], set_=new))

    def drop(self, name: str) -> None:
        """Forget it: the work is done, or to begin anew."""
        with self._database.connect() as connection:
            connection.execute(delete(progress).where(progress.c.name == name))
