"""Experiments on live traffic."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from conlinucb.service.schemas.base import example, shown
from conlinucb.service.settings import PRINTED

ArmName = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=PRINTED)]
MOST_ARMS = 10
Metric = Literal["reward-per-recommendation", "likes", "rated"]


class ArmBody(BaseModel):
    """One agent of an experiment, and who is served by it."""

    model_config = ConfigDict(extra="forbid")

    name: ArmName = Field(description="What it is called in the log and in comparisons.")
    share: float = Field(
        default=0.0, ge=0.0, le=1.0, allow_inf_nan=False, strict=True, description="Of the people."
    )
    agent: dict[str, Any] | None = Field(
        default=None, description="As in the settings; null: the catalogue's own."
    )
    shadow: bool = Field(
        default=False,
        strict=True,
        description="It decides beside the others and is never shown; the log keeps its choice.",
    )


class ExperimentBody(BaseModel):
    """Two or more agents for a catalogue."""

    model_config = example(
        arms=[
            {"name": "now", "share": 0.5},
            {"name": "linucb", "share": 0.5, "agent": {"recipe": "linucb"}},
        ],
        seed=7,
    )

    arms: list[ArmBody] = Field(
        min_length=2, max_length=MOST_ARMS, description="Who is in none is served as before."
    )
    seed: int | None = Field(
        default=None,
        ge=0,
        lt=2**53,
        strict=True,
        description="With a person's id it decides their arm; null: drawn.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [each.name for each in self.arms]
        if len(set(names)) < len(names):
            raise ValueError(f"every arm has a name of its own, got {names}")
        for each in self.arms:
            if each.shadow and each.share:
                raise ValueError(f"a shadow serves nobody: {each.name!r} has share {each.share}")
            if not each.shadow and not each.share:
                raise ValueError(f"{each.name!r} has share 0; a shadow says shadow = true")
        total = sum(each.share for each in self.arms)
        if not 0.0 < total <= 1.0 + 1e-9:
            raise ValueError(f"shares add up to more than 0 and at most 1, got {total:g}")
        return self


class ExperimentOut(BaseModel):
    """An experiment, and where it stands."""

    model_config = shown(
        number=1,
        running=True,
        at="2027-01-31T12:00:00.000+00:00",
        ended=None,
        seed=7,
        arms=[{"name": "now", "share": 0.5, "agent": None, "shadow": False}],
        promoted=None,
    )

    number: int
    running: bool
    at: str = Field(description="When it began, in UTC.")
    ended: str | None
    seed: int
    arms: list[ArmBody]
    promoted: str | None = Field(description="The arm whose agent serves all since.")


class PromoteBody(BaseModel):
    """Which arm's agent is to serve everybody."""

    model_config = example(arm="linucb")

    arm: ArmName


class ArmOutcome(BaseModel):
    """What came of one arm, by its people."""

    arm: str
    people: int = Field(description="Whose outcome is final, and so counts.")
    waiting: int = Field(description="Who are in it, and do not count yet.")
    mean: float | None
    low: float | None
    high: float | None


class PairOutcome(BaseModel):
    """Two arms against each other."""

    one: str
    other: str
    difference: float | None = Field(description="How much more the other earns.")
    low: float | None = Field(description="An interval for it that holds at all looks at once.")
    high: float | None
    better: str | None = Field(description="The arm that is, once it can be told.")
    verdict: str


class ShadowOutcome(BaseModel):
    """How often an arm that only watches would have shown the same first item."""

    arm: str
    decisions: int
    same: float | None


class LiveComparison(BaseModel):
    """What an experiment has shown so far."""

    model_config = shown(
        experiment=1,
        metric="reward-per-recommendation",
        rounds=[1, 5],
        window_hours=24.0,
        level=0.95,
        arms=[{"arm": "now", "people": 412, "waiting": 3, "mean": 0.41, "low": 0.38, "high": 0.44}],
        pairs=[
            {
                "one": "now",
                "other": "linucb",
                "difference": 0.07,
                "low": 0.03,
                "high": 0.11,
                "better": "linucb",
                "verdict": "linucb is better than now by 0.03 to 0.11 per item, at 95 %; "
                "412 and 398 people.",
            }
        ],
        shadows=[],
        notes=[],
    )

    experiment: int
    metric: Metric
    rounds: list[int]
    window_hours: float
    level: float
    arms: list[ArmOutcome]
    pairs: list[PairOutcome]
    shadows: list[ShadowOutcome]
    notes: list[str] = Field(description="What to know beside it.")
