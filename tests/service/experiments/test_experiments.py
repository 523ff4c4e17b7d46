"""Experiments while people talk: who meets which agent, shadows, promotion and the way back."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text as sql

from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.fold import fold
from conlinucb.service.experiments.assignment import arm_of, place
from conlinucb.service.schemas.experiments import ArmBody
from conlinucb.service.storage import RecommendationBody
from support import service_conversation
from support.service_conversation import Start
from support.service_talk import Talk

start = service_conversation.start
EVERY = {"name": "every", "n": 1}
OTHER = {"recipe": "conlinucb", "beta": 2.0, "alpha": 0.3, "schedule": EVERY}
"""Another prior, and so other states."""
WIDER = {"recipe": "linucb", "alpha": 1.5}
HALVES = [{"name": "now", "share": 0.5}, {"name": "other", "share": 0.5, "agent": OTHER}]


def send(talk: Talk, method: str, what: str = "", body: Any = None, status: int = 200) -> Any:
    response = talk.client.request(
        method, f"/v1/catalogues/{talk.catalogue}/experiment{what}", json=body
    )
    assert response.status_code == status, response.text
    return response.json()


def person(talk: Talk, arm: str, seed: int = 7, arms: Any = HALVES) -> Talk:
    """Someone of this arm, not met before."""
    bodies = [ArmBody(**each) for each in arms]
    for number in range(10_000):
        found = arm_of(bodies, seed, f"p{number}")
        if (found.name if found else "") == arm:
            return Talk(talk.client, talk.catalogue, f"p{number}")
    raise AssertionError(arm)


def test_assignment_follows_the_shares_and_sticks() -> None:
    arms = [ArmBody(name="a", share=0.5), ArmBody(name="b", share=0.2)]
    names = [f"person {i}" for i in range(10_000)]
    found = Counter(one.name if (one := arm_of(arms, 7, each)) else "" for each in names)
    for arm, share in {"a": 0.5, "b": 0.2, "": 0.3}.items():
        assert abs(found[arm] / 1e4 - share) < 4 * np.sqrt(share * (1 - share) / 1e4)
    again = [arm_of(arms, 7, each) for each in names[:50]]
    assert again == [arm_of(arms, 7, each) for each in names[:50]]
    moved = sum((place(7, each) < 0.5) != (place(8, each) < 0.5) for each in names)
    assert abs(moved / 1e4 - 0.5) < 0.02


def test_people_meet_the_agent_of_their_arm(start: Start) -> None:
    talk = start()
    talk.go_on(4)
    found = send(talk, "PUT", body={"arms": HALVES, "seed": 7})
    assert (found["number"], found["running"], found["promoted"]) == (1, True, None)
    assert send(talk, "GET") == found
    for arm in ("now", "other"):
        one = person(talk, arm)
        one.go_on(12)
        state = one.state()
        bodies = one.bodies(RecommendationBody)
        assert {(each.experiment, each.arm) for each in bodies} == {(1, arm)}
        assert {each.agent for each in bodies} == {state.version.agent_digest}
        expected = OTHER if arm == "other" else state.version.settings.agent
        assert state.version.settings.agent == expected
        again, _ = fold(state.version, one.person.seed, one.log())
        assert difference(again.snapshot().arrays, state.snapshot().arrays) is None
    send(talk, "PUT", body={"arms": HALVES}, status=409)
    ended = send(talk, "DELETE")
    assert not ended["running"]
    one = person(talk, "other")
    one.next(ask="never")
    assert one.bodies(RecommendationBody)[-1].experiment is None


def test_who_is_in_no_share_is_served_as_before(start: Start) -> None:
    talk = start()
    arms = [{"name": "a", "share": 0.1}, {"name": "b", "share": 0.1, "agent": OTHER}]
    send(talk, "PUT", body={"arms": arms, "seed": 7})
    one = person(talk, "", arms=arms)
    one.go_on(4)
    assert {each.arm for each in one.bodies(RecommendationBody)} == {None}
    send(talk, "DELETE")


@pytest.mark.parametrize("agent", [OTHER, WIDER])
def test_promotion_and_rollback_lose_nothing(start: Start, agent: dict[str, Any]) -> None:
    talk = start()
    arms = [{"name": "now", "share": 0.5}, {"name": "other", "share": 0.5, "agent": agent}]
    send(talk, "PUT", body={"arms": arms, "seed": 7})
    people = [person(talk, "now"), person(talk, "other")]
    for one in people:
        one.go_on(10)
    before = talk.use_cases.catalogues.serving(talk.catalogue).settings.agent
    logs = [one.log() for one in people]
    send(talk, "POST", "/promotion", {"arm": "nobody"}, status=404)
    found = send(talk, "POST", "/promotion", {"arm": "other"})
    assert (found["running"], found["promoted"]) == (False, "other")
    _served_by(talk, agent)
    for one, log in zip(people, logs, strict=True):
        assert one.log() == log
        _is_the_fold(one, agent)
        one.go_on(4)
    logs = [one.log() for one in people]
    back = send(talk, "POST", "/rollback")
    assert back["promoted"] is None
    _served_by(talk, before)
    for one, log in zip(people, logs, strict=True):
        assert one.log() == log
        _is_the_fold(one, before)
    send(talk, "POST", "/rollback", status=409)


def _served_by(talk: Talk, agent: dict[str, Any]) -> None:
    assert talk.use_cases.catalogues.serving(talk.catalogue).settings.agent == agent


def _is_the_fold(one: Talk, agent: dict[str, Any]) -> None:
    """The person's state is what their whole log comes to under this agent."""
    state = one.state()
    assert state.version.settings.agent == agent
    again, broken = fold(state.version, one.person.seed, one.log())
    assert not broken
    assert again.seq == state.seq
    assert difference(again.snapshot().arrays, state.snapshot().arrays) is None


def test_each_promotion_can_be_taken_back(start: Start) -> None:
    talk = start()
    before = talk.use_cases.catalogues.serving(talk.catalogue).settings.agent
    arms = [*HALVES, {"name": "wider", "shadow": True, "agent": WIDER}]
    send(talk, "PUT", body={"arms": arms})
    send(talk, "POST", "/promotion", {"arm": "other"})
    send(talk, "POST", "/promotion", {"arm": "wider"})
    _served_by(talk, WIDER)
    assert send(talk, "POST", "/rollback")["promoted"] == "other"
    _served_by(talk, OTHER)
    assert send(talk, "POST", "/rollback")["promoted"] is None
    _served_by(talk, before)
    send(talk, "POST", "/rollback", status=409)


def test_following_changes_nothing_where_nothing_was_changed(start: Start) -> None:
    talk = start()
    send(talk, "PUT", body={"arms": [*HALVES, {"name": "wider", "shadow": True, "agent": WIDER}]})
    experiments = talk.use_cases.experiments
    version = talk.use_cases.catalogues.serving(talk.catalogue)
    one = experiments.for_person(version, "p1")
    experiments.follow()
    assert [each.arm for each in experiments.shadows(one)] == ["wider"]
    assert experiments.for_person(version, "p1") is one


def test_rollback_ends_what_runs(start: Start) -> None:
    talk = start()
    send(talk, "POST", "/rollback", status=409)
    send(talk, "DELETE", status=409)
    send(talk, "GET", status=404)
    send(talk, "PUT", body={"arms": HALVES})
    assert not send(talk, "POST", "/rollback")["running"]


@pytest.mark.parametrize("agent", [OTHER, WIDER])
def test_a_shadow_decides_and_is_not_shown(start: Start, agent: dict[str, Any]) -> None:
    talk = start("linucb")
    arms = [{"name": "now", "share": 1.0}, {"name": "watch", "shadow": True, "agent": agent}]
    send(talk, "PUT", body={"arms": arms, "seed": 7})
    one = Talk(talk.client, talk.catalogue, "ann")
    one.next(ask="never", k=2)
    log = one.log()
    one.reward(decision="d1", item=log[0].body.items[1].item, reward=1.0)  # type: ignore[union-attr]
    one.next(ask="never", k=2)
    one.retract(2)
    one.next(ask="never", k=2)
    watching = talk.use_cases.experiments.shadows(one.state().version)[0]
    rows = one.log()
    for place_, event in enumerate(rows):
        if not isinstance(event.body, RecommendationBody):
            continue
        state, _ = fold(watching, one.person.seed, rows[:place_])
        expected = state.version.agent.recommend(state.user, k=2)
        assert event.body.shadow == {"watch": [str(each) for each in expected.ids]}
    assert len(rows) == 5
    shown = one.next(ask="never", k=2)
    assert [each["item"] for each in shown["items"]] == [
        each.item for each in one.bodies(RecommendationBody)[-1].items
    ]
    report = send(talk, "GET", "/comparison")
    assert report["shadows"][0]["decisions"] == 4
    send(talk, "DELETE")


def test_edits_of_the_catalogue_reach_every_arm(start: Start) -> None:
    talk = start()
    send(talk, "PUT", body={"arms": HALVES, "seed": 7})
    new = {"items": [{"id": "new", "tags": ["term 0"], "features": [0.1, 0.2, 0.3]}]}
    at = f"/v1/catalogues/{talk.catalogue}/items"
    assert talk.client.post(at, json=new).status_code == 200
    for arm in ("now", "other"):
        one = person(talk, arm)
        assert one.next(ask="never", pool=["new"])["items"][0]["item"] == "new"
    send(talk, "DELETE")


def test_a_comparison_of_few_says_so(start: Start) -> None:
    talk = start()
    send(talk, "PUT", body={"arms": HALVES, "seed": 7})
    for arm in ("now", "other"):
        one = person(talk, arm)
        shown = one.next(ask="never")
        item = shown["items"][0]["item"]
        one.reward(decision=shown["decision"], item=item, reward=1.0)
    found = send(talk, "GET", "/comparison?rounds=1")
    assert [each["people"] for each in found["arms"]] == [1, 1]
    assert found["pairs"][0]["better"] is None
    assert "No difference can be told yet" in found["pairs"][0]["verdict"]
    assert send(talk, "GET", "/comparison?rounds=1") == found
    waiting = send(talk, "GET", "/comparison?rounds=1-2")
    assert [(each["people"], each["waiting"]) for each in waiting["arms"]] == [(0, 1), (0, 1)]
    send(talk, "DELETE")


@pytest.mark.parametrize(
    ("arms", "named"),
    [
        ([{"name": "a", "share": 1.0}], "at least 2"),
        ([{"name": "a", "share": 0.5}, {"name": "a", "share": 0.5}], "name of its own"),
        ([{"name": "a", "share": 0.7}, {"name": "b", "share": 0.7}], "1.4"),
        ([{"name": "a", "share": 0.7}, {"name": "b"}], "shadow = true"),
        ([{"name": "a", "share": 0.7}, {"name": "b", "share": 0.1, "shadow": True}], "nobody"),
        ([{"name": "a", "share": 0.7}, {"name": "b", "share": 0.1, "agent": {"recipe": "x"}}], "x"),
    ],
)
def test_what_cannot_be_run_is_refused(start: Start, arms: Any, named: str) -> None:
    talk = start()
    found = send(talk, "PUT", body={"arms": arms}, status=422)
    assert named in found["error"]["message"]
    send(talk, "GET", status=404)


@pytest.mark.parametrize("rounds", ["0-3", "5-1", "x", "1-", "1-9999", "²"])
def test_rounds_that_cannot_be_are_refused(start: Start, rounds: str) -> None:
    talk = start()
    send(talk, "PUT", body={"arms": HALVES})
    found = send(talk, "GET", f"/comparison?rounds={rounds}", status=422)
    assert "rounds" in found["error"]["message"]
    send(talk, "DELETE")


def test_a_damaged_experiment_keeps_nobody_from_being_served(start: Start) -> None:
    talk = start()
    send(talk, "PUT", body={"arms": HALVES, "seed": 7})
    with talk.use_cases.storage.database.connect() as connection:
        connection.execute(sql("UPDATE experiments SET crc = crc + 1 WHERE ended IS NULL"))
    talk.use_cases.experiments.follow()
    one = person(talk, "other")
    one.next(ask="never")
    assert one.bodies(RecommendationBody)[-1].arm == "other"
    with talk.use_cases.storage.database.connect() as connection:
        connection.execute(sql("UPDATE experiments SET crc = crc - 1 WHERE ended IS NULL"))
    send(talk, "DELETE")
