"""A log of simulated people who were shown items at random, and the population learned from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from conlinucb.agent.priors import Population
from conlinucb.catalog.catalog import Catalog
from conlinucb.people.base import People

EVENTS = 100
"""Rounds that each logged person played."""


def random_log(catalog: Catalog, people: People, seed: int, events: int = EVENTS) -> dict[str, Any]:
    """Feedback of people to whom one item of each round's pool was recommended at random."""
    who, arms, rewards = [], [], []
    for person in range(len(people)):
        for round in range(1, events + 1):
            place = people.place(catalog, seed, 0, person, round)
            arm = int(people.round(place).pool[0])  # pools are in random order
            reward = people.reward(place, arm)
            if reward is not None:
                who.append(person)
                arms.append(catalog.arm_ids[arm])
                rewards.append(reward)
    return {"person": np.array(who), "id": arms, "value": np.array(rewards)}


def population_of(catalog: Catalog, people: People, seed: int) -> Population:
    """What the log tells of people in general."""
    return Population.fit(catalog, random_log(catalog, people, seed), range=None)
