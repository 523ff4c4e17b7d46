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


class PagePeople(BaseModel):
    """People who can be met in a comparison."""

    name: str
    real: bool = Field(description="Whether they are of a published log, with its own catalogue.")
    ready: bool = Field(description="Whether their log is loaded; the first who asks waits for it.")
    nouns: str | None = Field(default=None, description="What their catalogue holds.")


class PageOut(BaseModel):
    """What the page has to know before it can ask for anything."""

    model_config = shown(
        catalogues=[{"name": "films", "items": 360, "terms": 58, "range": [0.0, 1.0]}],
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
