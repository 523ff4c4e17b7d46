// Calls of those who run the service: with the key, where there is one, kept for this tab alone.

import { errorIn, Refused } from "/static/common.js";

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
  const key = theKey();
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  if (body !== undefined) headers["content-type"] = kind;
  let response;
  let text;
  try {
    const signal = body === undefined ? AbortSignal.timeout(TIMEOUT) : undefined;
    response = await fetch(path, { method, headers, body, credentials: "omit", signal });
    text = await response.text();
  } catch {
    throw new Refused(0, "unreachable", "The service cannot be reached. Nothing was changed; try again.");
  }
  if (!response.ok) throw refusal(response.status, text);
  return text ? JSON.parse(text) : null;
}

function refusal(status, text) {
  const { code, message } = errorIn(text) ?? { code: "unknown", message: `The service answered with status ${status}.` };
  return new Refused(status, code, message);
}
