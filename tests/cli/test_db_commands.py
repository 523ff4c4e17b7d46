"""``conlinucb db check`` and ``rebuild`` on what is healthy, mended, or just deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.errors import InvalidInput
from conlinucb.service.conversations.audit import Checker
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY
from conlinucb.service.storage.schema import events
from support import service_damage
from support.service_commands import command
from support.service_damage import ROUNDS, World, check, converse
from support.service_world import opened
from support.service_wounds import UNREADABLE, hurt

lasting_world = service_damage.lasting_world
world = service_damage.world


def test_check_is_clean_on_a_healthy_database(world: World) -> None:
    made = [world.newcomer(snapshot=number % 2 == 0) for number in range(4)]
    done = check(world.url)
    assert done.code == 0
    assert done.lines[-1] == f"5 people, {5 * (4 * ROUNDS + 2)} events, 0 findings"
    assert world.storage.quarantine.all() == []
    assert [len(world.storage.snapshots.bases(each.id)) for each in made] == [1, 0, 1, 0]


def test_check_is_clean_on_an_empty_database(lasting_url: str) -> None:
    opened(lasting_url).close()
    done = check(lasting_url)
    assert (done.code, done.lines[-1]) == (0, "0 people, 0 events, 0 findings")


def test_rebuild_drops_what_an_earlier_release_kept_of_short_logs(world: World) -> None:
    made = [world.newcomer(snapshot=number == 0) for number in range(3)]
    done = command("rebuild", world.url)
    assert (done.code, done.error) == (0, None)
    assert done.lines[-1] == "4 people rebuilt"
    assert [world.storage.snapshots.bases(person.id) for person in made] == [[], [], []]
    assert check(world.url).code == 0


def test_rebuild_keeps_the_states_of_long_logs(world: World) -> None:
    person = world.newcomer()
    converse(world.client, person.name, rounds=(SNAPSHOT_EVERY - 4 * ROUNDS) // 4 + 1)
    world.storage.snapshots.drop(person.id)
    assert command("rebuild", world.url).code == 0
    assert world.storage.snapshots.bases(person.id) == [world.version.basis]
    assert check(world.url).code == 0


def test_check_forgets_findings_that_are_no_longer_so(world: World) -> None:
    person = world.newcomer()
    before = world.log(person)
    hurt(world, UNREADABLE[2], person)
    assert check(world.url).code == 1
    with world.storage.database.connect() as connection:
        connection.execute(sa.delete(events).where(events.c.person == person.id))
    for event in before:
        world.storage.log.append(person.id, event)
    assert check(world.url).code == 0
    assert world.storage.quarantine.all() == []


@pytest.mark.parametrize("what", ["people", "rebuild"])
def test_someone_deleted_while_everyone_is_gone_through_does_no_harm(
    world: World, what: str
) -> None:
    made = [world.newcomer(snapshot=True) for _ in range(3)]
    checker = Checker(world.storage)
    checker.catalogues()
    steps: Iterator[Any] = getattr(checker, what)()
    seen = [next(steps).person.id]
    world.storage.people.delete(made[1].id)
    seen += [each.person.id for each in steps]
    assert made[2].id in seen
    assert world.storage.quarantine.all() == []


@pytest.mark.parametrize("name", ["check", "rebuild"])
def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, name: str) -> None:
    path = tmp_path / "mistyped.db"
    done = command(name, f"sqlite:///{path}")
    assert isinstance(done.error, InvalidInput)
    assert str(path) in str(done.error)
    assert not path.exists()
