"""Presses that were not meant, focus that was elsewhere, and what people refused."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import (
    Come,
    answer,
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
    to_question,
)

pytestmark = pytest.mark.more
chromium, come, site = browser.chromium, browser.come, browser.site
END = "You have been through everything here"


@pytest.mark.parametrize("how", ["Like", "Not for me", "Seen it"])
def test_a_double_click_counts_once(come: Come, how: str) -> None:
    guest = come(reduced_motion="reduce")  # what moves is hard to hit
    page = guest.talk()
    item = to_items(page)[0]
    place = button(page, f"{how}: {item}")
    place.evaluate("it => it.scrollIntoView({ block: 'center' })")
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
    guest = come()
    page = guest.talk()
    first, second, _ = to_items(page)
    held = slow_down(page, "**/v1/me/steps*")
    button(page, f"Like: {first}").focus()
    page.keyboard.press("Enter")
    expect(button(page, f"Undo: {first}")).to_be_focused()  # taken at once
    button(page, f"Like: {second}").focus()
    assert len(held) == 1
    with page.expect_response("**/v1/me/steps*"):
        held[0].continue_()
    expect(card(page, first).locator(".done")).to_have_text("You like it")
    assert focused(page) == f"Like: {second}"
    assert guest.kinds().count("reward") == 1


def test_an_answer_is_acknowledged_at_once_and_comes_with_the_next_step(come: Come) -> None:
    guest = come()
    page = guest.talk()
    topic = guest.profile()["open_question"]["term"]
    held = slow_down(page, "**/v1/me/**")
    button(page, "No").click()
    expect(page.locator(".noted")).to_have_text(f"Noted: no to {topic}.")
    expect(page.get_by_role("status")).to_have_text(f"Noted: no to {topic}.")
    expect(page.locator(".card.empty")).to_have_count(3)
    assert len(held) == 1  # one request: on a slow network nothing comes after another
    held[0].continue_()
    expect(page.locator(".card[data-item]")).to_have_count(3)
    assert len(held) == 1
    assert guest.kinds() == ["question", "answer", "recommendation"]


def test_what_was_refused_is_seen_as_refused(come: Come) -> None:
    guest = come()
    page = guest.talk()
    for _ in range(3):
        answer(page, "No")
        for item in shown(page):
            rate(page, item, "Not for me")
        go_on(page)
    said = guest.log("answer")
    assert {each["about"]["answer"] for each in said} == {0}
    refused = {each["about"]["id"] for each in said}
    assert refused == set(list(beliefs(page))[-len(refused) :])
    for topic in refused:
        row = page.locator(".belief.said").filter(
            has=page.locator(".topic", has_text=re.compile(f"^{re.escape(topic)}$"))
        )
        expect(row.locator(".word")).to_have_text("can't stand it")
        expect(row.locator(".bar-of")).to_have_class("bar-of less")


def test_items_shown_again_come_to_an_end_again(come: Come) -> None:
    guest = come()
    with guest.server.client() as client:
        items = [{"id": name, "tags": ["calm"]} for name in ("Ada", "Bea", "Cy", "Dot", "Eve")]
        client.put("/v1/catalogues/few", json={"items": items}).raise_for_status()
        page = guest.talk(at("/", catalogue="few"))
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
        if page.locator("#onward").count():
            to_question(page)
            continue
        if page.locator(".answers").count():
            button(page, "Yes").click()
            expect(page.locator(".answers")).to_have_count(0)
            continue
        for item in shown(page):
            rate(page, item)
            found.append(item)
        button(page, "Go on").click()
        settled(page)
    return found


def test_forced_colours_leave_the_pictures(come: Come) -> None:
    page = come(forced_colors="active").talk()
    to_items(page)
    seen = "it => { const at = getComputedStyle(it); return [at.backgroundColor, at.opacity]; }"
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    band = page.locator(".bar-of").first
    assert band.evaluate(seen)[0] != paper
    current, other = (
        page.locator(f"nav a{each}").first.evaluate("it => getComputedStyle(it).borderBottomColor")
        for each in ("[aria-current]", ":not([aria-current])")
    )
    assert current != other == paper
    assert card(page, shown(page)[0]).is_visible()
