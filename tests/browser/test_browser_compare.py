"""The comparison in a browser: what it shows is what the service computed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import Come, Guest, at, button, fixed, settled
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
NAMES = {"max-radius": "ConLinUCB: max-radius", "linucb": "LinUCB: asks nothing"}


def computed(server: Server, **other: Any) -> dict[str, Any]:
    order: dict[str, Any] = {
        "agents": ["max-radius", "linucb"],
        "schedule": "logarithmic",
        "noise": 0.1,
        "seed": 1,
        "rounds": 100,
    }
    with server.client() as client:
        response = client.post("/v1/page/comparison?catalogue=films", json={**order, **other})
    assert response.status_code == 200, response.text
    return dict(response.json())


def facts(page: Page, side: str) -> dict[str, str]:
    names, values = (
        page.locator(f"#{side} .facts {tag}").all_inner_texts() for tag in ("dt", "dd")
    )
    return dict(zip(names, values, strict=True))


def facts_of(run: dict[str, Any], upto: int) -> dict[str, str]:
    rounds = run["rounds"][:upto]
    return {
        "Round": f"{upto} of 100",
        "Questions": str(sum(len(each["asked"]) for each in rounds)),
        "Regret": fixed(rounds[-1]["regret"]),
        "Error": fixed(rounds[-1]["error"]),
    }


def curves(page: Page) -> list[str]:
    found = page.locator("#curves polyline")
    return [str(each.get_attribute("points")) for each in found.all()]


def test_the_end_is_what_the_service_computed(come: Come, site: Server) -> None:
    page = come().open("/compare")
    found = computed(site)
    likes = ", ".join(found["likes"])
    expect(page.locator("#person")).to_have_text(
        f"Person 1 likes best: {likes}. The agents do not know that."
    )
    assert facts(page, "left")["Regret"] == "\N{EN DASH}"
    assert curves(page) == []
    button(page, "To the end").click()
    for side, run in zip(("left", "right"), found["runs"], strict=True):
        expect(page.locator(f"#{side} h2")).to_have_text(NAMES[run["agent"]])
        assert facts(page, side) == facts_of(run, 100)
        last = page.locator(f"#{side} .steps li").nth(0)
        expect(last).to_contain_text("Round 100")
        expect(last).to_contain_text(f"showed {run['rounds'][-1]['item']}")
    assert len(curves(page)) == 6
    assert all(len(each.split(" ")) == 100 for each in curves(page))
    for name in ("One round", "To the end"):
        expect(button(page, name)).to_be_disabled()


def test_the_table_has_the_numbers(come: Come, site: Server) -> None:
    page = come().open("/compare")
    button(page, "To the end").click()
    figure = page.locator("figure").filter(has_text="Regret so far")
    figure.get_by_text("As a table").click()
    expect(figure.locator("thead th")).to_have_text(["Round", *NAMES.values()])
    runs = [run["rounds"] for run in computed(site)["runs"]]
    cells = [
        [str(each), *(fixed(rounds[each - 1]["regret"]) for rounds in runs)]
        for each in range(10, 101, 10)
    ]
    rows = figure.locator("tbody tr").all()
    assert [row.locator("th, td").all_inner_texts() for row in rows] == cells
    numbers = ", ".join(f"{name} {cells[-1][i + 1]}" for i, name in enumerate(NAMES.values()))
    picture = figure.get_by_role("img")
    expect(picture).to_have_attribute("aria-label", f"Regret after round 100: {numbers}")


def test_an_open_table_stays_open(come: Come) -> None:
    page = come().open("/compare")
    button(page, "One round").click()
    table = page.locator("#regret details")
    table.get_by_text("As a table").click()
    expect(table.locator("tbody tr")).to_have_count(1)
    button(page, "One round").click()
    expect(table.locator("tbody tr")).to_have_count(2)
    assert table.evaluate("it => it.open")


def test_round_by_round_run_pause_and_back(come: Come, site: Server) -> None:
    page = come().open("/compare")
    status = page.get_by_role("status")
    expect(button(page, "Back to the start")).to_be_disabled()
    for each in (1, 2):
        button(page, "One round").click()
        expect(status).to_have_text(f"Round {each} of 100.")
    run = computed(site)["runs"][0]
    assert facts(page, "left") == facts_of(run, 2)
    button(page, "Run").click()
    expect(button(page, "Run")).to_be_hidden()
    page.wait_for_function("() => parseInt(document.querySelector('#left dd').textContent) > 4")
    button(page, "Pause").click()
    paused = facts(page, "left")["Round"]
    page.wait_for_timeout(400)
    assert facts(page, "left")["Round"] == paused
    assert facts(page, "left") == facts_of(run, int(paused.split()[0]))
    button(page, "Back to the start").click()
    expect(status).to_have_text("Round 0 of 100.")
    assert curves(page) == []


def test_a_run_comes_to_its_end(come: Come) -> None:
    guest = come()
    page = guest.context.new_page()
    page.clock.install(time=0)
    page.goto("/compare")
    settled(page)
    page.clock.pause_at(3600)  # seconds; or it would go on beside run_for while the machine is busy
    button(page, "Run").click()
    page.clock.run_for(100 * 120 + 1000)
    assert facts(page, "left")["Round"] == "100 of 100"
    expect(page.get_by_role("status")).to_have_text("Round 100 of 100.")
    expect(button(page, "Run")).to_be_enabled()
    button(page, "Run").click()
    page.clock.run_for(500)
    assert facts(page, "left")["Round"] == "4 of 100"


def test_choices_redraw_and_the_same_ones_give_the_same(come: Come, site: Server) -> None:
    page = come().open("/compare")
    end = button(page, "To the end")
    end.click()
    first = curves(page)
    for what, value, other in (
        ("#other", "conucb", {"agents": ["max-radius", "conucb"]}),
        ("#schedule", "linear", {"schedule": "linear"}),
        ("#noise", "1", {"noise": 1.0}),
    ):
        before = page.locator(what).input_value()
        assert redrawn(page, what, value) != first
        found = computed(site, **other)["runs"]
        assert facts(page, "left") == facts_of(found[0], 100)
        assert facts(page, "right") == facts_of(found[1], 100)
        assert redrawn(page, what, before) == first
    button(page, "Another person").click()
    expect(page.locator("#person")).to_contain_text("Person 2 likes best")
    end.click()
    assert curves(page) != first
    page.get_by_label("Person").fill("1")
    page.get_by_label("Person").press("Enter")
    expect(page.locator("#person")).to_contain_text("Person 1 likes best")
    end.click()
    assert curves(page) == first


def redrawn(page: Page, what: str, value: str) -> list[str]:
    page.locator(what).select_option(value)
    expect(page.get_by_role("status")).to_have_text("Round 0 of 100.")
    button(page, "To the end").click()
    return curves(page)


def posts(guest: Guest) -> int:
    return sum("/v1/page/comparison" in url for url in guest.called)


def test_no_such_person(come: Come) -> None:
    guest = come()
    page = guest.open("/compare")
    before = page.locator("#person").inner_text()
    person = page.get_by_label("Person")
    for value in ("", "-1", "1.5", "2147483648"):
        person.fill(value)
        person.press("Tab")
        expect(page.locator("#seed:invalid")).to_be_focused()
        assert person.evaluate("it => it.validationMessage")
        assert page.locator("#person").inner_text() == before
    assert posts(guest) == 1
    person.fill("3")
    person.press("Tab")
    expect(page.locator("#person")).to_contain_text("Person 3 likes best")


def test_the_last_choice_is_shown_whatever_comes_last(come: Come) -> None:
    page = come().open("/compare")
    slow: list[Route] = []
    page.route("**/v1/page/comparison*", lambda route: slow.append(route), times=1)
    page.get_by_label("Person").fill("2")
    page.get_by_label("Person").press("Tab")
    page.get_by_label("Person").fill("3")
    page.get_by_label("Person").press("Tab")
    expect(page.locator("#person")).to_contain_text("Person 3 likes best")
    with page.expect_response("**/v1/page/comparison*"):
        slow[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#person")).to_contain_text("Person 3 likes best")


def test_what_cannot_be_compared_is_said(come: Come) -> None:
    page = come().context.new_page()
    error = {"error": {"code": "invalid_input", "message": "That catalogue is too large."}}
    page.route("**/v1/page/comparison*", lambda route: route.fulfill(status=422, json=error))
    page.goto("/compare")
    expect(page.locator("#person")).to_have_text("That catalogue is too large.")
    for name in ("Run", "One round", "To the end"):
        if button(page, name).is_enabled():
            button(page, name).click()
    page.wait_for_timeout(300)  # the fixture checks that no script failed


def test_another_catalogue_is_compared(come: Come) -> None:
    page = come().open(at("/compare", catalogue="tiny"))
    expect(page.locator("#person")).to_contain_text("calm")
    button(page, "To the end").click()
    expect(page.locator("#left .steps li").nth(0)).to_contain_text("showed")


def test_the_address_keeps_the_choices(come: Come) -> None:
    page = come().open("/compare")
    page.locator("#other").select_option("conucb")
    page.locator("#noise").select_option("0.3")
    page.get_by_label("Person").fill("7")
    page.get_by_label("Person").press("Tab")
    expect(page.locator("#person")).to_contain_text("Person 7 likes best")
    again = come().open(page.url)
    expect(again.locator("#person")).to_contain_text("Person 7 likes best")
    chosen = {each: again.locator(f"#{each}").input_value() for each in ("one", "other", "noise")}
    assert chosen == {"one": "max-radius", "other": "conucb", "noise": "0.3"}
    button(page, "To the end").click()
    button(again, "To the end").click()
    assert curves(page) == curves(again) != []


def test_an_address_that_offers_no_choice_is_not_followed(come: Come) -> None:
    page = come().open(
        at("/compare", one="nobody", schedule="", noise="7", seed="x", catalogue="tiny")
    )
    expect(page.locator("#person")).to_contain_text("Person 1 likes best")
    chosen = {each: page.locator(f"#{each}").input_value() for each in ("one", "schedule", "noise")}
    assert chosen == {"one": "max-radius", "schedule": "logarithmic", "noise": "0.1"}
    page.get_by_role("link", name="Your profile").click()
    assert page.url.endswith("/profile?catalogue=tiny")
