"""What came of each person in an experiment: one number, from the log, that is then final.

It is about the first recommendations of the experiment (``rounds``), with everything said of them
until the person's window closes: once all of these were rewarded, or a stated time after the first
of them. What comes later changes nothing, so that nobody's number depends on when one looks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from conlinucb.numerics.validation import Floats
from conlinucb.service.schemas.experiments import Metric
from conlinucb.service.storage import (
    Broken,
    Event,
    RecommendationBody,
    RetractionBody,
    RewardBody,
    Storage,
    now,
)

BATCH = 500
"""People read at once."""
HOUR = 3_600_000_000
"""Microseconds."""


@dataclass(frozen=True)
class Measured:
    """How a person's number is made."""

    experiment: int
    range: tuple[float, float]
    metric: Metric = "reward-per-recommendation"
    rounds: tuple[int, int] = (1, 5)
    """The first and the last of a person's recommendations in the experiment that count."""
    window: int = 24 * HOUR
    at: int = field(default_factory=now)
    """When one looks."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number that a person may have."""
        return self.range if self.metric == "reward-per-recommendation" else (0.0, 1.0)

    def value(self, rewards: Sequence[float | None]) -> float:
        """Of items shown, with their rewards: silence counts as the lowest."""
        low, high = self.range
        match self.metric:
            case "reward-per-recommendation":
                given = [low if each is None else min(max(each, low), high) for each in rewards]
            case "likes":
                given = [float(each is not None and each >= (low + high) / 2) for each in rewards]
            case "rated":
                given = [float(each is not None) for each in rewards]
        return float(np.mean(given)) if given else self.bounds[0]


@dataclass(frozen=True)
class Outcome:
    """One person's."""

    person: int
    arm: str
    first: int
    """When they were first shown something in the experiment: this orders people."""
    value: float | None
    """None while their window is open."""
    agents: frozenset[str | None]
    """Digests of the agents that decided."""
    same: dict[str, tuple[int, int]]
    """For each shadow: in how many decisions it put the same first, and of how many."""


def outcomes_of(
    storage: Storage,
    catalogue: int,
    measured: Measured,
    seen: Callable[[int], None] = lambda people: None,
) -> list[Outcome]:
    """Of everyone who was shown something in the experiment; ``seen`` hears of progress."""
    found: list[Outcome] = []
    last = 0
    while batch := storage.people.batch(catalogue, last, limit=BATCH):
        logs = storage.log.of_people([each.id for each in batch])
        each = (outcome_of(person, rows, measured) for person, rows in logs.items())
        found += [one for one in each if one is not None]
        seen(len(batch))
        last = batch[-1].id
    return found


def outcome_of(person: int, rows: Iterable[Event | Broken], measured: Measured) -> Outcome | None:
    """One person's outcome; None of who was not in the experiment."""
    events = [row for row in rows if isinstance(row, Event)]
    shown = [
        (each, each.body)
        for each in events
        if isinstance(each.body, RecommendationBody) and each.body.experiment == measured.experiment
    ]
    if not shown:
        return None
    start = shown[0][0].at
    wanted = shown[measured.rounds[0] - 1 : measured.rounds[1]]
    complete = len(shown) >= measured.rounds[1]
    slots: dict[tuple[int, str], float | None] = {}
    for event, body in wanted:
        if event.at <= start + measured.window:
            slots |= {(event.seq, each.item): None for each in body.items}
    over = _rewarded(slots, events, start + measured.window, complete=complete)
    final = over or measured.at > start + measured.window
    return Outcome(
        person,
        str(shown[0][1].arm),
        start,
        measured.value(list(slots.values())) if final else None,
        frozenset(body.agent for _, body in shown),
        _agreements(body for _, body in shown),
    )


def _rewarded(
    slots: dict[tuple[int, str], float | None],
    events: Iterable[Event],
    until: int,
    *,
    complete: bool,
) -> bool:
    """Fill in what was said until then, or until all was; whether the latter came first."""
    said: dict[int, tuple[int, str]] = {}
    seen = 0
    for event in takewhile(lambda each: each.at <= until, events):
        seen = max(seen, event.seq)
        match event.body:
            case RewardBody(decision=int(decision), item=item, reward=reward):
                if (decision, item) in slots:
                    said[event.seq] = decision, item
                    slots[decision, item] = reward
            case RetractionBody(of=of) if of in said:
                slots[said.pop(of)] = None
        shown = all(decision <= seen for decision, _ in slots)
        if complete and shown and slots and None not in slots.values():
            return True
    return False


def _agreements(shown: Iterable[RecommendationBody]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for body in shown:
        if body.random:  # nobody chose these
            continue
        for arm, items in (body.shadow or {}).items():
            same, of = found.get(arm, (0, 0))
            found[arm] = same + (items[:1] == [body.items[0].item]), of + 1
    return found


def in_order(found: Iterable[Outcome]) -> dict[str, tuple[Floats, int]]:
    """For each arm the numbers of people up to the first who is not final, and who are behind.

    By when they came, which no outcome can change: of those who are quick alone one would learn
    about the quick.
    """
    arms: dict[str, list[Outcome]] = {}
    for each in sorted(found, key=lambda one: (one.first, one.person)):
        arms.setdefault(each.arm, []).append(each)
    result = {}
    for arm, people in arms.items():
        final = [each.value for each in people]
        count = next((i for i, value in enumerate(final) if value is None), len(final))
        result[arm] = np.array(final[:count], dtype=np.float64), len(final) - count
    return result
