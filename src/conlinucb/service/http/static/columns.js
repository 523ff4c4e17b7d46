// Which column is what: as it was taken, with a choice where that is not what was meant.

import { el } from "/static/common.js";

const ROLES = {
  item: "the item", topic: "topics", weight: "how much a topic counts", title: "title", subtitle: "subtitle",
  text: "text", image: "image", link: "link", year: "year", unused: "not used",
};
const SEVERAL = ["topic", "unused"]; // what more than one column can be
const MOST = 100; // columns with a choice

/** What was chosen, with one choice more: it goes before another column's for the same. */
export function withChoice(chosen, name, role) {
  const others = Object.entries(chosen).filter(([, its]) => its !== role || SEVERAL.includes(role));
  return { ...Object.fromEntries(others), [name]: role };
}

/** A row for each column; `choose` is called with its name and what it is to be. */
export function columnTable(columns, choose) {
  const named = columns.filter((each) => each.name);
  const alone = (name) => named.filter((each) => each.name === name).length === 1;
  const rows = named.reduce(shortened, []).map((each, at) => el("tr", {},
    el("th", { scope: "row" }, each.name),
    el("td", {}, each.used_as === "vector" || at >= MOST || !alone(each.name) ? told(each) : choice(each, choose))));
  return rows.length ? el("table", { class: "columns" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Column"), el("th", { scope: "col" }, "Used as"))),
    el("tbody", {}, ...rows)) : null;
}

/** Of many columns that are one vector the first and the last stand for all. */
function shortened(rows, each) {
  const last = rows.at(-1);
  if (each.used_as !== "vector" || last?.used_as !== "vector") return [...rows, { ...each, first: each.name }];
  return [...rows.slice(0, -1), { ...last, name: `${last.first} to ${each.name}` }];
}

function told({ used_as: role }) {
  if (role === null) return el("span", { class: "unused" }, ROLES.unused);
  return role === "vector" ? "where it lies" : ROLES[role] ?? role;
}

function choice({ name, used_as: role }, choose) {
  const now = role ?? "unused";
  return el("select", {
    "aria-label": `${name} is used as`, "data-column": name, class: now === "unused" ? "unused" : null,
    onchange: ({ target }) => choose(name, target.value),
  }, ...Object.entries(ROLES).map(([value, text]) => el("option", { value, selected: value === now }, text)));
}
