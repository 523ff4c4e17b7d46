"""Separate runs on the same people as one."""

from __future__ import annotations

from typing import Any

from conlinucb.errors import InvalidInput
from conlinucb.simulation.differences import differences

INFORMATION = "conlinucb"
"""The part of a specification that decides no number: the release that wrote it."""


def refuse_unequal(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Refuse runs that differ in anything but their agents, and say in what first."""
    shared = [
        {k: v for k, v in e.items() if k not in ("agents", INFORMATION)} for e in (one, other)
    ]
    for field, here, there in differences(*shared):
        raise InvalidInput(
            f"Only runs on the same people under the same chance can be joined: {field} is {here} "
            f"here and {there} there."
        )


def refuse_same_names(one: list[str], other: list[str]) -> None:
    """Refuse agents of one name in two runs."""
    both = [name for name in one if name in other]
    if both:
        raise InvalidInput(
            f"Agent {both[0]!r} is in both runs; agents of joined runs need different names."
        )


def together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Two specifications, or two lists of versions; where a text differs, both are named."""
    joined = {**one, **other}
    for key in one.keys() & other.keys():
        here, there = one[key], other[key]
        if isinstance(here, dict):
            joined[key] = {**here, **there}
        elif here != there:
            joined[key] = f"{here}, {there}"
    return joined
