"""Both clients against a real server, through a proxy that cuts connections: nothing twice."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conlinucb.client import (
    Answer,
    AsyncClient,
    Client,
    ClientError,
    Next,
    Question,
    Receipt,
    Recommendation,
    Refusal,
    Refused,
    Reward,
    TakeBack,
    Unavailable,
)
from support.flaky import flaky
from support.service_world import Server, free_port, serving

pytestmark = pytest.mark.more
KEY = "a-key-for-the-tests-of-clients"
BOOKS = {
    "items": [
        {"id": "emma", "tags": ["love", "england"]},
        {"id": "dune", "tags": ["desert", "space"]},
        {"id": "solaris", "tags": ["space", "ocean"]},
        {"id": "moby", "tags": ["ocean", "england"]},
    ]
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    file = tmp_path_factory.mktemp("client") / "service.db"
    with serving(f"sqlite:///{file}", CONLINUCB_KEY=KEY) as found:
        yield found


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.base, key=KEY, catalogue="films") as found:
        yield found


def test_a_conversation(client: Client) -> None:
    step = client.next("ann", k=2)
    assert isinstance(step, Question)
    assert step.text
    receipt = client.answer("ann", step, "yes")
    assert receipt == Receipt(receipt.event, repeated=False)
    shown = client.next("ann", k=2, ask="never", exclude=["Alien (1979)"])
    assert isinstance(shown, Recommendation)
    assert len(shown.items) == 2
    first = shown.items[0]
    client.reward("ann", first.item, 1, decision=shown)
    client.answer("ann", None, "no", topic=first.terms[0])
    assert client.picture("ann").rated[0].item == first.item
    assert len(client.best("ann", k=3).items) == 3
    explained = client.explain("ann", first.item)
    assert explained.contributions
    assert client.retract("ann", receipt).event > receipt.event
    profile = client.profile("ann", events=2)
    assert (len(profile.events), profile.events_in_all > 2) == (2, True)
    assert client.export("ann").conversations[0].catalogue == "films"
    client.forget("ann")
    with pytest.raises(Refused, match="ann") as caught:
        client.profile("ann")
    assert (caught.value.status, caught.value.code) == (404, "unknown_user")
    assert client.profile("ann", newcomer=True).rounds == 0


def test_steps_say_several_things(client: Client) -> None:
    first, second = (each.item for each in client.best("bob", k=2).items)
    said: list[Answer | Reward] = [
        Answer("yes", topic="set in space"),
        Reward(first, 1.0),
        Reward("nothing", 1.0),
    ]
    done = client.steps("bob", said, Next(k=3, fresh=True, ask="never"))
    assert isinstance(done.receipts[0], Receipt)
    assert isinstance(done.receipts[2], Refusal)
    assert "nothing" in done.receipts[2].message
    assert isinstance(done.step, Recommendation)
    assert first not in [each.item for each in done.step.items]
    more = client.steps("bob", [TakeBack(done.receipts[0].event), Reward(second, 0.0)])
    assert (more.step, [each.item for each in more.picture.rated]) == (None, [second, first])


def test_catalogues(client: Client, tmp_path: Path) -> None:
    made = client.upload("books", BOOKS)
    assert (made.catalogue, made.items) == ("books", 4)
    assert client.add_items("books", [{"id": "odyssey", "tags": ["ocean"]}]).items == 5
    assert client.remove_items("books", ["odyssey"]).items == 4
    wanted = client.settings("books") | {"max_questions": 3}
    assert client.set_settings("books", wanted).settings["max_questions"] == 3
    table = tmp_path / "books.csv"
    table.write_text("item,tag\nemma,love\ndune,desert\ndune,love\n")
    replaced = client.upload("books", table)
    assert replaced.understood is not None
    assert {each.catalogue for each in client.catalogues()} == {"books", "films"}
    client.delete_catalogue("books")
    with pytest.raises(Refused):
        client.about("books")


def test_names_are_written_into_addresses_whole(client: Client) -> None:
    for name in ("Zoë & Łukasz?", "100%", "a b#c", "ann+bob"):
        client.answer(name, None, "yes", topic="set in space")
        assert client.profile(name).user == name


def test_a_wrong_key_is_refused(server: Server) -> None:
    with Client(server.base, key=KEY + "-not") as client, pytest.raises(Refused) as caught:
        client.next("ann")
    assert caught.value.status == 401


# Cut connections


FATES = ("pass", "pass", "unsent", "unanswered")


def _said(server: Server, user: str) -> list[tuple[str, Any]]:
    """What the log has of a person, in order."""
    with Client(server.base, key=KEY, catalogue="films") as client:
        events = client.profile(user, events=1000).events
    return [(each.kind, each.about.get("item")) for each in reversed(events)]


def _expected(items: list[str]) -> list[tuple[str, Any]]:
    return [each for item in items for each in (("recommendation", None), ("reward", item))]


def test_nothing_is_said_twice_through_cut_connections(server: Server) -> None:
    plan = random.Random(7).choices(FATES, k=200)
    items = []
    with (
        flaky(server.port, plan) as proxy,
        Client(proxy.base, key=KEY, catalogue="films") as client,
    ):
        for _ in range(8):
            shown = client.next("cut", ask="never", fresh=True)
            assert isinstance(shown, Recommendation)
            items.append(shown.items[0].item)
            client.reward("cut", items[-1], 1.0, decision=shown)
        assert proxy.met.count("unanswered") >= 3
    assert _said(server, "cut") == _expected(items)


def test_the_same_for_asynchronous_programs(server: Server) -> None:
    plan = random.Random(8).choices(FATES, k=600)

    async def talk(client: AsyncClient, user: str) -> list[str]:
        items = []
        for _ in range(4):
            shown = await client.next(user, ask="never", fresh=True)
            assert isinstance(shown, Recommendation)
            items.append(shown.items[0].item)
            await client.steps(user, [Reward(items[-1], 1.0, shown)])
        return items

    async def all_talk(base: str) -> list[list[str]]:
        async with AsyncClient(base, key=KEY, catalogue="films") as client:
            return await asyncio.gather(*(talk(client, f"async {n}") for n in range(4)))

    with flaky(server.port, plan) as proxy:
        found = asyncio.run(all_talk(proxy.base))
        assert proxy.met.count("unanswered") >= 8
    for n, items in enumerate(found):
        assert _said(server, f"async {n}") == _expected(items)


def test_a_deletion_that_went_unanswered_has_succeeded(server: Server, client: Client) -> None:
    client.answer("gone", None, "yes", topic="set in space")
    client.upload("short", BOOKS)
    with flaky(server.port, ["unanswered", "unanswered", "unanswered"]) as proxy:
        with Client(proxy.base, key=KEY) as cut:
            cut.forget("gone")
            cut.delete_catalogue("short")
        assert len(proxy.met) >= 4
    with pytest.raises(Refused):  # without a try before, unknown is unknown
        client.forget("gone")


def test_what_may_not_be_repeated_is_not(server: Server, client: Client) -> None:
    client.upload("shelf", BOOKS)
    with flaky(server.port, ["unsent", "unanswered"]) as proxy:
        with (
            Client(proxy.base, key=KEY) as cut,
            pytest.raises(Unavailable, match="may have been taken in or not"),
        ):
            cut.add_items("shelf", [{"id": "odyssey", "tags": ["ocean"]}])
        assert len(proxy.met) == 1
    client.delete_catalogue("shelf")


# Services that do not answer


class Busy:
    """A server that answers with these heads, one for each connection, then with nothing."""

    def __init__(self, *heads: str, body: bytes = b'{"event": 4, "repeated": false}') -> None:
        self.heads, self.body, self.at = list(heads), body, list[float]()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        for head in self.heads:
            caller, _ = self.listener.accept()
            with caller:
                caller.recv(65536)
                self.at.append(time.monotonic())
                more = f"content-length: {len(self.body)}\r\nconnection: close\r\n\r\n"
                caller.sendall(f"HTTP/1.1 {head}\r\n{more}".encode() + self.body)
        self.listener.close()


def test_it_waits_as_long_as_it_is_told_to() -> None:
    busy = Busy("503 Busy\r\nretry-after: 1", "429 Many\r\nretry-after: 1", "200 OK")
    with Client(busy.base) as client:
        assert client.reward("ann", "x", 1).event == 4
    first, second, third = busy.at
    assert second - first >= 1.0
    assert third - second >= 1.0


def test_a_deadline_ends_it() -> None:
    begun = time.monotonic()
    nobody = f"http://127.0.0.1:{free_port()}"
    expected = pytest.raises(Unavailable, match=r"within 1 s and \d+ tries")
    with Client(nobody, deadline=1.0) as client, expected:
        client.next("ann")
    assert time.monotonic() - begun < 30
    busy = Busy("503 Busy\r\nretry-after: 100")
    with Client(busy.base) as client, pytest.raises(Unavailable):
        client.next("ann")  # no use in waiting for longer than there is time
    assert time.monotonic() - begun < 30


def test_an_answer_of_a_proxy_is_an_error_with_its_status() -> None:
    busy = Busy("418 Teapot")
    with Client(busy.base) as client, pytest.raises(Refused, match="status 418") as caught:
        client.next("ann")
    assert (caught.value.status, caught.value.code) == (418, "unknown")


def test_what_is_no_answer_of_ours_is_named_and_an_empty_one_is_fine() -> None:
    portal = Client(Busy("200 OK", body=b"<html>").base)
    with portal, pytest.raises(ClientError, match="no JSON"):
        portal.next("ann")
    with Client(Busy("202 Accepted", body=b"").base) as client:
        client.forget("ann")  # deleted; it leaves the files a little later
