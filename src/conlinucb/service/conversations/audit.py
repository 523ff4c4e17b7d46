"""Is everything as the log says: every person folded anew and compared with the snapshots."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from conlinucb.errors import Damaged, InvalidInput
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import Conversation, fold
from conlinucb.service.conversations.loader import StateLoader, is_worth_keeping
from conlinucb.service.conversations.move import settled
from conlinucb.service.storage import Arrays, Finding, Person, Snapshot, Storage, Taken

CLOSE = 1e-9
_TRIANGLES = ("state_P", "state_M", "state_term_P", "state_term_M")
"""Of these only the lower triangles count."""


@dataclass(frozen=True)
class Checked:
    """One person looked at, and what was found."""

    person: Person
    events: int
    findings: list[Finding]


class Checker:
    """Goes through all catalogues and people of a database."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._loader = StateLoader(storage)
        self._catalogues = Catalogues(storage)

    def catalogues(self) -> list[Finding]:
        """Catalogues that cannot be served."""
        self._storage.quarantine.clear()
        self._catalogues.refresh()
        self._catalogues.check_pending()
        return [each for each in self._storage.quarantine.all() if each.person is None]

    def count(self) -> int:
        """How many people there are to look at."""
        return sum(self._storage.people.count(each.id) for each in self._catalogues.all())

    def people(self) -> Iterator[Checked]:
        """Everyone in a catalogue that can be served, one by one; damage is set aside."""
        for version, person in self._everyone():
            if person.seed < 0:
                found = Finding(person.id, person.catalogue, "seed", "it is no number")
                self._storage.quarantine.add(found)
                yield Checked(person, 0, [found])
                continue
            rows = self._loader.rows(person)
            _, broken = fold(version, person.seed, rows)
            findings = [
                Finding(person.id, person.catalogue, f"event {seq}", reason)
                for seq, reason in broken.items()
            ]
            findings += self._snapshot(version, person)
            for each in findings:
                self._storage.quarantine.add(each)
            yield Checked(person, len(rows), findings)

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
