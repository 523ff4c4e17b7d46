"""The client says what the service says: same fields, same methods twice, nothing heavy loaded."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
from typing import Any

import pytest

from conlinucb import client
from conlinucb.client import (
    Answer,
    AsyncClient,
    Client,
    ClientError,
    Next,
    Reward,
    calls,
    replies,
)
from conlinucb.client.reading import read, read_step
from conlinucb.errors import InvalidInput
from support.service_door import DESCRIBED

SCHEMAS = DESCRIBED["components"]["schemas"]
NAMES = {
    "Question": "QuestionOut",
    "Recommendation": "RecommendationOut",
    "Item": "ItemOut",
    "Topic": "TopicOut",
    "Rated": "RatedOut",
    "Answered": "AnsweredOut",
    "Preferred": "PreferredOut",
    "Steps": "StepsOut",
    "Best": "BestOut",
    "Term": "TermOut",
    "Event": "EventOut",
    "Conversation": "ExportedConversation",
    "Catalogue": "CatalogueOut",
    "Refusal": "ErrorInside",
}
REPLIES = {
    name: kind
    for name, kind in vars(replies).items()
    if dataclasses.is_dataclass(kind) and isinstance(kind, type)
}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_have_the_fields_of_the_description(name: str) -> None:
    described = SCHEMAS[NAMES.get(name, name)]["properties"]
    have = {each.name for each in dataclasses.fields(REPLIES[name])}
    assert have == {*described}, f"src/conlinucb/client/replies.py: {name}"


EXAMPLES = [
    (kind, SCHEMAS[NAMES.get(name, name)]["examples"][0])
    for name, kind in REPLIES.items()
    if SCHEMAS[NAMES.get(name, name)].get("examples")
]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_the_descriptions_examples_can_be_read(kind: Any, example: dict[str, Any]) -> None:
    found = read(kind, example | {"of_a_newer_service": 1})
    assert all(
        getattr(found, each.name) == example.get(each.name, each.default)
        for each in dataclasses.fields(kind)
        if isinstance(example.get(each.name), str | int | float)
    )


def test_an_answer_of_something_else_is_named() -> None:
    with pytest.raises(client.ClientError, match=r"no Receipt.*repeated"):
        read(replies.Receipt, {"event": 1})
    with pytest.raises(client.ClientError, match="no Recommendation"):
        read_step({"type": "dance"})


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, Any]:
        return {
            name: (inspect.signature(each), each.__doc__)
            for name, each in vars(kind).items()
            if callable(each) and not name.startswith("_")
        }

    assert methods(Client) == methods(AsyncClient)
    assert all(inspect.iscoroutinefunction(getattr(AsyncClient, name)) for name in methods(Client))


LEFT_OUT = {
    ("put", "/v1/users/{user}"): "not needed: next does it",
    ("post", "/v1/catalogues/preview"): "for the page",
    ("post", "/v1/catalogues/columns"): "for the page",
}
CALLS: list[calls.Call[Any]] = [
    calls.next_step("U", None, Next()),
    calls.steps("U", None, [], None),
    calls.answer("U", None, Answer("yes")),
    calls.reward("U", None, Reward("i", 1.0)),
    calls.picture("U", None),
    calls.best("U", None, 1),
    calls.profile("U", None),
    calls.explain("U", None, "i"),
    calls.retract("U", None, 1),
    calls.export("U", None),
    calls.forget("U", None),
    calls.catalogues(),
    calls.catalogue("C"),
    calls.upload("C", {}, None, None),
    calls.delete_catalogue("C"),
    calls.add_items("C", []),
    calls.remove_items("C", []),
    calls.settings("C"),
    calls.set_settings("C", {}),
]


def test_every_route_of_people_and_catalogues_has_a_call() -> None:
    described = {
        (method, path)
        for path, methods in DESCRIBED["paths"].items()
        for method, about in methods.items()
        if about["tags"][0] in ("people", "catalogues")
    }
    named = {"/U": "/{user}", "/C": "/{name}", "/events/1": "/events/{event}"}
    made = set()
    for call in CALLS:
        path = call.path
        for short, whole in named.items():
            path = path.replace(short, whole)
        made.add((call.method.lower(), path))
    assert made == described - {*LEFT_OUT}


def test_the_client_is_light() -> None:
    script = (
        "import sys, conlinucb.client; "
        "print([m for m in ('numpy', 'numba', 'scipy', 'pydantic', 'fastapi') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("made", [Client, AsyncClient])
@pytest.mark.parametrize(
    ("key", "why"), [("", "is empty"), ("a-key\n", "white space"), ("schlüssel", "not ASCII")]
)
def test_a_key_that_cannot_be_sent_is_refused_at_once(made: Any, key: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        made("http://127.0.0.1:1", key=key)


def test_an_address_without_http_is_not_tried_for_a_minute() -> None:
    with Client("127.0.0.1:1") as client, pytest.raises(ClientError, match="begins with http://"):
        client.next("ann")
    with Client("localhost:1") as client, pytest.raises(ClientError, match="begins with http://"):
        client.next("ann")
