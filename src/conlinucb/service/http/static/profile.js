// The profile: everything kept, each answer and rating with a way to take it back.

import { byId, call, callForText, count, el, NOTHING_SERVED, isAboutSeveral, page, pictureOf, profileOf, say, start, subject, worded } from "/static/common.js";
import { forgetAllHere, kept, session } from "/static/kept.js";
import { outbox } from "/static/outbox.js";
import { prepareBeliefs, showBeliefs } from "/static/beliefs.js";
import { preference, speakOf } from "/static/words.js";

const DELETED = "conlinucb deleted";
let catalogue, store, letters;
let titles = new Map(); // of items, where they differ from their ids


await attempt(async () => {
  ({ catalogue } = await start());
  if (!catalogue) throw new Error(NOTHING_SERVED);
  speakOf(catalogue.nouns);
  store = kept(catalogue.name);
  letters = outbox(catalogue, store);
  prepareBeliefs();
  await letters.flush();
  await show();
  byId("export").addEventListener("click", () => attempt(download));
  byId("delete").addEventListener("click", () => byId("sure").showModal());
  byId("sure").addEventListener("cancel", (event) => byId("really").disabled && event.preventDefault());
  byId("keep").addEventListener("click", () => byId("sure").close());
  byId("really").addEventListener("click", () => attempt(forget));
  addEventListener("storage", () => attempt(show));
});

/** Do something; what goes wrong is said. */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    byId("sure").close();
    tell(`That did not work: ${error.message}`, el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
  }
}

function tell(text, ...more) {
  byId("summary").replaceChildren(text, " ", ...more);
  say(text);
}

async function show() {
  const [profile, picture] = await Promise.all([profileOf(catalogue), pictureOf(catalogue)]);
  const isKnown = profile.events.length + profile.rounds + profile.questions_asked > 0;
  titles = new Map(picture.rated.filter((each) => !each.item.includes(each.title)).map((each) => [each.item, each.title]));
  showBeliefs(isKnown ? picture.topics : []);
  byId("deleted").hidden = session.get(DELETED) === null;
  if (session.get(DELETED) !== null) say(byId("deleted").textContent);
  session.delete(DELETED);
  byId("summary").textContent = isKnown
    ? `${count(profile.questions_asked, "question")} asked, ${count(profile.rounds, "recommendation")} about ${catalogue.name}.`
    : `Nothing is kept of you about ${catalogue.name} yet.`;
  byId("events").replaceChildren();
  list(profile.events);
  if (!byId("events").children.length) byId("events").append(nothing());
  byId("export").disabled = byId("delete").disabled = false;
  showSeen();
}

/** Rows for these events, and a way to what was before them. */
function list(events) {
  const said = events.filter((each) => each.kind === "answer" || each.kind === "reward");
  byId("events").append(...said.map(row));
  const oldest = events.at(-1)?.event ?? 1;
  byId("earlier").hidden = oldest === 1;
  byId("earlier").onclick = () => attempt(async () => {
    const more = await profileOf(catalogue, { before: oldest });
    const last = byId("events").lastElementChild;
    list(more.events);
    (last?.nextElementSibling?.querySelector("button") ?? byId("said")).focus();
  });
}

function nothing() {
  return el("li", { class: "empty" }, "You have not said anything yet. ", el("a", { href: page("/") }, "Start the conversation."));
}

/** What was said: its subject and a word, or of several topics one sentence. */
function told(event) {
  const name = subject(event);
  const whole = isAboutSeveral(event) ? preference(event.about.ids, event.about) : null;
  return whole === null ? [titles.get(name) ?? name, worded(event, catalogue.range)] : [whole, null];
}

function row(event) {
  const [what, word] = told(event);
  const when = new Date(event.at);
  const time = el("time", { datetime: event.at, class: "small" }, when.toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
  const action = event.retracted
    ? el("span", { class: "done" }, "Taken back")
    : el("button", { type: "button", "aria-label": `Take back: ${[isAboutSeveral(event) ? what : subject(event), word].filter(Boolean).join(", ")}`, onclick: () => attempt(() => retract(event)) }, "Take back");
  return el("li", { class: event.retracted ? "gone" : "" },
    el("span", { class: "what" }, el("strong", { dir: "auto" }, what), " ", word === null ? null : el("span", { class: "chip" }, word), el("br"), time),
    action);
}

async function retract(event) {
  const place = [...byId("events").querySelectorAll("button")].indexOf(document.activeElement);
  letters.takeBack(event);
  const found = await letters.flush();
  say(found?.refused[0]?.error.message ?? `Taken back: ${isAboutSeveral(event) ? told(event)[0] : subject(event)}.`);
  store.touch();
  await show();
  const buttons = byId("events").querySelectorAll("button");
  (buttons[Math.min(Math.max(place, 0), buttons.length - 1)] ?? byId("said")).focus();
}

function showSeen() {
  const names = store.seen;
  byId("seen-section").hidden = !names.length;
  byId("seen").replaceChildren(...names.map((name) =>
    el("li", {}, el("span", { class: "what", dir: "auto" }, name),
      el("button", { type: "button", "aria-label": `Show again: ${name}`, onclick: () => {
        store.seen = store.seen.filter((other) => other !== name);
        showSeen();
        say(`${name} may be shown again.`);
        byId("said").focus();
      } }, "Show again"))));
}

async function download() {
  const found = await everything();
  if (found === null) return tell("Nothing is kept of you, so there is nothing to export.");
  const address = URL.createObjectURL(new Blob([found], { type: "application/json" }));
  el("a", { href: address, download: "conlinucb-profile.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say("Exported.");
}

/** All that is kept, in every catalogue, as it came (some numbers are too long for JavaScript); or null. */
async function everything() {
  try {
    return await callForText("GET", "/v1/me/export");
  } catch (error) {
    if (error.code === "unknown_user") return null;
    throw error;
  }
}

/** Once this has begun there is no way back: a request may be on its way. */
async function forget() {
  deleting(true);
  try {
    if ((await everything()) !== null) await call("DELETE", "/v1/me");
    forgetAllHere();
    session.set(DELETED, "yes");
    location.assign(page("/profile"));
  } catch (error) {
    deleting(false);
    throw error;
  }
}

function deleting(begun) {
  byId("keep").disabled = byId("really").disabled = begun;
  byId("really").textContent = begun ? "Deleting …" : "Delete everything";
}
