"""What goes on beside the requests: getting ready, following others, tidying, keeping."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path

from conlinucb.datasets import demo as films
from conlinucb.datasets.demo import details, questions
from conlinucb.errors import (
    ConlinucbError,
    Damaged,
    InvalidInput,
    StorageError,
    StoreDown,
    StoreRefuses,
)
from conlinucb.service.catalogues.compaction import Compaction
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.uploads import beginning, from_file
from conlinucb.service.catalogues.version import Content
from conlinucb.service.catalogues.warming import warm_up
from conlinucb.service.config import PREPARED, CatalogueConfig, ServiceConfig
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.levels import Levels
from conlinucb.service.populations.learn import Learner
from conlinucb.service.settings import Settings
from conlinucb.service.storage import Person, Snapshot, Storage, Taken, migrate

logger = logging.getLogger("conlinucb.service")
EVERY = 0.5
"""Seconds between two looks at what others did."""
LEARN_EVERY = 60.0
"""Seconds between two looks at whether there is enough to learn a population from."""
WAITING_SNAPSHOTS = 500
_WORDS = {
    StoreDown: "does not answer",
    StoreRefuses: "takes nothing",
    Damaged: "cannot be read",
}
COUNTING = 600_000_000
"""Microseconds for which whoever counts a catalogue has that to themselves."""
DEMO = Settings(noun="film", nouns="films", public=True)


class Background:
    """Threads that follow other processes, compact changes, keep snapshots, learn populations."""

    def __init__(
        self,
        config: ServiceConfig,
        storage: Storage,
        catalogues: Catalogues,
        cache: StateCache,
        when_warm: Callable[[], None] | None = None,
    ) -> None:
        self._when_warm = when_warm
        self.learner = Learner(storage, catalogues)
        self._learned_at = time.monotonic()
        self._compaction = Compaction(storage, catalogues, config.keep_changes_hours)
        self._config = config
        self._storage = storage
        self._catalogues = catalogues
        self._cache = cache
        self._levels = Levels()
        self._stop = threading.Event()
        self._departures = 0
        self._prepared = False
        self._provided: set[str] = set()
        self._counted: set[int] = set()
        self._warm = False
        self._start, self._trouble = "starting", ""
        self._waiting: queue.Queue[tuple[Person, str, Snapshot]] = queue.Queue(WAITING_SNAPSHOTS)
        work = (
            self._follow,
            self._tidy,
            self._save,
            self._learn,
            self._count,
            self._remove,
            self._erase,
        )
        self._threads = [threading.Thread(target=each, daemon=True) for each in work]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End, with all waiting snapshots kept."""
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=5.0)

    def keep(self, state: Conversation, person: Person) -> None:
        """Keep a state some time soon; where too many wait, it is left to the log."""
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait((person, state.version.basis, state.snapshot()))

    def checks(self) -> dict[str, str]:
        """What must be ok before requests can be served, and how each catalogue is.

        In words that anyone may read: addresses, paths and reasons are in the log.
        """
        found = {"store": "ok", "migrations": "ok", "kernels": "ok" if self._warm else "not warm"}
        try:
            with self._storage.database.connect() as connection:
                connection.exec_driver_sql("SELECT 1")
            found["migrations"] = migrate.state(self._storage.database)
        except StorageError as error:
            found["store"] = _WORDS.get(type(error), "in trouble")
        if not self._catalogues.opened:
            found["start"] = self._start
        states = self._catalogues.states()
        if "ok" not in states.values():
            found["catalogues"] = "none is loaded"
        return found | {f"catalogue {name}": state for name, state in states.items()}

    def _loop(self, step: Callable[[], None]) -> None:
        """Do it again and again; trouble with the store is for the next time."""
        last = ""
        while not self._stop.wait(EVERY):
            try:
                step()
                last = ""
            except (ConlinucbError, OSError) as error:
                if str(error) != last:  # said once, not twice a second
                    logger.warning("%s", error)
                last = str(error)
            except Exception:
                logger.exception("background work failed")

    def _follow(self) -> None:
        self._try_first()
        self._loop(self._look)

    def _try_first(self) -> None:
        with contextlib.suppress(ConlinucbError, OSError):
            self._look()

    def _look(self) -> None:
        if not self._prepared:
            self._prepare()
        self._catalogues.refresh()
        if not self._warm:
            self._warm_up()
        self._departures, gone = self._storage.people.departed(self._departures)
        if gone:
            self._cache.forget(gone)
        self._cache.forget_catalogues_but({each.id for each in self._catalogues.all()})
        self._levels.report(self._catalogues.all(), self._cache)

    def _prepare(self) -> None:
        """The tables, and the catalogues of the configuration."""
        try:
            if migrate.current(self._storage.database) is None:
                migrate.upgrade(self._storage.database)
            migrate.require_current(self._storage.database)
            self._catalogues.refresh()
            self._provide_all()
        except (ConlinucbError, OSError) as error:
            self._start = "waits for the store, or for its migrations"
            self._is_trouble(str(error))
            raise

    def _is_trouble(self, text: str) -> None:
        if text != self._trouble:
            logger.error("not all is ready: %s", text)
        self._trouble = text

    def _provide_all(self) -> None:
        """What the configuration asks for, once for each start of the service.

        A catalogue that cannot be had keeps no other down; it is tried again.
        """
        mark = Path(os.environ.get(PREPARED, ""))
        missing: dict[str, str] = {}
        for name, wanted in self._config.catalogues.items():
            if name in self._provided or mark.is_file():
                continue
            try:
                self._provide(name, wanted)
                self._provided.add(name)
            except (InvalidInput, OSError) as error:
                missing[name] = str(error)
        self._catalogues.missing = missing
        self._catalogues.opened = True
        self._prepared = not missing
        if missing:
            self._is_trouble(" ".join(f"catalogue {name}: {why}" for name, why in missing.items()))
        elif mark.name:
            mark.touch()

    def _provide(self, name: str, wanted: CatalogueConfig) -> None:
        content = _content(wanted, self._config.image_hosts)
        known = self._catalogues.known(name)
        if known is None or known.content.source != content.source:
            source = content.source
            settings = wanted.settings
            if settings is None and known is None:
                settings = DEMO if wanted.demo else beginning(content)
            self._catalogues.replace(name, content, settings, unless_source=source)
        elif wanted.settings is not None and known.settings != wanted.settings:
            self._catalogues.set_settings(name, wanted.settings)

    def _warm_up(self) -> None:
        """Compile what the first person would otherwise wait for."""
        for version in self._catalogues.all():
            warm_up(version)
            self._warm = True
        if self._warm and self._when_warm is not None:
            self._when_warm()

    def _tidy(self) -> None:
        self._loop(self._tidy_catalogues)

    def _tidy_catalogues(self) -> None:
        if self._catalogues.opened:
            self._catalogues.serve_pending()
            self._compaction.step()

    def _erase(self) -> None:
        self._loop(lambda: self._storage.erasure.go_on() if self._catalogues.opened else None)

    def _learn(self) -> None:
        self._loop(self._learn_due)

    def _learn_due(self) -> None:
        if self._catalogues.opened and time.monotonic() - self._learned_at >= LEARN_EVERY:
            self.learner.learn_due()
            self._learned_at = time.monotonic()

    def _count(self) -> None:
        self._loop(lambda: self._keep_counts() if self._catalogues.opened else None)

    def _keep_counts(self) -> None:
        """Put what was counted into the database; count what never was, such as from before."""
        self._storage.counts.flush()
        for version in self._catalogues.all():
            if version.id in self._counted or self._stop.is_set():
                continue
            if self._storage.counts.of(version.id) is None:
                if not self._storage.leases.take(version.id, "count", COUNTING):
                    continue
                self._storage.counts.recount(version.id, self._stop.is_set)
                self._storage.leases.release(version.id, "count")
            self._counted.add(version.id)

    def _remove(self) -> None:
        self._loop(lambda: self._remove_deleted() if self._catalogues.opened else None)

    def _remove_deleted(self) -> None:
        """Go on with catalogues that were deleted, and stop between two steps."""
        for catalogue in self._storage.removal.waiting():
            for _ in self._storage.removal.run(catalogue):
                if self._stop.is_set():
                    return
            logger.info("deleted catalogue %s: nobody is left", catalogue)

    def _save(self) -> None:
        while not (self._stop.is_set() and self._waiting.empty()):
            with contextlib.suppress(queue.Empty):
                person, basis, snapshot = self._waiting.get(timeout=EVERY)
                try:
                    self._storage.snapshots.save(person.id, basis, snapshot)
                except Taken:  # the person is gone
                    pass
                except StorageError as error:
                    logger.warning("a snapshot was not kept: %s", error)


def _content(wanted: CatalogueConfig, image_hosts: Collection[str]) -> Content:
    if wanted.file is not None:
        rules = {"d": wanted.d} | ({} if wanted.groups is None else {"groups": wanted.groups})
        return from_file(wanted.file, image_hosts=image_hosts, **rules)
    catalog = films(d=wanted.d).catalog
    return Content(
        catalog, questions(), source=f"demo {catalog.version} with details", details=details()
    )
