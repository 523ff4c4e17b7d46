"""Why an item: at most three things that this person said they like, and that speak for it."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.conversations.reasons import LIKED
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

ALIEN, GRAVITY, RAN = "Alien (1979)", "Gravity (2013)", "Ran (1985)"


@pytest.fixture
def talk(memory: TestClient, request: pytest.FixtureRequest) -> Talk:
    """Someone of their own who talks about the demo films."""
    return Talk(memory, "films", request.node.name)


def shown(talk: Talk, item: str) -> dict[str, Any]:
    (found,) = talk.next(ask="never", pool=[item])["items"]
    return dict(found)


def about(item: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["kind"], each["about"]) for each in item["because"]]


def test_to_someone_unknown_nothing_is_a_reason(talk: Talk) -> None:
    found = shown(talk, ALIEN)
    assert (found["because"], found["matches"]) == ([], [])
    assert (found["title"], found["year"], found["image"]) == ("Alien", 1979, None)


def test_what_was_liked_is_a_reason_for_what_is_like_it(talk: Talk) -> None:
    talk.answer(topic="set in space", answer="yes")
    talk.reward(item=ALIEN, reward=1)
    found = shown(talk, GRAVITY)
    assert ("topic", "set in space") in about(found)
    assert ("item", ALIEN) in about(found)
    assert all(0 < each["liking"] <= 1 for each in found["because"])
    assert {each["title"] for each in found["because"]} == {"set in space", "Alien"}
    assert "set in space" in found["matches"]
    assert shown(talk, RAN)["matches"] == []


def test_nobody_likes_an_item_because_of_itself(talk: Talk) -> None:
    talk.reward(item=ALIEN, reward=1)
    assert about(shown(talk, ALIEN)) == []


def test_what_was_disliked_is_no_reason(talk: Talk) -> None:
    for topic in ("set in space", "science fiction"):
        talk.answer(topic=topic, answer="no")
    talk.reward(item=ALIEN, reward=0.4)
    found = shown(talk, GRAVITY)
    assert (found["because"], found["matches"]) == ([], [])


def test_there_are_at_most_three_and_own_topics_come_first(talk: Talk) -> None:
    for topic in ("set in space", "science fiction", "women in the lead", "made since 2010"):
        talk.answer(topic=topic, answer="yes")
    found = shown(talk, GRAVITY)
    assert len(found["because"]) == 3
    assert {each["about"] for each in found["because"]} <= set(found["terms"])


def test_matches_are_the_item_s_own_topics_that_are_liked(talk: Talk) -> None:
    talk.answer(topic="set in japan", answer="yes")
    talk.answer(topic="epic in scale", answer="no")
    likings = {each["term"]: each["liking"] for each in talk.got("GET", "/picture")["topics"]}
    for each in talk.next(ask="never", k=20)["items"]:
        assert set(each["matches"]) == {t for t in each["terms"] if likings[t] > LIKED}


def test_taken_back_it_is_no_reason_any_more(talk: Talk) -> None:
    event = talk.answer(topic="set in space", answer="yes")["event"]
    assert about(shown(talk, GRAVITY)) == [("topic", "set in space")]
    talk.retract(event)
    assert about(shown(talk, GRAVITY)) == []


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_agent_gives_reasons(recipe: str) -> None:
    with client_of() as client:
        settings = {"agent": RECIPES[recipe]}
        client.put("/v1/catalogues/films/settings", json=settings).raise_for_status()
        talk = Talk(client, "films")
        talk.reward(item=ALIEN, reward=1)
        talk.answer(topic="set in space", answer="yes")
        assert ("item", ALIEN) in about(shown(talk, GRAVITY))
        assert talk.got("GET", "/picture")["known"] > 0
        best = talk.got("GET", "/best", k=5)["items"]
        assert all(each["because"] for each in best if each["item"] != ALIEN)


def test_the_best_are_those_with_the_highest_mean_that_were_not_disliked(talk: Talk) -> None:
    talk.answer(topic="set in space", answer="yes")
    first = talk.got("GET", "/best", k=5)["items"]
    means = [each["mean"] for each in first]
    assert means == sorted(means, reverse=True)
    assert means[0] == pytest.approx(max(x["mean"] for x in talk.next(k=100, ask="never")["items"]))
    talk.reward(item=first[0]["item"], reward=0)
    talk.reward(item=first[1]["item"], reward=1)
    events = len(talk.log())
    later = [each["item"] for each in talk.got("GET", "/best", k=100)["items"]]
    assert first[0]["item"] not in later
    assert first[1]["item"] in later
    assert len(later) == 100
    assert len(talk.log()) == events


@pytest.mark.parametrize("k", ["0", "101", "many"])
def test_how_many_of_the_best_has_bounds(talk: Talk, k: str) -> None:
    assert talk.send("GET", "/best", k=k).status_code == 422
