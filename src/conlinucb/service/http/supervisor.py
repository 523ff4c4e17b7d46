"""The parent of the workers: sees at once when one of them dies."""

from __future__ import annotations

from uvicorn.supervisors import multiprocess


class Worker(multiprocess.Process):
    """A worker that can die while it is asked whether it lives.

    With the worker's end of the pipe open in the parent, too, the parent would wait for the
    answer of a dead one for as long as for that of a slow one.
    """

    def start(self) -> None:
        """Start the process, which has its own copy of its end."""
        super().start()
        self.child_conn.close()


multiprocess.Process = Worker  # type: ignore[misc]
Supervisor = multiprocess.Multiprocess
