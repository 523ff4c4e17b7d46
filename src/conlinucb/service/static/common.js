// What all three pages share: elements, calls that survive a lost connection, what is kept here.

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

export const byId = (id) => document.getElementById(id);
export const say = (text) => { byId("status").textContent = text; };
export const fixed = (number, digits = 2) => {
  const text = number.toFixed(digits);
  return (Number(text) === 0 ? (0).toFixed(digits) : text).replace("-", "−");
};
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");

/** What the service refused, with its code and sentence. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const PATIENCE = 15_000; // milliseconds for one try
const PASSING = new Set([408, 502, 503, 504, 507]);
let waiting = 0;

function banner(text) {
  const place = byId("banner");
  place.textContent = text ?? "";
  place.hidden = !text;
}

function sleep(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
  });
}

/** Call the service until it answers: every call may be repeated, since it carries an id. */
export async function call(method, path, body) {
  const text = await callForText(method, path, body);
  return text ? JSON.parse(text) : null;
}

/** The same, for the answer as it came. */
export async function callForText(method, path, body) {
  let troubled = false;
  try {
    for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
      const [answer, trouble] = await once(method, path, body);
      if (!trouble) return answer;
      if (!troubled) { troubled = true; waiting += 1; }
      banner(trouble);
      await sleep(pause);
    }
  } finally {
    if (troubled && --waiting === 0) banner(null);
  }
}

async function once(method, path, body) {
  const options = { method, headers: {}, signal: AbortSignal.timeout(PATIENCE) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  let response;
  let text;
  try {
    response = await fetch(path, options);
    text = await response.text();
  } catch {
    return [null, "The service cannot be reached. Nothing is lost; trying again …"];
  }
  if (PASSING.has(response.status)) {
    return [null, "The service is not ready. Nothing is lost; trying again …"];
  }
  if (!response.ok) {
    const error = errorIn(text) ?? { code: "unknown", message: `The service answered with status ${response.status}.` };
    if (error.code === "no_visitor") {
      location.reload(); // the cookie is gone: come in anew
      return new Promise(() => {});
    }
    throw new Refused(response.status, error.code, error.message);
  }
  return [text, null];
}

function errorIn(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return null; // not from the service: a proxy, perhaps
  }
}

/** What this browser keeps for one catalogue; other tabs see the same. */
export function kept(catalogue) {
  const key = `conlinucb ${catalogue}`;
  const empty = { step: null, seen: [], outbox: [] };
  return {
    key,
    read() {
      try {
        return checked({ ...empty, ...JSON.parse(localStorage.getItem(key)) });
      } catch {
        return empty;
      }
    },
    change(edit) {
      const content = this.read();
      edit(content);
      localStorage.setItem(key, JSON.stringify(content));
      return content;
    },
  };
}

function checked(content) {
  const sound = (content.step === null || typeof content.step === "string") &&
    Array.isArray(content.seen) && content.seen.every((each) => typeof each === "string") &&
    Array.isArray(content.outbox) && content.outbox.every((each) => each?.where && each.body);
  if (!sound) throw new TypeError("what is kept here is damaged");
  return content;
}

export function forgetAllHere() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith("conlinucb ")) localStorage.removeItem(key);
  }
}

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
      location.search = new URLSearchParams({ catalogue: select.value });
    });
    byId("choice").hidden = false;
  }
  if (asked) {
    for (const link of document.querySelectorAll(".bar a, .foot a")) link.search = location.search;
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

/** The profile, or null of someone who has said nothing yet. */
export async function profileOf(catalogue) {
  try {
    return await call("GET", mine(catalogue, "", { events: 1000 }));
  } catch (error) {
    if (error instanceof Refused && error.code === "unknown_user") return null;
    throw error;
  }
}

/** How an answer or a reward reads, in the catalogue's range. */
export function worded(event, [low, high]) {
  const value = event.kind === "answer" ? event.about.answer : event.about.reward;
  if (value === null) return "skipped";
  if (value === high) return event.kind === "answer" ? "yes" : "liked";
  if (value === low) return event.kind === "answer" ? "no" : "not for me";
  return String(value);
}

export const subject = (event) => (event.kind === "answer" ? event.about.id : event.about.item);
