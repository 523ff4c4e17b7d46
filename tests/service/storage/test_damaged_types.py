"""SQLite keeps values of any type: those of another than the schema's are damage like any other."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

from conlinucb.service.conversations.loader import StateLoader
from support.service_damage import check, converse, give, service
from support.service_world import opened

pytestmark = pytest.mark.more  # an application for each kind of damage


@dataclass(frozen=True)
class Torn:
    """A database with two catalogues and two people, about to be damaged."""

    url: str
    file: Path

    def run(self, statement: str) -> None:
        connection = sqlite3.connect(self.file)
        with connection:
            assert connection.execute(statement).rowcount > 0
        connection.close()


@pytest.fixture
def torn(tmp_path: Path) -> Torn:
    file = tmp_path / "service.db"
    url = f"sqlite:///{file}"
    storage = opened(url)
    give(storage, "films")
    give(storage, "books")
    with service(url) as client:
        for name in ("ann", "bob"):
            converse(client, name, 3)
        version = client.app.state.use_cases.catalogues.serving("films")
        loader = StateLoader(storage)
        for name in ("ann", "bob"):
            (person,) = storage.people.everywhere(name)
            loader.keep(loader.load(version, person), person)
    storage.close()
    return Torn(url, file)


ANN = "(SELECT id FROM people WHERE name = 'ann')"
LAST = f"seq = (SELECT max(seq) FROM events WHERE person = {ANN})"
DAMAGE = {
    "a snapshot of text": f"UPDATE snapshots SET body = 'abc' WHERE person = {ANN}",
    "a snapshot without a number": f"UPDATE snapshots SET seq = 'x' WHERE person = {ANN}",
    "an event without a number": f"UPDATE events SET seq = 'x' WHERE person = {ANN} AND seq = 5",
    "an event without a time": f"UPDATE events SET at = 'x' WHERE person = {ANN} AND seq = 5",
    "an event far away": f"UPDATE events SET seq = 2000000000 WHERE person = {ANN} AND {LAST}",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_one_person_s_damage_is_reported_and_no_one_else_s(torn: Torn, damage: str) -> None:
    torn.run(DAMAGE[damage])
    done = check(torn.url)
    assert done.code == 1
    assert "person 'ann'" in done.output
    assert "person 'bob'" not in done.output
    with service(torn.url) as client:
        for name in ("ann", "bob"):
            assert client.get(f"/v1/users/{name}").status_code == 200
            assert client.get(f"/v1/users/{name}/export").status_code == 200
            assert client.post(f"/v1/users/{name}/next").status_code == 200


def test_a_catalogue_of_text_is_unavailable_and_the_other_is_served(torn: Torn) -> None:
    films = "(SELECT id FROM catalogues WHERE name = 'films')"
    torn.run(f"UPDATE changes SET body = '{{}}' WHERE catalogue = {films}")
    assert check(torn.url).code == 1
    with service(torn.url) as client:
        assert client.post("/v1/users/ann/next?catalogue=books").status_code == 200
        assert client.post("/v1/users/ann/next?catalogue=films").status_code == 503


FILMS = "(SELECT id FROM catalogues WHERE name = 'films')"
ODD = {
    "text as what is served": "UPDATE catalogues SET serving = 'x' WHERE name = 'films'",
    "half a number as what is served": "UPDATE catalogues SET serving = 1.5 WHERE name = 'films'",
    "text as what waits": "UPDATE catalogues SET pending = 'x' WHERE name = 'films'",
    "text as the end of a lease": "UPDATE catalogues SET leased_until = 'x' WHERE name = 'films'",
    "text as a version": f"UPDATE changes SET number = 'x' WHERE catalogue = {FILMS} AND number=1",
    "bytes as a kind": f"UPDATE changes SET kind = x'00ff' WHERE catalogue = {FILMS}",
    "text as a checksum": f"UPDATE changes SET crc = 'x' WHERE catalogue = {FILMS}",
    "text as a time": f"UPDATE changes SET at = 'x' WHERE catalogue = {FILMS}",
    "text as content": f"UPDATE changes SET body = 'x' WHERE catalogue = {FILMS}",
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_set_one_catalogue_aside_and_are_reported(torn: Torn, odd: str) -> None:
    torn.run(ODD[odd])
    done = check(torn.url)
    assert done.code == 1
    assert "it is stored as" in done.output
    with service(torn.url) as client:
        assert client.post("/v1/users/ann/next?catalogue=books").status_code == 200
        assert client.post("/v1/users/ann/next?catalogue=films").status_code == 503
        assert client.put("/v1/catalogues/films/settings", json={}).status_code == 503


@pytest.mark.parametrize("column", ["base", "people", "at", "number"])
def test_an_odd_population_is_reported_and_not_used(torn: Torn, column: str) -> None:
    torn.run(
        "INSERT INTO populations (catalogue, number, base, people, digest, note, data, crc, at) "
        f"VALUES ({FILMS}, 1, 1, 1, '', '{{}}', x'00', 0, 1)"
    )
    torn.run(f"UPDATE populations SET {column} = 'x'")
    torn.run(f"INSERT INTO leases (catalogue, what, until) VALUES ({FILMS}, 'population fit', 'x')")
    done = check(torn.url)
    assert done.code == 1
    assert "populations" in done.output
    assert "leases" in done.output
    with service(torn.url) as client:
        storage = client.app.state.use_cases.storage
        (films,) = [each for each in storage.catalogue_log.entries() if each.name == "films"]
        assert storage.populations.all(films.id) == []
        assert storage.populations.lease(films.id)
        assert client.get("/v1/catalogues/films/populations").status_code == 200
