"""Everything works without a mouse, and the focus is never lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from support import browser
from support.browser import Come, answer, beliefs, button, focused, shown, skip

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
MOST_TABS = 40


def tab_to(page: Page, what: str, key: str = "Tab") -> None:
    """Press Tab until something has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press(key)
        if focused(page) == what:
            return
    raise AssertionError(f"{what!r} is not reached by {key}; at last {focused(page)!r}")


def press_on(page: Page, what: str, key: str = "Enter") -> None:
    tab_to(page, what)
    page.keyboard.press(key)


def test_the_skip_link_leads_to_the_conversation(come: Come) -> None:
    page = come().open()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="To the conversation")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#step")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="A film")).to_be_focused()


def test_a_round_by_keys_alone(come: Come) -> None:
    guest = come()
    page = guest.talk()
    press_on(page, "No")
    expect(page.get_by_role("heading", name="How about one of these?")).to_be_focused()
    first, second, _ = shown(page)
    page.keyboard.press("Tab")
    assert focused(page) == f"Save: {first}"
    press_on(page, f"Like: {first}", "Space")
    expect(button(page, f"Undo: {first}")).to_be_focused()
    press_on(page, f"Why this? {first}")
    expect(page.locator(".card").nth(0).locator("details")).to_contain_text("What you said")
    press_on(page, f"Not for me: {second}", "Space")
    expect(button(page, f"Undo: {second}")).to_be_focused()
    press_on(page, "Go on")
    expect(page.locator("h2.asked")).to_be_focused()
    press_on(page, "Why this question?", "Space")
    expect(page.get_by_text("One answer takes away")).to_be_visible()
    tab_to(page, "Skip", "Shift+Tab")
    page.keyboard.press("Space")
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert [each["about"]["answer"] for each in guest.log("answer")] == [0, None]
    assert [each["about"]["reward"] for each in guest.log("reward")] == [1, 0]


def test_undo_keeps_the_focus_at_the_card(come: Come) -> None:
    page = come().talk()
    answer(page)
    first, second, _ = shown(page)
    press_on(page, f"Like: {first}")
    expect(button(page, f"Undo: {first}")).to_be_focused()
    page.keyboard.press("Enter")
    expect(button(page, f"Like: {first}")).to_be_focused()
    press_on(page, f"Seen it: {second}")
    expect(button(page, f"Undo: {second}")).to_be_focused()
    page.keyboard.press("Space")
    expect(button(page, f"Like: {second}")).to_be_focused()


def test_arrow_keys_switch_the_order(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page)
    tab_to(page, "taste")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("By doubt")).to_be_checked()
    terms = guest.profile()["terms"]
    radius = {each["term"]: each["radius"] for each in terms}
    found = [radius[each] for each in beliefs(page)]
    assert found == sorted(found, reverse=True)
    assert found[0] == max(radius.values())
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_label("By taste")).to_be_checked()
    liked = guest.ask("/picture", catalogue="films").json()["topics"]
    by_liking = sorted(liked, key=lambda each: (-each["liking"], each["radius"]))
    assert list(beliefs(page))[:10] == [each["term"] for each in by_liking[:10]]
    page.keyboard.press("Tab")
    expect(page.locator("#beliefs")).to_be_focused()


def test_the_dialog_holds_and_returns_the_focus(come: Come) -> None:
    guest = come()
    answer(guest.talk())
    page = guest.open("/profile")
    dialog = page.get_by_role("dialog", name="Delete everything?")
    for leave in ("Escape", "Enter"):
        press_on(page, "Delete everything …")
        expect(dialog).to_be_visible()
        expect(button(page, "Keep it")).to_be_focused()
        for _ in range(5):
            page.keyboard.press("Tab")
            assert page.evaluate(
                "() => document.activeElement === document.body"
                " || document.activeElement.closest('dialog') !== null"
            )
        tab_to(page, "Keep it")
        page.keyboard.press(leave)
        expect(dialog).to_be_hidden()
        expect(button(page, "Delete everything …")).to_be_focused()
    assert guest.kinds() == ["question", "answer", "recommendation"]


def test_taking_back_by_keys(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page)
    term = guest.log("answer")[0]["about"]["id"]
    page = guest.open("/profile")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What you said")).to_be_focused()
    page.keyboard.press("Tab")
    expect(button(page, f"Take back: {term}, yes")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("status")).to_have_text(f"Taken back: {term}.")
    expect(page.get_by_role("heading", name="What you said")).to_be_focused()


def test_the_comparison_by_keys(come: Come) -> None:
    page = come().open("/compare")
    press_on(page, "Back to the start")
    tab_to(page, "One round", "Shift+Tab")
    for _ in range(2):
        page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("Round 2 of 30.")
    expect(button(page, "One round")).to_be_focused()
    tab_to(page, "max-radius", "Shift+Tab")
    before = page.locator("#right h3").inner_text()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status")).to_have_text("Round 30 of 30.")
    expect(page.locator("#right h3")).not_to_have_text(before)


def test_a_button_that_is_done_does_not_take_the_focus_along(come: Come) -> None:
    page = come().open("/compare")
    for name, text in (("Back to the start", "Round 0"), ("To the end", "Round 30")):
        press_on(page, name)
        expect(page.get_by_role("status")).to_contain_text(text)
        page.wait_for_timeout(200)
        assert page.evaluate("() => document.activeElement.tagName") != "BODY"


def test_enter_goes_on_after_a_card_was_liked_by_its_key(come: Come) -> None:
    """The focus stays at the card: on Undo, Enter would take the like back."""
    guest = come()
    page = guest.open()
    skip(page)
    first, *_ = shown(page)
    page.keyboard.press("1")
    page.keyboard.press("l")
    expect(button(page, f"Undo: {first}")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#step:not([aria-busy]) .answers")).to_be_visible()
    assert guest.kinds() == ["recommendation", "reward", "question"]
