"""The engine, the agent by hand and the service over HTTP tell one story."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle, repeat
from typing import Any, Protocol, cast

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.agent.spec import agent_of
from conlinucb.service.conversations.use_cases import UseCases
from support.runs import ASKING_ABOUT_TERMS, some_people
from support.service_world import client_of

MORE = pytest.mark.more
ROUNDS = 200
SEED = 23
USER = 1
SCHEDULE = {"name": "logarithmic", "f": 5}
QUESTIONS = 40
"""Noises drawn for a round, more than any round asks."""
AGENTS: dict[str, dict[str, Any]] = {
    "linucb": {"recipe": "linucb", "beta": 0.4, "alpha": 0.3},
    "arm_con": {"recipe": "arm_con", "beta": 0.4, "alpha": 0.3, "schedule": SCHEDULE},
    **{
        f"conucb {name}": {
            "recipe": "conucb",
            "strategy": name,
            "mix": 0.35,
            "term_beta": 0.6,
            "alpha": 0.3,
            "term_alpha": {"delta": 0.1},
            "schedule": SCHEDULE,
        }
        for name in ASKING_ABOUT_TERMS
    },
    **{
        f"conlinucb {name}": {
            "recipe": "conlinucb",
            "strategy": name,
            "beta": 0.4,
            "alpha": 0.3,
            "schedule": SCHEDULE,
        }
        for name in ASKING_ABOUT_TERMS
    },
}
SOME_OFFERED = [name for name in AGENTS if " " in name and not name.endswith("spanner")]


def small_world(arms: int = 24, terms: int = 9, d: int = 4) -> cl.Catalog:
    """A catalogue with text for ids, its key-terms in the order in which the arms name them."""
    rng = np.random.default_rng(5)
    drawn = np.where(rng.random((arms, terms)) < 0.3, rng.uniform(0.1, 1.0, (arms, terms)), 0.0)
    drawn[rng.integers(arms, size=terms), np.arange(terms)] += 0.5
    first = np.argsort((drawn > 0).argmax(axis=0), kind="stable")
    features = rng.normal(size=(arms, d)) / np.sqrt(d)
    return cl.Catalog(features, drawn[:, first], _names(arms), _names(terms))


def _names(count: int) -> list[str | int]:
    return [str(each) for each in range(count)]


CATALOG = small_world()


def upload(client: TestClient, name: str, agent: dict[str, Any]) -> None:
    """The same catalogue over HTTP, with this agent, and answers that may be any number."""
    weights = CATALOG.weights.toarray()
    items = [
        {
            "id": str(a),
            "features": CATALOG.arms[a].tolist(),
            "tags": {str(k): weights[a, k] for k in np.flatnonzero(weights[a])},
        }
        for a in range(len(CATALOG))
    ]
    settings = {"agent": agent, "range": [-1e6, 1e6], "max_questions": None, "rest_after_answer": 0}
    body = {"items": items, "settings": settings}
    response = client.put(f"/v1/catalogues/{name}", json=body)
    assert response.status_code == 200, response.text


def served_catalog(client: TestClient, name: str) -> cl.Catalog:
    use_cases: UseCases = cast(FastAPI, client.app).state.use_cases
    return use_cases.catalogues.serving(name).catalog


# One loop, two who live through it


@dataclass
class Step:
    """What came next: a question or an arm, with mean, radius and (of an arm) score."""

    kind: str
    index: int
    numbers: list[float]


@dataclass
class Story:
    arms: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    numbers: list[list[float]] = field(default_factory=list)


class Someone(Protocol):
    def next(self, pool: Any, offered: Any) -> Step: ...

    def answer(self, value: float) -> None: ...

    def reward(self, value: float) -> None: ...


def play(someone: Someone, people: cl.LinearUsers, rounds: int = ROUNDS) -> Story:
    """All rounds of one person, with what chance brings them."""
    story, taste = Story(), people.thetas[USER]
    for t in range(1, rounds + 1):
        chance = people.draw(SEED, 0, USER, t, questions=QUESTIONS, catalog=CATALOG)
        noises = {"term": iter(chance.term_noise), "arm": iter(chance.arm_noise)}
        while (step := someone.next(chance.pool, chance.offered)).kind != "advice":
            rows = CATALOG.terms if step.kind == "term" else CATALOG.arms
            someone.answer(float(np.sum(rows[step.index] * taste) + next(noises[step.kind])))
            story.asked.append(step.index)
            story.numbers.append(step.numbers)
        someone.reward(float(np.sum(CATALOG.arms[step.index] * taste) + chance.noise))
        story.arms.append(step.index)
        story.numbers.append(step.numbers)
    return story


class ByHand:
    """Through ask, hear, recommend and learn."""

    def __init__(self, agent: cl.Agent, seed: int) -> None:
        self.agent, self.user = agent, agent.new_user(seed=seed)

    def next(self, pool: Any, offered: Any) -> Step:
        question = self.agent.ask(self.user, pool, offered)
        if question is not None:
            return Step(question.kind, question.index, self._believed(question))
        advice = self.agent.recommend(self.user, pool)
        self.arm = int(advice.arms[0])
        columns = advice.means, advice.radii, advice.scores
        return Step("advice", self.arm, [float(each[0]) for each in columns])

    def _believed(self, question: cl.Question) -> list[float]:
        if question.kind == "arm":
            found: Any = self.agent.score(self.user, [question.index])
            return [float(found.means[0]), float(found.radii[0])]
        found = self.agent.estimates(self.user)
        return [float(found.means[question.index]), float(found.radii[question.index])]

    def answer(self, value: float) -> None:
        assert self.user.open is not None
        self.agent.hear(self.user, self.user.open, value)

    def reward(self, value: float) -> None:
        self.agent.learn(self.user, self.arm, value)


class OverHttp:
    """Through the service; with several clients, each request goes to the next of them."""

    def __init__(self, clients: Iterator[TestClient], catalogue: str, name: str) -> None:
        self.clients, self.catalogue, self.name = clients, catalogue, name

    def post(self, verb: str, **body: Any) -> dict[str, Any]:
        response = next(self.clients).post(
            f"/v1/users/{self.name}/{verb}", json=body, params={"catalogue": self.catalogue}
        )
        assert response.status_code == 200, response.text
        return dict(response.json())

    def next(self, pool: Any, offered: Any) -> Step:
        given = {} if offered is None else {"offered": [str(each) for each in offered]}
        came = self.post("next", pool=[str(each) for each in pool], **given)
        if came["type"] == "question":
            self.id = came["question"]
            return Step(came["about"], int(came["term"]), [came["mean"], came["radius"]])
        self.id, best = came["decision"], came["items"][0]
        self.item = best["item"]
        return Step("advice", int(self.item), [best["mean"], best["radius"], best["score"]])

    def answer(self, value: float) -> None:
        self.post("answers", question=self.id, answer=value)

    def reward(self, value: float) -> None:
        self.post("rewards", decision=self.id, item=self.item, reward=value)


def meet(client: TestClient, people: cl.LinearUsers, catalogue: str, name: str) -> None:
    seed = people.user_seed(SEED, 0, USER)
    path, params = f"/v1/users/{name}", {"catalogue": catalogue}
    assert client.put(path, json={"seed": seed}, params=params).status_code == 204


def crowd(offered: int | None) -> cl.LinearUsers:
    return some_people(2, CATALOG.d, pool_size=7, offered_size=offered, noise=0.2, term_noise=0.3)


def assert_one_story(algorithm: str, people: cl.LinearUsers, told: Story) -> None:
    """The HTTP story is the engine's and the one by hand: all choices, and numbers to 1e-12."""
    agent, rounds = agent_of(AGENTS[algorithm], CATALOG), len(told.arms)
    results = cl.simulate({"it": agent}, people, rounds=rounds, seed=SEED, trace=True)
    arms, asked = results.trace("it", 0, USER)
    by_hand = play(ByHand(agent, people.user_seed(SEED, 0, USER)), people, rounds)
    assert told.arms == by_hand.arms == arms.tolist()
    assert told.asked == by_hand.asked == asked.tolist()
    assert bool(told.asked) == (algorithm != "linucb")
    for mine, theirs in zip(told.numbers, by_hand.numbers, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


# In one process


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """A service in memory that knows the catalogue once for each algorithm."""
    with client_of() as one:
        for algorithm, agent in AGENTS.items():
            upload(one, algorithm, agent)
        yield one


def test_the_catalogue_is_the_same_in_every_bit(client: TestClient) -> None:
    found = served_catalog(client, "linucb")
    assert found.arm_ids == CATALOG.arm_ids
    assert found.term_ids == CATALOG.term_ids
    assert np.array_equal(found.arms, CATALOG.arms)
    assert np.array_equal(found.terms, CATALOG.terms)
    assert np.array_equal(found.weights.toarray(), CATALOG.weights.toarray())


@pytest.mark.sliced(words=True)
@pytest.mark.parametrize("algorithm", AGENTS)
def test_engine_hand_and_service_agree(client: TestClient, algorithm: str) -> None:
    people = crowd(offered=None)
    meet(client, people, algorithm, "everything")
    told = play(OverHttp(cycle([client]), algorithm, "everything"), people)
    assert len(told.arms) == 200
    assert_one_story(algorithm, people, told)


@pytest.mark.more
@pytest.mark.parametrize("algorithm", SOME_OFFERED)
def test_they_agree_where_few_terms_are_offered(client: TestClient, algorithm: str) -> None:
    people = crowd(offered=4)
    meet(client, people, algorithm, "few")
    told = play(OverHttp(cycle([client]), algorithm, "few"), people, rounds=60)
    assert_one_story(algorithm, people, told)


# On databases


@pytest.mark.parametrize(
    "lasting_url", ["sqlite", pytest.param("postgres", marks=MORE)], indirect=True
)
def test_they_agree_over_restarts(lasting_url: str) -> None:
    algorithm, people = "conlinucb max-radius", crowd(offered=4)
    with client_of(lasting_url) as client:
        upload(client, "it", AGENTS[algorithm])
        meet(client, people, "it", "ann")
    with closing(restarting(lasting_url)) as clients:
        told = play(OverHttp(clients, "it", "ann"), people)
    assert_one_story(algorithm, people, told)


def restarting(url: str, requests: int = 170) -> Generator[TestClient]:
    """A client of a service that is stopped and started after so many requests."""
    while True:
        with client_of(url) as client:
            yield from repeat(client, requests)


@pytest.mark.parametrize(
    "lasting_url", [pytest.param("sqlite", marks=MORE), "postgres"], indirect=True
)
def test_they_agree_where_two_workers_take_turns(lasting_url: str) -> None:
    algorithm, people = "conucb optimal-greedy", crowd(offered=None)
    with client_of(lasting_url) as one:
        upload(one, "it", AGENTS[algorithm])
        meet(one, people, "it", "ann")
        with client_of(lasting_url) as other:
            # In threes, so that each of them gets every kind of request.
            told = play(OverHttp(cycle([one, other, other]), "it", "ann"), people)
    assert_one_story(algorithm, people, told)
