"""The use cases: everything that can be asked of the service about a person.

A write is decided on the state at hand and put behind its last event. Where someone else was
faster, that place is taken: what they wrote is read, and the decision made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from conlinucb.errors import Damaged, InvalidInput, UnknownName
from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.cache import CacheEntry, StateCache
from conlinucb.service.conversations.decide import NextRequest, next_event
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import SNAPSHOT_EVERY, StateLoader
from conlinucb.service.conversations.replies import (
    Repeated,
    Submission,
    event_number,
    repeated_or_refused,
    value_of,
)
from conlinucb.service.problems import Problem
from conlinucb.service.storage import Broken, Event, Person, Storage, Taken
from conlinucb.service.storage.events import flaw, sound

TRIES = 50
Result = TypeVar("Result")


@dataclass(frozen=True)
class Written:
    """An event in the log, and whether it had been there before."""

    event: Event
    repeated: bool
    version: CatalogueVersion


class UseCases:
    """Serves people, one request after the other for each of them, all at once otherwise."""

    def __init__(
        self,
        storage: Storage,
        catalogues: Catalogues,
        cache: StateCache,
        loader: StateLoader,
        keep: Callable[[Conversation, Person], None],
    ) -> None:
        self.storage = storage
        self.catalogues = catalogues
        self.cache = cache
        self.loader = loader
        self._keep = keep

    def meet(self, catalogue: str, name: str, seed: int | None) -> Person:
        """Know a person from now on."""
        own = _seed(name) if seed is None else seed
        person = self._again_on_newer_version(
            catalogue,
            lambda: self.storage.people.add(self.catalogues.serving(catalogue).id, name, own),
        )
        if seed is not None and person.seed != seed:
            raise Problem(
                409,
                "seed_differs",
                f"{name!r} has the seed {person.seed}, which stays; got {seed}.",
            )
        return person

    def next(self, catalogue: str, name: str, request: NextRequest) -> Written:
        """A question or a recommendation."""

        def decide(state: Conversation, person: Person) -> Event | None:
            return next_event(state, request)

        submission = Submission(request.event, ("question", "recommendation"))
        return self._again_on_newer_version(
            catalogue, lambda: self._write(catalogue, name, decide, submission, create=True)
        )

    def answer(
        self, catalogue: str, name: str, question: str, answer: str | float, client: str | None
    ) -> Written:
        """Take in the answer to the open question."""
        asked = event_number(question, "q", "question")

        def decide(state: Conversation, person: Person) -> Event | None:
            value = value_of(answer, state.version, "answer")
            subject = f"answer {asked}"
            about = self._open_question(state, person, asked)
            if about is None:
                found = self._said(person, subject)
                if found is not None:
                    return repeated_or_refused(found, "answer", value, question)
                raise self._closed(state, person, asked)
            body = {"question": asked, **about, "answer": value}
            return Event(state.seq + 1, "answer", body, client, subject)

        def content(version: CatalogueVersion) -> dict[str, object]:
            return {"question": asked, "answer": value_of(answer, version, "answer")}

        return self._write(catalogue, name, decide, Submission(client, ("answer",), content))

    def _open_question(
        self, state: Conversation, person: Person, asked: int
    ) -> dict[str, str] | None:
        """What the open question is about, None where it is not this one."""
        if not asked or state.open_seq != asked:
            return None
        open_ = state.user.open
        if open_ is None:  # about something that this version of the catalogue does not have
            body = self._open(state, person).body
            return {"about": body["about"], "id": body["id"]}
        catalog = state.version.catalog
        ids = catalog.term_ids if open_.kind == "term" else catalog.arm_ids
        return {"about": open_.kind, "id": str(ids[open_.index])}

    def _closed(self, state: Conversation, person: Person, asked: int) -> Problem:
        found = self._event(person, seq=asked)
        if found is None or found.kind != "question":
            return Problem(404, "unknown_question", f"q{asked} was never asked of {person.name!r}.")
        now = f"q{state.open_seq}" if state.open_seq else "none"
        return Problem(409, "question_closed", f"q{asked} is no longer open; open now: {now}.")

    def reward(
        self, catalogue: str, name: str, decision: str, item: str, reward: float, client: str | None
    ) -> Written:
        """Take in how a recommended item was liked."""
        shown = event_number(decision, "d", "decision")

        def decide(state: Conversation, person: Person) -> Event | None:
            value = value_of(reward, state.version, "reward")
            subject = f"reward {shown} {item}"
            self._check_shown(state, person, shown, item)
            found = self._said(person, subject) if state.seq > shown else None
            if found is not None:
                return repeated_or_refused(found, "reward", value, f"{item!r} in {decision}")
            body = {"decision": shown, "item": item, "reward": value}
            return Event(state.seq + 1, "reward", body, client, subject)

        def content(version: CatalogueVersion) -> dict[str, object]:
            return {"decision": shown, "item": item, "reward": value_of(reward, version, "reward")}

        return self._write(catalogue, name, decide, Submission(client, ("reward",), content))

    def _check_shown(self, state: Conversation, person: Person, shown: int, item: str) -> None:
        items = state.decisions.get(shown)
        if items is None:
            found = self._event(person, seq=shown)
            if found is None or found.kind != "recommendation":
                raise Problem(
                    404,
                    "unknown_decision",
                    f"d{shown} is no recommendation made to {person.name!r}.",
                )
            items = tuple(each["item"] for each in found.body["items"])
        if item not in items:
            raise Problem(
                422, "item_not_shown", f"d{shown} did not show {item!r}; it showed {list(items)}."
            )

    def _said(self, person: Person, subject: str) -> Event | None:
        found = self.storage.log.find(person.id, subject=subject)
        if found is not None and isinstance(sound(found), Broken):
            raise Damaged(f"Event {found.seq} cannot be read.")
        return found

    def retract(self, catalogue: str, name: str, seq: int) -> Written:
        """Take back an answer or a reward: as if it had never been given."""

        def decide(state: Conversation, person: Person) -> Event | None:
            target = self._event(person, seq=seq)
            if target is None:
                raise Problem(404, "unknown_event", f"{name!r} has no event {seq}.")
            if target.kind not in ("answer", "reward"):
                raise Problem(
                    409,
                    "not_retractable",
                    f"Event {seq} is a {target.kind}; answers and rewards can be taken back.",
                )
            found = self._said(person, f"retraction {seq}")
            if found is not None:
                raise Repeated(found)
            return Event(state.seq + 1, "retraction", {"of": seq}, None, f"retraction {seq}")

        return self._write(catalogue, name, decide, Submission(None, ("retraction",)))

    def forget(self, name: str, catalogue: str | None) -> int:
        """Delete a person from log, snapshots and caches; how many conversations that were."""
        people = self.everywhere(name, catalogue)
        for person in people:
            self.storage.people.delete(person.id)
            self.cache.forget_key((person.catalogue, name))
        return len(people)

    def everywhere(self, name: str, catalogue: str | None) -> list[Person]:
        """A person in every catalogue, or in one."""
        people = self.storage.people.everywhere(name)
        if catalogue is not None:
            wanted = self.catalogues.serving(catalogue).id
            people = [each for each in people if each.catalogue == wanted]
        if not people:
            raise _unknown(name)
        return people

    def look(
        self,
        catalogue: str,
        name: str,
        see: Callable[[Conversation, Person], Result],
        *,
        newcomers: bool = False,
    ) -> Result:
        """Look at a person's state as it is now; at that of newcomers, too, where asked for."""

        def look() -> Result:
            with self._locked_entry(catalogue, name) as (version, entry):
                state, person = self._state(version, entry, name, create=newcomers)
                self._reread(entry, state, person)
                return see(*self._state(version, entry, name, create=newcomers))

        return self._again_on_newer_version(catalogue, look)

    def _again_on_newer_version(self, catalogue: str, act: Callable[[], Result]) -> Result:
        """Do it again where a name is unknown only because another worker has just brought it."""
        before = self.catalogues.serving(catalogue).number
        try:
            return act()
        except UnknownName:
            if not self.catalogues.has_moved(catalogue, before):
                raise
            return act()

    def history(self, state: Conversation, person: Person) -> list[Event | Broken]:
        """The events that a state is made of, whatever others have written since."""
        rows = [row for row in self.loader.rows(person) if row.seq <= state.seq]
        if state.seq and not rows:  # deleted meanwhile
            raise _unknown(person.name)
        return rows

    def _write(
        self,
        catalogue: str,
        name: str,
        decide: Callable[[Conversation, Person], Event | None],
        submission: Submission,
        *,
        create: bool = False,
    ) -> Written:
        """Decide on an event and write it; decide again where the log has gone on."""
        with self._locked_entry(catalogue, name) as (version, entry):
            for attempt in range(TRIES):
                state, person = self._state(version, entry, name, create=create)
                if attempt and (found := self._submitted_before(person, submission, version)):
                    return Written(found, True, version)
                try:
                    event = decide(state, person)
                    if event is not None:
                        return Written(self._append(entry, state, person, event), False, version)
                    if self._is_latest(entry, state, person):
                        found = self._submitted_before(person, submission, version)
                        return Written(found or self._open(state, person), True, version)
                except Repeated as repeated:
                    found = self._submitted_before(person, submission, version)
                    return Written(found or repeated.event, True, version)
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
        found = self._event(person, client_id=submission.client)
        return found and submission.checked(found, version)

    def _append(
        self, entry: CacheEntry, state: Conversation, person: Person, event: Event
    ) -> Event:
        wrong = flaw(event.kind, event.body)
        if wrong is not None:  # nothing is written that could not be read again
            raise Damaged(f"What was decided for {person.name!r} cannot be kept: {wrong}.")
        if not person.id:
            person = self._add_person(entry, state, person)
        log = self.storage.log
        try:
            if event.kind == "retraction":
                written = log.retract(person.id, event, event.body["of"])
            else:
                written = log.append(person.id, event)
        except Taken:
            self._reread(entry, state, person)
            raise _Stale from None
        if written.kind == "retraction":
            entry.conversation = self.loader.rebuild(state.version, person)
        else:
            state.apply(written)
        if written.seq % SNAPSHOT_EVERY == 0 or written.kind == "retraction":
            assert entry.conversation is not None
            self._keep(entry.conversation, person)
        return written

    def _add_person(self, entry: CacheEntry, state: Conversation, person: Person) -> Person:
        """Know a person from their first event on."""
        entry.person = self.storage.people.add(person.catalogue, person.name, person.seed)
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
        if self.storage.people.find(person.catalogue, person.name) != person:
            entry.clear()
        else:
            entry.conversation = self.loader.catch_up(state, person)

    def _open(self, state: Conversation, person: Person) -> Event:
        found = self._event(person, seq=state.open_seq)
        if found is None or found.kind != "question":
            # What the state rests on is not there: it is folded anew from what is.
            self.storage.snapshots.drop(person.id, state.version.basis)
            self.cache.entry((person.catalogue, person.name)).conversation = None
            raise _Stale
        return found

    def _event(self, person: Person, **what: Any) -> Event | None:
        """An event that can be read and used, or None."""
        try:
            found = self.storage.log.find(person.id, **what)
        except Damaged:
            return None
        row = None if found is None else sound(found)
        return row if isinstance(row, Event) else None

    @contextmanager
    def _locked_entry(
        self, catalogue: str, name: str
    ) -> Iterator[tuple[CatalogueVersion, CacheEntry]]:
        version = self.catalogues.serving(catalogue)
        key = (version.id, name)
        entry = self.cache.entry(key)
        with entry.lock:
            try:
                yield version, entry
            except (Problem, InvalidInput):
                raise  # refused before anything was changed
            except BaseException:
                entry.clear()  # what is at hand may be half of something
                raise
            finally:
                if entry.person is None:  # no one of that name: nothing to keep an entry for
                    self.cache.forget_key(key)
                else:
                    self.cache.used(key, entry)

    def _state(
        self, version: CatalogueVersion, entry: CacheEntry, name: str, *, create: bool = False
    ) -> tuple[Conversation, Person]:
        """The state at hand, for the version that is served."""
        person = entry.person or self.storage.people.find(version.id, name)
        if person is None:
            if not create:
                raise _unknown(name)
            nobody = Person(0, version.id, name, _seed(name))  # known once there is an event
            return Conversation.new(version, nobody.seed), nobody
        entry.person = person
        state = entry.conversation
        if state is None or not state.fits(version):
            state = self.loader.load(version, person)
        entry.conversation = state.on(version)
        return state, person


class _Stale(Exception):
    """The log has gone on: decide again."""


def _seed(name: str) -> int:
    """A person's seed where none is given: from the name, so that it can be had again."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def _unknown(name: str) -> Problem:
    return Problem(404, "unknown_user", f"No one is called {name!r} here.")
