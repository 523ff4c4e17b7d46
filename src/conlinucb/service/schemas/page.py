"""What the page asks for, beside what people may."""

from __future__ import annotations

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import shown


class PageCatalogue(BaseModel):
    """A catalogue as the page needs it."""

    name: str
    items: int
    terms: int
    range: tuple[float, float] = Field(description="What no and yes are worth.")
    noun: str = Field(description="What one item is called.")
    nouns: str = Field(description="What several are called.")


class PagePeople(BaseModel):
    """People who can be met in a comparison."""

    name: str
    real: bool = Field(description="Whether they are of a published log, with its own catalogue.")
    ready: bool = Field(description="Whether their log is loaded; the first who asks waits for it.")
    nouns: str | None = Field(default=None, description="What their catalogue holds.")


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
        agents=["for-newcomers", "max-radius"],
        schedules=["own", "never"],
        people=[{"name": "steady", "real": False, "ready": True, "nouns": None}],
    )

    catalogues: list[PageCatalogue]
    default: str | None
    agents: list[str] = Field(description="What can be compared.")
    schedules: list[str]
    people: list[PagePeople]


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
