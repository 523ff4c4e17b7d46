"""The log of events, the same on every database: order, ids, texts and numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged
from conlinucb.service.storage import (
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RewardBody,
    Storage,
    Taken,
)
from conlinucb.service.storage.schema import events
from support import service_store
from support.service_store import LARGEST_SEED, asked, at_once, said, seqs, someone, taken_back

database = service_store.database
storage = service_store.storage

ODD_TEXTS = (
    "Amélie · 東京物語 · Сталкер · فيلم · 🎬👩‍👩‍👧",
    "e\u0301 is not \u00e9",  # no normal form is forced on anyone
    "\u202eright to left\u202c and \u2028 and \ufeff",
    """quotes ' " ` \\ % %s :name ?1 {} $1; --""",
    "trailing space ",
)


# --- the log ---


def test_events_come_back_as_written_in_order(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    written = [storage.log.append(ann.id, said(n, f"c{n}", f"answer {n}")) for n in (1, 2, 3)]
    storage.log.append(bob.id, said(1))
    assert storage.log.after(ann.id) == written
    assert storage.log.after(ann.id, 2) == written[2:]
    assert storage.log.after(ann.id, 3) == []
    assert [event.at for event in written] == sorted(event.at for event in written)
    assert written[0].at > 0


def test_order_is_by_number_not_by_time_of_writing(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (10, 9, 2, 1, 100):
        storage.log.append(ann.id, said(seq))
    assert seqs(storage, ann) == [1, 2, 9, 10, 100]


def test_last_is_the_largest_number_of_that_person(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    assert storage.log.last(ann.id) == 0
    for seq in (1, 2, 3):
        storage.log.append(ann.id, said(seq))
    storage.log.append(bob.id, said(1))
    assert storage.log.last(ann.id) == 3
    assert storage.log.last(bob.id) == 1


def test_find_by_number_client_id_and_subject(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    storage.log.append(ann.id, said(1))
    wanted = storage.log.append(ann.id, said(2, "mine", "answer 1"))
    assert storage.log.find(ann.id, seq=2) == wanted
    assert storage.log.find(ann.id, client_id="mine") == wanted
    assert storage.log.find(ann.id, subject="answer 1") == wanted
    assert storage.log.find(ann.id, seq=3) is None
    assert storage.log.find(ann.id, client_id="Mine") is None
    assert storage.log.find(bob.id, client_id="mine") is None


@pytest.mark.parametrize(
    "second",
    [said(1, "other", "other"), said(2, "mine", "other"), said(2, "other", "answer 1")],
    ids=["seq", "client_id", "subject"],
)
def test_what_is_taken_is_taken(storage: Storage, second: Event) -> None:
    ann = someone(storage)
    first = storage.log.append(ann.id, said(1, "mine", "answer 1"))
    with pytest.raises(Taken):
        storage.log.append(ann.id, second)
    assert storage.log.after(ann.id) == [first]
    storage.log.append(ann.id, said(2, "other", "other"))


def test_ids_and_subjects_are_each_persons_own(storage: Storage) -> None:
    for name in ("ann", "bob"):
        storage.log.append(someone(storage, name).id, said(1, "mine", "answer 1"))
    elsewhere = someone(storage, "ann", "books")
    storage.log.append(elsewhere.id, said(1, "mine", "answer 1"))


def test_events_without_id_and_subject_do_not_stand_in_each_others_way(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (1, 2, 3):
        storage.log.append(ann.id, said(seq))
    assert seqs(storage, ann) == [1, 2, 3]


def test_a_retraction_frees_the_subject(storage: Storage) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, "mine", "answer 1"))
    assert storage.log.retract(ann.id, taken_back(2, 1, "retraction 1"), 1).at > 0
    assert storage.log.find(ann.id, subject="answer 1") is None
    found = storage.log.find(ann.id, seq=1)
    assert found is not None
    assert (found.client_id, found.subject, found.body) == ("mine", None, said(1).body)
    again = storage.log.append(ann.id, said(3, "again", "answer 1"))
    assert storage.log.find(ann.id, subject="answer 1") == again


@pytest.mark.parametrize("taken", ["seq", "subject"])
def test_a_retraction_that_comes_too_late_frees_nothing(storage: Storage, taken: str) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.log.append(ann.id, said(2, None, "retraction 1"))
    late = taken_back(2 if taken == "seq" else 3, 1, "retraction 1")
    with pytest.raises(Taken):
        storage.log.retract(ann.id, late, 1)
    assert storage.log.find(ann.id, subject="answer 1") is not None
    assert seqs(storage, ann) == [1, 2]


def test_a_retraction_touches_no_one_else(storage: Storage) -> None:
    ann, bob = someone(storage), someone(storage, "bob")
    for person in (ann, bob):
        storage.log.append(person.id, said(1, None, "answer 1"))
    storage.log.retract(ann.id, taken_back(2, 1), 1)
    assert storage.log.find(bob.id, subject="answer 1") is not None


@pytest.mark.parametrize(
    "change",
    [
        {"body": '{"answer":0.0}'},
        {"body": "{}{"},
        {"kind": "reward"},
        {"crc": 0},
        {"seq": 7},
    ],
    ids=["body", "no JSON", "kind", "crc", "seq"],
)
def test_a_changed_row_is_noticed(storage: Storage, change: dict[str, Any]) -> None:
    ann = someone(storage)
    storage.log.append(ann.id, said(1))
    good = storage.log.append(ann.id, said(9))
    with storage.database.connect() as connection:
        connection.execute(sa.update(events).where(events.c.seq == 1).values(**change))
    broken, after = storage.log.after(ann.id)
    assert isinstance(broken, Broken)
    assert broken.reason
    assert after == good
    with pytest.raises(Damaged, match=f"Event {broken.seq} "):
        storage.log.find(ann.id, seq=broken.seq)


def test_threads_that_retry_write_every_event_once_and_leave_no_gap(storage: Storage) -> None:
    ann, each = someone(storage), 15

    def write(writer: int) -> None:
        for number in range(each):
            while True:
                event = said(storage.log.last(ann.id) + 1, f"{writer} {number}")
                try:
                    storage.log.append(ann.id, event)
                    break
                except Taken:
                    continue

    at_once(8, write)
    found = [event for event in storage.log.after(ann.id) if isinstance(event, Event)]
    assert [event.seq for event in found] == list(range(1, 8 * each + 1))
    wanted = {f"{writer} {number}" for writer in range(8) for number in range(each)}
    assert {event.client_id for event in found} == wanted


@pytest.mark.parametrize("same", [said(0, "mine"), said(0, None, "answer 1")])
def test_of_threads_that_say_the_same_one_is_heard(storage: Storage, same: Event) -> None:
    ann = someone(storage)

    def write(number: int) -> bool:
        try:
            storage.log.append(ann.id, replace(same, seq=number + 1))
        except Taken:
            return False
        return True

    assert sum(at_once(8, write)) == 1
    assert len(storage.log.after(ann.id)) == 1


# --- texts and numbers ---


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_texts_survive(storage: Storage, text: str) -> None:
    ann = someone(storage, text, text)
    body = RewardBody(decision=1, item=text, reward=1.0)
    event = Event(1, body, text, f"reward 1 {text}")
    written = storage.log.append(ann.id, event)
    assert storage.log.after(ann.id) == [written]
    assert storage.log.find(ann.id, client_id=text) == written
    assert storage.log.find(ann.id, subject=event.subject) == written
    assert storage.people.find(ann.catalogue, text) == ann
    entry = storage.catalogue_log.find(text)
    assert entry is not None
    assert entry.name == text


def test_the_longest_texts_survive(storage: Storage) -> None:
    name, subject = "界" * 200, "🎬" * 500
    ann = someone(storage, name, name)
    long = [f"{n} " + "é" * 200 for n in range(2000)]
    items = [
        RecommendedItem(item=each, score=1.0, mean=0.5, radius=0.5, exploring=True) for each in long
    ]
    body = RecommendationBody(round=1, items=items)
    written = storage.log.append(ann.id, Event(1, body, name, subject))
    assert storage.log.after(ann.id) == [written]
    assert storage.log.find(ann.id, subject=subject) == written


def test_control_characters_in_a_body_survive(storage: Storage) -> None:
    ann = someone(storage)
    text = "".join(map(chr, range(0x20))) + "\x7f\x85"
    written = storage.log.append(ann.id, asked(1, text))
    assert storage.log.after(ann.id) == [written]


@pytest.mark.parametrize("number", [0.1, -0.0, 1e-320, 1e16, -1e100, 2**70, 1 / 3])
def test_numbers_in_a_body_survive_exactly(storage: Storage, number: float) -> None:
    ann = someone(storage)
    written = storage.log.append(ann.id, asked(1, mean=number))
    (found,) = storage.log.after(ann.id)
    assert isinstance(found, Event)
    assert isinstance(found.body, QuestionBody)
    assert repr(found.body) == repr(written.body)
    assert repr(found.body.mean) == repr(float(number))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_not_written(storage: Storage, number: float) -> None:
    ann = someone(storage)
    body = RewardBody.model_construct({"reward"}, reward=number)  # as no caller can make it
    with pytest.raises(ValueError, match="Out of range float"):
        storage.log.append(ann.id, Event(1, body))
    assert storage.log.last(ann.id) == 0


@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, LARGEST_SEED])
def test_a_seed_of_64_bits_survives(storage: Storage, seed: int) -> None:
    films = storage.catalogue_log.create("films").id
    added = storage.people.add(films, "ann", seed)
    assert added.seed == seed
    assert storage.people.find(films, "ann") == added
    assert storage.people.batch(films) == [added]
    assert storage.people.everywhere("ann") == [added]
