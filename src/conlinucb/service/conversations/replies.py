"""What callers give, as the log keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


Given = str | float | Sequence[str]
"""An answer as it comes: a word, a number, or the names of what was picked of a group."""
SKIPS = ("skip", "unknown")


def answer_fields(
    given: Given, about: Mapping[str, Any], version: CatalogueVersion
) -> dict[str, Any]:
    """An answer as the log keeps it, if it fits the question."""
    kind, ids = about["about"], list(about.get("ids") or ())
    low, high = version.settings.range
    if given in SKIPS:
        return {"answer": None, **said_as(given)}
    if kind == "group":
        picked = _picked(given, ids, about.get("pick"))
        return {"answer": low + (high - low) * len(picked) / len(ids), "picked": picked}
    if not isinstance(given, str | float | int):
        raise _unfitting(given, kind, "only of a group one picks")
    if kind == "pair" and isinstance(given, str):
        chose = {"yes": "first", "no": "second"}.get(given, given)
        values = {"first": high, "second": low}
        return {"answer": values.get(chose, (low + high) / 2), "chose": chose}
    if isinstance(given, str) and given not in ("yes", "no"):
        raise _unfitting(given, kind, "say yes, no, skip or a number")
    return {"answer": answer_value(given, version), **said_as(given)}


def _picked(given: Given, ids: Sequence[str], pick: str | None) -> list[str]:
    """What was picked, in the order in which it was asked about."""
    if isinstance(given, str | float | int):
        raise _unfitting(given, "group", "say picked, the names of what was picked, or skip")
    strange = [each for each in given if each not in ids]
    if strange:
        raise _unfitting(strange[0], "group", f"pick some of {', '.join(map(repr, ids))}")
    if len(set(given)) < len(given):
        raise _unfitting(list(given), "group", "name each once")
    if pick == "best" and len(given) > 1:
        raise _unfitting(list(given), "group", "one of them is the best, or none")
    return [each for each in ids if each in given]


def _unfitting(given: object, kind: str, right: str) -> Problem:
    about = {"term": "topic", "arm": "item"}.get(kind, kind)
    return Problem(
        422, "unfitting_answer", f"The question is about a {about}, got {given!r}: {right}."
    )


def answer_value(given: str | float, version: CatalogueVersion) -> float | None:
    """An answer about one thing as a number in the catalogue's range; None for a skip."""
    low, high = version.settings.range
    if isinstance(given, str):
        if given not in ("yes", "no", *SKIPS):
            raise _unfitting(given, "term", "say yes, no or a number")
        return {"yes": high, "no": low}.get(given)
    return in_range(given, version, "answer")


def said_as(given: Given) -> dict[str, Any]:
    """The word that an answer was given in, for the log: a range may change, the word stays."""
    return {"said": given} if given in ("yes", "no", "unknown") else {}


def same_answer(given: Given, said: AnswerBody, version: CatalogueVersion) -> Compared:
    """What is sent, to be compared with what was written under the same id, as it was sent.

    Whether it is in the range of now does not matter: it was taken in once.
    """
    if not isinstance(given, str | float | int):
        return "picked", sorted(said.picked or ()), sorted(given)
    if not isinstance(given, str):
        return "answer", said.answer, float(given)
    if given in SKIPS:
        return "answer", said.answer, None
    if said.chose is not None:
        return "answer", said.chose, {"yes": "first", "no": "second"}.get(given, given)
    if said.said is not None:
        return "answer", said.said, given
    words = {"yes": version.settings.range[1], "no": version.settings.range[0]}
    return "answer", said.answer, words.get(given, given)


def said_now(given: Given, said: AnswerBody, version: CatalogueVersion) -> Compared:
    """What is said once more, under another id: of one thing it is its number that counts."""
    plain = isinstance(given, str | float | int) and said.picked is None and said.chose is None
    if not plain or not isinstance(given, str | float | int):
        return same_answer(given, said, version)
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
