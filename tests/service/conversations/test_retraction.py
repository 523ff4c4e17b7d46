"""What was taken back counts as never said: in states, profiles and explanations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.fold import fold
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY
from conlinucb.service.storage import (
    AnswerBody,
    Body,
    Event,
    Person,
    RetractionBody,
    RewardBody,
    Storage,
)
from support.service_store import taken_back
from support.service_talk import RECIPES, Talk, arrays
from support.service_world import client_of, opened
from support.worlds import small_catalog

CATALOG = small_catalog()


def upload(client: TestClient, recipe: str) -> None:
    """The catalogue, under the name of its recipe."""
    settings = {
        "agent": RECIPES[recipe],
        "max_questions": None,
        "rest_after_skip": 3,
        "rest_after_answer": 0,
    }
    body = {"items": list(_items()), "settings": settings}
    assert client.put(f"/v1/catalogues/{recipe}", json=body).status_code == 200


def _items() -> Iterator[dict[str, Any]]:
    weights = CATALOG.weights.toarray()
    for a, features in enumerate(CATALOG.arms.tolist()):
        tags = {f"term {k}": weights[a, k] for k in np.flatnonzero(weights[a])}
        yield {"id": str(a), "features": features, "tags": tags}


@pytest.fixture(scope="module")
def memory() -> Iterator[TestClient]:
    """A service in memory with a catalogue for each recipe."""
    with client_of() as client:
        for recipe in RECIPES:
            upload(client, recipe)
        yield client


def said_in(found: dict[str, list[int]]) -> list[int]:
    """All answers and rewards."""
    return sorted(found.get("answer", []) + found["reward"])


# Someone who never said it


def left(events: list[Event], gone: Collection[int]) -> list[Event]:
    return [each for each in events if each.seq not in gone and each.kind != "retraction"]


def moved(body: Body, place: dict[int, int]) -> Body:
    """What an event says in a log where others have other numbers."""
    if isinstance(body, AnswerBody) and body.question is not None:
        return body.model_copy(update={"question": place[body.question]})
    if isinstance(body, RewardBody) and body.decision is not None:
        return body.model_copy(update={"decision": place[body.decision]})
    return body


def twin(talk: Talk, gone: Collection[int]) -> Talk:
    """Someone new with the same log, in which these events and no retraction ever were."""
    events, mine, storage = left(talk.log(), gone), talk.person, talk.use_cases.storage
    place = {each.seq: new for new, each in enumerate(events, start=1)}
    other = Talk(talk.client, talk.catalogue, f"{mine.name} {storage.log.last(mine.id)}")
    same = storage.people.add(mine.catalogue, other.name, mine.seed)
    there = storage.log.last(same.id)  # a second look at the same log
    for each in events[there:]:
        storage.log.append(same.id, Event(place[each.seq], moved(each.body, place)))
    return other


def assert_state_without(talk: Talk, *gone: int) -> None:
    """The state is that of a log in which this never was."""
    state = talk.state()
    folded, _ = fold(state.version, talk.person.seed, left(talk.log(), gone))
    assert difference(arrays(state), arrays(folded)) is None


def assert_never_said(talk: Talk, *gone: int) -> None:
    """State, profile and explanations are those of someone who never said this."""
    assert_state_without(talk, *gone)
    other = twin(talk, gone)
    assert difference(arrays(talk.state()), arrays(other.state())) is None
    assert close(*(profile_of(each) for each in (talk, other)))
    for item in ("0", "5", "11"):
        why = talk.explain(item)
        assert not {part["event"] for part in why["contributions"]} & set(gone)
        assert close(reasons_of(why), reasons_of(other.explain(item)))


def profile_of(talk: Talk) -> list[Any]:
    found = talk.got("GET", "")
    counts = [found[each] for each in ("rounds", "questions_asked", "version")]
    beliefs = [[each["term"], each["mean"], each["radius"]] for each in found["terms"]]
    return [*counts, (found["open_question"] or {}).get("term"), *beliefs]


def reasons_of(why: dict[str, Any]) -> list[Any]:
    parts = sorted(why["contributions"], key=lambda part: int(part["event"]))
    told = [[part[each] for each in part if each != "event"] for part in parts]
    return [why["mean"], why["radius"], why["score"], why["rest"], *told]


def close(one: Any, other: Any) -> bool:
    """Equal in shape and text, and to 1e-9 in numbers."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(close, one, other))
    if isinstance(one, float):
        return bool(np.isclose(one, other, rtol=1e-9, atol=1e-9))
    return bool(one == other)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_retracted_event_was_never_there(memory: TestClient, recipe: str) -> None:
    talk = Talk(memory, recipe)
    said = said_in(talk.go_on(40))
    before = talk.explain("0")["mean"]
    assert_never_said(talk)
    gone: list[int] = []
    for event in (said[0], said[1], said[len(said) // 2], said[-2], said[-1]):
        assert not talk.retract(event)["repeated"]
        gone.append(event)
        assert_never_said(talk, *gone)
    assert abs(talk.explain("0")["mean"] - before) > 1e-3
    talk.go_on(56)
    assert_never_said(talk, *gone)


@pytest.mark.parametrize("recipe", RECIPES)
def test_all_that_was_said_can_be_taken_back(memory: TestClient, recipe: str) -> None:
    talk = Talk(memory, recipe, "bob")
    said = said_in(talk.go_on(12))
    assert talk.state().user.theta.any()
    for event in said:
        talk.retract(event)
    assert_never_said(talk, *said)
    assert not talk.state().user.theta.any()
    assert talk.explain("3")["contributions"] == []


def test_a_skip_taken_back_is_asked_again(memory: TestClient) -> None:
    talk = Talk(memory, "conlinucb", "cid")
    question = talk.next()
    skip = talk.answer(question=question["question"], answer="skip")["event"]
    assert talk.next()["type"] == "recommendation"
    talk.retract(skip)
    again = talk.next()
    assert (again["question"], again["term"]) == (question["question"], question["term"])
    assert_never_said(talk, skip)


# Snapshots, restarts, other workers


@pytest.mark.sliced
@pytest.mark.more
@pytest.mark.parametrize("recipe", RECIPES)
def test_before_and_after_a_snapshot_and_a_restart(lasting_url: str, recipe: str) -> None:
    with client_of(lasting_url) as client:
        upload(client, recipe)
        talk = Talk(client, recipe)
        said = said_in(talk.go_on(2 * SNAPSHOT_EVERY + 52))
        talk.wait_for_snapshot(2 * SNAPSHOT_EVERY)
        early, middle, late = said[3], said[len(said) // 2], said[-2]
        assert early < SNAPSHOT_EVERY < middle < 2 * SNAPSHOT_EVERY < late
        for event in (early, late):
            talk.retract(event)
        assert_state_without(talk, early, late)
    with client_of(lasting_url) as client:
        talk = Talk(client, recipe)
        assert_never_said(talk, early, late)
        last = talk.retract(middle)["event"]
        talk.wait_for_snapshot(last)
        talk.go_on(last + 8)
        assert_state_without(talk, early, late, middle)


def test_a_retraction_that_no_snapshot_knows_of(lasting_url: str) -> None:
    """The process that wrote it died before it could keep a state."""
    with client_of(lasting_url) as client:
        upload(client, "conucb")
        talk = Talk(client, "conucb")
        answers = talk.go_on(SNAPSHOT_EVERY + 10)["answer"]
        talk.wait_for_snapshot(SNAPSHOT_EVERY)
        person, last = talk.person, talk.log()[-1].seq
    early, late = answers[2], answers[-1]
    assert early < SNAPSHOT_EVERY < late
    storage = opened(lasting_url)
    write_retraction(storage, person, last + 1, early)
    write_retraction(storage, person, last + 2, late)
    storage.close()
    with client_of(lasting_url) as client:
        talk = Talk(client, "conucb")
        kept = talk.kept_state()
        assert kept is not None
        assert kept.seq == SNAPSHOT_EVERY
        assert_never_said(talk, early, late)


def write_retraction(storage: Storage, person: Person, seq: int, target: int) -> None:
    event = taken_back(seq, target, f"retraction {target}")
    storage.log.retract(person.id, event, target)


@pytest.mark.sliced
@pytest.mark.parametrize("recipe", RECIPES)
def test_another_worker_sees_it(lasting_url: str, recipe: str) -> None:
    with client_of(lasting_url) as one:
        upload(one, recipe)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, recipe), Talk(other, recipe)
            rewards = mine.go_on(24)["reward"]
            assert_never_said(theirs)
            theirs.retract(rewards[0])
            assert_never_said(mine, rewards[0])
            mine.retract(rewards[2])
            assert_decides_without(theirs, rewards[0], rewards[2])
            assert_never_said(theirs, rewards[0], rewards[2])


def assert_decides_without(talk: Talk, *gone: int) -> None:
    """What is recommended next has the means of someone who never said this."""
    advice = talk.next(ask="never", k=4)
    other = twin(talk, gone)
    for each in advice["items"]:
        why = other.explain(each["item"])
        assert close([each["mean"], each["radius"]], [why["mean"], why["radius"]])


def test_many_at_once(lasting_url: str) -> None:
    with client_of(lasting_url) as one:
        upload(one, "conlinucb")
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "conlinucb"), Talk(other, "conlinucb")
            found = mine.go_on(40)
            gone = found["answer"][:4] + found["reward"][:4]
            jobs = [(talk, event) for event in gone for talk in (mine, theirs, mine)]
            with ThreadPoolExecutor(8) as threads:
                receipts = list(threads.map(lambda job: job[0].retract(job[1]), jobs))
            for i in range(0, len(jobs), 3):  # one of the three wrote it, all have its number
                assert len({each["event"] for each in receipts[i : i + 3]}) == 1
                assert sum(not each["repeated"] for each in receipts[i : i + 3]) == 1
            written = [each.of for each in mine.bodies(RetractionBody)]
            assert sorted(written) == sorted(gone)
            for talk in (mine, theirs):
                assert_never_said(talk, *gone)


# What can be taken back, and what comes after


def test_taken_back_twice_is_taken_back_once(url: str) -> None:
    with client_of(url) as client:
        upload(client, "conlinucb")
        talk = Talk(client, "conlinucb")
        gone = talk.go_on(8)["answer"][0]
        first = talk.retract(gone)
        events = len(talk.log())
        assert talk.retract(gone) == first | {"repeated": True}
        assert len(talk.log()) == events
        assert_never_said(talk, gone)


def refusal(talk: Talk, event: object) -> tuple[int, str]:
    response = talk.send("DELETE", f"/events/{event}")
    assert set(response.json()) == {"error"}
    return response.status_code, response.json()["error"]["code"]


def test_only_answers_and_rewards_can_be_taken_back(memory: TestClient) -> None:
    talk = Talk(memory, "conlinucb", "dan")
    found = talk.go_on(8)
    retraction = talk.retract(found["reward"][0])["event"]
    before = talk.log()
    for event in (found["question"][0], found["recommendation"][0], retraction):
        assert refusal(talk, event) == (409, "not_retractable")
    for event in (retraction + 1, 2**31 - 1):
        assert refusal(talk, event) == (404, "unknown_event")
    for odd in (0, -1, 2**31, "x", "1.5"):
        assert refusal(talk, odd) == (422, "invalid_request")
    assert refusal(Talk(memory, "conlinucb", "nobody"), 2) == (404, "unknown_user")
    assert talk.log() == before


def test_it_is_marked_in_profile_and_export(memory: TestClient) -> None:
    talk = Talk(memory, "conlinucb", "eve")
    gone = talk.go_on(8)["answer"][0]
    receipt = talk.retract(gone)
    exported = talk.got("GET", "/export")["conversations"][0]["events"]
    for events in (talk.got("GET", "")["events"], exported):
        assert [each["event"] for each in events if each["retracted"]] == [gone]
        latest = next(each for each in events if each["event"] == receipt["event"])
        assert (latest["kind"], latest["about"]) == ("retraction", {"of": gone})


@pytest.mark.parametrize("recipe", ["arm_con", "conucb", "conlinucb"])
def test_an_answer_taken_back_can_be_given_anew(memory: TestClient, recipe: str) -> None:
    talk = Talk(memory, recipe, "fay")
    talk.go_on(8)
    question = talk.next()["question"]
    first = talk.answer(question=question, answer=0.9, event="mine")
    assert talk.next()["type"] == "recommendation"
    talk.retract(first["event"])
    assert talk.next()["question"] == question
    # The client's own id stays that of what was taken back.
    again = talk.answer(question=question, answer=0.9, event="mine")
    assert again == first | {"repeated": True}
    assert_never_said(talk, first["event"])
    second = talk.answer(question=question, answer=0.2)
    assert not second["repeated"]
    assert second["event"] > first["event"]
    assert_never_said(talk, first["event"])
    assert talk.bodies(AnswerBody)[-1].answer == 0.2


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_reward_taken_back_can_be_given_anew(memory: TestClient, recipe: str) -> None:
    talk = Talk(memory, recipe, "gus")
    talk.go_on(8)
    advice = talk.next(ask="never", k=2)
    said = {"decision": advice["decision"], "item": advice["items"][1]["item"]}
    first = talk.reward(reward=1.0, **said)
    talk.go_on(16)
    assert talk.send("POST", "/rewards", said | {"reward": 0.0}).status_code == 409
    talk.retract(first["event"])
    second = talk.reward(reward=0.0, **said)
    assert not second["repeated"]
    assert_never_said(talk, first["event"])
    talk.retract(second["event"])
    third = talk.reward(reward=0.5, **said)
    assert_never_said(talk, first["event"], second["event"])
    assert talk.reward(reward=0.5, **said) == third | {"repeated": True}
