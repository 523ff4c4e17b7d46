"""A few films that people talk about while the catalogue changes."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from itertools import count
from typing import Any, Literal

import numpy as np
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.service.catalogues.version import CatalogueVersion
from conlinucb.service.conversations.audit import difference
from conlinucb.service.conversations.fold import fold
from conlinucb.service.storage import AnswerBody, RewardBody, Storage
from conlinucb.service.storage.schema import catalogues, changes
from support.service_talk import RECIPES, Talk, arrays

NUMBERS = count()
WAIT = 60.0
"""Seconds for what goes on in the background."""
FILMS: dict[str, list[str]] = {
    "Alien": ["horror", "space"],
    "Heat": ["heist", "city"],
    "Solaris": ["space", "slow"],
    "Ronin": ["heist", "cars"],
    "Drive": ["cars", "city", "slow"],
    "Scream": ["horror", "city"],
}
TAGS = ["horror", "space", "heist", "city", "slow", "cars"]


def items(films: dict[str, list[str]] = FILMS) -> list[dict[str, Any]]:
    return [{"id": film, "tags": tags} for film, tags in films.items()]


def put(client: TestClient, name: str, body: Any) -> Any:
    return client.put(f"/v1/catalogues/{name}", json=body)


def settings_with(recipe: str = "conlinucb", **more: Any) -> dict[str, Any]:
    """Settings with an agent of this recipe."""
    return {"agent": RECIPES[recipe], "max_questions": None, "rest_after_answer": 0, **more}


@pytest.fixture
def name() -> str:
    """A name that no catalogue has yet."""
    return f"films {next(NUMBERS)}"


@pytest.fixture
def talk(memory: TestClient, name: str) -> Talk:
    """Someone who talks about the films."""
    assert put(memory, name, {"items": items(), "settings": settings_with()}).status_code == 200
    return Talk(memory, name)


def served_version(talk: Talk) -> CatalogueVersion:
    return talk.use_cases.catalogues.serving(talk.catalogue)


def about(talk: Talk) -> dict[str, Any]:
    response = talk.client.get(f"/v1/catalogues/{talk.catalogue}")
    assert response.status_code == 200, response.text
    return dict(response.json())


def change(talk: Talk, what: str, body: Any, method: str = "POST") -> Any:
    return talk.client.request(method, f"/v1/catalogues/{talk.catalogue}{what}", json=body)


def problem(response: Any) -> tuple[int, str, str]:
    assert set(response.json()) == {"error"}, response.text
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


TABLE: dict[str, Any] = {
    "item": ["a", "a", "b", "c"],
    "tag": ["x", "y", "y", "z"],
    "weight": [1.0, 2.0, 0.5, 1.0],
}


def csv(columns: Any) -> bytes:
    rows = [columns.keys(), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


def let_wait(storage: Storage, name: str, kind: str, body: bytes) -> int:
    """A version that waits to be built, as the release before wrote it; its number."""
    entry = storage.catalogue_log.find(name)
    assert entry is not None
    number = entry.serving + 1
    row = {"catalogue": entry.id, "number": number, "kind": kind, "body": body}
    with storage.database.transaction() as connection:
        connection.execute(sa.insert(changes), row | {"crc": zlib.crc32(body), "at": 1})
        pending = sa.update(catalogues).where(catalogues.c.id == entry.id)
        connection.execute(pending.values(pending=number))
    return number


def wait_until(there: Callable[[], bool]) -> None:
    """Until something is so that goes on in the background."""
    deadline = time.monotonic() + WAIT
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_for(talk: Talk, **wanted: Any) -> None:
    """Until the catalogue is like this."""
    deadline = time.monotonic() + WAIT
    while (found := about(talk)) != found | wanted:
        assert time.monotonic() < deadline, f"{wanted} did not come: {found}"
        time.sleep(0.05)


LATER = {
    "Alien": ["horror", "space", "slow"],
    "Heat": ["heist", "city"],
    "Ronin": ["heist", "cars"],
    "Speed": ["cars", "city", "horror"],
}
"""Another catalogue: two films are gone, one is new, and one has other tags."""


def by_hand(talk: Talk, version: CatalogueVersion) -> Any:
    """The estimate that all answers and rewards of the log come to on this version."""
    agent, catalog = version.agent, version.catalog
    user = agent.new_user(seed=talk.person.seed)
    for each in talk.log():
        body = each.body
        if isinstance(body, RewardBody) and body.item in catalog.arm_ids:
            agent.learn(user, catalog.arm_index(body.item), body.reward)
        if isinstance(body, AnswerBody) and body.answer is not None:
            kind: Literal["term", "arm"] = "term" if body.about == "term" else "arm"
            ids = catalog.term_ids if kind == "term" else catalog.arm_ids
            if body.id in ids:
                user.was_asked(cl.Question(kind, ids.index(body.id), user.questions + 1, 1))
                assert user.open is not None
                agent.hear(user, user.open, body.answer)
    return user.theta


def assert_folded(talk: Talk) -> None:
    """The state at hand is what the log comes to on the version that is served."""
    state = talk.state()
    assert state.version.number == about(talk)["version"]
    folded, broken = fold(served_version(talk), talk.person.seed, talk.log())
    assert broken == {}
    assert difference(arrays(state), arrays(folded)) is None
    np.testing.assert_allclose(state.user.theta, by_hand(talk, served_version(talk)), atol=1e-9)


def taught(talk: Talk) -> dict[str, Any]:
    return talk.state().user.to_arrays()
