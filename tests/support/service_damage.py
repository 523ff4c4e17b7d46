"""A database with people in conversation, what their logs come to, and the way behind its back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.uploads import from_json
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.schemas import CatalogueBody
from conlinucb.service.settings import Settings
from conlinucb.service.storage import AnswerBody, Event, Person, RetractionBody, RewardBody, Storage
from conlinucb.service.storage.log import _row
from conlinucb.service.storage.schema import events
from support.service_commands import Done, command
from support.service_world import Postgres, client_of, opened

ROUNDS = 12
SETTINGS = Settings(max_questions=None, rest_after_skip=2, rest_after_answer=0)
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


def give(storage: Storage, name: str) -> Catalogues:
    """Put the catalogue there under this name."""
    catalogues = Catalogues(storage)
    catalogues.opened = True
    catalogues.replace(name, from_json(BODY))
    catalogues.set_settings(name, SETTINGS)
    return catalogues


def service(url: str) -> Any:
    """The service as it starts on this database, without a catalogue of its own."""
    return client_of(url, catalogues={}, default="films")


def use_cases_of(client: TestClient) -> UseCases:
    use_cases: UseCases = cast(FastAPI, client.app).state.use_cases
    return use_cases


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
    def version(self) -> CatalogueVersion:
        return use_cases_of(self.client).catalogues.serving("films")

    def newcomer(self, *, snapshot: bool = False) -> Person:
        """Someone with a log, whom the service has not met yet."""
        name = f"person {self.model.id} {len(self.made)} {snapshot}"
        person = self.storage.people.add(self.model.catalogue, name, self.model.seed)
        self.made.append(person)
        rows = [_row(person.id, event) for event in self.log(self.model)]
        with self.storage.database.connect() as connection:
            connection.execute(sa.insert(events), rows)
        if snapshot:
            self.keep(person)
        return person

    def keep(self, person: Person) -> None:
        """Make a snapshot of the state now."""
        loader = StateLoader(self.storage)
        loader.keep(loader.load(self.version, person), person)

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


def check(url: str) -> Done:
    done = command("check", url)
    assert done.error is None, repr(done.error)
    return done


def solved(version: CatalogueVersion, log: list[Event]) -> tuple[Any, Any]:
    """Mean and radius of each key-term: a ridge regression solved at once."""
    catalog, d = version.catalog, version.catalog.d
    start = version.agent.estimator.start.start(d)
    M, Y = start.precision.copy(), start.moment.copy()
    gone = {event.body.of for event in log if isinstance(event.body, RetractionBody)}
    for event in log:
        body, y = event.body, None
        if isinstance(body, AnswerBody) and event.seq not in gone:
            x, y = catalog.terms[catalog.term_index(body.names[0])], body.answer
        if isinstance(body, RewardBody) and event.seq not in gone:
            x, y = catalog.arms[catalog.arm_index(body.item)], body.reward
        if y is not None:
            M, Y = M + np.outer(x, x), Y + y * x
    terms = catalog.terms[catalog.live_terms]
    squares = np.einsum("kd,kd->k", terms, np.linalg.solve(M, terms.T).T)
    radii = np.sqrt(version.agent.estimator.noise * squares)
    return terms @ np.linalg.solve(M, Y), radii


def assert_is_fold_of(version: CatalogueVersion, profile: dict[str, Any], log: list[Event]) -> None:
    means, radii = solved(version, log)
    terms = profile["terms"]
    np.testing.assert_allclose([each["mean"] for each in terms], means, rtol=0, atol=CLOSE)
    np.testing.assert_allclose([each["radius"] for each in terms], radii, rtol=0, atol=CLOSE)
    kinds = [event.kind for event in log]
    assert profile["rounds"] == kinds.count("recommendation")
    assert profile["questions_asked"] == kinds.count("question")


def say(client: TestClient, path: str, came: dict[str, Any]) -> None:
    """Answer what came, or reward it."""
    if came["type"] == "question":
        body = {"question": came["question"], "answer": 0.5}
        said = client.post(f"{path}/answers", json=body)
    else:
        body = {"decision": came["decision"], "item": came["items"][0]["item"], "reward": 0.5}
        said = client.post(f"{path}/rewards", json=body)
    assert said.status_code == 200, said.text


def npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(3))
    return file.getvalue()
