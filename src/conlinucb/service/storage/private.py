"""A database file that only its owner may read."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

logger = logging.getLogger("conlinucb.service")
OWNER_ONLY = 0o600


def keep_private(engine: Engine, path: Path) -> None:
    """Make the file for its owner alone before SQLite makes it for all; warn of one that is not.

    SQLite gives its journals, ``-wal`` and ``-shm``, the mode of the file itself.
    """
    seen, making = False, threading.Lock()

    def before(dialect: Any, record: Any, arguments: Any, options: Any) -> None:
        nonlocal seen
        with making:  # who connects meanwhile waits, or SQLite would make it for all
            if not seen:
                with contextlib.suppress(OSError):  # what is wrong with it, SQLite will say
                    _make(path)
                seen = True

    event.listen(engine, "do_connect", before)


def _make(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNER_ONLY))
    except FileExistsError:
        if path.stat().st_mode & 0o077:
            logger.warning(
                "the database file %s can be read by others than its owner: chmod 600 it, and its "
                "-wal and -shm",
                path.name,
            )
