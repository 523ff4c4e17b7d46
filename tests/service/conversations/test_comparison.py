"""The comparison on the page: the same numbers as a simulation, typical people, and limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from scipy import stats

import conlinucb as cl
from conlinucb import datasets
from conlinucb.numerics.svd import unit_rows
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.comparison import AGENTS, PEOPLE, SCHEDULES, Comparisons
from conlinucb.service.conversations.comparison.crowd import rounds_of_all, share_within
from conlinucb.service.conversations.comparison.steady import tastes_of
from conlinucb.service.schemas import ComparisonBody, ComparisonOut
from conlinucb.service.settings import Settings
from support.service_world import client_of

FILMS = datasets.demo().catalog
ROUNDS, SEED, NOISE = 20, 5, 0.1
SCHEDULE: dict[str, Any] = {
    "own": cl.Logarithmic(5),
    "logarithmic": cl.Logarithmic(5),
    "linear": cl.Linear(1),
    "every": cl.Every(5),
    "never": cl.Never(),
}
OTHERS = [each for each in AGENTS if each != "for-newcomers"]


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of() as found:
        yield found


def version_of(catalog: cl.Catalog, **settings: Any) -> CatalogueVersion:
    return CatalogueVersion(1, "films", 1, 1, Content(catalog), Settings(**settings))


def compare(catalog: cl.Catalog, **order: Any) -> ComparisonOut:
    settings = order.pop("settings", {})
    return Comparisons().compare(version_of(catalog, **settings), ComparisonBody(**order))


def made(name: str, schedule: str) -> cl.Agent:
    if name == "linucb":
        return cl.linucb(FILMS, beta=0.15, alpha=0.1)
    if name == "arm_con":
        return cl.arm_con(FILMS, beta=0.15, alpha=0.1, schedule=SCHEDULE[schedule])
    if name == "conucb":
        return cl.conucb(FILMS, schedule=SCHEDULE[schedule])
    return cl.conlinucb(FILMS, strategy=name, schedule=SCHEDULE[schedule])


@pytest.mark.parametrize(
    ("name", "schedule"),
    [*((each, "logarithmic") for each in OTHERS), *(("max-radius", each) for each in SCHEDULES)],
)
def test_the_numbers_are_those_of_a_simulation(name: str, schedule: str) -> None:
    order: dict[str, Any] = {"agents": [name], "schedule": schedule, "noise": NOISE, "seed": SEED}
    found = compare(FILMS, people="random", person=2, rounds=ROUNDS, **order)
    thetas = unit_rows(np.random.default_rng(SEED).standard_normal((PEOPLE, FILMS.d)))
    people = cl.LinearUsers(thetas, noise=NOISE, term_noise=NOISE, pool_size=50)
    agent = made(name, schedule)
    results = cl.simulate({"it": agent}, people, rounds=ROUNDS, repeats=1, seed=SEED)
    regrets = results.final_regret("it")[0]
    rounds = found.runs[0].rounds
    assert rounds[-1].regret == pytest.approx(float(regrets[1]), abs=1e-9)
    assert [each.regret[0] for each in found.everybody.people] == pytest.approx(regrets, abs=1e-9)
    assert sum(len(each.asked) for each in rounds) == (
        0 if name == "linucb" else int(SCHEDULE[schedule](ROUNDS))
    )


def test_the_typical_person_is_the_middle_one_of_thirty() -> None:
    found = compare(FILMS, agents=["for-newcomers", "max-radius"], seed=3, rounds=ROUNDS)
    leads = [each.regret[0] - each.regret[1] for each in found.everybody.people[:30]]
    own = leads[found.typical - 1]
    assert found.person == found.typical <= 30
    assert sum(each < own for each in leads) <= 14
    assert sum(each > own for each in leads) <= 15
    assert own in sorted(leads)[14:16]


def test_who_is_served_better_is_counted() -> None:
    comparisons, version = Comparisons(), version_of(FILMS)
    order: dict[str, Any] = {"agents": ["for-newcomers", "linucb"], "seed": 4, "rounds": ROUNDS}
    found = comparisons.compare(version, ComparisonBody(**order))
    all_, pairs = found.everybody, [each.regret for each in found.everybody.people]
    assert all_.better == [sum(a < b for a, b in pairs), sum(b < a for a, b in pairs)]
    assert sum(all_.better) + all_.alike == len(pairs) == PEOPLE
    wilson = stats.binomtest(all_.better[0], sum(all_.better)).proportion_ci(method="wilson")
    assert (all_.share_low, all_.share_high) == pytest.approx((wilson.low, wilson.high))
    for person in (1, 40):  # shown as they were counted
        shown = comparisons.compare(version, ComparisonBody(**order, person=person))
        assert shown.everybody == all_
        for which, run in enumerate(shown.runs):
            told = all_.people[person - 1]
            assert run.rounds[-1].regret == pytest.approx(told.regret[which])
            assert sum(each.liked for each in run.rounds) == told.liked[which]


def test_the_same_agent_twice_serves_everybody_alike() -> None:
    everybody = compare(FILMS, agents=["ucb", "ucb"], rounds=5).everybody
    assert (everybody.better, everybody.alike) == ([0, 0], PEOPLE)
    assert everybody.share_low is None


@pytest.mark.parametrize(("wins", "of"), [(0, 7), (7, 7), (1, 40), (23, 34)])
def test_the_interval_is_wilsons(wins: int, of: int) -> None:
    wilson = stats.binomtest(wins, of).proportion_ci(method="wilson")
    assert share_within(wins, of) == pytest.approx((wilson.low, wilson.high))


def test_steady_people_like_what_has_their_topics() -> None:
    found = compare(FILMS, agents=["linucb"], noise=0.0, rounds=60, person=5)
    taste = tastes_of(FILMS, PEOPLE, 0)[4]
    topics = [str(FILMS.term_ids[each]) for each in taste.likes]
    assert found.likes == topics
    assert 2 <= len(topics) <= 3
    has = FILMS.weights.toarray() > 0
    for each in found.runs[0].rounds:
        row = has[FILMS.arm_index(each.item)]
        assert each.liked == (row[taste.likes].any() and not row[taste.dislikes].any())
        assert each.reward == float(each.liked)


def test_their_answers_are_yes_and_no_in_the_catalogues_range() -> None:
    order: dict[str, Any] = {
        "agents": ["for-newcomers"],
        "noise": 0.0,
        "rounds": 15,
        "settings": {"range": (1, 5)},
    }
    found = compare(FILMS, **order)
    answers = {(each.about, each.answer) for one in found.runs[0].rounds for each in one.asked}
    assert answers == {(about, 5.0 if about in found.likes else 1.0) for about, _ in answers}
    assert {each.reward for each in found.runs[0].rounds} <= {1.0, 5.0}


def test_the_services_own_agent_asks_as_it_does_here() -> None:
    """One question a round, nothing twice, and no more than the settings allow."""
    order: dict[str, Any] = {
        "agents": ["for-newcomers"],
        "rounds": 20,
        "settings": {"max_questions": 12},
    }
    rounds = compare(FILMS, **order).runs[0].rounds
    assert [len(each.asked) for each in rounds] == [1] * 12 + [0] * 8
    asked = [each.about for one in rounds for each in one.asked]
    assert len(set(asked)) == 12


def test_everybody_plays_less_where_there_is_more_to_compute() -> None:
    assert rounds_of_all(30, 59) == 30
    assert rounds_of_all(300, 59) == 60
    assert 5 <= rounds_of_all(300, 301) < 60


def test_who_learns_comes_nearer(client: TestClient) -> None:
    body = {"agents": ["max-radius", "linucb"], "people": "random", "rounds": 100, "seed": 1}
    found = client.post("/v1/page/comparison", json=body).json()
    assert [run["agent"] for run in found["runs"]] == body["agents"]
    for run in found["runs"]:
        errors = [each["error"] for each in run["rounds"]]
        assert errors[-1] < 0.9 * errors[0]  # a taste in as many directions as topics
    assert len(found["likes"]) == 5


def test_who_asks_nothing_is_linucb() -> None:
    """The agents differ in what they ask and in nothing else, but for the two that say so."""
    order: dict[str, Any] = {"people": "random", "schedule": "never", "rounds": ROUNDS, "person": 1}
    names = [each for each in OTHERS if each != "conucb"]
    plain, *others = (
        compare(FILMS, agents=[name], **order).runs[0].rounds for name in ("linucb", *names)
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
        ({"people": "stedy"}, "steady"),
        ({"person": 0}, "1"),
        ({"person": 41}, "40"),
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
        compare(large, agents=["ucb"])


def test_a_catalogue_smaller_than_a_pool() -> None:
    small = cl.Catalog(np.eye(3), np.eye(3))
    for people in ("steady", "random"):
        found = compare(small, agents=["spanner", "for-newcomers"], people=people, rounds=3)
        assert [len(run.rounds) for run in found.runs] == [3, 3]
