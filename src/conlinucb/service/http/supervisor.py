"""The parent of the workers: sees at once when one of them dies, and closes the door in the end."""

from __future__ import annotations

import logging
import time
from socket import socket

from uvicorn import Config
from uvicorn.supervisors import Multiprocess

from conlinucb.service.http.drain import refuse_new

logger = logging.getLogger("conlinucb.service")


class Supervisor(Multiprocess):
    """Uvicorn's, without the workers' ends of the pipes on which it asks whether they live.

    A worker that is started has its own copy of its end. With another one open here, the answer of
    a worker that dies while it is asked would be waited for as long as that of a slow one.
    """

    def __init__(
        self, config: Config, sockets: list[socket], *, lame_duck_seconds: float = 0.0
    ) -> None:
        super().__init__(config, sockets)
        self._lame_duck_seconds = lame_duck_seconds

    def init_processes(self) -> None:
        """Start the first workers."""
        super().init_processes()
        self._close_workers_ends()

    def handle_signals(self) -> None:
        """Start, stop or replace workers, as asked."""
        super().handle_signals()
        self._close_workers_ends()

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died, and say so: one that was killed could not."""
        before = list(self.processes)
        super().keep_subprocess_alive()
        for each in before:
            if each not in self.processes:
                code = each.exitcode
                logger.error("worker %s died (exit code %s) and is replaced", each.pid, code)
        self._close_workers_ends()

    def handle_int(self) -> None:
        """Who presses Ctrl-C does not wait; it has reached the workers, too."""
        self._lame_duck_seconds = 0.0
        super().handle_int()

    def terminate_all(self) -> None:
        """End the workers: they serve on for a while, and have taken in everybody by then."""
        super().terminate_all()
        time.sleep(self._lame_duck_seconds)
        for each in self.sockets:
            if self._lame_duck_seconds:
                refuse_new(each)
            each.close()

    def _close_workers_ends(self) -> None:
        for process in self.processes:
            process.child_conn.close()  # again does no harm
