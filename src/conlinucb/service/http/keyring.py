"""The database's keys at hand: no request waits for the store to know who calls."""

from __future__ import annotations

import hmac
import logging
import threading
import time

from conlinucb.errors import StorageError
from conlinucb.service.http.callers import Caller
from conlinucb.service.problems import Problem, problem_of
from conlinucb.service.storage import Storage, now
from conlinucb.service.storage.keys import StoredKey, digest_of

logger = logging.getLogger("conlinucb.service")
EVERY = 1.0
"""Seconds between two looks: a revoked key opens nothing two seconds later."""
SOON = 0.05
"""Seconds between two looks until the first one went well."""
KEPT = 900.0
"""Seconds that keys go on opening while the store does not say whether they were revoked."""


class Keyring:
    """All keys that open something, read again and again by a thread of its own."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._keys: dict[str, tuple[StoredKey, Caller]] = {}
        self._any = False
        self._read_at: float | None = None
        self._trouble: StorageError | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stop.set()
        self._thread.join(timeout=5.0)

    def needs_key(self) -> bool | None:
        """Whether there was ever a key in the database; None where that is not known."""
        return self._any if self.state() == "ok" else None

    def find(self, key: str) -> Caller | None:
        """Who has this key; None where it opens nothing."""
        digest = digest_of(key)
        stored, caller = self._keys.get(digest, (None, None))
        if stored is None or not hmac.compare_digest(stored.digest, digest):
            return None
        if self.state() != "ok":
            raise self.unknown()
        return caller if stored.is_live(now()) else None

    def unknown(self) -> Problem:
        """What to say to who would have to be known: what the store said, or to come again."""
        if self._trouble is not None:
            return problem_of(self._trouble)
        message = "Which keys there are is not known at the moment: try again soon."
        return Problem(503, "keys_unknown", message, retry=True)

    def state(self) -> str:
        """For readiness: "ok", or what is wrong."""
        if self._read_at is None:
            return "not read yet"
        return "ok" if time.monotonic() - self._read_at < KEPT else "not read for long"

    def refresh(self) -> None:
        """Read them as they are now."""
        found, moment = self._storage.keys.all(), now()
        self._keys = {
            each.digest: (each, Caller("key", each.id, each.scopes, each.catalogue))
            for each in found
            if each.is_live(moment)
        }
        self._any, self._read_at, self._trouble = bool(found), time.monotonic(), None

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                self.refresh()
            except StorageError as error:  # readiness says so, and the background logs it
                self._trouble = error
            except Exception:
                logger.exception("the keys were not read")
            self._stop.wait(EVERY if self._read_at is not None else SOON)
