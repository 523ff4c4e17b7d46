"""Populations are learned from the log, put to use and taken back, and nobody's state is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.service.conversations.audit import Checker
from conlinucb.service.conversations.decide import NextRequest, next_event
from conlinucb.service.conversations.fold import fold
from conlinucb.service.storage import QuestionBody, RecommendationBody
from support.service_conversation import ITEMS, adds_up, upload
from support.service_crowd import LEAST, crowd, fitted, put_to_use, speak, use_cases_of
from support.service_talk import RECIPES, Talk
from support.service_world import client_of
from support.soak import wait_for


def check_is_the_fold(talk: Talk) -> None:
    """The state at hand decides what the fold of the whole log decides, and believes the same."""
    state = talk.state()
    again, broken = fold(state.version, talk.person.seed, talk.log())
    assert not broken
    assert np.allclose(state.user.theta, again.user.theta, atol=1e-9)
    for wanted in (NextRequest(ask=True, k=5), NextRequest(ask=False, k=12)):
        one, other = next_event(state, wanted), next_event(again, wanted)
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert decided(one.body) == decided(other.body)
    checker = Checker(talk.use_cases.storage)
    assert checker.catalogues() == []
    assert [one.findings for one in checker.people() if one.findings] == []


def decided(body: Any) -> list[str]:
    if isinstance(body, QuestionBody):
        return list(body.names)
    assert isinstance(body, RecommendationBody)
    return [each.item for each in body.items]


def test_learned_used_and_rolled_back(url: str) -> None:
    with client_of(url) as client:
        talk = crowd(client)
        before = talk.state().user.theta
        first = fitted(client)
        assert (first["number"], first["in_use"], first["people"]) == (1, False, 10)
        assert np.array_equal(talk.state().user.theta, before)
        put_to_use(client, 1)
        population = _population(client, "it", 1)
        newcomer = Talk(client, "it", "new")
        newcomer.next()
        assert np.allclose(newcomer.state().user.theta, population.mean, atol=1e-9)
        assert not np.allclose(talk.state().user.theta, before)
        check_is_the_fold(talk)
        assert adds_up(talk.explain(ITEMS[3]))
        put_to_use(client, 0)
        assert np.allclose(talk.state().user.theta, before, atol=1e-9)
        check_is_the_fold(talk)


def test_a_second_version_and_back_to_the_first(url: str) -> None:
    with client_of(url) as client:
        talk = crowd(client)
        fitted(client, use=True)
        first = talk.state().user.theta
        talk.go_on(len(talk.log()) + 6)
        for number in range(20, 30):
            speak(client, "it", f"p{number}", number)
        assert fitted(client, use=True)["number"] == 2
        under = talk.state()
        assert under.version.population_number == 2
        check_is_the_fold(talk)
        put_to_use(client, 1)
        check_is_the_fold(talk)
        assert talk.state().user.theta.shape == first.shape


def test_decisions_name_their_population(url: str) -> None:
    with client_of(url) as client:
        talk = crowd(client)
        talk.go_on(10)
        fitted(client, use=True)
        start = len(talk.log())
        talk.go_on(start + 6)
        kinds = (QuestionBody, RecommendationBody)
        under = [
            (event.seq > start, event.body.population)
            for event in talk.log()
            if isinstance(event.body, kinds)
        ]
        assert set(under) == {(False, None), (True, 1)}


def test_a_snapshot_is_moved_where_no_answer_stands_between(
    lasting_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that has nobody at hand starts from what another one kept."""
    with client_of(lasting_url) as client:
        talk = crowd(client)
        for number in range(40):
            advice = talk.next(ask="never", k=3)
            for place, item in enumerate(advice["items"]):
                said = {"item": item["item"], "reward": (number + place) % 7 / 7}
                talk.reward(decision=advice["decision"], **said)
        rewards_only(talk)
        talk.wait_for_snapshot(100)
        fitted(client, use=True)
    with client_of(lasting_url) as client:
        talk = Talk(client, "it", "p0")
        loader = use_cases_of(client).loader
        monkeypatch.setattr(loader, "rebuild", None)
        assert talk.state().moved
        monkeypatch.undo()
        check_is_the_fold(talk)
        kept = talk.kept_state()
        assert kept is not None
        assert "moved" in kept.arrays
        assert len(use_cases_of(client).storage.snapshots.bases(talk.person.id)) == 1


def rewards_only(talk: Talk) -> None:
    """Take back the answers, which populations may understand differently."""
    for event in talk.log():
        if event.kind == "answer":
            talk.retract(event.seq)


def test_the_state_at_hand_is_moved_or_read_anew_and_always_the_fold(url: str) -> None:
    with client_of(url) as client:
        talk = crowd(client)
        other = Talk(client, "it", "p1")
        rewards_only(other)
        for each in (talk, other):
            each.state()
        fitted(client, use=True)
        assert other.state().moved
        for each in (talk, other):
            check_is_the_fold(each)


def test_a_rebuild_of_everything_decides_the_same(url: str) -> None:
    with client_of(url) as client:
        talk = crowd(client)
        rewards_only(talk)
        talk.state()
        fitted(client, use=True)
        before = talk.next(ask="never", k=12)
        done = list(checker_of(talk).rebuild())
        assert len(done) == 10
        talk.use_cases._cache.forget([talk.person.id])
        assert not talk.state().moved
        after = talk.next(ask="never", k=12)
        assert [each["item"] for each in after["items"]] == [
            each["item"] for each in before["items"]
        ]


def checker_of(talk: Talk) -> Checker:
    checker = Checker(talk.use_cases.storage)
    checker.catalogues()
    return checker


def test_who_is_deleted_leaves_at_the_next_fit(url: str) -> None:
    with client_of(url) as client:
        crowd(client)
        first = fitted(client)
        assert fitted(client)["number"] == 1  # nothing has changed
        assert client.delete("/v1/users/p3").status_code == 204
        second = fitted(client)
        assert (second["number"], second["people"]) == (2, 9)
        assert first["digest"] != second["digest"]
        upload(client, "twin", population_least=LEAST, range=[-5.0, 5.0])
        for number in (0, 1, 2, 4, 5, 6, 7, 8, 9):
            speak(client, "twin", f"p{number}", number)
        fitted(client, "twin")
        never, left = (_population(client, *which) for which in (("twin", 1), ("it", 2)))
        assert np.allclose(never.mean, left.mean, atol=1e-9)
        assert np.allclose(never.covariance, left.covariance, atol=1e-9)


def _population(client: TestClient, catalogue: str, number: int) -> cl.Population:
    storage = use_cases_of(client).storage
    entry = storage.catalogue_log.find(catalogue)
    assert entry is not None
    return cl.Population.from_bytes(storage.populations.data(entry.id, number))


def test_below_the_least_number_nothing_is_learned(url: str) -> None:
    with client_of(url) as client:
        crowd(client, people=LEAST - 1)
        response = client.post("/v1/catalogues/it/populations")
        assert response.status_code == 409
        error = response.json()["error"]
        assert error["code"] == "too_few_people"
        assert f"{LEAST - 1} people" in error["message"]
        assert client.get("/v1/catalogues/it/populations").json() == []
        speak(client, "it", "one more", 99)
        assert fitted(client)["number"] == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"number": 7}, 404, "unknown_population"),
        ({"number": -1}, 422, "invalid_request"),
        ({"number": True}, 422, "invalid_request"),
    ],
)
def test_what_cannot_be_used_is_refused(body: dict[str, Any], status: int, code: str) -> None:
    with client_of() as client:
        crowd(client)
        fitted(client)
        response = client.put("/v1/catalogues/it/population", json=body)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_an_agent_without_a_prior_takes_none() -> None:
    with client_of() as client:
        crowd(client, agent=RECIPES["conucb"])
        fitted(client)
        response = client.put("/v1/catalogues/it/population", json={"number": 1})
        assert (response.status_code, response.json()["error"]["code"]) == (409, "no_prior")


def test_a_replaced_catalogue_starts_without() -> None:
    with client_of() as client:
        talk = crowd(client)
        fitted(client, use=True)
        items = [{"id": f"other {n}", "tags": ["x", f"y{n}"]} for n in range(4)]
        put = client.put("/v1/catalogues/it", json={"items": items})
        assert put.status_code in (200, 202)
        wait_for(lambda: client.get("/v1/catalogues/it").json()["items"] == 4, "the build")
        [one] = client.get("/v1/catalogues/it/populations").json()
        assert (one["in_use"], one["usable"]) == (False, False)
        response = client.put("/v1/catalogues/it/population", json={"number": 1})
        assert response.json()["error"]["code"] == "other_features"
        assert talk.state().version.population is None


def test_items_come_and_go_and_settings_change_under_a_population() -> None:
    with client_of() as client:
        talk = crowd(client)
        fitted(client, use=True)
        assert client.post("/v1/catalogues/it/removals", json={"items": [ITEMS[2]]}).is_success
        settings = client.get("/v1/catalogues/it/settings").json()
        settings["agent"]["alpha"] = 0.7
        assert client.put("/v1/catalogues/it/settings", json=settings).is_success
        assert talk.state().version.population_number == 1
        check_is_the_fold(talk)
