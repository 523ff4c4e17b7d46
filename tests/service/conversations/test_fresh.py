"""Never the same again: what was rated or shown lately is left out where fresh items are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conlinucb.service.conversations.fold import Conversation, fold
from conlinucb.service.conversations.memory import Memory
from conlinucb.service.storage import Snapshot
from support import service_conversation
from support.service_conversation import CATALOG, ITEMS, TERMS, Start, refusal, upload
from support.service_talk import RECIPES, Talk
from support.service_world import client_of

start = service_conversation.start


def shown(came: dict[str, Any]) -> set[str]:
    return {each["item"] for each in came["items"]}


def fresh(talk: Talk, **more: Any) -> set[str]:
    return shown(talk.next(ask="never", fresh=True, **more))


def steps(talk: Talk, **more: Any) -> dict[str, Any]:
    return talk.got("POST", "/steps", {"next": {"ask": "never", "fresh": True, **more}})


def test_without_it_the_same_comes_again(start: Start) -> None:
    talk = start()
    assert shown(talk.next(ask="never", k=3)) == shown(talk.next(ask="never", k=3))


def test_what_was_shown_rests(start: Start) -> None:
    talk = start(rest_after_shown=3)
    first = [fresh(talk, k=3) for _ in range(4)]
    assert set.union(*first) == set(ITEMS)
    assert sum(map(len, first)) == len(ITEMS)
    assert fresh(talk, k=3) == first[0]  # three others have come since


def test_what_was_rated_does_not_return(start: Start) -> None:
    talk = start(rest_after_shown=0)
    for _ in range(3):
        came = talk.next(ask="never", fresh=True, k=4)
        for each in came["items"]:
            talk.reward(decision=came["decision"], item=each["item"], reward=1)
    status, code, message = refusal(talk, "/next", {"fresh": True, "ask": "never"})
    assert (status, code) == (422, "nothing_left")
    assert "rated" in message
    out = steps(talk)
    assert (out["step"], out["ended"]) == (None, "nothing_left")
    assert shown(talk.next(ask="never"))  # it does where that is asked for
    talk.retract(talk.got("GET", "/picture")["rated"][-1]["event"])
    assert len(fresh(talk, k=4)) == 1


def test_when_all_was_shown_the_oldest_return_and_it_says_so(start: Start) -> None:
    talk = start()
    talk.reward(item=ITEMS[0], reward=0)
    rest = [steps(talk, k=3) for _ in range(4)]
    assert [each["ended"] for each in rest] == [None] * 4
    again = [steps(talk, k=3, event=f"e{number}") for number in range(4)]
    assert [each["ended"] for each in again] == ["all_shown"] * 4
    returned = [shown(each["step"]) for each in again]
    assert returned[0] == shown(rest[0]["step"])
    assert set.union(*returned) == set(ITEMS[1:])  # not the same three for ever
    assert steps(talk, k=3, event="e0") == {**again[3], "step": again[0]["step"]}


def test_the_pool_and_exclude_count_as_before(start: Start) -> None:
    talk = start()
    pool, exclude = ITEMS[:4], ITEMS[:1]
    found = [fresh(talk, pool=pool, exclude=exclude) for _ in range(4)]
    assert set.union(*found[:3]) == set(ITEMS[1:4])
    assert found[3] == found[0]


@pytest.mark.parametrize("rounds", [5, 104], ids=["from the log", "from a snapshot"])
def test_rests_survive_a_restart(lasting_url: str, rounds: int) -> None:
    with client_of(lasting_url) as client:
        upload(client, "it", agent=RECIPES["conlinucb"], rest_after_shown=3)
        talk = Talk(client, "it")
        lately = [fresh(talk, k=2) for _ in range(rounds)][-3:]
        if rounds > 100:
            talk.wait_for_snapshot(100)
        memory = talk.state().memory
    with client_of(lasting_url) as client:
        talk = Talk(client, "it")
        assert vars(talk.state().memory) == vars(memory)
        assert not fresh(talk, k=2) & (lately[0] | lately[1] | lately[2])


def test_a_retraction_leaves_what_was_shown(start: Start) -> None:
    talk = start()
    before = fresh(talk, k=3)
    event = talk.answer(topic=TERMS[0], answer="yes")["event"]
    talk.retract(event)
    assert talk.state().memory.answers == {}
    assert not fresh(talk, k=3) & before


def test_like_chooses_among_the_most_alike(start: Start) -> None:
    talk = start()
    version = talk.use_cases.catalogues.serving(talk.catalogue)
    x = CATALOG.arms / np.linalg.norm(CATALOG.arms, axis=1)[:, None]
    cosines = x @ x[2]
    order = [ITEMS[a] for a in np.argsort(-cosines) if a != 2]
    found = version.alike(ITEMS[2], None)
    assert [str(version.catalog.arm_ids[a]) for a in found] == order
    pool = version.arms(ITEMS[:5], "pool")
    close = [str(version.catalog.arm_ids[a]) for a in version.alike(ITEMS[2], pool)]
    assert close == [each for each in order if each in ITEMS[:5]]
    assert ITEMS[2] not in shown(talk.next(ask="never", like=ITEMS[2], k=12))
    everything = {"like": ITEMS[2], "exclude": ITEMS, "ask": "never"}
    assert refusal(talk, "/next", everything)[:2] == (422, "nothing_left")
    only = {"like": ITEMS[2], "pool": [ITEMS[2]], "ask": "never"}
    assert refusal(talk, "/next", only)[:2] == (422, "nothing_left")
    assert refusal(talk, "/next", {"like": "itme 2", "ask": "never"})[:2] == (422, "unknown_name")


def test_an_old_snapshot_is_not_misread(start: Start) -> None:
    talk = start()
    talk.reward(item=ITEMS[3], reward=1)
    fresh(talk, k=2)
    state = talk.state()
    kept = state.snapshot()
    loaded = Conversation.from_snapshot(state.version, kept)
    assert loaded is not None
    assert vars(loaded.memory) == vars(state.memory)
    own = set(Memory().to_arrays())
    old = {name: array for name, array in kept.arrays.items() if name not in own}
    assert Conversation.from_snapshot(state.version, Snapshot(kept.seq, old)) is None
    talk.use_cases.storage.snapshots.save(
        talk.person.id, state.version.basis, Snapshot(kept.seq, old)
    )
    again = talk.use_cases.loader.load(state.version, talk.person)
    assert vars(again.memory) == vars(state.memory)
    folded, _ = fold(state.version, talk.person.seed, talk.log())
    assert vars(folded.memory) == vars(state.memory)
