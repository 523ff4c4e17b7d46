// The picture of what is believed: a row for each topic, its estimate and interval.

import { byId, el, fixed } from "/static/common.js";

let most = 60;
const SAME = 1e-6; // estimates that differ by less are alike
const rows = new Map();
let latest = null;
const scale = el("li", { class: "belief scale", "aria-hidden": "true" }, el("span"),
  el("span", { class: "track" }, el("span", { class: "low" }, "no"), el("span", { class: "high" }, "yes")), el("span"));

const orders = {
  // What was refused goes behind: where nothing pleases, its estimate need not be the lowest.
  taste: (a, b) => isRefused(a) - isRefused(b) || (Math.abs(b.mean - a.mean) > SAME ? b.mean - a.mean : b.radius - a.radius),
  uncertainty: (a, b) => (Math.abs(b.radius - a.radius) > SAME ? b.radius - a.radius : b.mean - a.mean),
};

const isRefused = ({ term }) => latest.refused.has(term);

/** Fill the panel beside the conversation, or beside the profile. */
export function prepareBeliefs() {
  byId("panel").append(
    el("h2", {}, "What it believes"),
    el("p", { class: "small" }, "The dot is how much it thinks you like a topic, the bar how far off that may be. Every topic starts with a long bar; what you say moves dots and shortens bars."),
    el("fieldset", { class: "sorting" },
      el("legend", { class: "unseen" }, "Sort topics"),
      choice("taste", "By taste", true), choice("uncertainty", "By uncertainty", false)),
    el("ul", { id: "beliefs", class: "list", tabindex: "0", "aria-label": "Topics" }));
}

function choice(value, text, checked) {
  return el("label", {},
    el("input", { type: "radio", name: "sort", value, checked, onchange: draw }), el("span", {}, text));
}

/** Show these topics; the catalogue's range says where no and yes are. */
export function showBeliefs(terms, range, refused) {
  latest = { terms, range, refused };
  draw();
}

function draw() {
  if (!latest) return;
  const list = byId("beliefs");
  const sort = document.querySelector("input[name=sort]:checked").value;
  const shown = [...latest.terms].sort(orders[sort]).slice(0, most);
  const before = places(list);
  const wanted = shown.map((term) => place(rowOf(term.term), term));
  const left = latest.terms.length - shown.length;
  list.replaceChildren(scale, ...wanted);
  if (left > 0) list.append(el("li", {}, el("button", { type: "button", onclick: all }, `Show ${left} more topics`)));
  if (!latest.terms.length) list.append(el("li", { class: "small" }, "Nothing yet: answer a question, and the bars begin to move."));
  glide(list, before);
}

function all() {
  most = Infinity;
  draw();
  byId("beliefs").focus();
}

function rowOf(name) {
  if (!rows.has(name)) {
    const band = el("span", { class: "band" });
    const dot = el("span", { class: "dot" });
    const number = el("span", { class: "number" });
    const track = el("span", { class: "track", "aria-hidden": "true" }, band, dot);
    rows.set(name, { row: el("li", { class: "belief" }, el("span", { class: "topic", dir: "auto" }, name), track, number), band, dot, number });
  }
  return rows.get(name);
}

/** The axis goes from one range below no to one range above yes. */
function place({ row, band, dot, number }, { mean, radius }) {
  const [low, high] = latest.range;
  const width = high - low;
  const at = (value) => Math.min(100, Math.max(0, (100 * (value - low + width)) / (3 * width)));
  const [from, to] = [at(mean - radius), at(mean + radius)];
  band.style.left = `${from}%`;
  band.style.width = `${to - from}%`;
  band.classList.toggle("open-left", from === 0);
  band.classList.toggle("open-right", to === 100);
  dot.style.left = `${at(mean)}%`;
  dot.classList.toggle("liked", mean > low + 0.5 * width);
  number.textContent = `${fixed(mean)} ± ${fixed(radius)}`;
  return row;
}

function places(list) {
  return new Map([...list.children].map((row) => [row, row.offsetTop]));
}

/** Rows that changed their place move there, unless people asked for less motion. */
function glide(list, before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const view = [list.scrollTop - 40, list.scrollTop + list.clientHeight + 40];
  const moves = [...list.children]
    .filter((row) => before.has(row))
    .map((row) => [row, before.get(row) - row.offsetTop, row.offsetTop])
    .filter(([, by, now]) => by && now > view[0] && now < view[1]);
  for (const [row, by] of moves) {
    row.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], { duration: 250, easing: "ease-out" });
  }
}
