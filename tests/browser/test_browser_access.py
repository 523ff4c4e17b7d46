"""No violation that axe-core can find, in any state of the page, by day and by night."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import (
    Come,
    Guest,
    answer,
    at,
    button,
    card,
    face,
    go_on,
    rate,
    settled,
    shown,
    to_items,
    to_question,
)

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
WIDTHS = (390, 820, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def axe() -> Any:
    return import_module("axe_playwright_python.sync_playwright").Axe()


def check(axe: Any, page: Page) -> None:
    """In both colour schemes and on every width, nothing to complain about."""
    for scheme, width in product(SCHEMES, WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = axe.run(page)
        assert found.violations_count == 0, f"{scheme}, {width}: {found.generate_report()}"


def open_whys(page: Page) -> None:
    for item in shown(page):
        why = card(page, item).locator("details")
        why.locator("summary").click()
        expect(why).to_contain_text("What you said")


def test_a_conversation(come: Come, axe: Any) -> None:
    page = come().open()
    page.get_by_text("All 58 topics").click()
    face(page, "comedies").click()
    page.get_by_role("combobox", name="a mood you love").fill("space")
    expect(page.get_by_role("option").first).to_be_visible()
    check(axe, page)
    page.keyboard.press("Escape")
    face(page, "comedies").click()
    face(page, "comedies").click()
    to_question(page)
    page.get_by_text("Why this question?").click()
    page.keyboard.press("?")
    check(axe, page)
    page.keyboard.press("Escape")
    items = to_items(page)
    rate(page, items[0])
    rate(page, items[1], "Seen it")
    open_whys(page)
    check(axe, page)


def test_without_a_connection(come: Come, axe: Any) -> None:
    guest = come()
    page = guest.talk()
    guest.context.set_offline(True)
    button(page, "Yes").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check(axe, page)


def test_when_something_is_wrong(come: Come, axe: Any) -> None:
    page = come().talk()
    error = {"error": {"code": "internal", "message": "Something failed here."}}
    page.route("**/v1/me/steps*", lambda route: route.fulfill(status=500, json=error))
    button(page, "Yes").click()
    heading = page.get_by_role("heading", name="That did not work")
    expect(heading).to_be_focused()
    expect(page.locator("#step")).to_contain_text("Something failed here.")
    check(axe, page)
    page.unroute_all()
    button(page, "Try again").click()
    settled(page)
    expect(page.locator(".card[data-item]").first).to_be_visible()


def test_when_everything_was_seen(come: Come, axe: Any) -> None:
    page = come().talk(at("/", catalogue="tiny"))
    for item in to_items(page):
        rate(page, item, "Seen it")
    button(page, "Go on").click()
    if settled(page).locator(".answers").count():
        button(page, "Skip").click()
    expect(page.get_by_role("heading", name="You have been through everything")).to_be_visible()
    check(axe, page)


def talked(guest: Guest) -> Page:
    page = guest.talk()
    items = to_items(page)
    rate(page, items[0])
    rate(page, items[1], "Seen it")
    go_on(page)
    answer(page, "Skip")
    page.goto("/profile")
    button(page, f"Take back: {items[0]}, liked").click()
    expect(page.locator("#events .gone")).to_have_count(1)
    return page


def test_a_profile(come: Come, axe: Any) -> None:
    page = talked(come())
    check(axe, page)
    button(page, "Delete everything …").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check(axe, page)


def test_an_empty_profile_and_taste(come: Come, axe: Any) -> None:
    check(axe, come().open("/profile"))
    check(axe, come().open("/taste"))


def test_a_taste_and_a_shared_one(come: Come, axe: Any) -> None:
    page = come().open()
    face(page, "comedies").click()
    face(page, "musicals").dblclick()
    button(page, "Show me films").click()
    button(page, f"Save: {shown_soon(page)[0]}").click()
    page.goto("/taste")
    check(axe, settled(page))
    link = page.get_by_label("Link to share").input_value()
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("link", name="Find your own taste")).to_be_visible()
    check(axe, page)


def shown_soon(page: Page) -> list[str]:
    expect(page.locator(".card[data-item]")).to_have_count(3)
    return shown(page)


def test_a_comparison(come: Come, axe: Any) -> None:
    page = come().open("/compare")
    page.get_by_text("More choices").click()
    for each in page.get_by_text("As a table").all():
        each.click()
    check(axe, page)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/", "**/v1/me/picture?*"),
        ("/taste", "**/v1/me/picture?*"),
        ("/profile", "**/v1/me?*"),
        ("/compare", "**/v1/page/comparison*"),
        ("/", "**/v1/page"),
        ("/profile", "**/v1/page"),
        ("/compare", "**/v1/page"),
    ],
)
def test_a_failing_service_is_said_on_every_page(
    come: Come, axe: Any, path: str, pattern: str
) -> None:
    page = come().context.new_page()
    error = {"error": {"code": "damaged", "message": "Something failed here."}}
    page.route(pattern, lambda route: route.fulfill(status=500, json=error))
    page.goto(path)
    expect(page.locator("main")).to_contain_text("Something failed here.", timeout=10_000)
    check(axe, page)
