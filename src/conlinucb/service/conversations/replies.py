"""What callers give, as the log keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.problems import Problem
from conlinucb.service.storage import AnswerBody, Body, Event

Compared = tuple[str, object, object]
"""A field, what the log has in it, and what is sent."""


@dataclass(frozen=True)
class Submission:
    """What a caller says under an id of their own, to be known again when it is sent twice."""

    client: str | None
    kinds: tuple[type[Body], ...]
    compare: Callable[[Any, CatalogueVersion], list[Compared]] = field(
        default=lambda body, version: []
    )
    """The fields that make it the same."""

    def checked(self, found: Event, version: CatalogueVersion) -> Event:
        """What was written under this id, if it is the same as what is sent now."""
        if not isinstance(found.body, self.kinds):
            raise Problem(
                409,
                "event_id_used",
                f"The event id {self.client!r} is that of a {found.kind} already.",
            )
        for name, written, sent in self.compare(found.body, version):
            if written != sent:
                raise Problem(
                    409,
                    "event_id_used",
                    f"The event id {self.client!r} is that of another {found.kind} already: its "
                    f"{name} is {written!r}, not {sent!r}.",
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


def answer_value(given: str | float, version: CatalogueVersion) -> float | None:
    """An answer as a number in the catalogue's range; None for a skip."""
    low, high = version.settings.range
    if isinstance(given, str):
        return {"yes": high, "no": low, "skip": None}[given]
    return in_range(given, version, "answer")


def said_as(given: str | float) -> dict[str, Any]:
    """The word that an answer was given in, for the log: a range may change, the word stays."""
    return {"said": given} if given in ("yes", "no") else {}


def same_answer(given: str | float, said: AnswerBody, version: CatalogueVersion) -> Compared:
    """What is sent, to be compared with what was written under the same id, as it was sent.

    Whether it is in the range of now does not matter: it was taken in once.
    """
    if not isinstance(given, str):
        return "answer", said.answer, float(given)
    if said.said is not None:
        return "answer", said.said, given
    return "answer", said.answer, answer_value(given, version)


def volunteered_value(given: str | float, version: CatalogueVersion) -> float:
    """An answer that nobody asked for as a number in the catalogue's range; it says something."""
    value = answer_value(given, version)
    if value is None:
        raise Problem(
            422,
            "nothing_said",
            f"answer is {given!r}: only a question can be skipped. About a topic that nobody "
            f"asked about, say yes, no or a number.",
        )
    return value


def in_range(given: float, version: CatalogueVersion, what: str) -> float:
    """A number, if it is in the catalogue's range."""
    low, high = version.settings.range
    if not low <= given <= high:
        raise Problem(
            422, "out_of_range", f"{what} must be a number from {low:g} to {high:g}, got {given!r}."
        )
    return float(given)


class Repeated(Exception):
    """The same had been said before."""

    def __init__(self, event: Event) -> None:
        self.event = event


def repeated_or_refused(event: Event, compared: Compared, what: str) -> NoReturn:
    """Say that it was said before, if it was the same."""
    name, written, sent = compared
    if written == sent:
        raise Repeated(event)
    raise Problem(
        409,
        "already_said",
        f"{what} has its {name} already, {written} in event {event.seq}; "
        f"take that back to give another.",
    )
