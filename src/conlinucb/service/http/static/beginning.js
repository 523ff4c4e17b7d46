// The beginning: what someone loves or cannot stand. Nothing is sent before they go on.

import { byId, call, el, say } from "/static/common.js";
import { icon } from "/static/icons.js";
import { searchBox } from "/static/search.js";
import { nameOf } from "/static/words.js";

const STATES = ["love", "leave", "not"];
const WORDS = { love: "love", leave: "no opinion", not: "can't stand" };
const NEXT = { leave: "love", love: "not", not: "leave" };
const MOST_SHOWN = 300; // topics in the long list at once
const MOST_FAVOURITES = 30;

const isText = (found) => typeof found === "string" && found.length <= 200;

/** What was chosen: items by id, topics by name; kept as a draft, so that a reload loses nothing. */
function choices(store) {
  const draft = store.draft ?? {};
  const items = new Map((Array.isArray(draft.items) ? draft.items : []).filter((each) => isText(each?.item) && isText(each.name)).map((each) => [each.item, each.name]));
  const topics = new Map((Array.isArray(draft.topics) ? draft.topics : []).filter((each) => isText(each?.[0]) && STATES.includes(each[1])));
  return {
    items,
    topics,
    keep() {
      store.draft = { items: [...items].map(([item, name]) => ({ item, name })), topics: [...topics] };
    },
    get isEmpty() { return items.size + topics.size === 0; },
  };
}

/**
 * The first screen. `go(said, isNamed)` gets what was chosen: [["reward", body] | ["answer", body]].
 */
export async function beginning({ catalogue, store, isFirst = true, go, leave = null }) {
  const { chips, topics } = await call("GET", `/v1/page/beginning?${new URLSearchParams({ catalogue: catalogue.name })}`);
  const chosen = choices(store);
  const pills = el("ul", { class: "pills", "aria-label": "What you chose" });
  const places = new Map(); // a topic may be among the first and in the long list
  const noun = catalogue.noun ?? "item";
  const nouns = catalogue.nouns ?? "items";
  const box = searchBox(catalogue, pick, (kind, id) => (kind === "item" ? chosen.items.has(id) : chosen.topics.get(id) === "love"));
  const onward = el("button", { type: "button", class: "primary big", id: "onward", onclick: () => send() }, el("span"), icon("on"));

  function pick(kind, found) {
    if (kind === "topic") return set(found.term, "love");
    if (chosen.items.size >= MOST_FAVOURITES) return say(`That is enough: at most ${MOST_FAVOURITES} ${nouns}.`);
    chosen.items.set(found.item, nameOf(found));
    changed(`You love ${nameOf(found)}.`);
  }

  function set(term, state) {
    if (state === "leave") chosen.topics.delete(term);
    else chosen.topics.set(term, state);
    changed(state === "leave" ? `${term}: no opinion.` : state === "love" ? `You love ${term}.` : `You can't stand ${term}.`);
  }

  function changed(text) {
    chosen.keep();
    draw();
    say(text);
  }

  function draw() {
    const pill = (name, state, remove) => el("li", { class: `pill ${state}` }, icon(state === "not" ? "cross" : "heart"), el("span", { dir: "auto" }, name),
      el("button", { type: "button", "aria-label": `Remove ${name}`, onclick: () => { remove(); box.input.focus(); } }, icon("cross")));
    pills.replaceChildren(
      ...[...chosen.items].map(([item, name]) => pill(name, "love", () => { chosen.items.delete(item); changed(`${name} removed.`); })),
      ...[...chosen.topics].map(([term, state]) => pill(term, state, () => set(term, "leave"))));
    pills.hidden = chosen.isEmpty;
    for (const [term, all] of places) for (const place of all) show(place, chosen.topics.get(term) ?? "leave");
    onward.firstChild.textContent = chosen.isEmpty ? (isFirst ? "Just show me something" : "Go on") : `Show me ${nouns}`;
    onward.classList.toggle("primary", !chosen.isEmpty || !isFirst);
  }

  function chip({ term }) {
    const name = `topic-${places.size}-${term}`;
    const place = el("fieldset", { class: "choice-chip", "data-term": term },
      el("legend", { class: "unseen" }, term),
      ...STATES.map((state) => el("label", { class: "unseen" },
        el("input", { type: "radio", name, value: state, onchange: () => set(term, state) }), WORDS[state])),
      el("span", { class: "face", "aria-hidden": "true", title: "Click: love, can't stand, no opinion", onclick: () => set(term, NEXT[chosen.topics.get(term) ?? "leave"]) },
        icon("heart"), icon("cross"), el("span", { dir: "auto" }, term)));
    places.set(term, [...(places.get(term) ?? []), place]);
    return place;
  }

  function send() {
    if (onward.getAttribute("aria-disabled") === "true") return;
    onward.setAttribute("aria-disabled", "true");
    const [, high] = catalogue.range;
    const said = [
      ...[...chosen.items.keys()].map((item) => ["reward", { item, reward: high }]),
      ...[...chosen.topics].map(([topic, state]) => ["answer", { topic, answer: state === "love" ? "yes" : "no" }]),
    ];
    go(said);
  }

  const first = el("div", { class: "chips", role: "group", "aria-labelledby": "chips-title" }, ...chips.map(chip));
  const rest = everything(topics, chip, chosen);
  draw();
  return [
    el("div", { class: "opening" },
      el("p", { class: "eyebrow" }, isFirst ? `${catalogue.items} ${nouns}, and some will be yours` : "Tell me more"),
      el("h2", { tabindex: "-1", class: "display" }, isFirst ? `What do you love?` : "What else do you love?"),
      el("p", { class: "lead" }, `Name a ${noun} or two, or pick what you like and can't stand. I show you ${nouns} at once, and learn with every word.`),
      box.place, pills),
    el("h3", { class: "chips-title", id: "chips-title" }, "Or start from here", el("span", { class: "small" }, " Once: love it. Twice: can't stand it.")),
    first, rest,
    el("div", { class: "forward" }, leave, el("p", { class: "promise" }, "Nothing is sent before you go on."), onward),
  ];
}

/** Marks a chip without telling anyone. */
function show(place, state) {
  place.dataset.state = state;
  for (const input of place.querySelectorAll("input")) input.checked = input.value === state;
}

/** The long list, drawn when it is first opened, with a box to filter it. */
function everything(topics, chip, chosen) {
  const list = el("div", { class: "chips all", role: "group", "aria-label": "All topics" });
  const left = el("p", { class: "small" });
  const filter = el("input", { type: "search", class: "filter", "aria-label": "Filter topics", placeholder: "Filter topics", oninput: draw });
  const made = new Map();
  function draw() {
    const words = filter.value.trim().toLowerCase();
    const fitting = topics.filter(({ term }) => term.toLowerCase().includes(words));
    list.replaceChildren(...fitting.slice(0, MOST_SHOWN).map((topic) => {
      if (!made.has(topic.term)) {
        made.set(topic.term, chip(topic));
        show(made.get(topic.term), chosen.topics.get(topic.term) ?? "leave");
      }
      return made.get(topic.term);
    }));
    const more = fitting.length - MOST_SHOWN;
    left.textContent = more > 0 ? `And ${more} more: type to find them.` : fitting.length ? "" : "No topic is called that.";
  }
  const place = el("details", { class: "all-topics" }, el("summary", {}, `All ${topics.length} topics`), filter, list, left);
  place.addEventListener("toggle", () => place.open && !made.size && draw(), { once: false });
  return place;
}

export const isAtBeginning = () => byId("onward") !== null;
