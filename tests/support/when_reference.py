"""When to ask, as plainly as possible: what schedules that look are compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import conlinucb as cl
from support.reference import Indices, Moment, Reference, values
from support.runs import Story
from support.smooth import xi
from support.thin import is_thin

Opens = Callable[[Moment], bool]


def always(now: Moment) -> bool:
    """A schedule that does not look."""
    return True


def worth(cost: float) -> Opens:
    """While the best of what may be asked is worth more than it costs."""
    return lambda now: bool(values(now).max() > cost)


def thin(c: float) -> Opens:
    """While some direction has less than c observations a round."""
    return lambda now: is_thin(now.estimate.term_M, now.every, c * now.t)


@dataclass
class Looking(Reference):
    """A reference that looks before each question; its ``b`` is the most that it may ask."""

    opens: Opens = always
    perturbed: bool = False
    """Whether answers are taken for those of the perturbed key-terms."""

    def hear(self, index: int, answer: float) -> None:
        x = self.terms[index]
        shift = xi(self.seed, self.asked - 1, index, x.size) if self.perturbed else 0.0
        self.estimate.learn_term(x + shift, answer)

    def ask_if_open(self, pool: Indices, offered: Indices) -> int | None:
        if not self.opens(self.moment(pool, np.sort(offered))):
            return None
        return self.ask(pool, offered)


def told(
    twin: Looking, people: cl.LinearUsers, catalog: cl.Catalog, rounds: int, user: int, seed: int
) -> Story:
    """All rounds of one user as the reference has them."""
    story, taste = Story(), people.thetas[user]
    every = np.arange(len(catalog.term_ids))
    for t in range(1, rounds + 1):
        chance = people.draw(seed, 0, user, t, questions=40, catalog=catalog)
        offered = every if chance.offered is None else chance.offered
        for number in range(twin.questions_due()):
            asked = twin.ask_if_open(chance.pool, offered)
            if asked is None:
                break
            twin.hear(asked, twin.terms[asked] @ taste + chance.term_noise[number])
            story.asked.append(asked)
        story.arms.append(twin.recommend(chance.pool))
        twin.learn(story.arms[-1], catalog.arms[story.arms[-1]] @ taste + chance.noise)
    return story
