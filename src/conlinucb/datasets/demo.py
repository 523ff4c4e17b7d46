"""The films that come with the package: enough to try everything without a download."""

from __future__ import annotations

from importlib import resources

from conlinucb.catalog import Catalog
from conlinucb.datasets.dataset import Dataset


def demo(*, d: int = 20) -> Dataset:
    """Well-known films with the topics people would answer questions about.

    >>> films = demo()
    >>> films.catalog.term_index("heist stories") >= 0
    True
    """
    films = _rows("demo_films.tsv")
    titles = [f"{title} ({year})" for title, year, _ in films]
    topics = [topic for topic, *_ in _rows("demo_topics.tsv")]
    pairs = [
        (film, topic)
        for film, row in zip(titles, films, strict=True)
        for topic in row[2].split("|")
    ]
    table = {"item": [film for film, _ in pairs], "tag": [topic for _, topic in pairs]}
    catalog = Catalog.from_tags(table, d=d)
    return Dataset("demo", catalog, None, {"films": len(films), "topics": len(topics)})


def questions() -> dict[str, str]:
    """How each topic is asked about: "Do you enjoy heist stories?"."""
    return {topic: question for topic, _, question in _rows("demo_topics.tsv")}


def _rows(name: str) -> list[list[str]]:
    text = (resources.files("conlinucb.datasets") / name).read_text("utf-8")
    return [line.split("\t") for line in text.splitlines()[1:]]
