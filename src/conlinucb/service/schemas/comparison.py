"""What a comparison of agents takes and gives."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import Text, example, shown


class ComparisonBody(BaseModel):
    """Who is met, and by whom."""

    model_config = example(
        agents=["for-newcomers", "max-radius"], people="steady", schedule="own", seed=1, rounds=30
    )

    agents: Annotated[list[Text], Field(min_length=1, max_length=4)]
    people: Text = Field(
        default="steady",
        description="steady: two or three topics they like; random: a taste in any direction; "
        "others: of a published log.",
    )
    schedule: Text = Field(default="own", description="own: each as it was made.")
    noise: float = Field(
        default=0.1,
        ge=0,
        le=2,
        allow_inf_nan=False,
        strict=True,
        description="Of rewards and answers; half of it is how often steady people are mistaken.",
    )
    seed: int = Field(default=0, ge=0, lt=2**31, strict=True, description="Who the people are.")
    person: int | None = Field(
        default=None,
        ge=1,
        le=40,
        strict=True,
        description="Who of the 40 is shown; null: the typical one of the first 30.",
    )
    rounds: int = Field(default=30, ge=1, le=300, strict=True)


class ComparisonAnswer(BaseModel):
    """A question and what the person said; null for nothing."""

    about: str
    answer: float | None
    picked: list[str] | None = Field(default=None, description="Of a group: what was picked.")
    preferred: str | None = Field(
        default=None, description="Of a pair: which was liked more, if any."
    )


class ComparisonRound(BaseModel):
    """One round of one agent."""

    asked: list[ComparisonAnswer]
    item: str
    reward: float = Field(description="What the item is worth to the person, without noise.")
    liked: bool
    regret: float = Field(description="What better picks would have brought, summed up to here.")
    error: float | None = Field(
        description="Distance of the estimate from the person's taste, where that is known."
    )


class ComparisonRun(BaseModel):
    """One agent's way with the person."""

    agent: str
    rounds: list[ComparisonRound]


class ComparisonPerson(BaseModel):
    """How one of the 40 fared with each agent."""

    regret: list[float]
    liked: list[int]


class ComparisonPeople(BaseModel):
    """How all 40 fared, the first of them first."""

    rounds: int = Field(description="That all of them played.")
    better: list[int] = Field(description="People whom each agent served better: with less regret.")
    alike: int = Field(description="People who fared alike.")
    share_low: float | None = Field(
        description="Of all such people for whom it makes a difference, the first of two agents "
        "serves at least this share better, by a 95 % interval."
    )
    share_high: float | None
    people: list[ComparisonPerson]


class ComparisonOut(BaseModel):
    """The same people, met by each agent."""

    model_config = shown(
        person=7,
        typical=7,
        likes=["mysteries"],
        dislikes=["musicals"],
        runs=[
            {
                "agent": "linucb",
                "rounds": [
                    {
                        "asked": [],
                        "item": "Heat (1995)",
                        "reward": 1.0,
                        "liked": True,
                        "regret": 0.0,
                        "error": None,
                    }
                ],
            }
        ],
        everybody={
            "rounds": 30,
            "better": [27],
            "alike": 13,
            "share_low": None,
            "share_high": None,
            "people": [{"regret": [3.0], "liked": [27]}],
        },
    )

    person: int = Field(description="Who of the 40 is shown.")
    typical: int = Field(description="Of the first 30, whose difference is the middle one.")
    likes: list[str] = Field(description="The topics that this person likes best.")
    dislikes: list[str]
    runs: list[ComparisonRun]
    everybody: ComparisonPeople
