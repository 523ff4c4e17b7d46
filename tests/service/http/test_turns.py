"""Heavy calls take turns: few at once, nobody waits for ever, and others are not held up."""

from __future__ import annotations

import threading
import time

import anyio
import anyio.from_thread
import pytest
from fastapi import Request
from pydantic import BaseModel
from starlette.types import Message

from conlinucb.service.http.metrics import Metrics
from conlinucb.service.http.scopes import table
from conlinucb.service.http.turns import HEAVY, Turns
from conlinucb.service.observe import observer
from conlinucb.service.problems import Problem
from support.metrics import samples_of, value
from support.service_world import client_of

ORDER = {"agents": ["ucb"], "rounds": 2}


def test_at_most_so_many_at_once_and_all_in_the_end() -> None:
    lock, now, most = threading.Lock(), [0], [0]
    pair = threading.Barrier(2)

    def work() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        pair.wait(60)
        with lock:
            now[0] -= 1

    async def crowd() -> None:
        turns = Turns(2, seconds=60.0)
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(turns.run, work)

    anyio.run(crowd)
    assert most[0] == 2


def test_who_waits_too_long_is_told_to_come_again() -> None:
    over = threading.Event()

    async def crowd() -> None:
        turns = Turns(1, waiting=1, seconds=0.05)
        async with anyio.create_task_group() as group:
            group.start_soon(turns.run, over.wait)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Problem) as refused:
                await turns.run(lambda: None)
            over.set()
        assert (refused.value.status, refused.value.code) == (503, "busy")
        assert await turns.run(lambda: "done") == "done"

    anyio.run(crowd)


def test_what_failed_gives_its_turn_back() -> None:
    async def crowd() -> None:
        turns = Turns(1, seconds=5.0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await turns.run(lambda: 1 / 0)
        assert await turns.run(lambda: "done") == "done"

    anyio.run(crowd)


def test_while_comparisons_are_busy_others_are_served() -> None:
    """Also with more of them than the service has threads for everything else."""
    over = threading.Event()
    with client_of() as client:
        app, portal = client.app, client.portal
        turns = Turns(2, waiting=40, seconds=60.0)
        app.state.turns["comparisons"] = turns  # type: ignore[attr-defined]
        assert portal is not None
        busy = [portal.start_task_soon(turns.run, over.wait) for _ in range(42)]
        try:
            while portal.call(turns.waiting) < 40:
                pass
            response = client.post("/v1/page/comparison", json=ORDER)
            assert response.status_code == 503
            assert response.json()["error"]["code"] == "busy"
            assert int(response.headers["retry-after"]) > 0
            assert client.post("/v1/users/ann/next").status_code == 200
        finally:
            over.set()
        for each in busy:
            each.result(timeout=60)
        assert client.post("/v1/page/comparison", json=ORDER).status_code == 200


def test_a_heavy_call_is_refused_at_the_door_and_floods_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Before its body is read or anything is looked up: even one that would be refused anyway."""
    over = threading.Event()
    with client_of() as client:
        turns, portal = Turns(1, waiting=1, seconds=60.0), client.portal
        client.app.state.turns["uploads"] = turns  # type: ignore[attr-defined]
        assert portal is not None
        busy = [portal.start_task_soon(turns.run, over.wait) for _ in range(2)]
        try:
            while portal.call(turns.waiting) < 1:
                pass
            said = [client.put("/v1/catalogues/mine?nonsense=1", content=b"{") for _ in range(20)]
            assert {each.json()["error"]["code"] for each in said} == {"busy"}
            assert not [each for each in caplog.records if each.levelname == "ERROR"]
        finally:
            over.set()
        for each in busy:
            each.result(timeout=60)
        wrong = client.put("/v1/catalogues/mine?nonsense=1", content=b"{")
        assert wrong.json()["error"]["code"] == "unknown_parameter"


def test_every_heavy_route_is_one_of_the_service() -> None:
    routes = {
        f"{method} /{path}"
        for methods, _, path in (each.partition(" /") for each in table())
        for method in methods.split(", ")
    }
    assert set(HEAVY) <= routes


class Done(BaseModel):
    """What work gives."""

    done: bool = True


def leaving(when: anyio.Event) -> Request:
    """The request of a client that goes away then."""

    async def receive() -> Message:
        await when.wait()
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "GET", "path": "/", "headers": []}, receive)


def test_who_goes_away_gives_up_the_place() -> None:
    over, worked = threading.Event(), list[int]()

    def work() -> Done:
        worked.append(1)
        return Done()

    async def crowd() -> None:
        turns, gone = Turns(1, seconds=60.0), anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(turns.run, over.wait)
            await anyio.wait_all_tasks_blocked()
            group.start_soon(turns.answer, leaving(gone), work)
            await anyio.wait_all_tasks_blocked()
            assert turns.waiting() == 1
            gone.set()
            await anyio.wait_all_tasks_blocked()
            assert turns.waiting() == 0
            over.set()
        assert worked == []
        answer = await turns.answer(leaving(anyio.Event()), work)
        assert (answer.status_code, answer.body) == (200, b'{"done":true}')

    anyio.run(crowd)


def test_work_that_asks_is_told_that_nobody_waits_for_it() -> None:
    begun, ended = threading.Event(), list[str]()

    def work() -> Done:
        try:
            for _ in range(12_000):  # two minutes
                anyio.from_thread.check_cancelled()
                begun.set()
                time.sleep(0.01)
            ended.append("by itself")
        except BaseException:
            ended.append("cancelled")
            raise
        return Done()

    async def crowd() -> None:
        turns, gone = Turns(1), anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(turns.answer, leaving(gone), work)
            await anyio.to_thread.run_sync(begun.wait)
            gone.set()
        assert ended == ["cancelled"]
        assert await turns.run(lambda: "done") == "done"

    anyio.run(crowd)


def test_what_fails_fails_as_it_is() -> None:
    def work() -> Done:
        raise Problem(404, "unknown_user", "Nobody is called that.")

    async def crowd() -> None:
        with pytest.raises(Problem, match="Nobody"):
            await Turns(1).answer(leaving(anyio.Event()), work)

    anyio.run(crowd)


def test_waiting_and_refusals_are_reported() -> None:
    """While one is at work, one waits, and a third finds no place."""
    metrics = Metrics()
    observer.add(metrics)

    async def meet() -> None:
        turns, go_on = Turns(1, waiting=1, what="profiles"), threading.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(turns.run, go_on.wait)
            await anyio.wait_all_tasks_blocked()
            group.start_soon(turns.run, go_on.wait)
            while not turns.waiting():
                await anyio.sleep(0.01)
            found = samples_of(metrics.text().decode())
            assert value(found, "conlinucb_pool_waiting", pool="profiles") == 1
            with pytest.raises(Problem):
                await turns.run(go_on.wait)
            go_on.set()

    try:
        anyio.run(meet)
    finally:
        observer.remove(metrics)
    found = samples_of(metrics.text().decode())
    assert value(found, "conlinucb_pool_refused_total", pool="profiles") == 1
    assert value(found, "conlinucb_pool_waiting", pool="profiles") == 0
    assert value(found, "conlinucb_pool_wait_seconds_count", pool="profiles") == 2
    assert value(found, "conlinucb_pool_wait_seconds_sum", pool="profiles") > 0


def test_a_long_answer_comes_in_turns_and_holds_none_while_it_is_read() -> None:
    async def crowd() -> None:
        turns = Turns(1, waiting=2, seconds=5.0)
        slow = await turns.stream(iter(range(3)))
        assert await anext(slow) == 0  # and then it is not read on for a while
        assert [each async for each in await turns.stream(iter("abc"))] == ["a", "b", "c"]
        assert await turns.run(lambda: "done") == "done"
        assert [each async for each in slow] == [1, 2]
        assert [each async for each in await turns.stream(iter(list[int]()))] == []

    anyio.run(crowd)
