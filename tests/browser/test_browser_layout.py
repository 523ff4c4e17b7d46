"""On every width and in both colour schemes the page fits, is light, and holds still."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, Response, Route, expect

from support import browser
from support.browser import Come, answer, at, button, card, go_on, rate, settled, shown, to_items

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
WIDTHS = (390, 820, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SMALLEST = 24
LARGEST_VISIT = 300_000
SMALL = """least => [...document.querySelectorAll("button, select, summary, input, nav a, .button")]
    .filter(it => it.checkVisibility())
    .map(it => [it.outerHTML.slice(0, 80), it.getBoundingClientRect()])
    .filter(([, box]) => box.width < least || box.height < least)
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
WIDE = """() => [...document.querySelectorAll("body *")]
    .filter(it => it.checkVisibility() && !it.closest(".jump, .unseen"))
    .filter(it => it.getBoundingClientRect().right > innerWidth + 0.5)
    .map(it => it.outerHTML.slice(0, 80))"""
SHIFTS = """() => new Promise(resolve => {
    let sum = 0;
    new PerformanceObserver(list => {
        for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => resolve(sum), 300);
})"""


def check(page: Page) -> None:
    """It fits on every width, and every button can be hit."""
    for width in WIDTHS:
        for scheme in SCHEMES:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert page.evaluate(WIDE) == [], width
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width
            assert page.evaluate(SMALL, SMALLEST) == [], width


@pytest.mark.parametrize("catalogue", ["films", "long"])
def test_a_conversation_fits(come: Come, catalogue: str) -> None:
    page = come().open(at("/", catalogue=catalogue))
    page.get_by_text("Why this question?").click()
    check(page)
    items = to_items(page)
    rate(page, items[0])
    for item in items:
        card(page, item).locator("summary").click()
        expect(card(page, item).locator("details")).to_contain_text("it expected")
    check(page)
    rate(page, items[1], "Seen it")
    page.goto(at("/profile", catalogue=catalogue))
    expect(settled(page).locator("#seen li")).to_have_count(1)
    check(page)
    button(page, "Delete everything …").click()
    check(page)


@pytest.mark.parametrize("catalogue", ["films", "long"])
def test_a_comparison_fits(come: Come, catalogue: str) -> None:
    page = come().open(at("/compare", catalogue=catalogue))
    check(page)
    page.get_by_text("More choices").click()
    for each in page.get_by_text("As a table").all():
        each.click()
    check(page)


def test_a_long_name_of_a_catalogue_fits(come: Come) -> None:
    guest = come()

    def named(route: Route) -> None:
        facts = route.fetch().json()
        more = {**facts["catalogues"][0], "name": "n" * 150}
        route.fulfill(json={**facts, "catalogues": [*facts["catalogues"], more]})

    guest.context.route("**/v1/page", named)
    page = guest.open()
    expect(page.locator("#catalogue option").last).to_have_text("n" * 150)
    check(page)


def test_the_schemes_differ(come: Come) -> None:
    page = come().open()
    colours = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


@pytest.mark.parametrize("path", ["/", "/profile", "/compare"])
def test_a_first_visit_is_light(come: Come, path: str) -> None:
    guest = come()
    responses: list[Response] = []
    guest.context.on("response", lambda response: responses.append(response))
    page = guest.open(path)
    page.wait_for_load_state("networkidle")
    sizes: dict[str, int] = {}
    for each in responses:
        sizes[each.url] = 0 if each.status == 204 else len(each.body())
    assert any(url.endswith("/static/page.css") for url in sizes)
    assert 20_000 < sum(sizes.values()) < LARGEST_VISIT, sizes


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_holds_still(come: Come, width: int) -> None:
    size: Any = {"width": width, "height": 900}
    page = come(viewport=size).open()
    answer(page)
    rate(page, shown(page)[0])
    go_on(page)
    assert page.evaluate(SHIFTS) < 0.1


@pytest.mark.parametrize("path", ["/profile", "/compare"])
def test_the_other_pages_hold_still(come: Come, path: str) -> None:
    page = come().open(path)
    assert page.evaluate(SHIFTS) < 0.1
