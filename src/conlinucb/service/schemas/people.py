"""Conversations, profiles and what people may do about them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from conlinucb.service.schemas.base import FewNames, Names, Text, example, shown
from conlinucb.service.schemas.details import ItemShown
from conlinucb.service.settings import Finite

Word = Literal["yes", "no", "skip", "first", "second", "both", "neither", "unknown"]
EVENT = {
    "event": 2,
    "kind": "answer",
    "at": "2027-01-31T12:00:00.000+00:00",
    "about": {"question": 1, "about": "term", "id": "heist stories", "answer": 1.0},
    "client_id": "7f9c",
    "retracted": False,
}


class NextBody(BaseModel):
    """What may be shown and asked now; everything may be left out."""

    model_config = example(
        pool=["Alien (1979)", "Solaris (1972)"], exclude=["Solaris (1972)"], k=1, ask="due"
    )

    pool: Annotated[Names, Field(min_length=1)] | None = Field(
        default=None, description="Items to choose from; all by default."
    )
    exclude: FewNames = Field(
        default_factory=list, description="Items not to show; unknown ones make no difference."
    )
    offered: Annotated[FewNames, Field(min_length=1)] | None = Field(
        default=None, description="Key-terms that may be asked about; all by default."
    )
    k: int = Field(default=1, ge=1, le=100, strict=True, description="How many items to recommend.")
    ask: Literal["due", "never"] = Field(
        default="due", description="never: spare this person a question now."
    )
    fresh: bool = Field(
        default=False,
        strict=True,
        description="Leave out what this person has rated, and what was shown lately: in the last "
        "rest_after_shown recommendations. Where that leaves nothing, what was only shown returns.",
    )
    like: Text | None = Field(
        default=None, description="Choose among the items most alike to this one, without it."
    )
    event: Text | None = Field(
        default=None,
        description="Your id of this call: sent twice, what it decided is decided once.",
    )


class Why(BaseModel):
    """Why this question."""

    strategy: str = Field(description="Who chose it.")
    rank: int | None = Field(description="Its place among all key-terms by uncertainty, from 1.")
    of: int | None = Field(description="How many key-terms there are.")
    radius_after: float = Field(description="The uncertainty left once it is answered.")


class QuestionOut(BaseModel):
    """A question to put to the person."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "question",
                    "question": "q1",
                    "about": "term",
                    "term": "heist stories",
                    "terms": ["heist stories"],
                    "text": "Do you enjoy heist stories?",
                    "mean": 0.0,
                    "radius": 2.1,
                    "why": {"strategy": "max-radius", "rank": 1, "of": 57, "radius_after": 0.9},
                }
            ]
        }
    )

    type: Literal["question"] = "question"
    question: str = Field(description="Its id, for the answer.")
    about: Literal["term", "arm", "pair", "group"]
    term: str = Field(description="The key-term, or the item where items are asked about.")
    terms: list[str] = Field(
        default_factory=list,
        description="Everything it is about: of a pair, yes means that the first is liked more.",
    )
    pick: Literal["any", "best"] | None = Field(
        default=None, description="Of a group: whether any may be picked, or the best."
    )
    text: str
    mean: float = Field(description="The answer expected now.")
    radius: float = Field(description="How uncertain that is.")
    why: Why


class Reason(BaseModel):
    """Something this person likes that speaks for an item."""

    kind: Literal["topic", "item", "pair"]
    about: str = Field(description="The key-term, of a pair the one liked more, or the item's id.")
    title: str = Field(description="The same for people.")
    liking: float = Field(description="How they said they like it, up to 1.")
    over: str | None = Field(default=None, description="Of a pair: the key-term liked less.")


class ItemOut(ItemShown):
    """A recommended item."""

    score: float = Field(description="Mean plus exploration: what it is ranked by.")
    mean: float = Field(description="Expected reward.")
    radius: float = Field(description="How uncertain that is.")
    exploring: bool = Field(description="Here to be learned about, not for its mean.")
    terms: list[str] = Field(description="Its key-terms, the heaviest first, at most 12.")
    matches: list[str] = Field(description="Those of its key-terms that this person likes.")
    because: list[Reason] = Field(description="The strongest reasons for it, at most 3.")


ITEM = {
    "item": "Alien (1979)",
    "title": "Alien",
    "year": 1979,
    "score": 0.41,
    "mean": 0.2,
    "radius": 2.1,
    "exploring": True,
    "terms": ["horror", "set in space"],
    "matches": ["set in space"],
    "because": [{"kind": "topic", "about": "set in space", "title": "set in space", "liking": 1.0}],
}


class RecommendationOut(BaseModel):
    """Items to show, best first."""

    model_config = shown(type="recommendation", decision="d2", round=1, items=[ITEM])

    type: Literal["recommendation"] = "recommendation"
    decision: str = Field(description="Its id, for rewards.")
    round: int
    items: list[ItemOut]


class AnswerBody(BaseModel):
    """The answer to the open question, or one about a topic that nobody asked about."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "q1", "answer": "yes", "event": "7f9c"},
                {"topic": "heist stories", "answer": "yes"},
                {"question": "q3", "picked": ["heist stories"]},
            ]
        },
    )

    question: Text | None = Field(default=None, description="The id that ``next`` returned.")
    topic: Text | None = Field(
        default=None, description="In place of a question: a key-term that nobody asked about."
    )
    answer: Word | Finite | None = Field(
        default=None,
        description="yes, no, skip, or a number in the catalogue's range; to a pair also first, "
        "second, both, neither. unknown teaches as little as a skip, and is counted apart.",
    )
    picked: Annotated[list[Text], Field(max_length=16)] | None = Field(
        default=None,
        description="In place of an answer, to a group: the key-terms that were picked, [] for "
        "none of these.",
    )
    event: Text | None = Field(
        default=None, description="Your id of this answer: sent twice, it counts once."
    )

    @model_validator(mode="after")
    def _is_about_one(self) -> Self:
        if (self.question is None) == (self.topic is None):
            raise ValueError("there must be either a question or a topic")
        if (self.answer is None) == (self.picked is None):
            raise ValueError("there must be either an answer or what was picked")
        if self.topic is not None and self.picked is not None:
            raise ValueError("only a question can be answered by what was picked")
        return self


class RewardBody(BaseModel):
    """How an item was liked; now or later."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"decision": "d2", "item": "Alien (1979)", "reward": 1.0, "event": "81aa"},
                {"item": "Heat (1995)", "reward": 1.0},
            ]
        },
    )

    decision: Text | None = Field(
        default=None,
        description="The id that ``next`` returned; without it, any item of the catalogue.",
    )
    item: Text
    reward: Finite = Field(description="A number in the catalogue's range.")
    event: Text | None = Field(
        default=None, description="Your id of this reward: sent twice, it counts once."
    )


class Receipt(BaseModel):
    """What was taken in is on disk."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"event": 3, "repeated": False}]})

    event: int = Field(description="Its number in the person's log; DELETE it to take it back.")
    repeated: bool = Field(description="True where it had been taken in before.")


class PersonBody(BaseModel):
    """A person to be known beforehand."""

    model_config = example(seed=7)

    seed: int | None = Field(
        default=None,
        ge=0,
        lt=2**64,
        strict=True,
        description="Decides the strategy's random draws; from the name by default.",
    )


class TermOut(BaseModel):
    """What is believed of one key-term."""

    term: str
    mean: float
    radius: float


class EventOut(BaseModel):
    """One entry of a person's log."""

    event: int
    kind: str
    at: str = Field(description="When, in UTC.")
    about: dict[str, Any]
    client_id: str | None = Field(description="The id the caller gave it.")
    retracted: bool


class Profile(BaseModel):
    """Everything believed of a person, and where it comes from."""

    model_config = shown(
        user="ann",
        catalogue="films",
        version=1,
        rounds=3,
        questions_asked=3,
        open_question=None,
        terms=[{"term": "heist stories", "mean": 0.81, "radius": 0.64}],
        events=[EVENT],
        events_in_all=9,
        damaged_events=0,
    )

    user: str
    catalogue: str
    version: int
    rounds: int
    questions_asked: int
    open_question: QuestionOut | None
    terms: list[TermOut] = Field(description="Every key-term that can be asked about.")
    events: list[EventOut] = Field(description="The latest ones, newest first.")
    events_in_all: int
    damaged_events: int = Field(description="Events that cannot be read and do not count.")


class Contribution(BaseModel):
    """What one answer or reward adds to an item's mean."""

    event: int
    kind: Literal["answer", "reward"]
    about: str
    value: float
    contribution: float
    terms: list[str] = Field(
        default_factory=list, description="Of a pair or a group: all that it was about."
    )
    chose: str | None = Field(
        default=None, description="Of a pair: first, second, both or neither."
    )
    picked: list[str] | None = Field(default=None, description="Of a group: what was picked.")
    pick: Literal["any", "best"] | None = Field(default=None, description="Of a group.")


class Explanation(BaseModel):
    """Where an item's mean comes from: contributions and the rest add up to it."""

    model_config = shown(
        item="Heat (1995)",
        mean=0.5,
        radius=0.9,
        score=0.59,
        contributions=[
            {
                "event": 2,
                "kind": "answer",
                "about": "heist stories",
                "value": 1.0,
                "contribution": 0.5,
            }
        ],
        rest=0.0,
    )

    item: str
    mean: float
    radius: float
    score: float
    contributions: list[Contribution] = Field(description="Largest first.")
    rest: float = Field(
        description="The sum of those beyond the list, and what was believed before anything "
        "was said."
    )


class ExportedConversation(BaseModel):
    """All that is kept of a person in one catalogue."""

    catalogue: str
    seed: int
    events: list[EventOut]


class Export(BaseModel):
    """All that is kept of a person."""

    model_config = shown(
        user="ann", conversations=[{"catalogue": "films", "seed": 7, "events": [EVENT]}]
    )

    user: str
    conversations: list[ExportedConversation]
