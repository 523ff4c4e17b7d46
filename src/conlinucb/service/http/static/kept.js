// What this browser keeps: where the conversation stands, and what is not acknowledged yet.

import { newEvent as newId } from "/static/client.js";

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
export const session = storage("sessionStorage");

export { newId };

const LONGEST_TRAIL = 50; // steps one can go back
const MOST = 2000; // names in a list that is kept here
export const BEGINNING = "beginning";

const isText = (found) => typeof found === "string";
const isTexts = (found) => Array.isArray(found) && found.every(isText);
const isObject = (found) => typeof found === "object" && found !== null && !Array.isArray(found);
const isMessage = (found) => isText(found?.kind) && isText(found.id) && isObject(found.body);
const isEntry = (found) => isText(found?.id) && isObject(found.said);
const isSaved = (found) => isText(found?.item) && isText(found.name);
const all = (fits) => (found) => Array.isArray(found) && found.every(fits);

function read(key, fits, otherwise) {
  try {
    const found = JSON.parse(local.get(key));
    return fits(found) ? found : otherwise;
  } catch {
    return otherwise; // damaged
  }
}

/**
 * What this browser keeps for one catalogue; other tabs see the same.
 *
 * Each part and each waiting message has a key of its own, so that two tabs do not write over
 * what the other has just written.
 */
export function kept(catalogue) {
  const prefix = `conlinucb ${catalogue}: `;
  const waiting = `${prefix}outbox `;
  const get = (name, fits, otherwise) => read(prefix + name, fits, otherwise);
  const set = (name, value) => local.set(prefix + name, JSON.stringify(value));
  return {
    /** Whether a key of the storage says where the conversation stands. */
    concerns: (key) => key === null || (key.startsWith(prefix) && !/: (outbox |trail$|draft$)/.test(key)),

    /** The id of the current step; null where nothing has begun. */
    get step() { return get("step", isText, null); },
    set step(id) { set("step", id); },

    /** The steps up to this one: how each was asked for, and what was said in it. */
    get trail() { return get("trail", all(isEntry), []); },
    set trail(entries) { set("trail", entries.slice(-LONGEST_TRAIL)); },

    /** The current step as it was asked for. */
    get current() {
      return this.trail.find((each) => each.id === this.step) ?? { id: this.step, said: {} };
    },

    /** A step is over; where another tab has gone on already, its step is the one to see. */
    leave(step, how = {}) {
      if (this.step !== step) return;
      const id = newId();
      this.trail = [...this.trail, { id, ...how, said: {} }];
      this.step = id;
    },

    /** Something was said in a step: the number of its event once it is known. */
    note(step, client, number) {
      this.trail = this.trail.map((each) => (each.id === step ? { ...each, said: { ...each.said, [client]: number } } : each));
    },

    /** The number of an event that was said here. */
    learn(client, number) {
      if (this.trail.some((each) => client in each.said)) {
        this.trail = this.trail.map((each) => (client in each.said ? { ...each, said: { ...each.said, [client]: number } } : each));
      }
    },

    /** The number of what was said here; null where it is not known. */
    numberOf(client) { return this.trail.find((each) => client in each.said)?.said[client] ?? null; },

    /** What was said here as this event. */
    clientOf(number) {
      for (const { said } of this.trail) {
        for (const [client, event] of Object.entries(said)) if (event === number) return client;
      }
      return null;
    },

    /** Begin anew, as someone else: what was seen and saved stays. */
    startAnew(step = null) {
      if (step) this.step = step;
      else local.delete(`${prefix}step`);
      for (const name of ["trail", "again", "told"]) local.delete(prefix + name);
    },

    get seen() { return get("seen", isTexts, []); },
    set seen(names) { set("seen", names.slice(-MOST)); },
    get saved() { return get("saved", all(isSaved), []); },
    set saved(items) { set("saved", items.slice(-MOST)); },
    /** What was chosen at the beginning and is not said yet. */
    get draft() { return get("draft", isObject, null); },
    set draft(found) { set("draft", found); },

    /** Ratings up to this event do not keep an item from being shown again; null: all do. */
    get again() { return get("again", Number.isInteger, null); },
    set again(event) { set("again", event); },
    /** What needs to be said only once. */
    isTold(what) { return get("told", isTexts, []).includes(what); },
    tell(what) { set("told", [...new Set([...get("told", isTexts, []), what])]); },
    untell(what) { set("told", get("told", isTexts, []).filter((each) => each !== what)); },

    get outbox() {
      const keys = local.keys().filter((key) => key.startsWith(waiting));
      const found = keys.map((key) => get(key.slice(prefix.length), isMessage, null)).filter(Boolean);
      return found.sort((a, b) => a.at - b.at);
    },
    put: (message) => local.set(waiting + message.id, JSON.stringify(message)),
    drop: (message) => local.delete(waiting + message.id),
    /** Let other tabs look again. */
    touch: () => set("touched", newId()),
  };
}

/** A choice of this browser for all catalogues, such as whether numbers are shown. */
export const choice = {
  get: (name) => read(`conlinucb ${name}`, (found) => typeof found === "boolean", null),
  set: (name, value) => local.set(`conlinucb ${name}`, JSON.stringify(value)),
};

export function forgetAllHere() {
  for (const key of local.keys()) {
    if (key.startsWith("conlinucb ")) local.delete(key);
  }
}
