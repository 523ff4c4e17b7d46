"""The films that come with the package: enough to try everything without a download."""

from __future__ import annotations

from importlib import resources

from scipy import sparse

from conlinucb.catalog import Catalog
from conlinucb.datasets.dataset import Dataset
from conlinucb.tagging import content_features
from conlinucb.validation import whole


def demo(*, d: int = 20) -> Dataset:
    """Well-known films with the topics people would answer questions about.

    >>> films = demo()
    >>> films.catalog.term_index("heist stories") >= 0
    True
    """
    films = _rows("demo_films.tsv")
    topics = [topic for topic, *_ in _rows("demo_topics.tsv")]
    place = {topic: k for k, topic in enumerate(topics)}
    weights = sparse.dok_array((len(films), len(topics)))
    for i, (_, _, tags) in enumerate(films):
        for topic in tags.split("|"):
            weights[i, place[topic]] = 1.0
    member = weights.tocsr()
    titles = [f"{title} ({year})" for title, year, _ in films]
    catalog = Catalog(
        content_features(member, whole("d", d, low=1)), member, arm_ids=titles, term_ids=topics
    )
    return Dataset("demo", catalog, None, {"arms": len(films), "key-terms": len(topics)})


def questions() -> dict[str, str]:
    """How each topic is asked about: "Do you enjoy heist stories?"."""
    return {topic: question for topic, _, question in _rows("demo_topics.tsv")}


def _rows(name: str) -> list[list[str]]:
    text = (resources.files("conlinucb.datasets") / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]
