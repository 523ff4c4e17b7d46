"""Which rewards are asked for, as plainly as possible: everything is kept, nothing is updated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import conlinucb as cl
from conlinucb.randomness import derive, uniform
from support.lines import expected_maximum
from support.reference import History, Indices, OneStep, Reference, radii, solve
from support.runs import Story


@dataclass
class Past:
    """What a gate knows beside the belief."""

    seed: int
    t: int = 0
    asked: int = 0
    radii: list[float] = field(default_factory=list)


Wants = Callable[[Reference, Past, Indices, int], bool]


def one_matrix(twin: Reference) -> History:
    """All that was learned, of an estimate on one matrix."""
    assert isinstance(twin.estimate, OneStep)
    return twin.estimate.both


def drawn(share: float) -> Wants:
    """A draw of the round, on the stream of asking for rewards."""

    def wants(twin: Reference, past: Past, pool: Indices, arm: int) -> bool:
        return uniform(derive(derive(np.uint64(past.seed), past.t), 17), 0) < share

    return wants


def at_first(n: int) -> Wants:
    """The first rounds."""
    return lambda twin, past, pool, arm: past.t <= n


def uncertain(share: float, step: float) -> Wants:
    """At or above a level that follows the quantile, from all radii anew; within the share."""

    def wants(twin: Reference, past: Past, pool: Indices, arm: int) -> bool:
        own = float(radii(one_matrix(twin).M, twin.arms[[arm]])[0])
        past.radii.append(own)
        level, reached = math.log(past.radii[0]), False
        for each in past.radii:
            reached = math.log(each) >= level - 1e-9 * max(1.0, abs(level))
            level += step * (float(reached) - share)
        return reached and past.asked < share * past.t

    return wants


def worth(cost: float) -> Wants:
    """By how much knowing it improves the next recommendation, from an inverse of M."""

    def wants(twin: Reference, past: Past, pool: Indices, arm: int) -> bool:
        known, x, rows = one_matrix(twin), twin.arms[arm], twin.arms[pool]
        effect = solve(known.M, x)
        heights = rows @ solve(known.M, known.Y)
        slopes = rows @ effect / math.sqrt(1.0 + x @ effect)
        return bool(expected_maximum(heights, slopes) - heights.max() > cost)

    return wants


def told(
    twin: Reference, wants: Wants, people: cl.LinearUsers, catalog: cl.Catalog, rounds: int,
    user: int, seed: int,
) -> tuple[Story, list[bool]]:  # fmt: skip
    """All rounds of one user as the reference has them, and which rewards it asked for."""
    story, taste, wanted = Story(), people.thetas[user], []
    past, every = Past(twin.seed), np.arange(len(catalog.term_ids))
    for t in range(1, rounds + 1):
        chance = people.draw(seed, 0, user, t, questions=9, catalog=catalog)
        for number in range(twin.questions_due()):
            story.asked.append(twin.ask(chance.pool, every))
            x = twin.terms[story.asked[-1]]
            twin.hear(story.asked[-1], x @ taste + chance.term_noise[number])
        past.t, arm = t, twin.best_arm(chance.pool)
        wanted.append(bool(wants(twin, past, chance.pool, arm)))
        past.asked += wanted[-1]
        story.arms.append(twin.recommend(chance.pool))
        if wanted[-1]:
            twin.learn(arm, catalog.arms[arm] @ taste + chance.noise)
    return story, wanted
