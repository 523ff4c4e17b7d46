"""A backup is the whole database at one moment, and comes back into either kind of database."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.storage import Finding, Storage, backup, migrate
from conlinucb.service.storage.schema import metadata
from support.service_commands import run
from support.service_store import said, someone, state
from support.service_world import Postgres, opened

pytestmark = pytest.mark.more  # whole databases

Make = Callable[[str], Storage]


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """A new storage of a kind."""
    with ExitStack() as stack:
        made: list[int] = []

        def new(kind: str) -> Storage:
            made.append(1)
            url = f"sqlite:///{tmp_path / f'{len(made)}.db'}"
            if kind == "postgres":
                postgres: Postgres = request.getfixturevalue("postgres")
                url = postgres.new_database()
            return stack.enter_context(closing(Storage(url)))

        yield new


def filled(storage: Storage) -> Storage:
    """People, events, snapshots, changes of a catalogue, a finding; and one who is gone."""
    migrate.upgrade(storage.database)
    films = storage.catalogue_log.create("films")
    storage.catalogue_log.append(films, "replace", bytes(range(256)))
    for name in ("ann", "bøb \u2028 \U0001f600", "cleo"):
        person = someone(storage, name)
        for seq in range(1, 4):
            storage.log.append(person.id, said(seq, f"{name} {seq}"))
        storage.snapshots.save(person.id, "basis", state())
    storage.quarantine.add(Finding(person.id, films.id, "event 1", "for a test"))
    storage.people.delete(person.id)
    return storage


def contents(storage: Storage) -> dict[str, list[tuple[Any, ...]]]:
    with storage.database.connect() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(sa.select(table))]
            for table in metadata.sorted_tables
            if table.name not in backup.PASSING
        }


@pytest.mark.parametrize("target", ["sqlite", "postgres"])
@pytest.mark.parametrize("source", ["sqlite", "postgres"])
def test_from_either_kind_into_either_kind(
    source: str, target: str, make: Make, tmp_path: Path
) -> None:
    first, second = filled(make(source)), make(target)
    file = tmp_path / "kept.zip"
    done = run(["db", "backup", str(file)], first.database.url)
    assert done.code == 0, done.output
    assert file.stat().st_mode & 0o777 == 0o600
    done = run(["db", "restore", str(file)], second.database.url)
    assert done.code == 0, done.output
    assert contents(second) == contents(first)
    assert migrate.current(second.database) == migrate.wanted()
    films = second.catalogue_log.create("films")
    assert second.people.add(films.id, "dan", 1).id == 4, "the id of who is gone is not used again"
    assert second.catalogue_log.create("books").id > films.id


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_comes_while_it_is_written_is_not_in_it(kind: str, make: Make, tmp_path: Path) -> None:
    first, second = filled(make(kind)), make("sqlite")
    before = contents(first)
    ann = first.people.everywhere("ann")[0]

    def meanwhile(rows: int) -> None:
        first.log.append(ann.id, said(first.log.last(ann.id) + 1))
        someone(first, f"person {first.log.last(ann.id)}")

    backup.save(first.database, tmp_path / "kept.zip", meanwhile)
    backup.restore(second.database, tmp_path / "kept.zip")
    assert contents(second) == before
    assert first.log.last(ann.id) > 5


def test_an_interrupted_backup_leaves_no_file(make: Make, tmp_path: Path) -> None:
    storage = filled(make("sqlite"))

    def interrupt(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup.save(storage.database, tmp_path / "kept.zip", interrupt)
    assert not [each for each in tmp_path.iterdir() if "kept" in each.name]
    assert storage.people.delete(storage.people.everywhere("ann")[0].id), "nothing is read any more"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_interrupted_restore_leaves_an_empty_database(
    kind: str, make: Make, tmp_path: Path
) -> None:
    first, second = filled(make("sqlite")), make(kind)
    backup.save(first.database, tmp_path / "kept.zip")
    steps: list[int] = []

    def interrupt(rows: int) -> None:
        steps.append(rows)
        if len(steps) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup.restore(second.database, tmp_path / "kept.zip", interrupt)
    assert not any(contents(second).values())
    backup.restore(second.database, tmp_path / "kept.zip")
    assert contents(second) == contents(first)


def test_a_database_that_is_not_empty_is_refused(make: Make, tmp_path: Path) -> None:
    first, second = filled(make("sqlite")), make("sqlite")
    backup.save(first.database, tmp_path / "kept.zip")
    migrate.upgrade(second.database)
    someone(second, "zoe")
    with pytest.raises(InvalidInput, match="not empty: there are catalogues"):
        backup.restore(second.database, tmp_path / "kept.zip")
    assert second.people.everywhere("zoe")


def test_a_file_that_is_there_is_not_written_over(make: Make, tmp_path: Path) -> None:
    storage = filled(make("sqlite"))
    (tmp_path / "kept.zip").write_text("something else")
    with pytest.raises(InvalidInput, match="already a file"):
        backup.save(storage.database, tmp_path / "kept.zip")
    with pytest.raises(InvalidInput, match="no folder"):
        backup.save(storage.database, tmp_path / "none" / "kept.zip")


def changed(file: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """A copy of a backup in which one entry is another."""
    other = file.with_name("changed.zip")
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(other, "w") as after:
        for each in before.namelist():
            content = before.read(each)
            after.writestr(each, change(content) if each == name else content)
    return other


def newer(content: bytes) -> bytes:
    return json.dumps(json.loads(content) | {"migration": "9999"}).encode()


WRONG: dict[str, tuple[Callable[[Path], Path], str]] = {
    "another row": (
        lambda file: changed(file, "people.jsonl", lambda rows: rows.replace(b"ann", b"eve")),
        "the checksum of people does not fit",
    ),
    "a row less": (
        lambda file: changed(file, "events.jsonl", lambda rows: rows.split(b"\n", 1)[1]),
        "the checksum of events does not fit",
    ),
    "a newer version's": (lambda file: changed(file, "manifest.json", newer), "migration 9999"),
    "no zip": (lambda file: _written(file, b"no zip"), "no backup that can be read"),
    "cut off": (lambda file: _written(file, file.read_bytes()[:-200]), "no backup that can be"),
    "no file": (lambda file: file.with_name("nowhere.zip"), "There is no file"),
}


def _written(file: Path, content: bytes) -> Path:
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_damaged_is_refused_before_anything_is_written(
    wrong: str, make: Make, tmp_path: Path
) -> None:
    first, second = filled(make("sqlite")), make("sqlite")
    backup.save(first.database, tmp_path / "kept.zip")
    damage, message = WRONG[wrong]
    with pytest.raises((Damaged, InvalidInput), match=message):
        backup.restore(second.database, damage(tmp_path / "kept.zip"))
    assert migrate.current(second.database) is None


def test_a_backup_needs_the_tables_of_this_version(make: Make, tmp_path: Path) -> None:
    url = opened(f"sqlite:///{tmp_path / 'old.db'}").database.url
    with closing(Storage(url)) as storage, storage.database.connect() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0002'")
    done = run(["db", "backup", str(tmp_path / "kept.zip")], url)
    assert done.code != 0
    assert "conlinucb db upgrade" in str(done.error)
