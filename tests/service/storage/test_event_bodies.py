"""What events say: checked when made or read, and written as they always were."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy import text as sql

from conlinucb.errors import Damaged
from conlinucb.service.storage import (
    AnswerBody,
    Body,
    Event,
    QuestionBody,
    RecommendationBody,
    RecommendedItem,
    RetractionBody,
    RewardBody,
    Storage,
)
from conlinucb.service.storage.events import LARGEST_COUNT, LARGEST_NUMBER, parse
from support import service_store
from support.service_store import someone

database = service_store.database
storage = service_store.storage

QUESTION: dict[str, Any] = {
    "about": "term",
    "id": "space",
    "number": 3,
    "round": 2,
    "text": "Do you like space?",
    "strategy": "max-radius",
    "mean": 0.25,
    "radius": 1e-07,
}
ANSWER: dict[str, Any] = {"question": 7, "about": "arm", "id": "Heat é", "answer": None}
ITEM = {"item": "Heat", "score": 1e16, "mean": -0.0, "radius": 0.5, "exploring": False}
SHOWN: dict[str, Any] = {"round": 2, "items": [ITEM, ITEM | {"item": "Alien"}]}
REWARD: dict[str, Any] = {"decision": 9, "item": "Heat", "reward": 0.1}
BODIES: dict[str, dict[str, Any]] = {
    "question": QUESTION,
    "answer": ANSWER,
    "recommendation": SHOWN,
    "reward": REWARD,
    "retraction": {"of": 8},
}


def made(kind: str, **fields: Any) -> Body:
    return parse(kind, json.dumps(BODIES[kind] | fields))


WRITTEN: list[tuple[Body, str]] = [
    (
        QuestionBody(**QUESTION),
        '{"about":"term","id":"space","number":3,"round":2,"text":"Do you like space?",'
        '"strategy":"max-radius","mean":0.25,"radius":1e-07}',
    ),
    (
        QuestionBody(**QUESTION, rank=1, of=58),
        '{"about":"term","id":"space","number":3,"round":2,"text":"Do you like space?",'
        '"strategy":"max-radius","mean":0.25,"radius":1e-07,"rank":1,"of":58}',
    ),
    (AnswerBody(**ANSWER), '{"question":7,"about":"arm","id":"Heat é","answer":null}'),
    (
        AnswerBody(question=7, about="pair", ids=["space", "heist"], answer=1.0),
        '{"question":7,"about":"pair","ids":["space","heist"],"answer":1.0}',
    ),
    (
        RecommendationBody(round=2, items=[RecommendedItem(**ITEM)]),  # type: ignore[arg-type]
        '{"round":2,"items":[{"item":"Heat","score":1e+16,"mean":-0.0,"radius":0.5,'
        '"exploring":false}]}',
    ),
    (RewardBody(**REWARD), '{"decision":9,"item":"Heat","reward":0.1}'),
    (RetractionBody(of=8), '{"of":8}'),
]


@pytest.mark.parametrize(("body", "text"), WRITTEN, ids=[text[:40] for _, text in WRITTEN])
def test_the_log_keeps_what_it_always_kept(storage: Storage, body: Body, text: str) -> None:
    ann = someone(storage)
    written = storage.log.append(ann.id, Event(1, body))
    with storage.database.connect() as connection:
        row = connection.execute(sql("SELECT kind, body FROM events")).one()
    assert (row.kind, row.body) == (body.kind, text)
    assert storage.log.after(ann.id) == [written]


@pytest.mark.parametrize("kind", BODIES)
def test_fields_of_another_version_are_passed_over(kind: str) -> None:
    assert made(kind, mood="good").written() == BODIES[kind]


@pytest.mark.parametrize(
    ("kind", "field", "value", "said"),
    [
        ("question", "number", "x", "its number is 'x': Input should be a valid integer"),
        ("question", "number", True, "its number is True: Input should be a valid integer"),
        ("question", "number", 1.0, "its number is 1.0: Input should be a valid integer"),
        ("question", "round", -1, "its round is -1: Input should be greater than or equal to 0"),
        ("question", "round", LARGEST_COUNT, f"its round is {LARGEST_COUNT}: Input should be less"),
        ("question", "text", 5, "its text is 5: Input should be a valid string"),
        ("question", "mean", True, "its mean is True: Input should be a valid number"),
        ("question", "radius", 2 * LARGEST_NUMBER, "its radius is 2e+100: Input should be less"),
        ("answer", "answer", "0.5", "its answer is '0.5': Input should be a valid number"),
        ("answer", "answer", float("inf"), "its answer is inf: Input should be a finite number"),
        ("answer", "about", "planet", "its about is 'planet': Input should be 'term', 'arm',"),
        ("recommendation", "items", [5], "its items.0 is 5: Input should be an object"),
        ("recommendation", "items", [{**ITEM, "item": 5}], "its items.0.item is 5: Input should"),
        ("reward", "reward", None, "its reward is None: Input should be a valid number"),
        ("retraction", "of", [2], "its of is [2]: Input should be a valid integer"),
    ],
)
def test_what_is_wrong_is_named_with_its_value(
    kind: str, field: str, value: Any, said: str
) -> None:
    with pytest.raises(Damaged) as refused:
        made(kind, **{field: value})
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("reward", '{"reward":', "it is no JSON: EOF while parsing"),
        ("reward", "[1]", "it is [1]: Input should be an object"),
        ("reward", '{"decision":1,"item":"Heat"}', "it has no reward"),
        ("dance", "{}", "its kind is 'dance', not one of question, answer,"),
    ],
)
def test_what_is_no_body_at_all(kind: str, text: str, said: str) -> None:
    with pytest.raises(Damaged) as refused:
        parse(kind, text)
    assert str(refused.value).startswith(said)


def test_a_reason_is_short_whatever_the_value(storage: Storage) -> None:
    with pytest.raises(Damaged) as refused:
        made("reward", reward="y" * 10_000)
    assert len(str(refused.value)) <= 200
    assert str(refused.value).endswith("Input should be a valid number")


# Questions about several things


def several(about: str, *ids: str) -> dict[str, Any]:
    return {"about": about, "ids": list(ids)}


@pytest.mark.parametrize("kind", [QuestionBody, AnswerBody])
@pytest.mark.parametrize(
    ("about", "names"),
    [
        ({"about": "term", "id": "a"}, ("a",)),
        ({"about": "arm", "id": ""}, ("",)),
        (several("pair", "a", "b"), ("a", "b")),
        (several("group", "a", "b"), ("a", "b")),
        (several("group", *"abcdefghijklmnop"), tuple("abcdefghijklmnop")),
    ],
)
def test_names_are_all_that_is_asked_about(
    kind: type[QuestionBody | AnswerBody], about: dict[str, Any], names: tuple[str, ...]
) -> None:
    assert kind(**rest_of(kind), **about).names == names


def rest_of(kind: type[QuestionBody | AnswerBody]) -> dict[str, Any]:
    whole = QUESTION if kind is QuestionBody else ANSWER
    return {name: value for name, value in whole.items() if name not in ("about", "id")}


@pytest.mark.parametrize("kind", [QuestionBody, AnswerBody])
@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({"about": "term"}, "an id and no ids"),
        ({"about": "term", "id": None}, "an id and no ids"),
        ({"about": "arm", "id": "a", "ids": ["a", "b"]}, "an id and no ids"),
        ({"about": "pair", "id": "a"}, "2 ids and no id"),
        ({"about": "pair", "id": "a", "ids": ["a", "b"]}, "2 ids and no id"),
        (several("pair", "a"), "2 ids and no id"),
        (several("pair", "a", "b", "c"), "2 ids and no id"),
        (several("group", "a"), "2 to 16 ids and no id"),
        (several("group", *"abcdefghijklmnopq"), "2 to 16 ids and no id"),
    ],
)
def test_one_thing_has_an_id_and_several_have_ids(
    kind: type[QuestionBody | AnswerBody], about: dict[str, Any], wanted: str
) -> None:
    with pytest.raises(ValidationError, match=f"with about .{about['about']}. there must be"):
        kind(**rest_of(kind), **about)
    with pytest.raises(Damaged, match=f"there must be {wanted}"):
        parse(kind.kind, json.dumps({**rest_of(kind), **about}))
