"""The cache's own figure of what a state takes is that of the interpreter, about."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.conversations.cache import CacheEntry
from conlinucb.service.conversations.fold import fold
from support.service_conversation import ITEMS, upload
from support.service_talk import Talk

pytestmark = pytest.mark.more  # memory is measured object by object


@pytest.mark.parametrize("rounds", [1, 12, 60])
def test_what_states_take_is_counted_decisions_too(memory: TestClient, rounds: int) -> None:
    name = f"bytes {rounds}"
    upload(memory, name, max_questions=None, rest_after_answer=5)
    talk = Talk(memory, name)
    for number in range(rounds):
        question = talk.next()
        if question["type"] == "question":
            talk.answer(question=question["question"], answer="skip" if number % 5 == 4 else "yes")
        advice = talk.next(ask="never", k=12)
        item = advice["items"][number % len(ITEMS)]["item"]
        talk.reward(decision=advice["decision"], item=item, reward=0.5)
    version, person = talk.state().version, talk.person
    fold(version, person.seed, talk.use_cases.loader.rows(person))
    gc.collect()
    tracemalloc.start()
    entries = []
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(60):
        entry = CacheEntry()
        entry.person = talk.use_cases.storage.people.find(person.catalogue, person.name)
        rows = talk.use_cases.loader.rows(person)
        entry.conversation, _ = fold(version, person.seed, rows)
        entries.append(entry)
        del rows
    gc.collect()
    taken = (tracemalloc.get_traced_memory()[0] - before) / len(entries)
    tracemalloc.stop()
    counted = sum(each.bytes for each in entries) / len(entries)
    # Rather too much than too little: names of items may be shared, and may be long.
    assert 0.9 < counted / taken < 3.0, (counted, taken)
    assert len(entries[0].conversation.decisions) >= min(rounds, 16)  # type: ignore[union-attr]
