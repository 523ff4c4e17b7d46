"""From the log to a person's state, by way of a snapshot where a good one is there."""

from __future__ import annotations

import logging

from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.conversation import UNUSABLE, Conversation, NeedsRebuild, fold
from conlinucb.service.served import Served
from conlinucb.service.storage import Broken, Finding, Person, Storage

logger = logging.getLogger("conlinucb.service")
SNAPSHOT_EVERY = 100
"""Events after which a state is kept again."""


class Memory:
    """Loads states and keeps snapshots; what is damaged it sets aside and reports."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def load(self, served: Served, person: Person) -> Conversation:
        """The person's state now."""
        state = self._from_snapshot(served, person)
        if state is None:
            return self.rebuild(served, person)
        return self.catch_up(state, person)

    def catch_up(self, state: Conversation, person: Person) -> Conversation:
        """Take in what others have written since; the state, or a new one."""
        found = self._storage.log.after(person.id, state.seq)
        try:
            for each in found:
                if isinstance(each, Broken):
                    return self.rebuild(state.served, person)
                state.apply(each)
        except (NeedsRebuild, *UNUSABLE):
            return self.rebuild(state.served, person)
        return state

    def rebuild(self, served: Served, person: Person) -> Conversation:
        """The state from the whole log; damaged events are left out and reported."""
        state, broken = fold(served, person.seed, self._storage.log.after(person.id))
        for seq, reason in broken.items():
            self._report(Finding(person.id, person.catalogue, f"event {seq}", reason))
        return state

    def keep(self, state: Conversation, person: Person) -> None:
        """Keep the state, so that the log up to here need not be read again."""
        self._storage.snapshots.save(person.id, state.served.basis, state.snapshot())

    def _from_snapshot(self, served: Served, person: Person) -> Conversation | None:
        try:
            found = self._storage.snapshots.load(person.id, served.basis)
            return None if found is None else Conversation.from_snapshot(served, found)
        except (Damaged, InvalidInput) as error:
            self._report(Finding(person.id, person.catalogue, "snapshot", str(error)))
            self._storage.snapshots.drop(person.id, served.basis)
            return None

    def _report(self, finding: Finding) -> None:
        logger.error("damaged: person %s, %s: %s", finding.person, finding.what, finding.reason)
        self._storage.quarantine.add(finding)
