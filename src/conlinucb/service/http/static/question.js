// A question about a topic: few words, three answers.

import { count, el, fixed } from "/static/common.js";

const ANSWERS = [["yes", "Yes", "y"], ["no", "No", "n"], ["skip", "Skip", "s"]];

/** The parts of the screen; `answer(value)` is called once. */
export function question({ catalogue }, step, answer) {
  let isAnswered = false;
  const press = (value) => {
    if (isAnswered) return;
    isAnswered = true;
    answer(value);
  };
  return [
    el("p", { class: "eyebrow" }, "A question"),
    el("h2", { tabindex: "-1", class: "asked display", dir: "auto", "data-term": step.term }, step.text),
    el("p", { class: "lead" }, reason(catalogue, step)),
    el("div", { class: "answers", role: "group", "aria-label": "Your answer" },
      ...ANSWERS.map(([value, text, key]) => el("button", { type: "button", class: value === "skip" ? "plain big" : "big", "data-key": key, onclick: () => press(value) },
        text, el("kbd", { "aria-hidden": "true" }, key)))),
    details(step),
  ];
}

/** Why it is worth asking, in a few words. */
function reason({ nouns = "items" }, { about, why }) {
  if (about === "pair") return "It tells me in which of two directions to look.";
  if (why.of > 1 && why.rank === 1) return `Of all ${why.of} topics this is the one I know least about.`;
  if (why.of > 1 && why.rank && why.rank <= 5) return "One of the topics I know least about, and one that tells many people apart.";
  return `Your answer decides more than any other which ${nouns} come next.`;
}

function details({ about, mean, radius, why }) {
  const kept = radius > 0 ? Math.round(100 * (1 - why.radius_after / radius)) : 0;
  return el("details", { class: "why" },
    el("summary", {}, "Why this question?"),
    el("p", {}, `One answer takes away ${kept > 0 ? `${kept} % of` : "some of"} the doubt about this topic, and what it teaches carries over to every ${about === "arm" ? "item" : "item and topic"} that is alike.`),
    why.rank ? el("p", {}, `By how little is known of you, it is number ${why.rank} of ${count(why.of, "topic")}.`) : null,
    el("p", { class: "small figure" }, `It expects ${fixed(mean)}, give or take ${fixed(radius)}; after your answer ${fixed(why.radius_after)}. Chosen by: ${why.strategy}.`));
}
