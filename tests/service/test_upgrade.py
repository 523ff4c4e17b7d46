"""A database of the schema before, with data in it: upgraded, whole, and talked on with.

``golden/schema_0002.sqlite`` was written by the version whose last migration is 0002: thirteen
people, one with a snapshot, a population in use, something taken back, an open question. What that
version then said to each step of some of them lies beside it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import sqlalchemy as sa

from conlinucb.service.storage import Storage, migrate
from support.service_commands import command, run
from support.service_world import Postgres, client_of

pytestmark = pytest.mark.more
HERE = Path(__file__).resolve().parents[1] / "golden"
BEFORE = "0002"
SAID: dict[str, list[dict[str, Any]]] = json.loads((HERE / "schema_0002.json").read_text())


@pytest.fixture(params=["sqlite", "postgres"])
def before_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database at the migration before, as the code of then left it."""
    shutil.copyfile(HERE / "schema_0002.sqlite", tmp_path / "before.db")
    url = f"sqlite:///{tmp_path / 'before.db'}"
    if request.param == "sqlite":
        return url
    server: Postgres = request.getfixturevalue("postgres")
    other = server.new_database()
    _copy(url, other)
    return other


def _copy(url: str, other: str) -> None:
    """The same rows in PostgreSQL, in the tables of then."""
    with closing(Storage(url)) as source, closing(Storage(other)) as target:
        migrate.upgrade(target.database, BEFORE)
        with source.database.connect() as one, target.database.transaction() as two:
            found = sa.MetaData()
            found.reflect(one)
            for table in found.sorted_tables:
                if table.name in ("alembic_version", "sqlite_sequence"):
                    continue
                rows = [dict(row._mapping) for row in one.execute(sa.select(table))]
                if rows:
                    columns: list[sa.Column[Any]] = [sa.Column(each.name) for each in table.columns]
                    two.execute(sa.insert(sa.Table(table.name, sa.MetaData(), *columns)), rows)
                if "id" in table.columns:
                    last = max([row["id"] for row in rows], default=0) + 1
                    sequence = sa.func.pg_get_serial_sequence(table.name, "id")
                    two.execute(sa.select(sa.func.setval(sequence, last)))


def step(client: httpx.Client, user: str) -> dict[str, Any]:
    """One step as it was recorded: what comes next, and something said to it."""
    params = {"catalogue": "it"}
    response = client.post(f"/v1/users/{user}/next", params=params, json={"k": 2})
    assert response.status_code == 200, response.text
    found = response.json()
    if found["type"] == "question":
        path, body = "answers", {"question": found["question"], "answer": 0.3}
        said = {name: found[name] for name in ("question", "term", "mean", "radius")}
    else:
        items = [[each["item"], each["mean"], each["radius"]] for each in found["items"]]
        path, said = "rewards", {"decision": found["decision"], "items": items}
        body = {"decision": found["decision"], "item": items[0][0], "reward": 0.7}
    response = client.post(f"/v1/users/{user}/{path}", params=params, json=body)
    assert response.status_code == 200, response.text
    return said


def same(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    assert found.keys() == wanted.keys()
    if "items" in wanted:
        assert [each[0] for each in found["items"]] == [each[0] for each in wanted["items"]]
        for one, other in zip(found["items"], wanted["items"], strict=True):
            assert one[1:] == pytest.approx(other[1:], rel=1e-9, abs=1e-9)
        assert found["decision"] == wanted["decision"]
    else:
        assert (found["question"], found["term"]) == (wanted["question"], wanted["term"])
        pairs = [[one["mean"], one["radius"]] for one in (found, wanted)]
        assert pairs[0] == pytest.approx(pairs[1], rel=1e-9, abs=1e-9)


def test_upgraded_with_data_in_it_and_talked_on_with(before_url: str, tmp_path: Path) -> None:
    refused = command("check", before_url)
    assert "conlinucb db upgrade" in str(refused.error)
    done = command("upgrade", before_url)
    assert f"{BEFORE} -> {migrate.wanted()}" in done.output, done.output
    checked = command("check", before_url)
    assert (checked.code, checked.lines[-1]) == (0, "13 people, 182 events, 0 findings")
    kept = tmp_path / "kept.zip"
    assert run(["db", "backup", str(kept)], before_url).code == 0
    with client_of(before_url) as client:
        for user, steps in SAID.items():
            for wanted in steps:
                same(step(client, user), wanted)
    assert command("check", before_url).code == 0
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    assert run(["db", "restore", str(kept)], restored).code == 0
    assert command("check", restored).lines[-1] == "13 people, 182 events, 0 findings"
