"""Playing units: in the compiled loop, or by hand where a part has no kernel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.errors import ConlinucbError
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people import compiled_people
from conlinucb.people.base import Place
from conlinucb.people.compiled import Compiled
from conlinucb.people.rounds import Happened
from conlinucb.simulation import shared
from conlinucb.simulation.by_hand import ByHand, places_of
from conlinucb.simulation.job import Job, Unit
from conlinucb.simulation.loop.inputs import METRICS, Output
from conlinucb.simulation.own_rounds import CompiledRounds

Ready = Callable[[Output], CompiledRounds]
BLOCK = 1 << 17
"""Arms of pools made at once, some megabytes that every agent is then played on."""
LARGE = 20_000
"""Pools from here on are played by hand, where a short list saves more than the loop does."""


class Played(NamedTuple):
    """Results of a unit's n users."""

    metrics: Floats
    """(n, L, 10), by METRICS."""
    arms: Indices
    """(n, T) recommended arms, or (n, 0)."""
    asked: Indices
    """(n, questions) what was asked about, -1 where there was no more, or (n, 0); of groups as many
    places for each question as a group may have key-terms."""


def play_unit(job: Job, unit: Unit) -> Played:
    """Play every user of one unit."""
    return play_units(job, [unit])[0]


def play_units(job: Job, units: list[Unit]) -> list[Played]:
    """Play units of the same people, agent beside agent: the same numbers as one by one."""
    played = [_empty(job, unit) for unit in units]
    compiled = compiled_people(job.people) if job.people.pool_size < LARGE else None
    beside = []
    for unit, out in zip(units, played, strict=True):
        ready = _prepared(job, unit.agent) if compiled else None
        if job.shares(unit.agent):
            _play_shared(job, unit, out, compiled, ready)
        elif ready is None:
            _play_by_hand(job, unit, out)
        else:
            beside.append((unit, out))
    if compiled and beside:
        _play_compiled(job, compiled, beside)
    return played


def _empty(job: Job, unit: Unit) -> Played:
    users = unit.last - unit.first
    agent = job.rounds_of[unit.agent]
    asked = agent.most_questions(job.rounds) * places_of(agent) if job.trace else 0
    return Played(
        np.zeros((users, job.logged.size, len(METRICS))),
        np.empty((users, job.rounds if job.trace else 0), dtype=np.int64),
        np.full((users, asked), -1, dtype=np.int64),
    )


def _prepared(job: Job, name: str) -> Ready | None:
    """An agent's compiled rounds, prepared by the first unit that needs them."""
    if name not in job.prepared:
        own = job.rounds_of[name]
        job.prepared[name] = own.compiled_rounds(job.rounds, lazy=job.lazy, timed=job.timed)
    return job.prepared[name]


def _play_compiled(job: Job, people: Compiled, units: list[tuple[Unit, Played]]) -> None:
    first, last = units[0][0].first, units[0][0].last
    outputs = [(unit, _outputs(job, out)) for unit, out in units]
    for i, user in enumerate(range(first, last)):
        seed = job.people.user_seed(job.seed, units[0][0].repeat, user)
        met = people.meet(job.catalog, seed, user)
        runs = [_run(job, unit, out[i]) for unit, out in outputs]
        size = max(1, BLOCK // max(job.people.pool_size, 1))
        for start in range(0, job.rounds, size):
            block = met.rounds(start + 1, min(size, job.rounds - start))
            for run in runs:
                run.play(block, met.voice, start)


def _run(job: Job, unit: Unit, output: Output) -> CompiledRounds:
    """One user under one agent, block after block."""
    ready = _prepared(job, unit.agent)
    assert ready is not None
    return ready(output)


def _play_by_hand(job: Job, unit: Unit, played: Played) -> None:
    agent, people = job.rounds_of[unit.agent], job.people

    def play(user: Any, place: Place) -> Happened:
        return agent.play_round(user, people, place)

    with _named(unit):
        for number, output in enumerate(_outputs(job, played), start=unit.first):
            user = agent.new_user(people.user_seed(job.seed, unit.repeat, number))
            ByHand(job, unit, number, user, play, output).play(0, job.rounds)


def _play_shared(
    job: Job, unit: Unit, played: Played, people: Compiled | None, ready: Ready | None
) -> None:
    agent, outputs = job.agents[unit.agent], _outputs(job, played)
    assert isinstance(agent, Agent)
    if people is not None and ready is not None:
        shared.play_compiled(job, unit, agent, outputs, people, ready)
        return
    with _named(unit):
        shared.play_by_hand(job, unit, agent, outputs)


def _outputs(job: Job, played: Played) -> list[Output]:
    """Where each person's results go."""
    return [Output(job.logged, *each, job.hit) for each in zip(*played, strict=True)]


@contextlib.contextmanager
def _named(unit: Unit) -> Iterator[None]:
    try:
        yield
    except ConlinucbError as error:
        raise type(error)(f"Agent {unit.agent!r}: {error}") from error
