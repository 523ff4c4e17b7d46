"""A catalogue of which many people have said something, with tastes that have a common part."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from fastapi import FastAPI
from fastapi.testclient import TestClient

from conlinucb.service.conversations.use_cases import UseCases
from conlinucb.service.populations.learn import Learner
from support.service_conversation import CATALOG, ITEMS, TERMS, upload
from support.service_talk import RECIPES, Talk

LEAST = 8
MEAN = np.array([0.5, -0.2, 0.3])
COMMON: dict[str, Any] = {
    "agent": RECIPES["conlinucb"],
    "max_questions": None,
    "rest_after_answer": 0,
    "population_least": LEAST,
    "range": [-5.0, 5.0],
}


def use_cases_of(client: TestClient) -> UseCases:
    found: UseCases = cast(FastAPI, client.app).state.use_cases
    return found


def learner_of(client: TestClient) -> Learner:
    found: Learner = cast(FastAPI, client.app).state.background.learner
    return found


def speak(client: TestClient, catalogue: str, name: str, seed: int, *, answers: int = 1) -> None:
    """Four rewards and some answers of someone whose taste is drawn by this seed."""
    draw = np.random.default_rng(seed)
    taste = MEAN + 0.3 * draw.standard_normal(3)
    use_cases = use_cases_of(client)
    for arm in draw.choice(len(ITEMS), 4, replace=False):
        value = float(CATALOG.arms[arm] @ taste + 0.1 * draw.standard_normal())
        use_cases.reward(catalogue, name, None, ITEMS[arm], value, None)
    for term in draw.choice(len(TERMS), answers, replace=False):
        value = float(CATALOG.terms[term] @ taste + 0.1 * draw.standard_normal())
        use_cases.volunteer(catalogue, name, TERMS[term], value, None)


def crowd(client: TestClient, catalogue: str = "it", people: int = 10, **settings: Any) -> Talk:
    """So many people, p0 and on, about a new catalogue; the first one's conversation."""
    upload(client, catalogue, **COMMON | settings)
    for number in range(people):
        speak(client, catalogue, f"p{number}", number)
    return Talk(client, catalogue, "p0")


def fitted(client: TestClient, catalogue: str = "it", **body: Any) -> dict[str, Any]:
    response = client.post(f"/v1/catalogues/{catalogue}/populations", json=body)
    assert response.status_code == 200, response.text
    return dict(response.json())


def put_to_use(client: TestClient, number: int, catalogue: str = "it") -> None:
    response = client.put(f"/v1/catalogues/{catalogue}/population", json={"number": number})
    assert response.status_code == 200, response.text
    assert [each["number"] for each in response.json() if each["in_use"]] == (
        [number] if number else []
    )
