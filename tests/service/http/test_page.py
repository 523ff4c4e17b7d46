"""The page without a browser: its files, its people, and who may see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from conlinucb.service.http.routes.page import FOLDER
from conlinucb.service.http.visitors import COOKIE, PAGES, SAFE_COOKIE, is_page, name_of
from support.service_world import client_of

KEY = "a key of more than sixteen".replace(" ", "-")
FILES = sorted(path.name for path in FOLDER.iterdir())


@pytest.fixture
def client(memory: TestClient) -> TestClient:
    """Of a browser that was never here before; the service has met others."""
    memory.cookies.clear()
    return memory


def secret_of(client: TestClient) -> str:
    return str(client.cookies[COOKIE])


@pytest.mark.parametrize("path", PAGES)
def test_documents(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    cookie = response.headers["set-cookie"]
    assert re.fullmatch(
        rf"{COOKIE}=[\w-]{{43}}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax", cookie
    )


@pytest.mark.parametrize("name", FILES)
def test_files_come_from_the_package_and_may_be_kept(client: TestClient, name: str) -> None:
    response = client.get(f"/static/{name}")
    assert response.status_code == 200
    assert response.content == (FOLDER / name).read_bytes()
    assert response.headers["cache-control"] == "no-cache"
    tag = {"if-none-match": response.headers["etag"]}
    assert client.get(f"/static/{name}", headers=tag).status_code == 304


@pytest.mark.parametrize("name", FILES)
def test_no_file_names_another_address_or_has_anything_inline(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[\w.]+", text)) <= {"http://www.w3.org"}
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=\"|innerHTML|insertAdjacent|eval\(", text)


@pytest.mark.parametrize(
    "name", ["", "%2e%2e", "%2e%2e/app.py", "%2e%2e%2fapp.py", "no.js", "page.css/x"]
)
def test_nothing_else_is_a_file(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_the_policy_allows_the_own_origin_and_nothing_inline(client: TestClient) -> None:
    for path in (*PAGES, "/static/talk.js", "/v1/page", "/nowhere"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_a_browser_is_one_person_and_keeps_its_cookie(client: TestClient) -> None:
    client.get("/")
    secret = secret_of(client)
    assert f"{COOKIE}={secret};" in client.get("/").headers["set-cookie"]  # for another year
    assert client.post("/v1/me/next").json()["question"] == "q1"
    profile = client.get("/v1/me").json()
    assert profile["user"] == name_of(secret)
    assert client.get(f"/v1/users/{name_of(secret)}").json() == profile
    assert secret not in client.get("/v1/me/export").text


def test_me_is_all_that_a_person_may_do(client: TestClient) -> None:
    client.get("/")
    question = client.post("/v1/me/next").json()["question"]
    answer = client.post("/v1/me/answers", json={"question": question, "answer": "yes"})
    shown = client.post("/v1/me/next", json={"k": 2}).json()
    item = shown["items"][0]["item"]
    body = {"decision": shown["decision"], "item": item, "reward": 1.0}
    assert client.post("/v1/me/rewards", json=body).status_code == 200
    explained = client.get("/v1/me/explain", params={"item": item}).json()
    assert {each["kind"] for each in explained["contributions"]} == {"answer", "reward"}
    assert client.delete(f"/v1/me/events/{answer.json()['event']}").status_code == 200
    assert client.get("/v1/me").json()["events"][0]["kind"] == "retraction"


def test_items_come_with_their_topics(client: TestClient) -> None:
    shown = client.post("/v1/users/ann/next", json={"ask": "never", "pool": ["Alien (1979)"]})
    topics = shown.json()["items"][0]["terms"]
    assert {"horror", "set in space"} <= set(topics)
    assert len(topics) <= 12


@pytest.mark.parametrize(
    "value", ["", "x", "a" * 42, "a" * 44, "ä" * 43, "../" * 14 + "a", '"' * 43]
)
def test_what_is_no_secret_of_ours_is_no_person(client: TestClient, value: str) -> None:
    headers = {b"cookie": f"{COOKIE}={value}".encode()}
    response = client.get("/v1/me", headers=headers)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "no_visitor"
    assert COOKIE in client.get("/", headers=headers).headers["set-cookie"]


@pytest.mark.parametrize(
    "others",
    ['prefs={"theme":"dark"}', "a[b]=c", "bare", "x=ä ö", 'q="1;2"', "=", "conlinucb_perso=x"],
)
def test_other_cookies_make_no_difference(client: TestClient, others: str) -> None:
    client.get("/")
    client.post("/v1/me/next")
    mine = f"{COOKIE}={secret_of(client)}"
    client.cookies.clear()
    for several in ([f"{others}; {mine}"], [f"{mine}; {others}"], [others, mine]):
        headers = [(b"cookie", each.encode()) for each in several]
        assert client.get("/v1/me", headers=headers).status_code == 200


def test_deleting_one_conversation_keeps_the_cookie(client: TestClient) -> None:
    client.get("/")
    client.post("/v1/me/next")
    response = client.delete("/v1/me?catalogue=films")
    assert response.status_code == 204
    assert "set-cookie" not in response.headers


def test_earlier_events_can_be_paged_to(client: TestClient) -> None:
    for _ in range(5):
        client.post("/v1/users/bea/next", json={"ask": "never"})
    seen, before = [], 100
    while events := client.get(f"/v1/users/bea?events=2&before={before}").json()["events"]:
        seen += [each["event"] for each in events]
        before = seen[-1]
    assert seen == [5, 4, 3, 2, 1]


def test_an_answered_question_about_the_films_rests(client: TestClient) -> None:
    asked = []
    for _ in range(15):
        question = client.post("/v1/users/cid/next").json()
        asked.append(question["term"])
        body = {"question": question["question"], "answer": "no"}
        client.post("/v1/users/cid/answers", json=body).raise_for_status()
        client.post("/v1/users/cid/next").raise_for_status()
    assert len(set(asked)) == 15


def test_another_secret_is_another_person(client: TestClient) -> None:
    client.get("/")
    client.post("/v1/me/next")
    client.cookies.clear()
    client.cookies.set(COOKIE, "b" * 43)
    assert client.get("/v1/me").json()["error"]["code"] == "unknown_user"
    assert client.get("/v1/me/export").status_code == 404
    assert client.delete("/v1/me").status_code == 404


def test_deleting_oneself_ends_the_cookie(client: TestClient) -> None:
    client.get("/")
    client.post("/v1/me/next")
    name = name_of(secret_of(client))
    response = client.delete("/v1/me")
    assert response.status_code == 204
    assert "Max-Age=0" in response.headers["set-cookie"]
    assert client.get(f"/v1/users/{name}").status_code == 404
    assert client.get("/v1/me").status_code == 401


def test_over_tls_the_cookie_is_for_this_host_alone(client: TestClient) -> None:
    expected = (
        rf"{SAFE_COOKIE}=[\w-]{{43}}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure"
    )
    direct = client.get("https://127.0.0.1/")
    client.cookies.clear()
    proxied = client.get("/", headers={"x-forwarded-proto": "https"})
    for response in (direct, proxied):
        assert re.fullmatch(expected, response.headers["set-cookie"])


def test_a_cookie_from_before_is_exchanged_and_its_bearer_stays(client: TestClient) -> None:
    old, https = f"{COOKIE}={'o' * 43}", {"x-forwarded-proto": "https"}
    response = client.get("/", headers={**https, "cookie": old})
    given = response.headers.get_list("set-cookie")
    assert given[0].startswith(f"{SAFE_COOKIE}={'o' * 43};")
    assert given[1].startswith(f"{COOKIE}=; Path=/; Max-Age=0;")
    client.cookies.clear()
    both = f"{COOKIE}={'x' * 43}; {SAFE_COOKIE}={'o' * 43}"  # set by a neighbour: it has no effect
    client.put(f"/v1/users/{name_of('o' * 43)}").raise_for_status()
    seen = client.get("/v1/me", headers={**https, "cookie": both}).json()
    assert seen["user"] == name_of("o" * 43)


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/", True),
        ("/profile", True),
        ("/static/talk.js", True),
        ("/v1/me", True),
        ("/v1/me/next", True),
        ("/v1/page", True),
        ("/v1/page/comparison", True),
        ("/v1/pages", False),
        ("/v1/meet", False),
        ("/v1/users/ann", False),
        ("/v1/catalogues", False),
        ("/static", False),
        ("/profile/x", False),
    ],
)
def test_what_belongs_to_the_page(path: str, own: bool) -> None:
    assert is_page(path) == own


def test_with_a_key_the_page_is_closed_unless_it_is_opened() -> None:
    with client_of(key=KEY) as closed:
        for path in ("/", "/profile", "/v1/me", "/v1/page"):
            assert closed.get(path).status_code == 401
        assert closed.get("/static/talk.js").status_code == 200  # files hold no data
    with client_of(key=KEY, page="open") as opened:
        assert opened.get("/").status_code == 200
        assert opened.post("/v1/me/next").status_code == 200
        assert opened.get("/v1/page").status_code == 200
        person = opened.get("/v1/me").json()["user"]
        for path in (f"/v1/users/{person}", "/v1/catalogues", "/v1/openapi.json"):
            assert opened.get(path).status_code == 401
        assert opened.put("/v1/catalogues/films", json={"items": []}).status_code == 401


def test_visitors_see_only_what_is_public() -> None:
    body = {"items": [{"id": "a", "tags": ["x", "y"]}, {"id": "b", "tags": ["y"]}]}
    bearer = {"authorization": f"Bearer {KEY}"}
    with client_of(key=KEY, page="open") as client:
        client.put("/v1/catalogues/secret", json=body, headers=bearer).raise_for_status()
        client.get("/")
        names = [each["name"] for each in client.get("/v1/page").json()["catalogues"]]
        assert names == ["films"]
        for path in ("/v1/me/picture", "/v1/page/search?q=a", "/v1/page/beginning", "/v1/me/best"):
            about = {"catalogue": "secret"} | ({"q": "a"} if "search" in path else {})
            hidden = client.get(path.partition("?")[0], params=about)
            unknown = client.get(path.partition("?")[0], params=about | {"catalogue": "secrex"})
            assert (hidden.status_code, unknown.status_code) == (404, 404)
            assert hidden.text.replace("secret", "secrex") == unknown.text
        for path in ("/v1/me/next", "/v1/page/comparison"):
            sent = {"agents": ["ucb"], "rounds": 1} if "comparison" in path else None
            response = client.post(path, params={"catalogue": "secret"}, json=sent)
            assert response.status_code == 404
        seen = client.get("/v1/page", headers=bearer).json()["catalogues"]
        assert [each["name"] for each in seen] == ["films", "secret"]
        settings = client.get("/v1/catalogues/secret/settings", headers=bearer).json()
        settings["public"] = True
        client.put("/v1/catalogues/secret/settings", json=settings, headers=bearer)
        about = {"catalogue": "secret"}
        assert client.get("/v1/me/picture", params=about).status_code == 200


def test_an_open_page_takes_calls_from_itself_alone() -> None:
    with client_of(key=KEY, page="open") as client:
        client.get("/")
        client.headers["host"] = "films.example"
        for origin, status in (
            ("https://films.example", 200),
            ("https://evil.example", 403),
            ("https://sub.films.example", 403),
            ("null", 403),
        ):
            response = client.post("/v1/me/next", headers={"origin": origin})
            assert response.status_code == status, origin


def test_a_page_that_is_off_is_not_there() -> None:
    with client_of(page="off") as client:
        for path in (*PAGES, "/static/talk.js", "/v1/me", "/v1/page"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "rest", ["/%2e%2e/users/ann", "/%2e%2e%2fusers%2fann", "//ann", "/next/%2e%2e/%2e%2e/ann"]
)
def test_no_way_leads_from_me_to_others(client: TestClient, rest: str) -> None:
    client.get("/")
    client.put("/v1/users/ann")
    assert client.get(f"/v1/me{rest}").status_code in (404, 405)


def test_the_page_knows_its_catalogues(client: TestClient) -> None:
    found = client.get("/v1/page").json()
    films = {"name": "films", "items": 360, "terms": 58, "range": [0.0, 1.0]}
    assert found["catalogues"] == [films | {"noun": "film", "nouns": "films"}]
    assert found["default"] == "films"


DOCUMENTED = (Path(__file__).parents[3] / "docs/page.md").read_text(encoding="utf-8")


def test_every_picture_of_the_tour_is_there_and_shown() -> None:
    folder = Path(__file__).parents[3] / "docs/page"
    named = set(re.findall(r"\(page/([\w-]+\.png)\)", DOCUMENTED))
    assert named == {path.name for path in folder.glob("*.png")}
    assert len(named) == 48


def test_the_film_of_the_first_minute_is_small_and_shown() -> None:
    root = Path(__file__).parents[3]
    film = (root / "docs/page/first-minute.webp").read_bytes()
    assert film[8:12] == b"WEBP"
    assert b"ANMF" in film  # more than one frame
    assert len(film) < 2_000_000
    assert "docs/page/first-minute.webp" in (root / "README.md").read_text(encoding="utf-8")
