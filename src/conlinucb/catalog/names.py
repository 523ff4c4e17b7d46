"""Which column is for what, and what is said when a name is not there or may be another's."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conlinucb.errors import InvalidInput, UnknownName, nearest

logger = logging.getLogger("conlinucb")
NUMBERS = ("value", "weight")
"""Columns that hold numbers, unless a reader says otherwise; ids are text, whatever they look like.
"""
BETWEEN = "|"
"""What is mostly between several tags in one cell, and hardly ever in a tag."""


@dataclass(frozen=True)
class Names:
    """What a reader looks for in a table, by what it is for, and then what it found."""

    where: str
    """The table in errors."""
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    given: Mapping[str, Any]
    """Names or places that were said; a column that was said must be there, None is left out."""
    numbers: tuple[str, ...] = NUMBERS
    """Those that hold numbers; all others hold ids."""
    is_text: bool = False
    """Whether names stand in the first line of a file, which may be a row."""
    there: list[str] = field(default_factory=list)
    found: dict[str, str] = field(default_factory=dict)
    """The table's own name of each column that is there."""

    def __post_init__(self) -> None:
        known = (*self.needed, *self.optional)
        for role, name in self.given.items():
            if role not in known:
                raise UnknownName(
                    f"{self.where}: no column is for {role!r}, got {role!r}: {name!r}."
                    f"{nearest(role, known)}"
                )
            if name is None and role in self.needed:
                raise InvalidInput(f"{self.where} needs a column for {role!r}, got None.")

    def written(self, role: str) -> str:
        """What the table calls it."""
        return self.found.get(role, role)

    def ids(self, there: list[str]) -> list[str]:
        """Columns of a text file that hold ids, as far as they are there."""
        roles = [each for each in (*self.needed, *self.optional) if each not in self.numbers]
        places = [self._place(role, there) for role in roles]
        return [there[at] for at in places if at is not None]

    def of(self, there: list[str]) -> Names:
        """With what was found in a table with these columns."""
        asked = replace(self, there=there)
        roles = [each for each in (*self.needed, *self.optional) if asked._is_due(each)]
        found = {role: asked._name(role) for role in roles}
        full = replace(asked, found=found)
        for role in self.optional:
            if role not in found and role not in self.given:
                full._refuse_near(role)
        return full

    def _is_due(self, role: str) -> bool:
        if role in self.given:
            return self.given[role] is not None
        return role in self.needed or role in self.there

    def _place(self, role: str, there: list[str]) -> int | None:
        name = self.given.get(role, role)
        if isinstance(name, int):
            return name if 0 <= name < len(there) else None
        return there.index(name) if name in there else None

    def _name(self, role: str) -> str:
        at = self._place(role, self.there)
        if at is not None:
            return self.there[at]
        raise InvalidInput(self._missing(self.given.get(role, role)))

    def _missing(self, name: str | int) -> str:
        said = f"{self.where} has no column {name!r}; it has {self.there}."
        if isinstance(name, int):
            return f"{said} Places count from 0."
        if len(self.there) == 1 and not _is_slip(self.there[0], name):
            return f"{said} Is something else between columns? separator= says what."
        if all(each.isdigit() for each in self.there):
            return f"{said} Without a header say places, such as columns={{{name!r}: 0}}."
        close = nearest(name, self.there)
        if self.is_text and "Did you mean" not in close:
            close += " If its first line is a row, say header=False, and places."
        return said + close

    def _refuse_near(self, role: str) -> None:
        """A column that is all but called so is a slip of the pen."""
        used = set(self.found.values())
        for each in self.there:
            if each not in used and _is_slip(each, role):
                raise InvalidInput(
                    f"{self.where} has no column {role!r}, but {each!r}: columns="
                    f"{{{role!r}: {each!r}}} takes it, columns={{{role!r}: None}} does without."
                )


def named_once(given: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, str | int | None]:
    """Both together; a column that they name differently is refused."""
    said = {role: name for role, name in given.items() if name is not None}
    for role in said:
        if role in columns and columns[role] != said[role]:
            raise InvalidInput(
                f"{role!r} is named twice: {role}={said[role]!r} and columns="
                f"{{{role!r}: {columns[role]!r}}}."
            )
    return {**said, **columns}


def _is_slip(written: str, meant: str) -> bool:
    """Whether letters are in another order or case, or one is missing or too many."""
    a, b = (sorted(filter(str.isalnum, each.casefold())) for each in (written, meant))
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    if len(meant) < 5 or len(long) - len(short) != 1:
        return False
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def point_out(names: Names, numeric: Iterable[str]) -> None:
    """Say which columns of numbers are not used, where one might be meant."""
    used = set(names.found.values())
    unused = [each for each in numeric if each not in used and not _is_id(each)]
    free = [
        role
        for role in names.optional
        if role in NUMBERS and role not in names.found and role not in names.given
    ]
    if unused and free:
        logger.warning(
            "%s: numbers in %s are not used. columns={%r: %r} would take them as %s; "
            "columns={%r: None} says that there is none.",
            names.where,
            ", ".join(map(repr, unused)),
            free[0],
            unused[0],
            free[0],
            free[0],
        )


def point_out_split(names: Names, several: str | None, split: str | None) -> None:
    """Say where cells look as if they held several tags, or where none holds what is between.

    ``several`` is a cell that holds ``split``, or ``BETWEEN`` where that is None, if there is one.
    """
    if split is None and several is not None:
        logger.warning(
            "%s: %r in %r is one tag; split=%r would make several.",
            names.where,
            several,
            names.written("tag"),
            BETWEEN,
        )
    if split is not None and several is None:
        logger.warning(
            "%s: no cell of %r holds %r, so each is one tag.",
            names.where,
            names.written("tag"),
            split,
        )


def _is_id(name: str) -> bool:
    """Whether its numbers only tell things apart: id, userId, user_id, user ID."""
    return name in ("id", "ID", "Id") or name.endswith(("Id", "ID", "_id", " id"))
