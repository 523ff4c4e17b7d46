"""The builder's home in a browser: from a dropped table to a conversation, and who may do that."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from support import browser
from support.browser import Come, at, button
from support.build_page import check, drop
from support.service_door import SECRET
from support.service_world import Server, serving

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
RECIPES = Path(__file__).parents[2] / "examples/recipes.csv"


@pytest.fixture(scope="module")
def axe() -> Any:
    return import_module("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a key, whose page is not open."""
    folder = tmp_path_factory.mktemp("guarded")
    with serving(f"sqlite:///{folder / 'service.db'}", CONLINUCB_KEY=SECRET) as server:
        yield server


def test_from_a_dropped_table_to_a_conversation(come: Come, axe: Any) -> None:
    guest = come()
    page = guest.open("/build", settle=False)
    expect(button(page, "Drop a table here", exact=False)).to_be_visible()
    assert guest.context.cookies() == []  # nobody has become a person
    check(axe, page)
    drop(page, "broken.csv", "Recipe;Tag\nSoup;vegan\nSoup;\n")
    expect(page.get_by_role("alert")).to_contain_text("line 3: 'Soup;' has no Tag")
    check(axe, page)
    drop(page, "our_recipes.csv", RECIPES.read_text("utf-8"))
    expect(page.get_by_role("heading", name="What our_recipes.csv would become")).to_be_focused()
    result = page.locator("#result")
    for said in ("separated by semicolons", "'Minutes' are not used", "Three people talk to it"):
        expect(result).to_contain_text(said)
    expect(page.locator(".facts.large dd")).to_have_text(["60", "15", "3.0", "0", "0"])
    expect(page.locator(".questions li")).to_have_count(3)  # each about several of 15 topics
    expect(page.locator(".questions .about").first).to_contain_text(" / ")
    expect(page.locator(".person")).to_have_count(3)
    expect(page.locator(".person .about").first).to_contain_text(" / ")
    check(axe, page)
    expect(page.get_by_label("Name it")).to_have_value("our recipes")
    expect(page.get_by_label("Several, pick any")).to_be_checked()
    page.get_by_label("Name it").fill("films")  # which asks as it does until somebody chooses
    expect(page.locator("input[name=asks]:checked")).to_have_count(0)
    page.get_by_label("Name it").fill("our recipes")
    expect(page.get_by_label("Several, pick any")).to_be_checked()
    page.get_by_label("Name it").press("Enter")
    expect(page.get_by_role("heading", name="our recipes is in service")).to_be_visible()
    expect(page.get_by_role("link", name="Talk to it")).to_be_focused()
    check(axe, page)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{at('/', catalogue='our recipes')}")
    expect(page.locator("main")).not_to_contain_text("One moment")
    expect(page.locator("#catalogue")).to_have_value("our recipes")


GERMAN = "Titel;Stichworte;Jahrgang\nHeat;crime|city;1995\nAlien;space;1979\nRonin;crime;1998\n"


def test_which_column_is_what_may_be_said(come: Come, axe: Any) -> None:
    page = come().open("/build", settle=False)
    drop(page, "filme.csv", GERMAN)
    expect(page.get_by_role("alert")).to_contain_text("names no column of items")
    check(axe, page)
    titel = page.get_by_label("Titel is used as")
    titel.select_option("the item")
    expect(page.get_by_role("alert")).to_contain_text("names no column of topics")
    expect(titel).to_be_focused()
    expect(titel).to_have_value("item")
    page.get_by_label("Stichworte is used as").select_option("topics")
    expect(page.locator("#preview-title")).to_have_text("What filme.csv would become")
    expect(page.get_by_label("Stichworte is used as")).to_be_focused()
    expect(page.locator(".look-at")).to_contain_text("Numbers in 'Jahrgang' are not used")
    page.get_by_label("Name it").fill("Filme")
    page.get_by_label("Jahrgang is used as").select_option("year")
    expect(page.locator(".look-at")).not_to_contain_text("Jahrgang")
    expect(page.get_by_label("Name it")).to_have_value("Filme")
    page.get_by_label("Two topics").click()  # the one choice keeps the other
    expect(page.locator("input[name=asks]:checked")).to_be_focused()
    expect(page.get_by_label("Jahrgang is used as")).to_have_value("year")
    page.get_by_label("Jahrgang is used as").select_option("the item")
    expect(page.get_by_label("Titel is used as")).to_have_value("unused")
    page.get_by_label("Titel is used as").select_option("the item")
    expect(page.get_by_label("Jahrgang is used as")).to_have_value("unused")
    check(axe, page)
    button(page, "Put it into service").click()
    expect(page.get_by_role("heading", name="Filme is in service")).to_be_visible()
    expect(page.locator("#putting")).to_contain_text("3 items, 3 topics")


def test_catalogues_are_listed_and_deleted_after_asking(come: Come, axe: Any) -> None:
    page = come().open("/build", settle=False)
    drop(page, "soon gone.csv", "name,genres\nHeat,crime|city\nRonin,crime\nAlien,space\n")
    button(page, "Put it into service").click()
    page.get_by_role("link", name="All catalogues").click()
    mine = page.locator(".catalogue").filter(has=page.get_by_role("heading", name="soon gone"))
    expect(mine).to_contain_text("Asks at most 20 questions.")
    expect(mine.locator("dd")).to_have_text(["3", "3", "0", "1"])
    check(axe, page)
    delete = button(page, "Delete soon gone …")
    delete.click()
    expect(page.get_by_role("dialog")).to_contain_text("soon gone, 3 items")
    button(page, "Keep it").click()
    expect(delete).to_be_focused()
    delete.click()
    button(page, "Delete it").click()
    expect(page.get_by_text("soon gone is deleted.").first).to_be_visible()
    expect(mine).to_have_count(0)


def test_the_key_is_asked_for_and_stays_in_the_tab(come: Come, axe: Any, guarded: Server) -> None:
    guest = come(guarded)
    page = guest.open("/build", settle=False)
    key = page.get_by_label("Key", exact=True)
    expect(key).to_be_focused()
    check(axe, page)
    key.fill("not the right key at all")
    key.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the key")
    key.fill(SECRET)
    key.press("Enter")
    expect(button(page, "Drop a table here", exact=False)).to_be_focused()
    button(page, "Try it with 60 recipes").click()
    button(page, "Put it into service").click()
    expect(page.locator("#putting")).to_contain_text("recipes is in service")
    expect(page.locator("#putting")).to_contain_text("pages are closed here")
    page.reload()
    expect(button(page, "Drop a table here", exact=False)).to_be_visible()
    kept = page.evaluate("() => [Object.values(sessionStorage), Object.values(localStorage)]")
    assert kept == [[SECRET], []]
    button(page, "Forget the key in this tab").click()
    expect(page.get_by_label("Key", exact=True)).to_be_focused()
    assert not [url for url in guest.called if SECRET in url]
    other = guest.open("/build", settle=False)
    expect(other.get_by_label("Key", exact=True)).to_be_focused()


def test_the_reference_names_every_route(come: Come, axe: Any) -> None:
    guest = come()
    page = guest.open("/build#api", settle=False)
    expect(page.locator(".operation").first).to_be_visible()
    with guest.server.client() as client:
        paths = client.get("/v1/openapi.json").json()["paths"]
    routes = sorted(f"{method.upper()} {path}" for path, all in paths.items() for method in all)
    shown = page.locator(".operation > summary").evaluate_all(
        "all => all.map(it => it.children[0].textContent + ' ' + it.children[1].textContent)"
    )
    assert sorted(shown) == routes
    page.get_by_label("Find a route").fill("preview")
    expect(page.locator(".operation:visible")).to_have_count(1)
    page.locator(".operation:visible > summary").press("Enter")
    opened = page.locator(".operation[open]")
    for said in ("Parameters", "Fields of application/json", "Example", "curl -X POST"):
        expect(opened).to_contain_text(said if said != "Example" else "item,tag")
    check(axe, page)
    page.get_by_label("Find a route").fill("no such thing")
    expect(page.get_by_text("No route has that")).to_be_visible()
