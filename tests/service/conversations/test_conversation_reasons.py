"""Explanations over HTTP add up, and are those of a direct solve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conlinucb.service.conversations.views import CONTRIBUTIONS
from conlinucb.service.storage import AnswerBody, RewardBody
from support import service_conversation
from support.service_conversation import CATALOG, ITEMS, TERMS, Start, adds_up, asked, refusal
from support.service_talk import RECIPES, Talk

start = service_conversation.start


def value_said(body: AnswerBody | RewardBody) -> float | None:
    return body.answer if isinstance(body, AnswerBody) else body.reward


def features(body: AnswerBody | RewardBody) -> Any:
    if isinstance(body, AnswerBody):
        return CATALOG.terms[TERMS.index(body.names[0])]
    return CATALOG.arms[ITEMS.index(body.item)]


@pytest.mark.parametrize("recipe", RECIPES)
def test_contributions_add_up(start: Start, recipe: str) -> None:
    talk = start(recipe)
    talk.go_on(30)
    removed = talk.bodies(RewardBody)[0].item
    path = f"/v1/catalogues/{talk.catalogue}/removals"
    assert talk.client.post(path, json={"items": [removed]}).status_code == 200
    said = {
        each.seq: value_said(each.body)
        for each in talk.log()
        if isinstance(each.body, AnswerBody | RewardBody)
    }
    taught = {seq: value for seq, value in said.items() if value is not None}
    assert recipe == "linucb" or len(taught) < len(said)
    agent, user = talk.state().version.agent, talk.state().user
    for item in (*ITEMS[:3], removed):
        why = talk.explain(item)
        assert adds_up(why)
        assert abs(why["mean"]) > 1e-6
        assert {part["event"]: part["value"] for part in why["contributions"]} == taught
        exact = agent.score(user, [ITEMS.index(item)])
        found = [why["mean"], why["radius"], why["score"]]
        assert found == [exact.means[0], exact.radii[0], exact.scores[0]]
    status, code, message = refusal(talk, "/explain", None, "GET", item="itme 1")
    assert (status, code) == (422, "unknown_name")
    assert "Did you mean" in message


@pytest.mark.parametrize("recipe", ["conucb", "conlinucb"])
def test_a_long_explanation_has_a_rest(start: Start, recipe: str) -> None:
    talk = start(recipe)
    asked(talk, ["yes", "skip", 0.3])
    for i in range(CONTRIBUTIONS // 12 + 1):
        advice = talk.next(ask="never", k=12)
        for j, each in enumerate(advice["items"]):
            said = {"decision": advice["decision"], "item": each["item"]}
            talk.reward(**said, reward=((5 * i + 3 * j) % 11) / 10)
    why = talk.explain(ITEMS[2])
    assert len(why["contributions"]) == CONTRIBUTIONS
    sizes = [abs(each["contribution"]) for each in why["contributions"]]
    assert sizes == sorted(sizes, reverse=True)
    assert abs(why["rest"]) <= 6 * sizes[-1] + 1e-12  # rounding, where the smallest are 0
    assert adds_up(why)


def test_a_mean_is_that_of_a_direct_solve(start: Start) -> None:
    talk = start("conlinucb")
    talk.go_on(40)
    M, Y = 0.4 * np.eye(CATALOG.d), np.zeros(CATALOG.d)
    bodies: list[AnswerBody | RewardBody] = [*talk.bodies(AnswerBody), *talk.bodies(RewardBody)]
    for body in bodies:
        value = value_said(body)
        if value is not None:
            M += np.outer(features(body), features(body))
            Y += value * features(body)
    theta = np.linalg.solve(M, Y)
    for a, item in enumerate(ITEMS):
        why = talk.explain(item)
        assert why["mean"] == pytest.approx(CATALOG.arms[a] @ theta, rel=1e-9, abs=1e-9)
        radius = np.sqrt(CATALOG.arms[a] @ np.linalg.solve(M, CATALOG.arms[a]))
        assert why["radius"] == pytest.approx(radius, rel=1e-9)
    beliefs = [each["mean"] for each in talk.got("GET", "")["terms"]]
    np.testing.assert_allclose(beliefs, CATALOG.terms @ theta, rtol=1e-9, atol=1e-9)


def test_exploring_says_what_is_not_shown_for_its_mean(start: Start) -> None:
    flags = []
    for alpha in (0, 3):
        talk = start(agent={"recipe": "linucb", "alpha": alpha})
        for _ in range(4):
            means = sorted(talk.explain(item)["mean"] for item in ITEMS) if talk_began(talk) else []
            advice = talk.next(k=2)
            for each in advice["items"]:
                if means:
                    assert each["exploring"] == (each["mean"] < means[-2] - 1e-9)
                    flags.append((alpha, each["exploring"]))
                said = {"decision": advice["decision"], "item": each["item"]}
                talk.reward(**said, reward=0.8)
    assert {(0, False), (3, True)} <= set(flags)
    assert (0, True) not in flags


def talk_began(talk: Talk) -> bool:
    return bool(talk.send("GET", "").status_code == 200)
