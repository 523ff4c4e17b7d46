"""Whether a service's storage can be relied on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conlinucb.checks.common import require
from conlinucb.errors import MissingExtra

if TYPE_CHECKING:
    from conlinucb.service.storage import Event


def check_storage(storage: Any, ann: int, bob: int) -> None:
    """Check a storage: ``log`` and ``snapshots`` as ``conlinucb.service.storage`` has them.

    ``ann`` and ``bob`` are the ids of two people of whom nothing is stored yet. Events come back as
    they were written, by number; a number, a client id and a subject occur once a person, or
    ``Taken`` is raised and nothing written; a snapshot is loaded as it was saved last, and gone
    when dropped; nothing reaches another person.
    """
    try:
        import conlinucb.service.storage  # noqa: F401
    except ImportError:
        raise MissingExtra("service", "check_storage") from None
    _check_empty(storage, ann, bob)
    _check_log(storage.log, ann, bob)
    _check_taken(storage.log, ann, bob)
    _check_retraction(storage.log, ann, bob)
    _check_snapshots(storage.snapshots, ann, bob)


def _event(seq: int, client_id: str | None = None, subject: str | None = None) -> Event:
    from conlinucb.service.storage import Event
    from conlinucb.service.storage.events import AnswerBody

    body = AnswerBody(question=seq, about="term", id="Amélie", answer=seq / 3)
    return Event(seq, body, client_id, subject)


def _retraction(seq: int, of: int) -> Event:
    from conlinucb.service.storage import Event
    from conlinucb.service.storage.events import RetractionBody

    return Event(seq, RetractionBody(of=of))


def _check_empty(storage: Any, ann: int, bob: int) -> None:
    for person in (ann, bob):
        nothing = storage.log.after(person) == [] and storage.log.last(person) == 0
        require(nothing, f"log: someone of whom nothing is stored has events: {person}.")
        bases = list(storage.snapshots.bases(person))
        require(bases == [], f"snapshots: someone of whom nothing is stored has {bases}.")


def _check_log(log: Any, ann: int, bob: int) -> None:
    written = {seq: log.append(ann, _event(seq, f"c{seq}", f"s{seq}")) for seq in (2, 1, 3)}
    require(all(each.at > 0 for each in written.values()), "log: append must stamp the time.")
    found = log.after(ann)
    numbers = [each.seq for each in found]
    require(numbers == [1, 2, 3], f"log: events must come back by number, got {numbers}.")
    wanted = [written[seq] for seq in (1, 2, 3)]
    require(found == wanted, f"log: events must come back as written: {found}, not {wanted}.")
    require(log.after(ann, 2) == wanted[2:], "log: after(person, 2) must begin with event 3.")
    require(log.last(ann) == 3, f"log: last must be 3, got {log.last(ann)}.")
    for what in ({"seq": 2}, {"client_id": "c2"}, {"subject": "s2"}):
        require(log.find(ann, **what) == written[2], f"log: find must find an event by {what}.")
        require(log.find(bob, **what) is None, f"log: find found another person's event by {what}.")
    missing = log.find(ann, client_id="C2")
    require(missing is None, "log: find must tell client ids apart by every letter.")
    require(log.after(bob) == [], "log: one person's events reached another.")


def _check_taken(log: Any, ann: int, bob: int) -> None:
    for what, event in (
        ("number", _event(3, "new", "new")),
        ("client id", _event(4, "c1", "new")),
        ("subject", _event(4, "new", "s1")),
    ):
        require(_is_taken(log, ann, event), f"log: a {what} that is taken must raise Taken.")
        require(
            log.last(ann) == 3, f"log: an event whose {what} is taken was written all the same."
        )
    for seq in (4, 5):
        free = not _is_taken(log, ann, _event(seq))
        require(free, "log: events without client id and subject must not be in each other's way.")
    free = not _is_taken(log, bob, _event(1, "c1", "s1"))
    require(free, "log: an id of one person's must be free for another.")


def _is_taken(log: Any, person: int, event: Any) -> bool:
    from conlinucb.service.storage import Taken

    try:
        log.append(person, event)
    except Taken:
        return True
    return False


def _check_retraction(log: Any, ann: int, bob: int) -> None:
    log.retract(ann, _retraction(6, of=1), 1)
    freed = log.find(ann, subject="s1") is None and log.find(ann, seq=1) is not None
    require(freed, "log: a retraction must free the subject of what it takes back, and no more.")
    require(log.last(ann) == 6, "log: a retraction is an event of its own.")
    require(log.find(bob, subject="s1") is not None, "log: a retraction reached another person.")


def _check_snapshots(snapshots: Any, ann: int, bob: int) -> None:
    from conlinucb.service.storage import Snapshot

    require(snapshots.load(ann, "one") is None, "snapshots: load must give None where none is.")
    arrays = {
        "P": np.arange(6.0).reshape(2, 3) / 7,
        "seed": np.array(2**64 - 1, dtype=np.uint64),
        "nothing": np.empty((0, 2), dtype=np.int64),
    }
    for seq in (2, 9, 5):
        snapshots.save(ann, "one", Snapshot(seq, {**arrays, "seq": np.array(seq)}))
    snapshots.save(ann, "two", Snapshot(1, arrays))
    found = snapshots.load(ann, "one")
    require(found is not None and found.seq == 5, "snapshots: load must give what was saved last.")
    for name, array in {**arrays, "seq": np.array(5)}.items():
        kept = found.arrays.get(name)
        same = kept is not None and kept.dtype == array.dtype and np.array_equal(kept, array)
        require(same, f"snapshots: {name} must be loaded as it was saved, got {kept!r}.")
    require(sorted(snapshots.bases(ann)) == ["one", "two"], "snapshots: bases must name them all.")
    require(snapshots.load(bob, "one") is None, "snapshots: one person's reached another.")
    _check_drop(snapshots, ann, bob, found)


def _check_drop(snapshots: Any, ann: int, bob: int, some: Any) -> None:
    snapshots.save(bob, "one", some)
    snapshots.drop(ann, "one")
    left = snapshots.load(ann, "one") is None and snapshots.load(ann, "two") is not None
    require(left, "snapshots: drop(person, basis) must drop that one, and no other.")
    snapshots.drop(ann)
    require(list(snapshots.bases(ann)) == [], "snapshots: drop(person) must drop all of them.")
    kept = snapshots.load(bob, "one") is not None
    require(kept, "snapshots: drop reached another person.")
