// Columns, curves with bands, and marks with intervals; each with its numbers as a table behind it.

import { el } from "/static/common.js";
import { svg, ticks } from "/static/chart.js";

export const percent = (share) => (share == null ? "–" : `${Math.round(100 * share)} %`);
export const number = (value) => value.toLocaleString("en");
export const interval = (it) => (it?.low == null ? "" : `${Math.round(100 * it.low)}–${Math.round(100 * it.high)} %`);

/** A table that scrolls by itself where it is wider than the page; each row begins with its name. */
export function table(caption, head, rows) {
  return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption },
    el("table", {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, ...head.map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, ...rows.map(([first, ...rest]) =>
        el("tr", {}, el("th", { scope: "row" }, String(first)), ...rest.map((each) => el("td", {}, String(each))))))));
}

/** The same behind a summary; its id lets it stay open when the numbers are new. */
export function behind(id, caption, head, rows, summary = "As a table") {
  return el("details", { class: "why", "data-keep": id }, el("summary", { id: `${id}-summary` }, summary), table(caption, head, rows));
}

const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [150, 40, 22, 8, 6];

function frame(width, height, top, marks, label, left = LEFT) {
  const y = (value) => height - BOTTOM - ((height - BOTTOM - TOP) * value) / top;
  const lines = marks.flatMap(([value, text]) => [
    svg("line", { class: "grid", x1: left, x2: width - RIGHT, y1: y(value), y2: y(value) }),
    svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, text),
  ]);
  return [y, svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...lines)];
}

/** Counts as columns, as wide as there is room for. parts: [[when, count]]; also their sum. */
export function columns(title, parts, when, width) {
  const counts = parts.map(([, count]) => count);
  const total = counts.reduce((sum, each) => sum + each, 0);
  const top = Math.max(4, ...counts) * 1.05;
  const marks = ticks(top, 3).filter((each) => Number.isInteger(each)).map((each) => [each, String(each)]);
  const at = counts.indexOf(Math.max(...counts));
  const [y, picture] = frame(width, HEIGHT, top, marks,
    `${title}: ${parts.length} ${when}s, most ${counts[at]} (${parts[at][0]}), last ${counts.at(-1)}`);
  const step = (width - LEFT - RIGHT) / parts.length;
  const gap = Math.min(2, step / 4);
  parts.forEach(([, count], i) => {
    if (count) picture.append(svg("rect", { class: i === parts.length - 1 ? "column now" : "column", x: LEFT + i * step + gap / 2, width: Math.max(.5, step - gap), y: y(count), height: Math.max(.5, HEIGHT - BOTTOM - y(count)), rx: Math.min(2, step / 4) }));
  });
  for (const [i, anchor] of [[0, "start"], [parts.length - 1, "end"]]) {
    picture.append(svg("text", { x: i ? width - RIGHT : LEFT, y: HEIGHT - 6, "text-anchor": anchor }, parts[i][0]));
  }
  return [picture, total];
}

/**
 * Shares by round with their intervals, as wide as there is room for, so that its text is as large as
 * all other. series: [{name, at: [[round, share]]}], as many as line-0, line-1.
 */
export function curves(title, series, last, level, width) {
  const height = 270;
  const marks = [0, .25, .5, .75, 1].map((each) => [each, percent(each)]);
  const told = series.map((each) => `${each.name}: ${each.at.map(([round, it]) => `round ${round} ${percent(it.share)}`).join(", ") || "too few people"}`);
  const [y, picture] = frame(width, height, 1, marks, `${title}. ${told.join(". ")}${level ? `. Chance ${percent(level.share)}` : ""}`, 52);
  const x = (round) => 52 + 14 + ((width - 52 - RIGHT - 28) * (round - 1)) / Math.max(1, last - 1);
  if (level) {
    picture.append(
      svg("rect", { class: "band-level", x: 52, width: width - 52 - RIGHT, y: y(level.high), height: Math.max(1, y(level.low) - y(level.high)) }),
      svg("line", { class: "level", x1: 52, x2: width - RIGHT, y1: y(level.share), y2: y(level.share) }));
  }
  series.forEach(({ at }, i) => picture.append(...curve(at, x, y, i)));
  for (const round of new Set([1, 5, 10, 15, 20].filter((each) => each <= last).concat(last))) {
    if (round !== last && last - round < 2) continue;
    picture.append(svg("text", { x: x(round), y: height - 6, "text-anchor": "middle" }, String(round)));
  }
  return picture;
}

function curve(at, x, y, i) {
  if (!at.length) return [];
  const up = at.map(([round, it]) => `${x(round)},${y(it.high)}`);
  const down = at.map(([round, it]) => `${x(round)},${y(it.low)}`).reverse();
  const points = at.map(([round, it]) => `${x(round)},${y(it.share)}`).join(" ");
  return [
    ...(i === 0
      ? [svg("polygon", { class: "spread", points: [...up, ...down].join(" ") })]
      : at.map(([round, it]) => svg("line", { class: "whisker", x1: x(round), x2: x(round), y1: y(it.high), y2: y(it.low) }))),
    svg("polyline", { class: `line line-${i}`, points }),
    ...at.map(([round, it]) => svg("circle", { class: `end line-${i}`, cx: x(round), cy: y(it.share), r: 3.5 })),
  ];
}

/** A mark with its interval on a scale from low to high; nothing where it was withheld. */
export function mark(it, value, [low, high], { zero = null, kind = "" } = {}) {
  const track = el("span", { class: "scale", "aria-hidden": "true" });
  const place = (at) => `${100 * Math.min(1, Math.max(0, (at - low) / (high - low)))}%`;
  if (zero !== null) {
    const line = el("span", { class: "zero" });
    line.style.left = place(zero);
    track.append(line);
  }
  if (it?.low != null) {
    const band = el("span", { class: `reach ${kind}` });
    band.style.left = place(it.low);
    band.style.right = `calc(100% - ${place(it.high)})`;
    const dot = el("span", { class: `point ${kind}` });
    dot.style.left = place(value);
    track.append(band, dot);
  }
  return track;
}

/** Shares that make up a whole, side by side. parts: [[class, share]]. */
export function stacked(parts) {
  const bar = el("span", { class: "stack", "aria-hidden": "true" });
  for (const [kind, share] of parts) {
    if (!share) continue;
    const piece = el("span", { class: kind });
    piece.style.flexGrow = String(share);
    bar.append(piece);
  }
  return bar;
}
