"""What a population is learned from: all that people said and let stand."""

from __future__ import annotations

from typing import Any

from conlinucb.service.populations.feedback import Feedback, feedback_of, table_of
from conlinucb.service.storage import AnswerBody, Event, RecommendationBody, RecommendedItem
from support.service_conversation import ITEMS, TERMS, question_of, upload
from support.service_crowd import crowd
from support.service_talk import RECIPES, Talk
from support.service_world import client_of


def said(talk: Talk, **options: Any) -> list[Feedback]:
    version = talk.use_cases.catalogues.serving(talk.catalogue)
    storage = talk.use_cases.storage
    return list(feedback_of(storage, version.id, version.catalog, **options))


def test_everything_that_stands(url: str) -> None:
    with client_of(url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk, other = Talk(client, "it"), Talk(client, "it", "bob")
        talk.answer(topic=TERMS[1], answer=0.5)
        question = question_of(talk)
        talk.answer(question=question["question"], answer="skip")
        advice = talk.next(ask="never")
        item = advice["items"][0]["item"]
        talk.reward(decision=advice["decision"], item=item, reward=0.25)
        gone = talk.reward(item=ITEMS[0], reward=1)["event"]
        talk.retract(gone)
        other.reward(item=ITEMS[7], reward=0.75)
        ann, bob = talk.person.id, other.person.id
        assert said(talk) == [
            Feedback(ann, "answer", TERMS[1], 0.5, 1.0),
            Feedback(ann, "answer", question["term"], None, 1.0),
            Feedback(ann, "reward", item, 0.25, 1.0),
            Feedback(bob, "reward", ITEMS[7], 0.75, 1.0),
        ]
        client.delete("/v1/users/bob")
        assert {each.person for each in said(talk)} == {ann}


def test_batches_come_to_the_same(monkeypatch: Any) -> None:
    with client_of() as client:
        talk = crowd(client, people=7)
        whole = said(talk)
        monkeypatch.setattr("conlinucb.service.populations.feedback.BATCH", 2)
        assert said(talk) == whole
        assert len({each.person for each in whole}) == 7


def test_items_drawn_at_random_are_weighed() -> None:
    with client_of() as client:
        upload(client, "it", agent=RECIPES["conlinucb"], max_questions=None)
        talk = Talk(client, "it")
        talk.reward(item=ITEMS[0], reward=1)
        log, person = talk.use_cases.storage.log, talk.person.id
        shown = RecommendedItem(item=ITEMS[1], score=0.0, mean=0.0, radius=1.0, exploring=True)
        body = RecommendationBody(round=1, items=[shown], random=True, propensity=1 / 12)
        log.append(person, Event(2, body))
        talk.reward(decision="d2", item=ITEMS[1], reward=0.5)
        assert [each.weight for each in said(talk)] == [1.0, 1.0]
        assert [each.weight for each in said(talk, random_weight=3.0)] == [1.0, 3.0]


def test_what_the_catalogue_does_not_have_and_pairs_are_left_out() -> None:
    with client_of() as client:
        upload(client, "it", agent=RECIPES["arm_con"], max_questions=None)
        talk = Talk(client, "it")
        question = question_of(talk)
        talk.answer(question=question["question"], answer=0.5)
        log, person = talk.use_cases.storage.log, talk.person.id
        for body in (
            AnswerBody(about="term", id="unheard of", answer=1.0),
            AnswerBody(question=1, about="pair", ids=[TERMS[0], TERMS[1]], answer=1.0),
            AnswerBody(question=1, about="arm", id=ITEMS[0], answer=None),
        ):
            log.append(person, Event(log.last(person) + 1, body))
        assert said(talk) == [Feedback(person, "reward", question["term"], 0.5, 1.0)]


def test_a_table_has_the_columns_even_where_nobody_said_anything() -> None:
    assert table_of(iter(())) == {
        "person": [],
        "kind": [],
        "id": [],
        "value": [],
        "weight": [],
    }
    one = Feedback(3, "reward", "a", None, 2.0)
    assert table_of(iter([one])) == {
        "person": [3],
        "kind": ["reward"],
        "id": ["a"],
        "value": [None],
        "weight": [2.0],
    }
