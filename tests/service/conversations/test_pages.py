"""Profile, explanation and export of a long log: in pages, and nobody waits for them."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from conlinucb.service.storage import Event, RewardBody, Storage, log
from conlinucb.service.storage import pages as storage_pages
from conlinucb.service.storage.pages import Pages
from support import service_store
from support.service_conversation import upload
from support.service_store import said, someone, taken_back
from support.service_talk import Talk

database = service_store.database
storage = service_store.storage


def numbers(rows: Any) -> list[int]:
    return [row.seq for row in rows]


def test_pages_are_the_log_in_order_with_what_is_missing(storage: Storage) -> None:
    ann = someone(storage)
    for seq in (*range(1, 8), *range(9, 13)):
        storage.log.append(ann.id, said(seq))
    pages = storage.pages
    assert [numbers(page) for page in pages.all(ann.id, 11, page=4)] == [
        [1, 2, 3, 4],
        [5, 6, 7, 8, 9],
        [10, 11],
    ]
    assert numbers(pages.latest(ann.id, 12, 2**31, 3)) == [12, 11, 10]
    assert numbers(pages.latest(ann.id, 11, 11, 3)) == [10, 9, 8, 7]
    assert numbers(pages.latest(ann.id, 12, 3, 50)) == [2, 1]
    assert pages.latest(ann.id, 12, 2**31, 0) == []
    assert list(pages.all(someone(storage, "bob").id, 9)) == []


def test_what_was_taken_back_by_then(storage: Storage) -> None:
    ann = someone(storage)
    for seq in range(1, 5):
        storage.log.append(ann.id, said(seq))
    for seq, of in ((5, 2), (6, 4)):
        storage.log.retract(ann.id, taken_back(seq, of, f"retraction {of}"), of)
    pages = storage.pages
    assert pages.taken_back(ann.id, 6) == {2, 4}
    assert pages.taken_back(ann.id, 5) == {2}
    assert pages.taken_back(ann.id, 6, [1, 3, 4]) == {4}
    assert pages.taken_back(ann.id, 6, []) == set()


@pytest.fixture
def talk(memory: TestClient, request: pytest.FixtureRequest) -> Talk:
    name = f"pages {request.node.name}".replace("/", " ")
    upload(memory, name)
    found = Talk(memory, name)
    found.go_on(60)
    found.retract(next(row.seq for row in found.log() if isinstance(row.body, RewardBody)))
    return found


def test_small_pages_show_the_same(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> list[Any]:
        return [talk.explain("item 1"), talk.got("GET", "/export"), talk.got("GET", "")]

    whole = shown()
    monkeypatch.setattr(Pages.all, "__defaults__", (7,))
    in_pages = shown()
    why, before = in_pages[0], whole[0]
    assert why.pop("rest") == pytest.approx(before.pop("rest"), abs=1e-12)
    assert in_pages == whole
    exported = whole[1]["conversations"][0]["events"]
    assert [each["event"] for each in exported] == list(range(1, len(talk.log()) + 1))
    assert sum(each["retracted"] for each in exported) == 1
    assert whole[2]["events"] == exported[::-1][:50]


def test_a_profile_reads_no_more_than_its_page(talk: Talk) -> None:
    statements: list[Any] = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, *more: Any) -> None:
        if "FROM events" in statement:
            statements.append((statement, values))

    engine = talk.use_cases.storage.database.engine
    talk.got("GET", "")
    sa.event.listen(engine, "before_cursor_execute", note)
    assert len(talk.got("GET", "", events=5, before=40)["events"]) == 5
    sa.event.remove(engine, "before_cursor_execute", note)
    assert [values[2] for statement, values in statements if "LIMIT" in statement] == [5]
    unlimited = [each for each in statements if "LIMIT" not in each[0]]
    assert all("subject" in each[0] or "seq >" in each[0] for each in unlimited), unlimited


@pytest.mark.parametrize("what", ["", "/explain", "/export"])
def test_nobody_waits_while_a_log_is_read(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    reading, go_on = threading.Event(), threading.Event()
    read = log.read

    def slow(row: Any) -> Any:
        if threading.current_thread() is not threading.main_thread() and row.kind == "question":
            reading.set()
            assert go_on.wait(30)
        return read(row)

    talk.next(ask="never")
    monkeypatch.setattr(storage_pages, "read", slow)
    params = {"item": "item 1"} if what == "/explain" else {}
    found: list[Any] = []
    looker = threading.Thread(target=lambda: found.append(talk.got("GET", what, **params)))
    looker.start()
    assert reading.wait(30)
    last: Event = talk.log()[-1]
    assert talk.next(ask="never")["decision"] == f"d{last.seq + 1}"  # behind nobody's lock
    go_on.set()
    looker.join(30)
    assert found
