"""A whole step of a conversation in one request, and what it makes of a person."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from conlinucb.service.schemas.base import ErrorInside, example, shown
from conlinucb.service.schemas.people import (
    ITEM,
    AnswerBody,
    ItemOut,
    NextBody,
    QuestionOut,
    Receipt,
    RecommendationOut,
    RewardBody,
)

MOST_SAID = 100
Value = Literal["yes", "no"] | float
"""An answer as it was given: the ends of the range have words."""
PICTURE = {
    "rounds": 1,
    "questions_asked": 1,
    "questions_over": False,
    "known": 0.12,
    "topics": [
        {"term": "set in space", "liking": 1.0, "said": "yes", "mean": 0.81, "radius": 0.2},
        {"term": "horror", "liking": 0.2, "said": None, "mean": 0.35, "radius": 0.4},
    ],
    "rated": [{"item": "Alien (1979)", "title": "Alien", "reward": 1.0, "event": 4}],
    "answered": [{"term": "set in space", "answer": "yes", "event": 2}],
}


class TakeBackBody(BaseModel):
    """An answer or a reward to take back."""

    model_config = example(event=3)

    event: int = Field(ge=1, le=2**31 - 1, strict=True, description="Its number in the log.")


class SaidBody(BaseModel):
    """One thing that a person says: an answer, a reward, or that they take one back."""

    model_config = example(answer={"topic": "heist stories", "answer": "yes", "event": "7f9c"})

    answer: AnswerBody | None = None
    reward: RewardBody | None = None
    take_back: TakeBackBody | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(each is not None for each in (self.answer, self.reward, self.take_back)) != 1:
            raise ValueError("there must be one of answer, reward and take_back")
        return self


class StepsBody(BaseModel):
    """What was said, in this order, and what is to come next."""

    model_config = example(
        said=[
            {"answer": {"topic": "set in space", "answer": "yes", "event": "7f9c"}},
            {"reward": {"item": "Alien (1979)", "reward": 1.0, "event": "81aa"}},
        ],
        next={"k": 3, "fresh": True, "event": "93b0"},
    )

    said: Annotated[list[SaidBody], Field(max_length=MOST_SAID)] = Field(default_factory=list)
    next: NextBody | None = Field(default=None, description="null: nothing comes next.")


class Refusal(BaseModel):
    """Why one thing was not taken in; the others were."""

    error: ErrorInside


class TopicOut(BaseModel):
    """What is believed of one key-term."""

    term: str
    liking: float = Field(
        description="From -1, dislike, to 1: what they said of it themselves, or else what is "
        "expected beyond what people in general think of it."
    )
    said: Value | None = Field(description="Their own last word about it.")
    mean: float = Field(description="The answer expected now.")
    radius: float = Field(description="How uncertain that is.")


class RatedOut(BaseModel):
    """An item that was rated."""

    item: str
    title: str
    reward: float
    event: int = Field(description="To take it back.")


class AnsweredOut(BaseModel):
    """A key-term that was answered about, asked or not."""

    term: str
    answer: Value
    event: int = Field(description="To take it back.")


class PreferredOut(BaseModel):
    """A key-term that was liked more than another, of a pair."""

    term: str
    over: str
    event: int = Field(description="To take it back.")


class Picture(BaseModel):
    """What is made of a person."""

    model_config = shown(**PICTURE)

    rounds: int
    questions_asked: int
    questions_over: bool = Field(description="Whether nothing more will be asked.")
    known: float = Field(
        ge=0, le=1, description="Share of the uncertainty about all items that is gone."
    )
    topics: list[TopicOut] = Field(description="Every key-term, the most liked first.")
    rated: list[RatedOut] = Field(description="The latest first, at most 500.")
    answered: list[AnsweredOut] = Field(description="The latest first, at most 500.")
    preferred: list[PreferredOut] = Field(
        default_factory=list, description="Of pairs, the latest first, at most 500."
    )


class StepsOut(BaseModel):
    """What became of it."""

    model_config = shown(
        receipts=[{"event": 1, "repeated": False}, {"event": 2, "repeated": False}],
        step={"type": "recommendation", "decision": "d3", "round": 1, "items": [ITEM]},
        ended=None,
        picture=PICTURE,
    )

    receipts: list[Receipt | Refusal] = Field(description="One for each thing said, in order.")
    step: QuestionOut | RecommendationOut | None
    ended: Literal["nothing_left", "all_shown"] | None = Field(
        description="nothing_left: there is nothing to recommend; all_shown: what was shown "
        "before had to return."
    )
    picture: Picture


class BestOut(BaseModel):
    """The best for someone, by what is known."""

    model_config = shown(items=[ITEM])

    items: list[ItemOut]
