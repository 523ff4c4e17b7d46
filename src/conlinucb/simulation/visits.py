"""In which order people come: one after the other, or again and again, interleaved."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from conlinucb.errors import InvalidInput
from conlinucb.people import People
from conlinucb.randomness import VISIT, derive, uniform, uniform_index

Arrivals = Literal["one by one", "interleaved"]
ARRIVALS = ("one by one", "interleaved")
LONGEST = 4
"""Rounds of a visit, at most."""


class Visit(NamedTuple):
    """Some rounds of one person, one after the other."""

    user: int
    first: int
    """Rounds that this person had before."""
    rounds: int


def checked_arrivals(given: Any) -> Arrivals:
    """The order, refused where it is none."""
    if given not in ARRIVALS:
        raise InvalidInput(f"arrivals must be 'one by one' or 'interleaved', got {given!r}.")
    return given  # type: ignore[no-any-return]


def visits_of(
    people: People, *, seed: int, repeat: int, rounds: int, arrivals: Arrivals
) -> list[Visit]:
    """All visits of a repeat in their order; everyone has so many rounds in all.

    Interleaved, a visit that begins with a person's round t has 1 to 4 rounds, all equally likely,
    or what is left of the person's rounds. Each person comes at as many times as there are visits,
    every one of them uniform between the beginning and the end of the repeat. Both are drawn from
    the seed of the person and of round t, so when somebody comes depends on nobody else.

    >>> import conlinucb as cl
    >>> people = cl.LinearUsers([[1.0, 0.0], [0.0, 1.0]])
    >>> found = visits_of(people, seed=0, repeat=0, rounds=5, arrivals="interleaved")
    >>> [(each.user, each.rounds) for each in found]
    [(1, 2), (0, 3), (0, 1), (1, 3), (0, 1)]
    """
    if arrivals == "one by one":
        return [Visit(user, 0, rounds) for user in range(len(people))]
    coming: list[tuple[float, Visit]] = []
    for user in range(len(people)):
        own = np.uint64(people.user_seed(seed, repeat, user))
        times, stays, first = [], [], 0
        while first < rounds:
            at = derive(derive(own, first + 1), VISIT)
            stays.append(min(1 + uniform_index(at, 0, LONGEST), rounds - first))
            times.append(uniform(at, 1))
            first += stays[-1]
        starts = np.cumsum([0, *stays]).tolist()
        each = (Visit(user, *stay) for stay in zip(starts, stays, strict=False))
        coming += zip(sorted(times), each, strict=True)
    return [visit for _, visit in sorted(coming)]
