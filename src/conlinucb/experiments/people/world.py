"""What is learned from the logged people of a split: features, popularity, prior, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conlinucb.agent.priors import Population
from conlinucb.catalog.behaviour import people_features
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.tags import content_features, tag_basis
from conlinucb.experiments.people.baselines import Table, table_of
from conlinucb.experiments.people.task import NEGATIVES, Log, Task, as_yes_no
from conlinucb.numerics.validation import Floats, Indices

LEAST_TO_CALIBRATE = 10
"""Items of a logged person whose two halves tell how answers relate to rewards."""


@dataclass(frozen=True, eq=False)
class World:
    """One split: nothing of its tested people is in here."""

    log: Log
    task: Task
    split: int
    most: int | None = None
    """At most so many logged people; None for all."""

    @cached_property
    def people(self) -> Indices:
        """The logged people."""
        return self.log.logged(self.split, self.most)

    @cached_property
    def table(self) -> Table:
        """What they met and liked."""
        return table_of(self.log, self.people)

    @cached_property
    def catalog(self) -> Catalog:
        """Tags and people's own choices as features, a constant, and popularity where known."""
        data, counts = self.log.data, self.table.counts
        ids = list(data.item_ids), list(data.term_ids)
        made = Catalog(self._features(), data.weights, *ids).with_constant()
        if not counts.any():
            return made
        if data.implicit:
            return made.with_popularity(counts)
        return made.with_popularity(self.table.sums / np.maximum(counts, 1), counts=counts)

    def _features(self) -> Floats:
        """Directions of tags, and of who met what where somebody did."""
        weights = self.log.data.weights
        blocks = [content_features(weights, tag_basis(weights, self.task.tag_directions))]
        if self.task.people_directions and self.people.size > 1:
            blocks.append(people_features(self.table.met, self.task.people_directions))
        return np.hstack(blocks)

    @cached_property
    def prior(self) -> Population:
        """What logged people are like, before their answers are looked at."""
        halves = [self.log.all_of(int(each)) for each in self.people]
        negatives = NEGATIVES if self.log.data.implicit else 0
        return Population.fit(self.catalog, self._rewards(self.people, halves), negatives=negatives)

    @cached_property
    def population(self) -> Population:
        """With the scale of answers as people give them."""
        return self._calibrated(lambda said: said)

    @cached_property
    def yes_no_population(self) -> Population:
        """With the scale of a yes and a no."""
        return self._calibrated(lambda said: as_yes_no(said, self.task.yes))

    def _calibrated(self, heard: Callable[[Floats], Floats]) -> Population:
        enough = self.log.sizes[self.people] >= LEAST_TO_CALIBRATE
        people = [self.log.person(int(each)) for each in self.people[enough]]
        if not people:
            return self.prior
        rewards = self._rewards(self.people[enough], [each.rewarded for each in people])
        answers = self._answers([heard(self.log.answers(each.asked)) for each in people])
        answers["person"] = np.repeat(self.people[enough], len(self.log.data.term_ids))
        both = {name: np.concatenate([rewards[name], answers[name]]) for name in rewards}
        negatives = NEGATIVES if self.log.data.implicit else 0
        return self.prior.calibrated(self.catalog, both, negatives=negatives)

    def _rewards(self, people: Indices, halves: list[Any]) -> dict[str, Any]:
        sizes = [each.items.size for each in halves]
        items = np.concatenate([each.items for each in halves] or [np.empty(0, np.int64)])
        values = np.concatenate([each.values for each in halves] or [np.empty(0)])
        return {
            "person": np.repeat(people, sizes),
            "kind": np.full(items.size, "reward"),
            "id": np.asarray(self.log.data.item_ids)[items],
            "value": values,
        }

    def _answers(self, said: list[Floats]) -> dict[str, Any]:
        terms = np.asarray(self.log.data.term_ids)
        values = np.concatenate(said)
        return {
            "kind": np.full(values.size, "answer"),
            "id": np.tile(terms, len(said)),
            "value": values,
        }
