"""A person's state: the fold of their log, event by event, under one agent.

The live service and every rebuild go through ``apply``, so they cannot come to differ.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conlinucb.agent.picked import Picked
from conlinucb.agent.question import Question, question_about
from conlinucb.agent.relative import Said
from conlinucb.agent.user import User
from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.memory import Memory
from conlinucb.service.storage import (
    AnswerBody,
    Arrays,
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    RetractionBody,
    RewardBody,
    Snapshot,
    retracted,
)

RECENT = 16
"""Recommendations kept at hand; a reward of an older one looks it up in the log."""


Places = dict[tuple[str, int], int]
"""From "term" or "arm" and an index to a number of questions."""
_KINDS = ("term", "arm")


class NeedsRebuild(Exception):
    """Something was taken back: the state has to be folded anew, without it."""


@dataclass(eq=False)
class Conversation:
    """What is known of a person, and where the conversation stands."""

    version: CatalogueVersion
    user: User
    seq: int = 0
    """The last event taken in."""
    open_seq: int = 0
    """The event of the question that waits for an answer; 0 for none."""
    asked: int = 0
    """Questions put to this person."""
    skipped_at: Places = field(default_factory=dict)
    """What was skipped, and how many questions had been asked by then."""
    answered_at: Places = field(default_factory=dict)
    """The same for what was answered."""
    missed: int = 0
    """Answers and rewards about what this version of the catalogue does not have."""
    decisions: OrderedDict[int, tuple[str, ...]] = field(default_factory=OrderedDict)
    """The items of recent recommendations, by event."""
    memory: Memory = field(default_factory=Memory)
    """What this person said last of each key-term and item, and what they were shown lately."""
    moved: bool = False
    """Whether it came from another population by way of its sums; then a fold differs by rounding.
    """
    shadows: dict[str, Conversation] = field(default_factory=dict)
    """The same log under agents that only watch, by arm; never kept."""

    @classmethod
    def new(cls, version: CatalogueVersion, seed: int) -> Conversation:
        """Someone who has said nothing yet."""
        return cls(version, version.agent.new_user(seed=seed))

    def apply(self, event: Event) -> None:
        """Take in the next event."""
        if event.seq != self.seq + 1:
            raise Damaged(f"event {event.seq} follows on {self.seq}")
        match event.body:
            case QuestionBody() as body:
                _question(self, event.seq, body)
            case AnswerBody() as body:
                _answer(self, event.seq, body)
            case RecommendationBody() as body:
                _recommendation(self, event.seq, body)
            case RewardBody() as body:
                _reward(self, event.seq, body)
            case RetractionBody():
                raise NeedsRebuild
        self.seq = event.seq

    def skip(self, seq: int) -> None:
        """Go on behind an event, whether it was taken in, taken back or is damaged."""
        self.seq = seq

    def resting(self) -> set[int]:
        """Indices of what is not to be asked about now."""
        settings, kind = self.version.settings, self.version.agent.asks
        rests = (
            (self.skipped_at, settings.rest_after_skip),
            (self.answered_at, settings.rest_after_answer),
        )
        return {
            index
            for places, rest in rests
            for (about, index), at in places.items()
            if about == kind and self.asked < at + rest
        }

    def fits(self, version: CatalogueVersion) -> bool:
        """Whether this state is that of the log under another version of the catalogue, too."""
        same = self.version.basis == version.basis
        later = self.version.number <= version.number
        return same and later and (not self.missed or self.version.number == version.number)

    def on(self, version: CatalogueVersion) -> Conversation:
        """The same conversation on another version that it fits."""
        self.version = version
        return self

    def snapshot(self) -> Snapshot:
        """The state as arrays; recent recommendations are not part of it."""
        place = [self.open_seq, self.asked, self.missed]
        arrays = {
            **self.user.to_arrays(),
            "place": np.array(place, dtype=np.int64),
            "version": np.array(self.version.number),
            "skipped": _pairs(self.skipped_at),
            "answered": _pairs(self.answered_at),
            **self.memory.to_arrays(),
            **({"moved": np.array(1)} if self.moved else {}),
        }
        return Snapshot(self.seq, arrays)

    @classmethod
    def from_snapshot(cls, version: CatalogueVersion, snapshot: Snapshot) -> Conversation | None:
        """The conversation that ``snapshot`` was called on; None where it does not fit."""
        arrays = snapshot.arrays
        user = version.agent.load_user(arrays)
        try:
            open_seq, asked, missed = (int(each) for each in arrays["place"])
            number = int(arrays["version"])
            skipped, answered = _table(arrays, "skipped"), _table(arrays, "answered")
            memory = Memory.from_arrays(arrays)
        except (LookupError, ValueError, TypeError, OverflowError) as error:
            raise Damaged(f"the place in the conversation cannot be read: {error}") from error
        if number > version.number or (missed and number != version.number):
            return None  # it may hold what this version does not have, or lack what it has
        if memory is None or not memory.fits(version.catalog):
            return None  # of before it was noted, or about what no version has
        if asked and version.agent.asks == "term" and not user.times:
            return None  # of before it was noted what came up, which steers questions
        return cls(
            version,
            user,
            snapshot.seq,
            open_seq,
            asked,
            skipped,
            answered,
            missed,
            memory=memory,
            moved="moved" in arrays,
        )

    def index(self, kind: str, name: str) -> int | None:
        """The index of an item or key-term, None where this catalogue does not have it."""
        catalog = self.version.catalog
        return (catalog._term_lookup if kind == "term" else catalog._arm_lookup).get(name)

    def question(
        self, body: QuestionBody | AnswerBody, number: int, round_: int
    ) -> Question | None:
        """What was asked, for the agent; None where this catalogue does not have all of it."""
        kind = "arm" if body.about == "arm" else "term"
        found = [self.index(kind, name) for name in body.names]
        indices = [each for each in found if each is not None]
        if len(indices) < len(found):
            return None
        place = number, round_, body.pick
        return question_about(self.version.catalog, body.about, indices, *place)

    def heard(self, body: AnswerBody) -> Said | None:
        """The answer as the agent takes it: of a pair, what each of the two is worth or how much
        more the first is liked; of a group, what was picked.

        Of a number about a pair, yes is the whole range more, no the whole range less.
        """
        low, high = self.version.settings.range
        if body.answer is None:
            return None
        if body.picked is not None:
            return Picked(tuple(self._picked(body)), low, high)
        if body.chose is not None:
            first, second = body.chose in ("first", "both"), body.chose in ("second", "both")
            return (high if first else low), (high if second else low)
        return body.answer if body.about != "pair" else 2 * body.answer - low - high

    def _picked(self, body: AnswerBody) -> Iterator[int]:
        """Indices of what was picked and is in this catalogue."""
        found = (self.index("term", name) for name in body.picked or ())
        return (each for each in found if each is not None)


UNUSABLE = (InvalidInput, Damaged, KeyError, TypeError, ValueError)
"""What an event may raise whose content is not what this package writes."""


def fold(
    version: CatalogueVersion, seed: int, rows: Sequence[Event | Broken]
) -> tuple[Conversation, dict[int, str]]:
    """The state that a log, as ``with_missing`` gives it, comes to without what was taken back.

    And what could not be read of it, with the reason; the rest counts.
    """
    gone = retracted(rows)
    state, broken = Conversation.new(version, seed), {}
    for row in rows:
        state.skip(row.seq - 1)
        if isinstance(row, Broken):
            broken[row.seq] = row.reason
        elif row.seq not in gone and not isinstance(row.body, RetractionBody):
            try:
                state.apply(row)
            except UNUSABLE as error:
                broken[row.seq] = f"it cannot be used: {error!r}"
        state.skip(row.seq)
    return state, broken


def _question(state: Conversation, seq: int, body: QuestionBody) -> None:
    question = state.question(body, body.number, body.round)
    state.asked += 1
    state.open_seq = seq
    if question is None:  # it counts as asked, nothing can be learned of it
        state.missed += 1
        state.user.questions = body.number
        state.user.open = None
    else:
        state.user.was_asked(question)


def _answer(state: Conversation, seq: int, body: AnswerBody) -> None:
    if body.question is None:
        _volunteered(state, seq, body)
        return
    user = state.user
    question = state.question(body, user.questions, 0)
    if question is not None:
        if state.open_seq != body.question or user.open is None:
            user.open = question
        state.version.agent.hear(user, user.open, state.heard(body))
        rests = state.skipped_at if body.answer is None else state.answered_at
        for index in question.indices:
            rests["arm" if question.kind == "arm" else "term", index] = state.asked
        if body.answer is not None and not question.others:
            state.memory.heard(question.kind, question.index, body.answer, seq)
        for index in state._picked(body):  # they could have said: none of these
            state.memory.heard("term", index, state.version.settings.range[1], seq)
        if body.chose is not None:
            _chose(state, question, body.chose, seq)
    else:
        state.missed += 1
    state.open_seq = 0


def _chose(state: Conversation, question: Question, chose: str, seq: int) -> None:
    """Of a pair one is liked more; both and neither are said of each."""
    first, second = question.indices
    low, high = state.version.settings.range
    if chose in ("both", "neither"):
        for index in question.indices:
            state.memory.heard("term", index, high if chose == "both" else low, seq)
    else:
        state.memory.prefers(*((first, second) if chose == "first" else (second, first)), seq)


def _volunteered(state: Conversation, seq: int, body: AnswerBody) -> None:
    """An answer to no question: whatever is open stays open."""
    index = state.index("term", body.names[0])
    if index is None or body.answer is None:
        state.missed += 1
    else:
        state.version.agent.volunteer(state.user, index, body.answer)
        state.answered_at["term", index] = state.asked
        state.memory.heard("term", index, body.answer, seq)


def _recommendation(state: Conversation, seq: int, body: RecommendationBody) -> None:
    state.user.close_round()
    state.decisions[seq] = tuple(each.item for each in body.items)
    while len(state.decisions) > RECENT:
        state.decisions.popitem(last=False)
    state.memory.showed(state.decisions[seq], state.user.rounds)


def _reward(state: Conversation, seq: int, body: RewardBody) -> None:
    index = state.index("arm", body.item)
    if index is None:
        state.missed += 1
    else:
        state.version.agent.learn(state.user, index, body.reward)
        state.memory.heard("arm", index, body.reward, seq)


def _pairs(places: Places) -> Any:
    rows = sorted((_KINDS.index(kind), index, at) for (kind, index), at in places.items())
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _table(arrays: Arrays, name: str) -> Places:
    if (arrays[name] < 0).any():
        raise ValueError(f"{name} has a number below 0")
    return {(_KINDS[kind], int(index)): int(at) for kind, index, at in arrays[name]}
