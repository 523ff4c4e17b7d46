// What questions are like, in plain words: the builder's choice.

import { el } from "/static/common.js";

const WAYS = [
  ["one", "One topic", "“Do you like heist stories?” Yes, no or skip."],
  ["pair", "Two topics", "“Which do you like more?” One of two, both or neither."],
  ["any", "Several, pick any", "“Which of these do you like?” As many of six as one likes, every other round."],
  ["best", "Several, pick the best", "“Which of these do you like best?” One of four."],
];
const STRATEGIES = { "pick-any": "any", "best-of": "best" };

/** How a catalogue asks: by its settings, or by a strategy that its agent names. */
export function asksBy({ ask_about: about = "one", agent = {} }) {
  if (about !== "one") return about;
  const name = agent.strategy?.name ?? agent.strategy ?? "";
  return STRATEGIES[name] ?? (/pairs|^relative/.test(name) ? "pair" : "one");
}

/** Whether the agent decides that itself, or asks nothing about topics. */
export const isOwn = ({ agent }) => ["strategy", "pair_update"].some((each) => each in agent) || ["linucb", "arm_con"].includes(agent.recipe);

/** One choice of four; `choose` is called with another one. */
export function askingChoice(name, now, choose, disabled = false) {
  return el("fieldset", { class: "asking", disabled },
    el("legend", {}, "What a question is like"),
    ...WAYS.map(([value, title, example]) => el("label", {},
      el("input", { type: "radio", name, value, checked: value === now, onchange: () => choose(value) }),
      el("span", {}, el("strong", {}, title), el("span", { class: "small" }, example)))));
}

/** The same in a sentence. */
export const askingWords = (settings) => ({
  one: "Asks about one topic at a time.",
  pair: "Asks which of two topics is liked more.",
  any: "Asks which of several topics are liked.",
  best: "Asks which of several topics is liked best.",
})[asksBy(settings)];
