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
export const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
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

const TIMEOUT = 15_000; // milliseconds for one try
const PASSING = new Set([408, 429, 502, 503, 504, 507]);
const CAME_ANEW = "conlinucb came anew";
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
  const options = { method, headers: {}, signal: AbortSignal.timeout(TIMEOUT) };
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
    if (error.code === "no_visitor") return comeAnew();
    throw new Refused(response.status, error.code, error.message);
  }
  return [text, null];
}

/** The cookie is gone: load the page once more for a new one, but not for ever. */
function comeAnew() {
  if (performance.now() > 10_000) session.delete(CAME_ANEW);
  if (session.get(CAME_ANEW)) throw new Refused(401, "no_cookie", "This page needs a cookie to know you again. Allow cookies for it, and load it once more.");
  session.set(CAME_ANEW, "yes");
  location.reload();
  return new Promise(() => {});
}

/** Whether the page has been loaded for a new cookie; said once. */
export function isNewStart() {
  const came = session.get(CAME_ANEW) !== null;
  session.delete(CAME_ANEW);
  return came;
}

function errorIn(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return null; // not from the service: a proxy, perhaps
  }
}

/** A storage of the browser, or where it refuses, one that lasts as long as the page. */
function storage(kind) {
  const instead = new Map();
  const use = (act, otherwise) => {
    try {
      return act(window[kind]);
    } catch {
      return otherwise();
    }
  };
  return {
    get: (key) => use((it) => it.getItem(key), () => instead.get(key) ?? null),
    set: (key, value) => use((it) => it.setItem(key, value), () => instead.set(key, value)),
    delete: (key) => use((it) => it.removeItem(key), () => instead.delete(key)),
    keys: () => use((it) => Object.keys(it), () => [...instead.keys()]),
  };
}

const local = storage("localStorage");
const session = storage("sessionStorage");

/**
 * What this browser keeps for one catalogue; other tabs see the same.
 *
 * Each part and each waiting message has a key of its own, so that two tabs do not write over
 * what the other has just written.
 */
export function kept(catalogue) {
  const prefix = `conlinucb ${catalogue}: `;
  const waiting = `${prefix}outbox `;
  const read = (name, fits, otherwise) => {
    try {
      const found = JSON.parse(local.get(prefix + name));
      return fits(found) ? found : otherwise;
    } catch {
      return otherwise; // damaged
    }
  };
  return {
    /** Whether a key of the storage says where the conversation stands. */
    concerns: (key) => key === null || (key.startsWith(prefix) && !key.startsWith(waiting)),
    get step() { return read("step", isText, null); },
    set step(id) { local.set(`${prefix}step`, JSON.stringify(id)); },
    /** A step is over; where another tab has gone on already, its step is the one to see. */
    leave(step) { if (this.step === step) this.step = newId(); },
    get seen() { return read("seen", (found) => Array.isArray(found) && found.every(isText), []); },
    set seen(names) { local.set(`${prefix}seen`, JSON.stringify(names)); },
    /** Ratings up to this event do not keep an item from being shown again. */
    get again() { return read("again", Number.isInteger, 0); },
    set again(event) { local.set(`${prefix}again`, JSON.stringify(event)); },
    get outbox() {
      const keys = local.keys().filter((key) => key.startsWith(waiting)).sort();
      return keys.map((key) => read(key.slice(prefix.length), isMessage, null)).filter(Boolean);
    },
    put: (message) => local.set(waiting + message.body.event, JSON.stringify(message)),
    drop: (message) => local.delete(waiting + message.body.event),
    /** Let other tabs look again. */
    touch: () => local.set(`${prefix}touched`, JSON.stringify(newId())),
  };
}

const isText = (found) => typeof found === "string";
const isMessage = (found) => isText(found?.where) && isText(found.body?.event);

export function forgetAllHere() {
  for (const key of local.keys()) {
    if (key.startsWith("conlinucb ")) local.delete(key);
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
      const address = new URLSearchParams(location.search);
      address.set("catalogue", select.value);
      location.search = address;
    });
    byId("choice").hidden = false;
  }
  if (name === asked) {
    for (const link of document.querySelectorAll(".bar a, .foot a")) {
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

/** Topics to which this person said no. */
export function refused(profile, [low]) {
  const said = profile.events.filter((each) => each.kind === "answer" && !each.retracted && each.about.answer === low);
  return new Set(said.map(subject));
}

/** How an answer or a reward reads, in the catalogue's range. */
export function worded(event, [low, high]) {
  const value = event.kind === "answer" ? event.about.answer : event.about.reward;
  if (value === null) return "skipped";
  if (value === high) return event.kind === "answer" ? "yes" : "liked";
  if (value === low) return event.kind === "answer" ? "no" : "not for me";
  return String(value);
}

/** Whether someone has done anything yet. */
export const isKnown = (profile) => profile.events.length + profile.rounds + profile.questions_asked > 0;

export const subject = (event) => (event.kind === "answer" ? event.about.id : event.about.item);
