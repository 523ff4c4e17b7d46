// The key asked for in a dialog, where a page cannot show anything without it.

import { el } from "/static/common.js";
import { keepKey, keyed, needsKey, theKey } from "/static/keyed.js";

let asking = null; // one form for all calls that wait for it

/** A call, repeated until the key is right; several that want it wait for one answer. */
export async function callWithKey(method, path) {
  for (;;) {
    const key = theKey();
    try {
      return await keyed(method, path);
    } catch (error) {
      if (!needsKey(error)) throw error;
    }
    if (theKey() === key) {
      keepKey(null);
      asking ??= ask(key !== null).finally(() => { asking = null; });
    }
    if (asking) keepKey(await asking);
  }
}

/** Ask for the key in a dialog, which cannot be left without one; the page says why. */
function ask(wasWrong) {
  const input = el("input", { type: "password", id: "key", autocomplete: "off", required: true, "aria-describedby": "key-why", "aria-invalid": wasWrong });
  const why = el("p", { id: "key-why", class: "small" },
    wasWrong ? "That was not the key of this service. " : "",
    "It was made by conlinucb keys make, or is what the service was started with as CONLINUCB_KEY. It stays in this tab, and is forgotten when you close it.");
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
