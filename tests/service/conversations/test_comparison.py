"""The comparison on the page: the same numbers as a simulation, and limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb import datasets
from conlinucb.numerics.svd import unit_rows
from conlinucb.service.conversations.comparison import AGENTS, SCHEDULES, compare
from conlinucb.service.schemas import ComparisonBody
from support.service_world import client_of

FILMS = datasets.demo().catalog
ROUNDS, SEED, NOISE = 30, 5, 0.1
SCHEDULE: dict[str, Any] = {
    "logarithmic": cl.Logarithmic(5),
    "linear": cl.Linear(1),
    "every": cl.Every(5),
    "never": cl.Never(),
}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


def made(name: str, schedule: str) -> cl.Agent:
    if name == "linucb":
        return cl.linucb(FILMS, beta=0.15, alpha=0.1)
    if name == "arm_con":
        return cl.arm_con(FILMS, beta=0.15, alpha=0.1, schedule=SCHEDULE[schedule])
    if name == "conucb":
        return cl.conucb(FILMS, schedule=SCHEDULE[schedule])
    return cl.conlinucb(FILMS, strategy=name, schedule=SCHEDULE[schedule])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", AGENTS)
def test_the_numbers_are_those_of_a_simulation(name: str, schedule: str) -> None:
    order = ComparisonBody(agents=[name], schedule=schedule, noise=NOISE, seed=SEED, rounds=ROUNDS)
    rounds = compare(FILMS, order).runs[0].rounds
    theta = unit_rows(np.random.default_rng(SEED).standard_normal((1, FILMS.d)))
    people = cl.LinearUsers(theta, noise=NOISE, term_noise=NOISE, pool_size=50)
    agent = made(name, schedule)
    results = cl.simulate({"it": agent}, people, rounds=ROUNDS, repeats=1, seed=SEED)
    assert rounds[-1].regret == pytest.approx(float(results.final_regret("it")[0, 0]), abs=1e-9)
    assert sum(len(each.asked) for each in rounds) == (
        0 if name == "linucb" else int(SCHEDULE[schedule](ROUNDS))
    )


def test_who_learns_comes_nearer(client: TestClient) -> None:
    body = {"agents": ["max-radius", "linucb"], "rounds": 100, "seed": 1}
    found = client.post("/v1/page/comparison", json=body).json()
    assert [run["agent"] for run in found["runs"]] == body["agents"]
    for run in found["runs"]:
        errors = [each["error"] for each in run["rounds"]]
        assert errors[-1] < 0.9 * errors[0]  # a taste in as many directions as topics
    assert len(found["likes"]) == 5


def test_who_asks_nothing_is_linucb() -> None:
    """The agents differ in what they ask and in nothing else, but for ConUCB's estimate."""
    names = [each for each in AGENTS if each != "conucb"]
    plain, *others = (
        compare(FILMS, ComparisonBody(agents=[name], schedule="never", rounds=ROUNDS))
        .runs[0]
        .rounds
        for name in ("linucb", *names)
    )
    assert all(each == plain for each in others)


def test_nothing_is_kept(client: TestClient) -> None:
    before = client.get("/v1/catalogues/films").json()["people"]
    client.post("/v1/page/comparison", json={"agents": ["ucb"]})
    assert client.get("/v1/catalogues/films").json()["people"] == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agents": ["max-radio"]}, "max-radius"),
        ({"schedule": "linnear"}, "linear"),
        ({"agents": []}, "at least 1"),
        ({"agents": ["ucb"] * 5}, "at most 4"),
        ({"rounds": 301}, "300"),
        ({"rounds": 0}, "1"),
        ({"noise": -1}, "0"),
        ({"seed": 2**31}, "2147483648"),
        ({"more": 1}, "more"),
    ],
)
def test_bad_orders_are_told(client: TestClient, change: dict[str, Any], told: str) -> None:
    response = client.post("/v1/page/comparison", json={"agents": ["ucb"], **change})
    assert response.status_code == 422
    assert told in response.json()["error"]["message"]


def test_a_catalogue_too_large_is_told() -> None:
    large = cl.Catalog(np.eye(2_001, 3) + 1, np.eye(2_001))
    with pytest.raises(cl.InvalidInput, match="2000 key-terms"):
        compare(large, ComparisonBody(agents=["ucb"]))


def test_a_catalogue_smaller_than_a_pool() -> None:
    small = cl.Catalog(np.eye(3), np.eye(3))
    found = compare(small, ComparisonBody(agents=["spanner"], rounds=3))
    assert len(found.runs[0].rounds) == 3
