"""How often one caller may come: a small table that all workers of a server share.

Each caller has one number, the time at which all that they asked for is paid off at their rate
(the generic cell rate algorithm): no list of requests, no clean-up, a few microseconds a request.
"""

from __future__ import annotations

import fcntl
import hashlib
import ipaddress
import math
import mmap
import os
import secrets
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from starlette.types import Scope

from conlinucb.service.config import ServiceConfig
from conlinucb.service.http.callers import Caller
from conlinucb.service.http.visitors import secret_of
from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem

BUCKETS, WAYS = 8_192, 8
"""Callers that are told apart: 65,536. Of more, who has been quiet for longest is forgotten."""
_SLOT = struct.Struct("<QQ")
_BUCKET = WAYS * _SLOT.size
_WHOLE = struct.Struct("<" + "QQ" * WAYS)
SECOND = 1_000_000_000
EXEMPT = frozenset({"/healthz", "/readyz", "/metrics"})


@dataclass(frozen=True)
class Limit:
    """At most so many a second in the long run, and ``burst`` at once."""

    what: str
    rate: float
    burst: float


class RateTable:
    """Who has come how often, in a file that workers share, or in the memory of one process.

    A bucket that another worker holds at this moment is changed all the same: a request may then
    count for nothing, but nobody waits, not even for a worker that was stopped.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = None if path is None else os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        size = BUCKETS * _BUCKET
        if self._file is not None:
            os.ftruncate(self._file, size)
        self._memory = mmap.mmap(-1 if self._file is None else self._file, size)
        # Whoever knew it could choose names that push others out of their bucket.
        self._salt = secrets.token_bytes(16) if path is None else os.fsencode(path)[-64:]

    def close(self) -> None:
        """Let go of the file."""
        self._memory.close()
        if self._file is not None:
            os.close(self._file)

    def knows(self, who: bytes) -> bool:
        """Whether they came before, as far as is remembered."""
        bucket, tag = self._place(who)
        return tag in _WHOLE.unpack_from(self._memory, bucket)[::2]

    def take(self, who: bytes, limit: Limit) -> float:
        """0 where they may come in, otherwise the seconds until they may."""
        bucket, tag = self._place(who)
        held = self._lock(bucket)
        try:
            return self._take(bucket, tag, limit)
        finally:
            if held and self._file is not None:
                fcntl.lockf(self._file, fcntl.LOCK_UN, _BUCKET, bucket)

    def _take(self, bucket: int, tag: int, limit: Limit) -> float:
        found = _WHOLE.unpack_from(self._memory, bucket)
        tags, dues = found[::2], found[1::2]
        way = tags.index(tag) if tag in tags else min(range(WAYS), key=dues.__getitem__)
        now = time.monotonic_ns()
        due = max(now, dues[way]) if tags[way] == tag else now
        late = due - now - int((limit.burst - 1) / limit.rate * SECOND)
        if late > 0:
            return late / SECOND
        _SLOT.pack_into(
            self._memory, bucket + way * _SLOT.size, tag, due + int(SECOND / limit.rate)
        )
        return 0.0

    def _place(self, who: bytes) -> tuple[int, int]:
        digest = hashlib.blake2b(who, digest_size=16, key=self._salt).digest()
        first, tag = struct.unpack("<QQ", digest)
        return first % BUCKETS * _BUCKET, tag | 1  # 0 is an empty place

    def _lock(self, bucket: int) -> bool:
        if self._file is None:
            return False
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, _BUCKET, bucket)
        except OSError:
            return False
        return True


class Rates:
    """The limits of a server: of keys, of visitors, of addresses, and of visitors not seen yet."""

    def __init__(self, config: ServiceConfig, path: Path | None = None) -> None:
        self._table = RateTable(path)
        burst = config.burst_seconds
        self._key = _per_second("key", config.key_requests_per_second, burst)
        self._visitor = _per_second("visitor", config.visitor_requests_per_second, burst)
        self._address = _per_second("address", config.address_requests_per_second, burst)
        new = config.new_visitors_per_minute
        self._new = Limit("new visitor", new / 60, max(new, 1.0))

    def check(self, scope: Scope, caller: Caller | None) -> None:
        """Refuse who comes too often (429); None: someone who is refused anyway."""
        if scope["path"] in EXEMPT or (caller is not None and caller.kind == "local"):
            return
        if caller is not None and caller.kind == "key":
            self._take(b"key %d" % (caller.key or 0), self._key)
            return
        address = _address(scope)
        self._take(b"address " + address, self._address)
        secret = secret_of(scope)
        if secret is not None and caller is not None:
            who = b"visitor " + secret.encode()
            if self._new.rate and not self._table.knows(who):
                self._take(b"new " + address, self._new)
            self._take(who, self._visitor)

    def close(self) -> None:
        """Let go of the table."""
        self._table.close()

    def _take(self, who: bytes, limit: Limit) -> None:
        if not limit.rate:
            return
        wait = self._table.take(who, limit)
        if not wait:
            return
        observer.count("rate_limited", caller=limit.what)
        seconds = math.ceil(wait)
        raise Problem(
            429,
            "too_many_requests",
            f"More than {limit.rate:g} a second of one {limit.what}, and {limit.burst:g} at once: "
            f"try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )


def _per_second(what: str, rate: float, seconds: float) -> Limit:
    return Limit(what, rate, max(rate * seconds, 1.0))


def _address(scope: Scope) -> bytes:
    """Where it came from; of IPv6 the part that belongs to one household."""
    host = (scope.get("client") or ("", 0))[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return str(host).encode()
    return found.packed[:8] if found.version == 6 else found.packed
