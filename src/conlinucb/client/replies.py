"""What the service answers, field by field as its own description at /v1/openapi.json says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Why:
    """Why this question: who chose it, and what it would leave unknown."""

    strategy: str
    rank: int | None
    of: int | None
    radius_after: float


@dataclass(frozen=True)
class Question:
    """A question to put to the person."""

    question: str
    about: str
    term: str
    text: str
    mean: float
    radius: float
    why: Why
    terms: tuple[str, ...] = ()
    pick: str | None = None
    type: str = "question"


@dataclass(frozen=True)
class Reason:
    """Something this person likes that speaks for an item."""

    kind: str
    about: str
    title: str
    liking: float
    over: str | None = None


@dataclass(frozen=True)
class Item:
    """A recommended item."""

    item: str
    title: str
    score: float
    mean: float
    radius: float
    exploring: bool
    terms: tuple[str, ...]
    matches: tuple[str, ...]
    because: tuple[Reason, ...]
    subtitle: str | None = None
    image: str | None = None
    link: str | None = None
    text: str | None = None
    year: int | None = None


@dataclass(frozen=True)
class Recommendation:
    """Items to show, best first."""

    decision: str
    round: int
    items: tuple[Item, ...]
    type: str = "recommendation"


Step = Question | Recommendation
"""What comes next."""


@dataclass(frozen=True)
class Receipt:
    """What was taken in is on disk, under this number of the person's log."""

    event: int
    repeated: bool


@dataclass(frozen=True)
class Refusal:
    """Why one thing of several was not taken in."""

    code: str
    message: str


@dataclass(frozen=True)
class Topic:
    """What is believed of one key-term, from -1, disliked, to 1, liked."""

    term: str
    liking: float
    said: str | float | None
    mean: float
    radius: float


@dataclass(frozen=True)
class Rated:
    """An item that was rated; ``event`` takes it back."""

    item: str
    title: str
    reward: float
    event: int


@dataclass(frozen=True)
class Answered:
    """A key-term that was answered about; ``event`` takes it back."""

    term: str
    answer: str | float
    event: int


@dataclass(frozen=True)
class Preferred:
    """A key-term that was liked more than another, of a pair; ``event`` takes it back."""

    term: str
    over: str
    event: int


@dataclass(frozen=True)
class Picture:
    """What is made of a person."""

    rounds: int
    questions_asked: int
    questions_over: bool
    known: float
    topics: tuple[Topic, ...]
    rated: tuple[Rated, ...]
    answered: tuple[Answered, ...]
    preferred: tuple[Preferred, ...] = ()


@dataclass(frozen=True)
class Steps:
    """What became of all that was said, and what comes next."""

    receipts: tuple[Receipt | Refusal, ...]
    step: Step | None
    ended: str | None
    picture: Picture


@dataclass(frozen=True)
class Best:
    """The best for someone, by what is known."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Term:
    """What is believed of one key-term."""

    term: str
    mean: float
    radius: float


@dataclass(frozen=True)
class Event:
    """One entry of a person's log."""

    event: int
    kind: str
    at: str
    about: dict[str, Any]
    client_id: str | None
    retracted: bool


@dataclass(frozen=True)
class Profile:
    """Everything believed of a person, and where it comes from."""

    user: str
    catalogue: str
    version: int
    rounds: int
    questions_asked: int
    open_question: Question | None
    terms: tuple[Term, ...]
    events: tuple[Event, ...]
    events_in_all: int
    damaged_events: int


@dataclass(frozen=True)
class Contribution:
    """What one answer or reward adds to an item's mean."""

    event: int
    kind: str
    about: str
    value: float
    contribution: float
    terms: tuple[str, ...] = ()
    chose: str | None = None
    picked: tuple[str, ...] | None = None
    pick: str | None = None


@dataclass(frozen=True)
class Explanation:
    """Where an item's mean comes from: contributions and the rest add up to it."""

    item: str
    mean: float
    radius: float
    score: float
    contributions: tuple[Contribution, ...]
    rest: float


@dataclass(frozen=True)
class Conversation:
    """All that is kept of a person in one catalogue."""

    catalogue: str
    seed: int
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Export:
    """All that is kept of a person."""

    user: str
    conversations: tuple[Conversation, ...]


@dataclass(frozen=True)
class Catalogue:
    """A catalogue and its state."""

    catalogue: str
    version: int
    building: int | None
    items: int
    terms: int
    d: int
    people: int
    report: dict[str, int]
    settings: dict[str, Any]
    understood: dict[str, Any] | None = field(default=None)
