// The comparison: forty people in short, and one of them met by two agents, round by round.

import { byId, call, el, fixed, NOTHING_SERVED, say, start } from "/static/common.js";
import { chart } from "/static/chart.js";
import { showEverybody } from "/static/everybody.js";

const LATEST = 8;
const PEOPLE = 40;
const CHOICES = ["one", "other", "people", "rounds", "schedule", "noise", "seed"];
const LAST_GROUP = 2147483647;
const PACE = 120; // milliseconds a round
const NAMES = {
  "for-newcomers": "For newcomers",
  linucb: "LinUCB, asks nothing",
  arm_con: "Arm-Con, asks about items",
  conucb: "ConUCB",
};
const TEXTS = { "for-newcomers": "For newcomers: as people are served here", "max-radius": "max-radius: asks what it knows least of" };
const SCHEDULES = {
  own: "each as it was made",
  logarithmic: "5 at a time, ever rarer",
  linear: "one every round",
  every: "one every 5 rounds",
  never: "none",
};
const KINDS = {
  steady: "simulated, each with a few favourite topics",
  random: "simulated, with a taste in any direction",
  ratings: "real: film ratings (MovieLens)",
  listening: "real: listening (Last.FM)",
};
const nameOf = (agent) => NAMES[agent] ?? agent;
const textOf = (agent) => TEXTS[agent] ?? nameOf(agent);

let found = null; // what the service computed
let round = 0; // how far it is shown
let timer = null;
let turn = 0; // of several that load, the last one shows
let person = null; // who is shown; null for the typical one

const { facts, catalogue } = await begin();
fill("one", facts.agents, textOf, "for-newcomers");
fill("other", facts.agents, textOf, "max-radius");
fill("people", facts.people.map((each) => each.name), (each) => KINDS[each] ?? each, facts.people[0].name);
fill("schedule", facts.schedules, (each) => SCHEDULES[each] ?? each, facts.schedules[0]);
chooseAsAddressed();
byId("controls").addEventListener("change", () => { person = null; load(); });
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("run").addEventListener("click", () => (timer ? stop() : play()));
byId("forward").addEventListener("click", () => { stop(); to(round + 1); });
byId("end").addEventListener("click", () => { stop(); to(last()); });
byId("restart").addEventListener("click", () => { stop(); to(0); });
byId("before").addEventListener("click", () => choose(((found?.person ?? 1) + PEOPLE - 2) % PEOPLE + 1));
byId("after").addEventListener("click", () => choose((found?.person ?? 0) % PEOPLE + 1));
byId("typical").addEventListener("click", () => choose(null));
byId("another").addEventListener("click", () => {
  byId("seed").value = (Number(byId("seed").value) % LAST_GROUP) + 1;
  choose(null);
});
await load();

async function begin() {
  try {
    const found = await start();
    if (!found.catalogue) throw new Error(NOTHING_SERVED);
    return found;
  } catch (error) {
    byId("person").replaceChildren(error.message, " ", el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
    for (const name of ["controls", "verdict"]) byId(name).hidden = true;
    to(0);
    return new Promise(() => {}); // there is nothing to go on with
  }
}

function fill(id, values, text, chosen) {
  byId(id).append(...values.map((each) => el("option", { value: each, selected: each === chosen }, text(each))));
}

/** What the address says, where it is one of the choices. */
function chooseAsAddressed() {
  const asked = new URLSearchParams(location.search);
  for (const id of CHOICES) {
    const { options } = byId(id);
    const wanted = asked.get(id) ?? "";
    const fits = options ? [...options].some((each) => each.value === wanted) : /^\d{1,10}$/.test(wanted) && Number(wanted) <= LAST_GROUP;
    if (!fits) continue;
    if (byId(id).value !== wanted && byId("more").contains(byId(id))) byId("more").open = true;
    byId(id).value = wanted;
  }
  const wanted = asked.get("person") ?? "";
  if (/^\d{1,2}$/.test(wanted) && wanted >= 1 && wanted <= PEOPLE) person = Number(wanted);
}

/** So that a comparison can be kept, shared and loaded again. */
function address() {
  const shown = new URLSearchParams(location.search);
  for (const id of CHOICES) shown.set(id, byId(id).value);
  if (person === null) shown.delete("person");
  else shown.set("person", person);
  history.replaceState(null, "", `?${shown}`);
}

function choose(number) {
  person = number;
  load();
}

async function load() {
  if (!byId("seed").checkValidity()) byId("more").open = true;
  if (!byId("controls").reportValidity()) return;
  stop();
  address();
  const mine = ++turn;
  const kind = facts.people.find((each) => each.name === byId("people").value);
  waiting(kind.real && !kind.ready ? "Real people are being loaded; the first time this takes a few seconds …" : null);
  const order = {
    agents: [byId("one").value, byId("other").value],
    people: kind.name,
    schedule: byId("schedule").value,
    noise: Number(byId("noise").value),
    seed: Number(byId("seed").value),
    person,
    rounds: Number(byId("rounds").value),
  };
  const [answer, trouble] = await asked(order);
  if (mine !== turn) return;
  found = answer;
  byId("verdict").hidden = !found;
  if (found) {
    kind.ready = true;
    showEverybody(found.everybody, found.runs.map((run) => nameOf(run.agent)), found.person, choose);
    introduce(kind);
  } else {
    byId("person").textContent = trouble;
  }
  to(last());
}

function waiting(text) {
  document.querySelector("main").setAttribute("aria-busy", "true");
  if (!text) return;
  byId("person").textContent = text;
  say(text);
}

async function asked(order) {
  try {
    const address = `/v1/page/comparison?${new URLSearchParams({ catalogue: catalogue.name })}`;
    return [await call("POST", address, order), null];
  } catch (error) {
    return [null, error.message];
  } finally {
    document.querySelector("main").removeAttribute("aria-busy");
  }
}

/** Who is shown, and what they like: the agents do not know it. */
function introduce(kind) {
  const isTypical = found.person === found.typical;
  const nouns = kind.nouns ?? catalogue.nouns ?? "items";
  const title = isTypical ? "A typical person: the middle one of 30" : `Person ${found.person} of ${PEOPLE}`;
  byId("who").textContent = title;
  byId("liked-title").textContent = `${nouns[0].toUpperCase()}${nouns.slice(1)} liked so far`;
  const ends = found.runs.map((run) => `${likes(run.rounds)} of ${run.rounds.length} ${nouns} with “${nameOf(run.agent)}”`);
  byId("person").replaceChildren(
    `${kind.real ? "This real person" : `Person ${found.person}`} likes `,
    ...found.likes.map((each) => el("span", { class: "topic" }, each)),
    ...(found.dislikes.length ? ["and not ", ...found.dislikes.map((each) => el("span", { class: "topic not" }, each))] : []),
    ` The agents do not know that. Liked: ${ends.join(", ")}.`,
    kind.real ? " Everything they say and like is what the log has of them." : "");
  byId("typical").setAttribute("aria-disabled", String(isTypical));
}

function likes(rounds) {
  return rounds.reduce((sum, each) => sum + each.liked, 0);
}

function last() {
  return found?.runs[0].rounds.length ?? 0;
}

function play() {
  if (!found) return;
  if (round >= last()) to(0);
  timer = setInterval(() => { to(round + 1); if (round >= last()) stop(); }, PACE);
  byId("run").textContent = "Pause";
}

function stop() {
  const ran = timer !== null;
  clearInterval(timer);
  timer = null;
  byId("run").textContent = "Replay";
  if (ran) say(`Round ${round} of ${last()}.`);
}

/** Show everything up to a round. */
function to(wanted) {
  for (const name of ["run", "forward", "end", "restart", "before", "after"]) byId(name).setAttribute("aria-disabled", String(!found));
  for (const name of ["legend", "curves", "sides"]) byId(name).hidden = !found;
  if (!found) return;
  byId("legend").replaceChildren(...found.runs.map((run, i) => el("span", {}, key(i), nameOf(run.agent))));
  const all = last();
  round = Math.min(all, wanted);
  const series = (value) => found.runs.map((run) => ({ name: nameOf(run.agent), values: value(run.rounds) }));
  chart(byId("liked"), "Liked", series((rounds) => sums(rounds, (each) => Number(each.liked))), all, round);
  chart(byId("regret"), "Missed", series((rounds) => rounds.map((each) => each.regret)), all, round);
  chart(byId("asked"), "Questions", series((rounds) => sums(rounds, (each) => each.asked.length)), all, round);
  const hasTaste = found.runs.every((run) => run.rounds.every((each) => each.error !== null));
  byId("error-figure").hidden = !hasTaste;
  if (!hasTaste) byId("error").replaceChildren();
  else chart(byId("error"), "Error", series((rounds) => rounds.map((each) => each.error)), all, round);
  side(byId("left"), found.runs[0], 0);
  side(byId("right"), found.runs[1], 1);
  // Not disabled for good: who has just pressed one would lose their place on the page.
  for (const name of ["forward", "end"]) byId(name).setAttribute("aria-disabled", String(round >= all));
  byId("restart").setAttribute("aria-disabled", String(round === 0));
  if (!timer) say(`Round ${round} of ${all}.`);
}

function sums(rounds, value) {
  let sum = 0;
  return rounds.map((each) => (sum += value(each)));
}

function side(place, run, i) {
  const shown = run.rounds.slice(0, round);
  const end = shown.at(-1);
  const asked = shown.reduce((sum, each) => sum + each.asked.length, 0);
  place.replaceChildren(
    el("h3", {}, key(i), nameOf(run.agent)),
    el("dl", { class: "facts" },
      fact("Round", `${round} of ${last()}`),
      fact("Liked", String(likes(shown))),
      fact("Missed", end ? fixed(end.regret) : "–"),
      fact("Questions", String(asked)),
      ...(end && end.error !== null ? [fact("Error", fixed(end.error))] : [])),
    steps(shown));
}

function key(i) {
  return el("span", { class: `key line-${i}`, "aria-hidden": "true" });
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

/** The rounds, the last one first; of many, how it stands and how it began. */
function steps(shown) {
  if (!shown.length) return el("p", { class: "small" }, "Press Replay, or go round by round.");
  const lines = shown.map(step).reverse();
  if (lines.length > LATEST) lines.splice(LATEST / 2, lines.length - LATEST, el("li", { class: "gap" }, "… and how it began:"));
  return el("ol", { class: "steps" }, ...lines);
}

function step(each, i) {
  return el("li", { class: each.liked ? "step-liked" : "step-not" },
    el("span", { class: "small" }, `Round ${i + 1}`),
    ...each.asked.map((asked) => el("span", { class: "line" }, `asked about ${asked.about}: ${said(asked)}`)),
    el("span", { class: "line" }, `showed ${each.item}: `, el("span", { class: `verb ${each.liked ? "yes" : "no"}` }, each.liked ? "liked" : "not liked")));
}

/** An answer as a person would give it; in-between ones as numbers. */
function said({ answer, picked, preferred }) {
  if (preferred) return `prefers ${preferred}`;
  if (picked) return picked.length ? `picked ${picked.join(", ")}` : "picked none";
  if (answer === null) return "no answer";
  const [low, high] = facts.people.find((each) => each.name === byId("people").value).real ? [0, 1] : catalogue.range;
  if (byId("people").value !== "random" && answer === high) return "yes";
  if (byId("people").value !== "random" && answer === low) return "no";
  return fixed(answer);
}
