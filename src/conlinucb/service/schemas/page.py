"""What the page asks for, beside what people may."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import Text, example, shown


class PageCatalogue(BaseModel):
    """A catalogue as the page needs it."""

    name: str
    items: int
    terms: int
    range: tuple[float, float] = Field(description="What no and yes are worth.")
    noun: str = Field(description="What one item is called.")
    nouns: str = Field(description="What several are called.")


class PageOut(BaseModel):
    """What the page has to know before it can ask for anything."""

    model_config = shown(
        catalogues=[
            {
                "name": "films",
                "items": 360,
                "terms": 58,
                "range": [0.0, 1.0],
                "noun": "film",
                "nouns": "films",
            }
        ],
        default="films",
        agents=["max-radius", "linucb"],
        schedules=["logarithmic", "never"],
    )

    catalogues: list[PageCatalogue]
    default: str | None
    agents: list[str] = Field(description="What can be compared.")
    schedules: list[str]


class FoundTopic(BaseModel):
    """A key-term, and how many items have it."""

    term: str
    items: int


class FoundItem(BaseModel):
    """An item that was found by its name."""

    item: str
    title: str
    subtitle: str | None = None
    image: str | None = None
    year: int | None = None
    terms: list[str] = Field(description="Its key-terms, the heaviest first, at most 12.")


class SearchOut(BaseModel):
    """What was found, best first."""

    model_config = shown(
        items=[{"item": "Alien (1979)", "title": "Alien", "year": 1979, "terms": ["horror"]}],
        topics=[{"term": "set in space", "items": 13}],
    )

    items: list[FoundItem]
    topics: list[FoundTopic]


class BeginningOut(BaseModel):
    """Where a person may begin."""

    model_config = shown(
        chips=[{"term": "comedies", "items": 71}], topics=[{"term": "love stories", "items": 76}]
    )

    chips: list[FoundTopic] = Field(
        description="At most 16 broad and varied key-terms, those that tell most first."
    )
    topics: list[FoundTopic] = Field(description="All key-terms, those with most items first.")


class ComparisonBody(BaseModel):
    """A simulated person, and who is to meet them."""

    model_config = example(
        agents=["max-radius", "linucb"], schedule="logarithmic", noise=0.1, seed=1, rounds=60
    )

    agents: Annotated[list[Text], Field(min_length=1, max_length=4)]
    schedule: Text = "logarithmic"
    noise: float = Field(default=0.1, ge=0, le=2, allow_inf_nan=False, strict=True)
    seed: int = Field(default=0, ge=0, lt=2**31, strict=True, description="Who the person is.")
    rounds: int = Field(default=100, ge=1, le=300, strict=True)


class ComparisonAnswer(BaseModel):
    """A question and what the simulated person said."""

    about: str
    answer: float


class ComparisonRound(BaseModel):
    """One round of one agent."""

    asked: list[ComparisonAnswer]
    item: str
    reward: float = Field(description="Expected, without noise.")
    regret: float = Field(description="Summed up to here.")
    error: float = Field(description="Distance of the estimate from the person's taste.")


class ComparisonRun(BaseModel):
    """One agent's way with the person."""

    agent: str
    rounds: list[ComparisonRound]


class ComparisonOut(BaseModel):
    """The same person, met by each agent."""

    model_config = shown(
        likes=["mysteries"],
        runs=[
            {
                "agent": "linucb",
                "rounds": [
                    {
                        "asked": [],
                        "item": "Heat (1995)",
                        "reward": 0.4,
                        "regret": 0.1,
                        "error": 0.9,
                    }
                ],
            }
        ],
    )

    likes: list[str] = Field(description="The topics that this person likes best.")
    runs: list[ComparisonRun]
