"""The event log: one small row for everything that happened with a person."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from conlinucb.errors import Damaged
from conlinucb.service.observe import timed
from conlinucb.service.storage.database import Database, now
from conlinucb.service.storage.events import Body, RetractionBody, parse
from conlinucb.service.storage.schema import events
from conlinucb.service.storage.together import Together
from conlinucb.service.storage.written_out import Insert

LONG_GAP = 1_000
"""Events missing in a row that are named one by one."""


@dataclass(frozen=True)
class Event:
    """One thing that happened; ``seq`` counts a person's events from 1."""

    seq: int
    body: Body
    client_id: str | None = None
    subject: str | None = None
    at: int = 0
    sealed: bool | None = field(default=None, compare=False)
    """Whether the checksum of its whole row fits. None: there is none, older code wrote it.

    False: all fits but for the subject, which older code takes away when it takes the event back.
    """

    @property
    def kind(self) -> str:
        """question, answer, recommendation, reward or retraction."""
        return self.body.kind


@dataclass(frozen=True)
class Broken:
    """A row that is not what was written."""

    seq: int
    reason: str


class Log:
    """Events of all people. What ``append`` returned from is on disk, once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._together = Together(database)
        self._insert = Insert(events, database.engine.dialect)

    @timed("store_seconds", operation="append")
    def append(self, person: int, event: Event) -> Event:
        """Write one event; raises ``Taken`` where its place, id or subject is taken."""
        stamped = replace(event, at=now())
        row = _row(person, stamped)
        self._together.write(lambda connection: self._insert.run(connection, row))
        return stamped

    @timed("store_seconds", operation="retract")
    def retract(self, person: int, event: Event, target: int) -> Event:
        """Write a retraction, and free the subject of what it takes back."""
        stamped = replace(event, at=now())
        with self._database.transaction() as connection:
            connection.execute(insert(events), _row(person, stamped))
            mine = events.c.person == person, events.c.seq == target
            row = connection.execute(select(events).where(*mine)).first()
            if row is not None:
                connection.execute(update(events).where(*mine).values(_freed(row)))
        return stamped

    @timed("store_seconds", operation="read log")
    def after(self, person: int, seq: int = 0) -> list[Event | Broken]:
        """A person's events behind this one, in order."""
        wanted = select(events).where(events.c.person == person, events.c.seq > seq)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.order_by(events.c.seq)).all()
        # SQLite keeps whatever it is given; what has no number has no place among the others.
        return [read(row) for row in rows if isinstance(row.seq, int)]

    def of_people(self, people: Sequence[int]) -> dict[int, list[Event | Broken]]:
        """The whole logs of several people at once, in order."""
        found: dict[int, list[Event | Broken]] = {each: [] for each in people}
        wanted = select(events).where(events.c.person.in_(found))
        with self._database.connect() as connection:
            for row in connection.execute(wanted.order_by(events.c.person, events.c.seq)):
                if isinstance(row.seq, int):
                    found[row.person].append(read(row))
        return found

    def lengths(self, people: Sequence[int]) -> dict[int, int]:
        """The numbers of several people's last events, 0 where there is none."""
        wanted = select(events.c.person, func.max(events.c.seq)).group_by(events.c.person)
        with self._database.connect() as connection:
            rows = connection.execute(wanted.where(events.c.person.in_(people))).all()
        found = {person: last for person, last in rows if isinstance(last, int)}
        return {each: found.get(each, 0) for each in people}

    def last(self, person: int) -> int:
        """The number of a person's last event, 0 where there is none."""
        with self._database.connect() as connection:
            found = connection.scalar(select(func.max(events.c.seq)).filter_by(person=person))
            if isinstance(found, int | None):
                return found or 0
            # SQLite keeps whatever it is given, and takes a text for the largest.
            places = connection.scalars(select(events.c.seq).filter_by(person=person))
            return max((each for each in places if isinstance(each, int)), default=0)

    @timed("store_seconds", operation="find event")
    def find(self, person: int, **what: Any) -> Event | None:
        """The event with this seq, client_id or subject."""
        with self._database.connect() as connection:
            row = connection.execute(select(events).filter_by(person=person, **what)).first()
        if row is None:
            return None
        found = read(row)
        if isinstance(found, Broken):
            raise Damaged(f"Event {found.seq} cannot be read: {found.reason}.")
        return found


def _crc(seq: int, kind: str, body: str) -> int:
    return zlib.crc32(f"{seq} {kind} {body}".encode())


def _seal(person: int, seq: int, kind: str, body: str, client: Any, subject: Any) -> int:
    """Over the whole row: above 32 bits all but the subject, below them all with it."""
    rest = zlib.crc32(f"{(person, seq, kind, client)!r} {body}".encode())
    return (rest & 0x7FFF_FFFF) << 32 | zlib.crc32(repr(subject).encode(), rest)


def _sealed(row: Any) -> bool | None:
    """Whether the row's seal fits, as an event says it; raises ``Damaged`` where it does not."""
    if row.seal is None:
        return None
    whole = _seal(row.person, row.seq, row.kind, row.body, row.client_id, row.subject)
    if row.seal == whole:
        return True
    if row.subject is None and isinstance(row.seal, int) and row.seal >> 32 == whole >> 32:
        return False
    raise Damaged("the checksum of its row does not fit")


def _freed(row: Any) -> dict[str, Any]:
    """A row's columns without its subject; what is damaged stays so."""
    try:
        if isinstance(row.body, str) and _sealed(row) is not None:
            seal = _seal(row.person, row.seq, row.kind, row.body, row.client_id, None)
            return {"subject": None, "seal": seal}
    except Damaged:
        pass
    return {"subject": None}


def _row(person: int, event: Event) -> dict[str, Any]:
    body = json.dumps(
        event.body.written(), ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return {
        "person": person,
        "seq": event.seq,
        "kind": event.kind,
        "body": body,
        "crc": _crc(event.seq, event.kind, body),
        "client_id": event.client_id,
        "subject": event.subject,
        "at": event.at,
        "seal": _seal(person, event.seq, event.kind, body, event.client_id, event.subject),
    }


def read(row: Row[Any]) -> Event | Broken:
    """A row as an event, if it is as it was written."""
    if not isinstance(row.body, str) or row.crc != _crc(row.seq, row.kind, row.body):
        return Broken(row.seq, "its checksum does not fit")
    if not isinstance(row.at, int):
        return Broken(row.seq, "its time is no number")
    try:
        sealed = _sealed(row)
        body = parse(row.kind, row.body)
    except Damaged as error:
        return Broken(row.seq, str(error))
    return Event(row.seq, body, row.client_id, row.subject, row.at, sealed)


def with_missing(rows: Sequence[Event | Broken], after: int = 0) -> list[Event | Broken]:
    """A log behind an event without gaps: what is missing is among it as broken."""
    found: list[Event | Broken] = []
    for row in sorted(rows, key=lambda each: each.seq):
        gap = range(after + 1, row.seq)
        if len(gap) > LONG_GAP:  # a number that is damaged, rather than so many lost
            found.append(Broken(gap[0], f"it and all up to {gap[-1]} are not there"))
        else:
            found += [Broken(seq, "it is not there") for seq in gap]
        found.append(row)
        after = row.seq
    return found


def retracted(rows: Iterable[Event | Broken]) -> set[int]:
    """The events of a log that were taken back."""
    bodies = (row.body for row in rows if isinstance(row, Event))
    return {body.of for body in bodies if isinstance(body, RetractionBody)}
