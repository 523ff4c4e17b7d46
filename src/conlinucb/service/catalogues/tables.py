"""Uploaded tables, read forgivingly; what was guessed is said, and errors quote the line."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.catalog.columns import encode
from conlinucb.catalog.sources import arrow
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats, Indices
from conlinucb.service.catalogues.allowance import OWN, Allowance
from conlinucb.service.catalogues.choices import Choices, places_of, refuse_unknown
from conlinucb.service.catalogues.headers import IDS, Roles, no_column, plain, roles_of
from conlinucb.service.catalogues.layouts import Pairs, pairs_of, weights_of
from conlinucb.service.catalogues.sheets import Sheet, sheet_of
from conlinucb.service.catalogues.told import told
from conlinucb.service.catalogues.vectors import vectors_of

NONE: Choices = {}
LONGEST_ID = 200
MANY_ROWS = 0.7
"""Share of distinct names among rows below which an id that differs in each row is the row's."""


@dataclass(frozen=True, eq=False)
class Reading:
    """A table as items, topics and weights, with how it was read."""

    table: dict[str, Any]
    """Columns item, tag and perhaps weight, a row for each pair."""
    sheet: Sheet
    roles: Roles
    pairs: Pairs
    items: list[str]
    """Every item, those without topics too, in their order."""
    codes: Indices
    """The item of each row of the sheet."""
    vectors: Floats | None = None
    """Where items lie, (rows, n), where they have no topics but numbers that say so."""

    @property
    def bare(self) -> list[str]:
        """Items that have no topic: nothing is known of them."""
        if self.vectors is not None:
            return []
        having = np.zeros(len(self.items), dtype=bool)
        having[self.codes[self.pairs.rows]] = True
        return [self.items[each] for each in np.flatnonzero(~having)]

    def words(self) -> tuple[list[str], list[str]]:
        """What was understood, and what is to be looked at."""
        return told(self.sheet, self.roles, self.pairs, self._first_bare(), len(self.bare))

    def _first_bare(self) -> int | None:
        if self.vectors is not None:
            return None
        having = np.zeros(len(self.items), dtype=bool)
        having[self.codes[self.pairs.rows]] = True
        rows = np.flatnonzero(~having[self.codes])
        return int(rows[0]) if rows.size else None


def read_table(path: Path, allowance: Allowance = OWN, choices: Choices = NONE) -> Reading:
    """Which items have which topics, from a file of text or a parquet file."""
    sheet, roles = opened(path, allowance, choices)
    if roles.item is None:
        raise InvalidInput(no_column(sheet.header, "item", sheet.first))
    roles = _named_by(sheet, roles)
    assert roles.item is not None
    names = sheet.columns[roles.item]
    _check_names(sheet, roles.item)
    codes, items = encode(names)
    pairs = pairs_of(sheet, roles, repeats=len(items) < len(sheet))
    if pairs.layout == "vectors":
        _refuse_repeated(sheet, roles.item, codes)
        vectors = vectors_of(sheet, pairs.used)
        return Reading({}, sheet, roles, pairs, items, codes, vectors)
    _check_topics(sheet, pairs)
    table = {"item": names.take(arrow().array(pairs.rows)), "tag": pairs.topics}
    if roles.weight is not None and pairs.layout != "columns":
        table["weight"] = weights_of(sheet, roles.weight)[pairs.rows]
    return Reading(table, sheet, roles, pairs, items, codes)


def opened(path: Path, allowance: Allowance, choices: Choices) -> tuple[Sheet, Roles]:
    """The columns of a table, and what each is for, as far as that was chosen or its name says."""
    sheet = sheet_of(path, allowance, choices)
    allowance.check_seconds()
    refuse_unknown(sheet.header, choices)
    return sheet, roles_of(sheet.header, places_of(sheet.header, choices))


def _named_by(sheet: Sheet, roles: Roles) -> Roles:
    """Where an id differs in each row and names come again, it is the row's, not the item's."""
    title = roles.details.get("title")
    if title is None or roles.item is None or roles.chosen & {title, roles.item}:
        return roles
    if plain(sheet.header[roles.item]) not in IDS:
        return roles
    ids, names = (len(encode(sheet.columns[at])[1]) for at in (roles.item, title))
    if ids < len(sheet) or names > MANY_ROWS * len(sheet):
        return roles
    details = {kind: at for kind, at in roles.details.items() if kind != "title"}
    return replace(roles, item=title, details=details)


def _check_names(sheet: Sheet, at: int) -> None:
    compute = importlib.import_module("pyarrow.compute")
    names, called = sheet.columns[at], sheet.header[at]
    row = compute.index(names, "").as_py()
    if row >= 0:
        raise InvalidInput(
            f"{sheet.quoted(row)} has no {called}: every line must say which item it is about."
        )
    _refuse_long(sheet, names, np.arange(len(sheet)), called)


def _refuse_repeated(sheet: Sheet, at: int, codes: Indices) -> None:
    """An item lies in one place."""
    _, first = np.unique(codes, return_index=True)
    again = np.setdiff1d(np.arange(codes.size), first)
    if again.size:
        row = int(again[0])
        raise InvalidInput(
            f"{sheet.quoted(row)} has the {sheet.header[at]} {sheet.columns[at][row].as_py()!r} "
            "once more: an item has one row of numbers that say where it lies."
        )


def _check_topics(sheet: Sheet, pairs: Pairs) -> None:
    if pairs.layout != "columns":
        _refuse_long(sheet, pairs.topics, pairs.rows, "topic")


def _refuse_long(sheet: Sheet, texts: Any, rows: Indices, called: str) -> None:
    """Refuse what is too long for a name, or goes on in the next line."""
    compute = importlib.import_module("pyarrow.compute")
    row = compute.index(compute.match_substring(texts, "\n"), True).as_py()
    if row >= 0:
        raise InvalidInput(
            f"{sheet.quoted(int(rows[row]))} has a {called} that goes on in the next line: is a "
            "quotation mark opened and not closed?"
        )
    row = compute.index(compute.greater(compute.utf8_length(texts), LONGEST_ID), True).as_py()
    if row >= 0:
        size = len(texts[row].as_py())
        raise InvalidInput(
            f"{sheet.quoted(int(rows[row]))} has a {called} of {size} characters; at most "
            f"{LONGEST_ID} are taken."
        )
