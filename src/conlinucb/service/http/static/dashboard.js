// The operator's dashboard: what the service says of itself, looked at again every minute.

import { byId, count, el, NOTHING_SERVED, say } from "/static/common.js";
import { behind, columns, curves, interval, mark, number, percent, stacked, table } from "/static/dashboard_charts.js";
import { callWithKey } from "/static/ask_key.js";

const EVERY = 60_000; // milliseconds between two looks
const FIRST = 12; // questions drawn; all of them are in the table
const THREE = 640; // pixels from which three charts stand side by side
const KINDS = { term: "", arm: " (item)", pair: " (pair)", group: " (group)" };
let turn = 0; // of several that load, the last one shows
let latest = null; // what is shown

async function begin() {
  try {
    const facts = await callWithKey("GET", "/v1/page");
    if (!facts.catalogues.length) throw new Error(NOTHING_SERVED);
    choose(facts.catalogues.map((each) => each.name), facts.default);
  } catch (error) {
    trouble(error);
    return;
  }
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("controls").addEventListener("change", async () => { remember(); if (await load()) say("The numbers are new."); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (latest && Math.abs(innerWidth - width) > 20) { width = innerWidth; show(latest); }
  });
  setInterval(() => { if (!document.hidden) load(); }, EVERY);
  await load();
}

function choose(names, usual) {
  const asked = new URLSearchParams(location.search);
  const wanted = [asked.get("catalogue"), usual].find((each) => names.includes(each));
  const days = asked.get("days") ?? "";
  byId("catalogue").append(...names.map((each) => el("option", { selected: each === wanted }, each)));
  byId("choice").hidden = names.length < 2;
  if ([...byId("days").options].some((each) => each.value === days)) byId("days").value = days;
}

/** So that it can be kept as a bookmark. */
function remember() {
  history.replaceState(null, "", `?${new URLSearchParams({ catalogue: byId("catalogue").value, days: byId("days").value })}`);
}

async function load() {
  const mine = ++turn;
  const asked = new URLSearchParams({ catalogue: byId("catalogue").value, days: byId("days").value });
  let found;
  try {
    found = await callWithKey("GET", `/v1/dashboard?${asked}`);
  } catch (error) {
    if (mine === turn) trouble(error);
    return false;
  }
  if (mine !== turn) return false;
  byId("banner").hidden = true;
  latest = found;
  show(found);
  return true;
}

/** What is shown stays, with a word that it is old. */
function trouble(error) {
  const text = error.status ? error.message : error.message === NOTHING_SERVED ? error.message : "The service cannot be reached.";
  byId("banner").replaceChildren(`${text} `, el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
  byId("banner").hidden = false;
  if (byId("shown").hidden) byId("summary").textContent = text;
}

function show(found) {
  const open = new Set([...document.querySelectorAll("details[data-keep][open]")].map((each) => each.dataset.keep));
  const focus = document.activeElement?.id;
  const people = found.looked.people;
  byId("shown").hidden = false;
  byId("empty").hidden = people > 0;
  byId("filled").hidden = people === 0;
  byId("summary").textContent = looked(found);
  const well = !failed(found.requests) && !found.store.trouble && !damaged(found.store);
  document.title = `${well ? "" : "⚠ "}Dashboard · conlinucb`; // seen among other tabs, too
  byId("glance").replaceChildren(...glance(found));
  byId("when").textContent = `By ${found.days === 1 ? "hour" : "day"} of UTC; the last one, in another colour, is not over yet.`;
  byId("activity").classList.toggle("abreast", byId("activity").clientWidth > THREE);
  byId("activity").replaceChildren(...activity(found));
  byId("rounds").replaceChildren(...rounds(found.rounds, found.least_people));
  byId("never").replaceChildren(...neverShown(found.never_shown, found.least_people));
  byId("questions").replaceChildren(...questions(found.questions, found.least_people));
  byId("worth").replaceChildren(...worth(found.questions));
  byId("populations").replaceChildren(...populations(found.populations, found.least_people));
  byId("requests").replaceChildren(...requests(found.requests));
  byId("store").replaceChildren(...store(found.store));
  for (const each of document.querySelectorAll("details[data-keep]")) each.open = open.has(each.dataset.keep);
  if (focus && document.activeElement?.id !== focus) byId(focus)?.focus({ preventScroll: true });
}

function looked({ looked: it, computed }) {
  const time = new Date(computed).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const who = it.people === 1 ? "one person" : `${number(it.people)} people`;
  const parts = [it.people ? `As of ${time}, from ${number(it.events)} events of ${who}.` : `As of ${time}.`];
  if (!it.whole) parts.push(`There were more: those who came last were looked at, up to ${number(it.most_events)} events.`);
  if (it.too_long) parts.push(`${number(it.too_long)} with very long logs were left out.`);
  if (it.damaged) parts.push(`${count(it.damaged, "damaged event")} left out.`);
  return parts.join(" ");
}

// At a glance

function glance({ activity: parts, rounds: { liked, chance }, requests: served, store: kept }) {
  const sum = (name) => parts.reduce((all, each) => all + each[name], 0);
  const errors = failed(served);
  const all = served.latencies.find((each) => each.what === "all");
  return [
    tile("New people", number(sum("newcomers")), `${count(sum("conversations"), "conversation")}, ${count(sum("steps"), "step")}`),
    tile("Liked", percent(liked.share), liked.share == null ? "too few people yet" : `${interval(liked)}${chance?.by === "random" ? `; chance ${percent(chance.share)}` : ""}`),
    tile("Latency (p95)", all ? milliseconds(all.p95) : "–", all ? `half within ${milliseconds(all.p50)}` : "this worker"),
    tile("Failed requests", number(errors), `of ${number(served.requests)} to this worker`, errors > 0),
    tile("A write takes", kept.write_milliseconds == null ? "–" : milliseconds(kept.write_milliseconds), kept.trouble ?? `${kept.kind}, ${bytes(kept.bytes)}`, kept.trouble !== null),
    tile("Damage set aside", kept.findings ? number(damaged(kept)) : "–", kept.findings && !damaged(kept) ? "nothing was found" : "see The store", damaged(kept) > 0),
  ];
}

const tile = (name, value, more, warns = false) =>
  el("div", { class: warns ? "tile warns" : "tile" }, el("dt", {}, name), el("dd", {}, el("span", { class: "big" }, value), el("span", { class: "small" }, more)));
const failed = ({ statuses }) => Object.entries(statuses).reduce((all, [status, times]) => all + (status >= 500 ? times : 0), 0);
const damaged = ({ findings }) => Object.values(findings ?? {}).reduce((all, each) => all + each, 0);
const milliseconds = (value) => (value < 10 ? `${value.toFixed(1)} ms` : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);

function bytes(value) {
  const at = Math.min(4, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${(value / 1000 ** at).toFixed(at && value / 1000 ** at < 10 ? 1 : 0)} ${["bytes", "kB", "MB", "GB", "TB"][at]}`;
}

// Who came

function activity({ activity: parts, days }) {
  const room = byId("activity").clientWidth;
  const width = Math.max(180, (room > THREE ? (room - 32) / 3 : room) - 34);
  const hours = days === 1;
  const when = (text) => (hours ? `${text.slice(11, 16)}` : new Date(text).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }));
  const head = [hours ? "Hour (UTC)" : "Day (UTC)", "Count"];
  return [["People", "people"], ["Conversations", "conversations"], ["Steps", "steps"]].map(([name, field]) => {
    const rows = parts.map((each) => [when(each.begins), each[field]]);
    const [picture, total] = columns(name, rows, hours ? "hour" : "day", width);
    const sum = field === "people" ? `${number(rows.at(-1)[1])} ${hours ? "this hour" : "today"}` : `${number(total)} in all`;
    return el("figure", { class: "chart" },
      el("figcaption", {}, name, el("span", { class: "small" }, ` ${sum}`)),
      picture,
      behind(`activity-${field}`, `${name} over time`, field === "people" ? [...head, "Newcomers"] : head,
        field === "people" ? rows.map((row, i) => [...row, parts[i].newcomers]) : rows));
  });
}

// How well it recommends

/** What the chart of the rounds has room for: the figure has its notes beside it where it is wide. */
function chartWidth() {
  const room = byId("rounds").clientWidth;
  return Math.max(280, (room > 900 ? room - 320 : room) - 34);
}

function rounds({ rounds: found, liked, popular, chance }, least) {
  const note = [];
  if (chance) {
    note.push(chance.by === "random"
      ? `Chance is the like share of ${number(chance.count)} ratings of items that were drawn at random.`
      : `Chance is the mean over ${number(chance.items)} items of each one's like share: rather too high, since items are shown to those who seem to like them. With explore in the settings it would be measured.`);
  }
  note.push("Most popular are, for each person, the ten items that most others like, where they were shown.");
  if (!found.length) return [el("p", { class: "small" }, `Shown from ${least} people on who rated what was recommended to them.`)];
  const told = (field) => found.filter((each) => each[field].share != null).map((each) => [each.round, each[field]]);
  const series = [{ name: "Liked", at: told("liked") }, { name: "Most popular", at: told("popular") }];
  return [
    el("figure", { class: "chart" },
      el("figcaption", {}, "Likes among rated items, by round ",
        el("span", { class: "small" }, `rounds 1 to 20 together: ${percent(liked.share)} (${interval(liked)})`)),
      el("p", { class: "legend" },
        el("span", {}, el("span", { class: "key line-0" }), "liked"),
        el("span", {}, el("span", { class: "key line-1" }), `most popular${popular.share == null ? "" : ` ${percent(popular.share)}`}`),
        chance ? el("span", {}, el("span", { class: "key level-key" }), `chance ${percent(chance.share)}`) : null),
      curves("Likes by round", series, found.at(-1).round, chance, chartWidth()),
      behind("rounds", "Likes by round", ["Round", "Liked", "95 %", "Ratings", "People", "Most popular", "95 %", "Ratings"],
        found.map(({ round, liked: a, popular: b }) => [round, percent(a.share), interval(a), a.count ?? "–", a.people ?? "–", percent(b.share), interval(b) || "–", b.count ?? "–"]))),
    el("div", { class: "beside" }, ...note.map((each) => el("p", { class: "small" }, each))),
  ];
}

// What it never shows

function neverShown({ items, people, never, first }, least) {
  if (never === null) return [el("p", { class: "small" }, `Shown from ${least} people on who were recommended anything.`)];
  const told = el("p", {}, el("strong", {}, never ? `${number(never)} of ${count(items, "item")}` : "None"),
    never ? ` (${percent(never / items)}) ${never === 1 ? "was" : "were"} recommended to nobody: ` : ": every item was recommended to somebody.",
    first.join(", "), never > first.length ? ` and ${number(never - first.length)} more.` : never ? "." : "");
  return [told, el("p", { class: "small" }, `By what was looked at of this time, of ${number(people)} people. With explore in the settings, some are drawn at random.`)];
}

// The questions

const nameOf = (each) => each.names.join(" or ") + (KINDS[each.about] ?? "");

/** What people say to a question of each kind, in place of yes and no. */
const SAID = { pair: ["the first", "the second"], group: ["picked some", "none of these"] };

function outcome({ about, yes, no, skip, between }) {
  const [high, low] = SAID[about] ?? ["yes", "no"];
  const rest = about === "pair" && between ? `, ${percent(between / yes.count)} both or neither` : "";
  return `${percent(yes.share)} ${high}, ${percent(no.share)} ${low}${rest}, ${percent(skip.share)} skip `;
}

function questions({ questions: found, withheld, left_off: leftOff }, least) {
  const hidden = withheld ? `${count(withheld, "question")} that fewer than ${least} people were asked ${withheld === 1 ? "is" : "are"} not shown. ` : "";
  if (!found.length) return [el("p", { class: "small" }, hidden || "No question was asked in this time.")];
  const answered = found.filter((each) => each.yes.share != null);
  return [
    el("p", { class: "legend" },
      el("span", {}, el("span", { class: "key yes" }), "yes, the first, some"), el("span", {}, el("span", { class: "key no" }), "no, the second, none"),
      el("span", {}, el("span", { class: "key skip" }), "don’t know or skipped")),
    el("ul", { class: "lines" }, ...answered.slice(0, FIRST).map((each) => el("li", { class: "line-of" },
      el("span", { class: "what" }, nameOf(each)),
      stacked([["yes", each.yes.share], ["no", each.no.share], ["skip", each.skip.share], ["rest", each.between / each.yes.count]]),
      el("span", { class: "told" }, outcome(each), el("span", { class: "small" }, `of ${number(each.yes.count)}`))))),
    el("p", { class: "small" }, `${hidden}${leftOff ? `${number(leftOff)} more that are asked less are not listed.` : ""}`),
    behind("questions", "Answers by question", ["Question", "Asked", "People", "Yes", "95 %", "No", "95 %", "Skip", "95 %", "Unanswered"],
      found.map((each) => [nameOf(each), each.asked, each.people, percent(each.yes.share), interval(each.yes), percent(each.no.share), interval(each.no), percent(each.skip.share), interval(each.skip), each.unanswered]),
      `All ${count(found.length, "question")} as a table`),
  ];
}

const points = (value) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(Math.round(100 * value))}`;
const verdict = ({ low, high }) => (low > 0 ? "more" : high < 0 ? "less" : "");

function worth({ questions: found }) {
  const known = found.filter((each) => each.difference).sort((a, b) => b.difference.difference - a.difference.difference);
  const why = el("p", { class: "small" },
    "Likes of what came after an answer, against people who were never asked, at the same rounds, in points of 100. ",
    "It is an association, not a cause: who is asked what depends on what they said before. Of 20 questions that do nothing, about one stands out by luck.");
  if (!known.length) return [why, el("p", { class: "small" }, "Not enough people yet, on either side, for any question.")];
  const edge = Math.max(.1, ...known.map((each) => Math.max(Math.abs(each.difference.low), Math.abs(each.difference.high))));
  const drawn = known.length <= FIRST ? known : [...known.slice(0, FIRST / 2), ...known.slice(-FIRST / 2)];
  return [
    why,
    el("ul", { class: "lines" }, ...drawn.map((each, i) => el("li", { class: known.length > FIRST && i === FIRST / 2 ? "line-of apart" : "line-of" },
      el("span", { class: "what" }, nameOf(each)),
      mark(each.difference, each.difference.difference, [-edge, edge], { zero: 0, kind: verdict(each.difference) }),
      el("span", { class: "told" }, `${points(each.difference.difference)} (${points(each.difference.low)} to ${points(each.difference.high)})`,
        verdict(each.difference) ? el("strong", {}, verdict(each.difference) === "more" ? " liked more" : " liked less") : el("span", { class: "small" }, " no clear difference"))))),
    known.length > FIRST ? el("p", { class: "small" }, `The ${FIRST / 2} highest and the ${FIRST / 2} lowest of ${known.length}.`) : null,
    behind("worth", "Which questions earn their place", ["Question", "Difference", "from", "to", "People after", "People without", "Liked after", "Liked without", "Uncertainty before", "Surprise of the answer"],
      [...known, ...found.filter((each) => !each.difference)].map((each) => [nameOf(each),
        ...(each.difference ? [points(each.difference.difference), points(each.difference.low), points(each.difference.high), each.difference.people, each.difference.others] : ["–", "–", "–", "–", "–"]),
        percent(each.after.share), percent(each.without.share), percent(each.uncertainty), percent(each.surprise)]),
      `All ${count(found.length, "question")}, with uncertainty and surprise`),
  ].filter(Boolean);
}

// Populations

function populations(found, least) {
  const name = (each) => (each.number ? `Population ${each.number}` : "None");
  const when = (each) => (each.learned ? `learned ${each.learned.slice(0, 10)} from ${number(each.learned_from)} people` : "");
  return [
    el("p", { class: "small" }, "Likes in people’s first five rounds, by what they were started from. People came at different times: a difference may be theirs."),
    el("ul", { class: "lines" }, ...found.map((each) => el("li", { class: "line-of" },
      el("span", { class: "what" }, name(each), each.in_use ? el("span", { class: "badge" }, "in use") : null, el("span", { class: "small block" }, when(each))),
      mark(each.liked, each.liked.share, [0, 1]),
      el("span", { class: "told" }, each.liked.share == null ? el("span", { class: "small" }, `fewer than ${least} people`) : `${percent(each.liked.share)} (${interval(each.liked)}) `,
        each.liked.share == null ? null : el("span", { class: "small" }, `of ${number(each.liked.count)} by ${number(each.liked.people)} people`))))),
    behind("populations", "Likes in the first five rounds by population", ["Population", "In use", "Learned", "From", "Liked", "95 %", "Ratings", "People"],
      found.map((each) => [name(each), each.in_use ? "yes" : "no", each.learned?.slice(0, 16).replace("T", " ") ?? "–", each.learned_from ?? "–", percent(each.liked.share), interval(each.liked) || "–", each.liked.count ?? "–", each.liked.people ?? "–"])),
  ];
}

// The machine

function requests(found) {
  const statuses = Object.entries(found.statuses);
  const since = new Date(found.since).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return [
    el("p", { class: "small" }, `Of this worker (process ${found.worker}), since it started ${since}: ${count(found.requests, "request")}. Others count their own.`),
    table("Latency in milliseconds", ["Kind", "Requests", "p50", "p95", "p99"],
      found.latencies.map((each) => [each.what, number(each.requests), milliseconds(each.p50), milliseconds(each.p95), milliseconds(each.p99)])),
    table("Requests by status", ["Status", "Requests"], statuses.map(([status, times]) => [`${status} ${MEANINGS[status[0]] ?? ""}`, number(times)])),
  ];
}

const MEANINGS = { 2: "fine", 3: "known already", 4: "refused", 5: "failed here" };

function store(found) {
  if (found.trouble) return [el("p", { class: "lost" }, found.trouble)];
  const damage = Object.entries(found.findings);
  return [
    el("p", { class: "small" }, "The whole database, all catalogues together."),
    table("The store", ["What", "How much"], [
      ["Database", `${found.kind}, ${bytes(found.bytes)}`],
      ["One small write, on disk", milliseconds(found.write_milliseconds)],
      ["People", number(found.people)],
      ["Events", number(found.events)],
      ["Snapshots", number(found.snapshots)],
      ["Damage set aside", damage.length ? damage.map(([what, times]) => `${number(times)} × ${what}`).join(", ") : "none"],
    ]),
  ];
}

await begin(); // last: everything above is there by then
