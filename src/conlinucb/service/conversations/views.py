"""What callers see of events and states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.schemas import (
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
from conlinucb.service.storage import Broken, Event

TERMS = 12
"""Key-terms named with an item, at most."""
CONTRIBUTIONS = 200
"""Contributions listed one by one; the others come as a sum."""


def question(event: Event) -> QuestionOut:
    """A question as it is put."""
    body = event.body
    radius = body["radius"]
    return QuestionOut(
        question=f"q{event.seq}",
        about=body["about"],
        term=body["id"],
        text=body["text"],
        mean=body["mean"],
        radius=radius,
        why=Why(
            strategy=body["strategy"],
            rank=body.get("rank"),
            of=body.get("of"),
            radius_after=radius / math.sqrt(1.0 + radius * radius),
        ),
    )


def next_out(event: Event, version: CatalogueVersion) -> QuestionOut | RecommendationOut:
    """What ``next`` decided on."""
    if event.kind == "question":
        return question(event)
    items = [
        ItemOut(**each, terms=version.terms_of(each["item"])[:TERMS])
        for each in event.body["items"]
    ]
    return RecommendationOut(decision=f"d{event.seq}", round=event.body["round"], items=items)


def entries(rows: Sequence[Event | Broken]) -> list[EventOut]:
    """A log as its owner reads it."""
    events = [row for row in rows if isinstance(row, Event)]
    gone = {event.body.get("of") for event in events if event.kind == "retraction"}
    return [
        EventOut(
            event=event.seq,
            kind=event.kind,
            at=_when(event.at),
            about=event.body,
            client_id=event.client_id,
            retracted=event.seq in gone,
        )
        for event in events
    ]


def _when(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="milliseconds")


def profile(
    state: Conversation, name: str, rows: Sequence[Event | Broken], latest: int, before: int
) -> Profile:
    """What is believed of a person, and where it comes from."""
    version = state.version
    belief = version.agent.estimates(state.user)
    open_ = next((row for row in rows if row.seq == state.open_seq), None)
    log = entries(rows)
    return Profile(
        user=name,
        catalogue=version.name,
        version=version.number,
        rounds=state.user.rounds,
        questions_asked=state.asked,
        open_question=question(open_) if isinstance(open_, Event) else None,
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


def explanation(state: Conversation, rows: Sequence[Event | Broken], item: str) -> Explanation:
    """What each answer and reward adds to an item's mean."""
    version = state.version
    arm = version.catalog.arm_index(item)
    found = version.agent.score(state.user, [arm])
    parts = sorted(_parts(state, rows, arm), key=lambda part: -abs(part.contribution))
    return Explanation(
        item=item,
        mean=float(found.means[0]),
        radius=float(found.radii[0]),
        score=float(found.scores[0]),
        contributions=parts[:CONTRIBUTIONS],
        rest=math.fsum(part.contribution for part in parts[CONTRIBUTIONS:]),
    )


def _parts(state: Conversation, rows: Sequence[Event | Broken], arm: int) -> list[Contribution]:
    events = [row for row in rows if isinstance(row, Event)]
    gone = {event.body.get("of") for event in events if event.kind == "retraction"}
    influence = state.version.agent.influence(state.user, arm)
    found = []
    for event in events:
        if event.seq in gone or event.kind not in ("answer", "reward"):
            continue
        part = _part(state, event, influence)
        if part is not None:
            found.append(part)
    return found


def _part(state: Conversation, event: Event, influence: Any) -> Contribution | None:
    """One event's part; None where it teaches nothing: a skip, or something gone."""
    body, catalog = event.body, state.version.catalog
    kind = body["about"] if event.kind == "answer" else "arm"
    about = body["id"] if event.kind == "answer" else body["item"]
    value = body["answer"] if event.kind == "answer" else body["reward"]
    index = state.index(kind, about)
    if value is None or index is None:
        return None
    if kind == "term":
        weight = np.dot(catalog.terms[index], influence.term)
    else:
        weight = np.dot(catalog.arms[index], influence.arm)
    return Contribution(
        event=event.seq,
        kind="answer" if event.kind == "answer" else "reward",
        about=about,
        value=value,
        contribution=float(value * weight),
    )
