"""The profile in a browser: one's own and no one else's, taken back, exported, deleted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import (
    COOKIE,
    Come,
    Guest,
    answer,
    at,
    beliefs,
    believed,
    button,
    go_on,
    rate,
    settled,
    shown,
    to_items,
)
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
KEY = "a-key-for-the-tests"
EMPTY = "Nothing is kept of you about films yet."


def said_something(guest: Guest) -> Page:
    """An answer, a liked item, a skip and an item that was seen."""
    page = guest.talk()
    items = to_items(page)
    rate(page, items[0])
    rate(page, items[1], "Seen it")
    go_on(page)
    answer(page, "Skip")
    page.goto("/profile")
    return settled(page)


def test_all_that_was_said_is_there(come: Come) -> None:
    guest = come()
    page = said_something(guest)
    [term, other] = [each["about"]["id"] for each in guest.log("answer")]
    item = guest.log("reward")[0]["about"]["item"]
    rows = page.locator("#events li")
    expect(rows).to_have_count(3)
    expect(page.locator("#events strong")).to_have_text([other, item, term])
    expect(page.locator("#events .chip")).to_have_text(["skipped", "liked", "yes"])
    expect(page.locator("#summary")).to_have_text(
        "2 questions asked, 2 recommendations about films."
    )
    assert beliefs(page) == believed(guest.profile())
    expect(page.locator("#seen li")).to_have_count(1)


def test_seen_items_may_be_shown_again(come: Come) -> None:
    page = said_something(come())
    name = page.locator("#seen .what").inner_text()
    button(page, f"Show again: {name}").click()
    expect(page.locator("#seen-section")).to_be_hidden()
    assert browser.kept(page)["seen"] == []


def test_taken_back_is_as_if_never_said(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page)
    go_on(page)
    before = beliefs(page)
    term = guest.profile()["open_question"]["term"]
    answer(page, "Yes")
    assert beliefs(page) != before
    page.goto("/profile")
    button(page, f"Take back: {term}, yes").click()
    row = page.locator("#events li").filter(has_text=term)
    expect(row).to_have_class("gone")
    expect(row.locator(".done")).to_have_text("Taken back")
    expect(page.get_by_role("status")).to_have_text(f"Taken back: {term}.")
    expect(page.locator("#summary")).to_contain_text("2 questions asked, 2 recommendations")
    assert beliefs(page) == before == believed(guest.profile())
    assert [each["retracted"] for each in guest.log("answer")] == [False, True]


def test_the_conversation_goes_on_after_an_answer_was_taken_back(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page)
    page.goto("/profile")
    button(page, "Take back", exact=False).click()
    expect(page.locator("#events .gone")).to_have_count(1)
    page.goto("/")
    settled(page)
    for _ in range(4):
        page.locator("#more, .answers button").first.click()
        expect(page.locator("#more:enabled, .answers button:enabled").first).to_be_visible()
    assert len(guest.log("answer")) >= 2


def test_the_export_is_what_the_service_keeps(come: Come, tmp_path: Path) -> None:
    guest = come()
    page = said_something(guest)
    with page.expect_download() as download:
        button(page, "Export as JSON").click()
    assert download.value.suggested_filename == "conlinucb-profile.json"
    download.value.save_as(tmp_path / "export.json")
    exported = json.loads((tmp_path / "export.json").read_text("utf-8"))
    assert exported == page.request.get("/v1/me/export").json() == guest.ask("/export").json()
    assert exported["conversations"][0]["events"] == guest.log()
    expect(page.get_by_role("status")).to_have_text("Exported.")


def test_deleted_is_gone_everywhere(come: Come) -> None:
    guest = come()
    tiny = guest.talk(at("/", catalogue="tiny"))
    to_items(tiny)
    tiny.close()
    page = said_something(guest)
    name, secret = guest.name, guest.secret
    button(page, "Delete everything …").click()
    button(page, "Delete everything").click()
    expect(page.locator("#summary")).to_have_text(EMPTY)
    expect(page.locator("#deleted")).to_have_text(re.compile("^Everything was deleted"))
    expect(page.get_by_role("status")).to_contain_text("Everything was deleted")
    expect(page.locator("#events")).to_contain_text("You have not said anything yet.")
    for each in ("films", "tiny"):
        assert guest.ask(name=name, catalogue=each).status_code == 404
    assert guest.ask("/export", name=name).status_code == 404
    assert page.evaluate("() => Object.keys(localStorage)") == []
    button(page, "Export as JSON").click()
    nothing = "Nothing is kept of you, so there is nothing to export."
    expect(page.get_by_role("status")).to_have_text(nothing)
    expect(page.locator("#summary")).to_have_text(nothing)
    page.get_by_role("link", name="Start the conversation.").click()
    settled(page)
    expect(page.get_by_role("heading", name="What do you love?")).to_be_visible()
    assert guest.secret != secret
    assert guest.ask(name=name).status_code == 404


@pytest.mark.parametrize("way", ["Keep it", "Escape"])
def test_a_deletion_that_has_begun_offers_no_way_back(come: Come, way: str) -> None:
    guest = come()
    page = said_something(guest)
    name = guest.name
    button(page, "Delete everything …").click()
    guest.context.set_offline(True)
    button(page, "Delete everything").click()
    expect(button(page, "Deleting …")).to_be_disabled()
    if way == "Escape":
        page.keyboard.press(way)
        expect(page.get_by_role("dialog")).to_be_visible()
    else:
        expect(button(page, way)).to_be_disabled()
    guest.context.set_offline(False)
    expect(page.locator("#summary")).to_have_text(EMPTY)
    assert guest.ask(name=name).status_code == 404


def test_a_deletion_that_was_kept_from_deletes_nothing(come: Come) -> None:
    guest = come()
    page = said_something(guest)
    before = guest.kinds()
    button(page, "Delete everything …").click()
    button(page, "Keep it").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.reload()
    settled(page)
    assert guest.kinds() == before


def test_looking_at_an_empty_profile_is_no_error(come: Come) -> None:
    guest = come()
    page = guest.open("/profile")
    expect(page.locator("#summary")).to_have_text(EMPTY)
    assert [text for kind, text in guest.said if kind == "error"] == []
    assert guest.ask().status_code == 404  # looking makes no one known


def test_another_person_sees_nothing_of_it(come: Come) -> None:
    first, second = come(), come()
    said_something(first)
    page = second.open("/profile")
    expect(page.locator("#summary")).to_have_text(EMPTY)
    assert first.name != second.name
    assert second.ask().status_code == 404
    assert beliefs(page) == {}


def test_a_forged_cookie_opens_nothing(come: Come) -> None:
    guest = come()
    page = guest.talk()
    url = guest.server.base
    for forged in ("A" * 43, "page-x", "x" * 4000, '"', "../ann"):
        guest.context.clear_cookies()
        guest.context.add_cookies([{"name": COOKIE, "value": forged, "url": url}])
        page.goto("/profile")
        expect(page.locator("#summary")).to_have_text(EMPTY)
        assert len(guest.secret) == 43
        assert guest.ask().status_code == 404


def test_the_name_is_no_secret_and_opens_nothing(come: Come) -> None:
    first, second = come(), come()
    said_something(first)
    url = second.server.base
    second.context.add_cookies([{"name": COOKIE, "value": first.name[5:48], "url": url}])
    expect(second.open("/profile").locator("#summary")).to_have_text(EMPTY)


def test_scripts_do_not_see_the_cookie(come: Come) -> None:
    guest = come()
    page = guest.talk()
    assert page.evaluate("() => document.cookie") == ""
    [cookie] = guest.context.cookies()
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Lax")
    kept = page.evaluate("() => JSON.stringify(localStorage)")
    assert guest.secret not in kept
    assert guest.name not in kept


class Guarded(Server):
    """A service with a key whose page is open to everyone."""

    def __init__(self, folder: Path) -> None:
        config = folder / "service.toml"
        config.write_text('page = "open"\n', "utf-8")
        url = f"sqlite:///{folder / 'service.db'}"
        super().__init__(url, config=config, CONLINUCB_KEY=KEY)


@pytest.fixture
def guarded(tmp_path: Path, site: Server) -> Iterator[Server]:
    del site  # where there is no browser, this one is not started either
    server = Guarded(tmp_path)
    try:
        yield server.wait()
    finally:
        server.kill()


def fetched(page: Page, method: str, path: str, body: Any = None) -> int:
    """The status that a script of the page gets."""
    call = """async ([method, path, body]) => (await fetch(path, {
        method, body: body && JSON.stringify(body), headers: {"content-type": "application/json"},
    })).status"""
    return int(page.evaluate(call, [method, path, body]))


def test_beside_the_open_page_everything_needs_the_key(come: Come, guarded: Server) -> None:
    guest = come(server=guarded, key=KEY)
    page = said_something(guest)
    assert guest.kinds().count("answer") == 2
    page.goto("/compare")
    settled(page)
    page.goto("/")
    settled(page)
    assert len(shown(page)) == 3
    for method, path in (
        ("GET", f"/v1/users/{guest.name}"),
        ("DELETE", f"/v1/users/{guest.name}"),
        ("GET", "/v1/users/ann"),
        ("GET", "/v1/catalogues"),
        ("GET", "/v1/catalogues/films/settings"),
        ("GET", "/v1/openapi.json"),
        ("POST", "/v1/users/ann/next"),
        ("PUT", "/v1/catalogues/mine"),
    ):
        body = {"items": [{"id": "x", "tags": ["y"]}]} if method == "PUT" else None
        assert fetched(page, method, path, body) == 401
    for path in (
        f"/v1/me/../users/{guest.name}",
        "/v1/page/../catalogues",
        "/static/../v1/users/ann",
    ):
        assert fetched(page, "GET", path) == 401
    assert fetched(page, "GET", "/v1/me?catalogue=films") == 200
    assert guest.kinds().count("answer") == 2
