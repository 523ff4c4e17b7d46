"""What is made of a person, from their state alone: no log is read for it."""

from __future__ import annotations

import numpy as np

from conlinucb.agent.schedule import Never
from conlinucb.numerics.linalg import full_matrix
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.liking import likings
from conlinucb.service.schemas import (
    AnsweredOut,
    Picture,
    PreferredOut,
    RatedOut,
    TopicOut,
    Value,
)

LATEST = 500
"""Ratings and answers listed, at most."""


def picture(state: Conversation) -> Picture:
    """Everything a page shows of someone."""
    return Picture(
        rounds=state.user.rounds,
        questions_asked=state.asked,
        questions_over=questions_over(state),
        known=known(state),
        topics=_topics(state),
        rated=_rated(state),
        answered=_answered(state),
        preferred=_preferred(state),
    )


def questions_over(state: Conversation) -> bool:
    """Whether nothing more will be asked: enough was, or all that could be rests."""
    if state.open_seq:
        return False
    version, limit = state.version, state.version.settings.max_questions
    agent, catalog = version.agent, version.catalog
    if not agent.asks_at_all or isinstance(agent.schedule, Never):
        return True
    if limit is not None and state.asked >= limit:
        return True
    there = catalog.live_arms if agent.asks == "arm" else catalog.live_terms
    left = set(there.tolist()) - state.resting()
    several = agent.asks == "term" and agent.chooser is not None and agent.chooser.kind != "term"
    return len(left) < (2 if several else 1)


def known(state: Conversation) -> float:
    """Share of the variance of all items' means that is gone: 1 - tr(G P) / tr(G P0).

    G = X'X / N, P and P0 the covariances now and of a newcomer, so items need not be looked at.
    """
    version = state.version
    before, now = (full_matrix(user.state.P) for user in (version.newcomer, state.user))
    whole = float(np.vdot(version.spread, before))
    left = float(np.vdot(version.spread, now))
    return min(max(1.0 - left / whole, 0.0), 1.0) if whole > 0 else 0.0


def _topics(state: Conversation) -> list[TopicOut]:
    version, answers = state.version, state.memory.answers
    belief, liking = version.agent.estimates(state.user), likings(state)
    live = version.catalog.live_terms
    return [
        TopicOut(
            term=str(version.catalog.term_ids[k]),
            liking=float(liking[k]),
            said=in_words(state, answers[k].value) if k in answers else None,
            mean=float(belief.means[k]),
            radius=float(belief.radii[k]),
        )
        for k in live[np.argsort(-liking[live], kind="stable")].tolist()
    ]


def _rated(state: Conversation) -> list[RatedOut]:
    version, latest = state.version, list(state.memory.ratings.items())[: -LATEST - 1 : -1]
    found = []
    for arm, said in latest:
        look = version.look_of(str(version.catalog.arm_ids[arm]))
        found.append(
            RatedOut(item=look["item"], title=look["title"], reward=said.value, event=said.event)
        )
    return found


def _answered(state: Conversation) -> list[AnsweredOut]:
    ids, latest = state.version.catalog.term_ids, list(state.memory.answers.items())
    return [
        AnsweredOut(term=str(ids[k]), answer=in_words(state, said.value), event=said.event)
        for k, said in latest[: -LATEST - 1 : -1]
    ]


def _preferred(state: Conversation) -> list[PreferredOut]:
    ids, latest = state.version.catalog.term_ids, list(state.memory.preferred.items())
    return [
        PreferredOut(term=str(ids[liked]), over=str(ids[other]), event=event)
        for (liked, other), event in latest[: -LATEST - 1 : -1]
    ]


def in_words(state: Conversation, value: float) -> Value:
    """An answer as it was given: yes and no for the ends of the range."""
    low, high = state.version.settings.range
    if value == high:
        return "yes"
    return "no" if value == low else value
