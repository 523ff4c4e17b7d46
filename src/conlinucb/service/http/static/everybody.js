// Forty people at a glance: for whom which agent did better, and by how much.

import { byId, count, el, fixed } from "/static/common.js";
import { svg } from "/static/chart.js";

const [WIDTH, HEIGHT, TOP, BOTTOM] = [640, 190, 16, 16];

/** Every person's lead of the first agent over the second: what it missed less. */
export function leads(everybody) {
  return everybody.people
    .map((each, i) => ({ number: i + 1, lead: each.regret[1] - each.regret[0], liked: each.liked, regret: each.regret }))
    .sort((a, b) => b.lead - a.lead || a.number - b.number);
}

/** What came out, in a sentence. */
export function result({ better: [first, second], alike, people }, names) {
  const [left, right] = names;
  if (left === right) return "Both are the same agent: everybody fares alike.";
  const tail = alike ? `, and ${alike === 1 ? "1 fares" : `${alike} fare`} alike` : "";
  return `Of ${people.length} people, ${first} ${first === 1 ? "is" : "are"} served better by “${left}”, ${second} by “${right}”${tail}.`;
}

/** How far that can be trusted, in words. */
export function certainty(everybody, names) {
  const { share_low: low, share_high: high, rounds } = everybody;
  const after = `After ${count(rounds, "round")} each.`;
  if (low === null || low === undefined) return after;
  const within = `Of all such people for whom it makes a difference, “${names[0]}” serves between ${Math.round(100 * low)} % and ${Math.round(100 * high)} % of them better (95 % interval).`;
  const told = low > 0.5 || high < 0.5 ? "That is more than chance." : "That may still be chance: 40 people are too few to tell the two apart.";
  return `${after} ${within} ${told}`;
}

/** One bar a person, the largest lead first; pressing one shows that person. */
export function draw(place, everybody, names, shown, choose) {
  const sorted = leads(everybody);
  const top = Math.max(1e-9, ...sorted.map((each) => Math.abs(each.lead)));
  const middle = TOP + (HEIGHT - TOP - BOTTOM) / 2;
  const step = WIDTH / sorted.length;
  const bars = sorted.map((each, i) => bar(each, i * step, step, middle, top, each.number === shown, choose));
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": result(everybody, names) },
    svg("line", { class: "zero", x1: 0, x2: WIDTH, y1: middle, y2: middle }), ...bars,
    svg("text", { x: WIDTH - 4, y: 14, "text-anchor": "end" }, `↑ better with ${names[0]}`),
    svg("text", { x: 4, y: HEIGHT - 4 }, `↓ better with ${names[1]}`));
  const open = place.querySelector("details")?.open;
  place.replaceChildren(picture, el("details", { class: "why", open: open ?? false }, el("summary", {}, "As a table"), table(sorted, names)));
}

function bar({ number, lead }, x, width, middle, top, isShown, choose) {
  const room = middle - TOP;
  const height = Math.max(3, (room * Math.abs(lead)) / top);
  const alike = Math.abs(lead) <= 1e-9;
  const y = alike ? middle - 1.5 : lead > 0 ? middle - height : middle;
  const kind = alike ? "alike" : lead > 0 ? 0 : 1;
  const found = svg("g", { class: "person-bar" },
    svg("rect", { class: "reach", x, y: 0, width, height: HEIGHT }),
    svg("rect", { class: `bar-${kind}`, x: x + 2, y, width: width - 4, height: alike ? 3 : height }));
  if (isShown) found.append(svg("rect", { class: "shown-mark", x: x + 1, y: y - 3, width: width - 2, height: (alike ? 3 : height) + 6 }));
  found.addEventListener("click", () => choose(number));
  return found;
}

function table(sorted, names) {
  return el("table", {},
    el("caption", { class: "small" }, "How many were liked, and how much was missed"),
    el("thead", {}, el("tr", {}, ...["Person", ...names].map((each) => el("th", { scope: "col" }, each)))),
    el("tbody", {}, ...sorted.map((each) => el("tr", {},
      el("th", { scope: "row" }, String(each.number)),
      ...each.liked.map((value, i) => el("td", {}, `${value} (${fixed(each.regret[i])})`))))));
}

/** The whole part: sentence, certainty and picture. */
export function showEverybody(everybody, names, shown, choose) {
  byId("verdict").hidden = false;
  byId("result").textContent = result(everybody, names);
  byId("certain").textContent = certainty(everybody, names);
  draw(byId("everybody"), everybody, names, shown, choose);
}
