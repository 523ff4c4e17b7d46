"""People in conversation: states at hand in memory, each behind a lock of its own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable

from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.storage import Person

Key = tuple[int, str]
"""Catalogue and name."""


class Seat:
    """One person's place; whoever holds the lock may read and change it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.person: Person | None = None
        self.conversation: Conversation | None = None

    def clear(self) -> None:
        """Forget what is here; it is read from the log when it is needed."""
        self.person = self.conversation = None

    @property
    def bytes(self) -> int:
        """Memory of the state."""
        state = () if self.conversation is None else self.conversation.user.state
        return sum(int(array.nbytes) for array in state) + 2_000


class Live:
    """The seats that were used last, as many as fit into the memory given.

    A seat that is dropped while someone sits in it does no harm: the log decides.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._seats: OrderedDict[Key, Seat] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._total = 0

    def seat(self, key: Key) -> Seat:
        """The seat of a person, a new one where there is none."""
        with self._lock:
            seat = self._seats.setdefault(key, Seat())
            self._seats.move_to_end(key)
            return seat

    def used(self, key: Key, seat: Seat) -> None:
        """Note how large a seat is, and drop the oldest ones where there are too many."""
        size = seat.bytes
        with self._lock:
            if self._seats.get(key) is not seat:
                return
            self._total += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while self._total > self._limit and len(self._seats) > 1:
                oldest, _ = self._seats.popitem(last=False)
                self._total -= self._sizes.pop(oldest, 0)

    def forget(self, people: Iterable[int]) -> None:
        """Drop the seats of people who are gone."""
        gone = set(people)
        with self._lock:
            for key, seat in list(self._seats.items()):
                if seat.person is not None and seat.person.id in gone:
                    self._drop(key)

    def forget_catalogues_but(self, catalogues: Collection[int]) -> None:
        """Drop the seats in catalogues that are gone."""
        with self._lock:
            for key in [each for each in self._seats if each[0] not in catalogues]:
                self._drop(key)

    def forget_key(self, key: Key) -> None:
        """Drop one seat."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        self._seats.pop(key, None)
        self._total -= self._sizes.pop(key, 0)

    def __len__(self) -> int:
        return len(self._seats)
