// A taste as one picture: a flower with a petal for each topic, the longer the dearer.

import { svg } from "/static/common.js";

export const COLOURS = ["#b3294e", "#d9622b", "#c58a12", "#4f8a3c", "#14807a", "#2f6fb0", "#6a55b8", "#a0459a"];
const SIZE = 400;
const MIDDLE = SIZE / 2;
const LONGEST = 178;
const SHORTEST = 70;

/** Topics as [{term, liking}], the dearest first; `text` is what the picture says. */
export function bloom(topics, text) {
  const count = Math.max(5, topics.length);
  const petals = topics.map(({ liking }, i) => petal(i, count, liking)).reverse();
  const dots = Array.from({ length: 24 }, (_, i) => {
    const angle = (i / 24) * 2 * Math.PI;
    return svg("circle", { class: "bloom-dot", cx: MIDDLE + 192 * Math.cos(angle), cy: MIDDLE + 192 * Math.sin(angle), r: 1.6 });
  });
  return svg("svg", { class: "bloom", viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": text },
    svg("circle", { class: "bloom-ground", cx: MIDDLE, cy: MIDDLE, r: 198 }), ...dots, ...petals,
    svg("circle", { cx: MIDDLE, cy: MIDDLE, r: 25, fill: "#f6c95b" }),
    ...Array.from({ length: 9 }, (_, i) => {
      const angle = (i / 9) * 2 * Math.PI;
      return svg("circle", { cx: MIDDLE + 14 * Math.cos(angle), cy: MIDDLE + 14 * Math.sin(angle), r: 2.6, fill: "#8a5a10" });
    }));
}

function petal(i, count, liking) {
  const length = SHORTEST + (LONGEST - SHORTEST) * Math.max(0, Math.min(1, liking));
  const width = Math.min(66, (2.5 * LONGEST) / count);
  const turn = (360 * i) / count - 90;
  const shape = (by, wide) => `M0 0 C${by * 0.32} ${-wide} ${by * 0.86} ${-wide * 0.86} ${by} 0 C${by * 0.86} ${wide * 0.86} ${by * 0.32} ${wide} 0 0Z`;
  return svg("g", { transform: `translate(${MIDDLE} ${MIDDLE}) rotate(${turn})` },
    svg("path", { d: shape(length, width), fill: COLOURS[i % COLOURS.length], "fill-opacity": 0.88 }),
    svg("path", { d: shape(length * 0.66, width * 0.42), fill: "#fff", "fill-opacity": 0.22 }));
}
