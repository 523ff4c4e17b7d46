"""The films that come with the package: enough to try everything without a download."""

from __future__ import annotations

from importlib import resources
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.tags import content_basis, content_features, tag_weights
from conlinucb.datasets.dataset import Dataset
from conlinucb.numerics.validation import whole


def demo(*, d: int | None = 20) -> Dataset:
    """Well-known films with the topics people would answer questions about.

    Features are the topics in the ``d`` directions in which films differ most; with ``d=None`` the
    topics themselves, with a constant.

    >>> films = demo()
    >>> films.catalog.term_index("heist stories") >= 0
    True
    """
    films = {
        f"{title} ({year})": dict.fromkeys(tags.split("|"), 1.0)
        for title, year, tags in _rows("demo_films.tsv")
    }
    topics = [topic for topic, *_ in _rows("demo_topics.tsv")]
    weights = tag_weights(films, topics)
    size = len(topics) if d is None else whole("d", d, low=1)
    basis = np.eye(size) if d is None else content_basis(weights, size)
    catalog = Catalog(content_features(weights, basis), weights, list(films), topics)
    catalog.basis = basis
    catalog = catalog.with_constant() if d is None else catalog
    return Dataset("demo", catalog, None, {"arms": len(films), "key-terms": len(topics)})


def questions() -> dict[str, str]:
    """How each topic is asked about: "Do you enjoy heist stories?"."""
    return {topic: question for topic, _, question in _rows("demo_topics.tsv")}


def details() -> dict[str, dict[str, Any]]:
    """Title and year of each film, by id.

    >>> details()["Alien (1979)"]
    {'title': 'Alien', 'year': 1979}
    """
    return {
        f"{title} ({year})": {"title": title, "year": int(year)}
        for title, year, _ in _rows("demo_films.tsv")
    }


def _rows(name: str) -> list[list[str]]:
    text = (resources.files("conlinucb.datasets") / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]
