"""A check that was interrupted goes on where it was, and leaves the counts right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from conlinucb.service.conversations import audit
from conlinucb.service.conversations.audit import Checker
from conlinucb.service.storage import Count, Event
from conlinucb.service.storage.schema import events
from support import service_damage
from support.service_commands import run
from support.service_damage import World, check, use_cases_of
from support.service_wounds import UNREADABLE, hurt

pytestmark = pytest.mark.more  # whole databases

lasting_world = service_damage.lasting_world
world = service_damage.world


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "BATCH", 2)
    monkeypatch.setattr(audit, "PIECE", 60)


def interrupted(world: World, after: int) -> list[int]:
    """Who was looked at, until whoever looks is gone without a word."""
    checker = Checker(world.storage)
    checker.catalogues()
    steps: Iterator[audit.Checked] = checker.people()
    return [next(steps).person.id for _ in range(after)]


def test_it_goes_on_behind_the_last_batch_with_what_was_found(world: World) -> None:
    made = [world.newcomer() for _ in range(6)]
    hurt(world, UNREADABLE[0], made[0])
    hurt(world, UNREADABLE[0], made[5])
    seen = interrupted(world, 5)
    second = Checker(world.storage, restart=False)
    assert second.resumed
    assert second.place.people == 4
    second.catalogues()
    rest = [each.person.id for each in second.people()]
    assert seen[:4] + rest == [world.model.id, *(each.id for each in made)]
    assert second.found() == 2
    assert second.place.people == 7
    assert not Checker(world.storage, restart=False).resumed


def test_the_command_goes_on_or_begins_anew(world: World) -> None:
    made = [world.newcomer() for _ in range(4)]
    total = 5 * len(world.log(made[0]))
    for options, line in (([], "going on"), (["--restart"], None)):
        interrupted(world, 3)
        done = run(["db", "check", *options], world.url)
        assert done.code == 0
        assert done.lines[-1] == f"5 people, {total} events, 0 findings"
        assert done.output.startswith("going on with a check") is (line is not None)


def test_it_sets_the_counts_right(world: World) -> None:
    made = [world.newcomer() for _ in range(3)]
    use_cases_of(world.client).storage.counts.flush()  # or it comes while they are counted
    world.storage.counts.add(world.model.catalogue, people=1000, events=-5)
    world.storage.counts.flush()
    interrupted(world, 3)
    done = run(["db", "check"], world.url)
    assert done.code == 0
    expected = Count(4, 4 * len(world.log(made[0])))
    assert world.storage.counts.of(world.model.catalogue) == expected


def test_events_of_older_code_are_counted_and_a_lost_subject_is_found(world: World) -> None:
    person = world.newcomer()
    said = [each for each in world.log(person) if each.subject is not None]
    first, last = said[0], said[-1]
    with world.storage.database.connect() as connection:
        for event, values in ((first, {"seal": None}), (last, {"subject": None})):
            row = (events.c.person == person.id) & (events.c.seq == event.seq)
            connection.execute(sa.update(events).where(row).values(values))
    done = check(world.url)
    assert done.code == 1
    assert list(done.of(person)) == [f"event {last.seq}"]
    assert "1 events were written by an older version" in done.output
    assert isinstance(world.storage.log.find(person.id, seq=last.seq), Event)
