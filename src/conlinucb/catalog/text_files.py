"""Tables in text files: what separates their columns, where names are, how letters are written."""

from __future__ import annotations

import codecs
import csv
import importlib
import logging
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from conlinucb.catalog.table import TEXT_FILES, Table
from conlinucb.errors import InvalidInput

logger = logging.getLogger("conlinucb")
SEPARATORS = (",", ";", "\t", "|")
"""Of which one may be found out."""
LOOKED_AT = 20
"""First lines by which it is."""
SAMPLE = 10**6
"""Bytes by which letters are judged."""
UNIT = "\x1f"
"""Stands for a separator that pyarrow does not take: of several characters, or not ASCII."""


def read_text(table: Table, path: Path, texts: Callable[[list[str]], Sequence[str]]) -> Any:
    """The file as a pyarrow table; ``texts`` says of its columns' names which hold ids.

    Ids are text: 007 and 7 are two items. They are bytes at first, so that bad ones can be named.
    """
    separator = table.separator or _found_separator(table, path)
    names = _names(table, path, separator)
    parser = importlib.import_module("pyarrow.csv")
    binary = importlib.import_module("pyarrow").binary()
    single = len(separator) == 1 and separator.isascii()
    parse = parser.ParseOptions(
        delimiter=separator if single else UNIT,
        quote_char=table.quote if single and table.quote else False,
        newlines_in_values=single and table.quote is not None,
    )
    read = parser.ReadOptions(
        encoding=_python_name(table.encoding) if single else "utf8",
        column_names=None if table.header is True else names,
    )
    ids = texts(names)
    convert = parser.ConvertOptions(column_types=dict.fromkeys(ids, binary))
    source = str(path) if single else _rewritten(table, path, separator)
    try:
        found = parser.read_csv(source, read, parse, convert)
    except (UnicodeError, importlib.import_module("pyarrow").ArrowInvalid) as error:
        told = undecodable(path, table.encoding)
        raise InvalidInput(told or f"{path} cannot be read: {error}") from None
    _say_of_letters(table, path)
    return _as_text(found, ids, path, table.encoding)


def _python_name(encoding: str) -> str:
    return "utf8" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding


def _lines(table: Table, path: Path) -> list[str]:
    """The first lines that are not empty."""
    encoding = "utf-8-sig" if _python_name(table.encoding) == "utf8" else table.encoding
    try:
        with path.open(encoding=encoding, errors="replace", newline=None) as file:
            return list(islice((line.rstrip("\n") for line in file if line.strip()), LOOKED_AT))
    except UnicodeError as error:  # UTF-16 without a mark
        raise InvalidInput(f"{path} is not {table.encoding.upper()}: {error}.") from None


def _say_of_letters(table: Table, path: Path) -> None:
    """Say where a file reads as UTF-8, too, which others hardly ever do by chance."""
    if _python_name(table.encoding) == "utf8" or not codecs.lookup(table.encoding).name.startswith(
        ("iso8859", "cp")
    ):
        return
    with path.open("rb") as file:
        some = file.read(SAMPLE)
    if some.isascii():
        return
    try:
        codecs.getincrementaldecoder("utf-8")().decode(some)
    except UnicodeDecodeError:
        return
    logger.warning("%s is read as %s, but it is UTF-8 as it seems.", path, table.encoding)


def _found_separator(table: Table, path: Path) -> str:
    """The usual one if the first line has it, else the only one that fits the first lines."""
    usual, lines = TEXT_FILES[path.suffix.lower()], _lines(table, path)
    if not lines or usual in lines[0]:
        return usual
    fitting = [each for each in SEPARATORS if each in lines[0] and _fits(each, table, lines)]
    if len(fitting) > 1:
        raise InvalidInput(
            f"{path} may be separated by {' or '.join(map(repr, fitting))}: say separator=."
        )
    if fitting:
        logger.warning(
            "%s is read as separated by %r; separator=%r says so.", path, fitting[0], fitting[0]
        )
    return fitting[0] if fitting else usual


def _fits(separator: str, table: Table, lines: list[str]) -> bool:
    """Whether all lines have as many cells as the first."""
    return len({len(row) for row in _cells(separator, table, lines)}) == 1


def _cells(separator: str, table: Table, lines: list[str]) -> list[list[str]]:
    if len(separator) > 1:
        return [line.split(separator) for line in lines]
    if table.quote is None:
        return list(csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE))
    return list(csv.reader(lines, delimiter=separator, quotechar=table.quote))


def _names(table: Table, path: Path, separator: str) -> list[str]:
    """Names of all columns: in the first line, as listed, or their places from 0."""
    first = (_cells(separator, table, _lines(table, path)[:1]) or [[]])[0]
    if table.header is True:
        _say_of_places(table, path, first)
        return first
    if table.header is None or table.header is False:
        return [str(place) for place in range(len(first))]
    if len(table.header) != len(first):
        raise InvalidInput(
            f"header names {len(table.header)} columns, but {path} has {len(first)}, first {first}."
        )
    return list(table.header)


def _say_of_places(table: Table, path: Path, first: list[str]) -> None:
    """Who names columns by their places may have a file without names."""
    if any(isinstance(each, int) for each in table.columns.values()):
        logger.warning(
            "%s: the first line, %s, is taken for the columns' names; header=False if it is a row.",
            path,
            first,
        )


def _rewritten(table: Table, path: Path, separator: str) -> Any:
    """The whole file with one character between columns."""
    try:
        text = path.read_text(table.encoding)
    except UnicodeError:
        raise InvalidInput(undecodable(path, table.encoding)) from None
    if UNIT in text:
        raise InvalidInput(f"{path} holds the character {UNIT!r}: separate it by one character.")
    arrow = importlib.import_module("pyarrow")
    return arrow.BufferReader(text.replace(separator, UNIT).encode())


def _as_text(table: Any, ids: Sequence[str], path: Path, encoding: str) -> Any:
    """The table with bytes as text; bytes that are none are refused in ids, else left."""
    pa = importlib.import_module("pyarrow")
    for i, name in enumerate(table.column_names):
        if not pa.types.is_binary(table.column(i).type):
            continue
        try:
            table = table.set_column(i, name, table.column(i).cast(pa.string()))
        except pa.ArrowInvalid:
            if name in ids:
                raise InvalidInput(undecodable(path, encoding)) from None
    return table


def undecodable(path: Path, encoding: str) -> str:
    """Where the file is not written in this encoding, and what may help; nothing if it is."""
    other = "latin-1" if encoding.lower() != "latin-1" else "utf-8"
    hint = f"If it is written in another, say which, such as encoding={other!r}."
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                byte, near = line[error.start], line[max(error.start - 10, 0) : error.start + 10]
                return (
                    f"{path} is not {encoding.upper()}: line {number} has the byte 0x{byte:02x} "
                    f"at place {error.start + 1}, in {near!r}. {hint}"
                )
    return ""
