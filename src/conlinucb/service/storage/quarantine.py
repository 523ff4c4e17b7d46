"""What was found damaged: set aside and reported, never served."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select

from conlinucb.service.storage.database import Database, Taken, now
from conlinucb.service.storage.schema import people, quarantine

MOST = 10_000
"""Findings shown at most."""


@dataclass(frozen=True)
class Finding:
    """One damaged thing."""

    person: int | None
    catalogue: int | None
    what: str
    reason: str


class Quarantine:
    """Findings of everyone who came across damage."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, finding: Finding) -> None:
        """Report it, once."""
        once = f"{finding.person or ''} {finding.catalogue or ''} {finding.what}"
        values = {**vars(finding), "at": now(), "once": once}
        with contextlib.suppress(Taken), self._database.connect() as connection:
            connection.execute(insert(quarantine), values)

    def all(self) -> list[Finding]:
        """Everything reported so far."""
        with self._database.connect() as connection:
            rows = connection.execute(select(quarantine).order_by(quarantine.c.id)).all()
        return [Finding(row.person, row.catalogue, row.what, row.reason) for row in rows]

    def events_of(self, person: int) -> set[int]:
        """The events of a person that were found damaged."""
        with self._database.connect() as connection:
            found = connection.scalars(select(quarantine.c.what).filter_by(person=person)).all()
        places = (each.removeprefix("event ") for each in found if each.startswith("event "))
        return {int(each) for each in places if each.isdigit()}

    def named(self, most: int = MOST) -> list[tuple[str, Finding]]:
        """The same, with whose they are: catalogues first, at most so many."""
        wanted = select(quarantine, people.c.name).outerjoin(
            people, people.c.id == quarantine.c.person
        )
        ordered = wanted.order_by(quarantine.c.person.is_not(None), quarantine.c.id).limit(most)
        with self._database.connect() as connection:
            rows = connection.execute(ordered).all()
        return [
            (
                f"catalogue {row.catalogue}" if row.person is None else f"person {row.name!r}",
                Finding(row.person, row.catalogue, row.what, row.reason),
            )
            for row in rows
        ]

    def count(self) -> int:
        """How many there are."""
        with self._database.connect() as connection:
            return int(connection.scalar(select(func.count()).select_from(quarantine)) or 0)

    def clear(self) -> None:
        """Forget all findings: they are looked for anew."""
        with self._database.connect() as connection:
            connection.execute(delete(quarantine))
