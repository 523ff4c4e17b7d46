"""Presses that were not meant, focus that was elsewhere, and what people refused."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import (
    Come,
    at,
    beliefs,
    button,
    card,
    focused,
    go_on,
    rate,
    settled,
    shown,
    to_items,
)

pytestmark = pytest.mark.more
chromium, come, site = browser.chromium, browser.come, browser.site
END = "You have been through everything here"


@pytest.mark.parametrize("how", ["Like", "Not for me", "Seen it"])
def test_a_double_click_counts_once(come: Come, how: str) -> None:
    guest = come()
    page = guest.open()
    item = to_items(page)[0]
    place = button(page, f"{how}: {item}")
    box = place.bounding_box()
    assert box is not None
    page.mouse.dblclick(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2, delay=60)
    expect(button(page, f"Undo: {item}")).to_be_visible()
    page.wait_for_timeout(500)
    expect(button(page, f"Undo: {item}")).to_be_visible()
    assert "retraction" not in guest.kinds()
    assert guest.kinds().count("reward") == (how != "Seen it")


def slow_down(page: Page, what: str) -> list[Route]:
    held: list[Route] = []
    page.route(what, lambda route: held.append(route))
    return held


def test_who_has_gone_on_keeps_their_place(come: Come) -> None:
    page = come().open()
    first, second, _ = to_items(page)
    held = slow_down(page, "**/v1/me/steps*")
    button(page, f"Like: {first}").focus()
    page.keyboard.press("Enter")
    expect(button(page, f"Not for me: {first}")).to_be_disabled()
    assert focused(page) == f"Like: {first}"
    page.keyboard.press("Enter")  # once is enough
    button(page, f"Like: {second}").focus()
    assert len(held) == 1
    held[0].continue_()
    expect(button(page, f"Undo: {first}")).to_be_visible()
    assert focused(page) == f"Like: {second}"


def test_what_was_pressed_is_seen_while_it_waits(come: Come) -> None:
    page = come().open()
    held = slow_down(page, "**/v1/me/steps*")
    button(page, "No").click()
    expect(page.locator("button.pressed")).to_have_text("No")
    for name in ("Yes", "Skip"):
        expect(button(page, name)).to_be_disabled()
    held[0].continue_()
    expect(page.locator(".cards")).to_be_visible()


def test_what_was_refused_is_not_among_the_likes(come: Come) -> None:
    guest = come()
    page = guest.open()
    for _ in range(4):
        button(page, "No").click()
        expect(page.locator(".cards")).to_be_visible()
        for item in shown(page):
            rate(page, item, "Not for me")
        go_on(page)
    said = guest.log("answer")
    assert {each["about"]["answer"] for each in said} == {0}
    topics = list(beliefs(page))
    refused = {each["about"]["id"] for each in said}
    assert refused == set(topics[-len(refused) :])


def test_items_shown_again_come_to_an_end_again(come: Come) -> None:
    guest = come()
    with guest.server.client() as client:
        items = [{"id": name, "tags": ["calm"]} for name in ("Ada", "Bea", "Cy", "Dot", "Eve")]
        client.put("/v1/catalogues/few", json={"items": items}).raise_for_status()
        page = guest.open(at("/", catalogue="few"))
        for _ in range(2):
            assert sorted(everything(page)) == ["Ada", "Bea", "Cy", "Dot", "Eve"]
            button(page, "Show them again").click()
            expect(page.locator("#step h2")).not_to_have_text(
                "You have been through everything here"
            )
        client.delete("/v1/catalogues/few").raise_for_status()


def everything(page: Page) -> list[str]:
    """Go through all items; the names of those that came."""
    found: list[str] = []
    heading = page.locator("#step:not([aria-busy]) h2")
    for _ in range(20):
        settled(page)
        if heading.inner_text() == END:
            break
        if page.locator(".answers").count():
            button(page, "Yes").click()
            expect(page.locator(".answers")).to_have_count(0)
            continue
        for item in shown(page):
            rate(page, item)
            found.append(item)
        button(page, "Go on").click()
        expect(page.locator("#more")).to_have_count(0)
    return found


def test_forced_colours_leave_the_pictures(come: Come) -> None:
    page = come(forced_colors="active").open()
    to_items(page)
    seen = "it => { const at = getComputedStyle(it); return [at.backgroundColor, at.opacity]; }"
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    band = page.locator(".belief:not(.scale) .band").first
    assert band.evaluate(seen)[0] != paper
    current, other = (
        page.locator(f"nav a{each}").first.evaluate("it => getComputedStyle(it).borderBottomColor")
        for each in ("[aria-current]", ":not([aria-current])")
    )
    assert current != other == paper
    assert card(page, shown(page)[0]).is_visible()
