// Line charts as SVG, with the numbers as a table for those who cannot see them.

import { el, fixed } from "/static/common.js";

const NS = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [420, 230, 46, 26, 10, 20];

export function svg(tag, attributes, ...children) {
  const found = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...children);
  return found;
}

/** Round steps between 0 and top: 1, 2 or 5 times a power of ten. */
export function ticks(top, most = 4) {
  const rough = top / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
  return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => i * step);
}

const short = (value) => String(Number(value.toPrecision(3)));

/**
 * Draw curves over rounds 1..rounds; what lies behind `upto` is not shown yet.
 * series: [{name, values}], as many as there are classes line-0, line-1.
 */
export function chart(place, title, series, rounds, upto) {
  const top = Math.max(1e-6, ...series.flatMap((each) => each.values)) * 1.05;
  const x = (round) => LEFT + ((WIDTH - LEFT - RIGHT) * (round - 1)) / Math.max(1, rounds - 1);
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * value) / top;
  const marks = ticks(top).flatMap((value) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)),
  ]);
  const below = [1, Math.round(rounds / 2), rounds].map((round) =>
    svg("text", { x: x(round), y: HEIGHT - 8, "text-anchor": "middle" }, String(round)));
  const lines = series.flatMap(({ values }, i) => curve(values.slice(0, upto), x, y, i));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary(title, series, upto) },
    ...marks, ...below, ...lines);
  // The table's summary stays in its place: who has the focus there keeps it.
  if (!place.firstChild) place.append(picture, el("details", { class: "why" }, el("summary", {}, "As a table"), el("table")));
  place.querySelector("svg").replaceWith(picture);
  place.querySelector("table").replaceWith(numbers(title, series, upto));
}

function curve(values, x, y, i) {
  if (!values.length) return [];
  const points = values.map((value, at) => `${x(at + 1).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const last = values.length;
  return [
    svg("polyline", { class: `line line-${i}`, points }),
    svg("circle", { class: `end line-${i}`, cx: x(last), cy: y(values[last - 1]), r: 4 }),
  ];
}

function summary(title, series, upto) {
  if (!upto) return `${title}: no round yet`;
  return `${title} after round ${upto}: ` + series.map((each) => `${each.name} ${fixed(each.values[upto - 1])}`).join(", ");
}

function numbers(title, series, upto) {
  const every = Math.max(1, Math.ceil(upto / 10));
  const rounds = Array.from({ length: upto }, (_, i) => i + 1).filter((round) => round % every === 0 || round === upto);
  return el("table", {},
    el("caption", { class: "unseen" }, title),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Round"), ...series.map((each) => el("th", { scope: "col" }, each.name)))),
    el("tbody", {}, ...rounds.map((round) =>
      el("tr", {}, el("th", { scope: "row" }, String(round)), ...series.map((each) => el("td", {}, fixed(each.values[round - 1])))))));
}
