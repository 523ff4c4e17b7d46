// Calls for those who run or build on a service: with its key, where it has one.
//
// The key is kept for this tab alone, and sent in a header: never in an address, never in a cookie.

import { el, Refused } from "/static/common.js";

const PLACE = "conlinucb key";
const TIMEOUT = 60_000; // milliseconds; a long log takes its time
let held = null; // where the browser keeps nothing

const kept = {
  get: () => { try { return sessionStorage.getItem(PLACE) ?? held; } catch { return held; } },
  set: (key) => { held = key; try { sessionStorage.setItem(PLACE, key); } catch { /* held */ } },
  forget: () => { held = null; try { sessionStorage.removeItem(PLACE); } catch { /* held */ } },
};

export const hasKey = () => kept.get() !== null;
export const forgetKey = () => kept.forget();

let asking = null; // one form for all calls that wait for it

/**
 * Make a call until the key is right: `call` gets the headers to send, and returns a response.
 * Where the service wants a key, the person is asked for it; several calls wait for one answer.
 */
export async function withKey(call) {
  for (;;) {
    const key = kept.get();
    const response = await call(key === null ? {} : { authorization: `Bearer ${key}` });
    if (response.status !== 401) return response;
    if (kept.get() === key) {
      kept.forget();
      asking ??= ask(key !== null).finally(() => { asking = null; });
    }
    if (asking) kept.set(await asking);
  }
}

/** What the service answers, as JSON; a refusal is an error with its code and sentence. */
export async function callWithKey(method, path, body) {
  const response = await withKey((headers) => fetch(path, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT),
  }));
  const text = await response.text();
  if (response.ok) return text ? JSON.parse(text) : null;
  let error = null;
  try { error = JSON.parse(text).error; } catch { /* from a proxy, perhaps */ }
  throw new Refused(response.status, error?.code ?? "unknown",
    error?.message ?? `The service answered with status ${response.status}.`);
}

/** Ask for the key in a dialog, which cannot be left without one; the page says why. */
function ask(wasWrong) {
  const input = el("input", { type: "password", id: "key", autocomplete: "off", required: true, "aria-describedby": "key-why", "aria-invalid": wasWrong });
  const why = el("p", { id: "key-why", class: "small" },
    wasWrong ? "That was not the key of this service. " : "",
    "It is what the service was started with as CONLINUCB_KEY. It stays in this tab, and is forgotten when you close it.");
  const form = el("form", {},
    el("h2", {}, "This needs the key"),
    why,
    el("label", {}, "Key ", input),
    el("p", { class: "row" }, el("button", { class: "primary" }, "Open")));
  const dialog = el("dialog", { class: "ask-key", "aria-label": "The service's key" }, form);
  document.body.append(dialog);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.showModal();
  input.focus();
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const key = input.value.trim();
      if (!/^[\x21-\x7e]+$/.test(key)) { // what no header can carry is no key
        input.setCustomValidity("A key has letters, digits and signs, and no spaces.");
        input.reportValidity();
        input.addEventListener("input", () => input.setCustomValidity(""), { once: true });
        return;
      }
      dialog.close();
      dialog.remove();
      resolve(key);
    });
  });
}
