"""Published data of real people: what they listened to, and how they rated films."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.datasets.files import data_folder
from conlinucb.datasets.hetrec import names_in, read_assignments
from conlinucb.datasets.interactions import Interactions, interactions
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices

STARS = (0.5, 5.0)
"""The fewest and the most stars of a film."""
NO_GENRE = "(no genres listed)"
Columns = dict[str, Any]


def listening(
    folder: str | Path | None = None, *, min_listeners: int = 10, min_artists: int = 15
) -> Interactions:
    """Who listened to whom on Last.FM; needs ``conlinucb data fetch lastfm`` once.

    Artists with at least ``min_listeners`` listeners, and as key-terms the tags of at least
    ``min_artists`` of them; a weight is how many people gave the artist that tag. ``folder``
    holds the folder of the data set, in place of ``CONLINUCB_DATA``.
    """
    source = data_folder("lastfm", folder, also=("user_artists.dat",))
    people, artists = _whole_numbers(source / "user_artists.dat", 2)
    given = read_assignments(source / "user_taggedartists.dat")
    found = interactions(
        {"person": people, "item": artists},
        _tags(source, given.items, given.tags),
        name="listening",
        implicit=True,
        min_people=min_listeners,
        min_items=min_artists,
    )
    return _named(found, names_in(source / "artists.dat", "utf-8"), "artist")


def ratings(
    folder: str | Path | None = None, *, min_ratings: int = 15, min_films: int = 10
) -> Interactions:
    """Who gave which film how many stars; needs ml-latest-small and movielens fetched once.

    Films with at least ``min_ratings`` ratings, and as key-terms what at least ``min_films`` of
    them have: tags of HetRec MovieLens, weighted by how many people gave them, and genres, such
    as "Comedy (genre)", of weight 1. Newer films than HetRec's have genres only. ``folder`` holds
    the folders of both data sets, in place of ``CONLINUCB_DATA``.
    """
    stars = data_folder("ml-latest-small", folder)
    tags = _film_tags(data_folder("movielens", folder, also=("movie_tags.dat",)))
    titles, genres = _films(stars / "movies.csv")
    found = interactions(
        _stars(stars / "ratings.csv"),
        {name: [*tags[name], *genres[name]] for name in genres},
        name="ratings",
        range=STARS,
        min_people=min_ratings,
        min_items=min_films,
    )
    return _named(found, titles, "film")


def _named(found: Interactions, names: dict[int, str], kind: str) -> Interactions:
    """With names; an item without one gets its id."""
    ids = (int(each) for each in found.item_ids)
    return replace(found, item_names=tuple(names.get(each) or f"{kind} {each}" for each in ids))


def _tags(folder: Path, items: Indices, tags: Indices, weights: Indices | None = None) -> Columns:
    """A table of items and tags by name; each row counts once if there are no weights."""
    names = names_in(folder / "tags.dat", "latin-1")
    count = np.ones(len(items), dtype=np.int64) if weights is None else weights
    written = [names.get(each) or f"tag {each}" for each in tags.tolist()]
    return {"item": items, "tag": written, "weight": count}


def _film_tags(folder: Path) -> Columns:
    return _tags(folder, *_whole_numbers(folder / "movie_tags.dat", 3))


def _whole_numbers(path: Path, columns: int) -> list[Indices]:
    """The first columns of a .dat file of whole numbers, split on any white space."""
    lines = path.read_text("latin-1").splitlines()[1:]
    try:
        rows = np.array([line.split()[:columns] for line in lines if line.strip()], dtype=np.int64)
        return [np.ascontiguousarray(rows[:, column]) for column in range(columns)]
    except (ValueError, TypeError, IndexError) as error:
        raise InvalidInput(
            f"{path} does not hold {columns} whole numbers a line: {error}"
        ) from None


def _stars(path: Path) -> Columns:
    kinds = {"person": ("userId", int), "item": ("movieId", int), "value": ("rating", float)}
    rows = _csv(path, *(name for name, _ in kinds.values()))
    try:
        return {name: [read(row[column]) for row in rows] for name, (column, read) in kinds.items()}
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{path} is not a file of ratings: {error}") from None


def _films(path: Path) -> tuple[dict[int, str], Columns]:
    """Titles by film, and a table of films and genres."""
    rows = _csv(path, "movieId", "title", "genres")
    try:
        films = {int(row["movieId"]): row for row in rows}
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{path} is not a file of films: {error}") from None
    pairs = [
        (film, f"{genre} (genre)")
        for film, row in films.items()
        for genre in (row["genres"] or NO_GENRE).split("|")
        if genre and genre != NO_GENRE
    ]
    items, genres = ([pair[side] for pair in pairs] for side in (0, 1))
    titles = {film: (row["title"] or "").strip() for film, row in films.items()}
    return titles, {"item": items, "tag": genres, "weight": [1] * len(items)}


def _csv(path: Path, *columns: str) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        found = list(reader.fieldnames or ())
        missing = [each for each in columns if each not in found]
        if missing:
            raise InvalidInput(f"{path} has no column {missing[0]!r}; it has {found}.")
        return list(reader)
