"""What someone types finds what they mean: typos, case and accents are forgiven."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.catalogues.search import LONGEST_WORDS, NameIndex, folded

PATH = "/v1/page/search"


def titles(client: TestClient, typed: str, **more: Any) -> list[str]:
    response = client.get(PATH, params={"q": typed, **more})
    assert response.status_code == 200, response.text
    return [each["title"] for each in response.json()["items"]]


def topics(client: TestClient, typed: str) -> list[str]:
    found = client.get(PATH, params={"q": typed}).json()["topics"]
    return [each["term"] for each in found]


MEANT = {
    "alien": "Alien",
    "ALIEN": "Alien",
    "alein": "Alien",
    "Alien 1979": "Alien",
    "amelie": "Amélie",
    "Amélie": "Amélie",
    "godfater": "The Godfather",
    "the shinning": "The Shining",
    "spirted aw": "Spirited Away",
    "starwars": "Star Wars",
    "star wrs": "Star Wars",
    "odyssey space": "2001: A Space Odyssey",
    "totoro": "My Neighbor Totoro",
    "alien movie": "Alien",
    "ran": "Ran",
    "seven samuri": "Seven Samurai",
}


@pytest.mark.parametrize("typed", MEANT)
def test_what_is_meant_is_found_first(memory: TestClient, typed: str) -> None:
    assert titles(memory, typed)[0] == MEANT[typed]


TOPICS = {
    "spa": "set in space",
    "horor": "horror",
    "animaton": "animation",
    "wetsern": "westerns",
    "Japan": "set in japan",
    "sci-fi": "science fiction",
}


@pytest.mark.parametrize("typed", TOPICS)
def test_topics_are_found_alike(memory: TestClient, typed: str) -> None:
    assert topics(memory, typed)[0] == TOPICS[typed]


def test_what_was_found_is_described(memory: TestClient) -> None:
    (found,) = memory.get(PATH, params={"q": "alien"}).json()["items"]
    assert (found["item"], found["year"]) == ("Alien (1979)", 1979)
    assert "set in space" in found["terms"]
    (topic,) = memory.get(PATH, params={"q": "westerns"}).json()["topics"]
    assert topic == {"term": "westerns", "items": 12}


def test_nothing_is_found_for_nonsense(memory: TestClient) -> None:
    for typed in ("qwxyzzy", "()", "zq", "🎬"):
        assert memory.get(PATH, params={"q": typed}).json() == {"items": [], "topics": []}


def test_there_are_at_most_as_many_as_wanted(memory: TestClient) -> None:
    assert len(titles(memory, "the", limit=3)) == 3
    assert len(titles(memory, "the", limit=20)) == 20


@pytest.mark.parametrize(
    "query", ["", "q=", "q=a&limit=0", "q=a&limit=21", "q=" + "a" * 101, "p=a"]
)
def test_what_cannot_be_searched_for_is_refused(memory: TestClient, query: str) -> None:
    response = memory.get(f"{PATH}?{query}")
    assert response.status_code == 422
    assert set(response.json()) == {"error"}
    assert memory.get(f"{PATH}?q=a&catalogue=none").status_code == 404


def test_a_removed_item_is_not_found_any_more(memory: TestClient) -> None:
    items = [
        {"id": "1", "tags": ["x", "y"], "title": "Blue soup", "subtitle": "from Graz"},
        {"id": "2", "tags": ["x"], "title": "Red soup"},
    ]
    memory.put("/v1/catalogues/soups", json={"items": items}).raise_for_status()
    assert titles(memory, "soup", catalogue="soups") == ["Red soup", "Blue soup"]
    assert titles(memory, "graz", catalogue="soups") == ["Blue soup"]
    assert titles(memory, "2", catalogue="soups") == ["Red soup"]
    memory.post("/v1/catalogues/soups/removals", json={"items": ["2"]}).raise_for_status()
    assert titles(memory, "soup", catalogue="soups") == ["Blue soup"]
    memory.delete("/v1/catalogues/soups").raise_for_status()


def test_what_is_written_so_comes_before_what_only_begins_so() -> None:
    index = NameIndex([("The Alien",), ("Aliens",), ("Alien",), ("Alienated",)])
    assert index.find("alien", 9) == [2, 1, 3, 0]
    assert index.find("alien", 2) == [2, 1]


def test_many_words_are_no_harm() -> None:
    index = NameIndex([("one",)])
    assert index.find(" ".join(["wrods"] * 5 * LONGEST_WORDS), 3) == []
    assert NameIndex([]).find("a", 3) == []
    assert NameIndex([("", "")]).find("a", 3) == []


def test_apostrophes_and_letters_of_other_scripts() -> None:
    index = NameIndex([("Schindler\u2019s List",), ("七人の侍",), ("Идиот",)])
    assert index.find("schindlers list", 1) == index.find("Schindler's", 1) == [0]
    assert index.find("七人", 1) == [1]
    assert index.find("ИДИ", 1) == [2]
    assert folded("Ünïcode") == "unicode"
