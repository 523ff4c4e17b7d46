// A question: about one topic, which of two, or which of several. Few words, one answer.

import { count, el, fixed } from "/static/common.js";

/**
 * The parts of the screen; `answer(said)` is called once, with what the service takes: { answer } a
 * word, or { picked } names.
 */
export function question({ catalogue }, step, answer) {
  let isAnswered = false;
  const say = (said) => {
    if (isAnswered) return;
    isAnswered = true;
    answer(said);
  };
  return [
    el("p", { class: "eyebrow" }, "A question"),
    el("h2", { tabindex: "-1", class: step.terms.length > 1 ? "asked several display" : "asked display", id: "asked", dir: "auto", "data-term": step.term }, heading(step)),
    el("p", { class: "lead" }, reason(catalogue, step)),
    ...(WAYS[step.pick ?? step.about] ?? one)(step, say),
    details(step),
  ];
}

const WAYS = { pair, any, best };

function press(text, key, said, kind = "", more = {}) {
  return el("button", { type: "button", class: `${kind} big`, "data-key": key, dir: "auto", ...more, onclick: said }, el("span", {}, text), el("kbd", { "aria-hidden": "true" }, key));
}

const row = (kind, ...buttons) => el("div", { class: `answers ${kind}`, role: "group", "aria-label": "Your answer" }, ...buttons);

function one(step, say) {
  const words = [["yes", "Yes", "y"], ["no", "No", "n"], ["skip", "Skip", "s"]];
  return [row("", ...words.map(([value, text, key]) => press(text, key, () => say({ answer: value }), value === "skip" ? "plain" : "")))];
}

/** Two topics, and what else may be said of both. */
function pair({ terms: [first, second] }, say) {
  const words = [["both", "Both", "b"], ["neither", "Neither", "n"], ["unknown", "Don’t know", "s"]];
  return [row("two",
    press(first, "1", () => say({ answer: "first" }), "topic-answer"), press(second, "2", () => say({ answer: "second" }), "topic-answer"),
    ...words.map(([value, text, key]) => press(text, key, () => say({ answer: value }), "plain")))];
}

/** One of several, or none of them. */
function best({ terms }, say) {
  return [row("several",
    ...terms.map((term, i) => press(term, String(i + 1), () => say({ picked: [term] }), "topic-answer")),
    press("None of these", "n", () => say({ picked: [] }), "plain"),
    press("Don’t know", "s", () => say({ answer: "unknown" }), "plain"))];
}

/** As many of several as one likes: nothing is said before one is done. */
function any({ terms }, say) {
  const picked = new Set();
  const done = press("", "n", () => say({ picked: terms.filter((each) => picked.has(each)) }), "", { id: "done" });
  const chip = (term, i) => {
    const made = press(term, String(i + 1), () => {
      if (!picked.delete(term)) picked.add(term);
      made.setAttribute("aria-pressed", String(picked.has(term)));
      draw();
    }, "pick", { "aria-pressed": "false" });
    return made;
  };
  function draw() {
    const some = picked.size > 0;
    done.firstChild.textContent = some ? `That’s it: ${picked.size} of ${terms.length}` : "None of these";
    done.classList.toggle("primary", some);
    done.dataset.key = some ? "Enter" : "n"; // the key for none is not one for some
    done.lastChild.textContent = done.dataset.key;
  }
  draw();
  return [
    el("div", { class: "answers picks", role: "group", "aria-labelledby": "asked" }, ...terms.map(chip)),
    row("", done, press("Don’t know", "s", () => say({ answer: "unknown" }), "plain")),
  ];
}

/** Of two topics the buttons say which; the question says what to do with them. */
function heading({ about, text, terms }) {
  const [first, second] = terms;
  return about === "pair" && text === `Do you like ${first} more than ${second}?` ? "Which do you like more?" : text;
}

/** Why it is worth asking, in a few words. */
function reason({ nouns = "items" }, { about, pick, why }) {
  if (about === "pair") return "It tells me in which of two directions to look.";
  if (pick === "any") return "Pick as many as you like: one question in place of several.";
  if (pick === "best") return "It tells me where to look first.";
  if (why.of > 1 && why.rank === 1) return `Of all ${why.of} topics this is the one I know least about.`;
  if (why.of > 1 && why.rank && why.rank <= 5) return "One of the topics I know least about, and one that tells many people apart.";
  return `Your answer decides more than any other which ${nouns} come next.`;
}

function details({ about, mean, radius, why }) {
  const kept = radius > 0 ? Math.round(100 * (1 - why.radius_after / radius)) : 0;
  const what = { pair: "what you think of the two", group: "these topics together" }[about] ?? "this topic";
  return el("details", { class: "why" },
    el("summary", {}, "Why this question?"),
    el("p", {}, `One answer takes away ${kept > 0 ? `${kept} % of` : "some of"} the doubt about ${what}, and what it teaches carries over to every ${about === "arm" ? "item" : "item and topic"} that is alike.`),
    why.rank ? el("p", {}, `By how little is known of you, it is number ${why.rank} of ${count(why.of, "topic")}.`) : null,
    el("p", { class: "small figure" }, `It expects ${fixed(mean)}, give or take ${fixed(radius)}; after your answer ${fixed(why.radius_after)}. Chosen by: ${why.strategy}.`));
}
