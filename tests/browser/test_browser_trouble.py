"""Trouble on the way: odd cookies, none at all, and a service that fails in the middle."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Route, expect

from support import browser
from support.browser import (
    Come,
    Guest,
    answer,
    at,
    button,
    card,
    rate,
    settled,
    shown,
    skip,
    to_items,
)

pytestmark = pytest.mark.more
chromium, come, site = browser.chromium, browser.come, browser.site


def loads(guest: browser.Guest, documents: list[str]) -> None:
    guest.context.on(
        "request",
        lambda request: documents.append(request.url) if request.is_navigation_request() else None,
    )


def test_an_odd_cookie_of_another_program_makes_no_difference(come: Come) -> None:
    guest = come()
    odd = {"name": "prefs", "value": '{"theme":"dark"}', "url": guest.server.base}
    guest.context.add_cookies([odd])  # type: ignore[list-item]
    documents: list[str] = []
    loads(guest, documents)
    skip(guest.open())
    assert len(documents) == 1


def test_without_a_cookie_the_page_says_what_it_needs(come: Come) -> None:
    guest = come()
    problem = json.dumps({"error": {"code": "no_visitor", "message": "Open the page first."}})
    guest.context.route(
        "**/v1/me/**",
        lambda route: route.fulfill(status=401, content_type="application/json", body=problem),
    )
    documents: list[str] = []
    loads(guest, documents)
    page = guest.open(settle=False)
    expect(page.locator("#step")).to_contain_text("This page needs a cookie")
    assert len(documents) == 2


def test_what_failed_over_there_is_kept_and_sent_again(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page, "Yes")
    failing = [True]

    def fail(route: Route) -> None:
        if failing[0]:
            route.fulfill(status=500, content_type="application/json", body="{}")
        else:
            route.continue_()

    guest.context.route("**/v1/me/steps*", fail)
    item = shown(page)[0]
    button(page, f"Like: {item}").click()
    expect(card(page, item)).to_contain_text("That did not work")
    assert len(browser.kept(page)["outbox"]) == 1
    failing[0] = False
    button(page, "Try again").click()
    expect(button(page, f"Undo: {item}")).to_be_visible()
    assert [each["about"]["item"] for each in guest.log("reward")] == [item]
    assert browser.kept(page)["outbox"] == []


def test_a_range_of_its_own_has_its_own_no(come: Come) -> None:
    guest = come()
    items = [{"id": name, "tags": [tag]} for name, tag in (("a", "x"), ("b", "y"), ("c", "z"))]
    with guest.server.client() as client:
        body = {"items": items, "settings": {"range": [-1, 1]}}
        client.put("/v1/catalogues/signed", json=body).raise_for_status()
        page = guest.talk(at("/", catalogue="signed"))
        answer(page, "No")
        rate(page, shown(page)[0], "Not for me")
        events = guest.ask(catalogue="signed").json()["events"]
        assert [each["about"]["reward"] for each in events if each["kind"] == "reward"] == [-1.0]
        client.delete("/v1/catalogues/signed").raise_for_status()


NOTHING_WAITS = "() => !Object.keys(localStorage).some(key => key.includes('outbox'))"


def undone_offline(guest: Guest, *, heard: bool) -> str:
    """Someone takes a rating back while the service is away, and leaves."""
    page = guest.talk()
    item = to_items(page)[0]
    if not heard:
        guest.context.set_offline(True)
    rate(page, item)
    if heard:
        page.wait_for_function(NOTHING_WAITS)
        guest.context.set_offline(True)
    button(page, f"Undo: {item}").click()
    expect(page.locator("#banner")).to_be_visible()
    assert len(browser.kept(page)["outbox"]) == (1 if heard else 2)
    page.close()
    guest.context.set_offline(False)
    return item


@pytest.mark.parametrize(("path", "heard"), [("/", True), ("/profile", True), ("/", False)])
def test_what_was_taken_back_before_leaving_is_taken_back(
    come: Come, path: str, heard: bool
) -> None:
    guest = come()
    item = undone_offline(guest, heard=heard)
    assert "retraction" not in guest.kinds()
    page = guest.open(path)
    assert guest.kinds().count("retraction") == 1
    assert [each["retracted"] for each in guest.log("reward")] == [True]
    assert browser.kept(page)["outbox"] == []
    if path == "/":
        expect(button(page, f"Like: {item}")).to_be_enabled()
    else:
        expect(page.locator("#events")).to_contain_text("Taken back")


def test_someone_new_takes_nothing_back_for_someone_before(come: Come) -> None:
    guest = come()
    page = guest.talk()
    rate(page, to_items(page)[0])
    (given,) = guest.log("reward")
    letter = {
        "kind": "take_back",
        "id": "left",
        "at": 1,
        "body": {"event": given["event"]},
        "client": "said by someone else",
    }
    keep = "letter => localStorage.setItem('conlinucb films: outbox left', JSON.stringify(letter))"
    page.evaluate(keep, letter)
    page.reload()
    settled(page)
    assert "retraction" not in guest.kinds()
    assert browser.kept(page)["outbox"] == []
    page.evaluate(keep, letter | {"client": given["client_id"]})
    page.reload()
    settled(page)
    assert guest.kinds().count("retraction") == 1


def test_an_answer_that_waits_is_sent_by_the_profile_too(come: Come) -> None:
    guest = come()
    page = guest.talk()
    guest.context.set_offline(True)
    button(page, "Yes").click()
    expect(page.locator("#banner")).to_be_visible()
    page.close()
    guest.context.set_offline(False)
    expect(guest.open("/profile").locator("#events")).to_contain_text("yes")
    again = guest.talk()
    expect(again.locator(".card[data-item]").first).to_be_visible()
    assert guest.kinds().count("answer") == 1


def test_a_new_start_for_want_of_the_cookie_is_said(come: Come) -> None:
    guest = come()
    page = guest.talk()
    item = to_items(page)[0]
    guest.context.clear_cookies()
    button(page, f"Like: {item}").click()
    expect(page.locator(".lesson")).to_contain_text("lost the cookie")
    expect(page.get_by_role("heading", name="What do you love?")).to_be_visible()
    page.reload()
    settled(page)
    expect(page.locator(".lesson")).to_have_count(0)


@pytest.mark.parametrize("call", ["explain", "steps"])
def test_one_call_that_fails_leaves_the_other_cards(come: Come, call: str) -> None:
    guest = come()
    page = guest.talk()
    first, second, _ = to_items(page)
    guest.context.route(f"**/v1/me/{call}*", lambda route: route.fulfill(status=500, body="{}"))
    if call == "explain":
        card(page, first).locator("summary").click()
    else:
        button(page, f"Like: {first}").click()
    expect(card(page, first).get_by_role("alert")).to_contain_text("That did not work")
    expect(button(page, f"Like: {second}")).to_be_enabled()


@pytest.mark.parametrize("path", ["/taste", "/profile", "/compare"])
def test_a_page_that_cannot_begin_offers_another_try(come: Come, path: str) -> None:
    guest = come()
    guest.context.route("**/v1/page", lambda route: route.fulfill(status=500, body="{}"), times=1)
    page = guest.open(path)
    expect(page.locator("#summary, #person")).to_contain_text("status 500")
    expect(page.locator("figure")).to_have_count(5 if path == "/compare" else 0)
    for figure in page.locator("figure").all():
        expect(figure).to_be_hidden()
    button(page, "Try again").click()
    expect(page.locator("#summary, #person")).not_to_contain_text("status 500")
