"""A catalogue that is damaged is unavailable and says why; all others are served."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.uploads import from_json
from conlinucb.service.storage import Storage, pack
from conlinucb.service.storage.schema import changes, quarantine
from support.service_commands import command
from support.service_damage import BODY, check, converse, give, npy, service
from support.service_films import let_wait
from support.service_world import Postgres, opened

pytestmark = pytest.mark.more  # an application for each kind of damage


def change_at(storage: Storage, catalogue: int, kind: str) -> Any:
    """The condition for the last change of this kind."""
    with storage.database.connect() as connection:
        number = connection.scalar(
            sa.select(sa.func.max(changes.c.number)).where(
                changes.c.catalogue == catalogue, changes.c.kind == kind
            )
        )
    assert number is not None
    return (changes.c.catalogue == catalogue) & (changes.c.number == number)


def overwrite(storage: Storage, catalogue: int, kind: str, body: bytes, crc: int | None) -> None:
    """Another body for the last change of this kind; with its own checksum where none is given."""
    values = {"body": body, "crc": zlib.crc32(body) if crc is None else crc}
    row = change_at(storage, catalogue, kind)
    with storage.database.connect() as connection:
        connection.execute(sa.update(changes).where(row).values(**values))


def lose(storage: Storage, catalogue: int, kind: str) -> None:
    row = change_at(storage, catalogue, kind)
    with storage.database.connect() as connection:
        connection.execute(sa.delete(changes).where(row))


def mislabel(storage: Storage, catalogue: int, kind: str) -> None:
    row = change_at(storage, catalogue, kind)
    with storage.database.connect() as connection:
        connection.execute(sa.update(changes).where(row).values(kind="dance"))


Ruin = Callable[[Storage, int], None]
RUINS: dict[str, Ruin] = {
    "version changed": lambda s, c: overwrite(s, c, "replace", b"nonsense", 1),
    "version gone": lambda s, c: lose(s, c, "replace"),
    "settings changed": lambda s, c: overwrite(s, c, "settings", b"{}", 1),
    "items changed": lambda s, c: overwrite(s, c, "add", b"{}", 1),
    "items gone": lambda s, c: lose(s, c, "add"),
}
"""Rows that are not what was written."""
SEALED_RUINS: dict[str, Ruin] = {
    "version": lambda s, c: overwrite(s, c, "replace", b"nonsense", None),
    "arrays": lambda s, c: overwrite(s, c, "replace", pack({"a": np.zeros(3)}), None),
    "an array and no zip": lambda s, c: overwrite(s, c, "replace", npy(), None),
    "settings": lambda s, c: overwrite(s, c, "settings", b"nonsense", None),
    "settings with a strange field": lambda s, c: overwrite(s, c, "settings", b'{"a":1}', None),
    "agent": lambda s, c: overwrite(s, c, "settings", b'{"agent":{"recipe":"x"}}', None),
    "items": lambda s, c: overwrite(s, c, "add", b"nonsense", None),
    "items without items": lambda s, c: overwrite(s, c, "add", b"{}", None),
    "items as a number": lambda s, c: overwrite(s, c, "add", b'{"items":5}', None),
    "items that are there": lambda s, c: overwrite(
        s, c, "add", b'{"items":[{"id":"film 1","tags":{}}]}', None
    ),
    "kind": lambda s, c: mislabel(s, c, "add"),
}
"""Rows whose checksum fits and whose content does not."""


def shelve(storage: Storage, names: list[str]) -> None:
    """Healthy catalogues, each with an item added and someone in conversation."""
    for name in names:
        catalogues = give(storage, name)
        catalogues.add(name, [{"id": "new film", "tags": {"topic 1": 1.0}}])


@dataclass(frozen=True)
class Shelves:
    """A service that found catalogues damaged when it started."""

    url: str
    storage: Storage
    client: TestClient

    def id(self, name: str) -> int:
        entry = self.storage.catalogue_log.find(name)
        assert entry is not None
        return entry.id

    def reported(self, name: str) -> list[str]:
        found = self.storage.quarantine.all()
        return [each.what for each in found if each.catalogue == self.id(name)]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shelves(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shelves]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('shelves') / 'service.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    storage = opened(url)
    shelve(storage, [*RUINS, "films"])  # the healthy one comes last
    with service(url) as client:
        for name in (*RUINS, "films"):
            converse(client, "ann", 1, name)
    for name, ruin in RUINS.items():
        entry = storage.catalogue_log.find(name)
        assert entry is not None
        ruin(storage, entry.id)
    with service(url) as client:
        yield Shelves(url, storage, client)
    storage.close()


every_ruin = pytest.mark.parametrize("name", RUINS)


@every_ruin
def test_a_damaged_catalogue_is_unavailable_and_says_why(shelves: Shelves, name: str) -> None:
    for response in (
        shelves.client.post("/v1/users/ann/next", params={"catalogue": name}),
        shelves.client.get("/v1/users/ann", params={"catalogue": name}),
        shelves.client.get(f"/v1/catalogues/{name}"),
    ):
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "catalogue_unavailable"
        assert name in response.json()["error"]["message"]
    assert shelves.reported(name) == ["version 3"]
    checks = shelves.client.get("/readyz").json()["checks"]
    assert checks[f"catalogue {name}"] == "damaged"


def test_other_catalogues_are_served(shelves: Shelves) -> None:
    assert shelves.client.get("/readyz").status_code == 200
    assert shelves.client.get("/readyz").json()["checks"]["catalogue films"] == "ok"
    assert shelves.client.post("/v1/users/ann/next").status_code == 200
    assert [each["catalogue"] for each in shelves.client.get("/v1/catalogues").json()] == ["films"]
    assert shelves.reported("films") == []


@every_ruin
def test_what_a_person_said_about_it_can_be_exported(shelves: Shelves, name: str) -> None:
    export = shelves.client.get("/v1/users/ann/export").json()
    found = {each["catalogue"]: len(each["events"]) for each in export["conversations"]}
    assert found[name] == 4


def test_check_reports_every_damaged_catalogue_and_goes_on(shelves: Shelves) -> None:
    done = check(shelves.url)
    assert done.code == 1
    for name in RUINS:
        assert any(
            line.startswith(f"catalogue {shelves.id(name)}: version 3:") for line in done.lines
        )
        assert shelves.reported(name) == ["version 3"]
    assert done.lines[-1].startswith("1 people, ")
    assert done.lines[-1].endswith(f" events, {len(RUINS)} findings")


def test_rebuild_goes_on_too(shelves: Shelves) -> None:
    done = command("rebuild", shelves.url)
    assert (done.code, done.error) == (0, None)
    assert done.lines[-1] == "1 people rebuilt"


@pytest.mark.parametrize("ruin", SEALED_RUINS)
def test_content_that_makes_no_sense_stops_no_other_catalogue(tmp_path: Path, ruin: str) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    shelve(storage, ["damaged", "films"])
    entry = storage.catalogue_log.find("damaged")
    assert entry is not None
    SEALED_RUINS[ruin](storage, entry.id)
    catalogues = Catalogues(storage)
    catalogues.refresh()
    assert [each.name for each in catalogues.all()] == ["films"]
    assert catalogues.states()["damaged"] != "ok"
    assert [each.catalogue for each in storage.quarantine.all()] == [entry.id]
    storage.close()


def test_check_reports_content_that_makes_no_sense(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage = opened(url)
    shelve(storage, [*SEALED_RUINS, "films"])
    entries = {each.name: each.id for each in storage.catalogue_log.entries()}
    for name, ruin in SEALED_RUINS.items():
        ruin(storage, entries[name])
    storage.close()
    done = check(url)
    assert done.code == 1
    reported = {line.partition(": version 3: ")[0] for line in done.lines[:-1]}
    assert reported >= {f"catalogue {entries[name]}" for name in SEALED_RUINS}
    assert done.lines[-1] == f"0 people, 0 events, {len(SEALED_RUINS)} findings"
    with service(url) as client:
        assert client.post("/v1/users/ann/next").status_code == 200


def test_a_damaged_catalogue_that_is_given_again_is_served_with_everyone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage = opened(url)
    shelve(storage, ["films", "damaged"])
    with service(url) as client:
        converse(client, "ann", 3, "damaged")
        before = client.get("/v1/users/ann", params={"catalogue": "damaged"}).json()
    entry = storage.catalogue_log.find("damaged")
    assert entry is not None
    RUINS["version gone"](storage, entry.id)
    with service(url) as client:
        given = {**BODY.model_dump(exclude={"settings"}), "settings": None}
        answer = client.put("/v1/catalogues/damaged", json=given)
        assert answer.status_code in (200, 202, 503)  # built before it is served
        wait_until_served(client, "damaged")
        after = client.get("/v1/users/ann", params={"catalogue": "damaged"}).json()
    assert after["terms"] == before["terms"]
    storage.close()


def wait_until_served(client: TestClient, name: str) -> None:
    for _ in range(250):
        if client.get(f"/v1/catalogues/{name}").status_code == 200:
            return
        threading.Event().wait(0.02)
    raise AssertionError(f"{name} is not served again")


def test_a_version_that_is_damaged_while_it_waits_is_reported_and_the_old_one_served(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage = opened(url)
    catalogues = give(storage, "films")
    storage.people.add(catalogues.serving("films").id, "ann", 1)
    let_wait(storage, "films", "replace", from_json(BODY).to_bytes())
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    assert entry.pending == 3
    lose(storage, entry.id, "replace")
    done = check(url)
    assert [line for line in done.lines if line.startswith(f"catalogue {entry.id}: version 3:")]
    assert done.code == 1
    with service(url) as client:
        assert client.get("/v1/catalogues/films").json()["version"] == 2
        assert client.post("/v1/users/ann/next").status_code == 200
    storage.close()


def test_two_who_change_a_catalogue_at_once_leave_it_readable(tmp_path: Path) -> None:
    """One looks at what is served, the other writes, the one writes what no longer fits."""
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage, other = opened(url), opened(url)
    one, two = give(storage, "films"), Catalogues(other)
    item = [{"id": "new film", "tags": {"topic 1": 1.0}}]
    look = storage.catalogue_log.find

    def look_late(name: str) -> Any:
        storage.catalogue_log.find = look  # type: ignore[method-assign]
        two.refresh()
        two.add("films", item)
        return look(name)

    storage.catalogue_log.find = look_late  # type: ignore[method-assign]
    with pytest.raises(Exception, match="new film"):
        one.add("films", item)
    fresh = Catalogues(other)
    fresh.refresh()
    assert fresh.states() == {"films": "ok"}
    storage.close()
    other.close()


def test_the_quarantine_of_a_deleted_catalogue_goes_with_it(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    shelve(storage, ["films"])
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    RUINS["version changed"](storage, entry.id)
    catalogues = Catalogues(storage)
    catalogues.refresh()
    with storage.database.connect() as connection:
        count = sa.select(sa.func.count()).select_from(quarantine)
        assert connection.scalar(count) == 1
        catalogues.delete("films")
        assert connection.scalar(count) == 0
    assert catalogues.states() == {}
    storage.close()


def test_a_waiting_version_that_cannot_be_served_makes_place_for_another(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage = opened(url)
    catalogues = give(storage, "films")
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    storage.people.add(entry.id, "ann", 1)
    let_wait(storage, "films", "replace", b"no catalogue")
    catalogues.serve_pending()
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    assert entry.pending is None
    assert [each.what for each in storage.quarantine.all()] == [f"version {entry.serving + 1}"]
    with service(url) as client:
        assert client.post("/v1/users/ann/next").status_code == 200
        body = {"items": [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": ["y"]}]}
        assert client.put("/v1/catalogues/films", json=body).status_code == 200
    storage.close()
