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
