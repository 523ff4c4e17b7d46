"""The parent of the workers: sees at once when one of them dies."""

from __future__ import annotations

from uvicorn.supervisors import Multiprocess


class Supervisor(Multiprocess):
    """Uvicorn's, without the workers' ends of the pipes on which it asks whether they live.

    A worker that is started has its own copy of its end. With another one open here, the answer of
    a worker that dies while it is asked would be waited for as long as that of a slow one.
    """

    def init_processes(self) -> None:
        """Start the first workers."""
        super().init_processes()
        self._close_workers_ends()

    def handle_signals(self) -> None:
        """Start, stop or replace workers, as asked."""
        super().handle_signals()
        self._close_workers_ends()

    def keep_subprocess_alive(self) -> None:
        """Replace workers that died."""
        super().keep_subprocess_alive()
        self._close_workers_ends()

    def _close_workers_ends(self) -> None:
        for process in self.processes:
            process.child_conn.close()  # again does no harm
