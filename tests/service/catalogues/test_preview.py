"""What an upload would become, seen before anything is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.catalogues import example_people
from support import service_films
from support.service_films import items, problem

name = service_films.name
RECIPES = Path(__file__).parents[3] / "examples/recipes.csv"


def preview(client: TestClient, body: bytes, kind: str = "text/csv", **wanted: str) -> Any:
    headers = {"content-type": kind}
    return client.post("/v1/catalogues/preview", content=body, headers=headers, params=wanted)


@pytest.fixture(scope="module")
def recipes(memory: TestClient) -> dict[str, Any]:
    response = preview(memory, RECIPES.read_bytes(), ask_about="one")
    assert response.status_code == 200, response.text
    return dict(response.json())


def test_nothing_is_stored(memory: TestClient, recipes: dict[str, Any]) -> None:
    assert recipes["items"] == 60
    assert [each["catalogue"] for each in memory.get("/v1/catalogues").json()] == ["films"]
    again = preview(memory, RECIPES.read_bytes(), ask_about="one").json()
    assert again == recipes  # nor is anything drawn at random


def test_coverage(recipes: dict[str, Any]) -> None:
    coverage = recipes["coverage"]
    rows = [line.split(";")[1].split("|") for line in RECIPES.read_text("utf-8").split("\n")[1:-1]]
    for each in coverage["topics"]:
        assert each["items"] == sum(each["topic"] in row for row in rows)
    assert len(coverage["topics"]) == recipes["topics"] == 15
    assert coverage["topics_an_item"] == round(sum(map(len, rows)) / 60, 2)
    assert (coverage["without_topics"], coverage["alone"]) == (0, 0)


def test_what_is_thin_is_said(memory: TestClient) -> None:
    table = b"item,tags\nSoup,all|a\nPie,all|b\nAir,\nTea,all|c\n"
    found = preview(memory, table).json()
    assert found["coverage"]["without"] == ["Air"]
    assert found["coverage"]["alone_topics"] == ["a", "b", "c"]
    said = " ".join(found["warnings"])
    assert "3 of 4 topics belong to one item alone" in said
    assert "Every item has 'all'" in said


def test_the_questions_are_those_that_a_newcomer_is_asked_first(
    memory: TestClient, recipes: dict[str, Any], name: str
) -> None:
    asked = [each["topic"] for each in recipes["questions"]]
    assert len(set(asked)) == 5
    upload(memory, name, RECIPES.read_bytes(), ask_about="one")
    first = memory.post("/v1/users/someone/next", params={"catalogue": name}).json()
    assert (first["term"], first["text"]) == (asked[0], recipes["questions"][0]["text"])
    counts = {each["topic"]: each["items"] for each in recipes["coverage"]["topics"]}
    for each in recipes["questions"]:
        assert each["why"].startswith(f"{counts[each['topic']]} of 60 items have it.")
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()


def test_example_people_answer_by_their_taste(recipes: dict[str, Any]) -> None:
    people = recipes["people"]
    assert [each["name"] for each in people] == ["One person", "Another", "A third"]
    assert len({topic for each in people for topic in each["likes"]}) == 6
    for person in people:
        likes, seen = set(person["likes"]), []
        for step in person["steps"]:
            liked = any(step["asked"] == f"Do you like {topic}?" for topic in likes)
            assert step["answer"] == ("yes" if liked else "no")
            for each in step["shown"]:
                assert each["fits"] == bool(likes & set(each["topics"]))
                seen.append(each["item"])
        assert len(set(seen)) == len(seen) == person["shown"] == 12
        asked = [step["asked"] for step in person["steps"]]
        assert len(set(asked)) == len(asked)
        assert f"Do you like {person['says']}?" not in asked
        assert person["fitting"] == sum(s["fits"] for t in person["steps"] for s in t["shown"])
        assert person["fitting"] / 12 > person["chance"]


def test_json_is_previewed_with_its_settings(memory: TestClient) -> None:
    quiet = {"agent": {"recipe": "linucb"}, "question": "Is {term} yours?"}
    response = memory.post(
        "/v1/catalogues/preview", json={"items": items(), "settings": quiet | {"max_questions": 2}}
    )
    assert response.json()["questions"] == []  # LinUCB asks nothing
    asking = {"question": "Is {term} yours?", "max_questions": 2}
    body = {"items": items(), "settings": asking}
    found = memory.post("/v1/catalogues/preview", json=body).json()
    assert [each["text"] for each in found["questions"]] == [
        f"Is {each['topic']} yours?" for each in found["questions"]
    ]
    assert len(found["questions"]) == 2
    assert found["understood"]["layout"] == "items"


def test_what_an_upload_refuses_is_refused_here(memory: TestClient) -> None:
    status, code, message = problem(preview(memory, b"item;tag\nSoup;x\nSoup;\n"))
    assert (status, code) == (422, "invalid_input")
    assert message.startswith("line 3: 'Soup;' has no tag")
    assert problem(preview(memory, b"x", "text/plain"))[:2] == (415, "wrong_type")
    status, _, message = problem(
        memory.post("/v1/catalogues/preview", json={"items": [{"id": "a", "tags": []}]})
    )
    assert (status, "'a'" in message) == (422, True)


def test_letters_of_windows_are_said(memory: TestClient, name: str) -> None:
    table = "item;tag\nCr\u00e8me;sweet\nSoup;warm\n".encode("cp1252")
    put = memory.put(f"/v1/catalogues/{name}", content=table, headers={"content-type": "text/csv"})
    for found in (preview(memory, table), put):
        said = found.json()["understood"]["warnings"]
        assert any("Windows-1252, first in line 2: 'Cr\u00e8me;sweet'" in each for each in said)
    best = memory.get("/v1/users/ann/best", params={"catalogue": name}).json()["items"]
    assert "Cr\u00e8me" in {each["item"] for each in best}


def test_large_ones_have_no_example_people(
    memory: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(example_people, "MOST_ITEMS", 59)
    found = preview(memory, RECIPES.read_bytes()).json()
    assert found["people"] == []
    assert "this one is larger" in found["without_people"]
    assert sum(len(each["topic"].split(" / ")) for each in found["questions"]) == found["topics"]


def upload(client: TestClient, name: str, body: bytes, **wanted: str) -> dict[str, Any]:
    headers = {"content-type": "text/csv"}
    response = client.put(f"/v1/catalogues/{name}", content=body, headers=headers, params=wanted)
    response.raise_for_status()
    return dict(response.json())


def test_a_new_catalogue_asks_about_several_topics_at_once_where_there_are_enough(
    memory: TestClient, name: str
) -> None:
    body = RECIPES.read_bytes()
    assert preview(memory, body).json()["ask_about"] == "any"
    assert upload(memory, name, body)["settings"]["ask_about"] == "any"
    memory.post("/v1/users/someone/next", params={"catalogue": name}).raise_for_status()
    asked = memory.post("/v1/users/someone/next", params={"catalogue": name}).json()
    assert (asked["about"], asked["pick"], len(asked["terms"])) == ("group", "any", 6)
    # Another choice stays, whatever is uploaded later.
    assert upload(memory, name, body, ask_about="one")["settings"]["ask_about"] == "one"
    assert upload(memory, name, body.replace(b"|soup", b""))["settings"]["ask_about"] == "one"
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()
    few = "".join(f"dish {i};{i}\n" for i in range(11)).encode()
    assert preview(memory, b"item;tag\n" + few).json()["ask_about"] == "one"
    assert preview(memory, b"item;tag\n" + few + b"more;11\n").json()["ask_about"] == "any"
    many: dict[str, Any] = {"items": [{"id": f"{i}", "tags": [f"{i}"]} for i in range(12)]}
    own = many | {"questions": {"3": "Do you like threes?"}}
    for sent, asks in ((many, "any"), (own, "one")):  # texts of their own are for one topic
        found = memory.post("/v1/catalogues/preview", json=sent).json()
        assert found["ask_about"] == asks


def test_a_preview_says_what_each_question_is_about(memory: TestClient) -> None:
    found = preview(memory, RECIPES.read_bytes()).json()
    assert [len(each["topic"].split(" / ")) for each in found["questions"]] == [6, 6, 3]
    steps = [step for person in found["people"] for step in person["steps"]]
    assert {len(step["about"]) for step in steps} == {0, 6}
    assert all(bool(step["about"]) == (step["asked"] is not None) for step in steps)


def test_an_upload_says_how_it_was_read(memory: TestClient, name: str) -> None:
    body, kind = b"Film;Genres;Stars\nHeat;crime|city;5\nRonin;crime;4\n", "text/csv"
    response = memory.put(f"/v1/catalogues/{name}", content=body, headers={"content-type": kind})
    told = response.json()["understood"]
    settings = response.json()["settings"]
    assert (settings["noun"], settings["nouns"]) == ("film", "films")
    assert (told["separator"], told["layout"], told["split"]) == (";", "wide", "|")
    assert "Numbers in 'Stars' are not used" in " ".join(told["warnings"])
    assert memory.get(f"/v1/catalogues/{name}").json()["understood"] is None
    tabs = {"content-type": "text/tab-separated-values"}
    spoken = settings | {"noun": "movie", "nouns": "movies"}
    memory.put(f"/v1/catalogues/{name}/settings", json=spoken).raise_for_status()
    again = memory.put(f"/v1/catalogues/{name}", content=body.replace(b";", b"\t"), headers=tabs)
    assert again.json()["understood"]["separator"] == "\t"
    assert again.json()["settings"] == spoken  # a later upload keeps what was set
    memory.delete(f"/v1/catalogues/{name}").raise_for_status()
