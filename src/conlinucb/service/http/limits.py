"""How much a worker takes at once; and what it has of it, which all its layers see."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.bodies import Bodies
from conlinucb.service.problems import CLOSE, Problem

MOST_AT_ONCE = 1_000
"""Requests that are worked on or wait for that; more are told to come again."""
OTHER_FILES = 500
"""Open files besides connections: the database's, logs, the package's own."""
HEALTH = ("/healthz", "/readyz")
"""Asked by those who decide about the service as a whole: no crowd keeps them out."""


@dataclass(eq=False)
class Limits:
    """One for each worker; its connections find it in the state that the application starts with.

    What waits for the client (headers, a body, the reading of an answer) is not at work.
    """

    most_connections: int = 2_000
    most_headers: int = 100
    header_bytes: int = 32_000
    unsent_bytes: int = 64_000_000
    write_seconds: float = 20.0
    leaving: bool = False
    """Whether this worker is about to end: it still serves, and asks nobody to stay."""
    at_work: int = 0
    bodies: Bodies = field(default_factory=Bodies)

    @classmethod
    def of(cls, config: ServiceConfig) -> Limits:
        """Those of a service."""
        return cls(
            most_connections=config.most_connections,
            most_headers=config.most_headers,
            header_bytes=1_000 * config.header_kilobytes,
            unsent_bytes=1_000_000 * config.unsent_megabytes,
            write_seconds=config.write_seconds,
            bodies=Bodies(1_000_000 * config.body_megabytes),
        )

    def check_crowd(self, path: str) -> None:
        """Refuse a request where too many are at work already."""
        if self.at_work - len(self.bodies.waiting) > MOST_AT_ONCE and path not in HEALTH:
            message = f"More than {MOST_AT_ONCE} requests are waiting."
            raise Problem(503, "crowded", message, retry=True, headers=CLOSE)


def allow_open_files(connections: int) -> None:
    """Let this process and its workers open as many files as that takes, as far as it may."""
    try:
        resource: Any = importlib.import_module("resource")
    except ImportError:  # a system without such limits
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
