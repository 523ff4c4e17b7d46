"""The operator's dashboard in a browser: a service that people talked to, and one behind a key."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import Come, Guest, button
from support.service_dashboard import learn_population, talk_to
from support.service_world import Server, serving

pytestmark = pytest.mark.more
chromium, come = browser.chromium, browser.come
site = browser.site
KEY = "an-operators-key-4711"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = (390, 820, 1440)
TEXT_LEFT = """all => all.map(it => {
    const text = new Range();
    text.selectNodeContents(it);
    return text.getBoundingClientRect().left;
})"""


@pytest.fixture(scope="module")
def axe() -> Any:
    return import_module("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a key that 40 people talked to, the last 15 under a population."""
    folder = tmp_path_factory.mktemp("dashboard")
    with serving(f"sqlite:///{folder / 'service.db'}", CONLINUCB_KEY=KEY) as server:
        with server.client() as client:
            client.headers["authorization"] = f"Bearer {KEY}"
            talk_to(client, 25, 6)
            learn_population(client)
            talk_to(client, 15, 6, first=25)
        yield server


def check(axe: Any, page: Page, widths: tuple[int, ...] = WIDTHS) -> None:
    """In both colour schemes and at these widths: nothing to complain about, nothing cut off."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{width}: {wide} pixels too wide"
            found = axe.run(page)
            assert found.violations_count == 0, f"{scheme} {width}: {found.generate_report()}"


def check_large_text(page: Page) -> None:
    """Twice as large on a phone, and nothing is cut off."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.evaluate("document.documentElement.style.fontSize = ''")


def opened(guest: Guest) -> Page:
    """The dashboard with the key in it; a wrong one is asked for again."""
    page = guest.open("/dashboard", settle=False)
    dialog = page.get_by_role("dialog")
    for key, then in (("not-the-key-at-all", 1), (KEY, 0)):
        expect(dialog).to_be_visible()
        expect(page.get_by_label("Key", exact=True)).to_be_focused()
        page.keyboard.type(key)
        page.keyboard.press("Enter")
        if then:
            expect(dialog).to_contain_text("That was not the key")
    expect(page.locator("#glance .tile")).to_have_count(6)
    expect(dialog).to_have_count(0)
    return page


def test_a_service_that_forty_people_talked_to(come: Come, talked: Server, axe: Any) -> None:
    guest = come(talked)
    page = opened(guest)
    with talked.client() as client:
        bearer = {"authorization": f"Bearer {KEY}"}
        found = client.get("/v1/dashboard?days=30", headers=bearer).json()
    assert found["looked"]["people"] == 40
    expect(page.locator("#summary")).to_contain_text("of 40 people")
    tiles = page.locator("#glance")
    expect(tiles).to_contain_text(f"{round(100 * found['rounds']['liked']['share'])} %")
    assert len(found["rounds"]["rounds"]) == 6
    assert [each["number"] for each in found["populations"]] == [0, 1]
    expect(page.locator("#populations")).to_contain_text("Population 1")
    never = found["never_shown"]
    assert 10 < never["never"] < never["items"]
    told = page.locator("#never")
    expect(told).to_contain_text(f"{never['never']} of {never['items']} items")
    expect(told).to_contain_text(f"{never['first'][0]}, {never['first'][1]}")
    expect(told).to_contain_text(f"and {never['never'] - 10} more.")
    # Every chart has its numbers behind it, and the keyboard opens them.
    tables = page.locator("main details")
    assert tables.count() == 7
    for number in range(tables.count()):
        tables.nth(number).locator("summary").focus()
        page.keyboard.press("Enter")
        assert tables.nth(number).locator("tbody tr").count() > 0
    rows = page.get_by_role("table", name="Likes by round").locator("tbody tr")
    expect(rows).to_have_count(6)
    for picture in page.locator("main svg").all():
        assert picture.get_attribute("aria-label")
    first = found["questions"]["questions"][0]
    stated = page.get_by_role("table", name="Answers by question").locator("tbody tr").first
    expect(stated).to_contain_text(first["names"][0])
    expect(stated).to_contain_text(f"{round(100 * first['yes']['share'])} %")
    check(axe, page)
    check_large_text(page)
    # What is open stays open, and who has the focus keeps it, when the numbers are new.
    page.locator("#rounds summary").focus()
    old = page.locator("#rounds svg").element_handle()
    with page.expect_response("**/v1/dashboard?*"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_function("old => !old.isConnected", arg=old)
    expect(page.locator("#rounds details")).to_have_attribute("open", "")
    expect(page.locator("#rounds summary")).to_be_focused()
    # Another time is kept in the address, the key in this tab and nowhere else.
    page.locator("#days").select_option("1")
    expect(page.get_by_role("table", name="People over time").locator("tbody tr")).to_have_count(24)
    assert page.url.endswith("/dashboard?catalogue=films&days=1")
    page.reload()
    expect(page.locator("#days")).to_have_value("1")
    expect(page.locator("#glance .tile")).to_have_count(6)
    kept = page.evaluate("() => JSON.stringify([{...localStorage}, document.cookie])")
    assert KEY not in kept
    assert guest.context.cookies() == []
    assert [url for url in guest.called if KEY in url] == []


def test_a_page_that_needs_the_key_says_so(come: Come, talked: Server, axe: Any) -> None:
    guest = come(talked)
    page = guest.open("/", settle=False)
    expect(page.get_by_role("heading", name="A key is needed here")).to_be_visible()
    check(axe, page)
    assert guest.context.cookies() == []
    page.get_by_role("link", name="the dashboard").click()
    expect(page.get_by_role("dialog")).to_contain_text("This needs the key")


def test_a_service_that_nobody_talked_to(come: Come, tmp_path: Path, axe: Any) -> None:
    with serving(f"sqlite:///{tmp_path / 'service.db'}") as server:
        guest = come(server)
        page = guest.open("/dashboard", settle=False)
        expect(page.get_by_role("heading", name="Nobody was here in this time")).to_be_visible()
        expect(page.locator("#store")).to_contain_text("SQLite")
        check(axe, page, (390,))
        left = "all => all.map(it => it.getBoundingClientRect().left)"
        names, values = page.locator("#glance dt"), page.locator("#glance dd .big")
        assert values.evaluate_all(TEXT_LEFT) == pytest.approx(names.evaluate_all(left), abs=2)
        guest.context.set_offline(True)
        page.locator("#days").select_option("7")
        expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
        guest.context.set_offline(False)
        button(page, "Try again").click()
        expect(page.get_by_role("alert")).to_be_hidden()
        assert guest.context.cookies() == []
