// The conversation: one step at a time, a question or three items.
//
// The id of the current step is kept in this browser, so a reload, another tab or a restarted
// service shows the same step; what was said and is not yet acknowledged is kept there, too.

import { byId, call, el, fixed, isNewStart, kept, mine, newId, NOTHING_SERVED, page, profileOf, refused, say, start, subject, worded } from "/static/common.js";
import { outbox, saidElsewhere } from "/static/outbox.js";
import { prepareBeliefs, showBeliefs } from "/static/beliefs.js";

const ITEMS = 3;
const REASONS = 6;
let catalogue, store, letters;
let profile = null;
let lesson = null; // what was answered just now, and what was believed before
let shown = null; // the id of the step on the screen
let turn = 0; // of several that load a step at once, the last one shows it

await main();

async function main() {
  try {
    ({ catalogue } = await start());
    if (!catalogue) return showNothingServed();
    store = kept(catalogue.name);
    letters = outbox(catalogue, store);
    prepareBeliefs();
    addEventListener("storage", (event) => {
      if (!store.concerns(event.key)) return;
      if (shown && !store.step) showGone();
      else attempt(() => show({ focus: false }));
    });
    await attempt(async () => {
      await letters.flush();
      await show({ focus: false });
    });
  } catch (error) {
    showError(error);
  }
}

/** Do something; what goes wrong is shown, with a way to go on. */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    showError(error);
  }
}

/** Load the current step and what is believed, and show both. */
async function show({ focus = true } = {}) {
  const mineNow = ++turn;
  byId("step").setAttribute("aria-busy", "true");
  const current = await known();
  await refresh();
  if (mineNow !== turn) return;
  const body = { event: current, k: ITEMS, exclude: settled() };
  let step;
  try {
    step = await call("POST", mine(catalogue, "/next"), body);
  } catch (error) {
    if (error.code !== "nothing_left") throw error;
    if (mineNow !== turn) return;
    shown = current;
    return put(nothingLeft(), focus);
  }
  if (mineNow !== turn) return;
  if (isNewStart()) lesson = { text: "This browser had lost the cookie by which it is known here: this is a new start." };
  shown = current;
  put(step.type === "question" ? question(step) : items(step), focus);
}

/** The id of the current step; a newcomer is made known to the service first. */
async function known() {
  if (!store.step) {
    await call("PUT", mine(catalogue));
    store.step ??= newId();
  }
  return store.step;
}

/** Items that were seen or rated: not to be shown again. */
function settled() {
  const rated = profile.events.filter((each) => each.kind === "reward" && !each.retracted && each.event > store.again);
  return [...new Set([...store.seen, ...rated.map(subject)])].slice(0, 10_000);
}

async function refresh() {
  profile = await profileOf(catalogue);
  showBeliefs(profile.terms, catalogue.range, refused(profile, catalogue.range));
  for (const why of document.querySelectorAll(".card details")) why.dispatchEvent(new Event("changed"));
}

function beliefIn(term) {
  return profile.terms.find((each) => each.term === term)?.mean;
}

/** What the last answer changed; said once. */
function learned() {
  const { text, term, before } = lesson ?? {};
  lesson = null;
  if (text) return el("p", { class: "lesson" }, text);
  if (before === undefined) return null;
  const now = beliefIn(term);
  if (now === undefined) return null;
  const change = fixed(now) === fixed(before) ? `${term} stays at ${fixed(now)}, now with less doubt.` : `${term}: from ${fixed(before)} to ${fixed(now)}.`;
  say(`${byId("status").textContent} ${change}`);
  return el("p", { class: "lesson", dir: "auto" }, change);
}

function put(children, focus) {
  const step = byId("step");
  step.replaceChildren(...[learned(), ...children].filter(Boolean));
  step.removeAttribute("aria-busy");
  if (focus) step.querySelector("h2")?.focus();
}

function goOn(left = shown) {
  store.leave(left);
  return attempt(show);
}

// A question

function question(step) {
  const answers = [["yes", "Yes"], ["no", "No"], ["skip", "Skip"]];
  return [
    el("p", { class: "eyebrow" }, `Question ${number(step)}`),
    el("h2", { tabindex: "-1", class: "asked", dir: "auto" }, step.text),
    el("div", { class: "row answers", role: "group", "aria-label": "Your answer" },
      ...answers.map(([value, text]) =>
        el("button", { type: "button", class: value === "skip" ? "plain" : "primary", onclick: ({ currentTarget }) => attempt(() => answer(step, value, currentTarget)) }, text))),
    whyQuestion(step),
  ];
}

function number(step) {
  const asked = profile.questions_asked;
  return profile.open_question?.question === step.question ? asked : asked + 1;
}

async function answer(step, value, pressed) {
  if (isLocked(pressed)) return;
  const left = shown; // by the time of the acknowledgement another step may be shown
  lock(byId("step"), pressed);
  try {
    await letters.send("/answers", { question: step.question, answer: value }, left);
    say(value === "skip" ? "Skipped." : `Noted: ${value} to ${step.term}.`);
    if (value !== "skip") lesson = { term: step.term, before: beliefIn(step.term) };
  } catch (error) {
    if (!saidElsewhere(error)) throw error;
    say("That question was answered elsewhere.");
  }
  await goOn(left);
}

/** No more presses until it is done; what was pressed keeps the focus, and shows that it was. */
function lock(place, pressed) {
  for (const button of place.querySelectorAll("button")) button.disabled = button !== pressed;
  pressed.setAttribute("aria-disabled", "true");
  pressed.classList.add("pressed");
}

function isLocked(button) {
  return button.getAttribute("aria-disabled") === "true";
}

function whyQuestion({ about, mean, radius, why }) {
  const rank = why.of === 1 ? null : why.rank === 1
    ? `Of ${why.of} topics this is the one it knows least about.`
    : why.rank ? `By how little it knows, this topic is number ${why.rank} of ${why.of}.` : null;
  return el("details", { class: "why" },
    el("summary", {}, "Why this question?"),
    rank && el("p", {}, rank),
    el("p", {}, `It expects ${fixed(mean)}, give or take ${fixed(radius)}. With your answer that doubt falls from ${fixed(radius)} to ${fixed(why.radius_after)}, and what it learns carries over to every ${about === "term" ? "item and topic" : "item"} that is alike.`),
    el("p", { class: "small" }, `Chosen by: ${why.strategy}.`));
}

// Items

function items(step) {
  const cards = step.items.map((item) => card(step, item));
  return [
    el("p", { class: "eyebrow" }, "For you"),
    el("h2", { tabindex: "-1" }, cards.length === 1 ? "How about this?" : "How about one of these?"),
    el("ul", { class: "cards" }, ...cards),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", id: "more", onclick: (event) => { event.target.disabled = true; goOn(); } }, "Go on")),
  ];
}

function card(step, item) {
  const actions = el("div", { class: "row actions" });
  const why = el("details", { class: "why" }, el("summary", { "aria-label": `Why this? ${item.item}` }, "Why this?"), el("p", {}, "One moment …"));
  const explain = () => within(why, () => whyItem(why, step, item));
  why.addEventListener("toggle", () => why.open && explain());
  why.addEventListener("changed", () => why.open && explain());
  drawActions(actions, step, item);
  return el("li", { class: "card" },
    el("h3", { dir: "auto" }, item.item),
    el("p", { class: "topics" }, ...item.terms.flatMap((term) => [el("span", { class: "chip", dir: "auto" }, term), " "])),
    el("p", { class: "hint" }, hint(item)),
    actions, why);
}

function hint({ exploring, mean }) {
  if (exploring) return "Exploring: to learn more about your taste";
  return isUnknown(mean) ? "A first guess: say what you think of it" : "Picked for its expected rating";
}

function rewardOf(step, item) {
  return profile.events.find((each) =>
    each.kind === "reward" && !each.retracted && `d${each.about.decision}` === step.decision && each.about.item === item.item);
}

function drawActions(actions, step, item) {
  const given = rewardOf(step, item);
  const seen = store.seen.includes(item.item);
  const button = (text, act) =>
    el("button", { type: "button", "aria-label": `${text}: ${item.item}`, onclick: ({ currentTarget, detail }) => {
      // The second press of a double click is not meant for the button that has come there.
      if (!isLocked(currentTarget) && detail < 2) within(actions, () => act(currentTarget));
    } }, text);
  const again = () => {
    const here = actions.contains(document.activeElement); // people may have gone on meanwhile
    drawActions(actions, step, item);
    if (here) actions.querySelector("button").focus();
  };
  if (given || seen) {
    actions.replaceChildren(
      el("span", { class: "done" }, given ? (worded(given, catalogue.range) === "liked" ? "You like it" : "Not for you") : "Seen"),
      button("Undo", async (pressed) => {
        lock(actions, pressed);
        await undo(given, item);
        again();
      }));
    return;
  }
  const [low, high] = catalogue.range;
  const rate = (value, word) => async (pressed) => {
    lock(actions, pressed);
    await letters.send("/rewards", { decision: step.decision, item: item.item, reward: value }).catch(ifRefused);
    store.touch();
    await refresh();
    say(`Noted: ${word}, ${item.item}.`);
    again();
  };
  actions.replaceChildren(
    button("Like", rate(high, "you like it")),
    button("Not for me", rate(low, "not for you")),
    button("Seen it", async () => {
      store.seen = [...store.seen, item.item];
      say(`${item.item} will not be shown again.`);
      again();
    }));
}

function ifRefused(error) {
  if (!saidElsewhere(error)) throw error;
}

async function undo(given, item) {
  if (given) {
    await letters.takeBack(given).catch(ifRefused);
    store.touch();
    await refresh();
  } else {
    store.seen = store.seen.filter((name) => name !== item.item);
  }
  say("Taken back.");
}

/** Do something about one card; what goes wrong is said there, and the others stay. */
async function within(place, act) {
  try {
    await act();
  } catch (error) {
    place.replaceChildren(...(place.matches("details") ? [place.firstElementChild] : []),
      el("p", { role: "alert" }, `That did not work: ${error.message} `,
        el("button", { type: "button", onclick: () => location.reload() }, "Try again")));
  }
}

async function whyItem(place, step, item) {
  const found = await call("GET", mine(catalogue, "/explain", { item: item.item }));
  const since = ({ event }) => event > Number(step.decision.slice(1));
  const counts = (each) => Math.abs(each.contribution) >= 0.005 || (since(each) && each.about === item.item);
  const parts = found.contributions.filter(counts).slice(0, REASONS);
  const largest = Math.max(1e-9, ...parts.map((each) => Math.abs(each.contribution)));
  const rest = found.mean - parts.reduce((sum, each) => sum + each.contribution, 0);
  place.replaceChildren(place.firstElementChild, el("div", {},
    el("p", {}, `When it was picked, it expected ${fixed(item.mean)}, give or take ${fixed(item.radius)}. ${reason(item)}`),
    isUnknown(found.mean - item.mean) && !found.contributions.some(since) ? null : el("p", {}, `With what you said since, it expects ${fixed(found.mean)}, give or take ${fixed(found.radius)}.`),
    el("p", { class: "small" }, parts.length ? "What you said adds up to that:" : "Nothing you said has moved that so far."),
    el("ul", { class: "parts" }, ...parts.map((each) => part(each, largest, since(each)))),
    parts.length && Math.abs(rest) >= 0.005 ? el("p", { class: "small" }, `and ${fixed(rest)} from everything else`) : null));
}

function reason({ exploring, mean }) {
  if (exploring) return "Other items had a higher expectation: this one is here because little is known about it.";
  if (isUnknown(mean)) return "Nothing you had said spoke for any item: it is here because little is known about it.";
  return "No item beyond these had a higher expectation.";
}

function isUnknown(mean) {
  return Math.abs(mean) < 0.005;
}

function part({ kind, about, value, contribution }, largest, since) {
  const bar = el("span", { class: contribution < 0 ? "amount less" : "amount", "aria-hidden": "true" });
  bar.style.width = `${(100 * Math.abs(contribution)) / largest}%`;
  const word = worded({ kind, about: { answer: value, reward: value } }, catalogue.range);
  return el("li", {},
    el("span", {}, el("bdi", {}, about), `: ${word}${since ? ", said since" : ""}`),
    el("span", { class: "number" }, `${contribution < 0 ? "" : "+"}${fixed(contribution)}`),
    el("span", { class: "gauge" }, bar));
}

// When there is nothing to show

function nothingLeft() {
  return [
    el("p", { class: "eyebrow" }, "That was all"),
    el("h2", { tabindex: "-1" }, "You have been through everything here"),
    el("p", {}, "Nothing is left that you have not rated or seen. Your profile keeps what it learned."),
    el("div", { class: "row" },
      el("button", { type: "button", class: "primary", onclick: () => { store.again = profile.events[0]?.event ?? 0; store.seen = []; goOn(); } }, "Show them again"),
      el("a", { class: "button", href: page("/profile") }, "Your profile")),
  ];
}

function showGone() {
  turn += 1; // what still loads is no one's any more
  showBeliefs([], catalogue.range, new Set());
  put([
    el("h2", { tabindex: "-1" }, "Your profile was deleted"),
    el("p", {}, "Nothing is kept of you. If you want to, you can start anew."),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", onclick: () => location.reload() }, "Start anew")),
  ], false);
}

function showNothingServed() {
  put([
    el("h2", { tabindex: "-1" }, "There is nothing to talk about yet"),
    el("p", {}, NOTHING_SERVED),
  ], false);
}

function showError(error) {
  put([
    el("p", { class: "eyebrow" }, "Something is wrong"),
    el("h2", { tabindex: "-1" }, "That did not work"),
    el("p", {}, error.message),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", onclick: () => location.reload() }, "Try again")),
  ], true);
}
