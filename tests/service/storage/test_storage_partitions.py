"""Tables in parts on PostgreSQL: new databases have them, others are moved while people write."""

from __future__ import annotations

import itertools
import threading

import pytest
import sqlalchemy as sa
from alembic import command as command_of_alembic

from conlinucb.checks import check_storage
from conlinucb.errors import InvalidInput
from conlinucb.service.storage import MEMORY, Person, Storage, migrate, partitions
from conlinucb.service.storage.database import Database
from conlinucb.service.storage.log import _row
from conlinucb.service.storage.partitions import LAYOUTS, PARTS, Partitioning, is_partitioned
from conlinucb.service.storage.schema import events
from support.service_commands import command
from support.service_store import said, seqs, someone, state, taken_back
from support.service_world import Postgres, opened


def with_plain_tables(server: Postgres, people: int = 5) -> tuple[Storage, list[Person]]:
    """A database that had events when it came to the tables in parts."""
    storage = Storage(server.new_database())
    config = migrate._config()
    config.attributes["database"] = storage.database
    command_of_alembic.upgrade(config, "0002")
    with storage.database.connect() as connection:
        connection.exec_driver_sql(
            "INSERT INTO catalogues (name, serving, leased_until) VALUES ('films', 0, 0)"
        )
        connection.exec_driver_sql(
            "INSERT INTO people (catalogue, name, seed, at) VALUES (1, 'first', '1', 1)"
        )
        row = _row(1, said(1))
        del row["seal"]
        connection.execute(sa.insert(events), row)
        connection.exec_driver_sql(
            "INSERT INTO snapshots (person, basis, seq, body, crc) VALUES (1, 'x', 1, '', 0)"
        )
    migrate.upgrade(storage.database)
    made = [someone(storage, f"person {number}") for number in range(people)]
    for person in made:
        storage.log.append(person.id, said(1, "client", "subject"))
        storage.snapshots.save(person.id, "basis", state(1))
    return storage, made


def parts_of(storage: Storage) -> list[bool]:
    with storage.database.connect() as connection:
        return [is_partitioned(connection, each.table) for each in LAYOUTS]


def test_a_new_database_has_them(postgres: Postgres) -> None:
    storage = opened(postgres.new_database())
    assert parts_of(storage) == [True, True]
    with storage.database.connect() as connection:
        parts = connection.scalar(
            sa.text("SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass")
        )
    assert parts == PARTS
    storage.close()


def test_one_with_events_keeps_plain_tables_which_conform(postgres: Postgres) -> None:
    storage, _ = with_plain_tables(postgres, 0)
    assert parts_of(storage) == [False, False]
    check_storage(storage, someone(storage, "ann").id, someone(storage, "bob").id)
    storage.close()


def test_it_is_moved_and_conforms(postgres: Postgres) -> None:
    storage, made = with_plain_tables(postgres)
    before = [storage.log.after(each.id) for each in made]
    done = command("partition", storage.database.url)
    assert (done.code, done.error) == (0, None), done.output
    assert parts_of(storage) == [True, True]
    assert [storage.log.after(each.id) for each in made] == before
    assert storage.snapshots.bases(made[0].id) == ["basis"]
    check_storage(storage, someone(storage, "ann").id, someone(storage, "bob").id)
    assert "already" in command("partition", storage.database.url).output
    storage.people.delete(made[0].id)
    assert storage.log.after(made[0].id) == []
    storage.close()


def test_what_is_written_meanwhile_is_there_and_an_interruption_is_gone_on_with(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "BATCH", 1)
    storage, (ann, bob, cid, dan, eve) = with_plain_tables(postgres)
    work = Partitioning(storage.database)
    first = list(itertools.islice(work.run(LAYOUTS[0]), 3))  # ann and bob are copied, cid is not
    assert first[-1] == bob.id
    storage.log.append(ann.id, said(2))
    storage.log.retract(bob.id, taken_back(2, 1), 1)
    storage.log.retract(cid.id, taken_back(2, 1), 1)
    storage.people.delete(dan.id)
    again = list(Partitioning(storage.database).run(LAYOUTS[0]))
    assert again == [cid.id, eve.id]
    assert parts_of(storage) == [True, False]
    assert [seqs(storage, each) for each in (ann, bob, cid, dan, eve)] == [
        [1, 2],
        [1, 2],
        [1, 2],
        [],
        [1],
    ]
    assert storage.log.find(bob.id, subject="subject") is None
    assert storage.log.find(cid.id, subject="subject") is None
    assert storage.log.find(eve.id, subject="subject") is not None
    storage.close()


def test_nothing_is_lost_while_others_write(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "BATCH", 2)
    storage, made = with_plain_tables(postgres, 20)
    over = threading.Event()
    written = dict.fromkeys((each.id for each in made), 1)

    def write() -> None:
        for person in itertools.cycle(made):
            if over.is_set():
                return
            storage.log.append(person.id, said(written[person.id] + 1))
            written[person.id] += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for layout in LAYOUTS:
            list(Partitioning(storage.database).run(layout))
    finally:
        over.set()
        writer.join()
    assert parts_of(storage) == [True, True]
    assert {each.id: len(storage.log.after(each.id)) for each in made} == written
    assert max(written.values()) > 1
    storage.close()


def test_sqlite_has_none() -> None:
    with pytest.raises(InvalidInput, match="SQLite"):
        Partitioning(Database(MEMORY))
