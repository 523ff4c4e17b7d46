"""Populations of a catalogue."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import example, shown


class PopulationOut(BaseModel):
    """One version of what people are like in general."""

    model_config = shown(
        number=3,
        in_use=True,
        usable=True,
        people=124,
        at="2027-01-31T12:00:00.000+00:00",
        digest='{"prior": "population 5f07eef034c5a21f"}',
        summary={"people": 131, "events": 2040, "noise": 0.04},
    )

    number: int
    in_use: bool
    usable: bool = Field(description="False where the catalogue was replaced since.")
    people: int = Field(description="Who had given at least 3 rewards when it was learned.")
    at: str = Field(description="When, in UTC.")
    digest: str
    summary: dict[str, Any] = Field(description="What the fit says of itself.")


class FitBody(BaseModel):
    """How to learn a population."""

    model_config = example(use=True, random_weight=1.0)

    use: bool = Field(default=False, strict=True, description="Start people from it at once.")
    random_weight: float = Field(
        default=1.0,
        gt=0.0,
        le=1000.0,
        allow_inf_nan=False,
        strict=True,
        description="What a reward of an item drawn at random counts against others.",
    )


class UseBody(BaseModel):
    """Which population to use."""

    model_config = example(number=2)

    number: int = Field(ge=0, lt=2**31, strict=True, description="One of those listed; 0: none.")
