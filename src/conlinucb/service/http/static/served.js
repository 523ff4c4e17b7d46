// The catalogues in service, their settings in plain words, and a way to delete one.

import { byId, count, el, say } from "/static/common.js";
import { keyed } from "/static/keyed.js";
import { askingChoice, askingWords, asksBy, isOwn } from "/static/asking.js";

/** Show all catalogues; returns their names. */
export async function showServed(place) {
  const all = await keyed("GET", "/v1/catalogues");
  place.replaceChildren(all.length
    ? el("ul", { class: "catalogues" }, ...all.map((each) => entry(each, place)))
    : el("p", {}, "None yet. ", el("a", { href: "#upload" }, "Upload a table"), "."));
  return all.map((each) => each.catalogue);
}

function entry(one, place) {
  const facts = [["Items", one.items], ["Topics", one.terms], ["People", one.people], ["Version", one.version]];
  return el("li", { class: "panel catalogue" },
    el("h3", {}, one.catalogue),
    one.building === null ? null : el("p", { class: "small" }, `Version ${one.building} is being built.`),
    el("dl", { class: "facts" }, ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))),
    el("ul", { class: "words" }, ...settingWords(one.settings).map((each) => el("li", {}, each))),
    change(one, place),
    el("div", { class: "row" },
      el("a", { class: "button", href: `/?${new URLSearchParams({ catalogue: one.catalogue })}`, "aria-label": `Talk to ${one.catalogue}` }, "Talk to it"),
      el("button", { type: "button", class: "danger", "aria-label": `Delete ${one.catalogue} …`, onclick: (event) => ask(one, place, event.currentTarget) }, "Delete …")));
}

/** Another way to ask, at once; people's answers stay what they were. */
function change(one, place) {
  const own = isOwn(one.settings);
  const told = el("p", { class: "small", role: "status" }, own ? "The agent in the settings says how it asks: change it there." : "");
  const choice = askingChoice(`asks of ${one.catalogue}`, asksBy(one.settings), async (ask_about) => {
    const path = `/v1/catalogues/${encodeURIComponent(one.catalogue)}/settings`;
    try {
      await keyed("PUT", path, JSON.stringify({ ...await keyed("GET", path), ask_about }), "application/json");
      await showServed(place);
      const found = [...document.querySelectorAll("details.asking-of")].find((each) => each.dataset.of === one.catalogue);
      found.open = true;
      found.querySelector("input:checked").focus();
      say(`${one.catalogue}: ${askingWords({ ask_about })}`);
    } catch (error) {
      told.textContent = `That did not work: ${error.message}`;
    }
  }, own);
  return el("details", { class: "asking-of", "data-of": one.catalogue },
    el("summary", { "aria-label": `Change what ${one.catalogue} asks` }, "Change what it asks"), choice, told);
}

const FOREVER = 100_000;

/** Settings as sentences. */
export function settingWords(settings) {
  const { agent, range, max_questions: most } = settings;
  const asks = most === 0 ? "Asks nothing." : `Asks ${most === null ? "as many questions as it likes" : `at most ${count(most, "question")}`}.`;
  const who = agent.recipe === "for_newcomers" ? "Made for newcomers: starts from what is known of people in general." : `Recommends by ${agent.recipe}.`;
  const words = [agent.strategy ? `${who} Asks by ${agent.strategy}.` : who, asks];
  if (most !== 0) {
    words.push(askingWords(settings));
    words.push(settings.rest_after_answer >= FOREVER ? "Nobody is asked the same twice."
      : settings.rest_after_answer ? `An answered question rests while ${count(settings.rest_after_answer, "other")} are asked.`
        : "An answered question may come again.");
    words.push(settings.rest_after_skip ? `A skipped question rests while ${count(settings.rest_after_skip, "other")} are asked.` : "A skipped question may come again at once.");
  }
  words.push({
    off: "Does not learn what people are like in general.",
    fit: "Learns what people are like in general; you decide when it is used.",
    auto: `Learns what people are like in general from ${settings.population_least} people on, and starts newcomers from it.`,
  }[settings.population]);
  if (settings.explore) words.push(`Shows items at random in ${Math.round(100 * settings.explore)} % of recommendations.`);
  if (settings.nouns && settings.nouns !== "items") words.push(`Speaks of ${settings.nouns}.`);
  words.push(`Answers and ratings go from ${range[0]} to ${range[1]}.`);
  return words;
}

function ask(one, place, from) {
  const dialog = byId("sure");
  const people = one.people ? ` and every conversation of ${count(one.people, "person").replace("persons", "people")} about it` : "";
  byId("sure-text").textContent = `${one.catalogue}, ${count(one.items, "item")}${people} will be gone for good.`;
  byId("keep").onclick = () => { dialog.close(); from.focus(); };
  byId("really").onclick = async () => {
    dialog.close();
    try {
      await keyed("DELETE", `/v1/catalogues/${encodeURIComponent(one.catalogue)}`);
      await showServed(place);
      place.prepend(el("p", { class: "fine", tabindex: "-1", id: "gone" }, `${one.catalogue} is deleted.`));
      byId("gone").focus();
      say(`${one.catalogue} is deleted.`);
    } catch (error) {
      place.prepend(el("div", { class: "trouble", role: "alert" }, el("p", {}, error.message)));
    }
  };
  dialog.showModal();
}
