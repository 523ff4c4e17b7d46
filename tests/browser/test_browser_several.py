"""Questions about two topics and about several, on the page and as a builder chooses them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import import_module, resources
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import conlinucb as cl
from conlinucb.datasets.demo import demo
from support import browser
from support.browser import Come, Guest, at, button, settled, shown, upload
from support.build_page import check, drop
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
DONT_KNOW, THATS_IT = (
    "Don\N{RIGHT SINGLE QUOTATION MARK}t know",
    ("That\N{RIGHT SINGLE QUOTATION MARK}s it: 2 of 6"),
)
EACH_ROUND = {"recipe": "for_newcomers", "schedule": {"name": "linear", "b": 1}}


@pytest.fixture(scope="module")
def axe() -> Any:
    return import_module("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture(scope="module")
def several(site: Server) -> Iterator[Server]:
    """The service with the films three times more: asked about in pairs, any and best."""
    text = (resources.files("conlinucb.datasets") / "demo_films.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    items = {row["title"]: row["topics"].split("|") for row in rows}
    for way in ("pair", "any", "best"):
        settings = {"ask_about": way, "agent": EACH_ROUND, "noun": "film", "nouns": "films"}
        upload(site, way, items, settings=settings)
    yield site
    with site.client() as client:
        for way in ("pair", "any", "best"):
            client.delete(f"/v1/catalogues/{way}").raise_for_status()


def asked(guest: Guest, way: str) -> tuple[Page, list[str]]:
    """A page at a question, and its topics."""
    page = guest.talk(at("/", catalogue=way))
    expect(page.locator(".answers").first).to_be_visible()
    found = guest.profile(way)["open_question"]["terms"]
    assert page.locator(".answers [data-key]").count() >= len(found)
    return page, found


def items_of(page: Page) -> list[str]:
    expect(page.locator(".card[data-item]").first).to_be_visible()
    return shown(page)


def said(guest: Guest, way: str) -> dict[str, Any]:
    return dict(guest.log("answer", catalogue=way)[-1]["about"])


def test_a_pair_by_mouse_on_every_place_in_words(come: Come, several: Server, axe: Any) -> None:
    guest = come()
    page, (first, second) = asked(guest, "pair")
    expect(page.get_by_role("heading", name="Which do you like more?")).to_be_visible()
    names = page.locator(".answers button > span").all_inner_texts()
    assert names == [first, second, "Both", "Neither", DONT_KNOW]
    check(axe, page)
    button(page, first).click()
    items_of(page)
    words = f"you prefer {first} to {second}"
    expect(page.get_by_role("status")).to_contain_text(f"Noted: {words}.")
    expect(page.locator(".because").first).to_have_text(f"Because {words}")
    page.locator(".card summary").first.click()
    sentence = words.capitalize()
    expect(page.locator(".card details").first).to_contain_text(f"You{words[3:]}, speaks for it")
    assert sentence.startswith("You prefer")
    assert said(guest, "pair")["chose"] == "first"
    page.goto(at("/taste", catalogue="pair"))
    expect(settled(page).locator("#summary")).to_contain_text(f"prefer {first} to {second}")
    check(axe, page)
    page.goto(at("/profile", catalogue="pair"))
    row = page.locator("#events li")
    expect(row.locator("strong")).to_have_text(f"You{words[3:]}")
    check(axe, page)
    button(page, f"Take back: You{words[3:]}").click()
    expect(row).to_contain_text("Taken back")
    assert guest.ask("/picture", catalogue="pair").json()["preferred"] == []


def test_a_pair_by_keys_and_back_again(come: Come, several: Server) -> None:
    guest = come()
    page, (first, second) = asked(guest, "pair")
    page.keyboard.press("b")
    items_of(page)
    expect(page.get_by_role("status")).to_contain_text(f"you like both {first} and {second}")
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="Which do you like more?")).to_be_visible()
    assert [each["retracted"] for each in guest.log("answer", catalogue="pair")] == [True]
    page.keyboard.press("2")
    items_of(page)
    assert said(guest, "pair")["chose"] == "second"
    assert guest.ask("/picture", catalogue="pair").json()["preferred"][0]["over"] == first
    page.keyboard.press("Enter")
    expect(page.locator(".answers")).to_be_visible()
    page.keyboard.press("s")
    items_of(page)
    assert said(guest, "pair")["answer"] is None


def test_any_of_several_by_touch(come: Come, several: Server, axe: Any) -> None:
    guest = come(has_touch=True, viewport={"width": 390, "height": 844})
    page, terms = asked(guest, "any")
    chips = page.locator(".pick")
    expect(chips).to_have_count(6)
    done = page.locator("#done")
    expect(done).to_contain_text("None of these")
    for at_ in (0, 2, 4, 2):
        chips.nth(at_).tap()
    assert [each.get_attribute("aria-pressed") for each in chips.all()] == [
        str(i in (0, 4)).lower() for i in range(6)
    ]
    expect(done).to_contain_text(THATS_IT)
    assert guest.log("answer", catalogue="any") == []  # nothing is said before
    check(axe, page)
    page.set_viewport_size({"width": 390, "height": 844})
    done.tap()
    items_of(page)
    picked = [terms[0], terms[4]]
    assert said(guest, "any")["picked"] == picked
    expect(page.get_by_role("status")).to_contain_text(f"you like {picked[0]} and {picked[1]}")
    button(page, "Back").tap()
    expect(page.locator(".pick[aria-pressed=false]")).to_have_count(6)
    page.locator("#done").tap()
    items_of(page)
    assert said(guest, "any")["picked"] == []
    expect(page.get_by_role("status")).to_contain_text(f"you like none of {terms[0]}, ")
    page.goto(at("/profile", catalogue="any"))
    expect(page.locator("#events strong").first).to_contain_text(f"You like none of {terms[0]}, ")
    check(axe, page)


def test_any_of_several_by_keys(come: Come, several: Server) -> None:
    guest = come()
    page, terms = asked(guest, "any")
    page.locator("h2.asked").focus()
    page.keyboard.press("Enter")  # none of these wants a key of its own
    assert guest.log("answer", catalogue="any") == []
    for key in "246":
        page.keyboard.press(key)
    expect(page.locator(".pick").nth(5)).to_be_focused()
    page.keyboard.press("Space")  # the last one is off again
    expect(page.locator("#done")).to_contain_text("2 of 6")
    page.locator("h2.asked").focus()
    page.keyboard.press("Enter")
    items_of(page)
    assert said(guest, "any")["picked"] == [terms[1], terms[3]]


def test_the_best_of_several(come: Come, several: Server, axe: Any) -> None:
    guest = come()
    page, terms = asked(guest, "best")
    expect(page.get_by_role("heading", name="Which of these do you like best?")).to_be_visible()
    check(axe, page)
    button(page, terms[1]).click()
    items_of(page)
    words = f"You like {terms[1]} best, before "
    assert said(guest, "best")["picked"] == [terms[1]]
    page.keyboard.press("Enter")
    expect(page.locator(".answers")).to_be_visible()
    page.keyboard.press("n")
    items_of(page)
    assert said(guest, "best")["picked"] == []
    page.goto(at("/profile", catalogue="best"))
    expect(page.locator("#events strong").last).to_contain_text(words)
    check(axe, page)


def test_a_reload_asks_the_same_of_both(come: Come, several: Server) -> None:
    guest = come()
    page, (first, second) = asked(guest, "pair")
    page.reload()
    settled(page)
    assert page.locator(".topic-answer > span").all_inner_texts() == [first, second]
    button(page, second).click()
    items_of(page)
    assert guest.kinds("pair") == ["question", "answer", "recommendation"]


def test_compared_in_words(come: Come, several: Server) -> None:
    page = come().open(at("/compare", catalogue="pair"))
    expect(page.locator(".steps").first).to_contain_text("prefers ")


def vectors() -> str:
    """The films by their features alone, as a table."""
    catalog: cl.Catalog = demo(d=12).catalog
    lines = ["film," + ",".join(f"e{i + 1}" for i in range(12))]
    for film, row in zip(catalog.arm_ids, catalog.arms[:, :12], strict=True):
        lines.append(f'"{film}",' + ",".join(f"{each:.4f}" for each in row))
    return "\n".join(lines) + "\n"


def test_from_vectors_alone_to_a_conversation_in_pairs(come: Come, axe: Any) -> None:
    guest = come()
    page = guest.open("/build", settle=False)
    drop(page, "by feel.csv", vectors())
    expect(page.locator("#result")).to_contain_text("12 columns of numbers say where it lies")
    expect(page.locator(".columns tbody tr")).to_have_count(2)
    expect(page.get_by_label("One topic")).to_be_checked()
    page.get_by_label("Two topics").check()
    expect(page.locator(".questions li").first).to_contain_text("have one of the two")
    expect(page.get_by_label("Two topics")).to_be_focused()
    expect(page.get_by_label("Name it")).to_have_value("by feel")
    check(axe, page)
    button(page, "Put it into service").click()
    page.get_by_role("link", name="Talk to it").click()
    page.wait_for_url(f"**{at('/', catalogue='by feel')}")
    expect(page.locator(".choice-chip").first).to_be_visible()
    page, (first, _) = asked(guest, "by feel")
    page.locator(".topic-answer").first.click()
    items_of(page)
    assert said(guest, "by feel")["chose"] == "first"
    with guest.server.client() as client:
        topics = {each["term"] for each in guest.profile("by feel")["terms"]}
        assert first in topics
        page.goto("/build#catalogues")
        mine = page.locator(".catalogue").filter(has=page.get_by_role("heading", name="by feel"))
        expect(mine).to_contain_text("Asks which of two topics is liked more.")
        mine.get_by_text("Change what it asks").click()
        mine.get_by_label("Several, pick any").check()
        expect(mine).to_contain_text("Asks which of several topics are liked.")
        expect(mine.get_by_label("Several, pick any")).to_be_focused()
        check(axe, page)
        settings = client.get("/v1/catalogues/by feel/settings").json()
        assert (settings["ask_about"], settings["noun"]) == ("any", "film")
        client.delete("/v1/catalogues/by feel").raise_for_status()
