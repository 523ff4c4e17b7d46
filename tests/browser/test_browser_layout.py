"""On every width and in both colour schemes the page fits, is light, and holds still."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, Response, Route, expect

from support import browser
from support.browser import (
    Come,
    answer,
    at,
    button,
    card,
    go_on,
    rate,
    settled,
    shown,
    skip,
    to_items,
    to_question,
)

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
WIDTHS = (390, 820, 1440)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SMALLEST = 24
LARGEST_VISIT = 300_000
SMALL = """least => [...document.querySelectorAll("button, select, summary, input, nav a, .button")]
    .filter(it => it.checkVisibility() && !it.closest(".unseen"))
    .map(it => [it.outerHTML.slice(0, 80), it.getBoundingClientRect()])
    .filter(([, box]) => box.width < least || box.height < least)
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
WIDE = """() => [...document.querySelectorAll("body *")]
    .filter(it => it.checkVisibility() && !it.closest(".jump, .unseen, .cards"))
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
    page.locator(".all-topics summary").click()
    page.locator(".face").first.click()
    page.get_by_role("combobox", name="a mood you love").fill("a")
    expect(page.get_by_role("option").first).to_be_visible()
    check(page)
    page.keyboard.press("Escape")
    page.locator(".face").first.click()
    page.locator(".face").first.click()
    to_question(page)
    page.get_by_text("Why this question?").click()
    check(page)
    items = to_items(page)
    rate(page, items[0])
    for item in items:
        card(page, item).locator("summary").click()
        expect(card(page, item).locator("details")).to_contain_text("What you said")
    check(page)
    rate(page, items[1], "Seen it")
    page.goto(at("/taste", catalogue=catalogue))
    check(settled(page))
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
    page = guest.talk()
    expect(page.locator("#catalogue option").last).to_have_text("n" * 150)
    check(page)


def test_the_schemes_differ(come: Come) -> None:
    page = come().talk()
    colours = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


@pytest.mark.parametrize("path", ["/", "/taste", "/profile", "/compare"])
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
    page = come(viewport=size).talk()
    answer(page)
    rate(page, shown(page)[0])
    go_on(page)
    assert page.evaluate(SHIFTS) < 0.1


@pytest.mark.parametrize("path", ["/taste", "/profile", "/compare"])
def test_the_other_pages_hold_still(come: Come, path: str) -> None:
    page = come().open(path)
    assert page.evaluate(SHIFTS) < 0.1


def test_text_of_twice_the_size_fits_a_phone(come: Come) -> None:
    page = come(viewport={"width": 390, "height": 844}, reduced_motion="reduce").open()
    enlarge = "() => { document.documentElement.style.fontSize = '200%'; }"
    fits = "() => document.documentElement.scrollWidth <= innerWidth"
    page.evaluate(enlarge)
    assert page.evaluate(WIDE) == []
    to_question(page)
    expect(button(page, "Skip")).to_be_visible()
    assert page.evaluate(fits)
    to_items(page)
    assert page.evaluate(WIDE) == []
    assert page.evaluate(fits)
    expect(page.locator("#more")).to_be_in_viewport(ratio=1)
    assert page.locator(".forward").evaluate("it => it.offsetHeight") < 0.4 * 844
    for path in ("/taste", "/profile"):
        page.goto(path)
        settled(page)
        page.evaluate(enlarge)
        assert page.evaluate(WIDE) == []
        assert page.evaluate(fits)


CONTRAST = """() => {
    const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number)
        .map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const of = (it) => light(getComputedStyle(it).backgroundColor);
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [...document.querySelectorAll(".bar-of")].slice(0, 60).concat(
        [...document.querySelectorAll(".meter > span")])
        .map(it => Math.min(ratio(of(it), of(it.parentElement)), ratio(of(it), of(document.body))));
}"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bars_stand_out(come: Come, scheme: Literal["light", "dark"]) -> None:
    page = come(color_scheme=scheme).talk()
    answer(page, "Yes")
    go_on(page)
    answer(page, "No")
    expect(page.locator(".bar-of.less").first).to_be_attached()
    found = page.evaluate(CONTRAST)
    assert len(found) > 50
    assert min(found) >= 3


def test_a_step_fits_a_screen_and_the_way_on_is_always_there(come: Come) -> None:
    for width, height in ((390, 844), (820, 1180), (1440, 900)):
        page = come(viewport={"width": width, "height": height}, reduced_motion="reduce").talk()
        items = to_items(page)
        expect(page.locator("#more")).to_be_in_viewport(ratio=1)
        expect(button(page, f"Like: {items[0]}")).to_be_in_viewport(ratio=1)
        first, last = (card(page, each).bounding_box() for each in (items[0], items[2]))
        assert first is not None
        assert last is not None
        assert first["y"] == last["y"]  # side by side
        assert (last["x"] > width) == (width == 390)  # to be swiped to


BAR = """() => { const bar = document.querySelector(".forward").getBoundingClientRect();
    return [bar.left, bar.right - document.documentElement.clientWidth]; }"""
ENDS = """() => { const [no, yes] = [...document.querySelectorAll(".panel .scale > span > span")]
        .map(it => it.getBoundingClientRect());
    const track = document.querySelector(".track").getBoundingClientRect();
    return [no.left - track.left, yes.right - track.right]; }"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_way_on_hides_whole_lines_and_the_scale_stands_at_its_ends(
    come: Come, width: int
) -> None:
    page = come(viewport={"width": width, "height": 640}).open()
    assert page.evaluate(BAR) == pytest.approx([0, 0], abs=1)
    skip(page)
    if not page.locator(".panel").evaluate("it => it.open"):
        page.locator(".panel > summary").click()
    assert page.evaluate(ENDS) == pytest.approx([0, 0], abs=2)
