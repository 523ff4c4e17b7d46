"""Playing units: in the compiled loop, or by hand where a part has no kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent import schedule as schedules
from conlinucb.errors import ConlinucbError, StrategyError
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people import compiled_people, play_round
from conlinucb.people.compiled import Compiled
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.loop.inputs import METRICS, Output
from conlinucb.simulation.prepared import can_be_compiled, make_world, prepare

BLOCK = 1 << 17
"""Arms of pools made at once, some megabytes that every agent is then played on."""
LARGE = 20_000
"""Pools from here on are played by hand, where a short list saves more than the loop does."""


class Played(NamedTuple):
    """Results of a unit's n users."""

    metrics: Floats
    """(n, L, 9), by METRICS."""
    arms: Indices
    """(n, T) recommended arms, or (n, 0)."""
    asked: Indices
    """(n, questions) what was asked about, -1 where there was no more, or (n, 0)."""


def play_unit(job: Job, unit: Unit) -> Played:
    """Play every user of one unit."""
    return play_units(job, [unit])[0]


def play_units(job: Job, units: list[Unit]) -> list[Played]:
    """Play units of the same people, agent beside agent: the same numbers as one by one."""
    played = [_empty(job, unit) for unit in units]
    by_agent = list(zip(units, played, strict=True))
    compiled = compiled_people(job.people) if job.people.pool_size < LARGE else None
    fast = [each for each in by_agent if compiled and can_be_compiled(job.agents[each[0].agent])]
    if compiled and fast:
        _play_compiled(job, compiled, fast)
    for unit, out in by_agent:
        if all(unit is not done for done, _ in fast):
            _play_by_hand(job, unit, out)
    return played


def _empty(job: Job, unit: Unit) -> Played:
    agent, users = job.agents[unit.agent], unit.last - unit.first
    asked = schedules.asked_by(agent.schedule, job.rounds) if agent.asks_at_all else 0
    return Played(
        np.zeros((users, job.logged.size, len(METRICS))),
        np.empty((users, job.rounds if job.trace else 0), dtype=np.int64),
        np.full((users, asked if job.trace else 0), -1, dtype=np.int64),
    )


def _prepared(job: Job, name: str) -> Any:
    """What the loop needs, computed by the first unit that needs it."""
    if name not in job.prepared:
        made = (
            make_world(job.catalog)
            if name == ""
            else prepare(job.agents[name], job.rounds, lazy=job.lazy, timed=job.timed)
        )
        job.prepared[name] = made
    return job.prepared[name]


def _play_compiled(job: Job, people: Compiled, units: list[tuple[Unit, Played]]) -> None:
    first, last = units[0][0].first, units[0][0].last
    for i, user in enumerate(range(first, last)):
        seed = job.people.user_seed(job.seed, units[0][0].repeat, user)
        met = people.meet(job.catalog, seed, user)
        runs = [_Run(job, unit, Played(*(each[i] for each in out))) for unit, out in units]
        size = max(1, BLOCK // max(job.people.pool_size, 1))
        for start in range(0, job.rounds, size):
            block = met.rounds(start + 1, min(size, job.rounds - start))
            for run in runs:
                run.play(block, met.voice, start)


class _Run:
    """One user under one agent, block after block."""

    def __init__(self, job: Job, unit: Unit, out: Played) -> None:
        self.job, self.unit = job, unit
        self.world, self.ready = _prepared(job, ""), _prepared(job, unit.agent)
        self.state = self.ready.newcomer()
        self.work: Any = None
        self.output = Output(job.logged, *out, job.hit)
        self.progress = np.zeros(2, dtype=np.int64)

    def play(self, block: Any, voice: Any, start: int) -> None:
        from conlinucb.simulation.loop.play import play  # compiled, or loaded, when first needed
        from conlinucb.simulation.loop.question import WRONGS

        largest = int(np.diff(block.start).max())
        if self.work is None or self.work.scores.size < largest:
            self._make_room(largest)
        ready, wrong = self.ready, 0
        try:
            wrong = play(  # type: ignore[call-arg]  # mypy does not count what is unpacked
                self.world, block, voice, ready.algorithm, *ready.kernels,
                self.state, self.work, self.output, start, self.progress,
            )  # fmt: skip
        except Exception as error:
            raise StrategyError(self._where(f"failed: {error!r}")) from error
        if wrong:
            raise StrategyError(self._where(f"{WRONGS[wrong].format(self.progress[1])}."))

    def _make_room(self, largest: int) -> None:
        """Pools may grow from block to block."""
        fresh = self.ready.workspace(self.world, largest)
        if self.work is not None:
            fresh = self.work._replace(scores=fresh.scores, true=fresh.true)
        self.work = fresh

    def _where(self, what: str) -> str:
        agent = self.job.agents[self.unit.agent]
        name = agent.chooser.name if agent.chooser else "none"
        return f"Strategy {name!r} of agent {self.unit.agent!r}, round {self.progress[0]}: {what}"


def _play_by_hand(job: Job, unit: Unit, played: Played) -> None:
    for i, user in enumerate(range(unit.first, unit.last)):
        try:
            _by_hand(job, unit, user, Played(*(each[i] for each in played)))
        except ConlinucbError as error:
            raise type(error)(f"Agent {unit.agent!r}: {error}") from error


def _by_hand(job: Job, unit: Unit, number: int, out: Played) -> None:
    """One user's rounds through ask, hear, recommend and learn."""
    agent, people = job.agents[unit.agent], job.people
    user = agent.new_user(people.user_seed(job.seed, unit.repeat, number))
    rows = {int(t): row for row, t in enumerate(job.logged)}
    sums = np.zeros(len(METRICS))
    asked: list[int] = []
    for t in range(1, job.rounds + 1):
        place = people.place(job.catalog, job.seed, unit.repeat, number, t)
        happened = play_round(agent, user, people, place)
        asked += [_code(question.indices, job) for question, _ in happened.questions]
        answered = sum(answer is not None for _, answer in happened.questions)
        times = happened.seconds if job.timed else (0.0, 0.0)
        reward = happened.reward
        hit = reward is not None and reward >= job.hit
        sums += happened.regret, 0.0, 0.0, 0.0, *times, reward or 0.0, answered, hit
        if out.arms.size:
            out.arms[t - 1] = happened.arm
        if t in rows:
            taste = people.taste(place)
            error = np.nan if taste is None else np.linalg.norm(user.theta - taste)
            repeated = len(asked) - len(set(asked))
            more = np.array([0, error, len(asked), repeated, 0, 0, 0, 0, 0])
            out.metrics[rows[t]] = sums + more
    if out.asked.size:
        out.asked[: len(asked)] = asked


def _code(indices: tuple[int, ...], job: Job) -> int:
    """A question as one number: a pair is first * K + second."""
    if len(indices) == 1:
        return indices[0]
    return indices[0] * len(job.catalog.term_ids) + indices[1]
