"""What the same person is shown, once or in many rounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conlinucb.service.conversations.decide import NextRequest, next_event
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.storage import RecommendationBody
from support.service_talk import Talk

ROUNDS = 2_000


def recommended(state: Conversation, **wanted: Any) -> RecommendationBody:
    event = next_event(state, NextRequest(ask=False, **wanted))
    assert event is not None
    assert isinstance(event.body, RecommendationBody)
    return event.body


def many(talk: Talk, **wanted: Any) -> list[RecommendationBody]:
    """What the same person is shown in many rounds, as if nothing came back."""
    state = talk.state()
    twin = replace(state, user=replace(state.user))
    found = []
    for round_ in range(ROUNDS):
        twin.user.rounds = round_
        found.append(recommended(twin, **wanted))
    return found
