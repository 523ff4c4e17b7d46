"""A database becomes what this version needs, once, whoever else is at it; or is refused."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command as command_of_alembic
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from fastapi.testclient import TestClient

from conlinucb.errors import ConlinucbError, Outdated
from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.app import create_app
from conlinucb.service.storage import MEMORY, Person, Storage, migrate
from conlinucb.service.storage.log import _row
from conlinucb.service.storage.partitions import is_part
from conlinucb.service.storage.schema import metadata
from support.service_commands import command
from support.service_store import said
from support.service_world import Postgres, client_of, opened, serving

pytestmark = pytest.mark.more  # a server for each revision

OTHER_REVISIONS = ["0000", "9999"]
"""One from before the first, and one that only a later package knows."""
COMMAND = "conlinucb db upgrade"
NEWER = "use the conlinucb that wrote it"


@contextmanager
def storage_at(url: str) -> Iterator[Storage]:
    storage = Storage(url)
    try:
        yield storage
    finally:
        storage.close()


def stamp(url: str, revision: str, oldest: str | None = None) -> None:
    """Let a database say that this was its last migration, and whose code can use it."""
    with storage_at(url) as storage, storage.database.connect() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        connection.exec_driver_sql(f"UPDATE compatible SET oldest = '{oldest or revision}'")


def stamped(url: str) -> str | None:
    with storage_at(url) as storage:
        return migrate.current(storage.database)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def upgraded_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with its tables, one for all tests that only look at it."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('migrations') / 'service.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    opened(url).close()
    return url


@pytest.fixture(params=OTHER_REVISIONS)
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def other_url(upgraded_url: str, revision: str) -> Iterator[str]:
    """A database that says it is at another revision."""
    stamp(upgraded_url, revision)
    yield upgraded_url
    stamp(upgraded_url, migrate.wanted())


def differences(storage: Storage) -> list[object]:
    """What Alembic would change to come from the database to the tables in the code."""
    with storage.database.connect() as connection:
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": lambda name, *_: not is_part(name),
        }
        context = MigrationContext.configure(connection, opts=options)
        found: list[object] = compare_metadata(context, metadata)
    return found


def described(storage: Storage) -> dict[str, object]:
    """Tables, columns, keys and indices as the database itself tells them."""
    with storage.database.connect() as connection:
        found = sa.inspect(connection)
        return {
            name: (
                [(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)],
                found.get_pk_constraint(name),
                sorted(found.get_foreign_keys(name), key=str),
                sorted(found.get_unique_constraints(name), key=str),
                sorted(map(readable, found.get_indexes(name))),
            )
            for name in metadata.tables
        }


def readable(index: Any) -> str:
    """With the condition of an index as text."""
    conditions = {key: str(value) for key, value in index.get("dialect_options", {}).items()}
    return str({**index, "dialect_options": conditions})


def run_upgrade(url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "conlinucb", "db", "upgrade", "--database", url],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def use_it(storage: Storage) -> None:
    """Write to it, and see that what the tables promise holds."""
    ann = storage.people.add(storage.catalogue_log.create("films").id, "ann", 1)
    written = storage.log.append(ann.id, said(1))
    assert storage.log.after(ann.id) == [written]


# --- upgrade ---


def test_an_empty_database_becomes_the_tables_of_the_code(url: str) -> None:
    storage = Storage(url)
    assert migrate.current(storage.database) is None
    migrate.upgrade(storage.database)
    assert migrate.current(storage.database) == migrate.wanted()
    migrate.require_current(storage.database)
    assert differences(storage) == []
    use_it(storage)
    storage.close()


def put(storage: Storage, table_name: str, /, **values: Any) -> int:
    """Write a row into a table as it is now, in the columns that it has; its id."""
    with storage.database.connect() as connection:
        table = sa.Table(table_name, sa.MetaData(), autoload_with=connection)
        known = {each: value for each, value in values.items() if each in table.columns}
        found = connection.execute(table.insert().values(known)).inserted_primary_key
        assert found is not None
        return int(found[0])


def test_what_the_first_version_wrote_is_there_after_the_second(lasting_url: str) -> None:
    with storage_at(lasting_url) as storage:
        config = migrate._config()
        config.attributes["database"] = storage.database
        command_of_alembic.upgrade(config, "0001")
        films = put(storage, "catalogues", name="films", serving=0, leased_until=0)
        ann = Person(
            put(storage, "people", catalogue=films, name="ann", seed="1", at=1), films, "ann", 1
        )
        written = replace(said(1), at=1)
        put(storage, "events", **_row(ann.id, written))
        with pytest.raises(Outdated, match=COMMAND):
            migrate.require_current(storage.database)
        migrate.upgrade(storage.database)
        migrate.require_current(storage.database)
        assert storage.log.after(ann.id) == [written]
        assert storage.populations.all(ann.catalogue) == []
        assert storage.populations.lease(ann.catalogue)


def test_a_difference_would_be_seen(url: str) -> None:
    storage = opened(url)
    with storage.database.connect() as connection:
        connection.exec_driver_sql("DROP INDEX ix_events_person_client_id")
        connection.exec_driver_sql("ALTER TABLE people ADD COLUMN age INTEGER")
    assert len(differences(storage)) == 2
    storage.close()


def test_migrations_and_create_all_describe_the_same(lasting_url: str) -> None:
    """Down to names of constraints, cascades and conditions, which Alembic does not compare."""
    storage = opened(lasting_url)
    migrated = described(storage)
    with storage.database.transaction() as connection:
        metadata.drop_all(connection)
        metadata.create_all(connection)
    assert described(storage) == migrated
    storage.close()


def test_on_sqlite_the_statements_themselves_are_the_same() -> None:
    """AUTOINCREMENT and WITHOUT ROWID are told by no inspector."""
    told = []
    for make in (migrate.upgrade, lambda database: metadata.create_all(database.engine)):
        storage = Storage(MEMORY)
        make(storage.database)
        with storage.database.connect() as connection:
            found = connection.exec_driver_sql(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
                " AND name NOT IN ('alembic_version', 'sqlite_sequence')"
            )
            told.append({name: clauses(sql) for name, sql in found})
        storage.close()
    assert len(told[0]) == len(metadata.tables) + 6
    assert told[0] == told[1]


def clauses(statement: str) -> list[str]:
    """Of a CREATE statement, which may come in any order."""
    lines = statement.replace(", ", ",\n").splitlines()  # a column that was added has no line
    return sorted(line.strip().rstrip(",") for line in lines if line.strip())


def test_twice_is_harmless(url: str) -> None:
    storage = opened(url)
    use_it(storage)
    migrate.upgrade(storage.database)
    assert migrate.current(storage.database) == migrate.wanted()
    assert len(storage.people.everywhere("ann")) == 1
    storage.close()


def test_threads_at_once_are_harmless(url: str) -> None:
    """Each with connections of its own, but for the database in memory, which has one."""
    start = threading.Barrier(4)

    def upgrade(storage: Storage) -> None:
        start.wait()
        migrate.upgrade(storage.database)

    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        storages = [stack.enter_context(storage_at(url)) for _ in range(4)]
        if url == MEMORY:
            storages = storages[:1] * 4
        list(pool.map(upgrade, storages))
        assert migrate.current(storages[0].database) == migrate.wanted()
        assert differences(storages[0]) == []
        use_it(storages[0])


def test_processes_at_once_are_harmless(lasting_url: str) -> None:
    processes = [run_upgrade(lasting_url) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    with storage_at(lasting_url) as storage:
        migrate.require_current(storage.database)
        assert differences(storage) == []


def test_a_migration_that_fails_leaves_the_database_empty(lasting_url: str) -> None:
    with storage_at(lasting_url) as storage:
        with storage.database.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE snapshots (own INTEGER)")  # the last one made
        with pytest.raises(ConlinucbError):
            migrate.upgrade(storage.database)
        with storage.database.connect() as connection:
            there = set(sa.inspect(connection).get_table_names())
        assert there - {"alembic_version"} == {"snapshots"}
        assert migrate.current(storage.database) is None


def test_the_command_says_from_where_to_where(lasting_url: str) -> None:
    first = command("upgrade", lasting_url)
    assert first.code == 0
    assert f"empty -> {migrate.wanted()}" in first.output
    second = command("upgrade", lasting_url)
    assert second.code == 0
    assert f"{migrate.wanted()} -> {migrate.wanted()}" in second.output


# --- other revisions are refused ---


def test_an_empty_database_is_refused_with_what_to_do(url: str) -> None:
    with storage_at(url) as storage, pytest.raises(Outdated, match=COMMAND):
        migrate.require_current(storage.database)


def test_another_revision_is_refused_with_what_to_do(other_url: str, revision: str) -> None:
    with storage_at(other_url) as storage, pytest.raises(Outdated) as refused:
        migrate.require_current(storage.database)
    for part in (revision, migrate.wanted(), NEWER):
        assert part in str(refused.value)


def test_a_refusal_shows_no_password() -> None:
    storage = opened(MEMORY)
    storage.database.engine.url = sa.make_url("postgresql://ann:secret@host/name")
    with storage.database.connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(Outdated) as refused:
        migrate.require_current(storage.database)
    assert "secret" not in str(refused.value)
    storage.close()


@pytest.mark.parametrize("name", ["check", "rebuild"])
def test_commands_refuse_another_revision_and_change_nothing(
    other_url: str, revision: str, name: str
) -> None:
    done = command(name, other_url)
    assert done.code != 0
    assert type(done.error) is Outdated
    assert NEWER in str(done.error)
    assert stamped(other_url) == revision


def test_the_command_line_says_it_in_one_sentence(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    (tmp_path / "service.db").touch()
    done = subprocess.run(
        [sys.executable, "-m", "conlinucb", "db", "check", "--database", url],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert COMMAND in done.stderr
    assert "Traceback" not in done.stderr


def test_upgrading_what_is_unknown_is_an_error_of_ours(other_url: str, revision: str) -> None:
    """The way out is another version of the package, and the database stays as it is."""
    with storage_at(other_url) as storage, pytest.raises(ConlinucbError, match=revision):
        migrate.upgrade(storage.database)
    assert stamped(other_url) == revision


# --- the service ---


def test_the_service_makes_its_tables_in_an_empty_database(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        assert client.post("/v1/users/ann/next").status_code == 200
    with storage_at(lasting_url) as storage:
        assert migrate.current(storage.database) == migrate.wanted()
        assert differences(storage) == []
        (ann,) = storage.people.everywhere("ann")
        assert storage.log.last(ann.id) == 1


def test_serve_with_several_workers_makes_its_tables_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    with serving(url, workers=2) as server, server.client() as client:
        assert client.post("/v1/users/ann/next").status_code == 200
    with storage_at(url) as storage:
        assert differences(storage) == []
        assert [(each.name, each.serving) for each in storage.catalogue_log.entries()] == [
            ("films", 2)
        ]  # settings, items


@contextmanager
def started(url: str) -> Iterator[TestClient]:
    """A client of an application that need not become ready."""
    app = create_app(ServiceConfig(database=url))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


def wait_for_trouble(client: TestClient) -> dict[str, str]:
    """What /readyz says once the service has looked at its database."""
    for _ in range(600):
        response = client.get("/readyz")
        assert response.status_code == 503
        checks: dict[str, str] = response.json()["checks"]
        if checks.get("start") != "starting":
            return checks
        threading.Event().wait(0.05)
    raise AssertionError("the service never looked at its database")


def test_on_another_revision_the_service_is_alive_but_not_ready(
    other_url: str, revision: str
) -> None:
    with started(other_url) as client:
        checks = wait_for_trouble(client)
        assert checks["store"] == "ok"
        for part in (revision, migrate.wanted(), NEWER):
            assert part in checks["migrations"]
        assert client.get("/healthz").status_code == 200
        refused = client.post("/v1/users/ann/next")
        assert refused.status_code == 503
        assert refused.headers["Retry-After"]
    assert stamped(other_url) == revision
    with storage_at(other_url) as storage:
        assert storage.catalogue_log.entries() == []


def test_once_the_revision_is_right_the_service_becomes_ready_by_itself(lasting_url: str) -> None:
    opened(lasting_url).close()
    stamp(lasting_url, "0000")
    with started(lasting_url) as client:
        wait_for_trouble(client)
        stamp(lasting_url, migrate.wanted())
        for _ in range(600):
            if client.get("/readyz").status_code == 200:
                break
            threading.Event().wait(0.05)
        assert client.post("/v1/users/ann/next").status_code == 200


def test_a_later_database_that_says_so_is_used(lasting_url: str) -> None:
    """Neither those who serve nor those who come now mind; upgrading it is nothing to do."""
    with client_of(lasting_url) as client:
        assert client.post("/v1/users/ann/next").status_code == 200
        stamp(lasting_url, "9999", oldest=migrate.wanted())
        assert client.get("/readyz").json()["checks"]["migrations"] == "ok"
        with client_of(lasting_url) as other:
            assert other.post("/v1/users/ann/next").json()["question"] == "q1"
    for name in ("upgrade", "check"):
        assert command(name, lasting_url).code == 0
    assert stamped(lasting_url) == "9999"


def test_a_later_database_without_a_word_is_refused(lasting_url: str) -> None:
    opened(lasting_url).close()
    stamp(lasting_url, "9999")
    with storage_at(lasting_url) as storage:
        for statement in ("DELETE FROM compatible", "DROP TABLE compatible"):
            with storage.database.connect() as connection:
                connection.exec_driver_sql(statement)
            assert "9999" in migrate.state(storage.database)
            with pytest.raises(Outdated, match=NEWER):
                migrate.require_current(storage.database)


def test_a_database_that_is_changed_under_a_running_service_makes_it_not_ready(
    lasting_url: str,
) -> None:
    with client_of(lasting_url) as client:
        stamp(lasting_url, "9999")
        response = client.get("/readyz")
        assert response.status_code == 503
        assert NEWER in response.json()["checks"]["migrations"]
