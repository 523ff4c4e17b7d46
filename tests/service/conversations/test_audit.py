"""The check notices what differs, and nothing else: long conversations come out clean."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.audit import Checker, difference
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY, StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.settings import Settings
from conlinucb.service.storage import (
    AnswerBody,
    Arrays,
    Body,
    Event,
    Finding,
    Person,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RewardBody,
    Snapshot,
    Storage,
)
from support.service_world import client_of
from support.worlds import small_catalog

LINEAR = {"name": "linear", "b": 1}
RECIPES: dict[str, dict[str, Any]] = {
    "linucb": {"recipe": "linucb", "beta": 0.4},
    "arm_con": {"recipe": "arm_con", "beta": 0.4, "schedule": LINEAR},
    "conucb": {"recipe": "conucb", "mix": 0.35, "term_beta": 0.6, "schedule": LINEAR},
    "conlinucb": {"recipe": "conlinucb", "beta": 0.4, "schedule": LINEAR},
}
TRIANGLES = ("P", "M")
"""Matrices of which the lower triangle counts."""
every_recipe = pytest.mark.parametrize("recipe", RECIPES)


# --- difference ---


def catalog_with_names() -> cl.Catalog:
    found = small_catalog()
    arms, terms = (list(map(str, ids)) for ids in (found.arm_ids, found.term_ids))
    return cl.Catalog(found.arms, found.weights, arms, terms)


def question(asks: Literal["term", "arm"], about: str, number: int) -> QuestionBody:
    return QuestionBody(
        about=asks,
        id=about,
        number=number,
        round=number,
        text="",
        strategy="",
        mean=0.0,
        radius=1.0,
    )


def arrays_of(recipe: str) -> Arrays:
    """The state of someone who said a few things, skipped one, and has been asked another."""
    settings = Settings(agent=RECIPES[recipe], rest_after_answer=3)
    version = CatalogueVersion(1, recipe, 1, 1, Content(catalog_with_names()), settings)
    state = Conversation.new(version, seed=2**63 + 5)
    asks = version.agent.asks
    ids = version.catalog.term_ids if asks == "term" else version.catalog.arm_ids
    for number in range(1, 41):
        about, answer = ids[number % len(ids)], None if number == 3 else number / 50
        item = version.catalog.arm_ids[number % 5]
        shown = RecommendedItem(item=item, score=1.0, mean=0.0, radius=1.0, exploring=True)
        steps: tuple[Body, ...] = (
            question(asks, about, number),
            AnswerBody(question=state.seq + 1, about=asks, id=about, answer=answer),
            RecommendationBody(round=number, items=[shown]),
            RewardBody(decision=state.seq + 3, item=item, reward=1 - number / 50),
        )
        for body in steps:
            state.apply(Event(state.seq + 1, body))
    state.apply(Event(state.seq + 1, question(asks, about, 41)))
    return state.snapshot().arrays


@pytest.fixture(scope="module")
def states() -> dict[str, Arrays]:
    return {recipe: arrays_of(recipe) for recipe in RECIPES}


def copy(arrays: Arrays) -> Arrays:
    return {name: array.copy() for name, array in arrays.items()}


def is_triangle(name: str) -> bool:
    return name.rpartition("_")[2] in TRIANGLES


def places(name: str, array: Any) -> Iterator[tuple[int, ...]]:
    """Every place of an array that counts."""
    for place in np.ndindex(array.shape):
        if not is_triangle(name) or place[1] <= place[0]:
            yield place


def nudged(array: Any, place: tuple[int, ...], by: float) -> Any:
    """The array with a number moved a little, or a whole number by one."""
    new = array.copy()
    if array.dtype.kind == "f":
        new[place] += by * max(1.0, abs(array[place]))
    else:
        new[place] += new.dtype.type(1)
    return new


@every_recipe
def test_a_state_does_not_differ_from_itself(states: dict[str, Arrays], recipe: str) -> None:
    assert difference(states[recipe], copy(states[recipe])) is None


@every_recipe
def test_a_change_of_any_number_is_noticed(states: dict[str, Arrays], recipe: str) -> None:
    one = states[recipe]
    unnoticed = [
        (name, place)
        for name, array in one.items()
        for place in places(name, array)
        if name not in str(difference(one, {**one, name: nudged(array, place, 1e-7)}))
    ]
    assert unnoticed == []


@pytest.mark.parametrize("name", ["state_theta", "state_P", "state_M", "state_Y", "counts"])
def test_what_is_named_is_what_differs(states: dict[str, Arrays], name: str) -> None:
    one = states["conlinucb"]
    other = {**one, name: nudged(one[name], (0,) * one[name].ndim, 1e-7)}
    assert difference(one, other) == f"{name} differs from the log"


@every_recipe
def test_rounding_is_not_a_difference(states: dict[str, Arrays], recipe: str) -> None:
    one = states[recipe]
    other = {
        name: array * (1 + 1e-12) if array.dtype.kind == "f" else array
        for name, array in one.items()
    }
    assert difference(one, other) is None


@every_recipe
def test_the_upper_triangle_does_not_count(states: dict[str, Arrays], recipe: str) -> None:
    one = states[recipe]
    matrices = [name for name in one if name.startswith("state_") and is_triangle(name)]
    assert len(matrices) >= 2
    other = copy(one)
    for name in matrices:
        other[name][np.triu_indices(len(one[name]), 1)] = 99.0
    assert difference(one, other) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@every_recipe
def test_what_is_no_number_differs(states: dict[str, Arrays], recipe: str, value: float) -> None:
    other = copy(states[recipe])
    other["state_theta"][0] = value
    assert difference(states[recipe], other) == "state_theta differs from the log"


@every_recipe
def test_other_arrays_and_shapes_are_noticed(states: dict[str, Arrays], recipe: str) -> None:
    one = states[recipe]
    for name in one:
        less = {key: array for key, array in one.items() if key != name}
        assert name in str(difference(one, less))
        assert name in str(difference(less, one))
        assert name in str(difference(one, {**one, name: np.append(one[name].ravel(), 1)}))


# --- snapshots of long conversations ---


class Talk:
    """A conversation over HTTP, and the state behind it."""

    def __init__(self, client: TestClient, catalogue: str) -> None:
        self.client = client
        self.about = {"catalogue": catalogue}
        self.use_cases: UseCases = cast(FastAPI, client.app).state.use_cases
        self.random = np.random.default_rng(3)
        self.said: list[int] = []
        """Answers and rewards that were not taken back."""
        self.last = 0

    def post(self, what: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        response = self.client.post(f"/v1/users/ann/{what}", json=body or {}, params=self.about)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def go_on(self, until: int) -> None:
        while self.last < until:
            came = self.post("next")
            value = float(self.random.uniform())
            if came["type"] == "question":
                said = "skip" if value < 0.15 else value
                receipt = self.post("answers", {"question": came["question"], "answer": said})
            else:
                item = {"decision": came["decision"], "item": came["items"][0]["item"]}
                receipt = self.post("rewards", {**item, "reward": value})
            self.last = receipt["event"]
            self.said.append(self.last)

    def take_back(self, place: int) -> None:
        """Retract one of the things said, counted from the first or the last."""
        event = self.said.pop(place)
        path = f"/v1/users/ann/events/{event}"
        response = self.client.delete(path, params=self.about)
        assert response.status_code == 200
        self.last = response.json()["event"]

    @property
    def storage(self) -> Storage:
        return self.use_cases.storage

    @property
    def version(self) -> CatalogueVersion:
        return self.use_cases.catalogues.serving(self.about["catalogue"])

    @property
    def person(self) -> Person:
        found = self.storage.people.find(self.version.id, "ann")
        assert found is not None
        return found

    def snapshot(self) -> Snapshot:
        """The live state as it would be kept now."""
        return self.use_cases.look(
            self.about["catalogue"], "ann", lambda state, _: state.snapshot()
        )

    def kept(self, wanted: Callable[[int], bool]) -> Snapshot:
        """The snapshot that the service keeps, once it is of an event that is wanted."""
        for _ in range(2000):
            found = self.storage.snapshots.load(self.person.id, self.version.basis)
            if found is not None and wanted(found.seq):
                return found
            threading.Event().wait(0.005)
        raise AssertionError(f"no such snapshot is kept, the last one is {found}")

    @cached_property
    def checker(self) -> Checker:
        checker = Checker(self.storage)
        assert checker.catalogues() == []
        return checker

    def findings(self) -> list[Finding]:
        return [each for one in self.checker.people() for each in one.findings]


@pytest.fixture(scope="module")
def lasting_client() -> Iterator[TestClient]:
    with client_of() as client:
        yield client


@pytest.fixture
def memory_client(lasting_client: TestClient) -> Iterator[TestClient]:
    """A service in memory, without the catalogues of other tests."""
    yield lasting_client
    for each in lasting_client.get("/v1/catalogues").json():
        if each["catalogue"] != "films":
            lasting_client.delete(f"/v1/catalogues/{each['catalogue']}")


def upload(client: TestClient, name: str, recipe: str) -> None:
    catalog = small_catalog()
    weights = catalog.weights.toarray()
    items = [
        {
            "id": str(arm),
            "features": catalog.arms[arm].tolist(),
            "tags": {f"term {k}": weights[arm, k] for k in np.flatnonzero(weights[arm])},
        }
        for arm in range(len(catalog))
    ]
    settings = {
        "agent": RECIPES[recipe],
        "max_questions": None,
        "rest_after_skip": 3,
        "rest_after_answer": 0,
    }
    body = {"items": items, "settings": settings}
    assert client.put(f"/v1/catalogues/{name}", json=body).status_code == 200


def long_talk(client: TestClient, recipe: str) -> tuple[Talk, list[Snapshot]]:
    """More than 300 events with retractions all over, and the states on the way."""
    upload(client, recipe, recipe)
    talk = Talk(client, recipe)
    taken = []
    for stop in range(31, 320, 31):
        talk.go_on(stop)
        taken.append(talk.snapshot())
        if stop % 2:
            talk.take_back(stop // 5)  # from long before
            talk.take_back(-2)  # from just now
        else:
            talk.take_back(0)
        taken.append(talk.snapshot())
    talk.go_on(330)
    return talk, taken


@pytest.mark.more
@every_recipe
def test_every_snapshot_of_a_long_conversation_checks_clean(
    memory_client: TestClient, recipe: str
) -> None:
    talk, taken = long_talk(memory_client, recipe)
    assert talk.findings() == []
    assert len({each.seq for each in taken}) == len(taken)
    for each in taken:
        talk.storage.snapshots.save(talk.person.id, talk.version.basis, each)
        assert talk.findings() == [], each.seq


@every_recipe
def test_from_every_snapshot_the_state_comes_out_the_same(
    memory_client: TestClient, recipe: str
) -> None:
    """Also where something from before it was taken back after it."""
    upload(memory_client, recipe, recipe)
    talk = Talk(memory_client, recipe)
    taken = []
    for stop in (20, 50, 80, 110):
        talk.go_on(stop)
        taken.append(talk.snapshot())
        talk.take_back(3)
    talk.go_on(130)
    loader = StateLoader(talk.storage)
    whole = loader.rebuild(talk.version, talk.person).snapshot()
    assert difference(whole.arrays, talk.snapshot().arrays) is None
    for each in taken:
        talk.storage.snapshots.save(talk.person.id, talk.version.basis, each)
        found = loader.load(talk.version, talk.person).snapshot()
        assert found.seq == whole.seq
        assert difference(whole.arrays, found.arrays) is None


@pytest.mark.more
def test_the_snapshots_that_the_service_keeps_check_clean(url: str) -> None:
    """After every hundredth event, and every retraction from then on."""
    with client_of(url) as client:
        upload(client, "films", "conlinucb")
        talk = Talk(client, "films")
        talk.go_on(SNAPSHOT_EVERY + 2)
        assert talk.kept(lambda seq: seq == SNAPSHOT_EVERY)
        assert talk.findings() == []
        talk.take_back(5)
        assert talk.kept(lambda seq: seq == talk.last)
        assert talk.findings() == []
        talk.go_on(3 * SNAPSHOT_EVERY + 2)
        talk.kept(lambda seq: seq == 3 * SNAPSHOT_EVERY)
        assert talk.findings() == []
        assert talk.storage.snapshots.bases(talk.person.id) == [talk.version.basis]


def test_a_catalogue_that_grew_and_shrank_checks_clean(memory_client: TestClient) -> None:
    upload(memory_client, "growing", "conlinucb")
    talk = Talk(memory_client, "growing")
    talk.go_on(40)
    before = talk.snapshot()
    features = small_catalog().arms[0].tolist()
    item = {"id": "new", "tags": ["term 1"], "features": features}
    grown = memory_client.post("/v1/catalogues/growing/items", json={"items": [item]})
    assert grown.status_code == 200, grown.text
    gone = memory_client.post("/v1/catalogues/growing/removals", json={"items": ["0", "1", "2"]})
    assert gone.status_code == 200
    talk.go_on(80)
    for each in (before, talk.snapshot()):
        talk.storage.snapshots.save(talk.person.id, talk.version.basis, each)
        assert talk.findings() == []


def test_a_snapshot_of_someone_else_is_noticed(memory_client: TestClient) -> None:
    upload(memory_client, "shared", "conlinucb")
    talk = Talk(memory_client, "shared")
    talk.go_on(40)
    with_other_taste = talk.snapshot()
    talk.take_back(0)
    moved = Snapshot(talk.last, with_other_taste.arrays)
    talk.storage.snapshots.save(talk.person.id, talk.version.basis, moved)
    assert [each.what for each in talk.findings()] == ["snapshot"]
    assert talk.findings() == []  # it was dropped
