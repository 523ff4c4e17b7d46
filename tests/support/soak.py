"""How long the long tests are, and what they share: clients that keep book, and the checks."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

import httpx2 as httpx
import numpy as np

from conlinucb.service.catalogues.registry import Catalogues
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.fold import fold
from conlinucb.service.storage import Storage
from support.service_world import Server

SOAK = bool(os.environ.get("CONLINUCB_SOAK"))
TIMEOUT = 120.0
"""Seconds after which something that should happen by itself counts as not happening."""
CLOSE = 1e-9
Entry = dict[str, Any]
Size = TypeVar("Size")


def sizes(short: Size, long: Size) -> Size:
    """The size for ``make test``, or the one for ``make soak``."""
    return long if SOAK else short


def wait_for(happened: Callable[[], object], what: str, within: float = TIMEOUT) -> None:
    """Return once it has happened; fail where it does not."""
    deadline = time.monotonic() + within
    while not happened():
        assert time.monotonic() < deadline, f"in {within:g} s this did not happen: {what}"
        time.sleep(0.05)


def code_of(response: httpx.Response) -> str:
    """The code of an error, which must be in the one shape that errors have."""
    body = response.json()
    assert set(body) == {"error"}, body
    assert set(body["error"]) == {"code", "message"}, body
    assert body["error"]["message"]
    return str(body["error"]["code"])


@dataclass(frozen=True)
class Said:
    """What a client was told is in the log."""

    user: str
    seq: int
    kind: str
    about: Entry
    client_id: str | None
    """None where it had been written before, perhaps by someone else."""


class Drained(Server):
    """A server whose log is read all the time: a pipe that is full would bring it to a halt."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **options)
        self.written: list[str] = []
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            self.written += lines

    def kill(self) -> None:
        """kill -9 of the parent and all workers."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._reader.join(timeout=TIMEOUT)

    def stop(self) -> str:
        """Ask it to stop, and return what it wrote."""
        self.process.terminate()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self._reader.join(timeout=TIMEOUT)
        return "".join(self.written)


@contextmanager
def drained(url: str, **options: Any) -> Iterator[Drained]:
    """A server that is ready, and stopped in the end."""
    server = Drained(url, **options)
    try:
        server.wait()
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


class Talker:
    """A client that leads whole conversations, tries again until it is told, and keeps book."""

    def __init__(self, base: str, number: int, shared: str) -> None:
        self.own, self.shared = f"talker-{number}", shared
        self.said: list[Said] = []
        self.sent: list[str] = []
        """Ids of everything told of the talker's own person, in order."""
        self.interrupted = 0
        """Requests whose answer never came, so that nobody knows what became of them."""
        self._client = httpx.Client(base_url=base, timeout=60.0)
        self._random = random.Random(number)
        self._stop = threading.Event()

    def run(self) -> None:
        """Talk until asked to stop."""
        with self._client:
            while not self._stop.is_set():
                self._converse(self._random.choice([self.own, self.own, self.shared]))

    def stop(self) -> None:
        self._stop.set()

    def _converse(self, user: str) -> None:
        event = self._id(user)
        found = self._tell("POST", user, "next", {"k": 2, "event": event}).json()
        if found["type"] == "question":
            self._note(user, int(found["question"][1:]), "question", {"id": found["term"]}, event)
            self._answer(user, found["question"])
            return
        items = [each["item"] for each in found["items"]]
        seq = int(found["decision"][1:])
        self._note(user, seq, "recommendation", {"round": found["round"]}, event)
        for item in items:
            self._reward(user, seq, item)

    def _answer(self, user: str, question: str) -> None:
        word, value = self._random.choice([("yes", 1.0), ("no", 0.0), ("skip", None), (0.25, 0.25)])
        body = {"question": question, "answer": word, "event": self._id(user)}
        response = self._tell("POST", user, "answers", body)
        if response.status_code == 409 and user == self.shared:
            return  # someone else was faster
        about = {"question": int(question[1:]), "answer": value}
        self._receipt(user, "answers", body, response, "answer", about)

    def _reward(self, user: str, decision: int, item: str) -> None:
        value = round(self._random.random(), 3)
        event = self._id(user)
        body = {"decision": f"d{decision}", "item": item, "reward": value, "event": event}
        response = self._tell("POST", user, "rewards", body)
        about = {"decision": decision, "item": item, "reward": value}
        seq = self._receipt(user, "rewards", body, response, "reward", about)
        if self._random.random() < 0.2:
            taken = self._tell("DELETE", user, f"events/{seq}", None)
            assert taken.status_code == 200, taken.text
            self.said.append(Said(user, taken.json()["event"], "retraction", {"of": seq}, None))

    def _receipt(
        self,
        user: str,
        path: str,
        body: Entry,
        response: httpx.Response,
        kind: str,
        about: Entry,
    ) -> int:
        assert response.status_code == 200, response.text
        seq = int(response.json()["event"])
        self._note(user, seq, kind, about, body["event"], repeated=response.json()["repeated"])
        if self._random.random() < 0.3:
            again = self._tell("POST", user, path, body)
            assert again.json() == {"event": seq, "repeated": True}, again.text
        return seq

    def _note(
        self, user: str, seq: int, kind: str, about: Entry, event: str, *, repeated: bool = False
    ) -> None:
        """Keep book; of a shared person's questions others may be the author."""
        other = user == self.shared and (repeated or kind == "question")
        self.said.append(Said(user, seq, kind, about, None if other else event))
        if user == self.own:
            self.sent.append(event)

    def _id(self, user: str) -> str:
        return f"{user}-{uuid4().hex}"

    def _tell(self, method: str, user: str, path: str, body: Entry | None) -> httpx.Response:
        """Send until there is an answer: again where it was lost, or is to come later."""
        deadline = time.monotonic() + TIMEOUT
        said = "nothing"
        while time.monotonic() < deadline:
            try:
                response = self._client.request(method, f"/v1/users/{user}/{path}", json=body)
                if response.status_code != 503:
                    assert response.status_code < 500, response.text
                    return response
                said = f"{code_of(response)}, again after {response.headers['retry-after']}"
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                said = repr(error)
            except httpx.TransportError as error:
                said = repr(error)
                self.interrupted += 1
            time.sleep(0.02)
        raise AssertionError(f"{method} {path} was not answered in {TIMEOUT:g} s: {said}")


class Talkers:
    """Several of them at once, on people of their own and on one that they share."""

    def __init__(self, base: str, count: int, pool: ThreadPoolExecutor) -> None:
        self.all = [Talker(base, number, "shared") for number in range(count)]
        self._runs: list[Future[None]] = [pool.submit(each.run) for each in self.all]

    @property
    def said(self) -> list[Said]:
        """Everything acknowledged so far."""
        return [said for each in self.all for said in list(each.said)]

    @property
    def interrupted(self) -> int:
        return sum(each.interrupted for each in self.all)

    def go_on(self, more: int) -> None:
        """Let so many more events be acknowledged."""
        wanted = len(self.said) + more

        def happened() -> bool:
            for each in self._runs:
                if each.done():
                    each.result()
                    raise AssertionError("a talker stopped")
            return len(self.said) >= wanted

        wait_for(happened, f"{more} more events")

    def stop(self) -> None:
        """Let everyone finish what they are at."""
        for each in self.all:
            each.stop()
        for run in self._runs:
            run.result()

    def check(self, client: httpx.Client) -> None:
        """Everything acknowledged by now is in the logs, once, as it was said."""
        said = self.said
        for user in sorted({each.user for each in said}):
            entries = log_of(client, user)
            check_log(entries)
            check_said([each for each in said if each.user == user], entries)

    def check_whole(self, client: httpx.Client) -> None:
        """Now that all have stopped: besides, nothing else is there of the talkers' own people."""
        self.check(client)
        for each in self.all:
            entries = log_of(client, each.own)
            there = [one["client_id"] for one in entries if one["kind"] != "retraction"]
            assert there == each.sent


@contextmanager
def talking(base: str, count: int = 4) -> Iterator[Talkers]:
    """Talkers at work, who have stopped in the end."""
    with ThreadPoolExecutor(count) as pool:
        talkers = Talkers(base, count, pool)
        try:
            yield talkers
            talkers.stop()
        finally:
            for each in talkers.all:
                each.stop()


def log_of(client: httpx.Client, user: str) -> list[Entry]:
    """A person's whole log, from the export."""
    response = client.get(f"/v1/users/{user}/export")
    assert response.status_code == 200, response.text
    [conversation] = response.json()["conversations"]
    entries: list[Entry] = conversation["events"]
    return entries


def check_log(entries: Sequence[Entry]) -> None:
    """No gap, no double: of places, of the clients' ids, and of what may be said once."""
    assert [each["event"] for each in entries] == list(range(1, len(entries) + 1))
    ids = Counter(each["client_id"] for each in entries if each["client_id"] is not None)
    assert not {each: count for each, count in ids.items() if count > 1}
    subjects = Counter(_subject(each) for each in entries if not each["retracted"])
    del subjects[None]
    assert not {each: count for each, count in subjects.items() if count > 1}


def _subject(entry: Entry) -> tuple[Any, ...] | None:
    about = entry["about"]
    if entry["kind"] == "answer":
        return "answer", about["question"]
    if entry["kind"] == "reward":
        return "reward", about["decision"], about["item"]
    return ("retraction", about["of"]) if entry["kind"] == "retraction" else None


def check_said(said: Sequence[Said], entries: Sequence[Entry]) -> None:
    """Everything that a client was told of is there as it was told."""
    there = {each["event"]: each for each in entries}
    for one in said:
        found = there[one.seq]
        about = {name: found["about"][name] for name in one.about}
        assert (found["kind"], about) == (one.kind, one.about)
        if one.client_id is not None:
            assert found["client_id"] == one.client_id


def check_database(url: str) -> None:
    """``conlinucb db check`` finds nothing."""
    command = [sys.executable, "-m", "conlinucb", "db", "check", "--database", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith(" 0 findings"), done.stdout


_loaded: dict[tuple[str, int], CatalogueVersion] = {}


def _version(storage: Storage) -> CatalogueVersion:
    """The version that is served now, loaded once."""
    entry = storage.catalogue_log.find("films")
    assert entry is not None
    key = (storage.database.url, entry.serving)
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = Catalogues(storage).load(entry, entry.serving)
    return _loaded[key]


def check_state(client: httpx.Client, url: str, user: str, *, items: Sequence[str] = ()) -> None:
    """What a server says of a person is what the fold of their log comes to."""
    with closing(Storage(url)) as storage:
        version = _version(storage)
        person = storage.people.find(version.id, user)
        assert person is not None
        rows = storage.log.after(person.id)
    state, broken = fold(version, person.seed, rows)
    assert not broken
    profile = client.get(f"/v1/users/{user}").json()
    belief, live = version.agent.estimates(state.user), version.catalog.live_terms
    assert profile["events_in_all"] == len(rows)
    assert profile["rounds"] == state.user.rounds
    assert profile["questions_asked"] == state.asked
    for name, wanted in (("mean", belief.means[live]), ("radius", belief.radii[live])):
        given = [each[name] for each in profile["terms"]]
        np.testing.assert_allclose(given, wanted, rtol=0, atol=CLOSE)
    for item in items or [version.catalog.arm_ids[0]]:
        why = client.get(f"/v1/users/{user}/explain", params={"item": item}).json()
        score = version.agent.score(state.user, [version.catalog.arm_index(item)])
        assert abs(why["mean"] - score.means[0]) < CLOSE
        assert abs(why["radius"] - score.radii[0]) < CLOSE
        check_adds_up(why)


def is_current(client: httpx.Client, url: str) -> bool:
    """Whether the worker that answers has the last version of the films."""
    with closing(Storage(url)) as storage:
        entry = storage.catalogue_log.find("films")
    assert entry is not None
    return bool(client.get("/v1/catalogues/films").json()["version"] == entry.serving)


def workers_of(server: Server) -> list[int]:
    """The processes that serve, which are children of the one that was started."""
    command = ["pgrep", "-P", str(server.process.pid), "-f", "spawn_main"]
    found = subprocess.run(command, capture_output=True, text=True)
    return [int(each) for each in found.stdout.split()]


def check_adds_up(why: Entry) -> None:
    """An explanation's contributions come to its mean."""
    parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
    assert abs(parts - why["mean"]) < CLOSE, (parts, why["mean"])
