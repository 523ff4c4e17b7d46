// Calls of those who run the service: with the key, where there is one, kept for this tab alone.

import { Refused, send } from "/static/client.js";

const KEPT = "conlinucb key";
const TIMEOUT = 60_000; // milliseconds of a call that sends nothing; a long log takes its time
let held = null; // where the browser keeps nothing

export function theKey() {
  try {
    return sessionStorage.getItem(KEPT) ?? held;
  } catch {
    return held;
  }
}

export function keepKey(key) {
  held = key;
  try {
    if (key === null) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, key);
  } catch {
    // held for as long as the page is open
  }
}

/** Whether a call failed for want of the right key. */
export const needsKey = (error) => error instanceof Refused && error.status === 401;

/**
 * One call, with the key in a header and never in an address. A body is sent as it is, of the
 * kind that is said; what comes back is JSON, or null.
 */
export async function keyed(method, path, body, kind = "application/json") {
  const timeout = body === undefined ? TIMEOUT : 0;
  try {
    const text = await send(method, path, { key: theKey(), body, kind, credentials: "omit", timeout, deadline: 0 });
    return text ? JSON.parse(text) : null;
  } catch (error) {
    if (error.code !== "unreachable") throw error;
    throw new Refused(0, "unreachable", "The service cannot be reached. Nothing was changed; try again.");
  }
}
