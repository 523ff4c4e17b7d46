"""People in conversation: states at hand in memory, each behind a lock of its own."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable

from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.observe import observer
from conlinucb.service.storage import Person

ENTRY, STATE = 1_500, 2_500
"""Bytes of an entry with its lock and its person, and of a state without what it holds."""
DECISION, ITEM = 250, 70
"""Of a recommendation that is kept at hand, and of each item's name in it."""
PLACE, COUNT = 250, 100
"""Of what was skipped or answered, and of how often a key-term came up."""
Key = tuple[int, str]
"""Catalogue and name."""


class CacheEntry:
    """One person's state; whoever holds the lock may read and change it."""

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
        if self.conversation is None:
            return ENTRY
        conversations = (self.conversation, *self.conversation.shadows.values())
        return ENTRY + sum(_bytes(each) for each in conversations)


def _bytes(state: Conversation) -> int:
    """What a state takes, about; measured where Python says no more than that."""
    arrays = sum(int(array.nbytes) for array in state.user.state)
    shown = sum(ITEM * len(items) for items in state.decisions.values())
    places = len(state.skipped_at) + len(state.answered_at)
    noted = PLACE * places + DECISION * len(state.decisions) + COUNT * len(state.user.times)
    return arrays + STATE + shown + noted + state.memory.bytes


class StateCache:
    """The states that were used last, as many as fit into this many bytes.

    An entry that is dropped while it is in use does no harm: the log decides.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, CacheEntry] = OrderedDict()
        self._sizes: dict[Key, int] = {}
        self._total = 0

    def report(self) -> None:
        """Tell how much is at hand."""
        observer.level("cache_people", len(self._entries))
        observer.level("cache_bytes", self._total)

    def entry(self, key: Key) -> CacheEntry:
        """The entry of a person, a new one where there is none."""
        with self._lock:
            entry = self._entries.setdefault(key, CacheEntry())
            self._entries.move_to_end(key)
            return entry

    def used(self, key: Key, entry: CacheEntry) -> None:
        """Note how large an entry is, and drop the oldest ones where there are too many."""
        size = entry.bytes
        with self._lock:
            if self._entries.get(key) is not entry:
                return
            self._total += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while self._total > self._limit and len(self._entries) > 1:
                oldest, _ = self._entries.popitem(last=False)
                self._total -= self._sizes.pop(oldest, 0)

    def forget(self, people: Iterable[int]) -> None:
        """Drop the entries of people who are gone."""
        gone = set(people)
        with self._lock:
            for key, entry in list(self._entries.items()):
                if entry.person is not None and entry.person.id in gone:
                    self._drop(key)

    def forget_catalogues_but(self, catalogues: Collection[int]) -> None:
        """Drop the entries in catalogues that are gone."""
        with self._lock:
            for key in [each for each in self._entries if each[0] not in catalogues]:
                self._drop(key)

    def forget_key(self, key: Key) -> None:
        """Drop one entry."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        self._entries.pop(key, None)
        self._total -= self._sizes.pop(key, 0)

    def __len__(self) -> int:
        return len(self._entries)
