"""Events that are damaged are left out and reported; everything else is served."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.storage import AnswerBody, Event, Person, QuestionBody, RewardBody
from conlinucb.service.storage.schema import events, people
from support import service_damage
from support.service_commands import command
from support.service_damage import CLOSE, ROUNDS, World, assert_is_fold_of, check, say
from support.service_wounds import (
    GONE,
    NONSENSE,
    UNREADABLE,
    WOUNDS,
    Wound,
    every_wound,
    few_wounds,
    hurt,
    seal,
)

lasting_world = service_damage.lasting_world
world = service_damage.world


def test_the_model_is_what_its_log_comes_to(world: World) -> None:
    person = world.newcomer()
    log = world.log(person)
    assert len(log) == 4 * ROUNDS + 2
    assert_is_fold_of(world.version, world.profile(person), log)
    assert world.profile(person)["damaged_events"] == 0
    assert world.findings(person) == {}


@every_wound
def test_a_damaged_event_is_left_out_counted_and_set_aside(world: World, wound: Wound) -> None:
    person, other = world.newcomer(), world.newcomer()
    left, seq = hurt(world, wound, person)
    profile = world.profile(person)
    assert_is_fold_of(world.version, profile, left)
    assert list(world.findings(person)) == [f"event {seq}"]
    assert profile["damaged_events"] == 1
    assert world.profile(other)["damaged_events"] == 0
    assert world.findings(other) == {}


@every_wound
def test_everything_can_still_be_asked_said_and_explained(world: World, wound: Wound) -> None:
    person = world.newcomer()
    hurt(world, wound, person)
    client, path = world.client, f"/v1/users/{person.name}"
    assert client.get(f"{path}/export").status_code == 200
    for _ in range(4):
        came = client.post(f"{path}/next")
        assert came.status_code == 200, came.text
        say(client, path, came.json())
    response = client.get(f"{path}/explain", params={"item": "film 3"})
    assert response.status_code == 200, response.text
    why = response.json()
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    assert abs(parts - why["mean"]) < CLOSE
    assert client.delete(path).status_code == 204
    assert world.findings(person) == {}


@few_wounds
def test_damage_behind_a_snapshot_is_left_out_too(world: World, wound: Wound) -> None:
    """It is met on the way from the snapshot to the end of the log."""
    person = world.newcomer()
    log = world.log(person)
    with world.storage.database.connect() as connection:
        connection.execute(sa.delete(events).where(events.c.person == person.id, events.c.seq > 4))
    world.keep(person)
    for event in log[4:]:
        world.storage.log.append(person.id, event)
    left, seq = hurt(world, wound, person)
    assert seq > 4
    assert_is_fold_of(world.version, world.profile(person), left)
    assert f"event {seq}" in world.findings(person)


@few_wounds
def test_damage_before_a_snapshot_is_counted_and_check_makes_the_state_fit(
    world: World, wound: Wound
) -> None:
    person, twin = world.newcomer(snapshot=True), world.newcomer(snapshot=True)
    left, seq = hurt(world, wound, person)
    assert world.profile(person)["damaged_events"] == 1
    hurt(world, wound, twin)
    assert f"event {seq}" in check(world.url).of(twin)
    assert_is_fold_of(world.version, world.profile(twin), left)


def test_check_reports_every_damaged_event_and_goes_on(world: World) -> None:
    first, last, wanted = world.newcomer(), {}, {}
    for wound in WOUNDS:
        last[wound.name] = world.newcomer()
        wanted[wound.name] = [f"event {hurt(world, wound, last[wound.name])[1]}"]
    healthy = world.newcomer()
    done = check(world.url)
    assert done.code == 1
    assert {name: list(done.of(person)) for name, person in last.items()} == wanted
    assert {name: list(world.findings(person)) for name, person in last.items()} == wanted
    assert done.of(first) == done.of(healthy) == {}
    assert done.lines[-1].startswith(f"{len(WOUNDS) + 3} people, ")
    assert done.lines[-1].endswith(f", {len(WOUNDS)} findings")


def test_after_a_rebuild_states_are_without_the_damaged_events(world: World) -> None:
    hit = {}
    for wound in WOUNDS:
        person = world.newcomer(snapshot=True)
        hit[wound.name] = (person, *hurt(world, wound, person))
    done = command("rebuild", world.url)
    assert done.error is None, repr(done.error)
    assert done.code == 0
    checked = check(world.url)
    for name, (person, left, seq) in hit.items():
        assert list(checked.of(person)) == [f"event {seq}"], name  # and not the snapshot
        assert world.storage.snapshots.bases(person.id) == [], name
        assert_is_fold_of(world.version, world.profile(person), left)


def test_several_wounds_are_all_counted(world: World) -> None:
    person = world.newcomer()
    log = world.log(person)
    hit = [wound.inflict(world.storage, person, place) for place, wound in enumerate(UNREADABLE)]
    assert len(set(hit)) == len(hit)
    left = [event for event in log if event.seq not in hit]
    profile = world.profile(person)
    assert_is_fold_of(world.version, profile, left)
    assert profile["damaged_events"] == len(hit)
    assert set(world.findings(person)) == {f"event {seq}" for seq in hit}


def test_someone_of_whom_nothing_can_be_read_starts_anew(world: World) -> None:
    person = world.newcomer()
    with world.storage.database.connect() as connection:
        connection.execute(sa.update(events).where(events.c.person == person.id).values(crc=1))
    profile = world.profile(person)
    assert_is_fold_of(world.version, profile, [])
    assert profile["damaged_events"] == len(world.findings(person)) == 4 * ROUNDS + 2
    came = world.client.post(f"/v1/users/{person.name}/next")
    assert came.json()["question"] == f"q{4 * ROUNDS + 3}"


def open_question(world: World) -> tuple[Person, int]:
    """Someone who has been asked and has not answered yet."""
    person = world.newcomer()
    version, loader = world.version, StateLoader(world.storage)
    last = world.storage.log.last(person.id)
    asked = next(each.body for each in world.log(person) if isinstance(each.body, QuestionBody))
    state = loader.load(version, person)
    now = {"number": state.user.questions + 1, "round": state.user.rounds + 1}
    world.storage.log.append(person.id, Event(last + 1, asked.model_copy(update=now)))
    return person, last + 1


@pytest.mark.parametrize("snapshot", [False, True], ids=["no snapshot", "snapshot"])
@pytest.mark.parametrize(
    "values",
    [{"crc": 0}, seal(4 * ROUNDS + 3, "question", '{"about":"term","id":"topic 1"}'), None],
    ids=["unreadable", "nonsense", "gone"],
)
def test_an_open_question_that_is_damaged_does_not_stop_the_conversation(
    world: World, values: dict[str, Any] | None, snapshot: bool
) -> None:
    person, seq = open_question(world)
    if snapshot:
        world.keep(person)
    row = (events.c.person == person.id) & (events.c.seq == seq)
    with world.storage.database.connect() as connection:
        if values is None:
            connection.execute(sa.delete(events).where(row))
        else:
            connection.execute(sa.update(events).where(row).values(**values))
    path = f"/v1/users/{person.name}"
    assert world.client.get(path).status_code == 200
    came = world.client.post(f"{path}/next")
    assert came.status_code == 200, came.text
    say(world.client, path, came.json())


def test_a_reward_whose_event_is_damaged_is_not_taken_twice(world: World) -> None:
    person = world.newcomer()
    rewards = [each.body for each in world.log(person) if isinstance(each.body, RewardBody)]
    last = world.storage.log.last(person.id)
    hurt(world, UNREADABLE[1], person)
    body = {**rewards[2].written(), "decision": f"d{rewards[2].decision}"}
    again = world.client.post(f"/v1/users/{person.name}/rewards", json=body)
    assert again.status_code == 500
    assert again.json()["error"]["code"] == "damaged"
    assert world.storage.log.last(person.id) == last


@pytest.mark.parametrize("wound", UNREADABLE[:1] + GONE[1:2] + NONSENSE[:1], ids=lambda w: w.name)
def test_what_is_said_after_the_damage_is_learned_once(world: World, wound: Wound) -> None:
    person = world.newcomer()
    left, _ = hurt(world, wound, person)
    path = f"/v1/users/{person.name}"
    for _ in range(6):
        say(world.client, path, world.client.post(f"{path}/next").json())
    answers = [each for each in left if isinstance(each.body, AnswerBody)]
    good = [each for each in answers if each.body.written()["answer"] is not None]
    taken_back = good[-1].seq
    assert world.client.delete(f"{path}/events/{taken_back}").status_code == 200
    new = [event for event in world.log(person) if event.seq > left[-1].seq]
    assert_is_fold_of(world.version, world.profile(person), left + new)


def test_a_person_whose_seed_is_damaged_stops_no_one_else(world: World) -> None:
    person, other = world.newcomer(), world.newcomer()
    with world.storage.database.connect() as connection:
        connection.execute(sa.update(people).where(people.c.id == person.id).values(seed="x"))
    assert world.profile(other)["damaged_events"] == 0
    refused = world.client.get(f"/v1/users/{person.name}").json()
    assert refused["error"]["code"] == "damaged"
    done = check(world.url)
    assert done.code == 1
    assert done.of(other) == {}
    assert len(done.of(person)) == 1
