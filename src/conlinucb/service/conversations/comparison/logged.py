"""Real people from published logs, where their files are: loaded once, when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from conlinucb import datasets
from conlinucb.agent.priors import Population
from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.tags import content_features, tag_basis
from conlinucb.datasets import Interactions
from conlinucb.datasets.files import LARGEST_FILE, data_folder
from conlinucb.errors import ConlinucbError, InvalidInput
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.people import LoggedPeople
from conlinucb.service.catalogues.learned import LearnedPrior
from conlinucb.service.catalogues.version import CatalogueVersion, Content
from conlinucb.service.conversations.comparison.meet import TOLD, Meeting
from conlinucb.service.schemas import ComparisonBody, PagePeople
from conlinucb.service.settings import Settings

SET_ASIDE = 200
"""People who can be met, at most half of those there are; nothing is learned from them."""
POOL = 10
LEAST_KNOWN = 2
"""Rated items with a topic that someone needs to have an opinion of it."""
_SEED = 16


@dataclass(frozen=True, kw_only=True)
class Log:
    """A published log, and how its people are met."""

    load: Callable[[], Interactions]
    files: dict[str, tuple[str, ...]]
    """Data sets that are needed, and files of them beside those every loader needs."""
    nouns: str
    least: int
    """Items that a person who is met has at least."""
    yes: float
    """An opinion of a topic from here on is a yes."""
    directions: int
    """Of topics, as features."""
    own: int | None
    """Of a pool: items of the person's own; None for all of them."""
    negatives: int
    liked_from: float
    learned_from: int
    """People that a newcomer's beginning is learned from; more take longer."""


LOGS: dict[str, Log] = {
    "ratings": Log(
        load=datasets.ratings,
        files={"ml-latest-small": (), "movielens": ("movie_tags.dat",)},
        nouns="films",
        least=40,
        yes=0.7,
        directions=49,
        own=None,
        negatives=0,
        liked_from=(4.0 - 0.5) / 4.5 - 1e-9,  # four stars of five; the fewest is half a star
        learned_from=100,
    ),
    "listening": Log(
        load=datasets.listening,
        files={"lastfm": ("user_artists.dat",)},
        nouns="artists",
        least=20,
        yes=0.1,
        directions=40,
        own=2,
        negatives=4,
        liked_from=1.0,
        learned_from=300,
    ),
}


@dataclass(frozen=True, eq=False)
class Loaded:
    """A log in memory: its catalogue with what was learned, and who can be met."""

    data: Interactions
    version: CatalogueVersion
    aside: Indices


class LoggedKinds:
    """The logs whose files are here, each loaded once; one load at a time."""

    names = tuple(LOGS)

    def __init__(self) -> None:
        self._loaded: dict[str, Loaded] = {}
        self._lock = threading.Lock()

    def found(self) -> list[PagePeople]:
        """Those that can be met."""
        return [
            PagePeople(name=name, real=True, ready=name in self._loaded, nouns=log.nouns)
            for name, log in LOGS.items()
            if missing(log) is None
        ]

    def meet(self, name: str, order: ComparisonBody, count: int) -> Meeting:
        """Some of the people who are set aside, drawn by the seed."""
        log = LOGS[name]
        problem = missing(log)
        if problem is not None:
            raise InvalidInput(f"The people {name!r} are not here: {problem}")
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = _load(log, name)
        return _meeting(log, self._loaded[name], order.seed, count)


def missing(log: Log) -> str | None:
    """Why a log cannot be read: files that are not here, or larger than any that we know."""
    try:
        for name, also in log.files.items():
            folder = data_folder(name, also=also)
            large = [each for each in folder.iterdir() if each.stat().st_size > LARGEST_FILE]
            if large:
                return f"{large[0].name} has more than {LARGEST_FILE // 10**6} MB."
    except (ConlinucbError, OSError) as error:
        return str(error)
    return None


def _load(log: Log, name: str) -> Loaded:
    data = log.load()
    has = sparse.csr_array((data.weights > 0).astype(np.float64))
    features = content_features(has, tag_basis(has, min(log.directions, *has.shape)))
    names = _unique(data)
    catalog = Catalog(features, has, names, [str(each) for each in data.term_ids]).with_constant()
    sizes = np.bincount(data.people, minlength=len(data.user_ids))
    people = np.random.default_rng(_SEED).permutation(len(sizes))
    aside = people[sizes[people] >= log.least][: min(SET_ASIDE, len(people) // 2)]
    others = np.setdiff1d(people, aside, assume_unique=True)[: log.learned_from]
    prior = LearnedPrior(1, _learned(log, data, catalog, others))
    version = CatalogueVersion(0, f"{name} (real)", 1, 1, Content(catalog), Settings(), prior)
    return Loaded(data, version, aside)


def _learned(log: Log, data: Interactions, catalog: Catalog, people: Indices) -> Population:
    """What others are like, as the service learns it from its own log."""
    of = np.isin(data.people, people)
    rewards: dict[str, Any] = {
        "person": data.people[of],
        "kind": np.full(int(of.sum()), "reward"),
        "id": np.asarray(catalog.arm_ids)[data.items[of]],
        "value": data.values[of],
    }
    # One thread: whoever talks to the service meanwhile needs the others.
    return Population.fit(catalog, rewards, negatives=log.negatives, threads=1)


def _unique(data: Interactions) -> list[str]:
    """Names of the items; where two have one name, with their ids."""
    names, counts = np.unique(data.item_names, return_counts=True)
    twice = set(names[counts > 1].tolist())
    pairs = zip(data.item_names, data.item_ids, strict=True)
    return [f"{name} ({item})" if name in twice else name for name, item in pairs]


def _meeting(log: Log, loaded: Loaded, seed: int, count: int) -> Meeting:
    """What they say comes from one half of what they met, what they are shown from the other."""
    data, catalog = loaded.data, loaded.version.catalog
    rng = np.random.default_rng([seed, 2])
    chosen = rng.permutation(loaded.aside)[:count]
    if chosen.size < count:
        raise InvalidInput(
            f"Only {chosen.size} people of the log have {log.least} {log.nouns} or more and are "
            f"not learned from; a comparison needs {count}."
        )
    rewards = np.full((len(chosen), len(catalog)), np.nan)
    answers = np.empty((len(chosen), len(catalog.term_ids)))
    for row, person in enumerate(chosen):
        rows = rng.permutation(np.flatnonzero(data.people == person))
        said, shown = rows[: rows.size // 2], rows[rows.size // 2 :]
        rewards[row, data.items[shown]] = data.values[shown]
        answers[row] = _opinions(data, catalog, said)
    heard = np.where(np.isnan(answers), np.nan, (answers >= log.yes).astype(float))
    people = LoggedPeople(rewards, heard, pool_size=POOL, own=log.own)
    return Meeting(
        loaded.version,
        people,
        [_best(catalog, each) for each in answers],
        [[]] * len(chosen),
        np.full(len(chosen), log.liked_from),
    )


def _opinions(data: Interactions, catalog: Catalog, rows: Indices) -> Floats:
    """Of what they listened to, the share with a topic; of what they rated, the mean rating."""
    has = catalog.weights[data.items[rows]]
    count = np.asarray(has.sum(axis=0)).ravel()
    if data.implicit:
        return np.asarray(count / rows.size)
    means = np.asarray(has.T @ data.values[rows]).ravel() / np.maximum(count, 1)
    return np.where(count >= LEAST_KNOWN, means, np.nan)


def _best(catalog: Catalog, opinions: Floats) -> list[str]:
    order = np.argsort(-np.nan_to_num(opinions, nan=-1.0), kind="stable")[:TOLD]
    return [str(catalog.term_ids[each]) for each in order if opinions[each] > 0]
