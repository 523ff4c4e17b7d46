"""How items look to people: kept with every version, and loaded from nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from conlinucb.datasets.demo import details
from conlinucb.errors import Damaged
from conlinucb.service.catalogues.version import Content
from support.service_films import change, problem, put
from support.service_talk import Talk
from support.service_world import client_of

LOOK = {
    "title": "Blue soup",
    "subtitle": "from Graz",
    "image": "/static/soup.svg",
    "link": "https://soups.example/blue?a=1",
    "text": "Warm.\nAnd blue.",
    "year": 1998,
}
ITEMS: list[dict[str, Any]] = [
    {"id": "s1", "tags": ["warm"], **LOOK},
    {"id": "s2", "tags": ["warm", "cold"], "title": "Red soup"},
    {"id": "s3", "tags": ["cold"]},
]
BARE = dict.fromkeys(LOOK)


def look(talk: Talk, item: str) -> dict[str, Any]:
    """How an item goes out with a recommendation."""
    (found,) = talk.next(ask="never", pool=[item])["items"]
    return {name: found[name] for name in LOOK}


def test_details_go_out_with_items(memory: TestClient) -> None:
    put(memory, "soups", {"items": ITEMS}).raise_for_status()
    talk = Talk(memory, "soups")
    assert look(talk, "s1") == LOOK
    assert look(talk, "s2") == BARE | {"title": "Red soup"}
    assert look(talk, "s3") == BARE | {"title": "s3"}
    talk.reward(item="s1", reward=1)
    assert talk.got("GET", "/picture")["rated"][0]["title"] == "Blue soup"
    best = {each["item"]: each["title"] for each in talk.got("GET", "/best")["items"]}
    assert best == {"s1": "Blue soup", "s2": "Red soup", "s3": "s3"}


def test_details_live_as_long_as_items_do(lasting_url: str) -> None:
    """Through additions, removals, a return, a restart and a replacement."""
    with client_of(lasting_url) as client:
        put(client, "soups", {"items": ITEMS}).raise_for_status()
        talk = Talk(client, "soups")
        new = {"items": [{"id": "s4", "tags": ["cold"], "title": "Ice", "year": 2001}]}
        change(talk, "/items", new).raise_for_status()
        change(talk, "/removals", {"items": ["s1", "s2"]}).raise_for_status()
        back = {"items": [{"id": "s1", "tags": []}, {"id": "s2", "tags": [], "title": "Green"}]}
        change(talk, "/items", back).raise_for_status()
        wanted = {
            "s1": LOOK,
            "s2": BARE | {"title": "Green"},
            "s4": BARE | {"title": "Ice", "year": 2001},
        }
        assert {name: look(talk, name) for name in wanted} == wanted
    with client_of(lasting_url) as client:
        talk = Talk(client, "soups")
        assert {name: look(talk, name) for name in wanted} == wanted
        client.delete("/v1/users/ann").raise_for_status()
        put(client, "soups", {"items": ITEMS[1:]}).raise_for_status()
        assert look(talk, "s2")["title"] == "Red soup"
        assert "s1" not in talk.use_cases.catalogues.serving("soups").content.details


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a long title": ({"title": "x" * 201}, "title"),
    "an empty title": ({"title": ""}, "title"),
    "a control character": ({"subtitle": "a\x07b"}, "subtitle"),
    "a long text": ({"text": "x" * 2001}, "text"),
    "half a year": ({"year": 1998.5}, "year"),
    "a year in words": ({"year": "1998"}, "year"),
    "a far year": ({"year": 10_000}, "year"),
    "a picture by http": ({"image": "http://img.example/a.png"}, "image"),
    "a picture without a scheme": ({"image": "//img.example/a.png"}, "image"),
    "a picture as data": ({"image": "data:image/png;base64,AAAA"}, "image"),
    "a picture as a script": ({"image": "javascript:alert(1)"}, "image"),
    "a picture with a backslash": ({"image": "/\\img.example/a.png"}, "image"),
    "a picture on a strange host": ({"image": "https://other.example/a.png"}, "image_hosts"),
    "a picture on another port": ({"image": "https://img.example:8443/a.png"}, "image_hosts"),
    "a picture for a user": ({"image": "https://a@img.example/a.png"}, "image"),
    "a link as a script": ({"link": "javascript:alert(1)"}, "link"),
    "a link to no host": ({"link": "https:///a"}, "link"),
    "a link with a space": ({"link": "https://a.example/b c"}, "link"),
    "an unknown field": ({"colour": "blue"}, "colour"),
}


@pytest.fixture(scope="module")
def picky() -> Iterator[TestClient]:
    """A client of a service that takes pictures from one other host."""
    with client_of(image_hosts=["img.example"]) as client:
        put(client, "soups", {"items": ITEMS}).raise_for_status()
        yield client


@pytest.mark.parametrize("how", WRONG)
def test_details_that_cannot_be_shown_are_refused(picky: TestClient, how: str) -> None:
    given, named = WRONG[how]
    status, _, message = problem(put(picky, "soups", {"items": [{**ITEMS[0], **given}]}))
    assert (status, named in message) == (422, True), message
    added = {"items": [{"id": "s9", "tags": ["warm"], **given}]}
    assert problem(change(Talk(picky, "soups"), "/items", added))[0] == 422


def test_pictures_of_known_hosts_are_taken_and_browsers_may_load_them() -> None:
    with client_of(image_hosts=["img.example", "more.example"]) as client:
        image = "https://img.example/a.png?size=2"
        put(client, "soups", {"items": [{**ITEMS[0], "image": image}]}).raise_for_status()
        assert look(Talk(client, "soups"), "s1")["image"] == image
        policy = client.get("/").headers["content-security-policy"]
        assert "img-src 'self' https://img.example https://more.example;" in policy
    with client_of() as client:
        assert "img-src 'self';" in client.get("/").headers["content-security-policy"]


def test_the_films_have_titles_and_years(memory: TestClient) -> None:
    assert look(Talk(memory, "films", "someone"), "Alien (1979)") == BARE | {
        "title": "Alien",
        "year": 1979,
    }
    found = details()
    assert len(found) == 360
    assert all(f"{each['title']} ({each['year']})" == name for name, each in found.items())
    films = next(
        each for each in memory.get("/v1/page").json()["catalogues"] if each["name"] == "films"
    )
    assert (films["noun"], films["nouns"]) == ("film", "films")


def test_a_catalogue_of_before_details_can_be_read(memory: TestClient) -> None:
    put(memory, "soups", {"items": ITEMS}).raise_for_status()
    served = Talk(memory, "soups").use_cases.catalogues.serving("soups").content
    again = Content.from_bytes(served.to_bytes())
    assert again.details == served.details == {"s1": LOOK, "s2": {"title": "Red soup"}}
    broken = Content(served.catalog, details={"s1": {"colour": "blue"}})
    with pytest.raises(Damaged, match="details"):
        Content.from_bytes(broken.to_bytes())
