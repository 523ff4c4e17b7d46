"""What may happen to an event in the database."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Event, Person, RetractionBody, Storage
from conlinucb.service.storage.schema import events
from support.service_damage import World

Body = dict[str, Any]


def seal(seq: int, kind: str, body: str) -> dict[str, Any]:
    """A row as the service would have written it before rows had a seal."""
    crc = zlib.crc32(f"{seq} {kind} {body}".encode())
    return {"kind": kind, "body": body, "crc": crc, "seal": None}


@dataclass(frozen=True)
class Wound:
    """One way to damage an event."""

    name: str
    kind: str
    """The kind of event that it happens to."""
    change: Callable[[int, Body], dict[str, Any]] | None = None
    """From the event's number and body to other columns; None: the row goes."""

    def inflict(self, storage: Storage, person: Person, place: int = 2) -> int:
        """Damage one event; which one."""
        log = [row for row in storage.log.after(person.id) if isinstance(row, Event)]
        gone = {event.body.of for event in log if isinstance(event.body, RetractionBody)}
        hit = [event for event in log if event.kind == self.kind and event.seq not in gone]
        event = hit[min(place, len(hit) - 1)]
        row = (events.c.person == person.id) & (events.c.seq == event.seq)
        with storage.database.connect() as connection:
            if self.change is None:
                connection.execute(sa.delete(events).where(row))
            else:
                values = self.change(event.seq, event.body.written())
                connection.execute(sa.update(events).where(row).values(**values))
        return event.seq


def sealed(kind: str, new: Callable[[Body], Any]) -> Callable[[int, Body], dict[str, Any]]:
    """A change to another kind and body, with the checksum that belongs to them."""
    return lambda seq, body: seal(seq, kind, json.dumps(new(dict(body))))


def with_field(kind: str, **fields: Any) -> Callable[[int, Body], dict[str, Any]]:
    return sealed(kind, lambda body: {**body, **fields})


def without(kind: str, name: str) -> Callable[[int, Body], dict[str, Any]]:
    return sealed(kind, lambda body: {key: each for key, each in body.items() if key != name})


UNREADABLE = [
    Wound("body without its checksum", "answer", lambda seq, body: {"body": json.dumps({**body})}),
    Wound("body of a reward", "reward", lambda seq, body: {"body": '{"reward":1}'}),
    Wound("checksum", "question", lambda seq, body: {"crc": 12345}),
    Wound("kind without its checksum", "recommendation", lambda seq, body: {"kind": "reward"}),
    Wound("no JSON", "answer", lambda seq, body: seal(seq, "answer", '{"answer":')),
    Wound("empty", "reward", lambda seq, body: seal(seq, "reward", "")),
    Wound("a list", "recommendation", sealed("recommendation", lambda body: [body])),
    Wound("unknown kind", "answer", sealed("dance", lambda body: body)),
    Wound("retraction", "retraction", lambda seq, body: {"crc": 0}),
    Wound("client id", "answer", lambda seq, body: {"client_id": "another"}),
    Wound("subject", "reward", lambda seq, body: {"subject": "another"}),
]
GONE = [Wound(f"{kind} gone", kind) for kind in ("question", "answer", "recommendation", "reward")]
NONSENSE = [
    Wound("answer without answer", "answer", without("answer", "answer")),
    Wound("answer in words", "answer", with_field("answer", answer="yes")),
    Wound("answer that is no number", "answer", with_field("answer", answer=float("nan"))),
    Wound("answer that is true", "answer", with_field("answer", answer=True)),
    Wound("answer about half a pair", "answer", with_field("answer", about="pair")),
    Wound("answer about a list", "answer", with_field("answer", id=["topic 1"])),
    Wound("answer as a reward", "answer", sealed("reward", lambda body: body)),
    Wound("question without number", "question", without("question", "number")),
    Wound("question with a word as number", "question", with_field("question", number="x")),
    Wound("question with a huge number", "question", with_field("question", number=2**70)),
    Wound("question with a word as round", "question", with_field("question", round="x")),
    Wound("question about a planet", "question", with_field("question", about="planet")),
    Wound("recommendation without items", "recommendation", without("recommendation", "items")),
    Wound("items are numbers", "recommendation", with_field("recommendation", items=[5])),
    Wound("reward without item", "reward", without("reward", "item")),
    Wound("reward in words", "reward", with_field("reward", reward="much")),
    Wound("retraction of nothing", "retraction", sealed("retraction", lambda body: {})),
    Wound("retraction of a list", "retraction", with_field("retraction", of=[2])),
]
"""Under a checksum that fits."""
WOUNDS = UNREADABLE + GONE + NONSENSE
every_wound = pytest.mark.parametrize("wound", WOUNDS, ids=[each.name for each in WOUNDS])
few_wounds = pytest.mark.parametrize(
    "wound",
    [UNREADABLE[0], UNREADABLE[3], GONE[1], NONSENSE[0], NONSENSE[7], NONSENSE[12]],
    ids=lambda wound: wound.name,
)


def hurt(world: World, wound: Wound, person: Person) -> tuple[list[Event], int]:
    """Damage an event; the rest of the log, and the event's number."""
    before = world.log(person)
    seq = wound.inflict(world.storage, person)
    return [event for event in before if event.seq != seq], seq
