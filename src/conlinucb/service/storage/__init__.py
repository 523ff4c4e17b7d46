"""Where everything is kept: one contract over memory, SQLite and PostgreSQL."""

from __future__ import annotations

import contextlib

from conlinucb.errors import StorageError
from conlinucb.service.storage.aliases import Aliases
from conlinucb.service.storage.bases import Bases
from conlinucb.service.storage.catalogues import CatalogueLog, Change, Entry
from conlinucb.service.storage.counts import Count, Counts
from conlinucb.service.storage.database import MEMORY, Database, Limits, Taken, now
from conlinucb.service.storage.erasure import Erasure
from conlinucb.service.storage.events import (
    AnswerBody,
    Body,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RetractionBody,
    RewardBody,
)
from conlinucb.service.storage.experiments import ExperimentLog, StoredExperiment
from conlinucb.service.storage.health import StoreHealth, health_of
from conlinucb.service.storage.keys import Keys, StoredKey
from conlinucb.service.storage.leases import Leases
from conlinucb.service.storage.log import Broken, Event, Log, retracted, with_missing
from conlinucb.service.storage.pages import Pages
from conlinucb.service.storage.people import People, Person
from conlinucb.service.storage.populations import Populations, StoredPopulation
from conlinucb.service.storage.progress import Progresses
from conlinucb.service.storage.quarantine import Finding, Quarantine
from conlinucb.service.storage.recent import Looked, RecentLogs
from conlinucb.service.storage.removal import Removal
from conlinucb.service.storage.snapshots import Arrays, Snapshot, Snapshots, pack, unpack


class Storage:
    """Log, people, snapshots, catalogues, populations and what is damaged, in one database.

    What holds on every database: an event is on disk when ``log.append`` returns; a person's
    events are numbered 1, 2, ... without a gap or a double; a client id and a subject occur
    once a person; nothing of a deleted person can be written or read; a change of several rows
    happens as a whole or not at all.
    """

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self.database = Database(url, limits)
        self.counts = Counts(self.database)
        self.log = Log(self.database)
        self.pages = Pages(self.database)
        self.aliases = Aliases(self.database)
        self.recent = RecentLogs(self.database)
        self.erasure = Erasure(self.database)
        self.people = People(self.database, self.counts, self.erasure)
        self.snapshots = Snapshots(self.database)
        self.catalogue_log = CatalogueLog(self.database)
        self.bases = Bases(self.database)
        self.populations = Populations(self.database)
        self.experiments = ExperimentLog(self.database)
        self.quarantine = Quarantine(self.database)
        self.removal = Removal(self.database)
        self.progress = Progresses(self.database)
        self.leases = Leases(self.database)
        self.keys = Keys(self.database)

    def close(self) -> None:
        """Close all connections, with what was counted put where it is kept."""
        with contextlib.suppress(StorageError):  # no tables yet, or no database any more
            self.counts.flush()
        self.database.close()


__all__ = [
    "MEMORY",
    "Aliases",
    "AnswerBody",
    "Arrays",
    "Bases",
    "Body",
    "Broken",
    "CatalogueLog",
    "Change",
    "Count",
    "Counts",
    "Database",
    "Entry",
    "Erasure",
    "Event",
    "ExperimentLog",
    "Finding",
    "Keys",
    "Leases",
    "Limits",
    "Log",
    "Looked",
    "Pages",
    "People",
    "Person",
    "Populations",
    "Progresses",
    "Quarantine",
    "QuestionBody",
    "RecentLogs",
    "RecommendationBody",
    "RecommendedItem",
    "Removal",
    "RetractionBody",
    "RewardBody",
    "Snapshot",
    "Snapshots",
    "Storage",
    "StoreHealth",
    "StoredExperiment",
    "StoredKey",
    "StoredPopulation",
    "Taken",
    "health_of",
    "now",
    "pack",
    "retracted",
    "unpack",
    "with_missing",
]
