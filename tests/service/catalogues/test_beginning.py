"""Topics to begin with are few, broad and unlike each other; all others are there, too."""

from __future__ import annotations

import itertools

import numpy as np
from fastapi.testclient import TestClient

import conlinucb as cl
from conlinucb.datasets import demo
from conlinucb.service.catalogues.chips import CHIPS, FEWEST, chosen_chips

PATH = "/v1/page/beginning"


def test_the_films_have_broad_and_varied_chips(memory: TestClient) -> None:
    found = memory.get(PATH).json()
    assert FEWEST <= len(found["chips"]) <= CHIPS
    catalog = demo(d=None).catalog
    weights = catalog.weights.toarray()
    columns = [weights[:, catalog.term_index(each["term"])] for each in found["chips"]]
    assert all(each.sum() >= 0.05 * len(catalog) for each in columns)
    for one, other in itertools.combinations(columns, 2):
        assert one @ other <= 0.25 * np.sqrt((one @ one) * (other @ other))
    sizes = [each["items"] for each in found["topics"]]
    assert sizes == sorted(sizes, reverse=True)
    assert {each["term"] for each in found["topics"]} == set(catalog.term_ids)
    assert {"term": "westerns", "items": 12} in found["topics"]


def test_where_topics_are_alike_there_are_chips_nonetheless() -> None:
    rng = np.random.default_rng(3)
    weights = (rng.random((40, 14)) < 0.6).astype(float)
    agent = cl.for_newcomers(cl.Catalog(weights, weights).with_constant())
    assert len(chosen_chips(agent)) >= FEWEST


def test_of_an_agent_that_asks_about_items_there_are_topics(memory: TestClient) -> None:
    items = [{"id": str(each), "tags": ["x", "y"][: 1 + each % 2]} for each in range(4)]
    settings = {"agent": {"recipe": "arm_con"}}
    memory.put("/v1/catalogues/two", json={"items": items, "settings": settings})
    found = memory.get(PATH, params={"catalogue": "two"}).json()
    assert found["topics"] == [{"term": "x", "items": 4}, {"term": "y", "items": 2}]
    assert {each["term"] for each in found["chips"]} <= {"x", "y"}
    memory.delete("/v1/catalogues/two").raise_for_status()


def test_looking_creates_nobody(memory: TestClient) -> None:
    """Whoever only opens the page leaves no trace."""
    storage = memory.app.state.use_cases.storage  # type: ignore[attr-defined]
    before = storage.people.count(1)
    memory.get("/").raise_for_status()
    try:
        for path in ("me/picture", "me/best", "page", "page/beginning", "page/search?q=alien"):
            memory.get(f"/v1/{path}").raise_for_status()
        memory.post("/v1/me/steps", json={"said": []}).raise_for_status()
        assert storage.people.count(1) == before
        memory.post("/v1/me/steps", json={"next": {}}).raise_for_status()
        assert storage.people.count(1) == before + 1
    finally:
        memory.delete("/v1/me").raise_for_status()
        memory.cookies.clear()
