"""Every call of the service, as what is sent and how the answer is read; sent by either client."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from conlinucb.client.reading import read, read_step
from conlinucb.client.replies import (
    Best,
    Catalogue,
    Explanation,
    Export,
    Picture,
    Profile,
    Receipt,
    Step,
    Steps,
)
from conlinucb.client.said import Answer, Next, Reward, Said, present, said_body
from conlinucb.errors import InvalidInput

Reply = TypeVar("Reply")
TABLES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
}


@dataclass(frozen=True)
class Call(Generic[Reply]):
    """One call."""

    method: str
    path: str
    read: Callable[[Any], Reply]
    params: Mapping[str, Any]
    content: bytes | None = None
    kind: str = "application/json"
    gone_is_done: bool = False
    """Sent again, it may find that its first try did it: 404 is then what was wanted."""
    once: bool = False
    """Not to be sent again where the first try may have been taken in."""


def _user(user: str, rest: str = "") -> str:
    return f"/v1/users/{quote(user, safe='')}{rest}"


def _catalogue(name: str, rest: str = "") -> str:
    return f"/v1/catalogues/{quote(name, safe='')}{rest}"


def _get(kind: type[Reply], path: str, **params: Any) -> Call[Reply]:
    return Call("GET", path, lambda value: read(kind, value), present(params))


def _send(method: str, kind: type[Reply], path: str, body: Any, **params: Any) -> Call[Reply]:
    content = json.dumps(body, allow_nan=False).encode()
    return Call(method, path, lambda value: read(kind, value), present(params), content)


def _delete(path: str, **params: Any) -> Call[None]:
    return Call("DELETE", path, lambda value: None, present(params), gone_is_done=True)


def next_step(user: str, catalogue: str | None, wanted: Next) -> Call[Step]:
    """``next``."""
    content = json.dumps(wanted.body()).encode()
    params = present({"catalogue": catalogue})
    return Call("POST", _user(user, "/next"), read_step, params, content)


def steps(
    user: str, catalogue: str | None, said: Sequence[Said], wanted: Next | None
) -> Call[Steps]:
    """``steps``, with an id on everything."""
    body = {
        "said": [said_body(each) for each in said],
        "next": None if wanted is None else wanted.body(),
    }
    return _send("POST", Steps, _user(user, "/steps"), body, catalogue=catalogue)


def answer(user: str, catalogue: str | None, given: Answer) -> Call[Receipt]:
    """``answers``."""
    return _send("POST", Receipt, _user(user, "/answers"), given.body(), catalogue=catalogue)


def reward(user: str, catalogue: str | None, given: Reward) -> Call[Receipt]:
    """``rewards``."""
    return _send("POST", Receipt, _user(user, "/rewards"), given.body(), catalogue=catalogue)


def picture(user: str, catalogue: str | None) -> Call[Picture]:
    """``picture``."""
    return _get(Picture, _user(user, "/picture"), catalogue=catalogue)


def best(user: str, catalogue: str | None, k: int) -> Call[Best]:
    """``best``."""
    return _get(Best, _user(user, "/best"), catalogue=catalogue, k=k)


def profile(user: str, catalogue: str | None, **params: Any) -> Call[Profile]:
    """The profile."""
    return _get(Profile, _user(user), catalogue=catalogue, **params)


def explain(user: str, catalogue: str | None, item: str) -> Call[Explanation]:
    """``explain``."""
    return _get(Explanation, _user(user, "/explain"), catalogue=catalogue, item=item)


def retract(user: str, catalogue: str | None, event: int) -> Call[Receipt]:
    """Taking back; twice is once."""
    params = present({"catalogue": catalogue})
    return Call("DELETE", _user(user, f"/events/{event}"), lambda v: read(Receipt, v), params)


def export(user: str, catalogue: str | None) -> Call[Export]:
    """``export``."""
    return _get(Export, _user(user, "/export"), catalogue=catalogue)


def forget(user: str, catalogue: str | None) -> Call[None]:
    """Deleting a person."""
    return _delete(_user(user), catalogue=catalogue)


def catalogues() -> Call[list[Catalogue]]:
    """All catalogues."""
    return Call("GET", "/v1/catalogues", lambda v: [read(Catalogue, each) for each in v], {})


def catalogue(name: str) -> Call[Catalogue]:
    """One."""
    return _get(Catalogue, _catalogue(name))


def upload(
    name: str, content: Mapping[str, Any] | Path | bytes, kind: str | None, d: int | None
) -> Call[Catalogue]:
    """A whole catalogue: as JSON, or as a file or bytes of a table."""
    if isinstance(content, Mapping):
        content, kind = json.dumps(content, allow_nan=False).encode(), "application/json"
    elif isinstance(content, Path):
        kind = kind or TABLES.get(content.suffix.lower())
        content = content.read_bytes()
    if kind is None:
        raise InvalidInput(f"Say of which kind the content is, one of {sorted(TABLES.values())}.")
    path, params = _catalogue(name), present({"d": d})
    return Call("PUT", path, lambda value: read(Catalogue, value), params, content, kind)


def delete_catalogue(name: str) -> Call[None]:
    """A catalogue, with every conversation about it."""
    return _delete(_catalogue(name))


def add_items(name: str, items: Sequence[Mapping[str, Any]]) -> Call[Catalogue]:
    """More items. An item that is there is refused, so it is not sent twice without need."""
    body = json.dumps({"items": list(items)}, allow_nan=False).encode()
    path = _catalogue(name, "/items")
    return Call("POST", path, lambda value: read(Catalogue, value), {}, body, once=True)


def remove_items(name: str, items: Sequence[str]) -> Call[Catalogue]:
    """Items gone; twice is once."""
    return _send("POST", Catalogue, _catalogue(name, "/removals"), {"items": list(items)})


def settings(name: str) -> Call[dict[str, Any]]:
    """The settings of a catalogue."""
    return Call("GET", _catalogue(name, "/settings"), dict, {})


def set_settings(name: str, wanted: Mapping[str, Any]) -> Call[Catalogue]:
    """All settings; what is left out is set to its default."""
    return _send("PUT", Catalogue, _catalogue(name, "/settings"), dict(wanted))
