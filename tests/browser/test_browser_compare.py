"""The comparison in a browser: what it shows is what the service computed."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from support import browser
from support.browser import Come, Guest, at, button, fixed, settled
from support.reproductions import real
from support.service_world import Server

pytestmark = pytest.mark.more
chromium, site, come = browser.chromium, browser.site, browser.come
NAMES = {"for-newcomers": "For newcomers", "max-radius": "max-radius"}
ROUNDS = 30


def computed(server: Server, **other: Any) -> dict[str, Any]:
    order: dict[str, Any] = {
        "agents": ["for-newcomers", "max-radius"],
        "people": "steady",
        "schedule": "own",
        "noise": 0.1,
        "seed": 4,
        "rounds": ROUNDS,
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


def facts_of(run: dict[str, Any], upto: int, of: int = ROUNDS) -> dict[str, str]:
    rounds = run["rounds"][:upto]
    error = rounds[-1]["error"]
    return {
        "Round": f"{upto} of {of}",
        "Liked": str(sum(each["liked"] for each in rounds)),
        "Missed": fixed(rounds[-1]["regret"]),
        "Questions": str(sum(len(each["asked"]) for each in rounds)),
        **({} if error is None else {"Error": fixed(error)}),
    }


def is_shown(page: Page, found: dict[str, Any], of: int = ROUNDS) -> None:
    """Both sides at the end of what the service computed."""
    for side, run in zip(("left", "right"), found["runs"], strict=True):
        wanted = facts_of(run, of, of)
        expect(page.locator(f"#{side} .facts dd")).to_have_text(list(wanted.values()))
        assert facts(page, side) == wanted


def curves(page: Page) -> list[str]:
    found = page.locator("#curves polyline")
    return [str(each.get_attribute("points")) for each in found.all()]


def test_it_opens_with_a_result_about_a_typical_person(come: Come, site: Server) -> None:
    page = come().open("/compare")
    found = computed(site)
    first, second = found["everybody"]["better"]
    result = page.locator("#result")
    expect(result).to_contain_text(f"Of 40 people, {first} are served better by")
    expect(result).to_contain_text(f"{second} by")
    low, high = (round(100 * found["everybody"][f"share_{end}"]) for end in ("low", "high"))
    expect(page.locator("#certain")).to_contain_text(f"between {low} % and {high} % of them")
    expect(page.locator("#who")).to_have_text("A typical person: the middle one of 30")
    expect(page.locator("#person .topic")).to_have_text([*found["likes"], *found["dislikes"]])
    is_shown(page, found)
    for side, run in zip(("left", "right"), found["runs"], strict=True):
        expect(page.locator(f"#{side} h3")).to_have_text(NAMES[run["agent"]])
        last = page.locator(f"#{side} .steps li").nth(0)
        expect(last).to_contain_text(f"Round {ROUNDS}")
        expect(last).to_contain_text(f"showed {run['rounds'][-1]['item']}")
    assert len(curves(page)) == 6
    assert all(len(each.split(" ")) == ROUNDS for each in curves(page))
    for name in ("One round", "To the end", "The typical person"):
        expect(button(page, name)).to_be_disabled()


def test_the_forty_are_drawn_told_and_can_be_stepped_to(come: Come, site: Server) -> None:
    page = come().open("/compare")
    found = computed(site)
    people = found["everybody"]["people"]
    bars = {kind: page.locator(f"#everybody .bar-{kind}").count() for kind in ("0", "1", "alike")}
    assert [bars["0"], bars["1"]] == found["everybody"]["better"]
    assert bars["alike"] == found["everybody"]["alike"]
    page.locator("#everybody").get_by_text("As a table").click()
    rows = page.locator("#everybody tbody tr")
    expect(rows).to_have_count(40)
    number, *cells = rows.nth(0).locator("th, td").all_inner_texts()
    told = people[int(number) - 1]
    pairs = zip(told["liked"], told["regret"], strict=True)
    assert cells == [f"{liked} ({fixed(regret)})" for liked, regret in pairs]
    after = found["person"] % 40 + 1
    button(page, "Next person").click()
    expect(page.locator("#who")).to_have_text(f"Person {after} of 40")
    is_shown(page, computed(site, person=after))
    assert f"person={after}" in page.url
    again = come().open(page.url)
    expect(again.locator("#who")).to_have_text(f"Person {after} of 40")
    page.locator("#everybody .person-bar").nth(0).click()
    expect(page.locator("#who")).to_have_text(f"Person {number} of 40")
    button(page, "The typical person").click()
    expect(page.locator("#who")).to_contain_text("A typical person")
    button(page, "Another group of 40").click()
    expect(page.locator("#seed")).to_have_value("5")
    is_shown(page, computed(site, seed=5))


def test_the_table_has_the_numbers_and_stays_open(come: Come, site: Server) -> None:
    page = come().open("/compare")
    figure = page.locator("figure").filter(has_text="Missed so far")
    figure.get_by_text("As a table").click()
    expect(figure.locator("thead th")).to_have_text(["Round", *NAMES.values()])
    runs = [run["rounds"] for run in computed(site)["runs"]]
    cells = [
        [str(each), *(fixed(rounds[each - 1]["regret"]) for rounds in runs)]
        for each in range(3, ROUNDS + 1, 3)
    ]
    rows = figure.locator("tbody tr").all()
    assert [row.locator("th, td").all_inner_texts() for row in rows] == cells
    numbers = ", ".join(f"{name} {cells[-1][i + 1]}" for i, name in enumerate(NAMES.values()))
    picture = figure.get_by_role("img")
    expect(picture).to_have_attribute("aria-label", f"Missed after round {ROUNDS}: {numbers}")
    button(page, "Back to the start").click()
    button(page, "One round").click()
    expect(figure.locator("tbody tr")).to_have_count(1)
    assert figure.locator("details").evaluate("it => it.open")


def test_round_by_round_replay_pause_and_back(come: Come, site: Server) -> None:
    page = come().open("/compare")
    status = page.get_by_role("status")
    button(page, "Back to the start").click()
    expect(status).to_have_text(f"Round 0 of {ROUNDS}.")
    assert curves(page) == []
    expect(button(page, "Back to the start")).to_be_disabled()
    for each in (1, 2):
        button(page, "One round").click()
        expect(status).to_have_text(f"Round {each} of {ROUNDS}.")
    run = computed(site)["runs"][0]
    assert facts(page, "left") == facts_of(run, 2)
    button(page, "Replay").click()
    page.wait_for_function("() => parseInt(document.querySelector('#left dd').textContent) > 4")
    button(page, "Pause").click()
    paused = facts(page, "left")["Round"]
    page.wait_for_timeout(400)
    assert facts(page, "left")["Round"] == paused
    assert facts(page, "left") == facts_of(run, int(paused.split()[0]))
    button(page, "To the end").click()
    assert facts(page, "left") == facts_of(run, ROUNDS)


def test_a_replay_comes_to_its_end(come: Come) -> None:
    guest = come()
    page = guest.context.new_page()
    page.clock.install(time=0)
    page.goto("/compare")
    settled(page)
    page.clock.pause_at(3600)  # seconds; or it would go on beside run_for while the machine is busy
    button(page, "Replay").click()
    page.clock.run_for(500)
    assert facts(page, "left")["Round"] == f"4 of {ROUNDS}"
    page.clock.run_for(ROUNDS * 120 + 1000)
    assert facts(page, "left")["Round"] == f"{ROUNDS} of {ROUNDS}"
    expect(page.get_by_role("status")).to_have_text(f"Round {ROUNDS} of {ROUNDS}.")
    expect(button(page, "Replay")).to_be_enabled()


def test_choices_redraw_and_the_same_ones_give_the_same(come: Come, site: Server) -> None:
    page = come().open("/compare")
    first = curves(page)
    page.get_by_text("More choices").click()
    for what, value, other in (
        ("#other", "conucb", {"agents": ["for-newcomers", "conucb"]}),
        ("#people", "random", {"people": "random"}),
        ("#schedule", "linear", {"schedule": "linear"}),
        ("#noise", "1", {"noise": 1.0}),
    ):
        before = page.locator(what).input_value()
        page.locator(what).select_option(value)
        is_shown(page, computed(site, **other))
        assert curves(page) != first
        page.locator(what).select_option(before)
        is_shown(page, computed(site))
        assert curves(page) == first
    page.locator("#rounds").select_option("60")
    is_shown(page, computed(site, rounds=60), 60)


def posts(guest: Guest) -> int:
    return sum("/v1/page/comparison" in url for url in guest.called)


def test_no_such_group(come: Come, site: Server) -> None:
    guest = come()
    page = guest.open("/compare")
    page.get_by_text("More choices").click()
    before = page.locator("#person").inner_text()
    group = page.locator("#seed")
    for value in ("", "-1", "1.5", "2147483648"):
        group.fill(value)
        group.press("Tab")
        expect(page.locator("#seed:invalid")).to_be_focused()
        assert group.evaluate("it => it.validationMessage")
        assert page.locator("#person").inner_text() == before
    assert posts(guest) == 1
    group.fill("3")
    group.press("Tab")
    is_shown(page, computed(site, seed=3))


def test_the_last_choice_is_shown_whatever_comes_last(come: Come, site: Server) -> None:
    page = come().open("/compare")
    slow: list[Route] = []
    page.route("**/v1/page/comparison*", lambda route: slow.append(route), times=1)
    page.locator("#other").select_option("linucb")
    page.locator("#other").select_option("conucb")
    expect(page.locator("#right h3")).to_have_text("ConUCB")
    with page.expect_response("**/v1/page/comparison*"):
        slow[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#right h3")).to_have_text("ConUCB")


def test_what_cannot_be_compared_is_said(come: Come) -> None:
    page = come().context.new_page()
    error = {"error": {"code": "invalid_input", "message": "That catalogue is too large."}}
    page.route("**/v1/page/comparison*", lambda route: route.fulfill(status=422, json=error))
    page.goto("/compare")
    expect(page.locator("#person")).to_have_text("That catalogue is too large.")
    expect(page.locator("#verdict")).to_be_hidden()
    for name in ("Replay", "One round", "To the end", "Next person"):
        if button(page, name).is_enabled():
            button(page, name).click()
    page.wait_for_timeout(300)  # the fixture checks that no script failed


def test_a_busy_service_is_waited_for(come: Come) -> None:
    page = come().context.new_page()
    error = {"error": {"code": "busy", "message": "Many are comparing at the moment."}}
    page.route(
        "**/v1/page/comparison*", lambda route: route.fulfill(status=503, json=error), times=1
    )
    page.goto("/compare")
    expect(page.locator("#result")).to_contain_text("Of 40 people")
    expect(page.locator("#banner")).to_be_hidden()


def test_another_catalogue_is_compared(come: Come) -> None:
    page = come().open(at("/compare", catalogue="tiny"))
    expect(page.locator("#person")).to_contain_text("calm")
    expect(page.locator("#left .steps li").nth(0)).to_contain_text("showed")


@real
def test_real_people_are_loaded_and_met(come: Come, site: Server) -> None:
    page = come().open("/compare")
    page.locator("#people").select_option("listening")
    expect(page.locator("#person")).to_contain_text("This real person likes")
    is_shown(page, computed(site, people="listening"))
    expect(page.locator("#liked-title")).to_have_text("Artists liked so far")


def test_the_address_keeps_the_choices(come: Come) -> None:
    page = come().open("/compare")
    page.get_by_text("More choices").click()
    page.locator("#other").select_option("conucb")
    page.locator("#people").select_option("random")
    page.locator("#noise").select_option("0.3")
    page.locator("#seed").fill("7")
    page.locator("#seed").press("Tab")
    expect(page.locator("main:not([aria-busy])")).to_be_visible()
    again = come().open(page.url)
    ids = ("one", "other", "people", "noise", "seed")
    chosen = {each: again.locator(f"#{each}").input_value() for each in ids}
    values = ("for-newcomers", "conucb", "random", "0.3", "7")
    assert chosen == dict(zip(ids, values, strict=True))
    assert again.locator("#more").evaluate("it => it.open")
    assert curves(page) == curves(again) != []


def test_an_address_that_offers_no_choice_is_not_followed(come: Come) -> None:
    wrong = {"one": "nobody", "schedule": "", "noise": "7", "seed": "x", "person": "41"}
    page = come().open(at("/compare", catalogue="tiny", people="nobody", **wrong))
    expect(page.locator("#who")).to_contain_text("A typical person")
    ids = ("one", "schedule", "noise", "people", "seed")
    chosen = {each: page.locator(f"#{each}").input_value() for each in ids}
    assert chosen == dict(zip(ids, ("for-newcomers", "own", "0.1", "steady", "4"), strict=True))
    page.get_by_role("link", name="Your profile").click()
    assert page.url.endswith("/profile?catalogue=tiny")


def test_text_of_twice_the_size_fits_a_phone(come: Come) -> None:
    size: Any = {"width": 390, "height": 844}
    page = come(viewport=size).open("/compare")
    page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
    for each in page.get_by_text("As a table").all():
        each.click()
    page.get_by_text("More choices").click()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


CONTRAST = """([mark, ground]) => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const style = getComputedStyle(document.querySelector(mark));
  const colour = style.fill === 'none' ? style.stroke : style.fill;
  const behind = getComputedStyle(document.querySelector(ground)).backgroundColor;
  const [low, high] = [light(colour), light(behind)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_bars_and_lines_can_be_seen(come: Come, scheme: Any) -> None:
    page = come(color_scheme=scheme).open("/compare")
    marks = ("#everybody .bar-0", "#everybody .bar-1", "polyline.line-0", "polyline.line-1")
    for mark in marks:
        assert page.evaluate(CONTRAST, [mark, "figure"]) >= 3, mark
