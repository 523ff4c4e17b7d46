// Keys for everything; a list of them, and a way to do without.

import { byId, el } from "/static/common.js";
import { choice } from "/static/kept.js";

const KEYS = [
  ["y n s", "Yes, No, Skip to a question; none of these, don’t know"],
  ["1 2 b", "Of two topics: the first, the second, both; of several pick one by its number"],
  ["1 2 3", "Go to a card"],
  ["l x w m", "Like, not for me, seen it, more like this: the card you are at"],
  ["b", "Save the card you are at"],
  ["Enter or Space", "Go on"],
  ["u", "Undo, or back one step"],
  ["/", "Name something you love"],
  ["?", "These keys"],
];
const ANSWERS = new Set([..."ynsb123456789"]);
const ON_CARD = new Set(["l", "x", "w", "m"]);

const isOn = () => choice.get("keys") !== false;

/** Whether a key is meant for what has the focus, such as a box to write in. */
function isTaken({ target, key }) {
  if (target.closest("input, select, textarea, dialog[open]")) return true;
  return (key === "Enter" || key === " ") && target.closest("button, a, summary, label") !== null;
}

/** The card that a key is about: the one with the focus, else the first that nothing was said about. */
function currentCard() {
  const all = [...byId("step").querySelectorAll(".card")];
  return all.find((each) => each.contains(document.activeElement)) ?? all.find((each) => !each.dataset.state) ?? all[0];
}

/** `go` and `back` are what the way forward and the way back do; `search` goes to the box. */
export function listenToKeys({ go, back, search }) {
  const dialog = keysDialog();
  document.body.append(dialog);
  for (const button of document.querySelectorAll("[data-keys]")) button.addEventListener("click", () => dialog.showModal());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || isTaken(event)) return;
    if (event.key === "?") return void dialog.showModal();
    if (!isOn()) return;
    if (act(event.key, { go, back, search })) event.preventDefault();
  });
}

function act(key, { go, back, search }) {
  const step = byId("step");
  const answer = ANSWERS.has(key) ? step.querySelector(`.answers [data-key="${key}"]`) : null;
  if (answer) return pressed(answer);
  if (/^[1-9]$/.test(key)) return focusOn(step.querySelectorAll(".card")[Number(key) - 1]);
  if (ON_CARD.has(key)) return pressedOn(currentCard(), `[data-key=${key}]`);
  if (key === "b") return pressedOn(currentCard(), ".save");
  if (key === "u") {
    const own = document.activeElement?.closest(".card")?.querySelector("[data-key=u]");
    return own ? pressed(own) : back();
  }
  if (key === "/") return search();
  return (key === "Enter" || key === " ") && go();
}

function pressed(button) {
  if (!button || button.disabled) return false;
  button.focus();
  button.click();
  return true;
}

/** As by hand, but the focus is the card's: on its Undo, the Enter that goes on would take it back. */
function pressedOn(card, what) {
  const button = card?.querySelector(what);
  if (!button || button.disabled) return false;
  card.focus({ preventScroll: true });
  button.click();
  return true;
}

function focusOn(card) {
  if (!card) return false;
  card.focus();
  card.scrollIntoView({ block: "nearest", inline: "center" });
  return true;
}

function keysDialog() {
  const dialog = el("dialog", { id: "keys", class: "keys", "aria-labelledby": "keys-title" },
    el("h2", { id: "keys-title" }, "Keys"),
    el("dl", {}, ...KEYS.flatMap(([key, what]) => [el("dt", {}, ...key.split(" ").flatMap((each) => (each === "or" ? [" or "] : [el("kbd", {}, each), " "]))), el("dd", {}, what)])),
    el("label", { class: "switch" },
      el("input", { type: "checkbox", checked: isOn(), onchange: ({ target }) => choice.set("keys", target.checked) }), el("span", {}, "Use these keys")),
    el("div", { class: "row" }, el("button", { type: "button", class: "primary", autofocus: true, onclick: () => dialog.close() }, "Close")));
  return dialog;
}
