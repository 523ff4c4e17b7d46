"""From the log to a person's state, by way of a snapshot where a good one is there."""

from __future__ import annotations

import logging
from collections.abc import Collection

from conlinucb.errors import Damaged, InvalidInput, StorageError
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import UNUSABLE, Conversation, NeedsRebuild, fold
from conlinucb.service.conversations.move import moved
from conlinucb.service.conversations.others import OtherPopulations
from conlinucb.service.observe import observer
from conlinucb.service.storage import Broken, Event, Finding, Person, Storage, with_missing

logger = logging.getLogger("conlinucb.service")
SNAPSHOT_EVERY = 100
"""Events after which a state is kept again; a shorter log is folded sooner than one is read."""


def is_worth_keeping(state: Conversation) -> bool:
    """Whether a log is so long that its state is kept."""
    return state.seq >= SNAPSHOT_EVERY


class StateLoader:
    """Loads states and keeps snapshots; what is damaged it sets aside and reports."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._others = OtherPopulations(storage)

    def check(self, person: Person) -> None:
        """Refuse to go on with someone whose own row is damaged."""
        if person.seed < 0:
            self._report(Finding(person.id, person.catalogue, "seed", "it is no number"))
            raise Damaged(f"What is kept of {person.name!r} cannot be read.")

    def rows(self, person: Person, after: int = 0) -> list[Event | Broken]:
        """A person's log behind an event; what is damaged or missing is among it as broken."""
        return with_missing(self._storage.log.after(person.id, after), after)

    def load(self, version: CatalogueVersion, person: Person) -> Conversation:
        """The person's state now."""
        self.check(person)
        bases = self._storage.snapshots.bases(person.id)
        state = self._from_snapshot(version, person) if version.basis in bases else None
        state = state or self._moved(version, person, bases)
        kept = 0 if state is None else state.seq
        found = self._brought_up(version, person, state, bases)
        observer.measure("snapshot_age_events", max(found.seq - kept, 0))
        return found

    def _brought_up(
        self,
        version: CatalogueVersion,
        person: Person,
        state: Conversation | None,
        bases: list[str],
    ) -> Conversation:
        if state is None:
            return self._anew(version, person, bases)
        if self._storage.log.last(person.id) < state.seq:
            self._set_aside(version, person, f"it is of event {state.seq}, which is not there")
            return self.rebuild(version, person)
        return self.catch_up(state, person)

    def catch_up(self, state: Conversation, person: Person) -> Conversation:
        """Take in what others have written since; the state, or a new one."""
        found = self.rows(person, state.seq)
        try:
            for each in found:
                if isinstance(each, Broken):
                    return self.rebuild(state.version, person)
                state.apply(each)
        except (NeedsRebuild, *UNUSABLE):
            return self.rebuild(state.version, person)
        return state

    def rebuild(self, version: CatalogueVersion, person: Person) -> Conversation:
        """The state from the whole log; damaged events are left out and reported."""
        self.check(person)
        state, broken = fold(version, person.seed, self.rows(person))
        for seq, reason in broken.items():
            self._report(Finding(person.id, person.catalogue, f"event {seq}", reason))
        return state

    def keep(self, state: Conversation, person: Person) -> None:
        """Keep the state, so that the log up to here need not be read again."""
        self._storage.snapshots.save(person.id, state.version.basis, state.snapshot())

    def _anew(
        self, version: CatalogueVersion, person: Person, bases: Collection[str]
    ) -> Conversation:
        """From the whole log: a short one, or one whose state was for what is not served now."""
        state = self.rebuild(version, person)
        try:
            if any(each != version.basis for each in bases):
                self._storage.snapshots.drop_others(person.id, version.basis)
            if is_worth_keeping(state):
                self.keep(state, person)
        except StorageError as error:  # gone just now, or nothing can be written: the log is enough
            logger.info("a snapshot was not kept: %s", error)
        return state

    def _moved(
        self, version: CatalogueVersion, person: Person, bases: Collection[str]
    ) -> Conversation | None:
        """From a state kept under another population, which is then of no more use."""
        for other in self._others.of(version, bases):
            before = self._from_snapshot(other, person)
            self._storage.snapshots.drop(person.id, other.basis)
            state = before and moved(before, version)
            if state is not None:
                if is_worth_keeping(state):
                    self.keep(state, person)
                return state
        return None

    def _from_snapshot(self, version: CatalogueVersion, person: Person) -> Conversation | None:
        try:
            found = self._storage.snapshots.load(person.id, version.basis)
            return None if found is None else Conversation.from_snapshot(version, found)
        except (Damaged, InvalidInput) as error:
            self._set_aside(version, person, str(error))
            return None

    def _set_aside(self, version: CatalogueVersion, person: Person, reason: str) -> None:
        self._report(Finding(person.id, person.catalogue, "snapshot", reason))
        self._storage.snapshots.drop(person.id, version.basis)

    def _report(self, finding: Finding) -> None:
        logger.error("damaged: person %s, %s: %s", finding.person, finding.what, finding.reason)
        self._storage.quarantine.add(finding)
