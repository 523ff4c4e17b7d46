"""What decisions keep so that others can be judged by them: pools, agents, propensities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conlinucb.service.catalogues.version import digest
from conlinucb.service.storage import QuestionBody, RecommendationBody
from support import service_conversation
from support.service_conversation import ITEMS, TERMS, Start
from support.service_shown import many, recommended
from support.service_talk import Talk

pytestmark = pytest.mark.more  # a service for each

start = service_conversation.start
EPSILON = {"recipe": "linucb", "select": "epsilon-greedy"}


def _weighted(shown: list[RecommendationBody], seen: Callable[..., Any]) -> dict[str, list[float]]:
    """For each item, 1 / its chance in the rounds that showed it; 0 in the others."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in shown:
        chances = seen(each)
        for item in ITEMS:
            found[item].append(1.0 / chances[item] if item in chances else 0.0)
    return found


def _of_items(body: RecommendationBody) -> dict[str, float | None]:
    return {each.item: each.propensity for each in body.items}


def _of_first(body: RecommendationBody) -> dict[str, float | None]:
    return {body.items[0].item: body.items[0].propensity if len(body.items) == 1 else body.first}


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seen", [_of_items, _of_first])
def test_chances_are_those_with_which_items_are_shown(
    start: Start, k: int, seen: Callable[..., Any]
) -> None:
    """Where each item counts 1 / its chance, every item counts 1 a round: none is misjudged."""
    talk = start(explore=0.2)
    talk.go_on(6)
    for item, weights in _weighted(many(talk, k=k), seen).items():
        spread = np.std(weights) / np.sqrt(len(weights))
        assert abs(np.mean(weights) - 1.0) < 4 * spread + 1e-9, item


def test_an_agent_that_draws_has_its_own_chances(start: Start) -> None:
    talk = start(agent=EPSILON, explore=0.2)
    talk.go_on(4)
    shown = many(talk, k=2)
    best = 0.8 * (0.9 + 0.1 * 2 / 12) + 0.2 * 2 / 12
    others = 0.8 * 0.1 * 2 / 12 + 0.2 * 2 / 12
    found = {round(each.propensity or 0, 12) for body in shown for each in body.items}
    assert found == {round(best, 12), round(others, 12)}
    assert {body.first for body in shown} == {None}


def test_nothing_is_claimed_of_what_nobody_knows(start: Start) -> None:
    talk = start(agent={"recipe": "linucb", "select": "thompson"}, explore=0.2)
    talk.go_on(4)
    assert {each.propensity for body in many(talk) for each in body.items} == {None}


def test_a_decision_says_who_decided_and_among_what(start: Start) -> None:
    talk = start()
    talk.go_on(2)
    version = talk.state().version
    everything = recommended(talk.state(), exclude=[ITEMS[3], "unknown"])
    assert (everything.version, everything.agent) == (version.number, version.agent_digest)
    assert (everything.pool, everything.pool_size) == (digest(ITEMS), 12)
    assert (everything.excluded, everything.excluded_digest) == (1, digest([ITEMS[3]]))
    assert everything.among == [a for a in range(12) if a != 3]
    own = recommended(talk.state(), pool=[ITEMS[5], ITEMS[2]])
    assert (own.pool, own.pool_size, own.among) == (digest([ITEMS[5], ITEMS[2]]), 2, [5, 2])
    assert (own.excluded, own.excluded_digest) == (None, None)


def test_agents_are_told_apart(start: Start) -> None:
    found = []
    for recipe in ("conlinucb", "conlinucb", "linucb"):
        talk = start(recipe)
        talk.next(ask="never")
        found.append(talk.bodies(RecommendationBody)[0].agent)
    assert found[0] == found[1] != found[2]


def test_a_large_catalogue_keeps_what_was_left_out(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conlinucb.service.conversations.recorded.FEW", 3)
    talk = start()
    talk.go_on(2)
    few = recommended(talk.state(), exclude=[ITEMS[4], ITEMS[1]])
    assert (few.among, few.left_out) == (None, [1, 4])
    many_out = recommended(talk.state(), exclude=ITEMS[:5])
    assert (many_out.among, many_out.left_out, many_out.excluded) == (None, None, 5)


def test_what_rests_is_left_out_of_fresh_items(start: Start) -> None:
    talk = start()
    talk.next(ask="never", fresh=True, k=4)
    shown = [each.item for each in talk.bodies(RecommendationBody)[0].items]
    body = recommended(talk.state(), fresh=True)
    assert body.excluded == 4
    assert body.excluded_digest == digest([each for each in ITEMS if each in shown])
    last = recommended(talk.state(), fresh=True, pool=shown, k=2)
    assert last.again
    assert last.among is not None
    assert len(last.among) == last.pool_size == 2


def _asked(talk: Talk, **wanted: Any) -> QuestionBody:
    assert talk.next(**wanted)["type"] == "question"
    return talk.bodies(QuestionBody)[-1]


def _answered(talk: Talk) -> None:
    talk.answer(question=f"q{talk.log()[-1].seq}", answer="yes")


def test_a_question_keeps_what_could_be_asked(start: Start) -> None:
    every = {"name": "every", "n": 1}
    talk = start(agent={"recipe": "conlinucb", "schedule": every}, rest_after_answer=1000)
    first = _asked(talk)
    assert (first.pool, first.pool_size, first.propensity) == (digest(TERMS), 6, 1.0)
    assert (first.version, first.excluded) == (talk.state().version.number, None)
    _answered(talk)
    talk.next(ask="never")
    rest = [each for each in TERMS if each != first.id]
    second = _asked(talk)
    assert (second.pool, second.pool_size, second.excluded) == (digest(rest), 5, 1)
    _answered(talk)
    talk.next(ask="never")
    offered = [each for each in rest if each != second.id][:2]
    third = _asked(talk, offered=offered)
    assert (third.pool, third.pool_size, third.excluded) == (digest(offered), 2, None)


@pytest.mark.parametrize(("strategy", "chance"), [("random", 1 / 6), ("spanner", None)])
def test_a_drawn_question_has_its_chance(start: Start, strategy: str, chance: float | None) -> None:
    every = {"name": "every", "n": 1}
    talk = start(agent={"recipe": "conlinucb", "strategy": strategy, "schedule": every})
    assert _asked(talk).propensity == chance
