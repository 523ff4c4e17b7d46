"""The use cases: everything that can be asked of the service about a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest, next_event
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.replies import (
    Repeated,
    Submission,
    event_number,
    repeated_or_refused,
    value_of,
)
from conlinucb.service.conversations.writer import LogWriter, Written, seed_of, unknown_person
from conlinucb.service.problems import Problem
from conlinucb.service.storage import Broken, Event, Person, Storage

Result = TypeVar("Result")


class UseCases:
    """What people and those who serve them can do."""

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
        self.loader = loader
        self._cache = cache
        self._writer = LogWriter(storage, catalogues, cache, loader, keep)

    def meet(self, catalogue: str, name: str, seed: int | None) -> Person:
        """Know a person from now on."""
        own = seed_of(name) if seed is None else seed
        person = self._writer.again_on_newer_version(
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
        return self._writer.again_on_newer_version(
            catalogue, lambda: self._writer.write(catalogue, name, decide, submission, create=True)
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
                found = self._writer.said_before(person, subject)
                if found is not None:
                    return repeated_or_refused(found, "answer", value, question)
                raise self._closed(state, person, asked)
            body = {"question": asked, **about, "answer": value}
            return Event(state.seq + 1, "answer", body, client, subject)

        def content(version: CatalogueVersion) -> dict[str, object]:
            return {"question": asked, "answer": value_of(answer, version, "answer")}

        return self._writer.write(catalogue, name, decide, Submission(client, ("answer",), content))

    def _open_question(
        self, state: Conversation, person: Person, asked: int
    ) -> dict[str, str] | None:
        """What the open question is about, None where it is not this one."""
        if not asked or state.open_seq != asked:
            return None
        open_ = state.user.open
        if open_ is None:  # about something that this version of the catalogue does not have
            body = self._writer.open_question(state, person).body
            return {"about": body["about"], "id": body["id"]}
        catalog = state.version.catalog
        ids = catalog.term_ids if open_.kind == "term" else catalog.arm_ids
        return {"about": open_.kind, "id": str(ids[open_.index])}

    def _closed(self, state: Conversation, person: Person, asked: int) -> Problem:
        found = self._writer.find_event(person, seq=asked)
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
            found = self._writer.said_before(person, subject) if state.seq > shown else None
            if found is not None:
                return repeated_or_refused(found, "reward", value, f"{item!r} in {decision}")
            body = {"decision": shown, "item": item, "reward": value}
            return Event(state.seq + 1, "reward", body, client, subject)

        def content(version: CatalogueVersion) -> dict[str, object]:
            return {"decision": shown, "item": item, "reward": value_of(reward, version, "reward")}

        return self._writer.write(catalogue, name, decide, Submission(client, ("reward",), content))

    def _check_shown(self, state: Conversation, person: Person, shown: int, item: str) -> None:
        items = state.decisions.get(shown)
        if items is None:
            found = self._writer.find_event(person, seq=shown)
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

    def retract(self, catalogue: str, name: str, seq: int) -> Written:
        """Take back an answer or a reward: as if it had never been given."""

        def decide(state: Conversation, person: Person) -> Event | None:
            target = self._writer.find_event(person, seq=seq)
            if target is None:
                raise Problem(404, "unknown_event", f"{name!r} has no event {seq}.")
            if target.kind not in ("answer", "reward"):
                raise Problem(
                    409,
                    "not_retractable",
                    f"Event {seq} is a {target.kind}; answers and rewards can be taken back.",
                )
            found = self._writer.said_before(person, f"retraction {seq}")
            if found is not None:
                raise Repeated(found)
            return Event(state.seq + 1, "retraction", {"of": seq}, None, f"retraction {seq}")

        return self._writer.write(catalogue, name, decide, Submission(None, ("retraction",)))

    def forget(self, name: str, catalogue: str | None) -> int:
        """Delete a person from log, snapshots and caches; how many conversations that were."""
        people = self.everywhere(name, catalogue)
        for person in people:
            self.storage.people.delete(person.id)
            self._cache.forget_key((person.catalogue, name))
        return len(people)

    def everywhere(self, name: str, catalogue: str | None) -> list[Person]:
        """A person in every catalogue, or in one."""
        people = self.storage.people.everywhere(name)
        if catalogue is not None:
            wanted = self.catalogues.serving(catalogue).id
            people = [each for each in people if each.catalogue == wanted]
        if not people:
            raise unknown_person(name)
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
        return self._writer.again_on_newer_version(
            catalogue, lambda: self._writer.read(catalogue, name, see, newcomers=newcomers)
        )

    def history(self, state: Conversation, person: Person) -> list[Event | Broken]:
        """The events that a state is made of, whatever others have written since."""
        rows = [row for row in self.loader.rows(person) if row.seq <= state.seq]
        if state.seq and not rows:  # deleted meanwhile
            raise unknown_person(person.name)
        return rows
