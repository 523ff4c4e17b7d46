"""What a database's errors mean: it refuses, is damaged, or is down."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged, InvalidInput, StorageError, StoreDown, StoreRefuses
from conlinucb.service.storage import Broken, Event, Finding, Person, Snapshot, Storage
from conlinucb.service.storage.schema import catalogues
from support.service_store import asked, said, seqs, someone, state, taken_back, two_catalogues
from support.service_world import Postgres, opened


def attempts(storage: Storage, person: Person) -> list[Callable[[], object]]:
    """Every way to write."""
    entry = storage.catalogue_log.entries()[0]
    return [
        lambda: storage.log.append(person.id, said(2)),
        lambda: storage.log.retract(person.id, taken_back(2, 1), 1),
        lambda: storage.people.add(person.catalogue, "new", 1),
        lambda: storage.people.delete(person.id),
        lambda: storage.snapshots.save(person.id, "basis", state()),
        lambda: storage.snapshots.drop(person.id),
        lambda: storage.catalogue_log.create("new"),
        lambda: storage.catalogue_log.append(entry, "replace", b""),
        lambda: storage.quarantine.add(Finding(person.id, None, "event 1", "")),
        lambda: storage.quarantine.clear(),
    ]


def assert_takes_nothing(storage: Storage, person: Person) -> None:
    for attempt in attempts(storage, person):
        with pytest.raises(StoreRefuses):
            attempt()
    found = storage.log.find(person.id, seq=1)
    assert found is not None
    assert found.subject == "answer 1"
    assert seqs(storage, person) == [1]


def test_a_file_opened_read_only_refuses_and_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    storage = opened(f"sqlite:///{path}")
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.close()
    read_only = Storage(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert_takes_nothing(read_only, ann)
    read_only.close()


def test_a_read_only_connection_refuses_and_writes_again_when_it_may(url: str) -> None:
    """As when a standby, or a disk mounted read-only, becomes writable."""
    storage = opened(url)
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    sqlite = storage.database.engine.dialect.name == "sqlite"
    switch = "PRAGMA query_only = {}" if sqlite else "SET default_transaction_read_only = {}"
    with storage.database.connect() as connection:
        connection.exec_driver_sql(switch.format("on"))
    assert_takes_nothing(storage, ann)
    with storage.database.connect() as connection:
        connection.exec_driver_sql(switch.format("off"))
    storage.log.append(ann.id, said(2))
    storage.close()


def full(storage: Storage, spare: int = 0) -> Callable[[], None]:
    """Let the file grow by so many pages at most; returns what lets it grow again."""
    engine = storage.database.engine
    with storage.database.connect() as connection:
        pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    engine.dispose()

    def limit(connection: Any, record: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages + spare}")

    sa.event.listen(engine, "connect", limit)

    def free() -> None:
        sa.event.remove(engine, "connect", limit)
        engine.dispose()

    return free


def test_a_full_disk_refuses_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    storage.snapshots.save(ann.id, "basis", state(1))
    free = full(storage)
    large = "x" * 100_000
    with pytest.raises(StoreRefuses, match="full"):
        storage.log.append(ann.id, asked(2, large))
    with pytest.raises(StoreRefuses, match="full"):
        storage.log.retract(ann.id, taken_back(2, 1, large), 1)
    with pytest.raises(StoreRefuses, match="full"):
        storage.snapshots.save(ann.id, "basis", Snapshot(2, {"theta": np.ones(100_000)}))
    assert storage.log.find(ann.id, subject="answer 1") is not None
    kept = storage.snapshots.load(ann.id, "basis")  # the old one had been deleted before
    assert kept is not None
    assert kept.seq == 1
    free()
    storage.log.append(ann.id, asked(2, large))
    assert seqs(storage, ann) == [1, 2]
    with storage.database.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    storage.close()


def test_appending_until_the_disk_is_full_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    ann = someone(storage)
    free = full(storage, spare=10)
    written: list[Event | Broken] = []

    def fill() -> None:
        while True:
            event = asked(len(written) + 1, "x" * 1000)
            written.append(storage.log.append(ann.id, event))

    with pytest.raises(StoreRefuses):
        fill()
    assert storage.log.after(ann.id) == written
    assert written
    free()
    assert storage.log.after(ann.id) == written
    storage.close()


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    path.write_text("Dear diary, " * 1000)
    before = path.read_bytes()
    storage = Storage(f"sqlite:///{path}")
    with pytest.raises(Damaged):
        storage.log.last(1)
    with pytest.raises(Damaged):
        someone(storage)
    storage.close()
    assert path.read_bytes() == before


def test_a_database_with_pages_overwritten_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    storage = opened(f"sqlite:///{path}")
    ann = someone(storage)
    for seq in range(1, 20):
        storage.log.append(ann.id, asked(seq, "x" * 1000))
    storage.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    again = Storage(f"sqlite:///{path}")
    with pytest.raises(Damaged):
        again.log.after(ann.id)
    again.close()


def test_a_folder_that_is_not_there_is_down(tmp_path: Path) -> None:
    storage = Storage(f"sqlite:///{tmp_path / 'nowhere' / 'service.db'}")
    with pytest.raises(StoreDown, match="unable to open"):
        storage.log.last(1)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "service.db",
        "sqlite",
        "sqlite://host/service.db",
        "sqlite+aiosqlite:///service.db",
        "mysql://host/name",
        "postgres://host/name",
        "postgresql+asyncpg://host/name",
        "postgresql+nonsense://host/name",
        "postgresql://host:port/name",
        "http://host/name",
    ],
)
def test_a_bad_address_is_refused_with_what_would_be_right(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"must be sqlite:///PATH, postgresql://USER@HOST/NAME"):
        Storage(url)


def test_the_place_hides_the_password() -> None:
    storage = Storage("postgresql://ann:secret@host/name")
    assert "secret" not in storage.database.place
    assert "ann" in storage.database.place


def test_a_server_that_nobody_is_at_is_down() -> None:
    storage = Storage("postgresql://127.0.0.1:1/name")
    with pytest.raises(StoreDown):
        storage.log.last(1)


def break_off(connection: sa.Connection, postgres: Postgres) -> None:
    """End this connection from the server's side."""
    pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
    postgres.server.psql(f"SELECT pg_terminate_backend({pid});")


def test_a_connection_that_breaks_is_down_and_the_next_one_works(postgres: Postgres) -> None:
    with closing(opened(postgres.new_database())) as storage:
        ann = someone(storage)
        with storage.database.connect() as connection:
            break_off(connection, postgres)
        with pytest.raises(StoreDown):
            storage.log.append(ann.id, said(1))
        storage.log.append(ann.id, said(1))


def broken_off_inside(storage: Storage, postgres: Postgres) -> None:
    with storage.database.transaction() as connection:
        values = {"name": "half", "serving": 0, "leased_until": 0}
        connection.execute(sa.insert(catalogues), values)
        break_off(connection, postgres)
        connection.execute(sa.insert(catalogues), {**values, "name": "whole"})


def test_a_connection_that_breaks_inside_a_transaction_is_down_and_leaves_nothing(
    postgres: Postgres,
) -> None:
    with closing(opened(postgres.new_database())) as storage:
        with pytest.raises(StoreDown):
            broken_off_inside(storage, postgres)
        assert storage.catalogue_log.entries() == []
        two_catalogues(storage, "books")


def test_a_stopped_server_is_down_and_back_when_it_runs_again(tmp_path: Path) -> None:
    server = Postgres(tmp_path)
    url = server.new_database()
    storage = opened(url)
    ann = someone(storage)
    storage.log.append(ann.id, said(1, None, "answer 1"))
    server.stop()
    tries = attempts_while_down(storage, ann)
    assert [type(each) for each in tries] == [StoreDown] * len(tries)
    other = Storage(url)
    with pytest.raises(StoreDown):
        other.log.last(ann.id)
    again = Postgres(tmp_path)
    assert seqs(storage, ann) == [1]
    storage.log.append(ann.id, said(2))
    assert other.log.last(ann.id) == 2
    storage.close()
    other.close()
    again.stop()


def attempts_while_down(storage: Storage, person: Person) -> list[BaseException | None]:
    """What each way to reach a database raises."""
    calls: list[Callable[[], object]] = [
        lambda: storage.log.append(person.id, said(2)),
        lambda: storage.log.retract(person.id, taken_back(2, 1), 1),
        lambda: storage.log.after(person.id),
        lambda: storage.people.find(person.catalogue, person.name),
        lambda: storage.people.delete(person.id),
        lambda: storage.snapshots.save(person.id, "basis", state()),
        lambda: storage.catalogue_log.entries(),
    ]
    found: list[BaseException | None] = []
    for call in calls:
        try:
            call()
            found.append(None)
        except (StorageError, sa.exc.SQLAlchemyError) as error:
            found.append(error)
    return found
