"""Every database passes the check; a storage of one's own that is broken fails by what is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conlinucb.checks import check_storage
from conlinucb.service.storage import Event, Snapshot, Storage, Taken
from support import service_store
from support.service_store import someone

database = service_store.database
storage = service_store.storage

ANN, BOB = 1, 2


def test_storages_conform(storage: Storage) -> None:
    check_storage(storage, someone(storage).id, someone(storage, "bob").id)


class OwnLog:
    """A log in a dictionary: nothing but the contract."""

    def __init__(self) -> None:
        self.events: dict[int, dict[int, Event]] = {}

    def of(self, person: int) -> dict[int, Event]:
        return self.events.setdefault(person, {})

    def append(self, person: int, event: Event) -> Event:
        for each in self.of(person).values():
            if event.seq == each.seq or self.clashes(event, each):
                raise Taken("taken")
        self.of(person)[event.seq] = replace(event, at=1)
        return self.of(person)[event.seq]

    def clashes(self, one: Event, other: Event) -> bool:
        return (one.client_id is not None and one.client_id == other.client_id) or (
            one.subject is not None and one.subject == other.subject
        )

    def retract(self, person: int, event: Event, target: int) -> Event:
        written = self.append(person, event)
        mine = self.of(person)
        mine[target] = replace(mine[target], subject=None)
        return written

    def after(self, person: int, seq: int = 0) -> list[Event]:
        mine = self.of(person)
        return [mine[each] for each in sorted(mine) if each > seq]

    def last(self, person: int) -> int:
        return max(self.of(person), default=0)

    def find(self, person: int, **what: Any) -> Event | None:
        for each in self.of(person).values():
            if all(getattr(each, name) == value for name, value in what.items()):
                return each
        return None


class OwnSnapshots:
    """Snapshots in a dictionary."""

    def __init__(self) -> None:
        self.kept: dict[tuple[int, str], Snapshot] = {}

    def load(self, person: int, basis: str) -> Snapshot | None:
        return self.kept.get((person, basis))

    def save(self, person: int, basis: str, snapshot: Snapshot) -> None:
        self.kept[person, basis] = snapshot

    def drop(self, person: int, basis: str | None = None) -> None:
        for key in list(self.kept):
            if key[0] == person and basis in (None, key[1]):
                del self.kept[key]

    def bases(self, person: int) -> list[str]:
        return [basis for owner, basis in self.kept if owner == person]


class Own:
    def __init__(self, log: Any = None, snapshots: Any = None) -> None:
        self.log = OwnLog() if log is None else log
        self.snapshots = OwnSnapshots() if snapshots is None else snapshots


def test_a_storage_of_ones_own_conforms() -> None:
    check_storage(Own(), ANN, BOB)


class OneForAll(OwnLog):
    def of(self, person: int) -> dict[int, Event]:
        return self.events.setdefault(0, {})


class InOrderOfWriting(OwnLog):
    def after(self, person: int, seq: int = 0) -> list[Event]:
        return [each for each in self.of(person).values() if each.seq > seq]


class Unstamped(OwnLog):
    def append(self, person: int, event: Event) -> Event:
        super().append(person, event)
        return event


class LosesIds(OwnLog):
    def after(self, person: int, seq: int = 0) -> list[Event]:
        return [replace(each, client_id=None) for each in super().after(person, seq)]


class AfterIncludes(OwnLog):
    def after(self, person: int, seq: int = 0) -> list[Event]:
        return super().after(person, seq - 1)


class LastIsNumberOfEvents(OwnLog):
    def last(self, person: int) -> int:
        return len(self.of(person)) + (len(self.of(person)) > 0)


class FindsBySeqOnly(OwnLog):
    def find(self, person: int, **what: Any) -> Event | None:
        return self.of(person).get(what.get("seq", 0))


class FindsAnywhere(OwnLog):
    def find(self, person: int, **what: Any) -> Event | None:
        return super().find(ANN, **what)


class IgnoresCase(OwnLog):
    def find(self, person: int, **what: Any) -> Event | None:
        lower = {k: v.lower() if isinstance(v, str) else v for k, v in what.items()}
        return super().find(person, **lower)


class Overwrites(OwnLog):
    def append(self, person: int, event: Event) -> Event:
        self.of(person)[event.seq] = replace(event, at=1)
        return self.of(person)[event.seq]


class IdsTwice(OwnLog):
    def clashes(self, one: Event, other: Event) -> bool:
        return one.subject is not None and one.subject == other.subject


class SubjectsTwice(OwnLog):
    def clashes(self, one: Event, other: Event) -> bool:
        return one.client_id is not None and one.client_id == other.client_id


class WritesBeforeItLooks(OwnLog):
    def append(self, person: int, event: Event) -> Event:
        try:
            return super().append(person, event)
        except Taken:
            self.of(person)[event.seq] = replace(event, at=1)
            raise


class IdsOfAllPeople(OwnLog):
    def append(self, person: int, event: Event) -> Event:
        for mine in self.events.values():
            if any(self.clashes(event, each) for each in mine.values()):
                raise Taken("taken")
        return super().append(person, event)


class NoIdIsAnId(OwnLog):
    def clashes(self, one: Event, other: Event) -> bool:
        return one.client_id == other.client_id or one.subject == other.subject


class RetractionFreesNothing(OwnLog):
    def retract(self, person: int, event: Event, target: int) -> Event:
        return self.append(person, event)


class RetractionOfAll(OwnLog):
    def retract(self, person: int, event: Event, target: int) -> Event:
        written = super().retract(person, event, target)
        for mine in self.events.values():
            mine[1] = replace(mine[1], subject=None)
        return written


class SilentRetraction(OwnLog):
    def retract(self, person: int, event: Event, target: int) -> Event:
        written = super().retract(person, event, target)
        del self.of(person)[event.seq]
        return written


LOGS: list[tuple[type[OwnLog], str]] = [
    (OneForAll, "log: find found another person's"),
    (InOrderOfWriting, "log: events must come back by number"),
    (Unstamped, "log: append must stamp the time"),
    (LosesIds, "log: events must come back as written"),
    (AfterIncludes, r"log: after\(person, 2\)"),
    (LastIsNumberOfEvents, "log: last must be 3"),
    (FindsBySeqOnly, "log: find must find an event by .*client_id"),
    (FindsAnywhere, "log: find found another person's event"),
    (IgnoresCase, "by every letter"),
    (Overwrites, "log: a number that is taken must raise Taken"),
    (IdsTwice, "log: a client id that is taken must raise Taken"),
    (SubjectsTwice, "log: a subject that is taken must raise Taken"),
    (WritesBeforeItLooks, "was written all the same"),
    (IdsOfAllPeople, "must be free for another"),
    (NoIdIsAnId, "must not be in each other's way"),
    (RetractionFreesNothing, "must free the subject"),
    (RetractionOfAll, "a retraction reached another person"),
    (SilentRetraction, "a retraction is an event of its own"),
]


@pytest.mark.parametrize(("broken", "sentence"), LOGS)
def test_broken_logs_fail_the_check(broken: type[OwnLog], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_storage(Own(log=broken()), ANN, BOB)


class SingleBasis(OwnSnapshots):
    def save(self, person: int, basis: str, snapshot: Snapshot) -> None:
        self.drop(person)
        super().save(person, basis, snapshot)


class FirstCounts(OwnSnapshots):
    def save(self, person: int, basis: str, snapshot: Snapshot) -> None:
        self.kept.setdefault((person, basis), snapshot)


class AsFloats(OwnSnapshots):
    def save(self, person: int, basis: str, snapshot: Snapshot) -> None:
        arrays = {name: array.astype(float) for name, array in snapshot.arrays.items()}
        super().save(person, basis, Snapshot(snapshot.seq, arrays))


class ForEverybody(OwnSnapshots):
    def load(self, person: int, basis: str) -> Snapshot | None:
        return super().load(ANN, basis)


class NeverNone(OwnSnapshots):
    def load(self, person: int, basis: str) -> Snapshot | None:
        return super().load(person, basis) or Snapshot(0, {"theta": np.zeros(2)})


class DropsTooMuch(OwnSnapshots):
    def drop(self, person: int, basis: str | None = None) -> None:
        super().drop(person)


class DropsTooLittle(OwnSnapshots):
    def drop(self, person: int, basis: str | None = None) -> None:
        super().drop(person, basis or "one")


class DropsEverybody(OwnSnapshots):
    def drop(self, person: int, basis: str | None = None) -> None:
        super().drop(person, basis)
        if basis is None:
            self.kept.clear()


class NamesOne(OwnSnapshots):
    def bases(self, person: int) -> list[str]:
        return super().bases(person)[:1]


class NamesAlways(OwnSnapshots):
    def bases(self, person: int) -> list[str]:
        return ["one"]


SNAPSHOTS: list[tuple[type[OwnSnapshots], str]] = [
    (SingleBasis, "load must give what was saved last"),
    (FirstCounts, "load must give what was saved last"),
    (AsFloats, "seed must be loaded as it was saved"),
    (ForEverybody, "one person's reached another"),
    (NeverNone, "load must give None"),
    (DropsTooMuch, r"drop\(person, basis\) must drop that one"),
    (DropsTooLittle, r"drop\(person\) must drop all"),
    (DropsEverybody, "drop reached another person"),
    (NamesOne, "bases must name them all"),
    (NamesAlways, "someone of whom nothing is stored"),
]


@pytest.mark.parametrize(("broken", "sentence"), SNAPSHOTS)
def test_broken_snapshots_fail_the_check(broken: type[OwnSnapshots], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        check_storage(Own(snapshots=broken()), ANN, BOB)


def test_someone_of_whom_something_is_stored_is_refused() -> None:
    own = Own()
    check_storage(own, ANN, BOB)
    with pytest.raises(AssertionError, match="has events"):
        check_storage(own, ANN, BOB)
