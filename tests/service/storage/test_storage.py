"""Transactions, what was found damaged, and what is there after closing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Finding, Storage, Taken
from conlinucb.service.storage.schema import catalogues
from support import service_store
from support.service_store import Interruption, asked, at_once, said, someone, state, two_catalogues
from support.service_world import opened

database = service_store.database
storage = service_store.storage


# --- what was found damaged ---


def test_a_finding_is_reported_once_and_can_be_cleared(storage: Storage) -> None:
    ann = someone(storage)
    for reason in ("first", "second"):
        storage.quarantine.add(Finding(ann.id, ann.catalogue, "event 1", reason))
        storage.quarantine.add(Finding(None, ann.catalogue, "version 1", reason))
    found = storage.quarantine.all()
    assert [(each.what, each.reason) for each in found] == [
        ("event 1", "first"),
        ("version 1", "first"),
    ]
    storage.quarantine.clear()
    assert storage.quarantine.all() == []


def test_threads_that_find_the_same_report_it_once(storage: Storage) -> None:
    ann = someone(storage)
    of_person = Finding(ann.id, ann.catalogue, "event 1", "for a test")
    of_catalogue = Finding(None, ann.catalogue, "version 1", "for a test")
    at_once(8, lambda _: storage.quarantine.add(of_person))
    at_once(8, lambda _: storage.quarantine.add(of_catalogue))
    assert storage.quarantine.all() == [of_person, of_catalogue]


# --- transactions ---


def test_a_transaction_happens_as_a_whole(storage: Storage) -> None:
    with storage.database.transaction() as connection:
        for name in ("films", "books"):
            values = {"name": name, "serving": 0, "leased_until": 0}
            connection.execute(sa.insert(catalogues), values)
    assert [each.name for each in storage.catalogue_log.entries()] == ["films", "books"]


def test_or_not_at_all(storage: Storage) -> None:
    storage.catalogue_log.create("films")
    with pytest.raises(Taken):
        two_catalogues(storage, "films")
    with pytest.raises(Interruption):
        two_catalogues(storage, "books", interrupt=True)
    assert [each.name for each in storage.catalogue_log.entries()] == ["films"]
    two_catalogues(storage, "books")  # the connection is as good as before
    assert len(storage.catalogue_log.entries()) == 3


def test_a_write_is_seen_by_another_process_at_once(lasting_url: str) -> None:
    one, other = opened(lasting_url), opened(lasting_url)
    ann = someone(one)
    for seq in (1, 2, 3):
        written = one.log.append(ann.id, said(seq))
        assert other.log.after(ann.id, seq - 1) == [written]
    other.people.delete(ann.id)
    with pytest.raises(Taken):
        one.log.append(ann.id, said(4))
    one.close()
    other.close()


def test_everything_is_there_after_closing(lasting_url: str) -> None:
    one = opened(lasting_url)
    ann = someone(one)
    written = one.log.append(ann.id, said(1, "mine", "answer 1"))
    one.snapshots.save(ann.id, "basis", state())
    one.close()
    again = opened(lasting_url)
    assert again.people.find(ann.catalogue, "ann") == ann
    assert again.log.after(ann.id) == [written]
    assert again.snapshots.load(ann.id, "basis") is not None
    again.close()


def test_a_deleted_person_leaves_no_bytes_in_the_file(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    secret = "a most secret taste"
    ann = someone(storage, secret)
    storage.log.append(ann.id, replace(asked(1, secret), client_id=secret, subject=secret))
    storage.people.delete(ann.id)
    storage.close()  # the journal goes into the file
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert left
    assert secret.encode() not in left
