// The comparison: one simulated person, two agents, round by round.

import { byId, call, el, fixed, NOTHING_SERVED, say, start } from "/static/common.js";
import { chart } from "/static/chart.js";

const ROUNDS = 100;
const LATEST = 8;
const CHOICES = ["one", "other", "schedule", "noise", "seed"];
const LAST_PERSON = 2147483647;
const PACE = 120; // milliseconds a round
const NAMES = { linucb: "LinUCB: asks nothing", arm_con: "Arm-Con: asks about items", conucb: "ConUCB" };
const SCHEDULES = {
  logarithmic: "5 at a time, ever rarer",
  linear: "one every round",
  every: "one every 5 rounds",
  never: "none",
};
const nameOf = (agent) => NAMES[agent] ?? `ConLinUCB: ${agent}`;

let found = null; // what the service computed
let round = 0; // how far it is shown
let timer = null;

let turn = 0; // of several that load, the last one shows

const { facts, catalogue } = await begin();
fill("one", facts.agents, nameOf, "max-radius");
fill("other", facts.agents, nameOf, "linucb");
fill("schedule", facts.schedules, (each) => SCHEDULES[each] ?? each, facts.schedules[0]);
chooseAsAddressed();
byId("controls").addEventListener("change", load);
byId("controls").addEventListener("submit", (event) => event.preventDefault());
byId("run").addEventListener("click", () => (timer ? stop() : play()));
byId("forward").addEventListener("click", () => { stop(); to(round + 1); });
byId("end").addEventListener("click", () => { stop(); to(ROUNDS); });
byId("restart").addEventListener("click", () => { stop(); to(0); });
byId("another").addEventListener("click", () => { byId("seed").value = (Number(byId("seed").value) % LAST_PERSON) + 1; load(); });
await load();

async function begin() {
  try {
    const found = await start();
    if (!found.catalogue) throw new Error(NOTHING_SERVED);
    return found;
  } catch (error) {
    byId("person").replaceChildren(error.message, " ", el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
    byId("controls").hidden = true;
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
    const fits = options ? [...options].some((each) => each.value === wanted) : /^\d{1,10}$/.test(wanted) && Number(wanted) <= LAST_PERSON;
    if (fits) byId(id).value = wanted;
  }
}

/** So that a comparison can be kept, shared and loaded again. */
function address() {
  const shown = new URLSearchParams(location.search);
  for (const id of CHOICES) shown.set(id, byId(id).value);
  history.replaceState(null, "", `?${shown}`);
}

async function load() {
  if (!byId("controls").reportValidity()) return;
  stop();
  address();
  const mine = ++turn;
  const order = {
    agents: [byId("one").value, byId("other").value],
    schedule: byId("schedule").value,
    noise: Number(byId("noise").value),
    seed: Number(byId("seed").value),
    rounds: ROUNDS,
  };
  const [answer, trouble] = await asked(order);
  if (mine !== turn) return;
  found = answer;
  byId("person").textContent = trouble
    ?? `Person ${order.seed} likes best: ${found.likes.join(", ")}. The agents do not know that.`;
  to(0);
}

async function asked(order) {
  try {
    const address = `/v1/page/comparison?${new URLSearchParams({ catalogue: catalogue.name })}`;
    return [await call("POST", address, order), null];
  } catch (error) {
    return [null, error.message];
  }
}

function play() {
  if (!found) return;
  if (round >= ROUNDS) to(0);
  timer = setInterval(() => { to(round + 1); if (round >= ROUNDS) stop(); }, PACE);
  byId("run").textContent = "Pause";
}

function stop() {
  const ran = timer !== null;
  clearInterval(timer);
  timer = null;
  byId("run").textContent = "Run";
  if (ran) say(`Round ${round} of ${ROUNDS}.`);
}

/** Show everything up to a round. */
function to(wanted) {
  for (const name of ["run", "forward", "end", "restart"]) byId(name).setAttribute("aria-disabled", String(!found));
  for (const name of ["legend", "curves", "sides"]) byId(name).hidden = !found;
  if (!found) return;
  byId("legend").replaceChildren(...found.runs.map((run, i) => el("span", {}, key(i), nameOf(run.agent))));
  round = Math.min(ROUNDS, wanted);
  const series = (value) => found.runs.map((run) => ({ name: nameOf(run.agent), values: value(run.rounds) }));
  chart(byId("regret"), "Regret", series((rounds) => rounds.map((each) => each.regret)), ROUNDS, round);
  chart(byId("error"), "Error", series((rounds) => rounds.map((each) => each.error)), ROUNDS, round);
  chart(byId("asked"), "Questions", series(questions), ROUNDS, round);
  side(byId("left"), found.runs[0], 0);
  side(byId("right"), found.runs[1], 1);
  // Not disabled for good: who has just pressed one would lose their place on the page.
  for (const name of ["forward", "end"]) byId(name).setAttribute("aria-disabled", String(round >= ROUNDS));
  byId("restart").setAttribute("aria-disabled", String(round === 0));
  if (!timer) say(`Round ${round} of ${ROUNDS}.`);
}

function questions(rounds) {
  let sum = 0;
  return rounds.map((each) => (sum += each.asked.length));
}

function side(place, run, i) {
  const shown = run.rounds.slice(0, round);
  const last = shown.at(-1);
  const asked = shown.reduce((sum, each) => sum + each.asked.length, 0);
  place.replaceChildren(
    el("h2", {}, key(i), nameOf(run.agent)),
    el("dl", { class: "facts" },
      fact("Round", `${round} of ${ROUNDS}`),
      fact("Questions", String(asked)),
      fact("Regret", last ? fixed(last.regret) : "–"),
      fact("Error", last ? fixed(last.error) : "–")),
    steps(shown));
}

function key(i) {
  return el("span", { class: `key line-${i}`, "aria-hidden": "true" });
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

function steps(shown) {
  if (!shown.length) return el("p", { class: "small" }, "Press Run, or go round by round.");
  const lines = shown.slice(-LATEST).reverse().map((each, i) =>
    el("li", {},
      el("span", { class: "small" }, `Round ${shown.length - i}`),
      ...each.asked.map((asked) => el("span", { class: "line" }, `asked about ${asked.about}: answer ${fixed(asked.answer)}`)),
      el("span", { class: "line" }, `showed ${each.item}: worth ${fixed(each.reward)}`)));
  return el("ol", { class: "steps" }, ...lines);
}
