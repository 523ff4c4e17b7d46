"""The ``[data]`` and ``[people]`` of one's own comparison: a catalogue, and who is met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.agent.named import imported, is_stranger
from conlinucb.agent.spec import called, only
from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets import DATASETS, LOGGED, Interactions, interactions
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.experiments.own_log import said_and_shown, tags_of
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats, seed_of, whole
from conlinucb.people import (
    ClickUsers,
    Compares,
    Lies,
    LinearUsers,
    LoggedPeople,
    People,
    Refuses,
    YesNo,
)

KINDS: dict[str, Callable[..., People]] = {"LinearUsers": LinearUsers, "ClickUsers": ClickUsers}
LOGGED_KIND = "LoggedPeople"
LOGGED_OPTIONS = ("pool_size", "own", "unknown", "offered_size", "halves")
ANSWER_CHANGES: dict[str, Callable[..., People]] = {
    "compares": lambda people, noise: Compares(people, noise=noise),
    "yes_no": YesNo,
    "refuses": Refuses,
    "lies": Lies,
}
"""What people do to answers, in this order: compare pairs with this noise, yes from a value on, or
with a probability."""
USERS = 50
"""People drawn where the data have none and the file does not say how many."""
OF_TAGS = ("constant", "features", "d", "fold", "min_items", "max_items", "max_tags")
OF_LOG = ("person", "value", "implicit", "range", "min_people", "columns", "tag_columns")
"""Where a log and tags are read: options of one of the two tables; all others are of both."""
LOADED = ("min_listeners", "min_artists", "min_ratings", "min_films")
"""Options of published logs."""
HALVES = "those of real people: one half of what each met answers, the other is recommended"
SOURCES = ("name", "catalog", "tags", "log", "interactions")


@dataclass(frozen=True)
class World:
    """What agents recommend from, and to whom."""

    catalog: Catalog
    people: People
    data: dict[str, Any]
    """What is said of it: the file's own words, sizes, and where tastes come from."""


def world(data: dict[str, Any], people: dict[str, Any], folder: Path, seed: int) -> World:
    """Read the data, and find or draw people; paths count from ``folder``."""
    given, users = dict(people), people.get("users")
    given.pop("users", None)
    limit = None if users is None else whole("[people] users", users, low=1)
    if "log" in data or data.get("name") in LOGGED:
        catalog, met = _logged(data, folder)
        made, tastes = _met(given, met, catalog, limit, seed)
    else:
        catalog, thetas = _catalogue(data, limit, folder)
        tastes = "those of the data set"
        if thetas is None:
            tastes = f"drawn at random, of length 1 (seed {seed})"
            thetas = _drawn(USERS if limit is None else limit, catalog.d, seed)
        made = _people(given, thetas[:limit])
    sizes = {"arms": len(catalog), "key-terms": len(catalog.term_ids), "features": catalog.d}
    return World(catalog, made, {**data, **sizes, "tastes": tastes})


def _drawn(count: int, d: int, seed: int) -> Floats:
    rng = np.random.default_rng(int(seed_of(seed)))
    return unit_rows(rng.standard_normal((count, d)))


def _catalogue(
    data: dict[str, Any], users: int | None, folder: Path
) -> tuple[Catalog, Floats | None]:
    """The catalogue, and the tastes that come with it, if any do."""
    if len({"name", "catalog", "tags"} & set(data)) != 1:
        raise InvalidInput(
            "[data] must have one of name (a data set), catalog (a file that Catalog.save wrote) "
            "or tags (a table of items and tags; with log or interactions, a table of who liked "
            f"what), got {sorted(data)}."
        )
    options = {name: value for name, value in data.items() if name not in SOURCES}
    if "name" in data:
        found = _dataset(data["name"], options, users)
        return found.catalog, found.thetas
    if "catalog" in data:
        only(data, ("catalog",), "[data]")
        return Catalog.load(file_in(folder, data["catalog"])), None
    tags = table_in(folder, data["tags"])
    if "interactions" not in data:
        return _from_tags(tags, **options), None
    met = table_in(folder, data["interactions"])
    catalog: Catalog = called("[data]", Catalog.from_interactions, met, tags, **options)
    return catalog, catalog.thetas


def _from_tags(tags: Any, constant: Any = False, **options: Any) -> Catalog:
    """With ``constant``, what people like in general has a feature of its own."""
    if not isinstance(constant, bool):
        raise InvalidInput(f"[data] constant must be true or false, got {constant!r}.")
    catalog: Catalog = called("[data]", Catalog.from_tags, tags, **options)
    return catalog.with_constant() if constant else catalog


def _dataset(name: Any, options: dict[str, Any], users: int | None) -> Any:
    if name not in DATASETS:
        known = (*DATASETS, *LOGGED)
        raise UnknownName(f"No data set is called {name!r}.{nearest(name, known)}")
    if name == "synthetic" and users is not None:
        options.setdefault("users", users)
    return called("[data]", DATASETS[name], **options)


def table_in(folder: Path, given: Any) -> Path:
    """The path of a table beside the comparison's file: a file, or a folder of a known format."""
    path = folder / str(given)
    return path if path.is_dir() else file_in(folder, given)


def file_in(folder: Path, given: Any) -> Path:
    """The path of a file beside the comparison's."""
    path = folder / str(given)
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    return path


def _logged(data: dict[str, Any], folder: Path) -> tuple[Catalog, Interactions]:
    """The catalogue that the table of tags makes, and who met what: no taste is in its features."""
    options = {name: value for name, value in data.items() if name not in SOURCES}
    of_log = {name: value for name, value in options.items() if name not in OF_TAGS}
    of_tags = {name: value for name, value in options.items() if name not in OF_LOG}
    if "name" in data:
        only(data, ("name", *OF_TAGS, *LOADED), "[data]")
        loading = {name: each for name, each in options.items() if name in LOADED}
        making = {name: each for name, each in options.items() if name in OF_TAGS}
        found = called("[data]", LOGGED[data["name"]], **loading)
        return _from_tags(tags_of(found), **making), found
    if "tags" not in data or "catalog" in data:
        raise InvalidInput(
            "[data] with a log (who liked what) needs tags (items and tags) and nothing else to "
            f"read from, got {sorted(data)}."
        )
    log, tags = table_in(folder, data["log"]), table_in(folder, data["tags"])
    if "tag_columns" in options:
        of_tags["columns"] = options["tag_columns"]
    met = called("[data]", interactions, log, tags, name="log", **of_log)
    return _from_tags(tags, **of_tags), met


def _met(
    given: dict[str, Any], met: Interactions, catalog: Catalog, users: int | None, seed: int
) -> tuple[People, str]:
    """Logged people, the first ``users`` of them who met an item that has a tag, and their words.

    Of a published log one half of what they met answers unless ``halves`` says otherwise.
    """
    kind = given.pop("kind", LOGGED_KIND)
    if kind != LOGGED_KIND:
        raise UnknownName(f"[people]: with a log the kind is {LOGGED_KIND!r}, got {kind!r}.")
    if met.implicit and "own" not in given:
        raise InvalidInput(
            "[people] needs own where the log is implicit: pools of items that everybody met, all "
            "worth 1, tell nobody apart. own = 1 is one such item among others."
        )
    only(given, (*LOGGED_OPTIONS, *ANSWER_CHANGES), "[people]")
    halves = given.pop("halves", met.name in LOGGED)
    if not isinstance(halves, bool):
        raise InvalidInput(f"[people] halves must be true or false, got {halves!r}.")
    tables = said_and_shown(met, catalog, users, seed if halves else None)
    people = _changed(given, lambda **more: called("[people]", LoggedPeople, **tables, **more))
    return people, HALVES if halves else ""


def _people(given: dict[str, Any], thetas: Floats) -> People:
    """LinearUsers unless ``kind`` says otherwise, who change answers as the table says."""
    kind = given.pop("kind", "LinearUsers")
    if is_stranger(kind):
        made: Callable[..., People] = imported("[people] kind", kind)
    elif kind in KINDS:
        made = KINDS[kind]
    else:
        raise UnknownName(f"[people]: no kind is called {kind!r}.{nearest(kind, KINDS)}")
    return _changed(given, lambda **more: called("[people]", made, thetas, **more))


def _changed(given: Mapping[str, Any], made: Callable[..., People]) -> People:
    """People of the given options, with what they do to answers around them."""
    people = made(**{name: each for name, each in given.items() if name not in ANSWER_CHANGES})
    for name in ANSWER_CHANGES:
        if name in given:
            people = ANSWER_CHANGES[name](people, given[name])
    return people
