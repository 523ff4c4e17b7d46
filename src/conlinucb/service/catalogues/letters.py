"""How the letters of an uploaded text are written, and where a line stands in it."""

from __future__ import annotations

import codecs
import io
import re
from itertools import islice
from pathlib import Path

from conlinucb.errors import InvalidInput

WINDOWS = "cp1252"
"""What spreadsheets on Windows write where they are not told otherwise."""
LONGEST_QUOTE = 120
PIECE = 1 << 20
"""Bytes that are looked at together."""
_ENDS = re.compile(r"\r\n|\r|\n")


def encoding_of(path: Path) -> str:
    """UTF-16 where the file says so by its first bytes, else UTF-8, else Windows-1252.

    What is none of them is left as UTF-8, so that its error names the byte.
    """
    with path.open("rb") as file:
        begin = file.read(4)
    if begin.startswith(b"PK\x03\x04"):
        raise InvalidInput(
            f"{path} is a spreadsheet or an archive, not a table as text: save it as CSV (UTF-8)."
        )
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if begin.startswith(codecs.BOM_UTF8) or _is_text(path, "utf-8") or not _is_text(path, WINDOWS):
        return "utf-8"
    return WINDOWS


def _is_text(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                if encoding == WINDOWS and b"\0" in piece:  # a letter there, but in no text
                    return False
                decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def open_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """The file as text; what cannot be read is replaced, since it is told elsewhere."""
    told = "utf-8-sig" if encoding == "utf-8" else encoding
    return path.open(encoding=told, errors="replace", newline="")


def guessed(path: Path, encoding: str) -> list[str]:
    """That letters were guessed, with a line in which a wrong guess would be seen."""
    if encoding != WINDOWS:
        return []
    with open_text(path, encoding) as file:
        lines = ((at, each) for at, each in enumerate(file, start=1) if not each.isascii())
        number, text = next(lines)
    return [
        "The table is not UTF-8, so its letters were read as Windows-1252, first in "
        f"{shortened(number, text.rstrip())}. If they are wrong there, save the table as CSV in "
        "UTF-8."
    ]


def refuse_letters(path: Path, encoding: str) -> None:
    """Say which line is not written as the rest."""
    if encoding != "utf-8":
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                told = shortened(number, line.decode("utf-8", "replace").rstrip("\r\n"))
                raise InvalidInput(
                    f"{told} is not UTF-8: it has the byte 0x{line[error.start]:02x} at place "
                    f"{error.start + 1}. Save the table as CSV in UTF-8."
                ) from None


def line_at(path: Path, encoding: str, start: int, end: int) -> str:
    """The number of a line and what it says; a row may go on until ``end``."""
    with open_text(path, encoding) as file:
        lines = list(islice(file, start - 1, end))
    return shortened(start, "".join(lines).rstrip("\r\n"))


def shortened(number: int, text: str, what: str = "line") -> str:
    """The first line of a text in quotation marks, not too long for an error.

    >>> shortened(7, "Soup;;"), shortened(2, "a\\nb", "row")
    ("line 7: 'Soup;;'", "row 2: 'a' …")
    """
    told = _ENDS.split(text)[0]
    more = " …" if len(told) < len(text) or len(told) > LONGEST_QUOTE else ""
    return f"{what} {number}: {told[:LONGEST_QUOTE]!r}{more}"
