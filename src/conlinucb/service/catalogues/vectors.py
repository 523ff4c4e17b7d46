"""Columns of numbers that say where an item lies: an embedding, in many columns or in one."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from conlinucb.catalog.sources import arrow
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Floats
from conlinucb.service.catalogues.layouts import number_texts
from conlinucb.service.catalogues.sheets import Sheet

MOST = 4_096
_BETWEEN = re.compile(r"[,;\s]+")


def vectors_of(sheet: Sheet, columns: Sequence[int]) -> Floats:
    """The numbers, (rows, d); what is none is refused with its line."""
    if len(columns) == 1:
        found = _of_lists(sheet, columns[0])
    else:
        found = np.column_stack([_numbers(sheet, at) for at in columns])
    if found.shape[1] > MOST:
        raise InvalidInput(f"A vector has {found.shape[1]:,} numbers; at most {MOST:,} are taken.")
    return found


def _numbers(sheet: Sheet, at: int) -> Floats:
    found = number_texts(sheet, at)
    wrong = ~np.isfinite(found)
    if wrong.any():
        row = int(np.argmax(wrong))
        told = sheet.columns[at][row].as_py()
        raise InvalidInput(
            f"{sheet.quoted(row)} has the {sheet.header[at]} {told!r}: it must be a number, as one "
            f"of those that say where an item lies."
        )
    return found


def _of_lists(sheet: Sheet, at: int) -> Floats:
    stored = sheet.lists.get(at)
    rows = _of_texts(sheet, at) if stored is None else _of_arrow(stored)
    size = len(rows[0])
    for row, each in enumerate(rows):
        if len(each) != size or size < 1 or not np.isfinite(each).all():
            raise InvalidInput(
                f"{sheet.quoted(row)} has {len(each)} numbers in {sheet.header[at]}, the first row "
                f"has {size}: each must have as many, and none may be missing."
            )
    return np.ascontiguousarray(rows, dtype=np.float64)


def _of_arrow(stored: Any) -> Sequence[Floats]:
    compute = importlib.import_module("pyarrow.compute")
    values = compute.list_flatten(stored).cast(arrow().float64())
    flat = np.asarray(values.to_numpy(zero_copy_only=False))
    sizes = compute.fill_null(compute.list_value_length(stored), 0).to_numpy(zero_copy_only=False)
    ends = np.cumsum(sizes)
    if sizes.size and (sizes == sizes[0]).all():
        return flat.reshape(sizes.size, int(sizes[0]))  # type: ignore[return-value]
    return np.split(flat, ends[:-1])


def _of_texts(sheet: Sheet, at: int) -> list[Floats]:
    found = []
    for row, text in enumerate(sheet.columns[at].to_pylist()):
        cells = [each for each in _BETWEEN.split(text.strip().strip("[]()")) if each]
        try:
            found.append(np.array([float(each) for each in cells]))
        except ValueError:
            raise InvalidInput(
                f"{sheet.quoted(row)} has in {sheet.header[at]} what is no list of numbers: write "
                "them with spaces or commas between them, such as [0.1, 0.2]."
            ) from None
    return found
