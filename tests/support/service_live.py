"""Simulated people who talk to the service in this process, in an experiment or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import conlinucb as cl
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import Content
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.settings import Settings
from conlinucb.service.storage import RecommendationBody
from support.service_world import opened

D, ITEMS = 4, 30
KEEN = {"recipe": "linucb", "alpha": 0.3, "beta": 0.3}
"""Shows what it believes in."""
CURIOUS = {"recipe": "linucb", "alpha": 6.0, "beta": 0.3}
"""Shows what it knows least of: worse in the first rounds."""


def catalog() -> cl.Catalog:
    rng = np.random.default_rng(11)
    arms = rng.normal(size=(ITEMS, D))
    arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    ids = [f"item {a}" for a in range(ITEMS)]
    terms = [f"term {k}" for k in range(6)]
    return cl.Catalog(arms, rng.random((ITEMS, 6)) < 0.4, arm_ids=ids, term_ids=terms)


class Crowd:
    """A service with one catalogue, ``it``, and people who like what lies in their direction."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.storage = opened(url)
        self.catalogues = Catalogues(self.storage)
        self.catalogues.opened = True
        given: dict[str, Any] = {"agent": CURIOUS, "max_questions": 0, "range": (-1.0, 1.0)}
        given["population"] = "off"
        self.catalogues.replace("it", Content(catalog()), Settings(**given | settings))
        loader, cache = StateLoader(self.storage), StateCache(10**8)
        self.use_cases = UseCases(
            self.storage, self.catalogues, cache, loader, lambda state, person: None
        )
        self.arms = catalog().arms
        self.places = {f"item {a}": a for a in range(ITEMS)}

    def set(self, **settings: Any) -> None:
        now = self.catalogues.serving("it").settings
        self.catalogues.set_settings("it", now.model_copy(update=settings))

    def talk(self, name: str, seed: int, rounds: int, pool_size: int | None = None) -> list[float]:
        """One person's rounds, each with a rating from -1 to 1; what they gave."""
        rng = np.random.default_rng([seed, 5])
        taste = rng.normal(size=D)
        taste /= np.linalg.norm(taste)
        given = []
        for _ in range(rounds):
            pool = None
            if pool_size is not None:
                drawn = rng.choice(ITEMS, size=pool_size, replace=False)
                pool = [f"item {a}" for a in drawn]
            written = self.use_cases.next("it", name, NextRequest(pool=pool, ask=False))
            assert isinstance(written.event.body, RecommendationBody)
            item = written.event.body.items[0].item
            liked = 0.8 * float(self.arms[self.places[item]] @ taste)
            reward = float(np.clip(liked + 0.1 * rng.normal(), -1.0, 1.0))
            decision = f"d{written.event.seq}"
            self.use_cases.reward("it", name, decision, item, reward, None)
            given.append(reward)
        return given


@contextmanager
def crowd(url: str, **settings: Any) -> Iterator[Crowd]:
    found = Crowd(url, **settings)
    yield found
    found.storage.close()
