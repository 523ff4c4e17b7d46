"""One pass over people's logs: what counts, in columns that know people by number only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from conlinucb.service.dashboard.window import Window
from conlinucb.service.storage import (
    AnswerBody,
    Broken,
    Event,
    QuestionBody,
    RecommendationBody,
    RewardBody,
    retracted,
)

PAUSE = 30 * 60 * 1_000_000
"""Microseconds without a word after which another conversation begins."""
YES, NO, SKIPPED, BETWEEN, OPEN = range(5)
Name = TypeVar("Name", bound=Hashable)
Topic = tuple[str, tuple[str, ...]]
"""What a question is about: its kind, and the names."""


@dataclass
class Activity:
    """What happened in one part of the time."""

    people: int = 0
    newcomers: int = 0
    conversations: int = 0
    questions: int = 0
    recommendations: int = 0


@dataclass
class Ratings:
    """Rewards of what was recommended: row by row, a person's rows together and in order."""

    person: list[int] = field(default_factory=list)
    round: list[int] = field(default_factory=list)
    item: list[int] = field(default_factory=list)
    liked: list[bool] = field(default_factory=list)
    random: list[bool] = field(default_factory=list)
    population: list[int] = field(default_factory=list)


@dataclass
class Asked:
    """Questions that were put, and what came of them."""

    person: list[int] = field(default_factory=list)
    topic: list[int] = field(default_factory=list)
    outcome: list[int] = field(default_factory=list)
    radius: list[float] = field(default_factory=list)
    surprise: list[float] = field(default_factory=list)
    """How far the answer was from the one that was expected; NaN where there was none."""


@dataclass
class Touched:
    """Everyone who was asked about a topic, or spoke of it unasked."""

    person: list[int] = field(default_factory=list)
    topic: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    """The first row of ``Ratings`` that is theirs and came after they answered."""
    end: list[int] = field(default_factory=list)
    """Behind their last row; no row at all where they only skipped."""


class Tally:
    """Takes in one whole log after another.

    What was taken back or is damaged does not count. Events from before the window do not count
    either, but what came in it is understood by them: a reward's round, a topic asked about before.
    """

    def __init__(self, window: Window, range_: tuple[float, float]) -> None:
        self.window = window
        self.low, self.high = range_
        self.people = 0
        self.damaged = 0
        self.activity = [Activity() for _ in range(window.parts)]
        self.ratings, self.asked, self.touched = Ratings(), Asked(), Touched()
        self.likes: list[tuple[int, int]] = []
        """Who liked which item, volunteered or recommended; each pair once."""
        self.shown: set[str] = set()
        """Items that were recommended to anybody."""
        self.shown_to = 0
        """People who were recommended anything."""
        self.topics: dict[Topic, int] = {}
        self.items: dict[str, int] = {}

    def take(self, rows: Sequence[Event | Broken]) -> None:
        """Take in everything that one person's log says."""
        events = [row for row in rows if isinstance(row, Event)]
        self.damaged += len(rows) - len(events)
        self._take_activity(events)
        gone = retracted(events)
        standing = [event for event in events if event.seq not in gone]
        self._take_shown(standing)
        first_row = len(self.ratings.person)
        decisions = self._take_rewards(standing)
        self._take_questions(standing)
        self._take_touched(standing, decisions, first_row)
        self.people += 1

    def _take_activity(self, events: Sequence[Event]) -> None:
        here: set[int] = set()
        before: int | None = None
        for event in events:
            part = self.window.part(event.at)
            if part is not None:
                found = self.activity[part]
                here.add(part)
                found.newcomers += before is None
                found.conversations += before is None or event.at - before > PAUSE
                found.questions += event.kind == "question"
                found.recommendations += event.kind == "recommendation"
            before = event.at
        for part in here:
            self.activity[part].people += 1

    def _take_shown(self, standing: Sequence[Event]) -> None:
        items = {
            each.item
            for event in standing
            if isinstance(event.body, RecommendationBody) and self.window.part(event.at) is not None
            for each in event.body.items
        }
        self.shown |= items
        self.shown_to += bool(items)

    def _take_rewards(self, standing: Sequence[Event]) -> list[int]:
        """The rewards of this window; the decisions that their rows are about, in order."""
        shown = {
            event.seq: event.body
            for event in standing
            if isinstance(event.body, RecommendationBody)
        }
        rated: list[tuple[int, RecommendationBody, RewardBody]] = []
        liked: set[int] = set()
        for event in standing:
            body = event.body
            if not isinstance(body, RewardBody) or self.window.part(event.at) is None:
                continue
            if self._is_high(body.reward):
                liked.add(_number(self.items, body.item))
            if body.decision in shown:
                rated.append((body.decision, shown[body.decision], body))
        rated.sort(key=lambda each: each[0])
        for _, decision, reward in rated:
            self._add_rating(decision, reward)
        self.likes += [(self.people, item) for item in sorted(liked)]
        return [each[0] for each in rated]

    def _add_rating(self, decision: RecommendationBody, reward: RewardBody) -> None:
        self.ratings.person.append(self.people)
        self.ratings.round.append(decision.round)
        self.ratings.item.append(_number(self.items, reward.item))
        self.ratings.liked.append(self._is_high(reward.reward))
        self.ratings.random.append(decision.random)
        self.ratings.population.append(decision.population or 0)

    def _is_high(self, value: float) -> bool:
        return value > (self.low + self.high) / 2

    def _take_questions(self, standing: Sequence[Event]) -> None:
        answers = {
            event.body.question: event.body
            for event in standing
            if isinstance(event.body, AnswerBody)
        }
        for event in standing:
            body = event.body
            if not isinstance(body, QuestionBody) or self.window.part(event.at) is None:
                continue
            answer = answers.get(event.seq)
            said = None if answer is None else answer.answer
            self.asked.person.append(self.people)
            self.asked.topic.append(_number(self.topics, (body.about, body.names)))
            self.asked.outcome.append(OPEN if answer is None else self._outcome(answer))
            self.asked.radius.append(body.radius / (self.high - self.low))
            away = float("nan") if said is None else abs(said - body.mean)
            self.asked.surprise.append(away / (self.high - self.low))

    def _outcome(self, answer: AnswerBody) -> int:
        """Of a group, something picked is a yes, nothing a no."""
        said = answer.answer
        if said is None:
            return SKIPPED
        if answer.picked is not None:
            return YES if answer.picked else NO
        middle = (self.low + self.high) / 2
        return BETWEEN if said == middle else YES if said > middle else NO

    def _take_touched(
        self, standing: Sequence[Event], decisions: Sequence[int], first_row: int
    ) -> None:
        taught: dict[Topic, int | None] = {}
        for event in standing:
            body = event.body
            if not isinstance(body, QuestionBody | AnswerBody):
                continue
            topic: Topic = (body.about, body.names)
            said = isinstance(body, AnswerBody) and body.answer is not None
            if taught.get(topic) is None:
                taught[topic] = event.seq if said else None
        end = first_row + len(decisions)
        for topic, seq in taught.items():
            later = 0 if seq is None else len(decisions) - bisect_right(decisions, seq)
            self.touched.person.append(self.people)
            self.touched.topic.append(_number(self.topics, topic))
            self.touched.first.append(end - later)
            self.touched.end.append(end)


def _number(known: dict[Name, int], name: Name) -> int:
    """The number of a name, the next one where it is new."""
    return known.setdefault(name, len(known))
