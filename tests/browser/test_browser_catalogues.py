"""Several catalogues in a browser: one chooses, and stays with what was chosen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import (
    TINY,
    Come,
    answer,
    at,
    beliefs,
    button,
    kept,
    rate,
    settled,
    to_items,
    to_question,
)

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
PAGES = ("/", "/taste", "/profile", "/compare")


def links(page: Page, where: str) -> list[str]:
    found = page.locator(where).evaluate_all("all => all.map(it => it.pathname + it.search)")
    return [str(each) for each in found]


def test_the_select_switches(come: Come) -> None:
    guest = come()
    page = guest.talk()
    select = page.get_by_label("Talk about")
    expect(select).to_have_value("films")
    assert select.locator("option").all_inner_texts()[:3] == ["films", "tiny", "evil"]
    select.select_option("tiny")
    page.wait_for_url("**/?catalogue=tiny")
    settled(page)
    expect(page.get_by_label("Talk about")).to_have_value("tiny")
    to_question(page)
    assert set(beliefs(page)) == {"calm", "loud"}
    assert set(to_items(page)) == set(TINY)
    assert guest.kinds("tiny") == ["question", "answer", "recommendation"]
    assert guest.kinds("films") == ["question"]
    assert kept(page, "tiny")["step"] != kept(page, "films")["step"]


def test_links_keep_the_catalogue(come: Come) -> None:
    page = come().talk(at("/", catalogue="tiny"))
    expected = [at(path, catalogue="tiny") for path in PAGES]
    assert links(page, "nav a") == expected
    page.get_by_role("link", name="Your profile").click()
    expect(settled(page).locator("#catalogue")).to_have_value("tiny")
    assert links(page, "nav a") == expected
    page.get_by_role("link", name="Compare").click()
    expect(settled(page).locator("#person")).to_contain_text("calm")
    assert links(page, "nav a") == expected
    page.get_by_role("link", name="Talk").click()
    expect(settled(page).get_by_label("Talk about")).to_have_value("tiny")


def test_all_other_links_keep_it_too(come: Come) -> None:
    guest = come()
    page = guest.open(at("/profile", catalogue="tiny"))
    assert links(page, "#events a") == [at("/", catalogue="tiny")]
    page.goto(at("/", catalogue="tiny"))
    to_question(settled(page))
    assert links(page, ".name, .foot a:not(.elsewhere)") == [
        at(path, catalogue="tiny") for path in ("/", "/profile")
    ]
    assert links(page, ".foot .elsewhere") == ["/build", "/dashboard"]
    for item in to_items(page):
        rate(page, item)
    button(page, "Go on").click()
    if settled(page).locator(".answers").count():
        button(page, "Skip").click()
    expect(page.get_by_text("You have been through everything here")).to_be_visible()
    assert links(page, "#step a") == [at("/taste", catalogue="tiny")]


def test_profiles_are_apart(come: Come) -> None:
    guest = come()
    page = guest.talk(at("/", catalogue="tiny"))
    answer(page)
    page.goto("/profile")
    expect(settled(page).locator("#summary")).to_have_text(
        "Nothing is kept of you about films yet."
    )
    page.locator("#catalogue").select_option("tiny")
    page.wait_for_url("**/profile?catalogue=tiny")
    expect(page.locator("#events li button")).to_have_count(1)


def test_an_unknown_catalogue_is_the_usual_one(come: Come) -> None:
    page = come().talk(at("/", catalogue="nowhere"))
    expect(page.get_by_label("Talk about")).to_have_value("films")
    expect(page.locator(".answers")).to_be_visible()


def test_without_a_catalogue_every_page_says_so(come: Come) -> None:
    guest = come()

    def bare(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "catalogues": []})

    guest.context.route("**/v1/page", bare)
    for path in PAGES:
        page = guest.open(path, settle=False)
        expect(page.locator("main")).to_contain_text("This service has no catalogue", timeout=5000)
        page.close()
