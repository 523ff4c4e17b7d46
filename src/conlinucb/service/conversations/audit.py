"""Is everything as the log says: every person folded anew and compared with the snapshots."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.check_place import finished, first_place, last_place
from conlinucb.service.conversations.fold import Conversation, fold
from conlinucb.service.conversations.loader import StateLoader, is_worth_keeping
from conlinucb.service.conversations.move import settled
from conlinucb.service.storage import (
    Arrays,
    Broken,
    Event,
    Finding,
    Person,
    Snapshot,
    Storage,
    Taken,
    retracted,
    with_missing,
)
from conlinucb.service.storage.odd import odd_values

CLOSE = 1e-9
BATCH = 500
"""People looked at between two notes of where the check is."""
PIECE = 20_000
"""Events in memory at once, but for a log that is longer by itself."""
_TRIANGLES = ("state_P", "state_M", "state_term_P", "state_term_M")
"""Of these only the lower triangles count."""


@dataclass(frozen=True)
class Checked:
    """One person looked at, and what was found."""

    person: Person
    events: int
    findings: list[Finding]
    unsealed: int = 0
    """Events without a checksum of their whole row: older code wrote them."""


class Checker:
    """Goes through all catalogues and people of a database.

    An interrupted check is gone on with, unless ``restart``: people are looked at in the order of
    their ids, and after each batch it is noted where the check has come to.
    """

    def __init__(self, storage: Storage, *, restart: bool = True) -> None:
        self._storage = storage
        self._loader = StateLoader(storage)
        self._catalogues = Catalogues(storage)
        before = None if restart else last_place(storage.progress)
        self.resumed = before is not None
        self.place = before or first_place(storage.progress)

    def catalogues(self) -> list[Finding]:
        """Catalogues that cannot be served, and odd values in rows about them."""
        if not self.resumed:
            self._storage.quarantine.clear()
        for each in odd_values(self._storage.database):
            self._storage.quarantine.add(each)
        self._catalogues.refresh()
        self._catalogues.check_pending()
        return [each for each in self._storage.quarantine.all() if each.person is None]

    def count(self) -> int:
        """How many people there are to look at."""
        return sum(self._storage.people.count(each.id) for each in self._catalogues.all())

    def findings(self) -> list[tuple[str, Finding]]:
        """Everything that was found, by this check and by the service meanwhile."""
        return self._storage.quarantine.named()

    def found(self) -> int:
        """How much that is."""
        return self._storage.quarantine.count()

    def people(self) -> Iterator[Checked]:
        """Everyone in a catalogue that can be served, one by one; damage is set aside."""
        for version in sorted(self._catalogues.all(), key=lambda each: each.id):
            if version.id < self.place.catalogue:
                continue
            self.place.enter(version.id, self._storage.counts.since(version.id))
            while batch := self._storage.people.batch(version.id, self.place.after, limit=BATCH):
                for checked in self._batch(version, batch):
                    yield checked
                    self.place.add(checked.person.id, checked.events, checked.unsealed)
                self.place.save(self._storage.progress)
            with contextlib.suppress(Taken):  # the catalogue is gone
                self._storage.counts.set(version.id, *self.place.counted())
        finished(self._storage.progress)

    def _batch(self, version: CatalogueVersion, batch: list[Person]) -> Iterator[Checked]:
        """These people with their logs, of which a bounded piece is in memory."""
        with_snapshot = self._storage.snapshots.held([each.id for each in batch], version.basis)
        for piece in self._pieces(batch):
            logs = self._storage.log.of_people([each.id for each in piece])
            for person in piece:
                rows = with_missing(logs.pop(person.id))
                yield self._checked(version, person, rows, person.id in with_snapshot)

    def _pieces(self, batch: list[Person]) -> Iterator[list[Person]]:
        lengths = self._storage.log.lengths([each.id for each in batch])
        piece, size = list[Person](), 0
        for person in batch:
            if piece and size + lengths[person.id] > PIECE:
                yield piece
                piece, size = [], 0
            piece.append(person)
            size += lengths[person.id]
        yield piece

    def _checked(
        self,
        version: CatalogueVersion,
        person: Person,
        rows: list[Event | Broken],
        with_snapshot: bool,
    ) -> Checked:
        if person.seed < 0:
            findings = [Finding(person.id, person.catalogue, "seed", "it is no number")]
        else:
            _, broken = fold(version, person.seed, rows)
            findings = [
                Finding(person.id, person.catalogue, f"event {seq}", reason)
                for seq, reason in {**_freed(rows), **broken}.items()
            ]
            findings += self._snapshot(version, person) if with_snapshot else []
        for each in findings:
            self._storage.quarantine.add(each)
        events = [each for each in rows if isinstance(each, Event)]
        unsealed = sum(each.sealed is None for each in events)
        return Checked(person, len(rows), findings, unsealed)

    def rebuild(self) -> Iterator[Checked]:
        """Throw away everyone's snapshots and make those of long logs anew."""
        for version, person in self._everyone():
            if person.seed < 0:
                continue
            self._storage.snapshots.drop(person.id)
            state = self._loader.rebuild(version, person)
            if is_worth_keeping(state):
                with contextlib.suppress(Taken):  # deleted meanwhile
                    self._loader.keep(state, person)
            yield Checked(person, state.seq, [])

    def _everyone(self) -> Iterator[tuple[CatalogueVersion, Person]]:
        for version in self._catalogues.all():
            last = 0
            while batch := self._storage.people.batch(version.id, last):
                yield from ((version, person) for person in batch)
                last = batch[-1].id

    def _snapshot(self, version: CatalogueVersion, person: Person) -> list[Finding]:
        """A snapshot that differs from the log is dropped and reported."""
        try:
            found = self._storage.snapshots.load(person.id, version.basis)
            if found is None:
                return []
            reason = self._differs(version, person, found)
        except (Damaged, InvalidInput) as error:
            reason = str(error)
        if reason is None:
            return []
        self._storage.snapshots.drop(person.id, version.basis)
        return [Finding(person.id, person.catalogue, "snapshot", reason)]

    def _differs(self, version: CatalogueVersion, person: Person, found: Snapshot) -> str | None:
        kept = Conversation.from_snapshot(version, found)
        if kept is None:
            return None  # of another version of the catalogue: it is not used any more
        rows = [row for row in self._loader.rows(person) if row.seq <= found.seq]
        state, _ = fold(version, person.seed, rows)
        if state.seq != found.seq:
            return f"it is of event {found.seq}, the log ends with {state.seq}"
        if kept.moved:
            state, found = settled(state), settled(kept).snapshot()
        arrays = state.snapshot().arrays
        # A state may have been kept under an earlier version, and be good for this one.
        return difference(arrays, found.arrays | {"version": arrays["version"]})


def _freed(rows: list[Event | Broken]) -> dict[int, str]:
    """Events whose subject is gone although nobody took them back."""
    gone = retracted(rows)
    return {
        row.seq: "its subject is gone, and it was not taken back"
        for row in rows
        if isinstance(row, Event) and row.sealed is False and row.seq not in gone
    }


def difference(one: Arrays, other: Arrays) -> str | None:
    """Where two states differ by more than rounding, or None."""
    alone = sorted(set(one) ^ set(other))
    if alone:
        return f"it has {alone} or lacks it"
    for name in one:
        a, b = (np.tril(each[name]) if name in _TRIANGLES else each[name] for each in (one, other))
        if a.shape != b.shape:
            return f"{name} has shape {b.shape}, not {a.shape}"
        exact = a.dtype.kind != "f" or b.dtype.kind != "f"
        if not (np.array_equal(a, b) if exact else np.allclose(a, b, rtol=CLOSE, atol=CLOSE)):
            return f"{name} differs from the log"
    return None
