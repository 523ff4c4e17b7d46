"""One person and two workers, several catalogues, and being forgotten."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select

from conlinucb.service.conversations.loader import SNAPSHOT_EVERY
from conlinucb.service.storage.schema import events, people, snapshots
from support import service_conversation
from support.service_conversation import ITEMS, Start, adds_up, refused, upload
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

start = service_conversation.start


def test_a_question_may_be_answered_elsewhere(lasting_url: str) -> None:
    """To a worker that knows the person, but not yet that they were asked."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            first = mine.next()
            assert theirs.next() == first
            mine.answer(question=first["question"], answer="yes")
            advice = theirs.next()
            mine.reward(decision=advice["decision"], item=advice["items"][0]["item"], reward=1)
            second = mine.next()
            assert second["type"] == "question"
            theirs.answer(question=second["question"], answer="no")
            assert mine.next()["type"] == "recommendation"
            assert [each.seq for each in mine.log()] == list(range(1, 8))


def test_an_explanation_adds_up_while_another_worker_writes(
    lasting_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its look at the state and its look at the log."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            mine.go_on(8)
            advice = theirs.next(ask="never", k=2)
            log = mine.use_cases.storage.log
            read = log.after

            def read_late(person: int, seq: int = 0) -> Any:
                if seq == 0:
                    monkeypatch.setattr(log, "after", read)
                    for each in advice["items"]:
                        said = {"decision": advice["decision"], "item": each["item"]}
                        theirs.reward(**said, reward=1)
                return read(person, seq)

            assert adds_up(mine.explain(ITEMS[0]))
            monkeypatch.setattr(log, "after", read_late)
            assert adds_up(mine.explain(ITEMS[0]))
            assert len(mine.log()) == 8 + 3


def rows_about(talk: Talk, person: int) -> int:
    """Rows that the database still has of a person."""
    with talk.use_cases.storage.database.connect() as connection:
        return sum(
            connection.scalar(select(func.count()).select_from(table).where(column == person)) or 0
            for table, column in (
                (people, people.c.id),
                (events, events.c.person),
                (snapshots, snapshots.c.person),
            )
        )


def test_whoever_is_deleted_is_gone_everywhere(lasting_url: str) -> None:
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            fresh = mine.next()
            mine.answer(question=fresh["question"], answer=1)
            mine.go_on(SNAPSHOT_EVERY + 4)
            mine.wait_for_snapshot(SNAPSHOT_EVERY)
            question = theirs.next()
            advice = theirs.next(ask="never")
            id_ = mine.person.id
            assert rows_about(mine, id_) > SNAPSHOT_EVERY
            assert mine.send("DELETE", "").status_code == 204
            assert rows_about(mine, id_) == 0
            reward = {"decision": advice["decision"], "item": advice["items"][0]["item"]}
            said = {"question": question["question"], "answer": 1}
            assert refused(theirs, "/answers", said) == (404, "unknown_user")
            assert refused(theirs, "/rewards", reward | {"reward": 1}) == (404, "unknown_user")
            assert refused(theirs, "", None, "GET") == (404, "unknown_user")
            assert refused(mine, "", None, "DELETE") == (404, "unknown_user")
            # Someone of the same name starts from nothing, first where the old one was at hand.
            assert theirs.next() == fresh
            assert mine.next() == fresh
            for talk in (mine, theirs):
                assert not talk.state().user.theta.any()
                assert len(talk.log()) == 1
            assert rows_about(mine, id_) == 0


def test_a_new_person_of_the_same_name_is_not_the_old_one(lasting_url: str) -> None:
    """Where a worker did not notice that there was a change of people."""
    with client_of(lasting_url) as one:
        upload(one, "it", agent=RECIPES["conlinucb"], max_questions=None)
        with client_of(lasting_url) as other:
            mine, theirs = Talk(one, "it"), Talk(other, "it")
            theirs.go_on(12)
            mine.send("DELETE", "")
            fresh = mine.next(ask="never", k=12)
            assert fresh["decision"] == "d1"
            advice = theirs.next(ask="never", k=12)
            assert advice["decision"] == "d2"
            assert [each["mean"] for each in advice["items"]] == [0.0] * 12


def test_catalogues_know_a_person_each_by_themselves(start: Start) -> None:
    one, other = start(), start("conucb")
    one.go_on(12)
    other.go_on(4)
    assert [len(talk.log()) for talk in (one, other)] == [12, 4]
    assert one.got("GET", "")["rounds"] == 3
    assert other.got("GET", "")["rounds"] == 1
    exported = one.client.get("/v1/users/ann/export").json()["conversations"]
    sizes = {each["catalogue"]: len(each["events"]) for each in exported}
    assert sizes[one.catalogue] == 12
    assert sizes[other.catalogue] == 4
    alone = one.got("GET", "/export")["conversations"]
    assert [each["catalogue"] for each in alone] == [one.catalogue]


def test_a_person_can_be_deleted_in_one_catalogue_or_in_all(start: Start) -> None:
    talks = [start(), start("conucb"), start("linucb")]
    for talk in talks:
        talk.name = "zoe"
        talk.go_on(4)
    assert talks[0].send("DELETE", "").status_code == 204
    assert refused(talks[0], "", None, "GET") == (404, "unknown_user")
    assert talks[1].got("GET", "")["events_in_all"] == 4
    assert talks[0].client.delete("/v1/users/zoe").status_code == 204
    for talk in talks:
        assert refused(talk, "", None, "GET") == (404, "unknown_user")
    assert talks[0].client.get("/v1/users/zoe/export").status_code == 404
