"""Several tabs, no connection, a service that restarts: what was said is counted once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import (
    Come,
    Guest,
    answer,
    beliefs,
    believed,
    button,
    card,
    go_on,
    kept,
    rate,
    settled,
    shown,
    to_items,
)
from support.service_world import Server, free_port

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
STEPS = "**/v1/me/steps*"
ONE_ROUND = ["question", "answer", "recommendation"]


def banner(page: Page, text: str = "The service cannot be reached") -> None:
    expect(page.get_by_role("alert")).to_contain_text(text)


def no_banner(page: Page) -> None:
    expect(page.locator("#banner")).to_be_hidden()


def test_the_other_tab_follows(come: Come) -> None:
    guest = come()
    one, other = guest.talk(), guest.talk()
    asked = other.locator("h2.asked").inner_text()
    assert one.locator("h2.asked").inner_text() == asked
    answer(one, "Yes")
    expect(other.locator(".card[data-item]").first).to_be_visible()
    assert shown(other) == shown(one)
    assert beliefs(other) == beliefs(one) == believed(guest.profile())
    rate(other, shown(other)[1])
    expect(button(one, f"Undo: {shown(one)[1]}")).to_be_visible()
    rate(one, shown(one)[2], "Seen it")
    expect(card(other, shown(other)[2]).locator(".done")).to_have_text("Seen")
    go_on(other)
    expect(one.locator("h2.asked")).to_have_text(other.locator("h2.asked").inner_text())
    assert guest.kinds() == [*ONE_ROUND, "reward", "question"]


class Held:
    """Answers that are on their way, and do not arrive before they are told to."""

    def __init__(self, guest: Guest) -> None:
        self.routes: list[Route] = []
        self.is_open = False
        guest.context.route(STEPS, self.take)

    def take(self, route: Route) -> None:
        if self.is_open:
            route.continue_()
        else:
            self.routes.append(route)

    def wait(self, page: Page, count: int) -> None:
        while len(self.routes) < count:
            page.wait_for_timeout(20)

    def release(self, page: Page) -> None:
        """What this tab has sent."""
        for route in [each for each in self.routes if each.request.frame.page == page]:
            self.routes.remove(route)
            route.continue_()

    def release_all(self) -> None:
        """All of it, and whatever comes from now on."""
        self.is_open = True
        while self.routes:
            self.routes.pop(0).continue_()


def test_two_answers_at_once_are_one(come: Come) -> None:
    guest = come()
    one, other = guest.talk(), guest.talk()
    underway = Held(guest)
    button(one, "Yes").click()
    button(other, "No").click()
    underway.wait(one, 3)  # the other tab follows, and then says No
    underway.release_all()
    one.wait_for_function("() => !Object.keys(localStorage).some(key => key.includes('outbox'))")
    for page in (one, other):
        expect(page.locator(".card[data-item]").first).to_be_visible()
        expect(settled(page).get_by_text("That did not work")).to_be_hidden()
        no_banner(page)
    assert [each["retracted"] for each in guest.log("answer")] == [False]
    other.wait_for_timeout(500)  # time to go on once too often
    assert guest.kinds() == ONE_ROUND
    assert shown(one) == shown(other)


def test_after_a_late_answer_no_items_are_missed(come: Come) -> None:
    guest = come()
    one, other = guest.talk(), guest.talk()
    underway = Held(guest)
    button(one, "Yes").click()
    button(other, "No").click()
    underway.wait(one, 3)
    underway.release(one)
    expect(one.locator(".card[data-item]").first).to_be_visible()
    underway.release_all()
    expect(other.locator(".lesson")).to_contain_text("answered elsewhere")
    other.wait_for_timeout(500)  # time to go on once too often
    assert guest.kinds() == ONE_ROUND
    assert shown(one) == shown(other)


def test_an_answer_that_waits_is_sent_by_a_new_tab_once(come: Come) -> None:
    guest = come()
    page = guest.talk()
    underway = Held(guest)
    button(page, "Yes").click()
    expect(page.locator(".noted")).to_contain_text("Noted: yes")
    other = guest.open(settle=False)
    underway.wait(page, 2)
    underway.release(other)
    expect(other.locator(".card[data-item]").first).to_be_visible()
    underway.release_all()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    page.wait_for_timeout(500)  # time to go on once too often
    assert guest.kinds() == ONE_ROUND
    assert shown(page) == shown(other)


def test_what_the_profile_takes_back_is_gone_in_the_conversation(come: Come) -> None:
    guest = come()
    talk = guest.talk()
    answer(talk)
    before = beliefs(talk)
    profile = guest.open("/profile")
    button(profile, "Take back", exact=False).click()
    expect(profile.get_by_role("status")).to_contain_text("Taken back")
    expect(talk.locator(".belief .number").nth(0)).not_to_have_text(next(iter(before.values())))
    assert beliefs(talk) == believed(guest.profile())


def test_deleted_in_one_tab_is_said_in_the_other(come: Come) -> None:
    guest = come()
    talk = guest.talk()
    answer(talk)
    name = guest.name
    profile = guest.open("/profile")
    button(profile, "Delete everything …").click()
    button(profile, "Delete everything").click()
    expect(profile.locator("#events")).to_contain_text("You have not said anything yet.")
    expect(talk.locator("#step h2")).to_have_text("Your profile was deleted")
    assert beliefs(talk) == {}
    assert guest.ask(name=name).status_code == 404
    assert guest.name != name
    assert guest.ask().status_code == 404  # nothing begins by itself
    button(talk, "Start anew").click()
    expect(talk.get_by_role("heading", name="What do you love?")).to_be_visible()
    assert guest.ask().status_code == 404  # nor by looking


def test_an_answer_waits_for_the_connection(come: Come) -> None:
    guest = come()
    page = guest.talk()
    guest.context.set_offline(True)
    button(page, "Yes").click()
    banner(page)
    expect(page.locator(".noted")).to_contain_text("Noted: yes")
    expect(button(page, "No")).to_have_count(0)
    assert guest.kinds() == ["question"]
    guest.context.set_offline(False)
    expect(page.locator(".card[data-item]").first).to_be_visible()
    no_banner(page)
    assert guest.kinds() == ONE_ROUND
    assert kept(page)["outbox"] == []


def test_ratings_wait_for_the_connection(come: Come) -> None:
    guest = come()
    page = guest.talk()
    items = to_items(page)
    guest.context.set_offline(True)
    for item in items[:2]:
        button(page, f"Like: {item}").click()
    banner(page)
    button(page, f"Seen it: {items[2]}").click()
    expect(card(page, items[2]).locator(".done")).to_have_text("Seen")
    guest.context.set_offline(False)
    for item in items[:2]:
        expect(card(page, item).locator(".done")).to_have_text("You like it")
    no_banner(page)
    assert sorted(each["about"]["item"] for each in guest.log("reward")) == sorted(items[:2])


def test_an_answer_outlives_its_tab(come: Come) -> None:
    guest = come()
    page = guest.talk()
    guest.context.set_offline(True)
    button(page, "Yes").click()
    banner(page)
    page.close()
    guest.context.set_offline(False)
    assert guest.kinds() == ["question"]
    page = guest.talk()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert guest.kinds() == ONE_ROUND
    assert kept(page)["outbox"] == []
    page.reload()
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert guest.kinds() == ONE_ROUND


def test_an_answer_that_arrived_unheard_counts_once(come: Come) -> None:
    guest = come()
    page = guest.talk()

    def lost(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(STEPS, lost, times=1)
    button(page, "Yes").click()
    banner(page)
    expect(page.locator(".card[data-item]").first).to_be_visible()
    assert guest.kinds() == ONE_ROUND


def test_a_service_that_is_not_ready_is_waited_for(come: Come) -> None:
    guest = come()
    page = guest.talk()
    error = {"error": {"code": "store_unavailable", "message": "no database"}}
    page.route(STEPS, lambda route: route.fulfill(status=503, json=error), times=1)
    button(page, "No").click()
    banner(page, "The service is not ready")
    expect(page.locator(".card[data-item]").first).to_be_visible()
    no_banner(page)
    assert guest.kinds() == ONE_ROUND


def test_a_restart_in_the_middle(come: Come, tmp_path: Path) -> None:
    url, port = f"sqlite:///{tmp_path / 'service.db'}", free_port()
    server = Server(url, port=port)
    try:
        guest = come(server=server.wait())
        page = guest.talk()
        expect(page.locator("#choice")).to_be_hidden()  # there is one catalogue
        rate(page, to_items(page)[0])
        go_on(page)
        before = beliefs(page)
        server.kill()
        button(page, "Yes").click()
        banner(page)
        server = Server(url, port=port)
        expect(page.locator(".card[data-item]").first).to_be_visible(timeout=90_000)
        no_banner(page)
        assert guest.kinds() == [*ONE_ROUND, "reward", *ONE_ROUND]
        assert beliefs(page) == believed(guest.profile()) != before
    finally:
        server.kill()
