"""Whether intervals hold what they promise, on people whom nothing was learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conlinucb.agent.agent import Agent
from conlinucb.agent.user import User
from conlinucb.experiments.people.contenders import agent_of
from conlinucb.experiments.people.outcome import Calibration
from conlinucb.experiments.people.talk import known_half, never_met
from conlinucb.experiments.people.task import NEGATIVES, Half, Person
from conlinucb.experiments.people.world import World
from conlinucb.numerics.validation import Indices

LEVEL = 0.9


def calibration(worlds: Sequence[tuple[World, Indices]]) -> Calibration:
    """Coverage over all tested people, each counted once."""
    shares = []
    for world, tested in worlds:
        agent = agent_of(world, world.population)
        shares += [_covered(world, agent, world.log.person(int(each))) for each in tested]
    before, after = 100 * np.mean(shares, axis=0)
    slopes = [world.population.answers(world.catalog).slope.mean() for world, _ in worlds]
    return Calibration(
        before=float(before),
        after=float(after),
        noise=float(np.mean([world.population.noise for world, _ in worlds])),
        slope=float(np.mean(slopes)),
    )


def _covered(world: World, agent: Agent, person: Person) -> tuple[float, float]:
    """The share of the person's held-out rewards within their intervals, before and after."""
    held, user = _held_out(world, person), agent.new_user()
    before = _within(world, agent, user, held)
    for arm, value in zip(*known_half(world.log, person), strict=True):
        agent.learn(user, int(arm), float(value))
    return before, _within(world, agent, user, held)


def _within(world: World, agent: Agent, user: User, held: Half) -> float:
    found = agent.score(user, held.items)
    population = world.population
    deviation = np.sqrt(population.noise * (1.0 + found.radii**2))
    return float(
        np.mean(np.abs(held.values - found.means) <= population.multiple(LEVEL) * deviation)
    )


def _held_out(world: World, person: Person) -> Half:
    """What rewards come from, with items never met where there are no ratings."""
    if not world.log.data.implicit:
        return person.rewarded
    random = np.random.default_rng([world.log.seed, 7, person.number, person.draw])
    others = never_met(world.log, person, random, NEGATIVES * person.rewarded.items.size)
    items = np.concatenate([person.rewarded.items, others])
    return Half(items, np.concatenate([person.rewarded.values, np.zeros(others.size)]))
