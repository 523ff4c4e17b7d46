"""Learn a population from a catalogue's log, and when to learn the next one."""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from conlinucb.agent.priors import Population
from conlinucb.errors import InvalidInput
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.populations.feedback import feedback_of, table_of
from conlinucb.service.problems import Problem
from conlinucb.service.storage import Storage, StoredPopulation, now
from conlinucb.service.storage.populations import MOST_PEOPLE

logger = logging.getLogger("conlinucb.service")
REWARDS = 3
"""Who gave fewer rewards counts too little to be counted among the people."""
GROWTH = 1.25
"""How many times more people make the next one worth it."""
NEWS = 0.01
"""The share of events that are new, or gone, below which the people are not looked at again."""
REST = 600_000_000
"""Microseconds until it is tried again where it could not be learned."""
DAY = 24 * 3_600_000_000


class Learner:
    """Learns populations of catalogues, stores them, and puts them to use where wanted."""

    def __init__(self, storage: Storage, catalogues: Catalogues) -> None:
        self._storage = storage
        self._catalogues = catalogues
        self._resting: dict[int, int] = {}
        self._looked: dict[int, tuple[int, int]] = {}
        """By catalogue: its events when it was looked at last, and who had said enough."""

    def learn(
        self, name: str, *, use: bool = False, random_weight: float = 1.0
    ) -> StoredPopulation:
        """Learn the next version now, unless someone else is at it or too few have said enough."""
        with self._alone(self._catalogues.serving(name)) as version:
            found = self._learned(version, random_weight)
        if use:
            self._catalogues.use_population(name, found.number)
        return found

    @contextmanager
    def _alone(self, version: CatalogueVersion) -> Iterator[CatalogueVersion]:
        """Nobody else learns one of this catalogue meanwhile."""
        if not self._storage.populations.lease(version.id):
            raise Problem(
                409,
                "population_fitting",
                f"A population of {version.name!r} is being learned.",
                retry=True,
            )
        try:
            yield version
        finally:
            self._storage.populations.release(version.id)

    def learn_due(self) -> None:
        """Learn where enough has come in since the last time; for whoever has the time.

        A population stays in use only while enough people are left to speak of people in general.
        """
        for version in self._catalogues.all():
            if version.settings.population == "off":
                continue
            people = self._people(version)
            if people < version.settings.population_least:
                self._leave(version)
            elif self._resting.get(version.id, 0) <= now() and self._is_new(version, people):
                self._try(version)

    def _leave(self, version: CatalogueVersion) -> None:
        if version.population is not None:
            self._catalogues.use_population(version.name, 0)
            logger.info("catalogue %s: too few people are left for a population", version.name)

    def _try(self, version: CatalogueVersion) -> None:
        try:
            self._learn_if_due(version)
        except (Problem, InvalidInput) as error:  # such as most rewards taken back
            self._resting[version.id] = now() + REST
            logger.info("catalogue %s: no population: %s", version.name, error)

    def _learn_if_due(self, version: CatalogueVersion) -> None:
        with self._alone(version):
            if not self.is_due(version):
                return  # someone else has just done it
            found = self._learned(version, 1.0)
        logger.info("catalogue %s: population %s is learned", version.name, found.number)
        if version.settings.population == "auto":
            self._catalogues.use_population(version.name, found.number)

    def is_due(self, version: CatalogueVersion) -> bool:
        """Whether enough people are there, and enough is new about them."""
        people = self._people(version)
        return people >= version.settings.population_least and self._is_new(version, people)

    def _is_new(self, version: CatalogueVersion, people: int) -> bool:
        last = self._last(version)
        if last is None:
            return True
        old = now() - last.at > version.settings.population_days * DAY
        return old or people >= GROWTH * last.people

    def _people(self, version: CatalogueVersion) -> int:
        """How many said enough, at most as many as there are; few are not looked at closely."""
        known = self._storage.people.count(version.id)
        if known < version.settings.population_least:
            return known
        kept = self._storage.counts.of(version.id)
        events, rich = self._looked.get(version.id, (0, 0))
        enough = rich > 2 * version.settings.population_least
        if not (kept and enough and abs(kept.events - events) < NEWS * events):
            rich = self._storage.populations.people_with_rewards(version.id, REWARDS)
            self._looked[version.id] = kept.events if kept else 0, rich
        return rich

    def _last(self, version: CatalogueVersion) -> StoredPopulation | None:
        """The last one about the features that are served."""
        known = self._storage.populations.all(version.id)
        return next((each for each in known[::-1] if each.base == version.base), None)

    def _learned(self, version: CatalogueVersion, random_weight: float) -> StoredPopulation:
        said = feedback_of(
            self._storage,
            version.id,
            version.catalog,
            random_weight=random_weight,
            most=MOST_PEOPLE,
        )
        table = table_of(said)
        people = _people(table)
        least = version.settings.population_least
        if people < least:
            raise Problem(
                409,
                "too_few_people",
                f"{people} people of {version.name!r} have given at least {REWARDS} rewards; a "
                f"population is learned from {least} on (population_least).",
            )
        # On one core: requests go on meanwhile.
        found = Population.fit(version.catalog, table, range=version.settings.range, threads=1)
        return self._stored(version, found, people)

    def _stored(
        self, version: CatalogueVersion, found: Population, people: int
    ) -> StoredPopulation:
        """A new version, or the last one where nothing changed."""
        digest = json.dumps(found.digest())
        note = json.dumps(_plain(found.summary()))
        last, populations = self._last(version), self._storage.populations
        if last is not None and last.digest == digest:
            populations.confirm(version.id, last.number, people)
            return last
        new = StoredPopulation(0, version.base, people, digest, note, 0)
        used = version.population.number if version.population else 0
        return populations.add(version.id, new, found.to_bytes(), keep={used})


def _plain(value: Any) -> Any:
    """With None for numbers that JSON does not have, such as what too few people tell nothing of.

    >>> _plain({"noise": 0.5, "coverage": float("nan")})
    {'noise': 0.5, 'coverage': None}
    """
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _people(table: dict[str, list[Any]]) -> int:
    """How many have given enough rewards."""
    rewards = (
        person
        for person, kind in zip(table["person"], table["kind"], strict=True)
        if kind == "reward"
    )
    return sum(count >= REWARDS for count in Counter(rewards).values())
