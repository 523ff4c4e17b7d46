"""A person's state: the fold of their log, event by event, under one agent.

The live service and every rebuild go through ``apply``, so they cannot come to differ.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from conlinucb.errors import Damaged, InvalidInput, UnknownName
from conlinucb.service.served import Served
from conlinucb.service.storage import Arrays, Broken, Event, Snapshot
from conlinucb.user import Question, User

RECENT = 16
"""Recommendations kept at hand; a reward of an older one looks it up in the log."""


class NeedsRebuild(Exception):
    """Something was taken back: the state has to be folded anew, without it."""


@dataclass(eq=False)
class Conversation:
    """What is known of a person, and where the conversation stands."""

    served: Served
    user: User
    seq: int = 0
    """The last event taken in."""
    open_seq: int = 0
    """The event of the question that waits for an answer; 0 for none."""
    asked: int = 0
    """Questions put to this person."""
    skipped_at: dict[int, int] = field(default_factory=dict)
    """What was skipped, by index, and how many questions had been asked by then."""
    answered_at: dict[int, int] = field(default_factory=dict)
    """The same for what was answered."""
    decisions: OrderedDict[int, tuple[str, ...]] = field(default_factory=OrderedDict)
    """The items of recent recommendations, by event."""

    @classmethod
    def new(cls, served: Served, seed: int) -> Conversation:
        """Someone who has said nothing yet."""
        return cls(served, served.agent.new_user(seed=seed))

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        if event.seq != self.seq + 1:
            raise Damaged(f"event {event.seq} follows on {self.seq}")
        _STEPS[event.kind](self, event)
        self.seq = event.seq

    def skip(self, seq: int) -> None:
        """Go on behind an event, whether it was taken in, taken back or is damaged."""
        self.seq = seq

    def resting(self) -> set[int]:
        """What is not to be asked about now."""
        settings = self.served.settings
        skipped = {
            i for i, at in self.skipped_at.items() if self.asked < at + settings.rest_after_skip
        }
        answered = {
            i for i, at in self.answered_at.items() if self.asked < at + settings.rest_after_answer
        }
        return skipped | answered

    def on(self, served: Served) -> Conversation:
        """The same conversation on another version with the same basis."""
        self.served = served
        return self

    def snapshot(self) -> Snapshot:
        """The state as arrays; recent recommendations are not part of it."""
        counts = np.array([self.open_seq, self.asked], dtype=np.int64)
        arrays = {
            **self.user.to_arrays(),
            "place": counts,
            "skipped": _pairs(self.skipped_at),
            "answered": _pairs(self.answered_at),
        }
        return Snapshot(self.seq, arrays)

    @classmethod
    def from_snapshot(cls, served: Served, snapshot: Snapshot) -> Conversation:
        """The conversation that ``snapshot`` was called on."""
        arrays = snapshot.arrays
        user = served.agent.load_user(arrays)
        try:
            open_seq, asked = (int(each) for each in arrays["place"])
            skipped, answered = _table(arrays, "skipped"), _table(arrays, "answered")
        except (KeyError, ValueError, TypeError) as error:
            raise Damaged(f"the place in the conversation cannot be read: {error}") from error
        return cls(served, user, snapshot.seq, open_seq, asked, skipped, answered)

    def index(self, kind: str, name: str) -> int | None:
        """The index of an item or key-term, None where this catalogue does not have it."""
        catalog = self.served.catalog
        try:
            return catalog.term_index(name) if kind == "term" else catalog.arm_index(name)
        except UnknownName:
            return None


UNUSABLE = (InvalidInput, Damaged, KeyError, TypeError, ValueError)
"""What an event may raise whose content is not what this package writes."""


def fold(
    served: Served, seed: int, rows: Sequence[Event | Broken]
) -> tuple[Conversation, dict[int, str]]:
    """The state that a whole log comes to, without what was taken back.

    And what could not be read of it, with the reason; the rest counts.
    """
    there = {row.seq: row for row in rows}
    gone = {row.body.get("of") for row in rows if _is(row, "retraction")}
    state, broken = Conversation.new(served, seed), {}
    for seq in range(1, max(there, default=0) + 1):
        row = there.get(seq, Broken(seq, "it is not there"))
        if isinstance(row, Broken):
            broken[seq] = row.reason
        elif seq not in gone and row.kind != "retraction":
            try:
                state.apply(row)
            except UNUSABLE as error:
                broken[seq] = f"it cannot be used: {error!r}"
        state.skip(seq)
    return state, broken


def _is(row: Event | Broken, kind: str) -> TypeGuard[Event]:
    return isinstance(row, Event) and row.kind == kind


def _question(state: Conversation, event: Event) -> None:
    body = event.body
    index = state.index(body["about"], body["id"])
    state.asked += 1
    state.open_seq = event.seq
    if index is None:  # not in this catalogue: it counts as asked, nothing can be learned of it
        state.user.questions = body["number"]
        state.user.open = None
    else:
        state.user.was_asked(Question(body["about"], index, body["number"], body["round"]))


def _answer(state: Conversation, event: Event) -> None:
    body, user = event.body, state.user
    index = state.index(body["about"], body["id"])
    if index is not None:
        if state.open_seq != body["question"] or user.open is None:
            user.open = Question(body["about"], index, user.questions, 0)
        state.served.agent.hear(user, user.open, body["answer"])
        rests = state.skipped_at if body["answer"] is None else state.answered_at
        rests[index] = state.asked
    state.open_seq = 0


def _recommendation(state: Conversation, event: Event) -> None:
    state.user.close_round()
    state.decisions[event.seq] = tuple(each["item"] for each in event.body["items"])
    while len(state.decisions) > RECENT:
        state.decisions.popitem(last=False)


def _reward(state: Conversation, event: Event) -> None:
    index = state.index("arm", event.body["item"])
    if index is not None:
        state.served.agent.learn(state.user, index, event.body["reward"])


def _retraction(state: Conversation, event: Event) -> None:
    raise NeedsRebuild


_STEPS = {
    "question": _question,
    "answer": _answer,
    "recommendation": _recommendation,
    "reward": _reward,
    "retraction": _retraction,
}


def _pairs(table: dict[int, int]) -> Any:
    return np.array(sorted(table.items()), dtype=np.int64).reshape(-1, 2)


def _table(arrays: Arrays, name: str) -> dict[int, int]:
    return {int(index): int(at) for index, at in arrays[name]}
