// The builder's home: a table comes in, is shown as what it would become, and put into service.

import { byId, count, el, say } from "/static/common.js";
import { keepKey, keyed, needsKey, theKey } from "/static/keyed.js";
import { previewed } from "/static/preview.js";
import { showApi } from "/static/api.js";
import { showServed } from "/static/served.js";
import { askingChoice } from "/static/asking.js";
import { columnTable, withChoice } from "/static/columns.js";

const KINDS = {
  csv: "text/csv", txt: "text/csv", tsv: "text/tab-separated-values",
  parquet: "application/vnd.apache.parquet", json: "application/json",
};
const TABS = ["upload", "catalogues", "api"];
const LARGEST = 128_000_000;
const GUESSED = { about: null, columns: {} }; // what was chosen: nothing yet
let served = []; // names of catalogues that are there
let turn = 0; // of several files chosen in a row, the last one counts

// The door

async function enter(key) {
  const before = theKey();
  if (key !== undefined) keepKey(key);
  try {
    served = (await keyed("GET", "/v1/catalogues")).map((each) => each.catalogue);
  } catch (error) {
    if (!needsKey(error)) return closed(error.message);
    keepKey(null);
    const wrong = key !== undefined || before !== null;
    return closed(null, wrong ? "That is not the key of this service." : null);
  }
  byId("door").hidden = true;
  byId("inside").hidden = false;
  byId("leave-row").hidden = theKey() === null;
  byId("key").value = "";
  if (key !== undefined) byId("drop").focus();
  return showTab();
}

function closed(trouble, wrong = null) {
  byId("inside").hidden = true;
  byId("door").hidden = trouble !== null;
  byId("banner").hidden = trouble === null;
  byId("banner").textContent = trouble ?? "";
  byId("door-wrong").hidden = wrong === null;
  byId("door-wrong").textContent = wrong ?? "";
  if (trouble === null) byId("key").focus();
}

// Tabs

function showTab(focus = false) {
  const asked = location.hash.slice(1).split("/")[0];
  const now = TABS.includes(asked) ? asked : "upload";
  for (const name of TABS) {
    byId(`tab-${name}`).hidden = name !== now;
    const link = document.querySelector(`.tabs a[href="#${name}"]`);
    if (name === now) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (focus) byId(`tab-${now}`).focus();
  if (now === "catalogues") return guarded(byId("served"), async () => { served = await showServed(byId("served")); });
  if (now === "api") return guarded(byId("api"), () => showApi(byId("api")));
  return null;
}

/** Do something for a place on the page; what goes wrong is said there, a missing key at the door. */
async function guarded(place, act) {
  try {
    await act();
  } catch (error) {
    if (needsKey(error)) { keepKey(null); closed(null, "The key is no longer right."); }
    else place.replaceChildren(trouble("That did not work", error.message));
  }
}

function trouble(title, text) {
  return el("div", { class: "trouble", role: "alert" }, el("h3", {}, title), el("p", {}, text));
}

// A file comes in

const ending = (name) => name.toLowerCase().split(".").at(-1);

function takeFile(file) {
  if (!file) return null;
  const kind = KINDS[ending(file.name)];
  const result = byId("result");
  if (!kind) {
    return result.replaceChildren(trouble(`${file.name} cannot be read`,
      "Files end in .csv, .tsv, .txt, .parquet or .json. Spreadsheets can be saved as CSV (UTF-8)."));
  }
  if (file.size > LARGEST) {
    return result.replaceChildren(trouble(`${file.name} is too large`,
      `It has ${Math.round(file.size / 1e6)} MB; at most ${LARGEST / 1e6} MB are taken.`));
  }
  return look(file, kind, file.name);
}

/** `wants` is what was chosen so far, `as` the name to suggest, `at` where the focus goes. */
async function look(body, kind, name, wants = GUESSED, as = null, at = "#preview-title") {
  turn += 1;
  const mine = turn;
  const result = byId("result");
  const choose = (column, role) => look(body, kind, name, { ...wants, columns: withChoice(wants.columns, column, role) },
    byId("name")?.value ?? as, `select[data-column="${CSS.escape(column)}"]`);
  say(`Reading ${name}`);
  result.replaceChildren(waiting(`Reading ${name} and trying it out …`));
  await guarded(result, async () => {
    let found;
    try {
      found = await keyed("POST", `/v1/catalogues/preview${asked(wants)}`, body, kind);
    } catch (error) {
      if (mine !== turn) return;
      if (needsKey(error)) throw error;
      say(`${name} cannot be used. ${error.message}`);
      const box = await columnsBox(error, body, kind, wants, choose);
      if (mine !== turn) return;
      result.replaceChildren(trouble(`${name} cannot be used yet`, error.message), box, hintOf(error));
      if (wants !== GUESSED) result.querySelector(at)?.focus();
      return;
    }
    if (mine !== turn) return;
    const suggested = as ?? (name.replace(/\.[^.]*$/, "").replace(/[_\s]+/g, " ").trim().slice(0, 60) || "catalogue");
    // Another way to ask is tried out at once; without a choice a catalogue that is there keeps its own.
    const asking = askingChoice("asks", wants.about,
      (value) => look(body, kind, name, { ...wants, about: value }, byId("name").value, "input[name=asks]:checked"));
    const shown = previewed(found, name, suggested, served, (called) => put(body, kind, called, wants), asking,
      wants.about === null ? found.ask_about : null, choose);
    result.replaceChildren(...shown);
    byId("drop").classList.add("slim");
    byId("drop").querySelector(".drop-title").textContent = "Drop another table here, or choose a file";
    say(`${name} is read: ${found.items} items, ${found.topics} topics.`);
    (result.querySelector(at) ?? byId("preview-title")).focus();
  });
}

/** Where a table cannot be used as it was taken, what its columns are can be said. */
async function columnsBox(error, body, kind, wants, choose) {
  if (error.code !== "invalid_input") return "";
  let table = null;
  try {
    table = columnTable(await keyed("POST", `/v1/catalogues/columns${asked({ ...wants, about: null })}`, body, kind), choose);
  } catch {
    return ""; // it has no columns that could be told apart
  }
  return table === null ? "" : el("section", { class: "panel hint-box", "aria-labelledby": "which" },
    el("h3", { id: "which" }, "Which column is what?"),
    el("p", {}, "Say which one names the item, and which hold its topics: it is tried out at once."), table);
}

function hintOf(error) {
  if (error.code !== "invalid_input") return "";
  const rows = "name;tags\nLentil soup;vegan|quick\nApple pie;sweet|baked";
  return el("div", { class: "panel hint-box" },
    el("p", {}, "Nothing was stored. Mend the file and drop it again; a table that is surely understood looks like this:"),
    el("pre", { tabindex: "0", "aria-label": "An example of a table" }, rows));
}

const waiting = (text) => el("div", { class: "waiting-box" },
  el("progress", { "aria-label": text }), el("p", {}, text));

// Into service

/** What was chosen, for an address. */
function asked({ about, columns }) {
  const all = Object.entries(columns).map(([name, role]) => ["column", `${role}:${name}`]);
  if (about !== null) all.push(["ask_about", about]);
  return all.length ? `?${new URLSearchParams(all)}` : "";
}

async function put(body, kind, name, wants) {
  const place = byId("putting");
  const button = byId("put");
  button.disabled = true;
  place.replaceChildren(waiting(`Putting ${name} into service …`));
  say(`Putting ${name} into service`);
  await guarded(place, async () => {
    try {
      let found = await keyed("PUT", `/v1/catalogues/${encodeURIComponent(name)}${asked(wants)}`, body, kind);
      while (found.building !== null) {
        place.replaceChildren(waiting(`Version ${found.building} is being built: everyone’s answers are taken over. Until then version ${found.version} is served.`));
        await new Promise((resolve) => { setTimeout(resolve, 700); });
        found = await keyed("GET", `/v1/catalogues/${encodeURIComponent(name)}`);
      }
      if (!served.includes(name)) served.push(name);
      await done(found);
    } finally {
      button.disabled = false;
    }
  });
}

async function done(found) {
  const name = found.catalogue;
  const open = await isOpen();
  const link = el("a", { class: "button primary", href: `/?${new URLSearchParams({ catalogue: name })}`, id: "talk" }, "Talk to it");
  const shut = el("p", { class: "small" }, "People’s pages are closed here: set page = \"open\" in the configuration to talk to it in a browser. Programs can talk to it now.");
  byId("put-form").hidden = true;
  byId("putting").replaceChildren(el("div", { class: "served-now" },
    el("h3", { tabindex: "-1", id: "done" }, `${name} is in service`),
    el("p", {}, `${count(found.items, "item")}, ${count(found.terms, "topic")}${found.people ? "; what people said before was taken over" : ""}.`),
    el("div", { class: "row" }, open ? link : shut, el("a", { href: "#catalogues" }, "All catalogues"))));
  say(`${name} is in service.`);
  (open ? byId("talk") : byId("done")).focus();
}

/** Whether a browser without the key may see people's page. */
async function isOpen() {
  try {
    return (await fetch("/v1/page", { credentials: "omit" })).ok;
  } catch {
    return false;
  }
}

// What the builder does

byId("door-form").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(byId("key").value.trim());
});
byId("leave").addEventListener("click", () => { keepKey(null); location.reload(); });
byId("drop").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", () => { takeFile(byId("file").files[0]); byId("file").value = ""; });
byId("try").addEventListener("click", async () => {
  const response = await fetch("/static/recipes.csv");
  look(await response.blob(), KINDS.csv, "recipes.csv");
});
let inside = 0;
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // else the browser would show the file in place of the page
    if (byId("inside").hidden) return;
    if (kind === "dragenter") inside += 1;
    if (kind === "dragleave") inside -= 1;
    if (kind === "drop") { inside = 0; location.hash = "#upload"; takeFile(event.dataTransfer.files[0]); }
    byId("drop").classList.toggle("over", inside > 0);
  });
}
addEventListener("hashchange", () => { if (!byId("inside").hidden) showTab(true); });
enter();
