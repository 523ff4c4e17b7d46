// What all pages share: elements, calls that survive a lost connection, the catalogue.

import { Refused, send } from "/static/client.js";
import { session } from "/static/kept.js";

/** An element with attributes and children; text is only ever text. */
export function el(tag, attributes = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value != null) found.setAttribute(name, value);
  }
  found.append(...children.filter((child) => child != null));
  return found;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for what is drawn. */
export function svg(tag, attributes = {}, ...children) {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...children.flat());
  return found;
}

export const byId = (id) => document.getElementById(id);
export const say = (text) => { byId("status").textContent = text; };
export const count = (number, word, words = `${word}s`) => `${number} ${number === 1 ? word : words}`;
export const fixed = (number, digits = 2) => {
  const text = number.toFixed(digits);
  return (Number(text) === 0 ? (0).toFixed(digits) : text).replace("-", "−");
};
const CAME_ANEW = "conlinucb came anew";
let waiting = 0;

function banner(text) {
  const place = byId("banner");
  place.textContent = text ?? "";
  place.hidden = !text;
}

/** Call the service until it answers: every call may be repeated, since it carries an id. */
export async function call(method, path, body) {
  const text = await callForText(method, path, body);
  return text ? JSON.parse(text) : null;
}

/** The same, for the answer as it came. */
export async function callForText(method, path, body) {
  let troubled = false;
  const trouble = ({ status }) => {
    if (!troubled) { troubled = true; waiting += 1; }
    banner(`The service ${status ? "is not ready" : "cannot be reached"}. Nothing is lost; trying again …`);
  };
  try {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    return await send(method, path, { body: sent, deadline: Infinity, trouble });
  } catch (error) {
    if (error.code === "no_visitor") return comeAnew();
    throw error;
  } finally {
    if (troubled && --waiting === 0) banner(null);
  }
}

/** The cookie is gone: load the page once more for a new one, but not for ever. */
function comeAnew() {
  if (performance.now() > 10_000) session.delete(CAME_ANEW);
  if (session.get(CAME_ANEW)) throw new Refused(401, "no_cookie", "This page needs a cookie to know you again. Allow cookies for it, and load it once more.");
  session.set(CAME_ANEW, "yes");
  location.reload();
  return new Promise(() => {});
}

/** Whether the page has been loaded for a new cookie. */
export const isComingAnew = () => session.get(CAME_ANEW) !== null;

/** The new cookie is good: should it be lost, too, the page may be loaded once more. */
export const endComingAnew = () => session.delete(CAME_ANEW);

/** The page's facts, and the catalogue that the address names. */
export async function start() {
  const facts = await call("GET", "/v1/page");
  const names = facts.catalogues.map((each) => each.name);
  const asked = new URLSearchParams(location.search).get("catalogue");
  const name = [asked, facts.default, names[0]].find((each) => names.includes(each));
  const catalogue = facts.catalogues.find((each) => each.name === name);
  const select = byId("catalogue");
  if (select && names.length > 1) {
    select.append(...names.map((each) => el("option", { selected: each === name }, each)));
    select.addEventListener("change", () => {
      const address = new URLSearchParams(location.search);
      address.set("catalogue", select.value);
      location.search = address;
    });
    byId("choice").hidden = false;
  }
  if (name === asked) {
    for (const link of document.querySelectorAll(".bar a, .foot a:not(.elsewhere)")) {
      link.search = new URLSearchParams({ catalogue: asked });
    }
  }
  return { facts, catalogue };
}

/** An address of another page, about the same catalogue. */
export const page = (path) => path + location.search;

export const NOTHING_SERVED = "This service has no catalogue. Upload one: PUT /v1/catalogues/NAME.";

/** An address about the person behind this browser. */
export function mine(catalogue, rest = "", more = {}) {
  return `/v1/me${rest}?${new URLSearchParams({ catalogue: catalogue.name, ...more })}`;
}

/** The profile; of someone unknown that of a newcomer. */
export function profileOf(catalogue, more = {}) {
  return call("GET", mine(catalogue, "", { events: 1000, newcomer: true, ...more }));
}

/** What is known of this person in words and likings; also of someone unknown. */
export const pictureOf = (catalogue) => call("GET", mine(catalogue, "/picture"));

/** Whether an event is about two or more topics. */
export const isAboutSeveral = ({ kind, about }) => kind === "answer" && (about.ids ?? []).length > 1;

/** How an answer or a reward reads, in the catalogue's range. */
export function worded(event, [low, high]) {
  const value = event.kind === "answer" ? event.about.answer : event.about.reward;
  if (value === null) return "skipped";
  if (value === high) return event.kind === "answer" ? "yes" : "liked";
  if (value === low) return event.kind === "answer" ? "no" : "not for me";
  return String(value);
}

export const subject = ({ kind, about }) => (kind === "answer" ? about.id ?? about.ids.join(" or ") : about.item);
