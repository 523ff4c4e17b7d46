"""What people said, as a table to learn from: person, kind, id, value, weight."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conlinucb.catalog.catalog import Catalog
from conlinucb.service.storage import (
    AnswerBody,
    Broken,
    Event,
    RecommendationBody,
    RewardBody,
    Storage,
    retracted,
)

BATCH = 500
"""People read at once."""


class Feedback(NamedTuple):
    """One thing said by one person."""

    person: int
    kind: str
    """reward (of an item) or answer (about a key-term)."""
    id: str
    value: float | None
    """None where a question was skipped."""
    weight: float


def feedback_of(
    storage: Storage,
    catalogue: int,
    catalog: Catalog,
    *,
    random_weight: float = 1.0,
    most: int | None = None,
) -> Iterator[Feedback]:
    """Everything that counts in a catalogue's log, person by person; of the ``most`` last to come.

    What was taken back, is damaged, or is about what the catalogue does not have is left out; so
    are people who were deleted, of whom the log has nothing. Rewards of items that were drawn at
    random count ``random_weight`` times as much as others.
    """
    last = 0 if most is None else storage.people.before_last(catalogue, most)
    while batch := storage.people.batch(catalogue, last, limit=BATCH):
        logs = storage.log.of_people([each.id for each in batch])
        for person, rows in logs.items():
            yield from _said(person, rows, catalog, random_weight)
        last = batch[-1].id


def table_of(feedback: Iterator[Feedback]) -> dict[str, list[Any]]:
    """The same as columns."""
    columns = list(zip(*feedback, strict=True)) or [()] * len(Feedback._fields)
    return {name: list(column) for name, column in zip(Feedback._fields, columns, strict=True)}


def _said(
    person: int, rows: Sequence[Event | Broken], catalog: Catalog, random_weight: float
) -> Iterator[Feedback]:
    gone = retracted(rows)
    random: set[int] = set()
    for row in rows:
        if isinstance(row, Broken) or row.seq in gone:
            continue
        match row.body:
            case RecommendationBody(random=True):
                random.add(row.seq)
            case RewardBody() as body if body.item in catalog._arm_lookup:
                weight = random_weight if body.decision in random else 1.0
                yield Feedback(person, "reward", body.item, body.reward, weight)
            case AnswerBody() as body:
                yield from _answered(person, body, catalog)


def _answered(person: int, body: AnswerBody, catalog: Catalog) -> Iterator[Feedback]:
    """An answer about an item is a reward; one about several things is left out."""
    if body.about == "term" and body.names[0] in catalog._term_lookup:
        yield Feedback(person, "answer", body.names[0], body.answer, 1.0)
    elif body.about == "arm" and body.answer is not None and body.names[0] in catalog._arm_lookup:
        yield Feedback(person, "reward", body.names[0], body.answer, 1.0)
