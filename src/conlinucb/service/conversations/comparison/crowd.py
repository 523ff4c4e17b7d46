"""Forty people met by each agent: who is served better, and who of them is typical."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conlinucb.agent.user import User
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people import Happened, Place, play_round
from conlinucb.service.conversations.comparison.agents import Contender
from conlinucb.service.conversations.comparison.meet import Meeting

PEOPLE, TYPICAL_OF = 40, 30
LONGEST = 60
"""Rounds that all forty play at most; the one who is shown may play more."""
_WORK = 60 * 150**2
"""Rounds times features squared that one of the forty may cost: a second or two in all."""
_FEWEST = 5
_ALIKE = 1e-9
_Z = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Crowd:
    """How forty people fared with each of A agents."""

    rounds: int
    regret: Floats
    """(people, A) at the end."""
    liked: Indices
    """(people, A): items they liked."""

    @property
    def typical(self) -> int:
        """Of the first thirty, the one whose difference between two agents is the middle one."""
        first = self.regret[:TYPICAL_OF]
        lead = first[:, 0] - first[:, 1] if first.shape[1] > 1 else first[:, 0]
        return int(np.argsort(lead, kind="stable")[(len(lead) - 1) // 2])

    @property
    def better(self) -> list[int]:
        """People whom each agent serves better than every other."""
        least = self.regret.min(axis=1, keepdims=True)
        best = self.regret <= least + _ALIKE
        return [int(each) for each in (best & (best.sum(axis=1) == 1)[:, None]).sum(axis=0)]


def rounds_of_all(rounds: int, features: int) -> int:
    """Rounds that all forty play: fewer where there are many features."""
    return min(rounds, LONGEST, max(_FEWEST, _WORK // features**2))


def crowd(
    meeting: Meeting,
    contenders: Sequence[Contender],
    seed: int,
    rounds: int,
    check: Callable[[], None] = lambda: None,
) -> Crowd:
    """Everybody met by each agent; ``check`` is called before each, and may raise."""
    shape = len(meeting.people), len(contenders)
    regret, liked = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    for person in range(shape[0]):
        for which, each in enumerate(contenders):
            check()
            for _, happened, value, _ in played(meeting, each, seed, person, rounds):
                regret[person, which] += happened.regret
                liked[person, which] += value >= meeting.liked_from[person]
    return Crowd(rounds, regret, liked)


Step = tuple[Place, Happened, float, User]


def played(
    meeting: Meeting, contender: Contender, seed: int, person: int, rounds: int
) -> Iterator[Step]:
    """One person and one agent, round by round: where, what happened, what the item is worth."""
    agent, people = contender.agent, meeting.people
    user = agent.new_user(people.user_seed(seed, 0, person))
    for t in range(1, rounds + 1):
        place = people.place(agent.catalog, seed, 0, person, t)
        happened = play_round(agent, user, people, place, once=contender.once, most=contender.most)
        yield place, happened, float(people.values(place, np.array([happened.arm]))[0]), user


def share_within(wins: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    >>> [round(each, 3) for each in share_within(27, 37)]
    [0.57, 0.846]
    """
    share, scale = wins / of, _Z**2 / of
    middle = (share + scale / 2) / (1 + scale)
    half = _Z * math.sqrt(share * (1 - share) / of + scale / (4 * of)) / (1 + scale)
    return max(0.0, middle - half), min(1.0, middle + half)
