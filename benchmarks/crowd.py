"""Many people with short logs, written into PostgreSQL as fast as it takes them."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import text

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.uploads import from_json
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.storage import (
    MEMORY,
    Count,
    Event,
    QuestionBody,
    RecommendationBody,
    Storage,
    migrate,
    now,
)
from conlinucb.service.storage.log import _row, _seal

NAME, OTHER = "crowd", "nobody yet"
ITEMS, TOPICS, D = 1_000, 60, 20
MODELS = 100
"""Conversations that are had through the service's own code; everyone has one of these."""
BATCH = 5_000
"""People written with one COPY."""


def body(shift: int = 0) -> dict[str, Any]:
    """A catalogue; another ``shift`` is another one with the same names."""
    items = [
        {
            "id": f"item {n}",
            "tags": {
                f"topic {n % TOPICS}": 1.0,
                f"topic {(7 * n + shift) % TOPICS}": 0.6,
                f"topic {(11 * n + 3) % TOPICS}": 0.3,
            },
        }
        for n in range(ITEMS)
    ]
    return {"items": items, "d": D}


@dataclass(frozen=True)
class Model:
    """One conversation: the events, and the seed that they came from."""

    seed: int
    rows: list[dict[str, Any]]


def models(events: int) -> list[Model]:
    """Conversations of so many events each."""
    storage = Storage(MEMORY)
    migrate.upgrade(storage.database)
    catalogues = Catalogues(storage)
    catalogues.opened = True
    catalogues.replace(NAME, from_json(CatalogueBody.model_validate(body())))
    loader = StateLoader(storage)
    cache = StateCache(10_000_000)
    talk = UseCases(storage, catalogues, cache, loader, lambda state, person: None)
    with contextlib.closing(storage):
        return [_model(talk, f"model {number}", events) for number in range(MODELS)]


def _model(talk: UseCases, name: str, events: int) -> Model:
    person = talk.meet(NAME, name, None)
    while talk.storage.log.last(person.id) < events:
        came = talk.next(NAME, name, NextRequest()).event
        said = f"client {came.seq + 1}"
        taste = (zlib.crc32(said.encode() + name.encode()) % 100) / 100
        if isinstance(came.body, QuestionBody):
            talk.answer(NAME, name, f"q{came.seq}", taste, said)
        elif isinstance(came.body, RecommendationBody):
            item = came.body.items[0].item
            talk.reward(NAME, name, f"d{came.seq}", item, taste, said)
    log = [each for each in talk.storage.log.after(person.id) if isinstance(each, Event)]
    return Model(person.seed, [_row(0, replace(each, at=now())) for each in log[:events]])


def fill(storage: Storage, people: int, events: int) -> Iterator[int]:
    """The catalogue with so many people; after each batch how many there are.

    Foreign keys are not looked at meanwhile: what is written fits.
    """
    catalogues = Catalogues(storage)
    catalogues.replace(NAME, from_json(CatalogueBody.model_validate(body())))
    catalogues.replace(OTHER, from_json(CatalogueBody.model_validate(body())))
    entry = storage.catalogue_log.find(NAME)
    assert entry is not None
    had = models(events)
    raw = storage.database.engine.raw_connection()
    with contextlib.closing(raw):
        cursor = raw.cursor()
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET synchronous_commit = off")
        cursor.execute("SET statement_timeout = 0")
        for first in range(1, people + 1, BATCH):
            ids = range(first, min(first + BATCH, people + 1))
            _copy(cursor, "people (id, catalogue, name, seed, at)", _people(ids, entry.id, had))
            names = ", ".join(had[0].rows[0])
            _copy(cursor, f"events ({names})", _events(ids, had))
            yield ids[-1]
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('people', 'id'), {people})")
        cursor.execute("RESET ALL")
        cursor.execute("ANALYZE")
    storage.counts.set(entry.id, Count(people, people * events), storage.counts.since(entry.id))


def _people(ids: range, catalogue: int, had: list[Model]) -> Iterator[str]:
    at = now()
    for each in ids:
        yield f"{each}\t{catalogue}\tperson {each}\t{had[each % MODELS].seed}\t{at}\n"


def _events(ids: range, had: list[Model]) -> Iterator[str]:
    for person in ids:
        for row in had[person % MODELS].rows:
            content = (row["kind"], row["body"], row["client_id"], row["subject"])
            seal = _seal(person, row["seq"], *content)
            values = {**row, "person": person, "seal": seal}.values()
            yield "\t".join(map(_field, values)) + "\n"


def _field(value: object) -> str:
    if value is None:
        return r"\N"
    return value.replace("\\", "\\\\") if isinstance(value, str) else str(value)


def _copy(cursor: Any, target: str, lines: Iterator[str]) -> None:
    with cursor.copy(f"COPY {target} FROM STDIN") as copy:
        copy.write("".join(lines))


def sizes(storage: Storage) -> dict[str, int]:
    """Bytes of people and of events, with their indices."""
    parts = "SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('events')"
    with storage.database.connect() as connection:
        events = connection.scalar(text(parts))
        people = connection.scalar(text("SELECT pg_total_relation_size('people')"))
    return {"people": int(people or 0), "events": int(events or 0)}
