"""The service's export of people's events as a log: what was drawn at random has a propensity."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conlinucb.catalog.catalog import Catalog
from conlinucb.catalog.given import checked_catalog
from conlinucb.errors import ConlinucbError, InvalidInput, UnknownName, nearest
from conlinucb.numerics.validation import number

HEADS = ("kind", "person", "round", "action", "reward", "propensity")
Row = tuple[str, str, int, str, float, float | None]


def read_export(
    exports: Any,
    *,
    catalogue: str | None = None,
    unrewarded: float | None = None,
    catalog: Catalog | None = None,
) -> dict[str, list[Any]]:
    """The table of decisions in what ``GET /v1/users/{user}/export`` returned, for ``evaluate``.

    ``exports`` is one export or several, as dictionaries or .json files. A decision is a
    recommendation of one item that was drawn at random (``explore``): its propensity is known,
    given that the round was one of these, which chance alone decided. Everything else that was
    answered or rewarded is there to be learned from. ``unrewarded`` is the reward of a decision
    that got none; without it such a decision is an error. The log does not tell pools: with a
    ``catalog``, only decisions among all of its arms count.
    """
    size = None if catalog is None else checked_catalog(catalog).live_arms.size
    rows = [row for each in _loaded(exports) for row in _of(each, catalogue, unrewarded, size)]
    if not any(row[0] == "decision" for row in rows):
        raise InvalidInput(
            f"None of {len(rows)} answers and rewards is of an item drawn at random, so no "
            f"propensity is known. The setting explore, 0.05 for instance, has the service draw."
        )
    return {name: [row[i] for row in rows] for i, name in enumerate(HEADS)}


def _of(
    export: Mapping[str, Any], catalogue: str | None, unrewarded: float | None, size: int | None
) -> list[Row]:
    """One person's rows."""
    try:
        kept = _conversations(export, catalogue)
        return [row for who, events in kept for row in _rows(who, events, unrewarded, size)]
    except ConlinucbError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"The export of {export['user']!r} is not what GET /v1/users/{{user}}/export returns: "
            f"{type(error).__name__}: {error}."
        ) from error


def _loaded(exports: Any) -> list[Mapping[str, Any]]:
    several = isinstance(exports, Sequence) and not isinstance(exports, str)
    return [_export(each) for each in (exports if several else [exports])]


def _export(given: Any) -> Mapping[str, Any]:
    if isinstance(given, (str, Path)):
        try:
            given = json.loads(Path(given).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{given} cannot be read as an export: {error}") from None
    if not isinstance(given, Mapping) or not {"user", "conversations"} <= set(given):
        raise InvalidInput(
            f"An export is a dictionary with user and conversations, got {str(given)[:80]!r}."
        )
    return given


def _conversations(
    export: Mapping[str, Any], catalogue: str | None
) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """A person's events in the catalogue meant."""
    talks = {str(each["catalogue"]): each["events"] for each in export["conversations"]}
    if catalogue is None and len(talks) > 1:
        raise InvalidInput(f"{export['user']!r} has talked in {list(talks)}: say catalogue=.")
    if catalogue is not None and talks and catalogue not in talks:
        raise UnknownName(
            f"{export['user']!r} has no catalogue {catalogue!r}.{nearest(catalogue, talks)}"
        )
    for name, events in talks.items():
        if catalogue in (None, name):
            yield str(export["user"]), events


def _rows(
    who: str, events: Iterable[Mapping[str, Any]], unrewarded: float | None, size: int | None
) -> Iterator[Row]:
    left = [each for each in events if not each["retracted"]]
    drawn = {each["event"]: each["about"] for each in left if _is_drawn(each, size)}
    rewards = {
        each["about"]["decision"]: float(each["about"]["reward"])
        for each in left
        if each["kind"] == "reward" and each["about"].get("decision") in drawn
    }
    round_ = 1
    for each in left:
        about = each["about"]
        if each["kind"] == "recommendation":
            round_ = int(about["round"])
            if each["event"] in drawn:
                reward = _reward(who, each["event"], rewards, unrewarded)
                item, chance = about["items"][0]["item"], float(about["propensity"])
                yield "decision", who, round_, item, reward, chance
        elif each["kind"] == "reward" and about.get("decision") not in drawn:
            yield "reward", who, round_, about["item"], float(about["reward"]), None
        elif each["kind"] == "answer" and about["about"] == "term" and about["answer"] is not None:
            yield "answer", who, round_, about["id"], float(about["answer"]), None


def _is_drawn(event: Mapping[str, Any], size: int | None) -> bool:
    """Whether it is a recommendation of one item, drawn among all there are."""
    about = event["about"]
    if event["kind"] != "recommendation" or not about.get("random"):
        return False
    alone = len(about["items"]) == 1 and about.get("propensity") is not None
    return alone and (size is None or abs(float(about["propensity"]) * size - 1.0) < 1e-9)


def _reward(who: str, event: int, rewards: Mapping[int, float], unrewarded: float | None) -> float:
    if event in rewards:
        return rewards[event]
    if unrewarded is None:
        raise InvalidInput(
            f"Decision d{event} of {who!r} got no reward. Say what that is worth, unrewarded=0.0 "
            f"for instance; leaving such decisions out would be a choice by outcome."
        )
    return number("unrewarded", unrewarded)
