"""The first look at all feedback: who is there, what they gave, and some of them to start with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from conlinucb.agent.priors.fitting.events import Events, Keys, joined, nobody
from conlinucb.agent.priors.fitting.parts import Part, Spread
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices

SAMPLE = 5000
"""People that are looked at before all others, and held out from; all, where there are fewer."""


@dataclass(frozen=True, eq=False)
class Scan:
    """Totals over people, and a sample of those who gave rewards, in the order of their keys."""

    people: int = 0
    """Who gave a reward or an answer."""
    rewarding: int = 0
    rewards: int = 0
    asked: int = 0
    answers: int = 0
    values: Floats = field(default_factory=lambda: np.zeros(3))
    """Sum, sum of squares and largest magnitude of the rewards, each person's mean for theirs."""
    skipped: int = 0
    clipped: int = 0
    keys: Keys = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    sample: Events = field(default_factory=nobody)

    @property
    def fingerprint(self) -> list[float]:
        """Numbers that tell one log from another."""
        mixed = int(np.bitwise_xor.reduce(self.keys)) if self.keys.size else 0
        totals = [self.people, self.rewards, self.asked, self.answers, mixed >> 12]
        return [*map(float, totals), *map(float, self.values)]


def scan(parts: Sequence[Part], arms: int, spread: Spread[Scan]) -> Scan:
    """Look at every part once; refuses people who are in several.

    Kept of everybody are 8 bytes, by which a person is known again.
    """
    found = Scan()
    keys = []
    for each in spread(partial(scan_part, arms), parts):
        keys.append(each.keys)
        found = _together(found, each)
    together = np.concatenate(keys)
    if np.unique(together).size != together.size:
        _refuse_divided([part.name for part in parts], keys)
    return Scan(**{**vars(found), "keys": together})


def scan_part(arms: int, part: Part) -> Scan:
    """The totals of one part."""
    events = part.events()
    reward = events.rows < arms
    answer = ~reward & ~np.isnan(events.values)
    owners = events.owners
    counts = np.bincount(owners[reward], minlength=events.people)
    sums = np.bincount(owners[reward], events.values[reward], minlength=events.people)
    squares = np.bincount(owners[reward], events.values[reward] ** 2, minlength=events.people)
    gave = np.flatnonzero(counts)
    largest = float(np.abs(events.values[reward]).max(initial=0.0))
    means = [float(np.sum(each[gave] / counts[gave])) for each in (sums, squares)]
    return Scan(
        int(np.unique(owners[reward | answer]).size),
        gave.size,
        int(reward.sum()),
        int((~reward).sum()),
        int(answer.sum()),
        np.array([*means, largest]),
        events.skipped,
        events.clipped,
        events.keys,
        events.chosen(_lowest(events.keys, gave)),
    )


def _lowest(keys: Keys, people: Indices) -> Indices:
    """The people of the sample: those whose keys come first, whatever order they are met in."""
    return np.asarray(people[np.argsort(keys[people], kind="stable")[:SAMPLE]])


def _together(a: Scan, b: Scan) -> Scan:
    both = joined([a.sample, b.sample])
    sample = both.chosen(_lowest(both.keys, np.arange(both.people)))
    values = np.array([*(a.values + b.values)[:2], max(a.values[2], b.values[2])])
    return Scan(
        a.people + b.people,
        a.rewarding + b.rewarding,
        a.rewards + b.rewards,
        a.asked + b.asked,
        a.answers + b.answers,
        values,
        a.skipped + b.skipped,
        a.clipped + b.clipped,
        sample=sample,
    )


def _refuse_divided(names: list[str], keys: list[Keys]) -> None:
    """Say which two parts share a person."""
    for i, mine in enumerate(keys):
        for j in range(i):
            shared = np.intersect1d(mine, keys[j]).size
            if shared:
                raise InvalidInput(
                    f"{shared} people have rows both in {names[j]} and in {names[i]}; all rows of "
                    f"a person must lie in one part."
                )
