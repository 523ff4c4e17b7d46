"""When enough has come in, one worker learns a population, and uses it where that is wanted."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

import conlinucb as cl
from conlinucb.service import background
from conlinucb.service.populations import learn
from conlinucb.service.storage import StoredPopulation, now
from conlinucb.service.storage.schema import populations
from support.service_conversation import TERMS
from support.service_crowd import LEAST, crowd, fitted, learner_of, speak, use_cases_of
from support.service_talk import RECIPES
from support.service_world import client_of
from support.soak import wait_for

pytestmark = pytest.mark.more  # they wait for what is learned in the background


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LEARN_EVERY", 0.0)


def stored(client: TestClient, catalogue: str = "it") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/v1/catalogues/{catalogue}/populations").json()
    return found


def in_use(client: TestClient) -> int:
    found = use_cases_of(client).catalogues.serving("it").population
    return 0 if found is None else found.number


def test_it_is_learned_and_used_by_itself(url: str, eager: None) -> None:
    with client_of(url) as client:
        crowd(client, people=LEAST - 1, population="auto")
        learner_of(client).learn_due()
        assert stored(client) == []
        speak(client, "it", "one more", 50)
        wait_for(lambda: in_use(client) == 1, "the population")
        for number in (60, 61, 62):
            speak(client, "it", f"p{number}", number)
        wait_for(lambda: in_use(client) == 2, "the next one")


@pytest.mark.parametrize("wanted", ["off", "fit"])
def test_it_is_not_used_unless_wanted(wanted: str) -> None:
    with client_of() as client:
        crowd(client, population=wanted)
        learner_of(client).learn_due()
        assert [each["in_use"] for each in stored(client)] == ([] if wanted == "off" else [False])


def test_again_after_a_quarter_more_or_a_week() -> None:
    with client_of() as client:
        talk = crowd(client)
        learner, version = learner_of(client), talk.state().version
        assert learner.is_due(version)
        learner.learn_due()
        assert not learner.is_due(version)
        for number in (10, 11):
            speak(client, "it", f"p{number}", number)
        assert not learner.is_due(version)
        speak(client, "it", "p12", 12)
        assert learner.is_due(version)
        learner.learn_due()
        assert [each["people"] for each in stored(client)] == [10, 13]
        _let_days_pass(client, 6.9)
        assert not learner.is_due(version)
        _let_days_pass(client, 7.1)
        assert learner.is_due(version)
        learner.learn_due()
        assert not learner.is_due(version)
        assert len(stored(client)) == 2  # nothing was new


def _let_days_pass(client: TestClient, days: float) -> None:
    with use_cases_of(client).storage.database.connect() as connection:
        connection.execute(update(populations).values(at=now() - int(days * learn.DAY)))


def test_rewards_taken_back_do_not_count_and_it_is_not_tried_all_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with client_of() as client:
        talk = crowd(client, people=LEAST)
        for event in talk.log():
            talk.retract(event.seq)
        learner = learner_of(client)
        learner.learn_due()
        assert stored(client) == []
        monkeypatch.setattr(learner, "_learn_if_due", None)
        learner.learn_due()  # rests
        monkeypatch.undo()
        assert talk.use_cases.storage.populations.lease(talk.person.catalogue)


@pytest.mark.parametrize("wanted", ["fit", "auto"])
def test_it_is_left_where_too_few_people_remain(url: str, wanted: str) -> None:
    with client_of(url) as client:
        talk = crowd(client, people=LEAST, population=wanted)
        without = talk.state().user.theta.tolist()
        fitted(client, use=True)
        learner_of(client).learn_due()
        assert in_use(client) == 1
        assert talk.state().user.theta.tolist() != without
        assert client.delete(f"/v1/users/p{LEAST - 1}").status_code == 204
        learner_of(client).learn_due()
        assert in_use(client) == 0
        assert talk.state().user.theta.tolist() == without
        learner_of(client).learn_due()  # and stays
        assert (in_use(client), len(stored(client))) == (0, 1)


def test_it_is_left_where_people_remain_who_said_little() -> None:
    with client_of() as client:
        crowd(client, people=LEAST, population="auto")
        learner_of(client).learn_due()
        assert in_use(client) == 1
        use_cases_of(client).volunteer("it", "shy", TERMS[0], 1.0, None)
        client.delete("/v1/users/p1")
        learner_of(client).learn_due()
        assert in_use(client) == 0


def test_by_itself_nothing_changes_where_it_is_off() -> None:
    with client_of() as client:
        crowd(client, people=LEAST, population="off")
        fitted(client, use=True)
        client.delete("/v1/users/p1")
        learner_of(client).learn_due()
        assert in_use(client) == 1


def test_of_two_workers_one_learns(
    lasting_url: str, eager: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits: list[StoredPopulation] = []
    learned = learn.Learner._learned

    def counted(self: learn.Learner, *given: Any) -> StoredPopulation:
        found = learned(self, *given)
        fits.append(found)
        return found

    monkeypatch.setattr(learn.Learner, "_learned", counted)
    with client_of(lasting_url) as one, client_of(lasting_url) as other:
        crowd(one, people=LEAST, population="auto")
        for each in (one, other):
            wait_for(lambda at=each: in_use(at) == 1, "the population")  # type: ignore[misc]
        assert [each.number for each in fits] == [1]
        assert not learner_of(other).is_due(use_cases_of(other).catalogues.serving("it"))


def test_a_fit_that_cannot_be_leaves_things_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*given: Any, **options: Any) -> Any:
        raise cl.errors.InvalidInput("nothing can be made of it")

    with client_of() as client:
        crowd(client, population="auto", agent=RECIPES["linucb"])
        monkeypatch.setattr(cl.Population, "fit", refuse)
        learner_of(client).learn_due()
        assert (stored(client), in_use(client)) == ([], 0)
        response = client.post("/v1/catalogues/it/populations")
        assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_input")


def test_a_damaged_population_is_reported_and_people_start_without(lasting_url: str) -> None:
    with client_of(lasting_url) as client:
        talk = crowd(client)
        before = talk.state().user.theta.tolist()
        assert client.post("/v1/catalogues/it/populations", json={"use": True}).is_success
        with talk.use_cases.storage.database.connect() as connection:
            connection.execute(update(populations).values(data=b"not what it was"))
    with client_of(lasting_url) as client:
        talk.client = client
        assert in_use(client) == 0
        assert talk.state().user.theta.tolist() == before
        findings = talk.use_cases.storage.quarantine.all()
        assert [each.what for each in findings] == ["population 1"]
