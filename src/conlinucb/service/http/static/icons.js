// Small signs beside words; decoration, since the words say it all.

import { svg } from "/static/common.js";

const SHAPES = {
  heart: ["M12 20s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.2a4.3 4.3 0 0 1 7.5 2.6C19.5 15.4 12 20 12 20Z"],
  cross: ["M6.5 6.5l11 11", "M17.5 6.5l-11 11"],
  eye: ["M2.8 12S6.2 6 12 6s9.2 6 9.2 6-3.4 6-9.2 6-9.2-6-9.2-6Z", "M12 14.6a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2Z"],
  more: ["M12 4.5v15", "M4.5 12h15"],
  save: ["M7 4.5h10v15l-5-3.8-5 3.8Z"],
  back: ["M10 6l-6 6 6 6", "M4.5 12H20"],
  on: ["M14 6l6 6-6 6", "M19.5 12H4"],
  search: ["M11 17.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z", "M16 16l4.2 4.2"],
};

export function icon(name, more = {}) {
  return svg("svg", { class: `icon icon-${name}`, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", ...more },
    ...SHAPES[name].map((d) => svg("path", { d })));
}
