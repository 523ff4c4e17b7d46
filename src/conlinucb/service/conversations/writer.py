"""One person's log at a time: read their state, decide on it, write what was decided.

A write is decided on the state at hand and put behind its last event. Where someone else was
faster, that place is taken: what they wrote is read, and the decision made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from conlinucb.errors import Damaged, InvalidInput, UnknownName
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.cache import CacheEntry, StateCache
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY, StateLoader, is_worth_keeping
from conlinucb.service.conversations.move import moved
from conlinucb.service.conversations.replies import Repeated, Submission
from conlinucb.service.conversations.seen import report
from conlinucb.service.experiments.experiments import Experiments
from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem
from conlinucb.service.storage import (
    Body,
    Event,
    Person,
    QuestionBody,
    RetractionBody,
    Storage,
    Taken,
)
from conlinucb.service.storage.events import flaw

TRIES = 50
Result = TypeVar("Result")
Said = TypeVar("Said", bound=Body)
Decide = Callable[[Conversation, Person], Event | None]
"""From a state to the event to be written, or None where the open question is repeated."""


@dataclass(frozen=True)
class Written:
    """An event in the log, and whether it had been there before."""

    event: Event
    repeated: bool
    version: CatalogueVersion


class LogWriter:
    """Reads and writes for people, one after the other for each of them, all at once otherwise."""

    def __init__(
        self,
        storage: Storage,
        catalogues: Catalogues,
        cache: StateCache,
        loader: StateLoader,
        keep: Callable[[Conversation, Person], None],
        experiments: Experiments,
    ) -> None:
        self._storage = storage
        self._catalogues = catalogues
        self._experiments = experiments
        self._cache = cache
        self._loader = loader
        self._keep = keep

    def read(
        self,
        catalogue: str,
        name: str,
        see: Callable[[Conversation, Person], Result],
        *,
        newcomers: bool = False,
        reread: bool = True,
    ) -> Result:
        """Look at a person's state as it is now; at that of newcomers, too, where asked for."""
        with self._locked_entry(catalogue, name) as (version, entry):
            state, person = self._state(version, entry, name, create=newcomers)
            if reread:
                self._reread(entry, state, person)
            return see(*self._state(version, entry, name, create=newcomers))

    def again_on_newer_version(self, catalogue: str, act: Callable[[], Result]) -> Result:
        """Do it again where a name is unknown only because another worker has just brought it."""
        before = self._catalogues.serving(catalogue).number
        try:
            return act()
        except UnknownName:
            if not self._catalogues.has_moved(catalogue, before):
                raise
            return act()

    def write(
        self,
        catalogue: str,
        name: str,
        decide: Decide,
        submission: Submission,
        *,
        create: bool = False,
    ) -> Written:
        """Decide on an event and write it; decide again where the log has gone on."""
        with self._locked_entry(catalogue, name) as (version, entry):
            for attempt in range(TRIES):
                state, person = self._state(version, entry, name, create=create)
                known = self._submitted_before if attempt else self._repeated_before
                if found := known(person, submission, version):
                    return Written(found, True, version)
                try:
                    event = _decided(decide, state, person)
                    if event is not None:
                        return Written(self._append(entry, state, person, event), False, version)
                    if self._is_latest(entry, state, person):
                        found = self._submitted_before(person, submission, version)
                        found = found or self.open_question(state, person)
                        return self._known_again(person, submission, version, found)
                except Repeated as repeated:
                    found = self._submitted_before(person, submission, version) or repeated.event
                    return self._known_again(person, submission, version, found)
                except _Stale:
                    continue
                except (Problem, InvalidInput):
                    if found := self._submitted_before(person, submission, version):
                        return Written(found, True, version)
                    if self._is_latest(entry, state, person):
                        raise
            raise Problem(503, "busy", f"Too many requests for {name!r} at once.", retry=True)

    def _submitted_before(
        self, person: Person, submission: Submission, version: CatalogueVersion
    ) -> Event | None:
        """What was written before under the client's own id."""
        if submission.client is None or not person.id:
            return None
        found = self.find_event(person, client_id=submission.client)
        if found is None:
            return self._repeated_before(person, submission, version)
        return submission.checked(found, version)

    def _repeated_before(
        self, person: Person, submission: Submission, version: CatalogueVersion
    ) -> Event | None:
        """What was acknowledged under the client's own id as said before under another."""
        if submission.client is None or not person.id:
            return None
        seq = self._storage.aliases.find(person.id, submission.client)
        found = None if seq is None else self.find_event(person, seq=seq)
        return found and submission.checked(found, version)

    def _known_again(
        self, person: Person, submission: Submission, version: CatalogueVersion, found: Event
    ) -> Written:
        """What had been there before, from now on under this id of the client, too."""
        if submission.client not in (None, found.client_id):
            self._storage.aliases.add(person.id, str(submission.client), found.seq)
        return Written(found, True, version)

    def _append(
        self, entry: CacheEntry, state: Conversation, person: Person, event: Event
    ) -> Event:
        if not person.id:
            person = self._add_person(entry, state, person)
        log = self._storage.log
        try:
            if isinstance(event.body, RetractionBody):
                written = log.retract(person.id, event, event.body.of)
            else:
                written = log.append(person.id, event)
        except Taken:
            observer.count("conflicts")
            self._reread(entry, state, person)
            raise _Stale from None
        report(written, state.version)
        self._storage.counts.add(person.catalogue, events=1)
        if written.kind == "retraction":
            entry.conversation = self._loader.rebuild(state.version, person)
        else:
            state.apply(written)
        assert entry.conversation is not None
        due = written.seq % SNAPSHOT_EVERY == 0 or written.kind == "retraction"
        if due and is_worth_keeping(entry.conversation):
            self._keep(entry.conversation, person)
        return written

    def _add_person(self, entry: CacheEntry, state: Conversation, person: Person) -> Person:
        """Know a person from their first event on."""
        entry.person = self._storage.people.add(person.catalogue, person.name, person.seed)
        if entry.person.seed != person.seed:  # someone else met them first, with another seed
            entry.conversation = None
            raise _Stale
        entry.conversation = state
        return entry.person

    def _is_latest(self, entry: CacheEntry, state: Conversation, person: Person) -> bool:
        """Whether no one else wrote anything; what they did is taken in."""
        before = state.seq
        self._reread(entry, state, person)
        return not person.id or (entry.conversation is state and state.seq == before)

    def _reread(self, entry: CacheEntry, state: Conversation, person: Person) -> None:
        """Take in what others wrote, or find that the person is gone."""
        if not person.id:
            return
        if self._storage.people.find(person.catalogue, person.name) != person:
            entry.clear()
        else:
            entry.conversation = self._loader.catch_up(state, person)

    def open_question(self, state: Conversation, person: Person) -> Event:
        """The question that waits for an answer, as it stands in the log."""
        found = self.find_event(person, seq=state.open_seq)
        if found is None or not isinstance(found.body, QuestionBody):
            # What the state rests on is not there: it is folded anew from what is.
            self._storage.snapshots.drop(person.id, state.version.basis)
            self._cache.entry((person.catalogue, person.name)).conversation = None
            raise _Stale
        return found

    def find_event(self, person: Person, **what: Any) -> Event | None:
        """An event that can be read and used, or None."""
        try:
            return self._storage.log.find(person.id, **what)
        except Damaged:
            return None

    def said_before(
        self, person: Person, subject: str, kind: type[Said]
    ) -> tuple[Event, Said] | None:
        """What was said about a subject, or None."""
        found = self._storage.log.find(person.id, subject=subject)
        if found is None:
            return None
        if not isinstance(found.body, kind):
            raise Damaged(f"Event {found.seq} is a {found.kind}, not the {subject}.")
        return found, found.body

    @contextmanager
    def _locked_entry(
        self, catalogue: str, name: str
    ) -> Iterator[tuple[CatalogueVersion, CacheEntry]]:
        version = self._catalogues.serving(catalogue)
        key = (version.id, name)
        entry = self._cache.entry(key)
        with entry.lock:
            observer.count("cache_lookups", result="hit" if entry.conversation else "miss")
            try:
                # Again: who waited here would set a state back that has moved on meanwhile.
                latest = self._catalogues.serving(catalogue)
                found = latest if latest.id == version.id else version
                yield self._experiments.for_person(found, name), entry
            except (Problem, InvalidInput):
                raise  # refused before anything was changed
            except BaseException:
                entry.clear()  # what is at hand may be half of something
                raise
            finally:
                if entry.person is None:  # no one of that name: nothing to keep an entry for
                    self._cache.forget_key(key)
                else:
                    self._cache.used(key, entry)

    def _state(
        self, version: CatalogueVersion, entry: CacheEntry, name: str, *, create: bool = False
    ) -> tuple[Conversation, Person]:
        """The state at hand, for the version that is served."""
        person = entry.person or self._storage.people.find(version.id, name)
        if person is None:
            if not create:
                raise unknown_person(name)
            nobody = Person(0, version.id, name, seed_of(name))  # known once there is an event
            return Conversation.new(version, nobody.seed), nobody
        entry.person = person
        state = entry.conversation
        if state is None or not state.fits(version):
            state = (state and moved(state, version)) or self._loader.load(version, person)
        entry.conversation = state.on(version)
        return state, person


def _decided(decide: Decide, state: Conversation, person: Person) -> Event | None:
    """The decision, if it can be read again once it is written."""
    try:
        return decide(state, person)
    except ValidationError as error:
        raise Damaged(
            f"What was decided for {person.name!r} cannot be kept: {flaw(error)}."
        ) from None


class _Stale(Exception):
    """The log has gone on: decide again."""


def seed_of(name: str) -> int:
    """A person's seed where none is given: from the name, so that it can be had again."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def unknown_person(name: str) -> Problem:
    """The refusal of a name that no one has."""
    return Problem(404, "unknown_user", f"No one is called {name!r} here.")
