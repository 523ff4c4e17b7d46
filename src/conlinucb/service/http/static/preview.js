// What an upload would become: what was understood, what it covers, how it would talk.

import { columnTable } from "/static/columns.js";
import { count, el, fixed } from "/static/common.js";

const MOST_BARS = 12;
const percent = (share) => `${Math.round(100 * share)} %`;

/**
 * The elements of a preview; ``put`` is called with the name under which it goes into service;
 * ``asking`` is the choice of what questions are like, ``guess`` what a new catalogue begins with
 * where nothing was chosen; ``choose`` is called with a column's name and what it is to be.
 */
export function previewed(found, file, suggested, served, put, asking, guess, choose) {
  const warnings = [...found.understood.warnings, ...found.warnings];
  return [
    el("h2", { id: "preview-title", tabindex: "-1", class: "preview-title" }, `What ${file} would become`),
    facts(found),
    warnings.length ? lookAt(warnings) : el("p", { class: "fine" }, "Everything was understood; nothing was left out."),
    el("div", { class: "preview" },
      el("div", { class: "preview-side" }, form(suggested, served, put, asking, guess), understood(found.understood, choose)),
      el("div", { class: "preview-main" }, coverage(found), questions(found.questions))),
    people(found),
  ];
}

function facts(found) {
  const { coverage } = found;
  const all = [
    ["Items", found.items], ["Topics", found.topics],
    ["Topics an item", fixed(coverage.topics_an_item, 1)],
    ["Left out", coverage.without_topics], ["Topics of one item", coverage.alone],
  ];
  return el("dl", { class: "facts large" }, ...all.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, String(value)))));
}

function form(suggested, served, put, asking, guess) {
  const input = el("input", { id: "name", type: "text", value: suggested, maxlength: 200, required: true, autocomplete: "off", spellcheck: "false" });
  const note = el("p", { class: "small", id: "name-note" });
  const look = () => {
    const there = served.includes(input.value.trim());
    note.textContent = there
      ? "There is a catalogue of this name: it becomes a new version of it. What people said stays, and what it asks unless you choose below; here is tried what a new one would ask."
      : "A short name for people: recipes, books, films.";
    for (const each of guess === null ? [] : asking.querySelectorAll("input")) each.checked = !there && each.value === guess;
  };
  input.addEventListener("input", look);
  look();
  const made = el("form", { id: "put-form", class: "stack", onsubmit: (event) => {
    event.preventDefault();
    if (input.value.trim()) put(input.value.trim());
  } },
  el("label", {}, "Name it", input), note, asking,
  el("div", { class: "row" }, el("button", { type: "submit", class: "primary", id: "put" }, "Put it into service")));
  return el("section", { class: "panel put", "aria-label": "Put it into service" }, made, el("div", { id: "putting" }));
}

function understood(told, choose) {
  return el("section", { class: "panel", "aria-labelledby": "understood" },
    el("h3", { id: "understood" }, "What was understood"),
    el("ul", { class: "words" }, ...told.words.map((each) => el("li", {}, each))),
    columnTable(told.columns, choose));
}

function lookAt(warnings) {
  return el("section", { class: "look-at", "aria-labelledby": "look-at" },
    el("h3", { id: "look-at" }, warnings.length === 1 ? "One thing to look at" : `${warnings.length} things to look at`),
    el("ul", {}, ...warnings.map((each) => el("li", {}, each))));
}

function coverage(found) {
  const { topics, alone, alone_topics: named, without, without_topics: bare } = found.coverage;
  const most = Math.max(...topics.map((each) => each.items), 1);
  const bars = topics.map((each) => bar(each, most, found.items));
  const more = bars.slice(MOST_BARS);
  return el("section", { "aria-labelledby": "topics" },
    el("h3", { id: "topics" }, "Topics, by how many items have them"),
    el("ul", { class: "bars" }, ...bars.slice(0, MOST_BARS)),
    more.length ? el("details", {}, el("summary", {}, `${count(more.length, "more topic")}`), el("ul", { class: "bars" }, ...more)) : null,
    found.topics > topics.length ? el("p", { class: "small" }, `and ${found.topics - topics.length} that fewer items have`) : null,
    alone ? el("p", { class: "small" }, `${count(alone, "topic")} of one item alone: ${listed(named, alone)}.`) : null,
    bare ? el("p", { class: "small" }, `Without a topic, and left out: ${listed(without, bare)}.`) : null);
}

const listed = (names, all) => names.join(", ") + (all > names.length ? ` and ${all - names.length} more` : "");

function bar(each, most, items) {
  const amount = el("span", { class: "amount" });
  amount.style.width = `${(100 * each.items) / most}%`;
  return el("li", {}, el("span", { class: "bar-name" }, each.topic),
    el("span", { class: "bar-track", "aria-hidden": "true" }, amount),
    el("span", { class: "number" }, `${each.items}`, el("span", { class: "share" }, ` ${percent(each.items / items)}`)));
}

function questions(asked) {
  return el("section", { "aria-labelledby": "questions" },
    el("h3", { id: "questions" }, "What it would ask first, and why"),
    asked.length ? null : el("p", {}, "With these settings it asks nothing."),
    el("ol", { class: "questions" }, ...asked.map((each) => el("li", {},
      el("strong", {}, each.text), unsaid(each.text, [each.topic]), el("p", { class: "small" }, each.why)))));
}

/** What a question is about, where its text does not name it. */
const unsaid = (text, about) =>
  about.every((each) => text.includes(each)) ? null : el("p", { class: "about" }, about.join(" / "));

function people(found) {
  return el("section", { class: "example-people", "aria-labelledby": "people" },
    el("h3", { id: "people" }, "Three people talk to it"),
    el("p", { class: "small" }, found.without_people || (found.people.length
      ? "Made up: each likes two topics, begins with one of them, and answers truthfully. A mark shows what fits."
      : "There are too few topics for anyone to like two of them.")),
    el("div", { class: "people" }, ...found.people.map(person)));
}

function person(one) {
  return el("article", { class: "panel person", "aria-label": one.name },
    el("h4", {}, one.name),
    el("p", { class: "likes" }, "likes ", ...one.likes.flatMap((each, at) => [at ? " and " : "", el("span", { class: "chip" }, each)])),
    el("p", { class: "fit" }, el("strong", {}, `${one.fitting} of ${one.shown} fit`),
      el("span", { class: "small" }, ` · by chance ${fixed(one.chance * one.shown, 1)}`)),
    el("ol", { class: "talked" },
      el("li", {}, said(`I love ${one.says}.`)),
      ...one.steps.map(step)));
}

const said = (text) => el("p", { class: "said" }, text);

function step(one) {
  return el("li", {},
    one.asked ? el("p", { class: "asks" }, one.asked) : null,
    one.asked ? unsaid(one.asked, one.about) : null,
    one.answer ? said({ yes: "Yes", no: "No" }[one.answer] ?? one.answer) : null,
    el("ul", { class: "shown" }, ...one.shown.map((each) => el("li", { class: each.fits ? "fits" : "misses", title: each.topics.join(", ") },
      el("span", { class: "mark", "aria-hidden": "true" }, each.fits ? "✓" : "·"), each.title,
      el("span", { class: "unseen" }, each.fits ? " (fits)" : " (does not fit)")))));
}
