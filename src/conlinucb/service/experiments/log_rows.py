"""The log as rows that offline evaluation reads: a row for each item shown, with its reward.

A person's rows are in the order of their log. The first item of a recommendation is a decision
where its chance and its pool are known; the others, and those of which too little is known, are
there to be learned from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import Damaged, InvalidInput
from conlinucb.numerics.validation import Indices
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.problems import Problem
from conlinucb.service.storage import (
    AnswerBody,
    Broken,
    Event,
    RecommendationBody,
    RewardBody,
    Storage,
    retracted,
)

SEPARATOR = "|"
MOST_NAMED = 1_000
"""Ids of a pool, or of what was left out of everything, that a row names."""
Row = dict[str, Any]


@dataclass
class Left:
    """What is no decision, or no row, and why."""

    without_chance: int = 0
    """Recommendations whose propensity is not known: of an older version, or drawn by an agent
    that cannot tell."""
    without_pool: int = 0
    """Those whose pool cannot be told any more, or is too large to be named."""
    without_item: int = 0
    """Rows about what the catalogue does not have."""


@dataclass
class LogRows:
    """Makes rows of people's logs, for one catalogue as it is served now."""

    storage: Storage
    catalogues: Catalogues
    version: CatalogueVersion
    unrewarded: float
    """The reward of an item that got none."""
    since: int = 0
    """Decisions before are learned from only; microseconds since 1970."""
    experiment: int | None = None
    """Only decisions of this one are judged."""
    left: Left = field(default_factory=Left)
    _lives: dict[int, Indices | None] = field(default_factory=dict)

    @cached_property
    def catalog(self) -> Catalog:
        """Items and key-terms that rows may be about: with those that were removed since."""
        whole = self.version.catalog
        removed = np.setdiff1d(np.arange(len(whole)), whole.live_arms)
        return whole.restore_arms(removed.tolist(), keep_terms=True) if removed.size else whole

    @cached_property
    def shadows(self) -> list[str]:
        """The arms that have ever watched."""
        from conlinucb.service.experiments.experiments import Experiments

        found = Experiments(self.storage, self.catalogues).all(self.version.name)
        return sorted({arm.name for each in found for arm in each.arms if arm.shadow})

    def of(self, person: str, rows: Sequence[Event | Broken]) -> Iterator[Row]:
        """One person's."""
        gone = retracted(rows)
        events = [each for each in rows if isinstance(each, Event) and each.seq not in gone]
        rewards: dict[tuple[int | None, str], float] = {
            (each.body.decision, each.body.item): each.body.reward
            for each in events
            if isinstance(each.body, RewardBody) and each.body.decision is not None
        }
        round_ = 1
        for event in events:
            match event.body:
                case RecommendationBody() as body:
                    round_ = body.round
                    yield from self._shown(person, event, body, rewards)
                case RewardBody(decision=None) as body:
                    said = ("reward", body.item, body.reward)
                    yield from self._said(person, event, round_, *said)
                case AnswerBody(answer=float(answer), about="term" | "arm" as about) as body:
                    kind = "answer" if about == "term" else "reward"
                    yield from self._said(person, event, round_, kind, body.names[0], answer)
                case AnswerBody(picked=list(picked)):
                    for name in picked:
                        yes = self.version.settings.range[1]
                        yield from self._said(person, event, round_, "answer", name, yes)

    def _said(
        self, person: str, event: Event, round_: int, kind: str, name: str, value: float
    ) -> Iterator[Row]:
        known = self.catalog._term_lookup if kind == "answer" else self.catalog._arm_lookup
        if name not in known:
            self.left.without_item += 1
            return
        yield {
            **_about(person, event, round_, kind, name),
            "reward": value,
            "rewarded": True,
        }

    def _shown(
        self,
        person: str,
        event: Event,
        body: RecommendationBody,
        rewards: dict[tuple[int | None, str], float],
    ) -> Iterator[Row]:
        if any(each.item not in self.catalog._arm_lookup for each in body.items):
            self.left.without_item += len(body.items)
            return
        judged = self._judged(event, body)
        for slot, each in enumerate(body.items, start=1):
            reward = rewards.get((event.seq, each.item))
            decides = slot == 1 and judged is not None
            kind = "decision" if decides else "shown" if reward is None else "reward"
            yield {
                **_about(person, event, body.round, kind, each.item),
                **(judged if decides and judged is not None else {}),
                **_decided(body),
                **self._watched(body, each.item, decides=decides),
                "slot": slot,
                "reward": self.unrewarded if reward is None else reward,
                "rewarded": reward is not None,
                "shown_propensity": each.propensity,
                "score": each.score,
                "mean": each.mean,
                "radius": each.radius,
            }

    def _judged(self, event: Event, body: RecommendationBody) -> Row | None:
        """The chance and the pool of what stands first; None where it cannot be judged."""
        chance = body.items[0].propensity if len(body.items) == 1 else body.first
        wanted = self.experiment in (None, body.experiment) and event.at >= self.since
        if not wanted:
            return None
        if chance is None or not chance > 0.0:
            self.left.without_chance += 1
            return None
        pool = self._pool(body)
        if pool is None:
            self.left.without_pool += 1
            return None
        return {"propensity": chance, **pool}

    def _pool(self, body: RecommendationBody) -> Row | None:
        """What could be chosen: by name, or as what of everything could not."""
        live = self._live(body.version)
        if live is None:
            return None
        if body.among is not None:
            return self._named("pool", body.among)
        if body.left_out is None and (body.excluded or body.pool_size != live.size):
            return None
        among = np.setdiff1d(live, body.left_out or [])
        others = np.setdiff1d(self.catalog.live_arms, among)
        if others.size <= among.size:
            return self._named("left_out", others.tolist())
        return self._named("pool", among.tolist())

    def _named(self, column: str, places: list[int]) -> Row | None:
        names = [str(self.catalog.arm_ids[each]) for each in places]
        if len(names) > MOST_NAMED or any(SEPARATOR in each for each in names):
            return None
        return {column: SEPARATOR.join(names)} if names else {}

    def _live(self, number: int | None) -> Indices | None:
        """The items that a version had; None where places have changed their meaning since."""
        if number is None:
            return None
        if number not in self._lives:
            self._lives[number] = self._loaded(number)
        return self._lives[number]

    def _loaded(self, number: int) -> Indices | None:
        if number == self.version.number:
            return self.version.catalog.live_arms
        entry = self.storage.catalogue_log.find(self.version.name)
        try:
            found = entry and self.catalogues.load(entry, number)
        except (Damaged, InvalidInput, Problem):  # pruned, or cannot be read
            return None
        return found.catalog.live_arms if found and found.base == self.version.base else None

    def _watched(self, body: RecommendationBody, item: str, *, decides: bool) -> Row:
        """For each shadow: whether it would have put this item first; empty where it was none."""
        chosen = body.shadow or {}
        return {
            f"shadow_{arm}": (float(chosen[arm][:1] == [item]) if arm in chosen else None)
            for arm in self.shadows
            if decides
        }


def _about(person: str, event: Event, round_: int, kind: str, name: str) -> Row:
    return {
        "kind": kind,
        "person": person,
        "round": round_,
        "action": name,
        "event": event.seq,
        "at": event.at,
    }


def _decided(body: RecommendationBody) -> Row:
    names: Iterable[str] = ("version", "agent", "experiment", "arm", "population", "random")
    row = {name: getattr(body, name) for name in names}
    more = {"pool_digest": body.pool, "pool_size": body.pool_size, "excluded": body.excluded}
    return row | more
