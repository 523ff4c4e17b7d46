"""Rows of several writers in one transaction: one wait for the disk is enough for all of them.

SQLite has one writer at a time, and who finds it busy sleeps before they ask again. So the threads
of a process do not ask one by one: whoever comes first writes for all who wait meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from conlinucb.service.storage.database import Database, Taken

MOST = 64
"""Writers who go together."""
Work = Callable[[Connection], Any]


@dataclass(eq=False)
class _Waiting:
    work: Work
    done: bool = False
    error: BaseException | None = None


class Together:
    """Work of one statement each. What ``write`` returned from is on disk.

    Each stands for itself: where one's row is refused, the others' are written all the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._is_sqlite = database.engine.dialect.name == "sqlite"
        self._turn = threading.Lock()
        self._queue_lock = threading.Lock()
        self._queue: list[_Waiting] = []

    def write(self, work: Work) -> None:
        """Do it, with what others want to write at the same time; raises ``Taken`` as they do."""
        if not self._is_sqlite:  # many writers at once, and one wait for all by itself
            with self._database.connect() as connection:
                work(connection)
            return
        mine = _Waiting(work)
        with self._queue_lock:
            self._queue.append(mine)
        with self._turn:
            while not mine.done:
                self._write_waiting()
        if mine.error is not None:
            raise mine.error

    def _write_waiting(self) -> None:
        """Everyone who waits by now, whoever has the turn among them."""
        with self._queue_lock:
            batch, self._queue = self._queue[:MOST], self._queue[MOST:]
        try:
            if len(batch) == 1:
                with self._database.connect() as connection:
                    batch[0].work(connection)
            else:
                self._in_one(batch)
        except BaseException as error:  # nothing of it is on disk
            for each in batch:
                each.error = error
        for each in batch:
            each.done = True

    def _in_one(self, batch: Sequence[_Waiting]) -> None:
        with self._database.transaction() as connection:
            for each in batch:
                try:
                    each.work(connection)
                except IntegrityError as error:  # undoes this statement and no other
                    each.error = Taken(str(error.orig))
