"""Recommendations at random: as many as asked for, the same ones each time, marked in the log."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from conlinucb.service.conversations.audit import Checker
from conlinucb.service.conversations.fold import fold
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Event, RecommendationBody
from support import service_conversation
from support.service_conversation import ITEMS, Start
from support.service_shown import ROUNDS, many, recommended
from support.service_talk import Talk

start = service_conversation.start


@pytest.fixture
def exploring(start: Start) -> Talk:
    talk = start(explore=0.2)
    talk.go_on(6)
    return talk


def test_a_share_of_the_rounds_is_random_and_every_item_alike(exploring: Talk) -> None:
    shown = many(exploring, k=3)
    random = [each for each in shown if each.random]
    assert abs(len(random) / ROUNDS - 0.2) < 4 * np.sqrt(0.2 * 0.8 / ROUNDS)
    assert {each.propensity for each in random} == {3 / 12}
    assert {each.propensity for each in shown if not each.random} == {None}
    counts = Counter(item.item for each in random for item in each.items)
    expected = len(random) / 4
    assert set(counts) == set(ITEMS)
    chi = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi < 31.3  # 11 degrees of freedom, 0.1 %
    assert all(len({item.item for item in each.items}) == 3 for each in random)
    assert all(item.exploring for each in random for item in each.items)


def test_only_what_may_be_shown_is_drawn(exploring: Talk) -> None:
    shown = many(exploring, pool=ITEMS[:5], exclude=[ITEMS[0]], k=9)
    random = [each for each in shown if each.random]
    assert random
    assert {each.propensity for each in random} == {1.0}
    assert {frozenset(item.item for item in each.items) for each in random} == {
        frozenset(ITEMS[1:5])
    }


def test_it_is_decided_again_as_it_was(exploring: Talk) -> None:
    exploring.go_on(60)
    log = exploring.log()
    version = exploring.state().version
    random = 0
    for place, event in enumerate(log):
        if isinstance(event.body, RecommendationBody):
            state, _ = fold(version, exploring.person.seed, log[:place])
            assert recommended(state) == event.body
            random += event.body.random
    assert random
    checker = Checker(exploring.use_cases.storage)
    checker.catalogues()
    mine = [one.findings for one in checker.people() if one.person == exploring.person]
    assert mine == [[]]


def test_nobody_is_told(exploring: Talk) -> None:
    shown = [exploring.next(ask="never") for _ in range(40)]
    marked = [each.written() for each in exploring.bodies(RecommendationBody) if each.random]
    assert marked
    assert all(each["propensity"] == 1 / 12 for each in marked)
    assert {frozenset(each) for each in shown} == {
        frozenset(("type", "decision", "round", "items"))
    }


def test_without_the_setting_nothing_is_drawn_or_written(start: Start) -> None:
    talk = start()
    talk.go_on(20)
    for body in talk.bodies(RecommendationBody):
        assert not {"random", "propensity"} & set(body.written())
        assert [each.propensity for each in body.items] == [1.0]


@pytest.mark.parametrize("share", [-0.1, 0.21, float("nan")])
def test_a_share_that_cannot_be_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="explore"):
        Settings(explore=share)


def test_an_old_recommendation_was_not_random() -> None:
    body = RecommendationBody.model_validate_json('{"round": 1, "items": []}')
    assert Event(1, body).body == body
    assert not body.random
    assert body.propensity is None
