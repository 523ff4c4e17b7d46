// A taste worth keeping: one sentence, one picture, ten best, a list; and a link to share them.

import { byId, call, el, mine, NOTHING_SERVED, page, pictureOf, say, start } from "/static/common.js";
import { kept } from "/static/kept.js";
import { bloom, COLOURS } from "/static/bloom.js";
import { portraitOf } from "/static/cover.js";
import { packed, unpacked } from "/static/share.js";
import { because, capital, isLiked, nameOf, sentence, speakOf, tasteOf } from "/static/words.js";

const PETALS = 8;
const BEST = 10;

addEventListener("hashchange", () => location.reload());
await attempt(main);

async function attempt(act) {
  try {
    await act();
  } catch (error) {
    put([el("h1", { class: "eyebrow" }, "Your taste"), el("p", { id: "summary" }, `That did not work: ${error.message} `),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => location.reload() }, "Try again"))]);
  }
}

async function main() {
  const fragment = location.hash.slice(1);
  const shared = unpacked(fragment);
  if (shared) return showShared(shared);
  const { catalogue } = await start();
  if (!catalogue) throw new Error(NOTHING_SERVED);
  speakOf(catalogue.nouns);
  const [picture, best] = await Promise.all([pictureOf(catalogue), call("GET", mine(catalogue, "/best", { k: BEST }))]);
  showOwn(catalogue, kept(catalogue.name), picture, best.items, /^[A-Za-z0-9_-]{40,}$/.test(fragment));
  if (fragment === "saved") byId("saved")?.scrollIntoView();
}

function put(children) {
  byId("taste").replaceChildren(...children.filter(Boolean));
}

function petalsOf(topics) {
  return [...topics].filter(isLiked).sort((a, b) => b.liking - a.liking).slice(0, PETALS);
}

/** The sentence and the picture with its key. */
function portrait(title, words, petals) {
  return el("section", { class: "portrait", "aria-labelledby": "title" },
    el("div", { class: "portrait-words" },
      el("h1", { class: "eyebrow", id: "title" }, title),
      el("p", { id: "summary", class: "display sentence", dir: "auto" }, words)),
    petals.length ? el("figure", { class: "portrait-picture" }, bloom(petals, words),
      el("ul", { class: "petals" }, ...petals.map(({ term }, i) => petalKey(term, i)))) : null);
}

function petalKey(term, i) {
  const dot = el("span", { class: "petal-dot", "aria-hidden": "true" });
  dot.style.background = COLOURS[i % COLOURS.length];
  return el("li", { dir: "auto" }, dot, term);
}

// One's own

function showOwn(catalogue, store, picture, best, isBroken) {
  const taste = tasteOf(picture.topics, picture.preferred);
  const words = sentence(taste);
  const { noun = "item", nouns = "items" } = catalogue;
  const broken = isBroken ? el("p", { class: "lesson" }, "That link is not whole: this is your own taste.") : null;
  if (!words) {
    put([broken, portrait("Your taste", `I don't know what ${nouns} you love yet.`, []),
      el("p", { class: "lead" }, `Name a ${noun} you love, or answer a question or two, and your taste will stand here in one sentence.`),
      el("div", { class: "row" }, el("a", { class: "button primary big", href: page("/") }, "Begin")),
      savedList(store)]);
    return;
  }
  const petals = petalsOf(picture.topics);
  put([broken, portrait("Your taste", words, petals),
    tools({ taste, words, petals, best, nouns, store }),
    bestList(best, nouns), savedList(store)]);
  addEventListener("storage", () => byId("saved")?.replaceWith(savedList(store)));
}

function bestList(best, nouns) {
  if (!best.length) return null;
  return el("section", { class: "best", "aria-labelledby": "best-title" },
    el("h2", { id: "best-title", class: "display" }, `Your ten best ${nouns}`.replace("ten", best.length === BEST ? "ten" : String(best.length))),
    el("ol", { class: "tiles" }, ...best.map((item) => tile(item, because(item.because ?? [])))));
}

function tile(item, words, ...more) {
  return el("li", { class: "tile" }, el("span", { class: "tile-cover" }, portraitOf(item)),
    el("span", { class: "tile-words" },
      item.link ? el("a", { class: "tile-name", dir: "auto", href: item.link, target: "_blank", rel: "noreferrer noopener" }, nameOf(item)) : el("strong", { class: "tile-name", dir: "auto" }, nameOf(item)),
      words ? el("span", { class: "small" }, words) : null), ...more);
}

function savedList(store) {
  const place = el("section", { id: "saved", class: "saved", "aria-labelledby": "saved-title" },
    el("h2", { id: "saved-title", class: "display", tabindex: "-1" }, "Your list"),
    el("p", { class: "small" }, "Kept in this browser only."));
  const found = store.saved;
  if (!found.length) {
    place.append(el("p", {}, "Nothing yet. The ribbon on a card puts it here."));
    return place;
  }
  place.append(el("ul", { class: "tiles" }, ...found.map((each) => tile({ item: each.item, title: each.name, image: typeof each.image === "string" ? each.image : null, terms: Array.isArray(each.terms) ? each.terms : [] }, null,
    el("button", { type: "button", class: "plain", "aria-label": `Remove: ${each.name}`, onclick: () => {
      store.saved = store.saved.filter((other) => other.item !== each.item);
      place.replaceWith(savedList(store));
      byId("saved-title").focus();
      say(`${each.name} is off your list.`);
    } }, "Remove")))));
  return place;
}

function tools({ taste, words, petals, best, nouns, store }) {
  const link = new URL(page("/taste"), location.href);
  const { prefer, ...shared } = taste; // what was said of two topics stays here
  link.hash = packed({ ...shared, petals: petals.map(({ term, liking }) => [term, Math.round(100 * liking) / 100]), best: best.map(nameOf), nouns });
  const field = el("input", { type: "text", id: "link", readonly: true, value: link.href, "aria-label": "Link to share", onfocus: ({ target }) => target.select() });
  return el("section", { class: "tools", "aria-label": "Keep it" },
    el("div", { class: "row" },
      el("button", { type: "button", class: "primary", id: "share", onclick: () => share(link.href, field) }, "Copy a link to share"),
      el("button", { type: "button", onclick: () => print() }, "Print"),
      el("button", { type: "button", id: "export-taste", onclick: () => download("taste.json", "application/json", JSON.stringify({ sentence: words, ...taste, best: best.map(nameOf), saved: store.saved.map((each) => each.name) }, null, 2)) }, "Export"),
      el("button", { type: "button", id: "export-picture", onclick: () => download("taste.svg", "image/svg+xml", new XMLSerializer().serializeToString(document.querySelector(".bloom"))) }, "Save the picture")),
    el("div", { class: "link-field" }, field, el("p", { class: "small" }, `The link shows this sentence${taste.prefer.length ? " but for what you prefer" : ""}, this picture and your best; nothing of what you said.`)));
}

async function share(address, field) {
  try {
    await navigator.clipboard.writeText(address);
    say("The link is copied.");
    byId("share").textContent = "Copied";
    setTimeout(() => { byId("share").textContent = "Copy a link to share"; }, 2500);
  } catch {
    field.focus(); // not allowed: it is there to be copied by hand
    say("Copy the link from the field.");
  }
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say("Exported.");
}

// Someone else's

function showShared(taste) {
  speakOf(taste.nouns);
  document.title = "A taste · conlinucb";
  for (const link of document.querySelectorAll("nav a")) link.removeAttribute("aria-current");
  const petals = taste.petals.map(([term, liking]) => ({ term, liking }));
  put([
    portrait("Someone's taste, shared with you", sentence(taste, "They"), petals),
    el("section", { class: "invitation" },
      el("h2", { class: "display" }, "And what do you love?"),
      el("p", { class: "lead" }, `A minute is enough: name one thing you love, and see what fits.`),
      el("a", { class: "button primary big", href: page("/") }, "Find your own taste")),
    taste.best.length ? el("section", { class: "best", "aria-labelledby": "best-title" },
      el("h2", { id: "best-title", class: "display" }, `${capital(taste.nouns)} for this taste`),
      el("ol", { class: "tiles" }, ...taste.best.map((name) => tile({ item: name, title: name, terms: petals.map(({ term }) => term) }, null)))) : null,
  ]);
}
