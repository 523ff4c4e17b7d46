"""What SQLite's ``secure_delete`` leaves: copies of moved rows in the unused middle of pages.

A deleted row is overwritten where it stands. When a page was split or merged before, its unused
middle may still hold a copy of a row that went to another page; nothing reads it, but it is in the
file, and only a rewritten file (VACUUM) is without.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}
"""Bytes of the header of a page of a tree, by its kind: nodes and leaves, of indices and tables."""
FIRST = 100
"""Bytes before the header on the first page."""
AT_ONCE = 1 << 22

_files: dict[tuple[int, int], int] = {}
_opening = threading.Lock()


def remnants(path: Path, wanted: Sequence[bytes]) -> bool:
    """Whether any of these bytes stand in unused places of the pages of a database's file."""
    left = [each for each in wanted if each]
    return any(each in unused for unused in _unused(path) for each in left)


def _unused(path: Path) -> Iterator[bytes]:
    """The unused middles of pages that are not empty."""
    file = _opened(path)
    size = int.from_bytes(os.pread(file, 2, 16), "big")
    size = 65_536 if size == 1 else size
    if size < 512:
        return  # a file without a page yet
    place = 0
    while block := os.pread(file, max(AT_ONCE, size), place):
        for start in range(0, len(block) - size + 1, size):
            page = block[start : start + size]
            unused = _middle(page, FIRST if place + start == 0 else 0)
            if unused.count(0) != len(unused):
                yield unused
        place += len(block)


def _middle(page: bytes, header: int) -> bytes:
    """What lies between the list of a page's rows and the first row; nothing on other pages."""
    length = HEADERS.get(page[header])
    if length is None:
        return b""
    rows = int.from_bytes(page[header + 3 : header + 5], "big")
    first = int.from_bytes(page[header + 5 : header + 7], "big") or 65_536
    return page[header + length + 2 * rows : first]


def _opened(path: Path) -> int:
    """The file, opened once in a process and never closed.

    Whoever closes a file on POSIX gives up all locks that their process has on it, and those of
    SQLite would be among them.
    """
    found = os.stat(path)
    key = (found.st_dev, found.st_ino)
    with _opening:
        if key not in _files:
            _files[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return _files[key]
