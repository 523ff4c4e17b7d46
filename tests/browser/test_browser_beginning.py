"""The beginning in a browser: what one loves, typed or picked; nothing is sent before that."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from support import browser
from support.browser import (
    Come,
    answer,
    at,
    beliefs,
    button,
    card,
    face,
    go_on,
    kept,
    name,
    rate,
    settled,
    shown,
    to_question,
    upload,
)
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come


def test_looking_makes_nobody_known_and_choosing_sends_nothing(come: Come) -> None:
    guest = come()
    page = guest.open()
    expect(page.get_by_role("heading", name="What do you love?")).to_be_visible()
    assert 12 <= page.locator(".choice-chip").count() <= 16
    name(page, "alein")  # forgiving of typos
    face(page, "comedies").click()
    page.reload()
    settled(page)
    pills = page.locator(".pill > span")
    expect(pills).to_have_text(["Alien (1979)", "comedies"])  # a reload loses nothing
    page.goto("/taste")
    page.goto("/profile")
    settled(page)
    assert guest.ask().status_code == 404
    assert not [url for url in guest.called if "/steps" in url or "/next" in url]


def test_the_box_suggests_and_is_worked_by_keys(come: Come) -> None:
    page = come().open()
    box = page.get_by_role("combobox", name="A film, a topic or a mood you love")
    expect(box).to_have_attribute("placeholder", "a film, a topic, a mood you love")
    box.press_sequentially("space")
    expect(box).to_have_attribute("aria-expanded", "true")
    options = page.locator(".suggestion")
    expect(options.first).to_contain_text("set in space")
    assert options.count() >= 2
    for key, at_ in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", options.count() - 1)):
        box.press(key)
        expect(box).to_have_attribute("aria-activedescendant", f"suggestion-{at_}")
        expect(options.nth(at_)).to_have_attribute("aria-selected", "true")
    box.press("Escape")
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("space")
    box.press("Escape")
    expect(box).to_have_value("")
    box.fill("zzzzqqqq")
    expect(page.locator(".none")).to_contain_text("Nothing here is called that")
    name(page, "space")
    name(page, "fargo")
    expect(page.locator(".pill > span")).to_have_text(["Fargo (1996)", "set in space"])
    button(page, "Remove Fargo (1996)").click()
    expect(page.locator(".pill")).to_have_count(1)
    expect(box).to_be_focused()


def test_a_topic_has_three_states_by_clicks_and_by_keys(come: Come) -> None:
    page = come().open()
    chip = page.locator('.choice-chip[data-term="comedies"]').first
    for state in ("love", "not", "leave"):
        face(page, "comedies").click()
        expect(chip).to_have_attribute("data-state", state)
    group = page.get_by_role("group", name="comedies", exact=True)
    group.get_by_role("radio", name="love").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("status")).to_have_text("You love comedies.")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(chip).to_have_attribute("data-state", "not")
    expect(page.get_by_role("status")).to_have_text("You can't stand comedies.")
    page.get_by_text("All 58 topics").click()
    page.get_by_label("Filter topics").fill("samu")
    expect(page.locator(".chips.all .choice-chip")).to_have_count(1)
    face(page, "martial arts and samurai").click()
    expect(page.locator(".pill > span")).to_have_text(["comedies", "martial arts and samurai"])


def test_what_was_named_is_said_in_one_request_and_can_be_taken_back(come: Come) -> None:
    guest = come()
    page = guest.open()
    name(page, "alien")
    face(page, "science fiction").click()
    face(page, "musicals").click()
    face(page, "musicals").click()
    guest.called.clear()
    # Twice on the button itself: a pointer's second click may find another thing in its place.
    button(page, "Show me films").evaluate("pressed => { pressed.click(); pressed.click(); }")
    expect(page.locator(".card[data-item]")).to_have_count(3)
    assert len([url for url in guest.called if "/v1/me" in url]) == 1
    assert guest.kinds() == ["reward", "answer", "answer", "recommendation"]
    said = [(each["about"]["id"], each["about"]["answer"]) for each in guest.log("answer")]
    assert said == [("science fiction", 1), ("musicals", 0)]
    first = shown(page)
    assert "Alien (1979)" not in first
    reasons = page.locator(".because").all_inner_texts()
    assert any("you love science fiction" in each or "liked Alien" in each for each in reasons)
    matches = page.locator(".card .match")
    expect(matches.first).to_be_visible()
    expect(page.locator("#known")).to_contain_text("I am getting a first idea of you")
    other = guest.open()
    assert shown(other) == first
    button(page, "Back").click()
    expect(page.get_by_role("heading", name="What do you love?")).to_be_focused()
    for tab in (page, other):
        expect(tab.locator(".pill")).to_have_count(3)
    page.reload()
    expect(settled(page).locator(".pill")).to_have_count(3)
    assert guest.kinds().count("retraction") == 3
    button(page, "Show me films").click()
    expect(page.locator(".card[data-item]")).to_have_count(3)
    assert [each["retracted"] for each in guest.log("reward")] == [True, False]


def test_back_one_step_takes_back_what_was_said_there(come: Come) -> None:
    guest = come()
    page = guest.talk()
    asked = page.locator("h2.asked").inner_text()
    before = beliefs(page)
    answer(page, "Yes")
    assert beliefs(page) != before
    page.keyboard.press("u")
    expect(page.locator("h2.asked")).to_have_text(asked)
    expect(page.locator(".lesson")).to_contain_text("what you said there is taken back")
    assert [each["retracted"] for each in guest.log("answer")] == [True]
    answer(page, "No")
    said = [(each["about"]["answer"], each["retracted"]) for each in guest.log("answer")]
    assert said == [(1, True), (0, False)]
    liked = shown(page)[0]
    rate(page, liked)
    go_on(page)
    assert page.locator("h2.asked").inner_text() != asked
    button(page, "Back").click()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert shown(page)[0] == liked
    expect(button(page, f"Like: {liked}")).to_be_visible()
    assert [each["retracted"] for each in guest.log("reward")] == [True]
    button(page, "Back").click()  # to a question behind which another one stands open
    expect(page.locator("h2.asked")).to_have_text(asked)
    answer(page, "Yes")
    said = [(each["about"]["answer"], each["retracted"]) for each in guest.log("answer")]
    assert said == [(1, True), (0, True), (1, False)]


def test_more_like_this_and_a_list_kept_here(come: Come) -> None:
    guest = come()
    page = guest.open()
    name(page, "the matrix")
    button(page, "Show me films").click()
    expect(page.locator(".card[data-item]")).to_have_count(3)
    items = shown(page)
    button(page, f"Save: {items[1]}").click()
    expect(page.locator("#saved-link")).to_have_text("Your list: 1")
    button(page, f"More like this: {items[0]}").click()
    expect(page.get_by_role("heading", name=f"More like {items[0]}")).to_be_focused()
    assert items[0] not in shown(page)
    again = shown(page)
    page.reload()
    settled(page)
    assert shown(page) == again
    assert [each["item"] for each in kept(page)["saved"]] == [items[1]]
    assert guest.kinds().count("recommendation") == 2


def test_keys_for_everything_and_a_list_of_them(come: Come) -> None:
    guest = come(reduced_motion="reduce")
    page = guest.talk()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("back one step")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.locator(".card[data-item]").first).to_be_visible()
    first, second, third = shown(page)
    page.keyboard.press("2")
    expect(card(page, second)).to_be_focused()
    page.keyboard.press("l")
    expect(card(page, second).locator(".done")).to_have_text("You like it")
    page.keyboard.press("1")
    page.keyboard.press("x")
    expect(card(page, first).locator(".done")).to_have_text("Not for you")
    page.keyboard.press("3")
    page.keyboard.press("w")
    expect(card(page, third).locator(".done")).to_have_text("Seen")
    page.keyboard.press("u")
    expect(button(page, f"Like: {third}")).to_be_visible()
    page.get_by_role("heading", name="How about").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".answers")).to_be_visible()
    page.keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    page.wait_for_timeout(300)
    expect(page.locator(".answers")).to_be_visible()  # who does without keys is not surprised
    rewards = {each["about"]["item"]: each["about"]["reward"] for each in guest.log("reward")}
    assert rewards == {first: 0, second: 1}


def test_it_says_when_questions_and_items_end(come: Come, site: Server) -> None:
    names = ("Ada", "Bea", "Cy", "Dot", "Eve")
    settings = {"max_questions": 1}
    upload(site, "short", {each: ["calm"] for each in names}, settings=settings)
    page = come().open(at("/", catalogue="short"))
    to_question(page)
    seen: list[str] = []
    if page.locator(".answers").count():
        button(page, "Skip").click()
        expect(page.locator(".card[data-item]").first).to_be_visible()
        expect(page.locator(".lesson")).to_contain_text("That was my last question")
    while page.locator(".card[data-item]").count():
        seen += shown(page)
        button(page, "Go on").click()
        settled(page)
        expect(page.locator(".lesson")).to_have_count(0)  # said once
    expect(page.get_by_role("heading", name="Now you have seen everything once")).to_be_visible()
    assert sorted(seen) == sorted(names)
    button(page, "Show what you passed over again").click()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert set(shown(page)) <= set(names)
