"""The checksum over an event's whole row: what it finds, and what older code may leave."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Broken, Event, Person, Storage
from conlinucb.service.storage.schema import events
from support import service_store
from support.service_store import said, someone, taken_back

database = service_store.database
storage = service_store.storage


def change(storage: Storage, of: Person, seq: int, /, **values: Any) -> None:
    row = (events.c.person == of.id) & (events.c.seq == seq)
    with storage.database.connect() as connection:
        assert connection.execute(sa.update(events).where(row).values(**values)).rowcount == 1


def sealed(storage: Storage, person: Person) -> list[bool | None]:
    return [row.sealed for row in storage.log.after(person.id) if isinstance(row, Event)]


@pytest.mark.parametrize(
    "values",
    [{"client_id": "c2"}, {"client_id": None}, {"subject": "s2"}, {"seal": 5}],
    ids=str,
)
def test_what_does_not_fit_is_broken(storage: Storage, values: dict[str, Any]) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "c1", "s1"))
    change(storage, ann, 1, **values)
    (row,) = storage.log.after(ann.id)
    assert isinstance(row, Broken)
    assert "checksum" in row.reason


def test_an_event_of_someone_else_is_broken(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    storage.log.append(ann.id, said(1))
    change(storage, ann, 1, person=bob.id)
    assert isinstance(storage.log.after(bob.id)[0], Broken)


def test_none_and_the_word_none_are_two_things(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1))
    change(storage, ann, 1, client_id="None")
    assert isinstance(storage.log.after(ann.id)[0], Broken)


def test_a_row_of_older_code_is_read_as_before(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "c1", "s1"))
    change(storage, ann, 1, seal=None, subject="another")
    assert sealed(storage, ann) == [None]
    storage.log.retract(ann.id, taken_back(2, 1), 1)
    assert sealed(storage, ann) == [None, True]


def test_a_retraction_seals_anew_what_it_frees(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "c1", "s1"))
    storage.log.retract(ann.id, taken_back(2, 1), 1)
    assert sealed(storage, ann) == [True, True]
    assert storage.log.find(ann.id, subject="s1") is None


def test_a_retraction_does_not_heal_what_is_damaged(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "c1", "s1"))
    change(storage, ann, 1, client_id="c2")
    storage.log.retract(ann.id, taken_back(2, 1), 1)
    assert isinstance(storage.log.after(ann.id)[0], Broken)


def test_a_subject_that_older_code_freed_is_no_damage_by_itself(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "c1", "s1"))
    change(storage, ann, 1, subject=None)  # all that a retraction did before rows had a seal
    assert sealed(storage, ann) == [False]
