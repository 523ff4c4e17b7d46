"""An uploaded table as columns of text, with the line of the file that each row stands in."""

from __future__ import annotations

import contextlib
import csv
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from conlinucb.catalog.sources import arrow
from conlinucb.catalog.table import Table
from conlinucb.catalog.text_files import read_text
from conlinucb.errors import InvalidInput
from conlinucb.numerics.validation import Indices
from conlinucb.service.catalogues.allowance import Allowance, lines_of, read_parquet
from conlinucb.service.catalogues.choices import Choices, places_of
from conlinucb.service.catalogues.headers import EXAMPLE, roles_of, vector_columns
from conlinucb.service.catalogues.letters import (
    encoding_of,
    guessed,
    line_at,
    open_text,
    refuse_letters,
    shortened,
)

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "upright lines"}
LOOKED_AT = 50
"""First lines by which the separator is found out."""
MOST_COLUMNS = 5_000
Quote = Callable[[int], str]
"""From a row, from 0, to where it stands and what it says: "line 7: 'Soup;;'"."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns of text without the rows that are blank throughout."""

    header: list[str]
    columns: list[Any]
    """pyarrow arrays of text, no white space around it."""
    rows: Indices
    """The row of the file, from 0, that each row here is."""
    first: str
    """The header in errors."""
    separator: str | None
    _quote: Quote
    lists: dict[int, Any] = field(default_factory=dict)
    """pyarrow arrays of lists of numbers, by column; its text is then only that there is one."""
    warnings: Sequence[str] = ()
    """What was guessed of how the file is written."""

    def quoted(self, row: int) -> str:
        """Where a row stands, and what it says."""
        return self._quote(int(self.rows[row]))

    def __len__(self) -> int:
        return self.rows.size


def sheet_of(path: Path, allowance: Allowance, choices: Choices) -> Sheet:
    """The file as columns of text, whatever separates them."""
    if path.suffix.lower() == ".parquet":
        return _of_parquet(path, allowance)
    return _of_text(path, allowance, choices)


def _of_text(path: Path, allowance: Allowance, choices: Choices) -> Sheet:
    encoding = encoding_of(path)
    lines = _first_lines(path, encoding)
    separator = _separator(lines, path, choices)
    header = [each.strip() for each in _cells(lines, separator)[0]]
    if len(header) > MOST_COLUMNS:
        raise InvalidInput(f"{path} has {len(header)} columns; at most {MOST_COLUMNS} are taken.")
    allowance.check_cells(lines_of(path), len(header))
    names = [str(at) for at in range(len(header))]  # names of one's own may come twice
    table = Table(path, separator=separator, header=names, encoding=encoding)
    try:
        read = read_text(table, path, lambda all_columns: all_columns)
    except InvalidInput:
        refuse_letters(path, encoding)
        _refuse_ragged(path, encoding, separator, len(header))
        raise
    first = shortened(1 + _blank(lines), lines[_blank(lines)].rstrip("\r\n"))
    columns = [read.column(at).combine_chunks().slice(1) for at in range(len(header))]
    found = _without_blank(
        header, columns, first, separator, lambda row: _line(path, encoding, separator, row)
    )
    return replace(found, warnings=guessed(path, encoding))


def _of_parquet(path: Path, allowance: Allowance) -> Sheet:
    pa = arrow()
    try:
        table = read_parquet(path, allowance)
    except (pa.ArrowException, OSError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from None
    header = [each.strip() for each in table.column_names]
    vectors = vector_columns(header)  # a name or a topic is no list
    lists = {at: table.column(at) for at in vectors if _is_list(pa, table.column(at))}
    columns = [
        _as_text(pa, path, name, _marked(lists[at]) if at in lists else table.column(at))
        for at, name in enumerate(header)
    ]

    def quote(row: int) -> str:
        return shortened(row, ", ".join(str(each[row]) for each in columns), "row")

    return _without_blank(header, columns, f"{path}: {header}", None, quote, lists)


def _is_list(pa: Any, column: Any) -> bool:
    kind = column.type
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    if not any(each(kind) for each in lists):
        return False
    return bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _marked(column: Any) -> Any:
    """A text for each list that there is, so that its row does not count as blank."""
    compute, pa = importlib.import_module("pyarrow.compute"), arrow()
    return pa.chunked_array([compute.if_else(compute.is_valid(column.combine_chunks()), "[…]", "")])


def _as_text(pa: Any, path: Path, name: str, column: Any) -> Any:
    try:
        text = column.combine_chunks().cast(pa.string())
    except pa.ArrowException:
        raise InvalidInput(
            f"{path}: column {name!r} must hold one text or number in each row, it holds "
            f"{column.type}."
        ) from None
    return text.fill_null("")


def _without_blank(
    header: list[str],
    columns: list[Any],
    first: str,
    separator: str | None,
    quote: Quote,
    lists: dict[int, Any] | None = None,
) -> Sheet:
    """Without rows that are blank throughout, as spreadsheets leave them at the end."""
    compute = importlib.import_module("pyarrow.compute")
    trimmed = [compute.utf8_trim_whitespace(each) for each in columns]
    full = np.zeros(len(trimmed[0]) if trimmed else 0, dtype=bool)
    for each in trimmed:
        full |= compute.not_equal(each, "").to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(full)
    if not rows.size:
        raise InvalidInput(f"The table has the columns {header} but no rows.")
    kept = trimmed if full.all() else [each.take(arrow().array(rows)) for each in trimmed]
    whole = {
        at: each.combine_chunks().take(arrow().array(rows)) for at, each in (lists or {}).items()
    }
    return Sheet(header, kept, rows, first, separator, quote, whole)


def _first_lines(path: Path, encoding: str) -> list[str]:
    with open_text(path, encoding) as file:
        lines = list(islice(file, LOOKED_AT))
    if not any(each.strip() for each in lines):
        raise InvalidInput(f"{path} is empty: its first line must be such as {EXAMPLE!r}.")
    return lines


def _blank(lines: Sequence[str]) -> int:
    """How many lines come before the first that is not empty."""
    return next(at for at, each in enumerate(lines) if each.strip("\r\n"))


def _separator(lines: Sequence[str], path: Path, choices: Choices) -> str:
    """What separates columns: what makes most sense of the header, and of the lines below it."""
    first = lines[_blank(lines)].rstrip("\r\n")
    scores: dict[str, tuple[int, bool]] = {}
    for each in SEPARATORS:
        rows = _cells(lines, each)
        if rows and len(rows[0]) > 1:
            whole = rows if len(lines) < LOOKED_AT else rows[:-1]  # the last may go on below
            header = [name.strip() for name in rows[0]]
            known = roles_of(header, places_of(header, choices)).known
            scores[each] = (known, len({len(row) for row in whole}) == 1)
    best = [each for each, score in scores.items() if score == max(scores.values())]
    if not best:
        raise InvalidInput(
            f"{shortened(1 + _blank(lines), first)} is one column: there must be one of items and "
            f"one of topics, with a comma, a semicolon or a tab between them, such as {EXAMPLE!r}."
        )
    if len(best) > 1 and scores[best[0]][0] < 2:
        told = " or ".join(SEPARATORS[each] for each in best)
        raise InvalidInput(
            f"{shortened(1 + _blank(lines), first)} may be separated by {told}: give {path} a "
            f"first line such as {EXAMPLE!r}."
        )
    return best[0]


def _cells(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Rows that are not empty; none where a cell would be longer than any that people write."""
    try:
        return [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error:
        return []


def _refuse_ragged(path: Path, encoding: str, separator: str, size: int) -> None:
    """Say which line has more or fewer cells than the header."""
    with open_text(path, encoding) as file:
        reader = csv.reader(file, delimiter=separator)
        start = 1
        try:
            for cells in reader:
                if cells and len(cells) != size:
                    told = line_at(path, encoding, start, start)
                    raise InvalidInput(f"{told} {_ragged(cells, size, separator)}")
                start = reader.line_num + 1
        except csv.Error as error:
            told = line_at(path, encoding, start, start)
            raise InvalidInput(f"{told} cannot be read: {error}.") from None


def _ragged(cells: Sequence[str], size: int, separator: str) -> str:
    if any("\n" in each for each in cells):
        return "goes on in the next line: is a quotation mark opened and not closed?"
    many = f"{len(cells)} cell{'s' if len(cells) != 1 else ''}"
    return (
        f"has {many}, but the first line names {size} columns. A cell that holds {separator!r} "
        'must stand in "quotation marks".'
    )


def _line(path: Path, encoding: str, separator: str, row: int) -> str:
    """Where a row stands: empty lines are no rows, and a row may go over several lines."""
    with open_text(path, encoding) as file, contextlib.suppress(csv.Error):
        reader, seen, start = csv.reader(file, delimiter=separator), -2, 1
        for cells in reader:
            seen += bool(cells)
            if seen == row:
                return line_at(path, encoding, start, reader.line_num)
            start = reader.line_num + 1
    return f"row {row + 1} below the header"
