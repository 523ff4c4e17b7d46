"""Items and topics from a sheet, however they are laid out."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conlinucb.catalog.sources import arrow
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import LARGEST, Floats, Indices
from conlinucb.service.catalogues.headers import (
    Roles,
    no_column,
    says_several,
    vector_columns,
)
from conlinucb.service.catalogues.sheets import Sheet
from conlinucb.service.schemas.preview import Layout

BETWEEN = ("|", ";", ",")
"""What may be between several topics in one cell, the surest first."""
OFTEN = 0.25
"""Share of cells in which it must be where the column's name does not say that there are several.
"""
YES = frozenset(("1", "1.0", "x", "yes", "y", "true", "t", "\N{CHECK MARK}"))
NO = frozenset(("", "0", "0.0", "no", "n", "false", "f", "-"))
MOST_PAIRS = 10_000_000


@dataclass(eq=False)
class Pairs:
    """Which row has which topic."""

    layout: Layout
    rows: Indices
    """Rows of the sheet, one for each pair."""
    topics: Any
    """The topics, as text."""
    split: str | None = None
    used: tuple[int, ...] = ()
    """Columns that topics came from."""
    warnings: list[str] = field(default_factory=list)


def pairs_of(sheet: Sheet, roles: Roles, repeats: bool) -> Pairs:
    """All pairs; ``repeats`` says whether an item stands in several rows."""
    marks = marks_of(sheet, roles)
    named = [at for at in roles.topics if at not in marks]
    if not named:
        return _of_columns(sheet, roles, marks)
    parts = [_of_cells(sheet, at, repeats) for at in named]
    if marks:
        parts.append(_of_marks(sheet, marks))
    first = parts[0]
    if len(parts) > 1:
        first.rows = np.concatenate([each.rows for each in parts])
        first.topics = arrow().concat_arrays([each.topics for each in parts])
        first.split = next((each.split for each in parts if each.split), None)
        first.warnings = [told for each in parts for told in each.warnings]
    several = len(parts) > 1 or first.split is not None or not repeats
    first.layout, first.used = "wide" if several else "long", (*named, *marks)
    if first.layout == "long":
        _refuse_gap(sheet, roles.topics[0])
    _limit(first.rows.size)
    if not first.rows.size:
        raise InvalidInput(
            f"Column {sheet.header[roles.topics[0]]!r} is blank in every row, first in "
            f"{sheet.quoted(0)}: it must hold topics."
        )
    return first


def _refuse_gap(sheet: Sheet, at: int) -> None:
    compute = importlib.import_module("pyarrow.compute")
    row = compute.index(sheet.columns[at], "").as_py()
    if row >= 0:
        raise InvalidInput(
            f"{sheet.quoted(row)} has no {sheet.header[at]}: write a topic there, or leave the "
            "line out."
        )


def _of_cells(sheet: Sheet, at: int, repeats: bool) -> Pairs:
    """The topics of one column, split where its cells hold several."""
    compute = importlib.import_module("pyarrow.compute")
    column, warnings = sheet.columns[at], list[str]()
    split = _between(sheet, at, repeats, warnings)
    if split is None:
        full = compute.not_equal(column, "").to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(full)
        return Pairs("long", rows, column.take(arrow().array(rows)), None, (at,), warnings)
    _limit(compute.sum(compute.count_substring(column, split)).as_py() + len(column))
    cells = compute.split_pattern(column, split)
    topics = compute.utf8_trim_whitespace(compute.list_flatten(cells))
    parents = compute.list_parent_indices(cells).to_numpy(zero_copy_only=False)
    full = compute.not_equal(topics, "").to_numpy(zero_copy_only=False)
    kept = topics.take(arrow().array(np.flatnonzero(full)))
    return Pairs("wide", parents[full], kept, split, (at,), warnings)


def _between(sheet: Sheet, at: int, repeats: bool, warnings: list[str]) -> str | None:
    """What is between several topics of a cell, if it is found often enough."""
    compute = importlib.import_module("pyarrow.compute")
    column, name = sheet.columns[at], sheet.header[at]
    full = int(compute.sum(compute.not_equal(column, "")).as_py() or 0)
    for each in BETWEEN if not repeats else BETWEEN[:2]:
        holding = compute.match_substring(column, each)
        several = int(compute.sum(holding).as_py() or 0)
        if several and (says_several(name) or several >= OFTEN * full):
            return each
        if several:
            row = int(compute.index(holding, True).as_py())
            warnings.append(
                f"{several} of {full} cells of {name!r} hold {each!r}, first {sheet.quoted(row)}: "
                f"each is taken for one topic. Call the column tags if they are several."
            )
    return None


def _of_columns(sheet: Sheet, roles: Roles, marks: dict[int, Any]) -> Pairs:
    """A topic for each column of 0 and 1."""
    vectors = vectors_in(sheet, roles)
    if vectors and not marks:
        return Pairs("vectors", np.empty(0, np.int64), arrow().array([], "string"), None, vectors)
    if not marks:
        raise InvalidInput(no_column(sheet.header, "tag", sheet.first))
    found = _of_marks(sheet, marks)
    if not found.rows.size:
        raise InvalidInput(f"No item has a 1 in any of the {len(marks)} columns of topics.")
    return found


def _of_marks(sheet: Sheet, marks: dict[int, Any]) -> Pairs:
    _limit(sum(int(each.sum()) for each in marks.values()))
    rows = [np.flatnonzero(each) for each in marks.values()]
    names = np.repeat([sheet.header[at] for at in marks], [each.size for each in rows])
    topics = arrow().array(names, "string")
    return Pairs("columns", np.concatenate(rows), topics, None, tuple(marks))


def vectors_in(sheet: Sheet, roles: Roles) -> tuple[int, ...]:
    """Columns of numbers that say where an item lies."""
    taken = {roles.item, roles.weight, *roles.details.values(), *roles.chosen}
    return tuple(at for at in vector_columns(sheet.header) if at not in taken)


def marks_of(sheet: Sheet, roles: Roles) -> dict[int, Any]:
    """Columns that are a topic each, with their yes and no.

    Those that were chosen; and all that say yes or no where no column is known to hold topics by
    its name, and there are two of them at least.
    """
    chosen = [at for at in roles.topics if at in roles.chosen]
    found = _yes_and_no(sheet, chosen)
    if len(chosen) == len(roles.topics):
        taken = {roles.item, roles.weight, *roles.details.values(), *roles.chosen}
        free = [at for at, name in enumerate(sheet.header) if at not in taken and name]
        guessed = _yes_and_no(sheet, free)
        if len(found) + len(guessed) > 1:
            found |= guessed
    return dict(sorted(found.items()))


def _yes_and_no(sheet: Sheet, columns: Iterable[int]) -> dict[int, Any]:
    return {at: found for at in columns if (found := _marks(sheet.columns[at])) is not None}


def _marks(column: Any) -> Any:
    """Where a column says yes; None where it says anything but yes or no."""
    encoded = column.dictionary_encode()
    values = [str(each).casefold() for each in encoded.dictionary.to_pylist()]
    if not set(values) <= YES | NO or set(values) <= {""}:
        return None
    yes = np.array([each in YES for each in values], dtype=bool)
    return yes[encoded.indices.to_numpy(zero_copy_only=False)]


def weights_of(sheet: Sheet, at: int) -> Floats:
    """A column of weights; with semicolons or tabs, a decimal comma is one, too."""
    found = number_texts(sheet, at)
    wrong = ~((found >= 0) & (found <= LARGEST))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInput(
            f"{sheet.quoted(row)} has the {sheet.header[at]} {sheet.columns[at][row].as_py()!r}: "
            "it must be a number of at least 0."
        )
    return found


def number_texts(sheet: Sheet, at: int) -> Floats:
    """A column of texts as numbers, NaN for what is none."""
    compute, pa = importlib.import_module("pyarrow.compute"), arrow()
    column = sheet.columns[at]
    if sheet.separator in (";", "\t"):
        column = compute.replace_substring(column, ",", ".")
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return np.array([_number(each) for each in column.to_pylist()])


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def is_numeric(column: Any) -> bool:
    """Whether all that a column holds are numbers."""
    values = [each for each in column.unique().to_pylist() if each]
    return bool(values) and all(_number(each.replace(",", ".")) >= -LARGEST for each in values)


def _limit(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        raise InvalidInput(
            f"The table has {pairs} pairs of items and topics; at most {MOST_PAIRS} are taken."
        )
