"""HetRec 2011 Last.FM and MovieLens: from the raw files to a catalogue and people.

The selection follows the authors' code: the 1,500 users with most different items; among them the
2,000 items with most different users; over those items the 500 users with most items; and for each
item its 20 most widespread tags, from all users. Where counts tie at a cut, the order here is fixed
and depends on no library: of those who tie, the ones first seen later in the file are taken first.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets.dataset import Dataset
from conlinucb.datasets.files import data_folder
from conlinucb.datasets.synthetic import equal_weights
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.svd import singular_vectors, with_constant
from conlinucb.numerics.validation import Floats, Indices, whole

SELECTIONS, FEATURES = ("stable", "authors"), ("authors", "paper")
USERS_FIRST, ITEMS, USERS, TAGS = 1500, 2000, 500, 20


class Source(NamedTuple):
    """Where a data set keeps what."""

    name: str
    assignments: str
    items: str
    item_encoding: str
    dated: bool
    """Whether items have a year that makes their names different."""


LASTFM = Source("lastfm", "user_taggedartists.dat", "artists.dat", "utf-8", False)
MOVIELENS = Source("movielens", "user_taggedmovies.dat", "movies.dat", "latin-1", True)


class Assignments(NamedTuple):
    """Tag assignments in file order: who gave which item which tag."""

    users: Indices
    items: Indices
    tags: Indices


class Selection(NamedTuple):
    """Chosen items and users, and each item's tags, best known first."""

    items: Indices
    users: Indices
    tags: list[list[int]]


def lastfm(
    *,
    selection: Literal["stable", "authors"] = "stable",
    features: Literal["authors", "paper"] = "authors",
    d: int = 50,
) -> Dataset:
    """2,000 artists and 500 people of Last.FM; needs ``conlinucb data fetch lastfm`` once.

    ``selection="authors"`` takes the very artists and people of the paper's experiments.
    ``features="authors"``: singular vectors of tag counts, so that x'theta = (cos + 1) / 2;
    ``features="paper"``: those of the 0/1 matrix, so that x'theta is its best rank-d guess.
    """
    return _load(LASTFM, selection, features, d)


def movielens(
    *,
    selection: Literal["stable", "authors"] = "stable",
    features: Literal["authors", "paper"] = "authors",
    d: int = 50,
) -> Dataset:
    """2,000 films and 500 people of MovieLens; needs ``conlinucb data fetch movielens`` once.

    The choices are those of ``lastfm``.
    """
    return _load(MOVIELENS, selection, features, d)


def _load(source: Source, selection: str, features: str, d: int) -> Dataset:
    for name, value, known in (
        ("selection", selection, SELECTIONS),
        ("features", features, FEATURES),
    ):
        if value not in known:
            raise UnknownName(f"No {name} is called {value!r}.{nearest(value, known)}")
    d = whole("d", d, low=2)
    if d > USERS:
        raise InvalidInput(f"d must be at most {USERS}, the number of people, got {d}.")
    folder = data_folder(source.name)
    given = read_assignments(folder / source.assignments)
    frozen = selection == "authors"
    chosen = select(given, frozen=_frozen(source.name) if frozen else None, skip_first=frozen)
    affinity = affinity_matrix(given, chosen, counts=features == "authors")
    arms, thetas = (_cosine if features == "authors" else _low_rank)(affinity, d)
    tags = sorted({tag for each in chosen.tags for tag in each})
    catalog = Catalog(
        arms,
        _weights(chosen.tags, tags),
        arm_ids=_item_names(folder, source, chosen.items),
        term_ids=_names(folder / "tags.dat", "latin-1", tags, "tag"),
    )
    counts = {
        "users in the source": len(np.unique(given.users)),
        "items in the source": len(np.unique(given.items)),
        "tags in the source": len(np.unique(given.tags)),
        "assignments in the source": len(given.users),
        "users": len(thetas),
        "arms": len(arms),
        "key-terms": len(tags),
    }
    return Dataset(source.name, catalog, thetas, counts, tuple(chosen.users.tolist()))


def read_assignments(path: Path) -> Assignments:
    """The first three columns of a tag-assignment file, split on any white space."""
    lines = path.read_text("latin-1").splitlines()[1:]
    try:
        rows = np.array([line.split()[:3] for line in lines if line.strip()], dtype=np.int64)
        return Assignments(*(np.ascontiguousarray(column) for column in rows.T))
    except (ValueError, TypeError) as error:
        raise InvalidInput(f"{path} is not a tag-assignment file: {error}") from None


def select(
    given: Assignments, *, frozen: tuple[Indices, Indices] | None, skip_first: bool
) -> Selection:
    """Items, users and tags; ``skip_first`` leaves out each tag's first occurrence in counts,
    as the authors' code does."""
    items, users = frozen or _most_connected(given)
    return Selection(items, users, _widespread_tags(given, items, skip_first=skip_first))


def _most_connected(given: Assignments) -> tuple[Indices, Indices]:
    pairs = np.unique(np.stack([given.users, given.items]), axis=1)
    first = _top(_as_seen(given.users), pairs[0], USERS_FIRST)
    pairs = pairs[:, np.isin(pairs[0], first)]
    items = _top(_as_seen(given.items), pairs[1], ITEMS)
    pairs = pairs[:, np.isin(pairs[1], items)]
    return items, _top(first, pairs[0], USERS)


def _as_seen(values: Indices) -> Indices:
    """The different values in the order of their first appearance."""
    different, first = np.unique(values, return_index=True)
    return np.asarray(different[np.argsort(first)])


def _top(keys: Indices, occurrences: Indices, n: int) -> Indices:
    """The n keys that occur most often; of those that tie, the last in ``keys`` first."""
    counts = np.bincount(occurrences, minlength=int(keys.max()) + 1)[keys]
    return np.asarray(keys[np.argsort(counts, kind="stable")[::-1][:n]])


def _widespread_tags(given: Assignments, items: Indices, *, skip_first: bool) -> list[list[int]]:
    counted = np.ones(len(given.tags), dtype=bool)
    if skip_first:
        counted[np.unique(given.tags, return_index=True)[1]] = False
    pairs = np.unique(np.stack([given.items[counted], given.tags[counted]]), axis=1)
    spread = np.bincount(pairs[1], minlength=int(given.tags.max()) + 1)
    of_item: dict[int, dict[int, None]] = {int(item): {} for item in items}
    for item, tag in zip(given.items.tolist(), given.tags.tolist(), strict=True):
        if item in of_item:
            of_item[item][tag] = None  # in the order the item's tags appear
    return [sorted(tags, key=lambda tag: -spread[tag])[:TAGS] for tags in of_item.values()]


def affinity_matrix(given: Assignments, chosen: Selection, *, counts: bool) -> Floats:
    """(users, items): how many tags a user gave an item, or 1 where any."""
    row = {int(user): i for i, user in enumerate(chosen.users)}
    column = {int(item): i for i, item in enumerate(chosen.items)}
    matrix = np.zeros((len(row), len(column)))
    for user, item in zip(given.users.tolist(), given.items.tolist(), strict=True):
        if user in row and item in column:
            matrix[row[user], column[item]] += 1.0
    return matrix if counts else np.minimum(matrix, 1.0)


def _cosine(affinity: Floats, d: int) -> tuple[Floats, Floats]:
    """Unit singular vectors with a 1 appended, over sqrt 2: x'theta = (cos + 1) / 2."""
    u, _, v = singular_vectors(affinity, d - 1)
    return with_constant(v), with_constant(u)


def _low_rank(affinity: Floats, d: int) -> tuple[Floats, Floats]:
    """Arms V and people U S: x'theta is the best approximation of rank d."""
    u, s, v = singular_vectors(affinity, d)
    return v, np.asarray(u * s)


def _weights(tags_of_items: list[list[int]], tags: list[int]) -> sparse.csr_array:
    place = {tag: i for i, tag in enumerate(tags)}
    columns = [place[tag] for each in tags_of_items for tag in each]
    start = np.cumsum([0, *(len(each) for each in tags_of_items)])
    shape = (len(tags_of_items), len(tags))
    return equal_weights(sparse.csr_array((np.ones(len(columns)), columns, start), shape=shape))


def _frozen(name: str) -> tuple[Indices, Indices]:
    """The ids of the authors' own run, in its order: numpy's old sort decided its ties."""
    folder = resources.files("conlinucb.datasets") / "authors_selection"
    items, users = (
        np.array((folder / f"{name}_{kind}.txt").read_text().split(), dtype=np.int64)
        for kind in ("items", "users")
    )
    return items, users


def _item_names(folder: Path, source: Source, items: NDArray[np.int64]) -> list[str]:
    year = 5 if source.dated else None
    return _names(folder / source.items, source.item_encoding, items.tolist(), "item", year)


def _names(
    path: Path, encoding: str, ids: Iterable[int], kind: str, year: int | None = None
) -> list[str]:
    """Names from a table of id, name, ...; an id that is not there, or a name that is there
    twice, gets its id."""
    known = names_in(path, encoding, year)
    names = [known.get(each) or f"{kind} {each}" for each in ids]
    twice = (
        {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
    )
    return [
        f"{name} [{each}]" if name in twice else name for name, each in zip(names, ids, strict=True)
    ]


def names_in(path: Path, encoding: str, year: int | None = None) -> dict[int, str]:
    """Names by id from a table of id, name, ..., with the year where that is a column."""
    known: dict[int, str] = {}
    for line in path.read_text(encoding).splitlines()[1:]:
        cells = line.split("\t")
        if cells[0].isdigit() and len(cells) > 1:
            dated = f" ({cells[year]})" if year and len(cells) > year else ""
            known[int(cells[0])] = cells[1].strip() + dated
    return known
