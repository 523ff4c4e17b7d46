"""Named data: the paper's three data sets, films to try things on, and logged people."""

from __future__ import annotations

from typing import Any

from conlinucb.datasets.dataset import Dataset
from conlinucb.datasets.demo import demo
from conlinucb.datasets.hetrec import lastfm, movielens
from conlinucb.datasets.interactions import Interactions, interactions
from conlinucb.datasets.logged import listening, ratings
from conlinucb.datasets.synthetic import synthetic
from conlinucb.errors import UnknownName, nearest

DATASETS = {each.__name__: each for each in (synthetic, lastfm, movielens, demo)}
LOGGED = {each.__name__: each for each in (listening, ratings)}
"""Real people, whose tastes nobody knows."""


def load(name: str, **options: Any) -> Dataset:
    """The data set with this name.

    >>> load("synthetic", arms=50, terms=10, users=2, d=4).catalog.d
    4
    """
    if name not in DATASETS:
        raise UnknownName(f"No data set is called {name!r}.{nearest(name, DATASETS)}")
    return DATASETS[name](**options)


__all__ = [
    "DATASETS",
    "LOGGED",
    "Dataset",
    "Interactions",
    "demo",
    "interactions",
    "lastfm",
    "listening",
    "load",
    "movielens",
    "ratings",
    "synthetic",
]
