"""What the service exports, read as a log."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import conlinucb as cl
from support import service_conversation
from support.service_conversation import CATALOG, ITEMS, TERMS, Start
from support.service_talk import Talk

start = service_conversation.start


def talked(start: Start, people: int = 6, events: int = 40, **settings: Any) -> list[Any]:
    """The exports of some people who talked with a service that draws at times."""
    first = start(explore=0.2, **settings)
    exports = []
    for name in (f"person {i}" for i in range(people)):
        talk = Talk(first.client, first.catalogue, name)
        talk.go_on(events)
        exports.append(talk.got("GET", "/export"))
    return exports


def test_what_was_drawn_is_a_decision_and_all_else_is_learned_from(start: Start) -> None:
    exports = talked(start)
    table = cl.read_export(exports)
    drawn = [
        (export["user"], event["about"]["items"][0]["item"])
        for export in exports
        for event in export["conversations"][0]["events"]
        if event["about"].get("random")
    ]
    rows = list(zip(*(table[key] for key in ("kind", "person", "action")), strict=True))
    assert [row[1:] for row in rows if row[0] == "decision"] == drawn
    chances = [p for p, row in zip(table["propensity"], rows, strict=True) if row[0] == "decision"]
    assert chances == [1 / 12] * len(drawn)
    assert {row[0] for row in rows} == {"decision", "reward", "answer"}
    agent = cl.conlinucb(cl.Catalog(CATALOG.arms, CATALOG.weights, ITEMS, TERMS))
    found = cl.evaluate(table, agent, least_effective=5)
    assert found.people == len({who for who, _ in drawn})
    assert found.decisions == len(drawn) > 6
    assert set(found.weights) <= {0.0, 12.0}


def test_what_was_taken_back_is_gone(start: Start) -> None:
    exports = talked(start, people=1, events=80)
    before = cl.read_export(exports[0])
    gone = deepcopy(exports[0])
    event = next(e for e in gone["conversations"][0]["events"] if e["kind"] == "answer")
    event["retracted"] = True
    after = cl.read_export(gone)
    assert len(after["kind"]) == len(before["kind"]) - 1


def test_a_decision_without_a_reward_needs_a_word(start: Start, tmp_path: Path) -> None:
    export = talked(start, people=1, events=80)[0]
    events = export["conversations"][0]["events"]
    drawn = [e["event"] for e in events if e["about"].get("random")]
    kept = [e for e in events if e["about"].get("decision") not in drawn]
    export["conversations"][0]["events"] = kept
    file = tmp_path / "ann.json"
    file.write_text(json.dumps(export))
    with pytest.raises(cl.InvalidInput, match=f"Decision d{drawn[0]} of 'person 0' got no reward"):
        cl.read_export(file)
    table = cl.read_export([str(file)], unrewarded=-1.0)
    pairs = zip(table["kind"], table["reward"], strict=True)
    assert [r for kind, r in pairs if kind == "decision"] == [-1.0] * len(drawn)


def test_only_draws_of_one_item_among_all_are_decisions(start: Start) -> None:
    talk = start(explore=0.2)
    for i in range(60):
        came = talk.next(ask="never", **({"k": 2} if i < 30 else {"pool": ITEMS[:5]}))
        talk.reward(decision=came["decision"], item=came["items"][0]["item"], reward=0.5)
    export = talk.got("GET", "/export")
    table = cl.read_export(export)
    assert {p for p in table["propensity"] if p} == {1 / 5}
    catalog = cl.Catalog(CATALOG.arms, CATALOG.weights, ITEMS, TERMS)
    with pytest.raises(cl.InvalidInput, match="explore"):
        cl.read_export(export, catalog=catalog)


def test_without_exploration_there_is_no_propensity(start: Start) -> None:
    talk = start()
    talk.go_on(20)
    with pytest.raises(cl.InvalidInput, match="no propensity is known"):
        cl.read_export(talk.got("GET", "/export"))


def test_what_is_no_export(tmp_path: Path) -> None:
    two = {"catalogue": "films", "events": []}, {"catalogue": "books", "events": []}
    export = {"user": "ann", "conversations": list(two)}
    with pytest.raises(cl.InvalidInput, match="say catalogue="):
        cl.read_export(export)
    with pytest.raises(cl.UnknownName, match="Did you mean 'films'"):
        cl.read_export(export, catalogue="film")
    with pytest.raises(cl.InvalidInput, match="user and conversations"):
        cl.read_export({"events": []})
    with pytest.raises(cl.InvalidInput, match=r"none\.json cannot be read"):
        cl.read_export(tmp_path / "none.json")
