"""The end of a worker: first it says that it leaves and serves on, then it takes nobody new.

A load balancer that asks ``/readyz`` has sent everybody elsewhere by the time the socket closes,
and who has a connection is told with the next answer to open another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import signal
import socket
import struct
import sys
import threading
from types import FrameType

from conlinucb.service.http.limits import Limits

logger = logging.getLogger("conlinucb.service")
QUEUE_SECONDS = 1.0
"""In which workers take in who was connected before nobody new could be."""
_ATTACH_FILTER, _NOTHING = 26, struct.pack("HBBI", 6, 0, 0, 0)
"""Linux: SO_ATTACH_FILTER, and the filter that lets no packet through."""


def lame_duck(limits: Limits, seconds: float) -> None:
    """From now on SIGTERM ends this worker so many seconds later, and says so meanwhile.

    Whoever handled the signal before, which is the server, does so then. It may come twice, from
    who stops all processes at once and from the parent: the second one changes nothing.
    """
    if not seconds or threading.current_thread() is not threading.main_thread():
        return
    before, loop = signal.getsignal(signal.SIGTERM), asyncio.get_running_loop()
    if not callable(before):
        return

    def leave(number: int, frame: FrameType | None) -> None:
        if not limits.leaving:
            limits.leaving = True
            loop.call_soon_threadsafe(logger.info, "leaving: it serves on for %g s", seconds)
            loop.call_soon_threadsafe(
                loop.call_later, seconds + QUEUE_SECONDS, before, number, None
            )

    signal.signal(signal.SIGTERM, leave)


def refuse_new(listening: socket.socket) -> None:
    """Let nobody new into the queue of a socket, and leave in it who is there already.

    Closed as it is, it would reset those whom no worker has accepted yet. What comes from now on
    is dropped, so a client tries again, and is refused once the socket is closed.
    """
    if sys.platform != "linux":
        return
    code = ctypes.create_string_buffer(_NOTHING, len(_NOTHING))
    with contextlib.suppress(OSError):  # a kernel without filters
        program = struct.pack("HP", 1, ctypes.addressof(code))
        listening.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)
