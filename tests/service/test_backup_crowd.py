"""A backup under load: what was acknowledged before it began is in it, and it comes back whole."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from conlinucb.service.storage import Event, Storage
from support.service_commands import command, run
from support.service_world import Postgres
from support.soak import Said, drained, talking

pytestmark = pytest.mark.more


def check_there(url: str, said: Sequence[Said]) -> None:
    """Everything that was acknowledged is in a database, under its number and its id."""
    with closing(Storage(url)) as storage:
        for user in {each.user for each in said}:
            [person] = storage.people.everywhere(user)
            rows = storage.log.after(person.id)
            assert [each.seq for each in rows] == list(range(1, len(rows) + 1))
            for each in (one for one in said if one.user == user):
                found = rows[each.seq - 1]
                assert isinstance(found, Event)
                assert found.kind == each.kind
                assert each.client_id is None or found.client_id == each.client_id


def test_backup_under_load_comes_back_into_either_database(
    lasting_url: str, postgres: Postgres, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.zip"
    with drained(lasting_url, workers=2) as server, talking(server.base, 4) as talkers:
        talkers.go_on(100)
        said = talkers.said
        done = run(["db", "backup", str(kept)], lasting_url)
        assert done.code == 0, done.output
        talkers.go_on(20)
    assert len(talkers.said) > len(said)
    for url in (f"sqlite:///{tmp_path / 'restored.db'}", postgres.new_database()):
        done = run(["db", "restore", str(kept)], url)
        assert done.code == 0, done.output
        check_there(url, said)
        done = command("check", url)
        assert (done.code, done.lines[-1].endswith(" 0 findings")) == (0, True), done.output
