"""Services with keys of every scope, and clients that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi.testclient import TestClient

from conlinucb.service.storage import MEMORY, Storage
from support.service_world import client_of

SCOPES = ("use", "build", "admin")


def storage_of(client: TestClient) -> Storage:
    storage: Storage = client.app.state.use_cases.storage  # type: ignore[attr-defined]
    return storage


def make_key(client: TestClient, name: str, *scopes: str, **more: Any) -> str:
    """A key that the service knows at once."""
    made = storage_of(client).keys.make(name, scopes, **more)
    client.app.state.keyring.refresh()  # type: ignore[attr-defined]
    return made


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@contextmanager
def keyed_client(url: str = MEMORY, **config: Any) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A client without a key, and a key of each scope, of the films, and of another catalogue."""
    with client_of(url, **config) as client:
        keys = {each: make_key(client, each, each) for each in SCOPES}
        keys["films"] = make_key(client, "films", "use", "build", catalogue="films")
        keys["small"] = make_key(client, "small", "use", "build", catalogue="small")
        yield client, keys
