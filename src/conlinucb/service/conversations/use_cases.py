"""The use cases: everything that can be asked of the service about a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.cache import StateCache
from conlinucb.service.conversations.decide import NextRequest, asked_about, next_event
from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.loader import StateLoader
from conlinucb.service.conversations.replies import (
    Compared,
    Given,
    Repeated,
    Submission,
    answer_fields,
    event_number,
    in_range,
    repeated_or_refused,
    said_as,
    said_now,
    same_answer,
    volunteered_value,
)
from conlinucb.service.conversations.shadows import Shadows
from conlinucb.service.conversations.writer import LogWriter, Written, seed_of, unknown_person
from conlinucb.service.experiments.experiments import Experiments
from conlinucb.service.problems import Problem
from conlinucb.service.storage import (
    AnswerBody,
    Event,
    Person,
    QuestionBody,
    RecommendationBody,
    RetractionBody,
    RewardBody,
    Storage,
)

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
        self.experiments = Experiments(storage, catalogues)
        self._writer = LogWriter(storage, catalogues, cache, loader, keep, self.experiments)

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
            watching = self.experiments.shadows(state.version)
            return next_event(state, request, Shadows(self.loader, watching, state, person))

        submission = Submission(request.event, (QuestionBody, RecommendationBody))
        return self._writer.again_on_newer_version(
            catalogue, lambda: self._writer.write(catalogue, name, decide, submission, create=True)
        )

    def answer(
        self, catalogue: str, name: str, question: str, answer: Given, client: str | None
    ) -> Written:
        """Take in the answer to the open question."""
        asked = event_number(question, "q", "question")

        def decide(state: Conversation, person: Person) -> Event | None:
            if isinstance(answer, float | int):
                in_range(answer, state.version, "answer")
            subject = f"answer {asked}"
            about = self._open_question(state, person, asked)
            if about is None:
                before = self._writer.said_before(person, subject, AnswerBody)
                if before is not None:
                    event, said = before
                    repeated_or_refused(event, said_now(answer, said, state.version), question)
                raise self._closed(state, person, asked)
            told = answer_fields(answer, about, state.version)
            body = AnswerBody(question=asked, **about, **told)
            return Event(state.seq + 1, body, client, subject)

        def compare(said: AnswerBody, version: CatalogueVersion) -> list[Compared]:
            return [("question", said.question, asked), same_answer(answer, said, version)]

        submission = Submission(client, (AnswerBody,), compare)
        return self._writer.write(catalogue, name, decide, submission)

    def _open_question(
        self, state: Conversation, person: Person, asked: int
    ) -> dict[str, Any] | None:
        """What the open question is about, None where it is not this one."""
        if not asked or state.open_seq != asked:
            return None
        if state.user.open is not None:
            return asked_about(state, state.user.open)
        # About something that this version of the catalogue does not have.
        body = self._writer.open_question(state, person).body
        return body.model_dump(include={"about", "id", "ids", "pick"}, exclude_unset=True)

    def _closed(self, state: Conversation, person: Person, asked: int) -> Problem:
        found = self._writer.find_event(person, seq=asked)
        if found is None or not isinstance(found.body, QuestionBody):
            return Problem(404, "unknown_question", f"q{asked} was never asked of {person.name!r}.")
        now = f"q{state.open_seq}" if state.open_seq else "none"
        return Problem(409, "question_closed", f"q{asked} is no longer open; open now: {now}.")

    def volunteer(
        self, catalogue: str, name: str, topic: str, answer: str | float, client: str | None
    ) -> Written:
        """Take in what someone says about a key-term that nobody asked about."""

        def decide(state: Conversation, person: Person) -> Event | None:
            value = volunteered_value(answer, state.version)
            state.version.catalog.term_index(topic)
            subject = f"topic {topic}"
            before = self._writer.said_before(person, subject, AnswerBody)
            if before is not None:
                event, said = before
                repeated_or_refused(event, ("answer", said.answer, value), repr(topic))
            body = AnswerBody(about="term", id=topic, answer=value, **said_as(answer))
            return Event(state.seq + 1, body, client, subject)

        def compare(said: AnswerBody, version: CatalogueVersion) -> list[Compared]:
            return [
                ("question", said.question, None),
                ("topic", said.id, topic),
                same_answer(answer, said, version),
            ]

        submission = Submission(client, (AnswerBody,), compare)
        return self._writer.again_on_newer_version(
            catalogue, lambda: self._writer.write(catalogue, name, decide, submission, create=True)
        )

    def reward(
        self,
        catalogue: str,
        name: str,
        decision: str | None,
        item: str,
        reward: float,
        client: str | None,
    ) -> Written:
        """Take in how an item was liked: one of a recommendation, or any where none is named."""
        shown = None if decision is None else event_number(decision, "d", "decision")

        def decide(state: Conversation, person: Person) -> Event | None:
            value = in_range(reward, state.version, "reward")
            if shown is None:
                state.version.catalog.arm_index(item)
            else:
                self._check_shown(state, person, shown, item)
            subject = f"item {item}" if shown is None else f"reward {shown} {item}"
            if state.seq > (shown or 0):
                before = self._writer.said_before(person, subject, RewardBody)
                if before is not None:
                    event, said = before
                    where = repr(item) if decision is None else f"{item!r} in {decision}"
                    repeated_or_refused(event, ("reward", said.reward, value), where)
            body = _reward_body(shown, item, value)
            return Event(state.seq + 1, body, client, subject)

        def compare(said: RewardBody, version: CatalogueVersion) -> list[Compared]:
            return [
                ("decision", said.decision, shown),
                ("item", said.item, item),
                ("reward", said.reward, float(reward)),
            ]

        submission = Submission(client, (RewardBody,), compare)
        return self._writer.again_on_newer_version(
            catalogue,
            lambda: self._writer.write(
                catalogue, name, decide, submission, create=decision is None
            ),
        )

    def _check_shown(self, state: Conversation, person: Person, shown: int, item: str) -> None:
        items = state.decisions.get(shown)
        if items is None:
            found = self._writer.find_event(person, seq=shown)
            if found is None or not isinstance(found.body, RecommendationBody):
                raise Problem(
                    404,
                    "unknown_decision",
                    f"d{shown} is no recommendation made to {person.name!r}.",
                )
            items = tuple(each.item for each in found.body.items)
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
            if not isinstance(target.body, AnswerBody | RewardBody):
                raise Problem(
                    409,
                    "not_retractable",
                    f"Event {seq} is a {target.kind}; answers and rewards can be taken back.",
                )
            subject = f"retraction {seq}"
            before = self._writer.said_before(person, subject, RetractionBody)
            if before is not None:
                raise Repeated(before[0])
            return Event(state.seq + 1, RetractionBody(of=seq), None, subject)

        return self._writer.write(catalogue, name, decide, Submission(None, (RetractionBody,)))

    def forget(self, name: str, catalogue: str | None) -> bool:
        """Delete a person from log, snapshots and caches; whether from every file, too."""
        people = self.everywhere(name, catalogue)
        removed = self.storage.people.remove([each.id for each in people])
        for person in people:
            self._cache.forget_key((person.catalogue, name))
        return self.storage.erasure.settle(removed)

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
        reread: bool = True,
    ) -> Result:
        """Look at a person's state as it is now; at that of newcomers, too, where asked for.

        Without ``reread`` it may lack what others have written since this process last looked:
        enough for who has just written something here.
        """
        return self._writer.again_on_newer_version(
            catalogue,
            lambda: self._writer.read(catalogue, name, see, newcomers=newcomers, reread=reread),
        )

    def find_event(self, person: Person, seq: int) -> Event | None:
        """An event that can be read, or None."""
        return self._writer.find_event(person, seq=seq)


def _reward_body(shown: int | None, item: str, value: float) -> RewardBody:
    """Without a decision where there is none: the log holds what was said, no more."""
    if shown is None:
        return RewardBody(item=item, reward=value)
    return RewardBody(decision=shown, item=item, reward=value)
