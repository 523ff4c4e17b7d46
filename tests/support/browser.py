"""People who come to the page with a real browser, and what their browser saw."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import urlencode

import httpx2 as httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from support.service_world import Server

PATIENCE = 30_000
"""Milliseconds; the machine may be busy with other tests."""
COOKIE = "conlinucb_person"
NAMES = ("chromium", "chromium-browser", "google-chrome")
_SITE = pytest.StashKey[Server]()
TINY = {"Ada": ["calm"], "Bea": ["loud"], "Cy": ["calm", "loud"]}
"""A catalogue that a person is through with in one step."""
SCRIPT = "<script>window.hacked=1</script>"
IMAGE = "<img src=x onerror=window.hacked=1>"
DRAWING = '"><svg onload=window.hacked=1>'
EVIL = {
    f"{SCRIPT} one": [IMAGE, DRAWING],
    f"{IMAGE} two": [SCRIPT, DRAWING],
    f"{DRAWING} three": [SCRIPT, IMAGE],
    "&lt;b&gt; ' `four` ${5}": [SCRIPT],
}
"""A catalogue of texts that would do harm, were they ever taken for more than text."""
LONG = {f"Llanfair{name}" * 22: [f"gogogoch{name}" * 22, "short"] for name in "abc"}
"""A catalogue whose words do not fit into a line."""


def catalogue(items: dict[str, list[str]], **more: Any) -> dict[str, Any]:
    return {"items": [{"id": name, "tags": tags} for name, tags in items.items()], **more}


def upload(server: Server, name: str, items: dict[str, list[str]], **more: Any) -> None:
    """Give the service a catalogue, or another one of that name; return when it is served."""
    with server.client() as client:
        response = client.put(f"/v1/catalogues/{name}", json=catalogue(items, **more))
        deadline = time.monotonic() + PATIENCE / 1000
        while response.is_success and response.json()["building"]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
            response = client.get(f"/v1/catalogues/{name}")
        assert response.is_success, response.text


def executable() -> str:
    """The browser's program, or the test is skipped."""
    named = os.environ.get("CONLINUCB_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("CONLINUCB_NEED_BROWSER"):
        pytest.fail("no Chromium here, and CONLINUCB_NEED_BROWSER wants one")
    if found is None:
        pytest.skip("no Chromium here: the page was not tried in a browser")
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One for each file: while Playwright runs, no other test may start an event loop."""
    path = executable()
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        found = playwright.chromium.launch(executable_path=path, args=args)
        yield found
        found.close()


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """One service for each test process, however many files share this fixture."""
    stash = request.session.stash
    if _SITE not in stash:
        executable()
        folder = tmp_path_factory.mktemp("site")
        stash[_SITE] = Server(f"sqlite:///{folder / 'service.db'}")
        request.session.addfinalizer(stash[_SITE].kill)
        stash[_SITE].wait()
        upload(stash[_SITE], "tiny", TINY)
        asked = {IMAGE: f"Do you like {IMAGE}?", DRAWING: f"{DRAWING} or {SCRIPT}?"}
        upload(stash[_SITE], "evil", EVIL, questions=asked)
        upload(stash[_SITE], "long", LONG)
    return stash[_SITE]


class Guest:
    """One person: a browser profile with as many tabs as wanted."""

    def __init__(self, context: BrowserContext, server: Server, key: str | None = None) -> None:
        self.context, self.server = context, server
        self.said: list[tuple[str, str]] = []
        self.failed: list[str] = []
        self.called: list[str] = []
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        context.set_default_timeout(PATIENCE)
        context.on("console", lambda message: self.said.append((message.type, message.text)))
        context.on("weberror", lambda error: self.failed.append(str(error.error)))
        context.on("request", lambda request: self.called.append(request.url))

    def open(self, path: str = "/", *, settle: bool = True) -> Page:
        """A new tab at an address."""
        page = self.context.new_page()
        page.goto(path)
        if settle:
            settled(page)
        return page

    def talk(self, path: str = "/") -> Page:
        """A new tab in the middle of a conversation: nothing was named, and a question is there."""
        page = self.open(path)
        if page.locator("#onward").count():
            to_question(page)
        return page

    @property
    def secret(self) -> str:
        found = [each for each in self.context.cookies() if each.get("name") == COOKIE]
        assert len(found) == 1, found
        return found[0].get("value", "")

    @property
    def name(self) -> str:
        """The person's name in the service's log."""
        return f"page-{hashlib.sha256(self.secret.encode()).hexdigest()}"

    def ask(self, what: str = "", *, name: str | None = None, **params: Any) -> httpx.Response:
        """What the service itself says of this person."""
        with self.server.client() as client:
            path = f"/v1/users/{name or self.name}{what}"
            return client.get(path, params=params, headers=self._headers)

    def profile(self, catalogue: str = "films") -> dict[str, Any]:
        response = self.ask(catalogue=catalogue, events=1000)
        assert response.status_code == 200, response.text
        return dict(response.json())

    def log(self, *kinds: str, catalogue: str = "films") -> list[dict[str, Any]]:
        """The person's events, oldest first; of some kinds only, where they are named."""
        found = self.profile(catalogue)["events"][::-1]
        return [each for each in found if not kinds or each["kind"] in kinds]

    def kinds(self, catalogue: str = "films") -> list[str]:
        return [each["kind"] for each in self.log(catalogue=catalogue)]

    def check(self) -> None:
        """Nothing went wrong unseen, and nobody else was called."""
        assert self.failed == []
        wrong = [text for kind, text in self.said if kind in ("error", "warning")]
        assert [text for text in wrong if not text.startswith("Failed to load resource")] == []
        ours = (f"{self.server.base}/", f"blob:{self.server.base}/", "data:")
        assert [url for url in self.called if not url.startswith(ours)] == []


Come = Callable[..., Guest]


@pytest.fixture
def come(chromium: Browser, site: Server) -> Iterator[Come]:
    """New people; in the end it is checked what their browsers saw."""
    guests: list[Guest] = []

    def new(server: Server | None = None, key: str | None = None, **options: Any) -> Guest:
        to = server or site
        context = chromium.new_context(base_url=to.base, **options)
        guests.append(Guest(context, to, key))
        return guests[-1]

    yield new
    for guest in guests:
        guest.context.close()
    for guest in guests:
        guest.check()


# What is on the page


def settled(page: Page) -> Page:
    """The page, once it shows what it has to show."""
    if page.locator("#step").count():
        expect(page.locator("#step:not([aria-busy]) h2")).to_be_visible()
    else:
        expect(page.locator("#summary, #person").first).not_to_have_text("One moment …")
    return page


def button(page: Page | Locator, name: str, *, exact: bool = True) -> Locator:
    return page.get_by_role("button", name=name, exact=exact)


def skip(page: Page) -> None:
    """Name nothing, and see the first items; the first question comes after them."""
    button(page, "Just show me something").click()
    expect(page.locator("#step:not([aria-busy]) .card[data-item]").first).to_be_visible()


_BEGIN = """async () => {
  const { BEGINNING, kept, newId } = await import("/static/kept.js");
  const facts = await (await fetch("/v1/page")).json();
  const asked = new URLSearchParams(location.search).get("catalogue");
  const isThere = facts.catalogues.some((each) => each.name === asked);
  const store = kept(isThere ? asked : facts.default);
  const id = newId();
  store.trail = [{ id: BEGINNING, said: {} }, { id, said: {} }];
  store.step = id;
}"""


def to_question(page: Page) -> None:
    """As somebody whose next step may be a question: at the beginning items come first."""
    page.evaluate(_BEGIN)
    page.reload()
    expect(
        page.locator("#step:not([aria-busy]) .answers, #step:not([aria-busy]) .card")
    ).not_to_have_count(0)


def name(page: Page, text: str) -> None:
    """Find something by the box and take the first suggestion."""
    page.locator("#search").fill(text)
    expect(page.locator(".suggestion[aria-selected=true]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".suggestion")).to_have_count(0)


def face(page: Page, topic: str) -> Locator:
    """What one clicks of a topic at the beginning."""
    return page.locator(f'.choice-chip[data-term="{topic}"] .face').first


def answer(page: Page, text: str = "Yes") -> None:
    """Answer the question; items come next."""
    button(page, text).click()
    expect(page.locator(".card[data-item]").first).to_be_visible()


def go_on(page: Page) -> None:
    """From items to the next question."""
    button(page, "Go on").click()
    expect(page.locator(".answers")).to_be_visible()


def to_items(page: Page) -> list[str]:
    """The items that come after the first question."""
    answer(page)
    return shown(page)


def shown(page: Page) -> list[str]:
    """The items that are on the page."""
    found = page.locator(".card[data-item]").evaluate_all("all => all.map(it => it.dataset.item)")
    return [str(each) for each in found]


def card(page: Page, item: str) -> Locator:
    return page.locator(f".card[data-item={json.dumps(item, ensure_ascii=False)}]")


def rate(page: Page, item: str, how: str = "Like") -> None:
    """Press one of a card's buttons, and see it taken."""
    button(page, f"{how}: {item}").click()
    expect(button(page, f"Undo: {item}")).to_be_visible()


def beliefs(page: Page) -> dict[str, str]:
    """The list of topics as it is shown."""
    rows = page.locator(".belief")
    found = rows.evaluate_all(
        "rows => rows.map(row => [row.children[0].textContent, row.children[3].textContent])"
    )
    return dict(found)


def believed(profile: dict[str, Any]) -> dict[str, str]:
    """The same as the service knows it."""
    return {
        each["term"]: f"{fixed(each['mean'])} ± {fixed(each['radius'])}"
        for each in profile["terms"]
    }


def fixed(number: float) -> str:
    """A number as the page writes it."""
    found = Decimal(number).quantize(Decimal("0.01"), ROUND_HALF_UP)
    return f"{abs(found) if found == 0 else found}".replace("-", "\N{MINUS SIGN}")


def focused(page: Page) -> str:
    """What has the focus: its label or text."""
    found = page.evaluate(
        "() => { const at = document.activeElement;"
        " const words = [...at.childNodes].filter(it => it.nodeName !== 'KBD');"
        " const text = words.map(it => it.textContent).join('').trim();"
        " return at.getAttribute('aria-label') || at.value || text || at.id; }"
    )
    return str(found).strip()


def kept(page: Page, catalogue: str = "films") -> Any:
    """What the browser keeps for a catalogue."""
    found = page.evaluate("() => ({...localStorage})")
    prefix = f"conlinucb {catalogue}: "
    parts = {
        k.removeprefix(prefix): json.loads(v) for k, v in found.items() if k.startswith(prefix)
    }
    return {
        "step": parts.get("step"),
        "trail": parts.get("trail", []),
        "seen": parts.get("seen", []),
        "saved": parts.get("saved", []),
        "outbox": [value for name, value in parts.items() if name.startswith("outbox ")],
    }


def at(path: str, **params: str) -> str:
    return f"{path}?{urlencode(params)}"
