// Three items: what they are, why they are here, and what one may say about them.

import { byId, call, el, fixed, mine, say, worded } from "/static/common.js";
import { portraitOf } from "/static/cover.js";
import { icon } from "/static/icons.js";
import { because, nameOf, preference } from "/static/words.js";

const REASONS = 6;
const TOPICS = 5;
const SHORTEST = 0.005; // what is less is not worth a line

/** The upper part of a card: its picture with the title on it. */
export function poster(item, ...more) {
  const subtitle = [item.year, item.subtitle].filter(Boolean).join(" · ");
  const title = item.title ?? item.item;
  const size = title.length > 60 ? "title tiny" : title.length > 24 ? "title small-title" : "title";
  return el("div", { class: "poster" }, portraitOf(item),
    el("div", { class: "poster-words" },
      el("h3", { class: size, dir: "auto" }, item.link ? el("a", { href: item.link, rel: "noreferrer noopener", target: "_blank" }, title) : title),
      subtitle ? el("p", { class: "sub", dir: "auto" }, subtitle) : null),
    ...more);
}

/**
 * Cards of a recommendation. `talk` gives the catalogue, the store, the outbox, the picture of the
 * person, and what to do after something was said.
 */
export function cards(talk, step) {
  return step.items.map((item, at) => card(talk, step, item, at));
}

function card(talk, step, item, at) {
  const actions = el("div", { class: "actions" });
  const alert = el("p", { class: "alert", role: "alert", hidden: true });
  const place = el("li", { class: "card", "data-item": item.item, tabindex: "-1" },
    poster(item, el("span", { class: "place", "aria-hidden": "true" }, String(at + 1)), saveButton(talk, item)),
    el("div", { class: "card-body" },
      el("p", { class: "because" }, reason(item)),
      item.text ? el("p", { class: "text", dir: "auto" }, item.text) : null,
      topics(item),
      actions, alert, why(talk, step, item)));
  place.style.setProperty("--delay", `${at * 60}ms`);
  place.redraw = () => drawActions(talk, place, actions, alert, step, item);
  place.redraw();
  return place;
}

function reason(item) {
  const found = because(item.because ?? []);
  if (found) return item.exploring ? `${found}, with something new` : found;
  return item.exploring ? "Something different, to learn what you think of it" : "A first guess: say what you think of it";
}

/** Topics of an item; those that this person likes come first and are marked. */
function topics({ terms, matches = [] }) {
  const order = [...terms.filter((each) => matches.includes(each)), ...terms.filter((each) => !matches.includes(each))];
  const fits = order.length <= TOPICS + 1 ? order.length : TOPICS; // "+1" is no shorter than the one
  const shown = order.slice(0, fits);
  const left = order.slice(fits);
  const chip = (term) => (matches.includes(term)
    ? el("li", { class: "chip match", dir: "auto" }, icon("heart"), el("span", { class: "unseen" }, "you like "), term)
    : el("li", { class: "chip", dir: "auto" }, term));
  return el("ul", { class: "topics", "aria-label": "Topics" }, ...shown.map(chip),
    left.length ? el("li", { class: "chip more", title: left.join(", ") }, el("span", { "aria-hidden": "true" }, `+${left.length}`), el("span", { class: "unseen" }, left.join(", "))) : null);
}

function saveButton({ store }, item) {
  const name = nameOf(item);
  const isSaved = () => store.saved.some((each) => each.item === item.item);
  const button = el("button", { type: "button", class: "save", onclick: () => {
    store.saved = isSaved() ? store.saved.filter((each) => each.item !== item.item)
      : [...store.saved, { item: item.item, name, terms: item.terms, image: item.image ?? null }];
    draw();
    say(isSaved() ? `${name} is on your list.` : `${name} is off your list.`);
    dispatchEvent(new Event("saved"));
  } }, icon("save"));
  function draw() {
    button.setAttribute("aria-pressed", String(isSaved()));
    button.setAttribute("aria-label", `Save: ${name}`);
    button.title = isSaved() ? "On your list" : "Save to your list";
  }
  draw();
  return button;
}

/** What this person has said about an item: "liked", "refused", "seen", or null. */
function stateOf({ catalogue, store, letters, picture }, item) {
  const waiting = letters.waitingFor(item);
  const given = picture().rated.filter((each) => each.item === item).sort((a, b) => b.event - a.event)[0];
  const reward = waiting === undefined ? given?.reward : waiting;
  if (reward !== undefined && reward !== null && !isAgain(store, given, waiting)) return [reward > middle(catalogue) ? "liked" : "refused", given];
  return [store.seen.includes(item) ? "seen" : null, null];
}

/** Whether a rating was given before everything was asked for once more. */
const isAgain = (store, given, waiting) => waiting === undefined && store.again !== null && given.event <= store.again;
const middle = ({ range: [low, high] }) => (low + high) / 2;
const DONE = { liked: ["heart", "You like it"], refused: ["cross", "Not for you"], seen: ["eye", "Seen"] };

function drawActions(talk, place, actions, alert, step, item) {
  const [state] = stateOf(talk, item.item);
  if (actions.dataset.state === String(state)) return;
  actions.dataset.state = String(state);
  place.dataset.state = state ?? "";
  const name = nameOf(item);
  const here = actions.contains(document.activeElement); // people may have gone on meanwhile
  const button = (text, sign, key, act, kind = "") =>
    el("button", { type: "button", class: kind, "aria-label": `${text}: ${name}`, "data-key": key, onclick: ({ detail }) => {
      // The second press of a double click is not meant for the button that has come there.
      if (detail < 2) attempt(act);
    } }, icon(sign), el("span", {}, text));
  const attempt = async (act) => {
    alert.hidden = true;
    try {
      await act();
    } catch (error) {
      alert.replaceChildren(`That did not work: ${error.message} `, el("button", { type: "button", onclick: () => location.reload() }, "Try again"));
      alert.hidden = false;
    }
  };
  if (state) {
    const [sign, text] = DONE[state];
    actions.replaceChildren(el("span", { class: `done done-${state}` }, icon(sign), text),
      button("Undo", "back", "u", () => undo(talk, place, item), "plain"));
  } else {
    actions.replaceChildren(
      button("Like", "heart", "l", () => rate(talk, place, step, item, true), "like"),
      button("Not for me", "cross", "x", () => rate(talk, place, step, item, false)),
      button("Seen it", "eye", "w", () => see(talk, place, item), "plain"),
      button("More like this", "more", "m", () => talk.moreLike(item), "plain"));
  }
  if (here) actions.querySelector("button").focus();
}

async function rate(talk, place, step, item, isLiked) {
  const [low, high] = talk.catalogue.range;
  talk.letters.reward({ decision: step.decision, item: item.item, reward: isLiked ? high : low }, talk.shown());
  place.redraw();
  say(`Noted: ${isLiked ? "you like it" : "not for you"}, ${nameOf(item)}.`);
  await talk.deliver();
}

function see({ store }, place, item) {
  store.seen = [...store.seen, item.item];
  place.redraw();
  say(`${nameOf(item)} will not be shown again.`);
}

async function undo(talk, place, item) {
  const [, given] = stateOf(talk, item.item);
  const { store, letters } = talk;
  if (store.seen.includes(item.item)) {
    store.seen = store.seen.filter((name) => name !== item.item);
  } else if (letters.waitingFor(item.item) !== undefined) {
    letters.takeBackWaiting(item.item);
  } else if (given) {
    letters.takeBack({ event: given.event, item: item.item });
  }
  place.redraw();
  say("Taken back.");
  await talk.deliver();
}

// Why this item

function why(talk, step, item) {
  const place = el("details", { class: "why" },
    el("summary", { "aria-label": `Why this? ${nameOf(item)}` }, "Why this?"), el("p", {}, "One moment …"));
  const explain = async () => {
    if (!place.open) return;
    try {
      const found = await call("GET", mine(talk.catalogue, "/explain", { item: item.item }));
      place.replaceChildren(place.firstElementChild, explanation(talk, step, item, found));
    } catch (error) {
      place.replaceChildren(place.firstElementChild, el("p", { role: "alert" }, `That did not work: ${error.message}`));
    }
  };
  place.addEventListener("toggle", explain);
  place.addEventListener("changed", explain);
  return place;
}

function explanation({ catalogue }, step, item, found) {
  const since = ({ event }) => event > Number(step.decision.slice(1));
  const counts = (each) => Math.abs(each.contribution) >= SHORTEST || (since(each) && each.about === item.item);
  const parts = found.contributions.filter(counts).slice(0, REASONS);
  const largest = Math.max(1e-9, ...parts.map((each) => Math.abs(each.contribution)));
  const moved = Math.abs(found.mean - item.mean) >= SHORTEST || found.contributions.some(since);
  return el("div", {},
    el("p", { class: "small" }, parts.length ? "What you said, and how much it speaks for it:" : "Nothing you said speaks for or against it so far."),
    el("ul", { class: "parts" }, ...parts.map((each) => part(each, largest, since(each), catalogue.range))),
    el("p", { class: "small figure" }, `When it was picked, it expected ${fixed(item.mean)}, give or take ${fixed(item.radius)}.`),
    moved ? el("p", { class: "small figure" }, `With what you said since, it expects ${fixed(found.mean)}, give or take ${fixed(found.radius)}.`) : null);
}

function part({ kind, about, value, contribution, terms = [], ...more }, largest, since, range) {
  const bar = el("span", { class: contribution < 0 ? "amount less" : "amount", "aria-hidden": "true" });
  bar.style.width = `${(100 * Math.abs(contribution)) / largest}%`;
  const whole = terms.length > 1 ? preference(terms, more) : null;
  const said = worded({ kind, about: { answer: value, reward: value } }, range);
  const words = whole === null ? [el("bdi", {}, about), `: ${said}`] : [el("bdi", {}, whole)];
  return el("li", {},
    el("span", {}, ...words, since ? ", said since" : "", el("span", { class: "unseen" }, contribution < 0 ? ", speaks against it" : ", speaks for it")),
    el("span", { class: "number figure" }, `${contribution < 0 ? "" : "+"}${fixed(contribution)}`),
    el("span", { class: "gauge" }, bar));
}

/** After something was said anywhere: show it on every card. */
export function redrawCards() {
  for (const place of byId("step").querySelectorAll(".card")) {
    place.redraw?.();
    place.querySelector("details.why")?.dispatchEvent(new Event("changed"));
  }
}
