// The conversation: a beginning, then one step at a time, a question or three items.
//
// The id of the current step is kept in this browser, so a reload, another tab or a restarted
// service shows the same step; what was said and is not yet acknowledged is kept there, too.
// What is said and what comes next go in one request, and the screen does not wait for it.

import { byId, el, endComingAnew, isComingAnew, NOTHING_SERVED, page, pictureOf, profileOf, say, start } from "/static/common.js";
import { BEGINNING, kept, newId } from "/static/kept.js";
import { outbox } from "/static/outbox.js";
import { beginning } from "/static/beginning.js";
import { prepareBeliefs, showBeliefs } from "/static/beliefs.js";
import { cards, redrawCards } from "/static/cards.js";
import { icon } from "/static/icons.js";
import { listenToKeys } from "/static/keys.js";
import { question } from "/static/question.js";
import { listed, nameOf, preference, progress, speakOf } from "/static/words.js";

const ITEMS = 3;
const MOST_EXCLUDED = 2000;
let catalogue, store, letters;
let picture = { rated: [], answered: [], topics: [], known: 0, rounds: 0, questions_asked: 0 };
let shown = null; // the id of the step on the screen
let turn = 0; // of several that load a step at once, the last one shows it
let note = null; // to be said with the next step, once

const talk = {
  get catalogue() { return catalogue; },
  get store() { return store; },
  get letters() { return letters; },
  picture: () => picture,
  shown: () => shown,
  moreLike: (item) => goOn({ like: item.item, likeName: nameOf(item), ask: "never" }),
  async deliver() {
    take(await letters.flush());
    store.touch();
  },
};

await main();

async function main() {
  await attempt(async () => {
    ({ catalogue } = await start());
    if (!catalogue) return showNothingServed();
    speakOf(catalogue.nouns);
    store = kept(catalogue.name);
    letters = outbox(catalogue, store);
    prepareBeliefs({ folded: true });
    listenToKeys({ go: () => press("#more, #onward, #passed, #done[data-key=Enter]"), back: () => press("#back"), search: nameMore });
    addEventListener("storage", follow);
    addEventListener("saved", drawSaved);
    drawSaved();
    await enter();
  });
}

/** Do something; what goes wrong is shown, with a way to go on. */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    showError(error);
  }
}

/** What another tab did. */
function follow({ key }) {
  if (!store.concerns(key)) return;
  drawSaved();
  if (shown && !store.step) return showGone();
  if (store.step === BEGINNING) return byId("onward") ? null : attempt(showBeginning);
  if (store.step) attempt(() => show({ focus: false }));
}

async function enter() {
  if (isComingAnew()) {
    store.startAnew();
    letters.dropOthers();
    note = "This browser had lost the cookie by which it is known here: this is a new start.";
  }
  if (!hasBegun()) {
    picture = await pictureOf(catalogue);
    const isKnown = store.step !== BEGINNING && picture.rounds + picture.questions_asked + picture.rated.length + picture.answered.length > 0;
    endComingAnew();
    if (!isKnown && !store.outbox.length) return showBeginning();
    begin({});
  }
  await show({ focus: false });
  endComingAnew();
}

/** Whether there is a step behind the beginning; who went back there is at no step, and not gone. */
function hasBegun() {
  return Boolean(store?.step) && store.step !== BEGINNING;
}

/** The first step after the beginning; where another tab has begun, its step is the one. */
function begin(how) {
  if (hasBegun()) return;
  const id = newId();
  store.trail = [{ id: BEGINNING, said: {} }, { id, ...how, said: {} }];
  store.step = id;
}

function take(found) {
  if (!found?.isLatest) return;
  picture = found.picture;
  showBeliefs(picture.topics);
  redrawCards();
  for (const place of document.querySelectorAll("#known")) place.replaceWith(known());
}

/** Send what waits, load the current step, and show it. */
async function show({ focus = true } = {}) {
  const mineNow = ++turn;
  const current = store.current;
  byId("step").setAttribute("aria-busy", "true");
  const found = await letters.flush(nextBody(current));
  if (mineNow !== turn) return;
  if (found.isLatest) picture = found.picture;
  if (found.elsewhere) note = "That question was answered elsewhere.";
  shown = current.id;
  showBeliefs(picture.topics);
  put(parts(found, current), focus);
}

function nextBody({ id, ask = "due", like }) {
  const again = store.again;
  const rated = again === null ? [] : picture.rated.filter((each) => each.event > again).map((each) => each.item);
  const exclude = [...new Set([...store.seen, ...rated])].slice(-MOST_EXCLUDED);
  const about = like ? { like } : {};
  return { event: id, k: ITEMS, fresh: again === null, exclude, ask, ...about };
}

function parts(found, current) {
  const { step, ended } = found;
  if (!step) return nothingLeft();
  if (step.type === "question") return [...question(talk, step, (said) => answer(step, said)), forward(null)];
  if (ended === "all_shown" && !store.isTold("all shown")) return passedOver(step, current);
  return items(step, current);
}

/** What is to be said beside the step, once. */
function notes() {
  const told = [note];
  note = null;
  if (picture.questions_over && picture.questions_asked > 0 && !store.isTold("over")) {
    store.tell("over");
    told.push("That was my last question: from here on I only show.");
  }
  const text = told.filter(Boolean).join(" ");
  if (text) say(`${byId("status").textContent} ${text}`.trim());
  return text ? el("p", { class: "lesson", dir: "auto" }, text) : null;
}

function put(children, focus) {
  const step = byId("step");
  step.replaceChildren(...[notes(), ...children].filter(Boolean));
  step.removeAttribute("aria-busy");
  document.body.classList.toggle("begun", hasBegun());
  if (focus) {
    step.querySelector("h2")?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }
}

/** The next step comes: what was said is acknowledged at once, and places for three cards wait. */
function waitFor(text) {
  const empty = () => el("li", { class: "card empty", "aria-hidden": "true" }, el("div", { class: "poster" }), el("div", { class: "card-body" }));
  const step = byId("step");
  step.replaceChildren(
    el("p", { class: "eyebrow" }, "One moment …"),
    el("p", { class: "noted display", dir: "auto" }, text),
    el("ul", { class: "cards", "aria-hidden": "true" }, empty(), empty(), empty()));
  step.setAttribute("aria-busy", "true");
  step.focus({ preventScroll: true });
  scrollTo({ top: 0 });
  say(text);
}

function goOn(how = {}, text = "On we go.") {
  store.leave(shown, how);
  waitFor(text);
  return attempt(show);
}

function press(where) {
  const button = byId("step").querySelector(where);
  if (!button || button.disabled) return false;
  button.click();
  return true;
}

// The way forward, and back

function forward(button) {
  const { trail, step } = store;
  const before = trail[trail.findIndex((each) => each.id === step) - 1];
  const back = before ? el("button", { type: "button", id: "back", class: "plain", onclick: () => attempt(goBack) }, icon("back"), el("span", {}, "Back")) : null;
  return el("div", { class: "forward" }, back, known(), button);
}

function known() {
  const meter = el("span", { class: "meter", "aria-hidden": "true" }, el("span"));
  meter.firstChild.style.width = `${Math.round(100 * Math.max(0.03, Math.min(1, picture.known)))}%`;
  return el("p", { id: "known", class: "known" }, meter, el("span", {}, progress(picture.known)));
}

/** Take back what was said in the step before, and show it again. */
async function goBack() {
  const { trail, step } = store;
  const at = trail.findIndex((each) => each.id === step);
  if (at < 1 || step !== shown) return;
  waitFor("Back one step.");
  if (Object.values(trail[at - 1].said).includes(null)) take(await letters.flush()); // numbers come with the receipts
  const before = store.trail[at - 1];
  const events = Object.entries(before.said).filter(([, event]) => event !== null);
  for (const [client_id, event] of events) letters.takeBack({ event, client_id });
  store.trail = [...store.trail.slice(0, at - 1), { ...before, said: {}, isBack: true }];
  note = events.length ? "Back one step: what you said there is taken back." : "Back one step.";
  if (before.id === BEGINNING) {
    store.startAnew(BEGINNING);
    take(await letters.flush());
    return showBeginning({ focus: true });
  }
  store.step = before.id;
  await show();
}

// The beginning

async function showBeginning({ focus = false } = {}) {
  const mineNow = ++turn;
  const found = await beginning({ catalogue, store, go: (said) => leaveBeginning(said) });
  if (mineNow !== turn) return;
  shown = null;
  showBeliefs(picture.topics);
  put(found, focus);
}

function leaveBeginning(said) {
  begin({ ask: "never" }); // something is shown at once; the first question knows what was thought of it
  for (const [kind, body] of said) letters[kind](body, store.trail[0]?.id === BEGINNING ? BEGINNING : store.step);
  const loved = said.filter(([kind, body]) => kind === "reward" || body.answer === "yes").length;
  waitFor(loved ? "Good choice. Let me see …" : "Let me see …");
  return attempt(show);
}

/** In the middle of the conversation: name something more. */
function nameMore() {
  const box = byId("search");
  if (box) box.focus();
  else if (hasBegun()) attempt(showMore);
  return true;
}

async function showMore() {
  const mineNow = ++turn;
  const at = shown;
  store.draft = null;
  const leave = el("button", { type: "button", class: "plain", onclick: () => attempt(show) }, icon("back"), el("span", {}, "Back"));
  const found = await beginning({ catalogue, store, isFirst: false, leave, go: (said) => {
    for (const [kind, body] of said) letters[kind](body, at);
    return said.length ? goOn({ ask: "never" }, "Good to know. Let me see …") : attempt(show);
  } });
  if (mineNow !== turn) return;
  put(found, true);
  byId("search").focus();
}

byId("name-more")?.addEventListener("click", nameMore);

function drawSaved() {
  const link = byId("saved-link");
  if (!link) return;
  const found = store.saved.length;
  link.hidden = !found;
  link.textContent = `Your list: ${found}`;
  link.href = `${page("/taste")}#saved`;
}

// A question

function answer(step, said) {
  const text = noted(step, said);
  if (store.current.isBack) {
    waitFor(text);
    return attempt(() => answerAgain(step, said));
  }
  letters.answer({ question: step.question, ...said }, shown);
  return goOn({}, text);
}

const SKIPS = ["skip", "unknown"];

function noted({ about, term, terms, pick }, { answer: word, picked }) {
  if (SKIPS.includes(word)) return "Skipped.";
  if (about === "pair" || about === "group") return `Noted: ${preference(terms, { chose: word, picked, pick }).replace("You", "you")}.`;
  return `Noted: ${word} to ${term}.`;
}

/** What an answer says of single topics. */
function ofTopics({ about, term, terms }, { answer: word, picked }) {
  if (SKIPS.includes(word) || about === "arm") return [];
  if (about === "term") return [[term, word]];
  if (about === "group") return picked.map((each) => [each, "yes"]);
  if (word === "both" || word === "neither") return terms.map((each) => [each, word === "both" ? "yes" : "no"]);
  return [[terms[word === "first" ? 0 : 1], "yes"]];
}

/** After a step back: where the question is closed by now, what one says of its topic is said unasked. */
async function answerAgain(step, said) {
  const { open_question: open } = await profileOf(catalogue, { events: 1 });
  if (open?.question === step.question) letters.answer({ question: step.question, ...said }, shown);
  else for (const [topic, word] of ofTopics(step, said)) letters.answer({ topic, answer: word }, shown);
  // Its round is over already: to ask once more would be one question too many.
  store.leave(shown, { ask: "never" });
  await show();
}

// Items

function items(step, { likeName }) {
  const found = cards(talk, step);
  const heading = likeName ? `More like ${likeName}` : found.length === 1 ? "How about this?" : "How about one of these?";
  const more = el("button", { type: "button", class: "primary big", id: "more", onclick: ({ currentTarget }) => { currentTarget.disabled = true; goOn({}, acknowledged(step)); } },
    el("span", {}, "Go on"), icon("on"), el("kbd", { "aria-hidden": "true" }, "Enter"));
  return [
    el("p", { class: "eyebrow" }, "For you"),
    el("h2", { tabindex: "-1", class: "display" }, heading),
    el("ul", { class: "cards" }, ...found),
    forward(more),
  ];
}

function acknowledged(step) {
  const liked = step.items.filter(({ item }) => byId("step").querySelector(`.card[data-state=liked][data-item="${CSS.escape(item)}"]`));
  return liked.length ? `More in the way of ${listed(liked.map((each) => each.title ?? each.item))} …` : "Let me see what else there is …";
}

/** Everything was on the screen once: it says so, and offers what was passed over. */
function passedOver(step, current) {
  return [
    el("p", { class: "eyebrow" }, "All shown"),
    el("h2", { tabindex: "-1", class: "display" }, "Now you have seen everything once"),
    el("p", { class: "lead" }, "What you rated or have seen stays away. What you passed over could have another chance."),
    el("div", { class: "row" },
      el("button", { type: "button", class: "primary big", id: "passed", onclick: () => {
        store.tell("all shown");
        put(items(step, current), true);
      } }, "Show what you passed over again"),
      el("a", { class: "button big", href: page("/taste") }, "See your taste")),
    forward(null),
  ];
}

// When there is nothing to show

function nothingLeft() {
  return [
    el("p", { class: "eyebrow" }, "That was all"),
    el("h2", { tabindex: "-1", class: "display" }, "You have been through everything here"),
    el("p", { class: "lead" }, "Nothing is left that you have not rated or seen. What I learned of you stays."),
    el("div", { class: "row" },
      el("a", { class: "button primary big", href: page("/taste") }, "See your taste"),
      el("button", { type: "button", class: "big", onclick: () => {
        store.again = Math.max(0, ...picture.rated.map((each) => each.event));
        store.seen = [];
        goOn();
      } }, "Show them again")),
    forward(null),
  ];
}

function showGone() {
  turn += 1; // what still loads is no one's any more
  shown = null;
  showBeliefs([]);
  put([
    el("h2", { tabindex: "-1", class: "display" }, "Your profile was deleted"),
    el("p", { class: "lead" }, "Nothing is kept of you. If you want to, you can start anew."),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary big", onclick: () => location.reload() }, "Start anew")),
  ], false);
}

function showNothingServed() {
  put([
    el("h2", { tabindex: "-1", class: "display" }, "There is nothing to talk about yet"),
    el("p", { class: "lead" }, NOTHING_SERVED),
  ], false);
}

function showError(error) {
  put([
    el("p", { class: "eyebrow" }, "Something is wrong"),
    el("h2", { tabindex: "-1", class: "display" }, "That did not work"),
    el("p", { class: "lead" }, error.message),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary big", onclick: () => location.reload() }, "Try again")),
  ], true);
}
