"""The folder of a running server: what is in it is of no use to anyone else, and goes with it.

A server that is killed cannot take it away; the next one does. That its owner is gone is seen by
the lock that every owner holds on it, since the system lets go of that however a process ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

PREFIX = "conlinucb-serve-"
LOCK = "owner"


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A new folder, locked while it is in use; those of servers that were killed are removed."""
    remove_left_behind()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        with (folder / LOCK).open("w") as lock:
            _lock(lock)
            yield folder


def remove_left_behind() -> list[Path]:
    """Remove our folders whose owner is gone; which they were."""
    gone = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if folder.is_symlink() or not _is_mine(folder):
            continue
        with contextlib.suppress(OSError), (folder / LOCK).open("r+") as lock:
            if _lock(lock):
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
    return gone


def _is_mine(folder: Path) -> bool:
    try:
        return folder.is_dir() and folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def _lock(file: IO[str]) -> bool:
    """Whether nobody else has it; where the system has no such locks, somebody always has."""
    try:
        fcntl: Any = importlib.import_module("fcntl")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
