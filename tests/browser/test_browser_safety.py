"""Texts of a catalogue stay texts, and no script but the page's own runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import (
    DRAWING,
    EVIL,
    IMAGE,
    SCRIPT,
    Come,
    answer,
    at,
    beliefs,
    button,
    card,
    rate,
    settled,
    shown,
    to_question,
)

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
PAGES = ("/", "/taste", "/profile", "/compare")
TERMS = {SCRIPT, IMAGE, DRAWING}


def unharmed(page: Page) -> None:
    """Nothing ran, and no element came out of a text."""
    assert page.evaluate("() => typeof window.hacked") == "undefined"
    strange = page.evaluate(
        """() => [...document.querySelectorAll("script, img, svg, iframe, b, [onerror], [onload]")]
        .filter(it => !it.matches("head > script[src^='/static/'], .chart > svg"))
        .filter(it => !it.matches("svg.art, svg.icon, svg.bloom"))
        .map(it => it.outerHTML)"""
    )
    assert strange == []


def test_a_conversation_full_of_markup(come: Come) -> None:
    guest = come()
    page = guest.talk(at("/", catalogue="evil"))
    open_question = guest.profile("evil")["open_question"]
    assert any(each in open_question["text"] for each in TERMS)
    assert page.locator("h2.asked").inner_text() == open_question["text"]
    page.get_by_text("Why this question?").click()
    unharmed(page)
    answer(page)
    assert set(shown(page)) < set(EVIL)
    assert set(beliefs(page)) == TERMS
    for item in shown(page):
        chips = card(page, item).locator(".chip")
        told = [text.removeprefix("you like ").strip() for text in chips.all_text_contents()]
        assert set(told) == set(EVIL[item])
    for item, how in zip(shown(page), ("Like", "Not for me", "Seen it"), strict=True):
        rate(page, item, how)
        card(page, item).locator("summary").click()
        expect(card(page, item).locator("details")).to_contain_text("What you said")
        expect(page.get_by_role("status")).to_contain_text(item)
    expect(page.locator(".parts li").first).to_contain_text(": ")
    unharmed(page)


def test_a_profile_and_a_comparison_full_of_markup(come: Come) -> None:
    guest = come()
    page = guest.talk(at("/", catalogue="evil"))
    answer(page)
    items = shown(page)
    rate(page, items[0])
    rate(page, items[1], "Seen it")
    page.goto(at("/profile", catalogue="evil"))
    settled(page)
    assert page.locator("#events strong").nth(0).inner_text() == items[0]
    assert page.locator("#seen .what").inner_text() == items[1]
    button(page, f"Take back: {items[0]}, liked").click()
    expect(page.get_by_role("status")).to_have_text(f"Taken back: {items[0]}.")
    unharmed(page)
    page.goto(at("/compare", catalogue="evil"))
    settled(page)
    expect(page.locator("#person")).to_contain_text(SCRIPT)
    expect(page.locator("#left .steps")).to_contain_text("showed")
    unharmed(page)


def test_a_message_full_of_markup(come: Come) -> None:
    guest = come()
    page = guest.talk()
    error = {"error": {"code": "internal", "message": f"{SCRIPT} {IMAGE} {DRAWING}"}}
    page.route("**/v1/me/steps*", lambda route: route.fulfill(status=500, json=error))
    button(page, "Yes").click()
    expect(page.locator("#step")).to_contain_text(error["error"]["message"])
    unharmed(page)


def test_an_address_full_of_markup(come: Come) -> None:
    guest = come()
    for path in PAGES:
        page = guest.open(at(path, catalogue=f"{IMAGE}{SCRIPT}") + f"#{IMAGE}")
        unharmed(page)
        page.close()


def test_what_is_kept_here_may_be_damaged(come: Come) -> None:
    guest = come()
    page = guest.talk()
    for text in ("{", "null", "7", '{"where": 7}', "[null]"):
        for name in ("step", "seen", "again", "outbox x", "trail", "saved", "draft", "told"):
            key = f"conlinucb films: {name}"
            page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
        page.reload()
        settled(page)
        if page.locator("#onward").count():
            to_question(page)
        expect(page.locator(".answers")).to_be_visible()


def test_the_policy_is_strict(come: Come) -> None:
    page = come().open("/compare")
    for path in (*PAGES, "/static/talk.js", "/v1/page"):
        response = page.request.get(path)
        assert response.status == 200
        policy = response.headers["content-security-policy"]
        rules = dict(each.strip().split(" ", 1) for each in policy.split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == "'self'"
        assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
        assert "unsafe" not in policy
        assert "*" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"


INJECT = """() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    const far = document.createElement("script");
    far.src = "data:text/javascript,window.hacked=3";
    const place = document.createElement("div");
    place.innerHTML = "<img src=x onerror='window.hacked=2'>";
    document.body.append(script, far, place);
}"""


def test_an_injected_script_does_not_run(come: Come) -> None:
    guest = come()
    for path in PAGES:
        page = guest.open(path)
        guest.said.clear()
        page.evaluate(INJECT)
        page.wait_for_timeout(200)
        assert page.evaluate("() => typeof window.hacked") == "undefined"
        blocked = [text for _, text in guest.said if "Content Security Policy" in text]
        assert len(blocked) >= 3
        page.close()
    guest.said.clear()  # that was asked for
