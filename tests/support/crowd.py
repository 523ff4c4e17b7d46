"""A crowd of clients who talk to the same few people and keep book, and the checks of that."""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx2 as httpx

from support.soak import Entry, Said, check_adds_up, check_log, check_said, code_of, log_of

CLIENTS = 8
LEAST_DEEDS = 20
"""Of each, however slow the machine is: among so many everybody is met."""
STAYING = ("ann", "bob", "cleo", "dan")
LEAVING = "eve"
"""Whom everyone talks to while someone deletes her."""


@dataclass
class Common:
    """What the clients know of each other."""

    end: float
    decisions: list[tuple[str, int, str, float]] = field(default_factory=list)
    """User, decision, item, and when it was told."""
    deleted: list[tuple[float, float]] = field(default_factory=list)
    """When a deletion was sent and when it was acknowledged."""
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Sent:
    """A request that was acknowledged, to be sent again."""

    user: str
    path: str
    body: Entry
    seq: int


class Member:
    """One of the crowd: does what comes to mind, and keeps book."""

    def __init__(self, base: str, number: int, common: Common) -> None:
        self.said: list[tuple[float, float, Said]] = []
        """With the times at which the request was sent and answered."""
        self.statuses: dict[int, int] = {}
        self._common = common
        self._number = number
        self._random = random.Random(number)
        self._client = httpx.Client(base_url=base, timeout=60.0)
        self._sent: list[Sent] = []

    def run(self) -> None:
        """Mostly talk; now and then something else."""
        deeds = [self.talk] * 12 + [self.reward_late, self.repeat, self.take_back, self.look] * 2
        deeds += [self.add_item, self.remove_item, self.change_manners]
        if self._number == 0:
            deeds += [self.delete, self.delete]
        with self._client:
            for done in itertools.count():
                if done > LEAST_DEEDS and time.monotonic() > self._common.end:
                    return
                self._random.choice(deeds)()

    def _call(
        self, method: str, path: str, body: Entry | None = None, *, may: tuple[str, ...] = ()
    ) -> Entry | None:
        """The answer; None where it was refused for one of the reasons that may be."""
        response = self._client.request(method, path, json=body)
        self.statuses[response.status_code] = self.statuses.get(response.status_code, 0) + 1
        if response.status_code < 300:
            return response.json() if response.content else {}
        assert code_of(response) in may, f"{method} {path} {body}: {response.text}"
        return None

    def _user(self) -> str:
        return self._random.choice([*STAYING, LEAVING])

    def _gone(self, user: str, *more: str) -> tuple[str, ...]:
        """What may be said of someone who is deleted time and again."""
        lost = ("unknown_user", "unknown_question", "unknown_decision", "unknown_event")
        return (*more, *lost) if user == LEAVING else more

    def talk(self) -> None:
        user, sent = self._user(), time.monotonic()
        event, manner = uuid4().hex, self._random.choice(["due", "due", "never"])
        body = {"k": 2, "event": event, "ask": manner}
        found = self._call("POST", f"/v1/users/{user}/next", body)
        assert found is not None
        if found["type"] == "question":
            self._note(sent, user, int(found["question"][1:]), "question", {"id": found["term"]})
            self._answer(user, found["question"])
            return
        seq = int(found["decision"][1:])
        about = {"round": found["round"]}
        self._note(sent, user, seq, "recommendation", about, event)
        self._sent.append(Sent(user, "next", body, seq))
        items = [each["item"] for each in found["items"]]
        self._common.decisions += [(user, seq, item, sent) for item in items]
        self._reward(user, seq, items[0])

    def _answer(self, user: str, question: str) -> None:
        word, value = self._random.choice([("yes", 1.0), ("no", 0.0), ("skip", None)])
        sent, asked = time.monotonic(), int(question[1:])
        body = {"question": question, "answer": word, "event": uuid4().hex}
        may = self._gone(user, "question_closed", "already_said")
        found = self._call("POST", f"/v1/users/{user}/answers", body, may=may)
        if found is None:
            self._must_be_there(user, "answer", question=asked)
            return
        about = {"question": asked, "answer": value}
        self._receipt(sent, user, "answers", body, found, "answer", about)

    def reward_late(self) -> None:
        """Something shown a while ago, perhaps by another client, perhaps rewarded before."""
        if self._common.decisions:
            user, decision, item, _ = self._random.choice(self._common.decisions[-50:])
            self._reward(user, decision, item)

    def _reward(self, user: str, decision: int, item: str) -> None:
        value, sent = self._random.choice([0.0, 0.5, 1.0]), time.monotonic()
        event = uuid4().hex
        body = {"decision": f"d{decision}", "item": item, "reward": value, "event": event}
        may = self._gone(user, "already_said", *(["item_not_shown"] if user == LEAVING else []))
        found = self._call("POST", f"/v1/users/{user}/rewards", body, may=may)
        if found is None:
            self._must_be_there(user, "reward", decision=decision, item=item)
            return
        about = {"decision": decision, "item": item, "reward": value}
        self._receipt(sent, user, "rewards", body, found, "reward", about)

    def _must_be_there(self, user: str, kind: str, **about: Any) -> None:
        """It was refused because someone said it before: then that is in the log by now."""
        if user == LEAVING:
            return
        entries = log_of(self._client, user)
        found = [
            each
            for each in entries
            if each["kind"] == kind and about.items() <= each["about"].items()
        ]
        assert found, f"{kind} {about} of {user} was refused, but nobody had given one"

    def _receipt(
        self,
        sent: float,
        user: str,
        path: str,
        body: Entry,
        found: Entry,
        kind: str,
        about: Entry,
    ) -> None:
        event = None if found["repeated"] else body["event"]
        self._note(sent, user, found["event"], kind, about, event)
        if event is not None:
            self._sent.append(Sent(user, path, body, found["event"]))

    def _note(
        self, sent: float, user: str, seq: int, kind: str, about: Entry, event: str | None = None
    ) -> None:
        self.said.append((sent, time.monotonic(), Said(user, seq, kind, about, event)))

    def repeat(self) -> None:
        """Send again what was acknowledged: it is told to be what it was."""
        staying = [each for each in self._sent[-30:] if each.user != LEAVING]
        if not staying:
            return
        sent = self._random.choice(staying)
        found = self._call("POST", f"/v1/users/{sent.user}/{sent.path}", sent.body)
        assert found is not None
        if sent.path == "next":
            assert found.get("decision") == f"d{sent.seq}", (sent, found)
        else:
            assert found == {"event": sent.seq, "repeated": True}

    def take_back(self) -> None:
        taught = [each for each in self._sent[-30:] if each.path != "next"]
        if not taught:
            return
        one, sent = self._random.choice(taught), time.monotonic()
        may = self._gone(one.user, *(["not_retractable"] if one.user == LEAVING else []))
        found = self._call("DELETE", f"/v1/users/{one.user}/events/{one.seq}", may=may)
        if found is not None:
            self._note(sent, one.user, found["event"], "retraction", {"of": one.seq})

    def look(self) -> None:
        user = self._user()
        may = self._gone(user)
        profile = self._call("GET", f"/v1/users/{user}", may=may)
        export = self._call("GET", f"/v1/users/{user}/export", may=may)
        if profile is None or export is None or not self._common.decisions:
            return
        check_log(export["conversations"][0]["events"])
        item = self._random.choice(self._common.decisions)[2]
        why = self._call(
            "GET", f"/v1/users/{user}/explain?item={quote(item)}", may=(*may, "unknown_name")
        )
        if why is not None:
            check_adds_up(why)

    def add_item(self) -> None:
        """A new item, which is shown and rewarded at once, perhaps by another worker."""
        item, user = f"item {uuid4().hex}", self._user()
        terms = (self._call("GET", "/v1/users/ann", may=("unknown_user",)) or {}).get("terms", [])
        if not terms:
            return
        tag = self._random.choice(terms)["term"]
        body = {"items": [{"id": item, "tags": [tag]}]}
        path = "/v1/catalogues/films/items"
        if self._call("POST", path, body, may=("catalogue_building", "catalogue_busy")) is None:
            return
        self._common.items.append(item)
        wanted = {"pool": [item], "ask": "never"}
        sent = time.monotonic()
        # Another worker learns of it a moment later, and someone may have removed it again.
        may = ("unknown_name", "invalid_input")
        found = self._call("POST", f"/v1/users/{user}/next", wanted, may=may)
        if found is not None:
            self._common.decisions.append((user, int(found["decision"][1:]), item, sent))
            self._reward(user, int(found["decision"][1:]), item)

    def remove_item(self) -> None:
        items = [self._random.choice(self._common.items)] if len(self._common.items) > 3 else []
        if items:
            may = ("catalogue_building", "catalogue_busy", "invalid_input", "unknown_name")
            self._call("POST", "/v1/catalogues/films/removals", {"items": items}, may=may)

    def change_manners(self) -> None:
        """Another limit or another exploration; once in a while another prior."""
        settings = self._call("GET", "/v1/catalogues/films/settings")
        assert settings is not None
        settings["max_questions"] = self._random.randint(20, 200)
        settings["agent"]["alpha"] = self._random.choice([0.1, 0.2, 0.3])
        if self._number == 1:
            settings["agent"]["base"] = self._random.choice([0.2, 0.3])
        may = ("catalogue_building", "catalogue_busy")
        self._call("PUT", "/v1/catalogues/films/settings", settings, may=may)

    def delete(self) -> None:
        sent = time.monotonic()
        if self._call("DELETE", f"/v1/users/{LEAVING}", may=("unknown_user",)) is not None:
            self._common.deleted.append((sent, time.monotonic()))


def built(client: httpx.Client) -> bool:
    """Whether no version of the catalogue waits."""
    return client.get("/v1/catalogues/films").json()["building"] is None


def check_logs(client: httpx.Client, members: list[Member], common: Common) -> None:
    """Everything told is there once, but for what was deleted."""
    said = [one for each in members for one in each.said]
    assert {one.user for _, _, one in said} == {*STAYING, LEAVING}
    for user in STAYING:
        entries = log_of(client, user)
        check_log(entries)
        check_said([one for _, _, one in said if one.user == user], entries)
    _check_leaving(client, [each for each in said if each[2].user == LEAVING], common)


def _check_leaving(
    client: httpx.Client, said: list[tuple[float, float, Said]], common: Common
) -> None:
    """Of what was told before the last deletion nothing is left, of what came after it all."""
    response = client.get(f"/v1/users/{LEAVING}/export")
    there = response.status_code == 200
    entries = response.json()["conversations"][0]["events"] if there else []
    check_log(entries)
    begun, done = common.deleted[-1] if common.deleted else (0.0, 0.0)
    check_said([one for sent, _, one in said if sent > done and one.client_id], entries)
    ids = {each["client_id"] for each in entries}
    assert not [one for _, told, one in said if told < begun and one.client_id in ids - {None}]
