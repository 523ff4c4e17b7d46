"""What callers see of events and states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from conlinucb.numerics.linalg import products
from conlinucb.numerics.ties import ranking
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.liking import liking_of
from conlinucb.service.conversations.reasons import Reasons
from conlinucb.service.schemas import (
    BestOut,
    Contribution,
    EventOut,
    Explanation,
    ItemOut,
    Profile,
    QuestionOut,
    RecommendationOut,
    TermOut,
    Why,
)
from conlinucb.service.storage import (
    AnswerBody,
    Body,
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    RewardBody,
    retracted,
)

TERMS = 12
"""Key-terms named with an item, at most."""
CONTRIBUTIONS = 200
"""Contributions listed one by one; the others come as a sum."""


def question(seq: int, body: QuestionBody, version: CatalogueVersion) -> QuestionOut:
    """A question as it is put."""
    unsure = body.radius / _answer_deviation(body, version)
    return QuestionOut(
        question=f"q{seq}",
        about=body.about,
        term=body.names[0],
        terms=list(body.names),
        text=body.text,
        mean=body.mean,
        radius=body.radius,
        why=Why(
            strategy=body.strategy,
            rank=body.rank,
            of=body.of,
            radius_after=body.radius / math.sqrt(1.0 + unsure * unsure),
        ),
    )


def _answer_deviation(body: QuestionBody, version: CatalogueVersion) -> float:
    """Standard deviation of an answer's own noise; a reward's where the topic is not there."""
    agent = version.agent
    noise = math.sqrt(agent.estimator.noise)
    term = version.catalog._term_lookup.get(body.names[0]) if body.about == "term" else None
    if term is None:
        return noise
    slope, weight = agent.answers.slope[term], agent.answers.weight[term]
    return float(slope * noise / math.sqrt(max(weight, 1e-12)))


def next_out(event: Event, state: Conversation) -> QuestionOut | RecommendationOut:
    """What ``next`` decided on, with reasons as the person's state is now."""
    if isinstance(event.body, QuestionBody):
        return question(event.seq, event.body, state.version)
    assert isinstance(event.body, RecommendationBody)
    reasons = Reasons(state)
    items = [
        item_out(
            state,
            reasons,
            each.item,
            score=each.score,
            mean=each.mean,
            radius=each.radius,
            exploring=each.exploring,
        )
        for each in event.body.items
    ]
    return RecommendationOut(decision=f"d{event.seq}", round=event.body.round, items=items)


def item_out(state: Conversation, reasons: Reasons, item: str, **numbers: Any) -> ItemOut:
    """An item as people see it, and what speaks for it."""
    version = state.version
    return ItemOut(
        **version.look_of(item),
        **numbers,
        terms=version.terms_of(item)[:TERMS],
        matches=reasons.matches(item, TERMS),
        because=reasons.because(item),
    )


def best(state: Conversation, k: int) -> BestOut:
    """The k best by mean that this person did not dislike; nothing is noted of it."""
    version, agent = state.version, state.version.agent
    disliked = [
        arm
        for arm, said in state.memory.ratings.items()
        if liking_of(said.value, version.settings.range) < 0
    ]
    live = version.catalog.live_arms
    among = live[~np.isin(live, disliked)] if disliked else live
    means = products(version.catalog._arms, state.user.state.theta)[among]
    arms = among[ranking(means, k)]
    found, reasons = agent.score(state.user, arms), Reasons(state)
    columns = zip(arms, found.scores, found.means, found.radii, strict=True)
    items = [
        item_out(
            state,
            reasons,
            str(version.catalog.arm_ids[arm]),
            score=float(score),
            mean=float(mean),
            radius=float(radius),
            exploring=False,
        )
        for arm, score, mean, radius in columns
    ]
    return BestOut(items=items)


def entries(rows: Sequence[Event | Broken]) -> list[EventOut]:
    """A log as its owner reads it."""
    gone = retracted(rows)
    return [
        EventOut(
            event=row.seq,
            kind=row.kind,
            at=_when(row.at),
            about=row.body.written(),
            client_id=row.client_id,
            retracted=row.seq in gone,
        )
        for row in rows
        if isinstance(row, Event)
    ]


def _when(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="milliseconds")


def profile(
    state: Conversation, name: str, rows: Sequence[Event | Broken], latest: int, before: int
) -> Profile:
    """What is believed of a person, and where it comes from."""
    version = state.version
    belief = version.agent.estimates(state.user)
    log = entries(rows)
    return Profile(
        user=name,
        catalogue=version.name,
        version=version.number,
        rounds=state.user.rounds,
        questions_asked=state.asked,
        open_question=_open_question(state, rows),
        terms=[
            TermOut(
                term=str(version.catalog.term_ids[k]),
                mean=float(belief.means[k]),
                radius=float(belief.radii[k]),
            )
            for k in version.catalog.live_terms.tolist()
        ],
        events=[each for each in log[::-1] if each.event < before][:latest],
        events_in_all=len(rows),
        damaged_events=len(rows) - len(log),
    )


def _open_question(state: Conversation, rows: Sequence[Event | Broken]) -> QuestionOut | None:
    row = next((row for row in rows if row.seq == state.open_seq), None)
    body = row.body if isinstance(row, Event) else None
    if not isinstance(body, QuestionBody):
        return None
    return question(state.open_seq, body, state.version)


def explanation(state: Conversation, rows: Sequence[Event | Broken], item: str) -> Explanation:
    """What each answer and reward adds to an item's mean."""
    version = state.version
    arm = version.catalog.arm_index(item)
    found = version.agent.score(state.user, [arm])
    before = version.agent.influence(state.user, arm).prior
    parts = sorted(_parts(state, rows, arm), key=lambda part: -abs(part.contribution))
    return Explanation(
        item=item,
        mean=float(found.means[0]),
        radius=float(found.radii[0]),
        score=float(found.scores[0]),
        contributions=parts[:CONTRIBUTIONS],
        rest=math.fsum([before, *(part.contribution for part in parts[CONTRIBUTIONS:])]),
    )


def _parts(state: Conversation, rows: Sequence[Event | Broken], arm: int) -> list[Contribution]:
    gone = retracted(rows)
    influence = state.version.agent.influence(state.user, arm)
    parts = (
        _part(state, row.seq, row.body, influence)
        for row in rows
        if isinstance(row, Event) and row.seq not in gone
    )
    return [part for part in parts if part is not None]


def _part(state: Conversation, seq: int, body: Body, influence: Any) -> Contribution | None:
    """One event's part; None where it teaches nothing: a skip, or something gone."""
    if isinstance(body, AnswerBody):
        asked, heard = state.question(body, 1, 1), state.heard(body)
        if asked is None or heard is None or body.answer is None:
            return None
        names, value, part = body.names, body.answer, influence.of_answer(asked, heard)
    elif isinstance(body, RewardBody):
        index = state.index("arm", body.item)
        if index is None:
            return None
        names, value = (body.item,), body.reward
        part = influence.of_reward(state.version.catalog.arms[index], value)
    else:
        return None
    return Contribution(
        event=seq,
        kind="answer" if isinstance(body, AnswerBody) else "reward",
        about=" / ".join(names),
        value=value,
        contribution=part,
    )
