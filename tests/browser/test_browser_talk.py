"""The conversation in a browser: a minute of it brings fitting items, and nothing gets lost."""

from __future__ import annotations

import csv
import re
from importlib import resources
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from support import browser
from support.browser import (
    Come,
    Guest,
    answer,
    at,
    beliefs,
    believed,
    button,
    card,
    fixed,
    focused,
    go_on,
    kept,
    rate,
    settled,
    shown,
    to_items,
    upload,
)
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
TASTE = {"adventures", "robots and thinking machines", "science fiction", "set in space"}
ROUNDS = 8
MOST_CLICKS = 25
"""What a person does in a minute or so."""


def films() -> dict[str, set[str]]:
    text = (resources.files("conlinucb.datasets") / "demo_films.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return {f"{row['title']} ({row['year']})": set(row["topics"].split("|")) for row in rows}


class Fan:
    """Someone with a taste, who talks to the page and remembers what they pressed."""

    def __init__(self, guest: Guest, page: Page) -> None:
        self.guest, self.page, self.films = guest, page, films()
        self.clicks = 0
        self.answers: list[tuple[str, float]] = []
        self.rewards: list[tuple[str, float]] = []

    def fit(self, item: str) -> int:
        return len(self.films[item] & TASTE)

    def answer(self) -> None:
        """By what the question is about, as the service knows it."""
        question = self.guest.profile()["open_question"]
        expect(self.page.locator("h2.asked")).to_have_text(question["text"])
        likes = question["term"] in TASTE
        answer(self.page, "Yes" if likes else "No")
        self.clicks += 1
        self.answers.append((question["term"], float(likes)))

    def rate(self, item: str) -> None:
        likes = self.fit(item) >= 2
        rate(self.page, item, "Like" if likes else "Not for me")
        self.clicks += 1
        self.rewards.append((item, float(likes)))

    def go_on(self) -> None:
        go_on(self.page)
        self.clicks += 1


def test_a_minute_of_talk_brings_fitting_items(come: Come) -> None:
    guest = come()
    page = guest.talk()
    fan = Fan(guest, page)
    for left in range(ROUNDS)[::-1]:
        before = beliefs(page)
        fan.answer()
        assert beliefs(page) == believed(guest.profile()) != before
        if left:
            fan.rate(shown(page)[0])
            fan.go_on()
    assert fan.clicks <= MOST_CLICKS
    said = [(each["about"]["id"], each["about"]["answer"]) for each in guest.log("answer")]
    assert said == fan.answers
    liked = [(each["about"]["item"], each["about"]["reward"]) for each in guest.log("reward")]
    assert liked == fan.rewards
    assert guest.kinds().count("recommendation") == guest.kinds().count("question") == ROUNDS
    usual = sum(map(fan.fit, fan.films)) / len(fan.films)
    found = [fan.fit(item) for item in shown(page)]
    assert len(found) == 3
    assert sum(found) / 3 > 3 * usual


def test_bars_follow_what_is_liked(come: Come) -> None:
    guest = come()
    page = guest.talk()
    first = guest.profile()["open_question"]["term"]
    assert bar(page, first)["width"] < 25
    answer(page)
    liked = bar(page, first)
    assert (liked["left"], liked["class"]) == (50, "bar-of")
    assert liked["width"] > 25
    assert next(iter(beliefs(page))) == first
    expect(row_of(page, first).locator(".word")).to_have_text("love it")
    go_on(page)
    second = guest.profile()["open_question"]["term"]
    answer(page, "No")
    refused = bar(page, second)
    assert refused["class"] == "bar-of less"
    assert refused["left"] + refused["width"] == pytest.approx(50, abs=0.1)
    expect(page.locator("#top")).to_contain_text(first)


def row_of(page: Page, topic: str) -> Locator:
    exactly = page.locator(".topic", has_text=re.compile(f"^{re.escape(topic)}$"))
    return page.locator(".belief").filter(has=exactly)


def bar(page: Page, topic: str) -> dict[str, Any]:
    found = row_of(page, topic).locator(".bar-of")
    seen = "it => [parseFloat(it.style.left), parseFloat(it.style.width), it.className]"
    return dict(zip(("left", "width", "class"), found.evaluate(seen), strict=True))


def test_why_this_question_and_numbers_for_who_wants_them(come: Come) -> None:
    guest = come()
    page = guest.talk()
    expect(page.locator("#step .lead")).not_to_be_empty()
    page.get_by_text("Why this question?").click()
    asked = guest.profile()["open_question"]
    why = page.locator("details.why")
    expect(why).to_contain_text("One answer takes away")
    number = why.get_by_text(f"It expects {fixed(asked['mean'])}, give or take")
    expect(number).to_be_hidden()
    expect(page.locator(".belief .number").first).to_be_hidden()
    page.get_by_label("Show numbers").check()
    expect(number).to_be_visible()
    expect(page.locator(".belief .number").first).to_be_visible()
    page.reload()
    expect(settled(page).locator(".belief .number").first).to_be_visible()


def test_why_this_item_says_what_explain_says(come: Come) -> None:
    guest = come()
    page = guest.talk()
    page.get_by_label("Show numbers").check()
    for text in ("Yes", "Skip"):
        answer(page, text)
        rate(page, shown(page)[0], "Like" if text == "Yes" else "Not for me")
        go_on(page)
    answer(page, "No")
    item = shown(page)[2]
    found = guest.ask("/explain", item=item).json()
    why = card(page, item).locator("details")
    why.locator("summary").click()
    expect(why).to_contain_text(f"it expected {fixed(found['mean'])}, give or take")
    expect(why).not_to_contain_text("since")
    told = [each for each in found["contributions"] if abs(each["contribution"]) >= 0.005]
    parts = told[:6]
    expect(why.locator("li")).to_have_count(len(parts))
    assert [
        text.split(",")[0].strip() for text in why.locator("li > :first-child").all_inner_texts()
    ] == [said_of(each) for each in parts]
    assert why.locator("li > .number").all_inner_texts() == list(map(amount_of, parts))
    assert len(parts) >= 2
    rate(page, item, "Not for me")  # an open one follows
    after = guest.ask("/explain", item=item).json()["mean"]
    assert fixed(after) != fixed(found["mean"])
    expect(why).to_contain_text(f"With what you said since, it expects {fixed(after)}, give")
    expect(why).to_contain_text(f"{item}: not for me, said since")


def said_of(part: dict[str, Any]) -> str:
    words = {"answer": ("no", "yes"), "reward": ("not for me", "liked")}
    return f"{part['about']}: {words[part['kind']][int(part['value'])]}"


def amount_of(part: dict[str, Any]) -> str:
    return f"{'' if part['contribution'] < 0 else '+'}{fixed(part['contribution'])}"


def test_a_reload_asks_the_same_question_once(come: Come) -> None:
    guest = come()
    page = guest.talk()
    answer(page, "Skip")
    go_on(page)
    asked = guest.profile()["open_question"]
    assert kept(page)["step"] == guest.log("question")[-1]["client_id"]
    for _ in range(2):
        page.reload()
        settled(page)
        expect(page.locator("h2.asked")).to_have_text(asked["text"])
        assert guest.profile()["open_question"] == asked
    assert guest.profile()["questions_asked"] == 2
    assert guest.kinds() == ["question", "answer", "recommendation", "question"]


def test_a_reload_shows_the_same_items_as_they_were(come: Come) -> None:
    guest = come()
    page = guest.talk()
    liked, seen, free = to_items(page)
    rate(page, liked)
    rate(page, seen, "Seen it")
    page.reload()
    settled(page)
    assert shown(page) == [liked, seen, free]
    expect(card(page, liked).locator(".done")).to_have_text("You like it")
    expect(card(page, seen).locator(".done")).to_have_text("Seen")
    expect(button(page, f"Like: {free}")).to_be_visible()
    assert guest.kinds() == ["question", "answer", "recommendation", "reward"]
    assert kept(page)["seen"] == [seen]
    go_on(page)
    answer(page)
    assert not {liked, seen} & set(shown(page))


def test_undo_takes_back_at_the_service_and_here(come: Come) -> None:
    guest = come()
    page = guest.talk()
    liked, seen, _ = to_items(page)
    before = beliefs(page)
    rate(page, liked, "Not for me")
    expect(card(page, liked).locator(".done")).to_have_text("Not for you")
    rate(page, seen, "Seen it")
    for item in (liked, seen):
        button(page, f"Undo: {item}").click()
        expect(button(page, f"Like: {item}")).to_be_enabled()
    assert beliefs(page) == before
    assert kept(page)["seen"] == []
    assert [each["retracted"] for each in guest.log("reward")] == [True]
    rate(page, liked)
    assert [each["about"]["reward"] for each in guest.log("reward")] == [0, 1]


def test_screen_readers_hear_what_happened(come: Come) -> None:
    guest = come()
    page = guest.talk()
    status = page.get_by_role("status")
    term = guest.profile()["open_question"]["term"]
    answer(page, "No")
    expect(status).to_contain_text(f"Noted: no to {term}.")
    expect(page.get_by_role("heading", name="How about one of these?")).to_be_focused()
    items = shown(page)
    for item in items:
        named = [
            each.get_attribute("aria-label") for each in card(page, item).locator("button").all()
        ]
        actions = ("Save", "Like", "Not for me", "Seen it", "More like this")
        assert named == [f"{text}: {item}" for text in actions]
    rate(page, items[0])
    expect(status).to_have_text(f"Noted: you like it, {items[0]}.")
    assert focused(page) == f"Undo: {items[0]}"
    rate(page, items[1], "Not for me")
    expect(status).to_have_text(f"Noted: not for you, {items[1]}.")
    rate(page, items[2], "Seen it")
    expect(status).to_have_text(f"{items[2]} will not be shown again.")
    button(page, f"Undo: {items[2]}").click()
    expect(status).to_have_text("Taken back.")
    go_on(page)
    expect(page.locator("h2.asked")).to_be_focused()
    answer(page, "Skip")
    expect(status).to_have_text("Skipped.")


def through_everything(page: Page) -> None:
    """Rate two items, and have seen the third."""
    items = to_items(page)
    assert sorted(items) == ["Ada", "Bea", "Cy"]
    for item, how in zip(items, ("Like", "Not for me", "Seen it"), strict=True):
        rate(page, item, how)
    button(page, "Go on").click()
    if settled(page).locator(".answers").count():
        button(page, "Skip").click()
    heading = page.get_by_role("heading", name="You have been through everything here")
    expect(heading).to_be_focused()


def test_when_everything_was_seen(come: Come) -> None:
    guest = come()
    page = guest.talk(at("/", catalogue="tiny"))
    through_everything(page)
    button(page, "Show them again").click()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert sorted(shown(page)) == ["Ada", "Bea", "Cy"]
    rate(page, "Ada")
    assert len(guest.log("reward", catalogue="tiny")) == 3


def test_seen_again_is_not_shown_again(come: Come) -> None:
    page = come().talk(at("/", catalogue="tiny"))
    through_everything(page)
    button(page, "Show them again").click()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    rate(page, "Bea", "Seen it")
    button(page, "Go on").click()
    expect(card(page, "Bea")).to_have_count(0)
    if settled(page).locator(".answers").count():
        answer(page, "Skip")
    assert sorted(shown(page)) == ["Ada", "Cy"]


def test_what_was_rated_may_leave_the_catalogue(come: Come, site: Server) -> None:
    upload(site, "moving", {"Old": ["calm"], "Older": ["loud"], "Oldest": ["calm", "loud"]})
    page = come().talk(at("/", catalogue="moving"))
    items = to_items(page)
    rate(page, items[0])
    rate(page, items[1], "Seen it")
    upload(site, "moving", {"New": ["calm"], "Newer": ["loud"], "Newest": ["calm", "loud"]})
    button(page, "Go on").click()
    expect(page.locator(".answers")).to_be_visible()
    answer(page)
    assert sorted(shown(page)) == ["New", "Newer", "Newest"]
