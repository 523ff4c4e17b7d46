// A box that suggests items and topics while one types.

import { call, count, el, say } from "/static/common.js";
import { portraitOf } from "/static/cover.js";
import { icon } from "/static/icons.js";
import { nameOf } from "/static/words.js";

const PAUSE = 120; // milliseconds without a key before it asks
const MOST = 6;

/**
 * `choose(kind, found)` is called with "item" or "topic" and what the service said of it;
 * `isChosen(kind, id)` keeps from suggesting what is chosen already.
 */
export function searchBox(catalogue, choose, isChosen) {
  let options = [];
  let active = -1;
  let asked = 0;
  let timer = null;
  let answered = null; // what the options are about
  const list = el("div", { id: "suggestions", class: "suggestions", role: "listbox", "aria-label": "Suggestions", hidden: true });
  const input = el("input", {
    id: "search", type: "text", class: "search-input", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    maxlength: "100", enterkeyhint: "done",
    placeholder: `a ${catalogue.noun ?? "item"}, a topic, a mood you love`,
    "aria-label": `A ${catalogue.noun ?? "item"}, a topic or a mood you love`,
    "aria-expanded": "false", "aria-controls": "suggestions", "aria-autocomplete": "list",
  });
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  input.addEventListener("keydown", onKey);
  input.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== input) close(); }, 150));
  input.addEventListener("focus", () => { if (input.value.trim() && list.hidden) ask(); });

  async function ask() {
    const text = input.value.trim();
    const turn = ++asked;
    clearTimeout(timer);
    if (!text) return close();
    const query = new URLSearchParams({ catalogue: catalogue.name, q: text, limit: MOST });
    let found;
    try {
      found = await call("GET", `/v1/page/search?${query}`);
    } catch (error) {
      if (turn === asked) open([], error.message);
      return;
    }
    if (turn !== asked || !input.value.trim()) return;
    answered = text;
    const items = found.items.filter((each) => !isChosen("item", each.item)).slice(0, MOST);
    const topics = found.topics.filter((each) => !isChosen("topic", each.term)).slice(0, MOST);
    open([["topic", topics], ["item", items]], `Nothing here is called that. Try another word, or pick topics below.`);
  }

  function open(groups, otherwise) {
    options = [];
    const drawn = groups.filter(([, found]) => found.length).map(([kind, found]) =>
      el("div", { role: "group", "aria-label": kind === "item" ? (catalogue.nouns ?? "items") : "topics" },
        el("p", { class: "group", "aria-hidden": "true" }, kind === "item" ? (catalogue.nouns ?? "items") : "topics"),
        ...found.map((each) => option(kind, each))));
    list.replaceChildren(...(drawn.length ? drawn : [el("p", { class: "none", role: "option", "aria-disabled": "true", "aria-selected": "false" }, otherwise)]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    move(options.length ? 0 : -1);
    say(options.length ? `${count(options.length, "suggestion")}.` : otherwise);
  }

  function option(kind, found) {
    const at = options.length;
    const place = el("div", { id: `suggestion-${at}`, role: "option", class: "suggestion", "aria-selected": "false",
      onpointerdown: (event) => event.preventDefault(), onclick: () => take(at), onpointermove: () => { if (active !== at) move(at); } },
      kind === "item" ? el("span", { class: "thumb" }, portraitOf(found)) : el("span", { class: "thumb sign" }, icon("heart")),
      el("span", { class: "suggested" },
        el("span", { class: "first", dir: "auto" }, kind === "item" ? nameOf(found) : found.term),
        el("span", { class: "small", dir: "auto" }, kind === "item" ? (found.subtitle ?? found.terms.slice(0, 3).join(", ")) : count(found.items, catalogue.noun ?? "item", catalogue.nouns))));
    options.push({ kind, found, place });
    return place;
  }

  function move(to) {
    active = to;
    options.forEach(({ place }, i) => place.setAttribute("aria-selected", String(i === to)));
    if (to < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", options[to].place.id);
    options[to].place.scrollIntoView({ block: "nearest" });
  }

  function take(at) {
    const { kind, found } = options[at];
    input.value = "";
    close();
    choose(kind, found);
    input.focus();
  }

  function close() {
    asked += 1;
    clearTimeout(timer);
    options = [];
    answered = null;
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  async function onKey(event) {
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      if (list.hidden) return void ask();
      if (options.length) move((active + steps[event.key] + options.length) % options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (list.hidden || input.value.trim() !== answered) await ask(); // people type faster than it suggests
      if (active >= 0 && options[active]) take(active);
    } else if (event.key === "Escape") {
      if (list.hidden) input.value = "";
      close();
    }
  }

  return { input, place: el("div", { class: "search" }, icon("search"), input, list) };
}
