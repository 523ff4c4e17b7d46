"""Beliefs in human terms: one's own word decides, and a no never raises what a person sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conlinucb.datasets import demo
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.liking import WITHOUT_A_WORD, likings
from conlinucb.service.conversations.picture import known, picture
from conlinucb.service.settings import Settings
from conlinucb.service.storage import (
    AnswerBody,
    Body,
    Event,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RewardBody,
)

HISTORIES = 1_000
RANGES = ((0.0, 1.0), (1.0, 5.0), (-1.0, 1.0))


def version_of(**settings: Any) -> CatalogueVersion:
    return CatalogueVersion(1, "films", 1, 1, Content(demo(d=None).catalog), Settings(**settings))


VERSIONS = [version_of(range=each) for each in RANGES]


def apply(state: Conversation, *bodies: Body) -> None:
    for body in bodies:
        state.apply(Event(state.seq + 1, body))


def volunteered(state: Conversation, term: int, value: float) -> Body:
    return AnswerBody(about="term", id=str(state.version.catalog.term_ids[term]), answer=value)


def asked(state: Conversation, term: int) -> Body:
    return QuestionBody(
        about="term",
        id=str(state.version.catalog.term_ids[term]),
        number=state.user.questions + 1,
        round=state.user.rounds + 1,
        text="",
        strategy="",
        mean=0.0,
        radius=1.0,
    )


def answered(state: Conversation, term: int, value: float | None) -> Body:
    name = str(state.version.catalog.term_ids[term])
    return AnswerBody(question=state.seq, about="term", id=name, answer=value)


def lived(version: CatalogueVersion, rng: np.random.Generator) -> Conversation:
    """Someone who answered, skipped, volunteered and rated a few things, in any order."""
    state = Conversation.new(version, seed=int(rng.integers(2**32)))
    low, high = version.settings.range
    terms, arms = len(version.catalog.term_ids), len(version.catalog)
    for _ in range(rng.integers(0, 12)):
        value = float(rng.choice([low, high, low + (high - low) * rng.random()]))
        kind, term = rng.integers(3), int(rng.integers(terms))
        if kind == 0:
            item = str(version.catalog.arm_ids[rng.integers(arms)])
            apply(state, RewardBody(item=item, reward=value))
        elif kind == 1:
            apply(state, volunteered(state, term, value))
        else:
            apply(state, asked(state, term))
            apply(state, answered(state, term, None if rng.random() < 0.2 else value))
    return state


@pytest.mark.more
def test_a_no_never_raises_and_a_yes_never_lowers() -> None:
    """Every topic in each of 1,000 histories: asked or volunteered, whatever was said before."""
    rng = np.random.default_rng(16)
    for number in range(HISTORIES):
        version = VERSIONS[number % len(VERSIONS)]
        low, high = version.settings.range
        state = lived(version, rng)
        now = likings(state)
        for term in rng.permutation(len(version.catalog.term_ids)).tolist():
            yes, before = rng.random() < 0.5, now[term]
            if rng.random() < 0.5:
                apply(state, volunteered(state, term, high if yes else low))
            else:
                apply(state, asked(state, term))
                apply(state, answered(state, term, high if yes else low))
            now = likings(state)
            assert -1.0 <= before <= 1.0
            assert (now[term] >= before and now[term] > 0) if yes else now[term] <= before
            assert yes or now[term] < 0


def test_of_what_nobody_spoke_the_ends_are_not_reached() -> None:
    version = VERSIONS[0]
    state = Conversation.new(version, 1)
    assert (likings(state) == 0).all()
    for arm in range(120):
        apply(state, RewardBody(item=str(version.catalog.arm_ids[arm]), reward=float(arm % 2)))
    found = likings(state)
    assert (np.abs(found) <= WITHOUT_A_WORD).all()
    assert found.min() < -0.1 < 0.1 < found.max()


def test_one_film_raises_its_topics_and_not_all_of_them() -> None:
    version = VERSIONS[0]
    state = Conversation.new(version, 1)
    apply(state, RewardBody(item="Alien (1979)", reward=1.0))
    found = dict(zip(version.catalog.term_ids, likings(state), strict=True))
    assert found["set in space"] > 0.25
    assert found["westerns"] < 0
    assert (likings(state) < 0).mean() > 0.3


@pytest.mark.parametrize("version", VERSIONS, ids=map(str, RANGES))
def test_a_number_lies_between_no_and_yes(version: CatalogueVersion) -> None:
    low, high = version.settings.range
    state = Conversation.new(version, 1)
    for share, expected in ((0.0, -1.0), (0.5, 0.0), (0.75, 0.5), (1.0, 1.0)):
        apply(state, volunteered(state, 3, low + share * (high - low)))
        assert likings(state)[3] == pytest.approx(expected)


def test_how_much_is_known_is_the_share_of_variance_that_is_gone() -> None:
    rng = np.random.default_rng(5)
    version = VERSIONS[0]
    state, arms = Conversation.new(version, 1), np.arange(len(version.catalog))
    start, last = version.agent.score(state.user, arms).radii, 0.0
    assert known(state) == 0.0
    for _ in range(20):
        apply(state, volunteered(state, int(rng.integers(58)), float(rng.random())))
        now = version.agent.score(state.user, arms).radii
        assert known(state) == pytest.approx(1.0 - (now**2).sum() / (start**2).sum())
        assert last < known(state) < 1.0
        last = known(state)


def test_a_picture_says_what_was_said() -> None:
    version = version_of(max_questions=1)
    state = Conversation.new(version, 1)
    apply(state, volunteered(state, 5, 1.0), volunteered(state, 7, 0.25))
    apply(state, RewardBody(item="Alien (1979)", reward=0.5))
    apply(state, asked(state, 9))
    assert not picture(state).questions_over  # it is open
    apply(state, answered(state, 9, 0.0))
    shown = RecommendedItem(item="Alien (1979)", score=1.0, mean=0.0, radius=1.0, exploring=False)
    apply(state, RecommendationBody(round=1, items=[shown]))
    found, names = picture(state), [str(each) for each in version.catalog.term_ids]
    assert (found.rounds, found.questions_asked, found.questions_over) == (1, 1, True)
    assert [(each.term, each.answer, each.event) for each in found.answered] == [
        (names[9], "no", 5),
        (names[7], 0.25, 2),
        (names[5], "yes", 1),
    ]
    assert [(each.item, each.reward, each.event) for each in found.rated] == [
        ("Alien (1979)", 0.5, 3)
    ]
    order = [each.liking for each in found.topics]
    assert order == sorted(order, reverse=True)
    said = {each.term: each.said for each in found.topics if each.said is not None}
    assert said == {names[9]: "no", names[7]: 0.25, names[5]: "yes"}
    assert {each.term for each in found.topics} == set(names)


OVER: dict[str, tuple[dict[str, Any], bool]] = {
    "by default": ({}, False),
    "no questions": ({"max_questions": 0}, True),
    "an agent that never asks": ({"agent": {"recipe": "linucb"}}, True),
    "a schedule that never asks": (
        {"agent": {"recipe": "conlinucb", "schedule": {"name": "never"}}},
        True,
    ),
    "without a limit": ({"max_questions": None}, False),
}


@pytest.mark.parametrize("name", OVER)
def test_when_questions_are_over(name: str) -> None:
    settings, over = OVER[name]
    version = version_of(**settings)
    assert picture(Conversation.new(version, 1)).questions_over == over


def test_questions_are_over_when_everything_was_answered() -> None:
    state = Conversation.new(version_of(max_questions=None), 1)
    terms = len(state.version.catalog.term_ids)
    for term in range(terms):
        assert not picture(state).questions_over
        apply(state, volunteered(state, term, 0.5))
    assert picture(state).questions_over
