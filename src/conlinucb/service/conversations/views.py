"""What callers see of events and states."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from conlinucb.agent.estimators.base import ArmScores, Influence
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
        pick=body.pick,
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


def entries(rows: Sequence[Event | Broken], gone: Collection[int]) -> list[EventOut]:
    """A part of a log as its owner reads it, and which of it was taken back."""
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


def profile(state: Conversation, name: str) -> Profile:
    """What is believed of a person; where it comes from is added by ``with_events``."""
    version = state.version
    belief = version.agent.estimates(state.user)
    return Profile(
        user=name,
        catalogue=version.name,
        version=version.number,
        rounds=state.user.rounds,
        questions_asked=state.asked,
        open_question=None,
        terms=[
            TermOut(
                term=str(version.catalog.term_ids[k]),
                mean=float(belief.means[k]),
                radius=float(belief.radii[k]),
            )
            for k in version.catalog.live_terms.tolist()
        ],
        events=[],
        events_in_all=state.seq,
        damaged_events=0,
    )


def with_events(
    found: Profile,
    version: CatalogueVersion,
    asked: Event | None,
    page: Sequence[Event | Broken],
    gone: Collection[int],
    damaged: Collection[int],
) -> Profile:
    """With the open question, a page of the log, and how much of it cannot be read."""
    opened = None
    if asked is not None and isinstance(asked.body, QuestionBody):
        opened = question(asked.seq, asked.body, version)
    new = {"open_question": opened, "events": entries(page, gone), "damaged_events": len(damaged)}
    return found.model_copy(update=new)


@dataclass(frozen=True)
class Explained:
    """An item's mean at a moment, and how each event bears on it."""

    state: Conversation
    """As it was; only what it is made on may be looked at, not what it has learned since."""
    scores: ArmScores
    influence: Influence

    def contributions(
        self, rows: Sequence[Event | Broken], gone: Collection[int]
    ) -> list[Contribution]:
        """What events add to the mean, but those taken back or that teach nothing."""
        parts = (
            _part(self.state, row.seq, row.body, self.influence)
            for row in rows
            if isinstance(row, Event) and row.seq not in gone
        )
        return [part for part in parts if part is not None]


def explained(state: Conversation, item: str) -> Explained:
    """What an explanation of an item's mean is made of."""
    agent = state.version.agent
    arm = state.version.catalog.arm_index(item)
    found, influence = agent.score(state.user, [arm]), agent.influence(state.user, arm)
    return Explained(replace(state), found, influence)


def _part(state: Conversation, seq: int, body: Body, influence: Influence) -> Contribution | None:
    """One event's part; None where it teaches nothing: a skip, or something gone."""
    more: dict[str, Any] = {}
    if isinstance(body, AnswerBody):
        asked, heard = state.question(body, 1, 1), state.heard(body)
        if asked is None or heard is None or body.answer is None:
            return None
        names, value, part = body.names, body.answer, influence.of_answer(asked, heard)
        if len(names) > 1:
            more = {"terms": list(names), "pick": body.pick}
            more |= {"chose": body.chose, "picked": body.picked}
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
        **more,
    )
