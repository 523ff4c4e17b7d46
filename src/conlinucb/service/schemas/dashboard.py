"""The operator's dashboard: shares and counts of people in general."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from conlinucb.service.schemas.base import shown

_SHARE = {"share": 0.61, "low": 0.55, "high": 0.67, "count": 412, "people": 96}
_NOTHING = {"share": None, "low": None, "high": None, "count": None, "people": None}


class ShareOut(BaseModel):
    """A share with its 95 % interval. All null: of fewer than 5 people, and withheld."""

    share: float | None
    low: float | None
    high: float | None
    count: int | None = Field(description="Of so many ratings or answers.")
    people: int | None = Field(description="By so many people.")


class DifferenceOut(BaseModel):
    """How much higher one share is than another, with a 95 % interval."""

    difference: float
    low: float
    high: float
    people: int
    others: int = Field(description="People on the other side.")


class PartOut(BaseModel):
    """A day, or an hour."""

    begins: str
    people: int = Field(description="Who said or got anything.")
    newcomers: int = Field(description="Those of them who were there for the first time.")
    conversations: int = Field(description="That began; 30 minutes without a word end one.")
    steps: int = Field(description="Questions and recommendations.")
    questions: int
    recommendations: int


class QuestionStatOut(BaseModel):
    """What came of one question."""

    about: str = Field(description="term, arm, pair or group.")
    names: list[str]
    people: int
    asked: int
    yes: ShareOut = Field(description="Of all that were answered or skipped.")
    no: ShareOut
    skip: ShareOut = Field(description="Skipped, or not known.")
    between: int | None = Field(description="Answers that are neither, exactly in the middle.")
    unanswered: int
    uncertainty: float = Field(
        description="Mean radius when it was asked, as a share of the range: what was not known."
    )
    surprise: float | None = Field(
        description="Mean distance of the answer from the expected one, as a share of the range."
    )
    after: ShareOut = Field(description="Likes among what was recommended after an answer to it.")
    without: ShareOut = Field(description="Likes of people who were never asked it.")
    difference: DifferenceOut | None = Field(
        description="The one against the other at the same rounds: an association, no cause."
    )


class QuestionsOut(BaseModel):
    """Questions, the most asked first."""

    questions: list[QuestionStatOut]
    withheld: int = Field(description="Questions that fewer than 5 people were asked.")
    left_off: int = Field(description="Questions behind the 200 most asked.")


class RoundOut(BaseModel):
    """One round, over all people who came so far."""

    round: int
    liked: ShareOut
    popular: ShareOut = Field(description="Likes among ratings of the ten most popular items.")


class ChanceOut(ShareOut):
    """What no knowledge would bring."""

    by: Literal["random", "items"] = Field(
        description="random: ratings of recommendations drawn at random; items: mean over items of "
        "each one's like share, which is rather too high, since items are shown to those who like "
        "them."
    )
    items: int | None = Field(description="How many items the mean is over.")


class RoundsOut(BaseModel):
    """Like shares by round, and what they are to be held against."""

    rounds: list[RoundOut] = Field(description="1 to 20, those with at least 5 people.")
    liked: ShareOut = Field(description="All of these rounds together.")
    popular: ShareOut
    chance: ChanceOut | None


class NeverShownOut(BaseModel):
    """Items that nobody was recommended in this time."""

    items: int = Field(description="That are there now.")
    people: int | None = Field(description="Who were recommended anything; null if fewer than 5.")
    never: int | None = Field(description="Items that none of them was; null of fewer than 5.")
    first: list[str] = Field(description="The titles of the first of them, at most 10.")


class PopulationEffectOut(BaseModel):
    """The first five rounds under one population; 0 is none."""

    number: int
    in_use: bool
    learned: str | None = Field(description="When; null for none, and for those no longer kept.")
    learned_from: int | None = Field(description="From so many people.")
    liked: ShareOut


class LatencyOut(BaseModel):
    """How long some requests took."""

    what: str = Field(description="all, or the last word of the address, such as next.")
    requests: int
    p50: float | None = Field(description="Milliseconds; of the latest 10,000 requests.")
    p95: float | None
    p99: float | None


class RequestsOut(BaseModel):
    """Requests to the worker that answers this one; others keep their own count."""

    worker: int = Field(description="Its process id.")
    since: str
    requests: int
    statuses: dict[str, int] = Field(description="How often each status was sent.")
    latencies: list[LatencyOut]


class StoreOut(BaseModel):
    """The database, all catalogues together."""

    kind: str
    bytes: int | None
    write_milliseconds: float | None = Field(description="One small transaction, until on disk.")
    people: int | None
    events: int | None
    snapshots: int | None
    findings: dict[str, int] | None = Field(description="Damage that was set aside, by kind.")
    trouble: str | None = Field(description="Why it could not be looked at, or not written to.")


class LookedOut(BaseModel):
    """What the numbers are made of."""

    people: int
    events: int
    most_events: int
    whole: bool = Field(description="False where there was more than may be looked at.")
    damaged: int = Field(description="Events that cannot be read, and were left out.")
    too_long: int = Field(description="People left out since their logs are too long.")


class DashboardOut(BaseModel):
    """How the service is doing. No person is in it: no name, no id, no share of fewer than 5."""

    model_config = shown(
        catalogue="films",
        days=30,
        computed="2027-01-31T12:00:00+00:00",
        least_people=5,
        looked={
            "people": 120,
            "events": 5400,
            "most_events": 500_000,
            "whole": True,
            "damaged": 0,
            "too_long": 0,
        },
        activity=[
            {
                "begins": "2027-01-31T00:00:00+00:00",
                "people": 14,
                "newcomers": 9,
                "conversations": 15,
                "steps": 310,
                "questions": 90,
                "recommendations": 220,
            }
        ],
        questions={
            "questions": [
                {
                    "about": "term",
                    "names": ["westerns"],
                    "people": 96,
                    "asked": 101,
                    "yes": _SHARE,
                    "no": _SHARE,
                    "skip": _SHARE,
                    "between": 0,
                    "unanswered": 3,
                    "uncertainty": 0.31,
                    "surprise": 0.42,
                    "after": _SHARE,
                    "without": _SHARE,
                    "difference": {
                        "difference": 0.04,
                        "low": -0.03,
                        "high": 0.11,
                        "people": 60,
                        "others": 24,
                    },
                }
            ],
            "withheld": 4,
            "left_off": 0,
        },
        rounds={
            "rounds": [{"round": 1, "liked": _SHARE, "popular": _NOTHING}],
            "liked": _SHARE,
            "popular": _NOTHING,
            "chance": {**_SHARE, "by": "items", "items": 180},
        },
        never_shown={"items": 180, "people": 118, "never": 2, "first": ["Ran", "Stalker"]},
        populations=[
            {
                "number": 0,
                "in_use": True,
                "learned": None,
                "learned_from": None,
                "liked": _SHARE,
            }
        ],
        requests={
            "worker": 4711,
            "since": "2027-01-31T08:00:00+00:00",
            "requests": 9000,
            "statuses": {"200": 8990, "404": 10},
            "latencies": [{"what": "all", "requests": 9000, "p50": 4.1, "p95": 9.0, "p99": 15.2}],
        },
        store={
            "kind": "SQLite",
            "bytes": 1_400_000,
            "write_milliseconds": 2.1,
            "people": 120,
            "events": 5400,
            "snapshots": 12,
            "findings": {},
            "trouble": None,
        },
    )

    catalogue: str
    days: int
    computed: str = Field(description="When; a minute later it is computed anew.")
    least_people: int = Field(description="Shares of fewer people are withheld.")
    looked: LookedOut
    activity: list[PartOut] = Field(description="Days, or for one day hours, of UTC.")
    questions: QuestionsOut
    rounds: RoundsOut
    never_shown: NeverShownOut
    populations: list[PopulationEffectOut]
    requests: RequestsOut
    store: StoreOut
