"""One person's conversation with a service, and the agents that it is led with."""

from __future__ import annotations

import time
from typing import Any, TypeVar, cast

from fastapi import FastAPI
from fastapi.testclient import TestClient

from conlinucb.service.conversations.fold import Conversation
from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.storage import Body, Event, Person, Snapshot

Said = TypeVar("Said", bound=Body)
SCHEDULE = {"name": "linear", "b": 1}
RECIPES: dict[str, dict[str, Any]] = {
    "linucb": {"recipe": "linucb", "beta": 0.4, "alpha": 0.3},
    "arm_con": {"recipe": "arm_con", "beta": 0.4, "alpha": 0.3, "schedule": SCHEDULE},
    "conucb": {"recipe": "conucb", "mix": 0.35, "term_beta": 0.6, "schedule": SCHEDULE},
    "conlinucb": {"recipe": "conlinucb", "beta": 0.4, "schedule": SCHEDULE},
}
SAID = (0.9, "skip", 0.1, "yes", 0.6, "no", 0.35)
"""Answers, again and again in this order."""


class Talk:
    """One person's conversation with one service."""

    def __init__(self, client: TestClient, catalogue: str, name: str = "ann") -> None:
        self.client, self.catalogue, self.name = client, catalogue, name

    def send(self, method: str, what: str, body: Any = None, **params: Any) -> Any:
        params["catalogue"] = self.catalogue
        path = f"/v1/users/{self.name}{what}"
        return self.client.request(method, path, json=body, params=params)

    def got(self, method: str, what: str, body: Any = None, **params: Any) -> dict[str, Any]:
        response = self.send(method, what, body, **params)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def next(self, **body: Any) -> dict[str, Any]:
        return self.got("POST", "/next", body)

    def answer(self, **said: Any) -> dict[str, Any]:
        return self.got("POST", "/answers", said)

    def reward(self, **said: Any) -> dict[str, Any]:
        return self.got("POST", "/rewards", said)

    def retract(self, event: int) -> dict[str, Any]:
        return self.got("DELETE", f"/events/{event}")

    def explain(self, item: str) -> dict[str, Any]:
        return self.got("GET", "/explain", item=item)

    def go_on(self, events: int) -> dict[str, list[int]]:
        """Talk until there are at least so many events; what happened, by kind."""
        last = 0
        while last < events:
            came = self.next()
            if came["type"] == "question":
                answer = SAID[last % len(SAID)]
                last = self.answer(question=came["question"], answer=answer)["event"]
            else:
                said = {"item": came["items"][0]["item"], "reward": (last % 11) / 10}
                last = self.reward(decision=came["decision"], **said)["event"]
        return by_kind(self.log())

    # Behind the scenes

    @property
    def use_cases(self) -> UseCases:
        found: UseCases = cast(FastAPI, self.client.app).state.use_cases
        return found

    @property
    def person(self) -> Person:
        version = self.use_cases.catalogues.serving(self.catalogue)
        found = self.use_cases.storage.people.find(version.id, self.name)
        assert found is not None
        return found

    def log(self) -> list[Event]:
        rows = self.use_cases.storage.log.after(self.person.id)
        return [row for row in rows if isinstance(row, Event)]

    def bodies(self, kind: type[Said]) -> list[Said]:
        """What all events of one kind say."""
        return [each.body for each in self.log() if isinstance(each.body, kind)]

    def state(self) -> Conversation:
        return self.use_cases.look(self.catalogue, self.name, lambda state, person: state)

    def kept_state(self) -> Snapshot | None:
        basis = self.use_cases.catalogues.serving(self.catalogue).basis
        return self.use_cases.storage.snapshots.load(self.person.id, basis)

    def wait_for_snapshot(self, seq: int) -> None:
        """Until a state is kept that has this event in it."""
        deadline = time.monotonic() + 60.0
        while (found := self.kept_state()) is None or found.seq < seq:
            assert time.monotonic() < deadline, found
            time.sleep(0.02)


def by_kind(events: list[Event]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for each in events:
        found.setdefault(each.kind, []).append(each.seq)
    return found


def arrays(state: Conversation) -> dict[str, Any]:
    """A state without its place in the log; which question is open is in "open"."""
    found = state.snapshot().arrays
    said = {name: found[name][:, :2] for name in ("said_of_terms", "said_of_items")}
    return found | {"place": found["place"][1:]} | said
