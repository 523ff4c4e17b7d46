"""What ``tune`` is given, checked before any work starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conlinucb.catalog.catalog import Catalog
from conlinucb.errors import InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import number, seed_of
from conlinucb.people import People, part_of, persons
from conlinucb.people.base import checked_people
from conlinucb.simulation.halving import Halving
from conlinucb.simulation.lines import Lines
from conlinucb.simulation.loop.inputs import METRICS
from conlinucb.simulation.measures import MORE, is_more
from conlinucb.simulation.own_rounds import AnyAgent, is_agent
from conlinucb.simulation.search import Sampler
from conlinucb.simulation.space import Space

NOT_THE_SAME_TWICE = ("arm_seconds", "term_seconds")


def sampler_of(given: Any) -> Sampler:
    """The sampler with this name, or the object itself."""
    if isinstance(given, str):
        from conlinucb.simulation.optuna_sampler import NAMES, Optuna

        names = ("lines", *NAMES)
        if given not in names:
            raise UnknownName(f"No sampler is called {given!r}.{nearest(given, names)}")
        return Lines() if given == "lines" else Optuna(given)
    if not (hasattr(given, "stages") and hasattr(given, "start")):
        raise InvalidInput(
            f"sampler must be 'lines', 'tpe', 'cma-es' or have stages() and start(), got {given!r}."
        )
    return given  # type: ignore[no-any-return]


def searched_of(
    spaces: Mapping[str, Space | AnyAgent],
) -> tuple[dict[str, Space], dict[str, AnyAgent]]:
    """What is searched, and an agent of each: the first point of a space, for now."""
    if not isinstance(spaces, Mapping) or not spaces:
        raise InvalidInput(f"spaces must be a dictionary name -> Space, got {spaces!r}.")
    for name, each in spaces.items():
        if not isinstance(name, str) or not (isinstance(each, Space) or is_agent(each)):
            raise InvalidInput(
                f"spaces must map names to spaces, such as Space(conlinucb, catalog), or to "
                f"agents, got {name!r}: {each!r}."
            )
    searched = {name: each for name, each in spaces.items() if isinstance(each, Space)}
    if not searched:
        raise InvalidInput("There is nothing to tune: every one of spaces is an agent already.")
    return searched, {
        name: each.agent(each.first) if isinstance(each, Space) else each
        for name, each in spaces.items()
    }


def split(
    people: People, scored_on: People | float, catalog: Catalog, seed: int
) -> tuple[People, People]:
    """Those to tune on and those to score on; nobody is both."""
    checked_people(people)
    if isinstance(scored_on, People):
        for each in (people, scored_on):
            each.check(catalog)
        both = set(persons(people, catalog)) & set(persons(scored_on, catalog))
        if both or people is scored_on:
            raise InvalidInput(
                f"{len(both)} of the people in scored_on are tuned on, too. Give other people, or "
                f"a share of people such as scored_on=0.5 to split them."
            )
        return people, scored_on
    share = number("scored_on", scored_on, low=0.0, high=1.0)
    order = np.random.default_rng(int(seed_of(seed))).permutation(len(people))
    scored = round(share * len(people))
    if not 0 < scored < len(people):
        raise InvalidInput(
            f"scored_on={scored_on!r} keeps {scored} of {len(people)} people for the score; at "
            f"least one must score and one must be tuned on."
        )
    return (
        part_of(people, np.sort(order[scored:])),
        part_of(people, np.sort(order[:scored])),
    )


def more_is_better(metric: str, better: str | None) -> bool:
    """Whether the most of a metric is best."""
    if metric not in METRICS:
        raise UnknownName(f"No metric is called {metric!r}.{nearest(metric, METRICS)}")
    if metric in NOT_THE_SAME_TWICE:
        raise InvalidInput(f"{metric} differs from run to run, so nothing can be tuned by it.")
    return metric in MORE if better is None else is_more(better)


def halving_of(given: Any) -> Halving:
    """Early stopping as it was asked for, or none."""
    if given is not None and not isinstance(given, Halving):
        raise InvalidInput(f"halving must be Halving(factor=3, rungs=3) or None, got {given!r}.")
    return Halving(rungs=1) if given is None else given
