"""The calls that come all the time, by a short way; whatever is unusual about one takes the long.

The framework looks for the route among all others, solves what it depends on, checks the answer
that was made here, and goes to a thread once more for that. On this way the same function of the
route is called with the same arguments, and its answer is written by the thread that made it. A
call that does not fit is handed to the framework as it came, which knows what to say.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, get_type_hints

import anyio.to_thread
from fastapi import Request, Response
from pydantic import BaseModel, TypeAdapter
from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from conlinucb.errors import ConlinucbError
from conlinucb.service.schemas import Text

Work = Callable[..., BaseModel]
"""A route's function, of a request, who it is about, the body and the catalogue."""
Refuse = Callable[[Request, Exception], Awaitable[Response]]
_KINDS = (b"application/json", b"application/json; charset=utf-8")
_PATH = re.compile(r"/v1/users/([^/]+)/(\w+)")
_text: TypeAdapter[str] = TypeAdapter(Text)


class Call:
    """A route that is called by the short way."""

    def __init__(self, path: str, work: Work) -> None:
        self.path = path
        """As described, where the layers around look for it."""
        self._work = work
        self._may_be_empty = inspect.signature(work).parameters["body"].default is None
        hints = get_type_hints(work, include_extras=True)
        self._body: TypeAdapter[Any] = TypeAdapter(hints["body"])

    def begun(self, scope: Scope, user: str, content: bytes) -> Callable[[], bytes] | None:
        """What makes the answer; None where the framework is to see to it."""
        try:
            catalogue, body = _catalogue(scope["query_string"]), self._read(scope, content)
            return partial(
                self._answer, Request(scope), _text.validate_python(user), body, catalogue
            )
        except (ValueError, RecursionError):  # what JSON and pydantic raise is among it
            return None

    def _read(self, scope: Scope, content: bytes) -> Any:
        if not content and self._may_be_empty:
            return None
        kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
        if kind not in _KINDS:
            raise ValueError("it may be no JSON")
        return self._body.validate_python(json.loads(content))

    def _answer(self, *given: Any) -> bytes:
        return self._work(*given).model_dump_json(by_alias=True).encode()


class Quick:
    """The innermost layer: answers what it can, and hands everything else on."""

    def __init__(self, app: ASGIApp, *, calls: Mapping[str, Work], refuse: Refuse) -> None:
        self.app, self._refuse = app, refuse
        self._calls = {
            name: Call(f"/v1/users/{{user}}/{name}", work) for name, work in calls.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer it, or let it pass as it came."""
        matched = _PATH.fullmatch(scope["path"]) if scope.get("method") == "POST" else None
        call = None if matched is None else self._calls.get(matched[2])
        if matched is None or call is None:
            await self.app(scope, receive, send)
            return
        came = [await receive()]
        while came[-1].get("more_body"):
            came.append(await receive())
        content = b"".join(each.get("body", b"") for each in came)
        whole = came[-1]["type"] == "http.request"
        work = call.begun(scope, matched[1], content) if whole else None
        if work is None:
            await self.app(scope, _again(came, receive), send)
            return
        scope["route"] = call
        await self._answer(work, scope, receive, send)

    async def _answer(
        self, work: Callable[[], bytes], scope: Scope, receive: Receive, send: Send
    ) -> None:
        try:
            body = await anyio.to_thread.run_sync(work)
        except ConlinucbError as error:
            refusal = await self._refuse(Request(scope), error)
            await refusal(scope, receive, send)
            return
        length = (b"content-length", str(len(body)).encode())
        headers = [length, (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _catalogue(query: bytes) -> str | None:
    """The only parameter that these routes have."""
    if not query:
        return None
    [(name, value)] = QueryParams(query).multi_items()
    if name != "catalogue":
        raise ValueError("there is no such parameter")
    return _text.validate_python(value)


def _again(came: list[Message], receive: Receive) -> Receive:
    """What came, and then what comes."""
    left = iter(came)

    async def next_one() -> Message:
        return next(left, None) or await receive()

    return next_one
