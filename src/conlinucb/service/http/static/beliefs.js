// The picture of what is believed: a row for each topic, from dislike through neutral to like.

import { byId, el, fixed } from "/static/common.js";
import { choice } from "/static/kept.js";
import { isLiked, word } from "/static/words.js";

const TOP = 5;
const SAME = 1e-6; // likings that differ by less are alike
const rows = new Map();
let most = 60;
let latest = null;

const orders = {
  taste: (a, b) => (Math.abs(b.liking - a.liking) > SAME ? b.liking - a.liking : a.radius - b.radius),
  uncertainty: (a, b) => (Math.abs(b.radius - a.radius) > SAME ? b.radius - a.radius : b.liking - a.liking),
};

/** Fill the panel beside the conversation, or beside the profile. */
export function prepareBeliefs({ folded = false } = {}) {
  const wide = matchMedia("(min-width: 64rem)");
  const panel = el("details", { class: "panel", open: !folded || wide.matches },
    el("summary", {}, el("h2", {}, "What I believe"), el("span", { id: "top", class: "top-topics" })),
    el("p", { class: "small" }, "To the right what I think you like, to the left what you would rather not. Every word of yours moves the bars."),
    el("fieldset", { class: "sorting" },
      el("legend", { class: "unseen" }, "Sort topics"),
      sorting("taste", "By taste", true), sorting("uncertainty", "By doubt", false)),
    el("div", { class: "scale", "aria-hidden": "true" }, el("span", {}, el("span", {}, "rather not"), el("span", {}, "like"))),
    el("ul", { id: "beliefs", class: "list", tabindex: "0", "aria-label": "Topics" }),
    numbersSwitch());
  if (folded) wide.addEventListener("change", () => { panel.open = wide.matches; });
  byId("panel").append(panel);
}

function sorting(value, text, checked) {
  return el("label", {},
    el("input", { type: "radio", name: "sort", value, checked, onchange: draw }), el("span", {}, text));
}

/** Numbers are there for who wants them: kept in this browser. */
function numbersSwitch() {
  const show = (on) => document.documentElement.toggleAttribute("data-numbers", on);
  show(choice.get("numbers") === true);
  return el("label", { class: "switch" },
    el("input", { type: "checkbox", id: "numbers", checked: choice.get("numbers") === true, onchange: ({ target }) => { choice.set("numbers", target.checked); show(target.checked); } }),
    el("span", {}, "Show numbers"));
}

/** Show these topics. */
export function showBeliefs(topics) {
  latest = topics;
  draw();
}

function draw() {
  if (!latest) return;
  const list = byId("beliefs");
  const sort = document.querySelector("input[name=sort]:checked").value;
  const shown = [...latest].sort(orders[sort]).slice(0, most);
  const before = places(list);
  list.replaceChildren(...shown.map((topic) => place(rowOf(topic.term), topic)));
  const left = latest.length - shown.length;
  if (left > 0) list.append(el("li", {}, el("button", { type: "button", class: "plain", onclick: all }, `Show ${left} more topics`)));
  if (!latest.length) list.append(el("li", { class: "small" }, "Nothing yet: say something, and the bars begin to move."));
  drawTop();
  glide(list, before);
}

/** The first words of the panel, all that a phone shows before it is opened. */
function drawTop() {
  const top = [...latest].filter(isLiked).sort(orders.taste).slice(0, TOP);
  byId("top").replaceChildren(...(top.length
    ? ["Your top topics so far: ", ...top.flatMap(({ term }, i) => [i ? ", " : "", el("bdi", {}, term)])]
    : ["Your top topics will stand here"]));
}

function all() {
  most = Infinity;
  draw();
  byId("beliefs").focus();
}

function rowOf(name) {
  if (!rows.has(name)) {
    const bar = el("span", { class: "bar-of" });
    const told = el("span", { class: "word" });
    const number = el("span", { class: "number figure" });
    const track = el("span", { class: "track", "aria-hidden": "true" }, bar);
    rows.set(name, { row: el("li", { class: "belief" }, el("span", { class: "topic", dir: "auto" }, name), track, told, number), bar, told, number });
  }
  return rows.get(name);
}

/** The bar goes from the middle: right for liking, left for disliking. */
function place({ row, bar, told, number }, topic) {
  const liking = Math.max(-1, Math.min(1, topic.liking));
  const width = 50 * Math.abs(liking);
  bar.style.left = `${liking < 0 ? 50 - width : 50}%`;
  bar.style.width = `${width}%`;
  bar.classList.toggle("less", liking < 0);
  told.textContent = word(topic);
  number.textContent = `${fixed(topic.mean)} ± ${fixed(topic.radius)}`;
  row.classList.toggle("said", topic.said !== null && topic.said !== undefined);
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
