"""What callers give, as the log keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.problems import Problem
from conlinucb.service.storage import Event


@dataclass(frozen=True)
class Submission:
    """What a caller says under an id of their own, to be known again when it is sent twice."""

    client: str | None
    kinds: tuple[str, ...]
    content: Callable[[CatalogueVersion], dict[str, object]] = field(default=lambda version: {})
    """The fields that make it the same."""

    def checked(self, found: Event, version: CatalogueVersion) -> Event:
        """What was written under this id, if it is the same as what is sent now."""
        if found.kind not in self.kinds:
            raise Problem(
                409,
                "event_id_used",
                f"The event id {self.client!r} is that of a {found.kind} already.",
            )
        for name, value in self.content(version).items():
            if found.body[name] != value:
                raise Problem(
                    409,
                    "event_id_used",
                    f"The event id {self.client!r} is that of another {found.kind} already: its "
                    f"{name} is {found.body[name]!r}, not {value!r}.",
                )
        return found


def event_number(given: str, letter: str, what: str) -> int:
    """The event that an id such as q12 or d12 names."""
    digits = given.removeprefix(letter)
    if digits == given or not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise Problem(
            404, f"unknown_{what}", f"A {what} is called like {letter}12, got {given[:50]!r}."
        )
    return int(digits)


def value_of(given: str | float, version: CatalogueVersion, what: str) -> float | None:
    """An answer or a reward as a number in the catalogue's range; None for a skip."""
    low, high = version.settings.range
    if isinstance(given, str):
        return {"yes": high, "no": low, "skip": None}[given]
    if not low <= given <= high:
        raise Problem(
            422, "out_of_range", f"{what} must be a number from {low:g} to {high:g}, got {given!r}."
        )
    return float(given)


class Repeated(Exception):
    """The same had been said before."""

    def __init__(self, event: Event) -> None:
        self.event = event


def repeated_or_refused(found: Event, field: str, value: float | None, what: str) -> Event:
    """What was said before, if it was the same."""
    if found.body[field] == value:
        raise Repeated(found)
    raise Problem(
        409,
        "already_said",
        f"{what} has its {field} already, {found.body[field]} in event {found.seq}; "
        f"take that back to give another.",
    )
