"""What is damaged in the database is left out and reported; everything else is served."""

from __future__ import annotations

import io
import json
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy.pool import Pool
from typer.testing import CliRunner

from conlinucb.cli import app as command_line
from conlinucb.service.catalogues import Catalogues
from conlinucb.service.check import Checker
from conlinucb.service.desk import Desk
from conlinucb.service.memory import Memory
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.served import Served
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Arrays, Event, Person, Snapshot, Storage, pack
from conlinucb.service.storage.schema import changes, events, people, quarantine, snapshots
from conlinucb.service.uploads import from_json
from service_world import Postgres, client_of, opened

ROUNDS = 12
SETTINGS = Settings(max_questions=None, rest_after_skip=2)
BODY = CatalogueBody.model_validate(
    {
        "items": [
            {"id": f"film {n}", "tags": {f"topic {n % 7}": 1.0, f"topic {n % 5}": 0.5 + n / 50}}
            for n in range(24)
        ],
        "d": 6,
    }
)
CLOSE = 1e-9
Body = dict[str, Any]


# --- a database with people in conversation ---


def give(storage: Storage, name: str) -> Catalogues:
    """Put the catalogue there under this name."""
    catalogues = Catalogues(storage, Memory(storage))
    catalogues.opened = True
    catalogues.replace(name, from_json(BODY))
    catalogues.set_settings(name, SETTINGS)
    return catalogues


def service(url: str) -> Any:
    """The service as it starts on this database, without a catalogue of its own."""
    return client_of(url, catalogues={}, default="films")


def desk_of(client: TestClient) -> Desk:
    desk: Desk = cast(FastAPI, client.app).state.desk
    return desk


def converse(client: TestClient, name: str, rounds: int, catalogue: str = "films") -> None:
    """Question, answer, recommendation and reward, again and again; two are taken back."""
    random = np.random.default_rng(7)
    about = {"catalogue": catalogue}
    path = f"/v1/users/{name}"
    for number in range(rounds):
        question = client.post(f"{path}/next", params=about).json()
        said: str | float = "skip" if number % 4 == 3 else float(random.uniform())
        answer = {"question": question["question"], "answer": said}
        assert client.post(f"{path}/answers", json=answer, params=about).status_code == 200
        advice = client.post(f"{path}/next", json={"k": 2}, params=about).json()
        reward = {
            "decision": advice["decision"],
            "item": advice["items"][1]["item"],
            "reward": float(random.uniform()),
        }
        assert client.post(f"{path}/rewards", json=reward, params=about).status_code == 200
        if number in (5, 8):
            last = 2 if number == 5 else 16
            assert client.delete(f"{path}/events/{last}", params=about).status_code == 200


@dataclass(frozen=True)
class World:
    """A service in this process, and the way to its database behind its back."""

    url: str
    storage: Storage
    client: TestClient
    model: Person
    """Whose log everyone gets."""
    made: list[Person] = field(default_factory=list)

    @property
    def served(self) -> Served:
        return desk_of(self.client).catalogues.serving("films")

    def newcomer(self, *, snapshot: bool = False) -> Person:
        """Someone with a log, whom the service has not met yet."""
        name = f"person {self.model.id} {len(self.made)} {snapshot}"
        person = self.storage.people.add(self.model.catalogue, name, self.model.seed)
        self.made.append(person)
        columns = [each for each in events.c if each.name != "person"]
        source = sa.select(sa.literal(person.id), *columns).where(events.c.person == self.model.id)
        with self.storage.database.connect() as connection:
            names = ["person", *(each.name for each in columns)]
            connection.execute(sa.insert(events).from_select(names, source))
        if snapshot:
            self.keep(person)
        return person

    def keep(self, person: Person) -> None:
        """Make a snapshot of the state now."""
        memory = Memory(self.storage)
        memory.keep(memory.load(self.served, person), person)

    def log(self, person: Person) -> list[Event]:
        return [row for row in self.storage.log.after(person.id) if isinstance(row, Event)]

    def findings(self, person: Person) -> dict[str, str]:
        """What the quarantine says of this person."""
        found = self.storage.quarantine.all()
        return {each.what: each.reason for each in found if each.person == person.id}

    def profile(self, person: Person) -> dict[str, Any]:
        response = self.client.get(f"/v1/users/{person.name}")
        assert response.status_code == 200, response.text
        return dict(response.json())

    def forget(self) -> None:
        """Delete everyone whom a test made."""
        for person in self.made:
            self.storage.people.delete(person.id)
        self.storage.quarantine.clear()
        self.made.clear()


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def lasting_world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('damage') / 'service.db'}"
    else:
        server: Postgres = request.getfixturevalue("postgres")
        url = server.new_database()
    storage = opened(url)
    give(storage, "films")
    with service(url) as client:
        converse(client, "model", ROUNDS)
        (model,) = storage.people.everywhere("model")
        yield World(url, storage, client, model)
    storage.close()


@pytest.fixture
def world(lasting_world: World) -> Iterator[World]:
    yield lasting_world
    lasting_world.forget()


@dataclass(frozen=True)
class Done:
    """What a command came to."""

    code: int
    lines: list[str]
    error: BaseException | None

    def of(self, person: Person) -> dict[str, str]:
        """What was reported of a person: what, and why."""
        start = f"person {person.id}: "
        found = (line.removeprefix(start) for line in self.lines if line.startswith(start))
        return dict(cast(tuple[str, str], tuple(each.split(": ", 1))) for each in found)


def command(name: str, url: str) -> Done:
    """Run ``conlinucb db NAME`` in this process."""
    connections: list[Any] = []

    def note(connection: Any, record: Any) -> None:
        connections.append(connection)

    sa.event.listen(Pool, "connect", note)
    result = CliRunner().invoke(command_line, ["db", name, "--database", url])
    sa.event.remove(Pool, "connect", note)
    for connection in connections:  # a command leaves them to the end of its process
        connection.close()
    error = None if isinstance(result.exception, SystemExit) else result.exception
    return Done(result.exit_code, result.output.splitlines(), error)


def check(url: str) -> Done:
    done = command("check", url)
    assert done.error is None, repr(done.error)
    return done


# --- what a log comes to, by hand ---


def solved(served: Served, log: list[Event]) -> tuple[Any, Any]:
    """Mean and radius of each key-term: a ridge regression solved at once."""
    catalog, d = served.catalog, served.catalog.d
    M, Y = np.eye(d) * served.agent.estimator.prior()["beta"], np.zeros(d)
    gone = {event.body["of"] for event in log if event.kind == "retraction"}
    for event in log:
        if event.seq in gone or event.kind not in ("answer", "reward"):
            continue
        body = event.body
        if event.kind == "answer":
            x, y = catalog.terms[catalog.term_index(body["id"])], body["answer"]
        else:
            x, y = catalog.arms[catalog.arm_index(body["item"])], body["reward"]
        if y is not None:
            M, Y = M + np.outer(x, x), Y + y * x
    terms = catalog.terms[catalog.live_terms]
    radii = np.sqrt(np.einsum("kd,kd->k", terms, np.linalg.solve(M, terms.T).T))
    return terms @ np.linalg.solve(M, Y), radii


def assert_is_fold_of(served: Served, profile: dict[str, Any], log: list[Event]) -> None:
    means, radii = solved(served, log)
    terms = profile["terms"]
    np.testing.assert_allclose([each["mean"] for each in terms], means, rtol=0, atol=CLOSE)
    np.testing.assert_allclose([each["radius"] for each in terms], radii, rtol=0, atol=CLOSE)
    kinds = [event.kind for event in log]
    assert profile["rounds"] == kinds.count("recommendation")
    assert profile["questions_asked"] == kinds.count("question")


# --- what may happen to an event ---


def seal(seq: int, kind: str, body: str) -> dict[str, Any]:
    """A row as the service would have written it."""
    return {"kind": kind, "body": body, "crc": zlib.crc32(f"{seq} {kind} {body}".encode())}


@dataclass(frozen=True)
class Wound:
    """One way to damage an event."""

    name: str
    kind: str
    """The kind of event that it happens to."""
    change: Callable[[int, Body], dict[str, Any]] | None = None
    """From the event's number and body to other columns; None: the row goes."""

    def inflict(self, storage: Storage, person: Person, place: int = 2) -> int:
        """Damage one event; which one."""
        log = [row for row in storage.log.after(person.id) if isinstance(row, Event)]
        gone = {event.body["of"] for event in log if event.kind == "retraction"}
        hit = [event for event in log if event.kind == self.kind and event.seq not in gone]
        event = hit[min(place, len(hit) - 1)]
        row = (events.c.person == person.id) & (events.c.seq == event.seq)
        with storage.database.connect() as connection:
            if self.change is None:
                connection.execute(sa.delete(events).where(row))
            else:
                values = self.change(event.seq, event.body)
                connection.execute(sa.update(events).where(row).values(**values))
        return event.seq


def sealed(kind: str, new: Callable[[Body], Any]) -> Callable[[int, Body], dict[str, Any]]:
    """A change to another kind and body, with the checksum that belongs to them."""
    return lambda seq, body: seal(seq, kind, json.dumps(new(dict(body))))


def with_field(kind: str, **fields: Any) -> Callable[[int, Body], dict[str, Any]]:
    return sealed(kind, lambda body: {**body, **fields})


def without(kind: str, name: str) -> Callable[[int, Body], dict[str, Any]]:
    return sealed(kind, lambda body: {key: each for key, each in body.items() if key != name})


UNREADABLE = [
    Wound("body without its checksum", "answer", lambda seq, body: {"body": json.dumps({**body})}),
    Wound("body of a reward", "reward", lambda seq, body: {"body": '{"reward":1}'}),
    Wound("checksum", "question", lambda seq, body: {"crc": 12345}),
    Wound("kind without its checksum", "recommendation", lambda seq, body: {"kind": "reward"}),
    Wound("no JSON", "answer", lambda seq, body: seal(seq, "answer", '{"answer":')),
    Wound("empty", "reward", lambda seq, body: seal(seq, "reward", "")),
    Wound("a list", "recommendation", sealed("recommendation", lambda body: [body])),
    Wound("unknown kind", "answer", sealed("dance", lambda body: body)),
    Wound("retraction", "retraction", lambda seq, body: {"crc": 0}),
]
GONE = [Wound(f"{kind} gone", kind) for kind in ("question", "answer", "recommendation", "reward")]
NONSENSE = [
    Wound("answer without answer", "answer", without("answer", "answer")),
    Wound("answer in words", "answer", with_field("answer", answer="yes")),
    Wound("answer that is no number", "answer", with_field("answer", answer=float("nan"))),
    Wound("answer about a list", "answer", with_field("answer", id=["topic 1"])),
    Wound("answer as a reward", "answer", sealed("reward", lambda body: body)),
    Wound("question without number", "question", without("question", "number")),
    Wound("question with a word as number", "question", with_field("question", number="x")),
    Wound("question with a huge number", "question", with_field("question", number=2**70)),
    Wound("question with a word as round", "question", with_field("question", round="x")),
    Wound("question about a planet", "question", with_field("question", about="planet")),
    Wound("recommendation without items", "recommendation", without("recommendation", "items")),
    Wound("items are numbers", "recommendation", with_field("recommendation", items=[5])),
    Wound("reward without item", "reward", without("reward", "item")),
    Wound("reward in words", "reward", with_field("reward", reward="much")),
    Wound("retraction of nothing", "retraction", sealed("retraction", lambda body: {})),
    Wound("retraction of a list", "retraction", with_field("retraction", of=[2])),
]
"""Under a checksum that fits."""
WOUNDS = UNREADABLE + GONE + NONSENSE
every_wound = pytest.mark.parametrize("wound", WOUNDS, ids=[each.name for each in WOUNDS])
few_wounds = pytest.mark.parametrize(
    "wound",
    [UNREADABLE[0], UNREADABLE[3], GONE[1], NONSENSE[0], NONSENSE[5], NONSENSE[10]],
    ids=lambda wound: wound.name,
)


def hurt(world: World, wound: Wound, person: Person) -> tuple[list[Event], int]:
    """Damage an event; the rest of the log, and the event's number."""
    before = world.log(person)
    seq = wound.inflict(world.storage, person)
    return [event for event in before if event.seq != seq], seq


def test_the_model_is_what_its_log_comes_to(world: World) -> None:
    person = world.newcomer()
    log = world.log(person)
    assert len(log) == 4 * ROUNDS + 2
    assert_is_fold_of(world.served, world.profile(person), log)
    assert world.profile(person)["damaged_events"] == 0
    assert world.findings(person) == {}


@every_wound
def test_a_damaged_event_is_left_out_counted_and_set_aside(world: World, wound: Wound) -> None:
    person, other = world.newcomer(), world.newcomer()
    left, seq = hurt(world, wound, person)
    profile = world.profile(person)
    assert_is_fold_of(world.served, profile, left)
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


def say(client: TestClient, path: str, came: dict[str, Any]) -> None:
    """Answer what came, or reward it."""
    if came["type"] == "question":
        body = {"question": came["question"], "answer": 0.5}
        said = client.post(f"{path}/answers", json=body)
    else:
        body = {"decision": came["decision"], "item": came["items"][0]["item"], "reward": 0.5}
        said = client.post(f"{path}/rewards", json=body)
    assert said.status_code == 200, said.text


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
    assert_is_fold_of(world.served, world.profile(person), left)
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
    assert_is_fold_of(world.served, world.profile(twin), left)


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


def test_rebuild_makes_states_without_the_damaged_events(world: World) -> None:
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
        assert world.storage.snapshots.bases(person.id) == [world.served.basis], name
        assert_is_fold_of(world.served, world.profile(person), left)


def test_several_wounds_are_all_counted(world: World) -> None:
    person = world.newcomer()
    log = world.log(person)
    hit = [wound.inflict(world.storage, person, place) for place, wound in enumerate(UNREADABLE)]
    assert len(set(hit)) == len(hit)
    left = [event for event in log if event.seq not in hit]
    profile = world.profile(person)
    assert_is_fold_of(world.served, profile, left)
    assert profile["damaged_events"] == len(hit)
    assert set(world.findings(person)) == {f"event {seq}" for seq in hit}


def test_someone_of_whom_nothing_can_be_read_starts_anew(world: World) -> None:
    person = world.newcomer()
    with world.storage.database.connect() as connection:
        connection.execute(sa.update(events).where(events.c.person == person.id).values(crc=1))
    profile = world.profile(person)
    assert_is_fold_of(world.served, profile, [])
    assert profile["damaged_events"] == len(world.findings(person)) == 4 * ROUNDS + 2
    came = world.client.post(f"/v1/users/{person.name}/next")
    assert came.json()["question"] == f"q{4 * ROUNDS + 3}"


def open_question(world: World) -> tuple[Person, int]:
    """Someone who has been asked and has not answered yet."""
    person = world.newcomer()
    served, memory = world.served, Memory(world.storage)
    last = world.storage.log.last(person.id)
    asked = next(event for event in world.log(person) if event.kind == "question")
    state = memory.load(served, person)
    body = {**asked.body, "number": state.user.questions + 1, "round": state.user.rounds + 1}
    world.storage.log.append(person.id, Event(last + 1, "question", body))
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
    reward = [event for event in world.log(person) if event.kind == "reward"][2]
    last = world.storage.log.last(person.id)
    hurt(world, UNREADABLE[1], person)
    body = {**reward.body, "decision": f"d{reward.body['decision']}"}
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
    good = [event for event in left if event.kind == "answer" and event.body["answer"] is not None]
    taken_back = good[-1].seq
    assert world.client.delete(f"{path}/events/{taken_back}").status_code == 200
    new = [event for event in world.log(person) if event.seq > left[-1].seq]
    assert_is_fold_of(world.served, world.profile(person), left + new)


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


# --- what may happen to a snapshot ---


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()


def put(**arrays: Any) -> Callable[[Arrays], Arrays]:
    return lambda found: {**found, **arrays}


def edit(name: str, change: Callable[[Any], Any]) -> Callable[[Arrays], Arrays]:
    return lambda found: {**found, name: change(found[name].copy())}


def spoilt(array: Any, value: float, place: int = 0) -> Any:
    array.flat[place] = value
    return array


def more(array: Any, place: int) -> Any:
    return spoilt(array, array.flat[place] + 1, place)


BODIES: dict[str, bytes] = {
    "empty": b"",
    "nonsense": b"nonsense",
    "half a zip": pack({"a": np.zeros(100)})[:300],
    "an array and no zip": npy(),
    "no array": pack({}),
}
ARRAYS: dict[str, Callable[[Arrays], Arrays]] = {
    "theta too short": edit("state_theta", lambda a: a[:-1]),
    "theta a matrix": edit("state_theta", lambda a: a[:, None]),
    "theta of integers": edit("state_theta", lambda a: a.astype(np.int64)),
    "NaN in theta": edit("state_theta", lambda a: spoilt(a, np.nan)),
    "NaN in P": edit("state_P", lambda a: spoilt(a, np.nan)),
    "infinity in M": edit("state_M", lambda a: spoilt(a, np.inf)),
    "P too small": edit("state_P", lambda a: a[1:, 1:]),
    "theta gone": lambda found: {k: v for k, v in found.items() if k != "state_theta"},
    "pending out of range": edit("state_counts", lambda a: spoilt(a + 0, -1)),
    "another estimator": put(kind=np.frombuffer(b'{"estimator": "other"}', dtype=np.uint8)),
    "no text as kind": put(kind=np.array([255, 254], dtype=np.uint8)),
    "another format": put(format=np.array(99)),
    "counts negative": put(counts=np.array([-1, 2, 3])),
    "counts with fractions": put(counts=np.array([0.5, 2, 3])),
    "open question about nothing": put(open=np.array([0, 10**6, 1, 1])),
    "place gone": lambda found: {k: v for k, v in found.items() if k != "place"},
    "place of four": put(place=np.array([1, 2, 3, 4])),
    "place NaN": edit("place", lambda a: spoilt(a.astype(float), np.nan)),
    "place infinite": edit("place", lambda a: spoilt(a.astype(float), np.inf)),
    "place of words": edit("place", lambda a: np.full(a.shape, "x")),
    "skipped in one row": edit("skipped", lambda a: a.ravel()),
    "skipped NaN": edit("skipped", lambda a: spoilt(a.astype(float), np.nan, -1)),
    "skipped infinite": edit("skipped", lambda a: spoilt(a.astype(float), np.inf, -1)),
    "skipped of an unknown kind": edit("skipped", lambda a: spoilt(a, 9)),
    "answered gone": lambda found: {k: v for k, v in found.items() if k != "answered"},
}
"""Under a checksum that fits."""
QUIET: dict[str, Callable[[Arrays], Arrays]] = {
    "theta": edit("state_theta", lambda a: spoilt(a, a.flat[0] + 1e-6)),
    "P": edit("state_P", lambda a: spoilt(a, a.flat[0] * (1 + 1e-6))),
    "rounds": edit("counts", lambda a: more(a, 0)),
    "asked": edit("place", lambda a: more(a, 1)),
    "skipped": edit("skipped", lambda a: more(a, -1)),
    "answered": edit("answered", lambda a: a[1:]),
    "seed": put(seed=np.array(3, dtype=np.uint64)),
}
"""What no one can see without the log."""


def write_snapshot(storage: Storage, person: Person, **values: Any) -> None:
    """Change columns of a person's snapshot."""
    with storage.database.connect() as connection:
        row = snapshots.c.person == person.id
        connection.execute(sa.update(snapshots).where(row).values(**values))


def change_snapshot(storage: Storage, person: Person, change: Callable[[Arrays], Arrays]) -> None:
    """Save other arrays instead, under a checksum that fits."""
    (basis,) = storage.snapshots.bases(person.id)
    found = storage.snapshots.load(person.id, basis)
    assert found is not None
    storage.snapshots.save(person.id, basis, Snapshot(found.seq, change(found.arrays)))


def spoil(storage: Storage, person: Person, how: str) -> None:
    """Damage a person's snapshot."""
    if how == "checksum":
        write_snapshot(storage, person, crc=1)
    elif how in BODIES:
        write_snapshot(storage, person, body=BODIES[how], crc=zlib.crc32(BODIES[how]))
    else:
        change_snapshot(storage, person, {**ARRAYS, **QUIET}[how])


SPOILT = ["checksum", *BODIES, *ARRAYS]


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_snapshot_is_never_served(world: World, how: str) -> None:
    person = world.newcomer(snapshot=True)
    spoil(world.storage, person, how)
    assert_is_fold_of(world.served, world.profile(person), world.log(person))
    assert world.profile(person)["damaged_events"] == 0
    assert list(world.findings(person)) == ["snapshot"]
    assert world.storage.snapshots.bases(person.id) == []
    path = f"/v1/users/{person.name}"
    say(world.client, path, world.client.post(f"{path}/next").json())


def test_check_finds_every_damaged_snapshot_and_drops_it(world: World) -> None:
    spoilt = {how: world.newcomer(snapshot=True) for how in (*SPOILT, *QUIET)}
    healthy = world.newcomer(snapshot=True)
    for how, person in spoilt.items():
        spoil(world.storage, person, how)
    done = check(world.url)
    assert done.code == 1
    assert {how for how, person in spoilt.items() if list(done.of(person)) != ["snapshot"]} == set()
    assert done.of(healthy) == {}
    assert [list(world.findings(person)) for person in spoilt.values()] == [["snapshot"]] * len(
        spoilt
    )
    bases = world.storage.snapshots.bases
    assert [bases(person.id) for person in spoilt.values()] == [[]] * len(spoilt)
    assert bases(healthy.id) == [world.served.basis]
    assert check(world.url).code == 0
    assert world.storage.quarantine.all() == []


def test_rebuild_makes_every_damaged_snapshot_anew(world: World) -> None:
    spoilt = {how: world.newcomer(snapshot=True) for how in (*SPOILT, *QUIET)}
    for how, person in spoilt.items():
        spoil(world.storage, person, how)
    done = command("rebuild", world.url)
    assert done.error is None, repr(done.error)
    assert done.code == 0
    for how, person in spoilt.items():
        found = world.storage.snapshots.load(person.id, world.served.basis)
        assert found is not None, how
        assert found.seq == 4 * ROUNDS + 2, how
        assert_is_fold_of(world.served, world.profile(person), world.log(person))
    assert check(world.url).code == 0


@pytest.mark.parametrize("moved", [-9, +1000])
def test_a_snapshot_at_a_wrong_place_is_never_served(world: World, moved: int) -> None:
    """Events would count twice, or new ones would leave a gap."""
    person = world.newcomer(snapshot=True)
    write_snapshot(world.storage, person, seq=snapshots.c.seq + moved)
    assert_is_fold_of(world.served, world.profile(person), world.log(person))
    came = world.client.post(f"/v1/users/{person.name}/next")
    assert came.json()["question"] == f"q{4 * ROUNDS + 3}"


@pytest.mark.parametrize("moved", [-9, +1000])
def test_check_finds_a_snapshot_at_a_wrong_place(world: World, moved: int) -> None:
    person = world.newcomer(snapshot=True)
    write_snapshot(world.storage, person, seq=snapshots.c.seq + moved)
    assert list(check(world.url).of(person)) == ["snapshot"]


def test_a_snapshot_of_events_that_are_gone_is_never_served(world: World) -> None:
    """The log was put back from an older copy, the snapshots were not."""
    person, twin = world.newcomer(snapshot=True), world.newcomer(snapshot=True)
    for each in (person, twin):
        with world.storage.database.connect() as connection:
            row = (events.c.person == each.id) & (events.c.seq > 40)
            connection.execute(sa.delete(events).where(row))
    assert_is_fold_of(world.served, world.profile(person), world.log(person))
    assert list(check(world.url).of(twin)) == ["snapshot"]


# --- commands on what is healthy ---


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


def test_rebuild_gives_everyone_a_snapshot_that_checks_clean(world: World) -> None:
    made = [world.newcomer(snapshot=number == 0) for number in range(3)]
    done = command("rebuild", world.url)
    assert (done.code, done.error) == (0, None)
    assert done.lines[-1] == "4 people rebuilt"
    for person in made:
        assert world.storage.snapshots.bases(person.id) == [world.served.basis]
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


# --- what may happen to a catalogue ---


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
        entry = self.storage.shelf.find(name)
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
        entry = storage.shelf.find(name)
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
    assert "version" in checks[f"catalogue {name}"]


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
    entry = storage.shelf.find("damaged")
    assert entry is not None
    SEALED_RUINS[ruin](storage, entry.id)
    catalogues = Catalogues(storage, Memory(storage))
    catalogues.refresh()
    assert [each.name for each in catalogues.all()] == ["films"]
    assert catalogues.states()["damaged"] != "ok"
    assert [each.catalogue for each in storage.quarantine.all()] == [entry.id]
    storage.close()


def test_check_reports_content_that_makes_no_sense(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'service.db'}"
    storage = opened(url)
    shelve(storage, [*SEALED_RUINS, "films"])
    entries = {each.name: each.id for each in storage.shelf.entries()}
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
    entry = storage.shelf.find("damaged")
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
    catalogues.replace("films", from_json(BODY))
    entry = storage.shelf.find("films")
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
    one, two = give(storage, "films"), Catalogues(other, Memory(other))
    item = [{"id": "new film", "tags": {"topic 1": 1.0}}]
    look = storage.shelf.find

    def look_late(name: str) -> Any:
        storage.shelf.find = look  # type: ignore[method-assign]
        two.refresh()
        two.add("films", item)
        return look(name)

    storage.shelf.find = look_late  # type: ignore[method-assign]
    with pytest.raises(Exception, match="new film"):
        one.add("films", item)
    fresh = Catalogues(other, Memory(other))
    fresh.refresh()
    assert fresh.states() == {"films": "ok"}
    storage.close()
    other.close()


def test_the_quarantine_of_a_deleted_catalogue_goes_with_it(tmp_path: Path) -> None:
    storage = opened(f"sqlite:///{tmp_path / 'service.db'}")
    shelve(storage, ["films"])
    entry = storage.shelf.find("films")
    assert entry is not None
    RUINS["version changed"](storage, entry.id)
    catalogues = Catalogues(storage, Memory(storage))
    catalogues.refresh()
    with storage.database.connect() as connection:
        count = sa.select(sa.func.count()).select_from(quarantine)
        assert connection.scalar(count) == 1
        catalogues.delete("films")
        assert connection.scalar(count) == 0
    assert catalogues.states() == {}
    storage.close()
