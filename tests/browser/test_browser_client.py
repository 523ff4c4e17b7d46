"""The JavaScript client in a browser: small, and safe to be cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route

import conlinucb
from support import browser
from support.browser import Come

pytestmark = pytest.mark.more
chromium, come, site = browser.chromium, browser.come, browser.site
FILE = Path(conlinucb.__file__).parent / "service" / "http" / "static" / "client.js"
TALK = """async () => {
  const { Client, Refused } = await import("/static/client.js");
  const service = new Client({ catalogue: "films" });
  const items = [];
  for (let n = 0; n < 5; n += 1) {
    const step = await service.next("js", { ask: "never", fresh: true });
    items.push(step.items[0].item);
    await service.reward("js", { decision: step.decision, item: items.at(-1), reward: 1 });
  }
  const said = [{ answer: { topic: "set in space", answer: "yes" } }];
  const done = await service.steps("js", said, { ask: "never" });
  await service.retract("js", done.receipts[0].event);
  const { events } = await service.profile("js", { events: 100 });
  const log = events.reverse().map((each) => each.kind);
  const found = [
    (await service.picture("js")).rated.length, (await service.best("js", 3)).items.length,
    (await service.explain("js", items[0])).item, (await service.export("js")).user];
  await service.forget("js");
  const refused = await service.profile("js").catch(
    (error) => [error instanceof Refused, error.status, error.code]);
  return { items, log, found, refused };
}"""


def test_the_client_is_small_and_needs_nothing() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert len(text.encode()) < 5000
    assert "import " not in text


def test_nothing_is_said_twice_through_cut_connections(come: Come) -> None:
    page = come().open("/")
    cut: list[str] = []

    def answer_every_other(route: Route) -> None:
        """The service answers; the browser hears of it at the second try."""
        answered = route.fetch()
        if len(cut) % 2 == 0:
            cut.append(route.request.method)
            route.abort()
            return
        cut.append("")
        route.fulfill(response=answered)

    page.route("**/v1/users/js**", answer_every_other)
    page.route("**/v1/users/js/**", answer_every_other)
    told: dict[str, Any] = page.evaluate(TALK)
    one = ["recommendation", "reward"]
    assert told["log"] == [*one * 5, "answer", "recommendation", "retraction"]
    assert told["found"] == [5, 3, told["items"][0], "js"]
    assert told["refused"] == [True, 404, "unknown_user"]
    assert {"POST", "GET", "DELETE"} <= {*cut}


WAITS = """async () => {
  const { send } = await import("/static/client.js");
  const begun = performance.now();
  const text = await send("GET", "/v1/users/waits/picture");
  const ended = await send("GET", "/v1/users/waits/best", { deadline: 300 }).catch(
    (error) => [error.status, error.code]);
  return [performance.now() - begun, JSON.parse(text).rounds, ended];
}"""


def test_it_waits_as_long_as_it_is_told_to_and_ends_at_the_deadline(come: Come) -> None:
    page = come().open("/")
    busy = {"error": {"code": "busy", "message": "Later."}}
    tries = []

    def once(route: Route) -> None:
        tries.append(route.request.url)
        if len(tries) > 1:
            route.fallback()
        else:
            route.fulfill(status=429, headers={"retry-after": "1"}, json=busy)

    page.route("**/v1/users/waits/picture**", once)
    page.route("**/v1/users/waits/best**", lambda route: route.fulfill(status=503, json=busy))
    milliseconds, rounds, ended = page.evaluate(WAITS)
    assert milliseconds >= 1000
    assert (len(tries), rounds, ended) == (2, 0, [503, "busy"])
