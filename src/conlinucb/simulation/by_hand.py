"""One person's rounds in Python, and what is logged of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conlinucb.agent.question import Question
from conlinucb.errors import InvalidInput
from conlinucb.people.base import Place
from conlinucb.people.rounds import Happened
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.loop.inputs import METRICS, Output

PlayRound = Callable[[Any, Place], Happened]


class ByHand:
    """The rounds of person ``number``, whom the agent knows as ``user``."""

    def __init__(
        self, job: Job, unit: Unit, number: int, user: Any, play: PlayRound, output: Output
    ) -> None:
        self.job, self.repeat, self.number = job, unit.repeat, number
        self.places = places_of(job.rounds_of[unit.agent])
        self.user, self.play_round, self.output = user, play, output
        self.rows = {int(t): row for row, t in enumerate(job.logged)}
        self.sums = np.zeros(len(METRICS))
        self.asked: list[tuple[int, ...]] = []

    def play(self, first: int, rounds: int) -> None:
        """So many rounds, from ``first`` (from 0)."""
        for t in range(first + 1, first + rounds + 1):
            self._play(t)

    def _play(self, t: int) -> None:
        job, people, output, asked = self.job, self.job.people, self.output, self.asked
        place = people.place(job.catalog, job.seed, self.repeat, self.number, t)
        happened = self.play_round(self.user, place)
        now = [_code(question, job, self.places) for question, _ in happened.questions]
        self._trace([each for question in now for each in question])
        asked += now
        answered = sum(answer is not None for _, answer in happened.questions)
        times = happened.seconds if job.timed else (0.0, 0.0)
        reward = happened.reward
        hit = reward is not None and reward >= job.hit
        self.sums += (
            happened.regret,
            0.0,
            0.0,
            0.0,
            *times,
            reward or 0.0,
            answered,
            hit,
            happened.wanted,
        )
        if output.arms.size:
            output.arms[t - 1] = happened.arm
        if t in self.rows:
            taste = people.taste(place)
            error = np.nan if taste is None else np.linalg.norm(self.user.theta - taste)
            repeated = len(asked) - len(set(asked))
            more = np.array([0, error, len(asked), repeated, 0, 0, 0, 0, 0, 0])
            output.metrics[self.rows[t]] = self.sums + more

    def _trace(self, now: list[int]) -> None:
        """Write down what was asked about in this round."""
        before, room = len(self.asked) * self.places, self.output.asked
        if self.job.trace and before + len(now) > room.size:
            most = room.size // self.places
            raise InvalidInput(f"More is asked than most_questions says, {most}.")
        if room.size:
            room[before : before + len(now)] = now


def places_of(agent: Any) -> int:
    """Places that a question takes in a trace."""
    return int(getattr(agent, "places", 1))


def _code(question: Question, job: Job, places: int) -> tuple[int, ...]:
    """A question as a trace has it: a pair is first * K + second, a group all of it, then -1."""
    indices = question.indices
    if question.kind == "group":
        return (*indices, *[-1] * (places - len(indices)))
    if len(indices) == 1:
        return indices
    return (indices[0] * len(job.catalog.term_ids) + indices[1],)
