"""The dashboard of a catalogue, computed at most once a minute."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from conlinucb.errors import StorageError
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.dashboard.never_shown import never_shown_of
from conlinucb.service.dashboard.populations import populations_of
from conlinucb.service.dashboard.questions import questions_of
from conlinucb.service.dashboard.rounds import rounds_of
from conlinucb.service.dashboard.shares import LEAST_PEOPLE
from conlinucb.service.dashboard.tally import Activity, Tally
from conlinucb.service.dashboard.window import Window, stamp
from conlinucb.service.problems import Problem
from conlinucb.service.schemas.dashboard import (
    DashboardOut,
    LookedOut,
    PartOut,
    RequestsOut,
    StoreOut,
)
from conlinucb.service.storage import Looked, Storage, health_of, now

logger = logging.getLogger("conlinucb.service")
FRESH = 60.0
"""Seconds for which what was computed is given again."""
KEPT = 16
"""Catalogues and times of which the last is kept."""
MOST_EVENTS = 500_000
MOST_PEOPLE = 200_000
"""People whose last event is looked at, whether they were here in that time or not."""
Facts = dict[str, Any]
"""Everything of a dashboard but the requests."""


class Dashboards:
    """Looks at the log for those who run the service; nobody's conversation waits for it."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._kept: dict[tuple[int, int], tuple[float, Facts]] = {}
        self._at_work = threading.Lock()

    def dashboard(
        self, version: CatalogueVersion, days: int, requests: RequestsOut
    ) -> DashboardOut:
        """Of the last minute where there is one; one is computed at a time."""
        key = (version.id, days)
        kept = self._kept.get(key)
        if kept is None or time.monotonic() - kept[0] > FRESH:
            kept = self._computed(key, version, days) or kept
        if kept is None:
            raise Problem(503, "dashboard_busy", "Another dashboard is being computed.", retry=True)
        return DashboardOut(**kept[1], requests=requests)

    def _computed(
        self, key: tuple[int, int], version: CatalogueVersion, days: int
    ) -> tuple[float, Facts] | None:
        """None where another one is being computed: nobody waits, and no thread is held."""
        if not self._at_work.acquire(blocking=False):
            return None
        try:
            found = (time.monotonic(), _facts(self._storage, version, days))
            while len(self._kept) >= KEPT:
                del self._kept[min(self._kept, key=lambda each: self._kept[each][0])]
            self._kept[key] = found
            return found
        finally:
            self._at_work.release()


def _facts(storage: Storage, version: CatalogueVersion, days: int) -> Facts:
    at, looked = now(), Looked()
    window = Window.of(days, at)
    tally = Tally(window, version.settings.range)
    logs = storage.recent.logs(
        version.id, window.start, most_events=MOST_EVENTS, most_people=MOST_PEOPLE, looked=looked
    )
    for log in logs:
        tally.take(log)
    in_use = version.population.number if version.population else 0
    return {
        "catalogue": version.name,
        "days": days,
        "computed": stamp(at),
        "least_people": LEAST_PEOPLE,
        "looked": LookedOut(
            people=looked.people,
            events=looked.events,
            most_events=MOST_EVENTS,
            whole=not looked.cut,
            damaged=tally.damaged,
            too_long=looked.too_long,
        ),
        "activity": [
            _part(begins, each)
            for begins, each in zip(window.beginnings(), tally.activity, strict=True)
        ],
        "questions": questions_of(tally),
        "rounds": rounds_of(tally),
        "never_shown": never_shown_of(tally, version),
        "populations": populations_of(tally, storage.populations.all(version.id), in_use),
        "store": _store(storage, version.id),
    }


def _part(begins: str, found: Activity) -> PartOut:
    return PartOut(begins=begins, steps=found.questions + found.recommendations, **vars(found))


def _store(storage: Storage, catalogue: int) -> StoreOut:
    """How the database is; one that takes nothing is told of, it does not hide all the rest."""
    try:
        found = health_of(storage.database, storage.counts, catalogue)
    except StorageError as error:
        logger.warning("the store's health: %s", error)
        return StoreOut(
            kind="",
            bytes=None,
            write_milliseconds=None,
            people=None,
            events=None,
            snapshots=None,
            findings=None,
            trouble=str(error),
        )
    return StoreOut(
        kind=found.kind,
        bytes=found.size,
        write_milliseconds=1000 * found.write,
        people=found.people,
        events=found.events,
        snapshots=found.snapshots,
        findings=found.findings,
        trouble=None,
    )
