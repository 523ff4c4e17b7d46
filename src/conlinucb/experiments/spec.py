"""One's own comparison from a TOML file, with the same results and report as the paper's items."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.agent.named import add_folder, imported, is_stranger
from conlinucb.agent.spec import agent_of, called, only
from conlinucb.catalog.catalog import Catalog
from conlinucb.datasets import DATASETS
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.experiments.item import BASELINE
from conlinucb.experiments.outcome import OWN, Outcome, Ran
from conlinucb.experiments.run import keep
from conlinucb.numerics.svd import unit_rows
from conlinucb.numerics.validation import Floats, seed_of, whole
from conlinucb.people import ClickUsers, Lies, LinearUsers, People, Refuses, YesNo
from conlinucb.progress import Progress

TOP = ("title", "rounds", "repeats", "seed", "baseline", "data", "people", "agents")
KINDS: dict[str, Callable[..., People]] = {"LinearUsers": LinearUsers, "ClickUsers": ClickUsers}
MANNERS: dict[str, Callable[..., People]] = {"yes_no": YesNo, "refuses": Refuses, "lies": Lies}
"""What people do to answers, in this order: yes from a value on, or with a probability."""
USERS = 50
"""People drawn where the data have none and the file does not say how many."""


def run_spec(
    path: Path, out: Path, bar: Progress | None = None, executor: str = "threads"
) -> Outcome:
    """Run the comparison in a file; a second call finds the results, or goes on."""
    spec = read_spec(path)
    catalog, thetas, data = _world(_table(spec, "data"), spec, path.parent)
    add_folder(path.parent)  # parts of one's own lie beside the file
    people = _people(_table(spec, "people"), thetas)
    agents = {
        str(name): agent_of(given, catalog, f"[agents.{name}]", strangers=True)
        for name, given in _agents(spec).items()
    }
    fixed = {
        "rounds": whole("rounds", spec.get("rounds", 1000), low=1),
        "repeats": whole("repeats", spec.get("repeats", 10), low=1),
        "seed": spec.get("seed", 0),
    }
    work = len(agents) * len(people) * fixed["repeats"] * fixed["rounds"]
    ran = Ran(
        item=path.stem,
        title=str(spec.get("title", path.stem)),
        baseline=_baseline(spec, list(agents)),
        protocol=OWN,
        setting="",
        point="",
        at=None,
        variant="",
        quick=False,
        data=data,
        constants="given",
        schedule="each agent's own",
        tuning=None,
        tuning_seconds=0.0,
        command=f"conlinucb simulate {path}",
    )
    folder = out / OWN / path.stem
    return keep(agents, people, folder, "base", ran, bar or Progress(work), executor, **fixed)


def read_spec(path: Path) -> dict[str, Any]:
    """The file's content; what is no TOML, or unknown, is refused with the line or the name."""
    try:
        spec = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not TOML: {error}.") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    only(spec, TOP, "the file")
    return spec


def _table(spec: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = spec.get(name, {})
    if not isinstance(found, dict):
        raise InvalidInput(f"{name} must be a table, [{name}], got {found!r}.")
    return dict(found)


def _agents(spec: Mapping[str, Any]) -> dict[str, Any]:
    found = _table(spec, "agents")
    if not found:
        raise InvalidInput(
            'The file must name agents, such as [agents.MCR] with recipe = "conlinucb".'
        )
    return found


def _baseline(spec: Mapping[str, Any], names: list[str]) -> str:
    given = spec.get("baseline", BASELINE if BASELINE in names else names[0])
    if given not in names:
        raise UnknownName(f"No agent is called {given!r}, the baseline.{nearest(given, names)}")
    return str(given)


def _world(
    data: dict[str, Any], spec: Mapping[str, Any], folder: Path
) -> tuple[Catalog, Floats, dict[str, Any]]:
    """The catalogue, the people's tastes (drawn where the data have none) and a description."""
    users = _table(spec, "people").get("users")
    if len({"name", "catalog", "tags"} & set(data)) != 1:
        raise InvalidInput(
            "[data] must have one of name (a data set), catalog (a file that Catalog.save wrote) "
            f"or tags (a table of items and tags), got {sorted(data)}."
        )
    thetas = None
    if "name" in data:
        found = _dataset(data, users)
        catalog, thetas = found.catalog, found.thetas
    elif "catalog" in data:
        only(data, ("catalog",), "[data]")
        catalog = Catalog.load(_file(folder, data["catalog"]))
    else:
        options = {name: value for name, value in data.items() if name != "tags"}
        catalog = called("[data]", Catalog.from_tags, _file(folder, data["tags"]), **options)
    if thetas is None:
        count = whole("users", USERS if users is None else users, low=1)
        seed = int(seed_of(spec.get("seed", 0)))
        thetas = unit_rows(np.random.default_rng(seed).standard_normal((count, catalog.d)))
    if users is not None:
        thetas = thetas[: whole("users", users, low=1)]
    return catalog, thetas, {**data, "arms": len(catalog.arms), "key-terms": len(catalog.terms)}


def _dataset(data: dict[str, Any], users: Any) -> Any:
    name = data["name"]
    if name not in DATASETS:
        raise UnknownName(f"No data set is called {name!r}.{nearest(name, DATASETS)}")
    options = {key: value for key, value in data.items() if key != "name"}
    if name == "synthetic" and users is not None:
        options.setdefault("users", users)
    return called("[data]", DATASETS[name], **options)


def _file(folder: Path, given: Any) -> Path:
    path = folder / str(given)
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    return path


def _people(given: dict[str, Any], thetas: Floats) -> People:
    """LinearUsers unless ``kind`` says otherwise, with the manners that the table names."""
    options = {name: each for name, each in given.items() if name != "users"}
    kind = options.pop("kind", "LinearUsers")
    manners = {name: options.pop(name) for name in MANNERS if name in options}
    if is_stranger(kind):
        people: People = called("[people]", imported("[people] kind", kind), thetas, **options)
    elif kind in KINDS:
        people = called("[people]", KINDS[kind], thetas, **options)
    else:
        raise UnknownName(f"[people]: no kind is called {kind!r}.{nearest(kind, KINDS)}")
    for name, value in manners.items():
        people = MANNERS[name](people, value)
    return people
