"""Catalogues and their items."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import FewNames, Text, Weight, example, shown
from conlinucb.service.schemas.details import Details
from conlinucb.service.schemas.preview import Understood
from conlinucb.service.settings import Finite, Sentence, Settings


class Item(Details):
    """An item with its tags, and how it looks to people."""

    model_config = example(
        id="alien", tags=["horror", "set in space"], title="Alien", year=1979, image="/static/a.svg"
    )

    id: Text
    tags: (
        Annotated[list[Text], Field(max_length=1000)]
        | Annotated[dict[Text, Weight], Field(max_length=1000)]
    ) = Field(
        default_factory=list[str],
        description="Tags, or tags with weights; none where every item has features alone.",
    )
    features: Annotated[list[Finite], Field(min_length=1, max_length=2000)] | None = Field(
        default=None, description="Features of your own; of all items, or of none."
    )

    def weights(self) -> dict[str, float]:
        """Tags with weights, 1 where none are given."""
        return self.tags if isinstance(self.tags, dict) else dict.fromkeys(self.tags, 1.0)


class CatalogueBody(BaseModel):
    """A whole catalogue."""

    model_config = example(
        items=[
            {"id": "Alien (1979)", "tags": ["horror", "set in space"]},
            {"id": "heat", "tags": ["heist stories"], "title": "Heat", "year": 1995},
        ],
        questions={"horror": "Do you enjoy horror films?"},
        d=2,
    )

    items: Annotated[list[Item], Field(min_length=1, max_length=1_000_000)]
    d: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        strict=True,
        description="Features made of tags: so many directions at most. By default the tags "
        "themselves up to 300 of them, 50 directions of more, and a constant.",
    )
    groups: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        strict=True,
        description="Where items have features and no tags: how many groups of items that are near "
        "each other to make and talk about. By default the root of their number, from 2 to 40.",
    )
    questions: dict[Text, Sentence] = Field(
        default_factory=dict, description="How key-terms are asked about."
    )
    settings: Settings | None = None


class ItemsBody(BaseModel):
    """Items to add."""

    model_config = example(items=[{"id": "Solaris (1972)", "tags": ["set in space"]}])

    items: Annotated[list[Item], Field(min_length=1, max_length=10_000)]


class RemovalBody(BaseModel):
    """Items to remove."""

    model_config = example(items=["Solaris (1972)"])

    items: Annotated[FewNames, Field(min_length=1)]


class CatalogueOut(BaseModel):
    """A catalogue and its state."""

    model_config = shown(
        catalogue="films",
        version=1,
        building=None,
        items=360,
        terms=58,
        d=20,
        people=12,
        report={},
        settings=Settings().model_dump(mode="json"),
    )

    catalogue: str
    version: int = Field(description="The one that is served; 0 where none is yet.")
    building: int | None = Field(
        description="A version that a replica of an earlier release lets wait; it is served soon."
    )
    items: int
    terms: int
    d: int
    people: int
    report: dict[str, int] = Field(description="What was left out of an uploaded table.")
    settings: Settings
    understood: Understood | None = Field(
        default=None, description="How a table was read; in the answer to its upload alone."
    )
