// The description of every route, made readable here from the service's own OpenAPI.

import { byId, el, say } from "/static/common.js";
import { keyed, theKey } from "/static/keyed.js";

const METHODS = ["get", "post", "put", "delete"];
const DEPTH = 4; // of schemas within schemas
let description = null;

export async function showApi(place) {
  if (description !== null) return;
  place.replaceChildren(el("p", { class: "waiting" }, "One moment …"));
  const found = await keyed("GET", "/v1/openapi.json");
  description = found;
  const operations = Object.entries(found.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => ({ path, method, about: methods[method] })));
  const groups = new Map();
  for (const each of operations) {
    const tag = each.about.tags?.[0] ?? "other";
    groups.set(tag, [...(groups.get(tag) ?? []), each]);
  }
  place.replaceChildren(
    el("p", { class: "small" }, `Version ${found.info.version}. Built in this browser from `, el("code", {}, "/v1/openapi.json"),
      ". Where the service has a key, every call but the health checks sends it: ", el("code", {}, "Authorization: Bearer KEY"), "."),
    el("label", { class: "find" }, "Find a route", el("input", { id: "find", type: "search", autocomplete: "off", oninput: find })),
    el("p", { id: "found-none", hidden: true }, "No route has that in its address or its summary."),
    ...[...groups].map(([tag, all]) => el("section", { class: "group", "aria-label": tag },
      el("h3", {}, tag), ...all.map(operation))));
}

function find() {
  const wanted = byId("find").value.trim().toLowerCase();
  let some = false;
  for (const group of document.querySelectorAll(".group")) {
    let any = false;
    for (const each of group.querySelectorAll(".operation")) {
      each.hidden = !each.dataset.words.includes(wanted);
      any ||= !each.hidden;
    }
    group.hidden = !any;
    some ||= any;
  }
  byId("found-none").hidden = some;
}

function operation({ path, method, about }) {
  const inner = el("div", { class: "inside" });
  const made = el("details", { class: "operation", "data-words": `${method} ${path} ${about.summary}`.toLowerCase() },
    el("summary", {}, el("span", { class: `method ${method}` }, method.toUpperCase()),
      el("code", { class: "path" }, path), el("span", { class: "summary" }, about.summary ?? "")), inner);
  made.addEventListener("toggle", () => {
    if (made.open && !inner.childElementCount) inner.append(...explained(path, method, about));
  });
  return made;
}

function explained(path, method, about) {
  const command = curl(path, method, about);
  return [
    ...(about.description ?? "").split("\n\n").map((each) => el("p", {}, each.replaceAll("``", ""))),
    about.parameters?.length ? parameters(about.parameters) : null,
    about.requestBody ? body(about.requestBody) : null,
    responses(about.responses),
    el("h4", {}, "Try it"),
    el("div", { class: "curl" }, el("pre", { tabindex: "0", "aria-label": "A command to call it" }, command),
      el("button", { type: "button", onclick: (event) => copy(command, event.currentTarget) }, "Copy")),
  ].filter(Boolean);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    say("Copied");
  } catch {
    button.textContent = "Select and copy it by hand";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function table(title, heads, rows) {
  return el("div", {}, el("h4", {}, title), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
    el("table", { class: "fields" },
      el("thead", {}, el("tr", {}, ...heads.map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, ...rows.map(([first, ...rest]) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, first)),
        ...rest.map((each) => el("td", {}, each))))))));
}

function parameters(all) {
  return table("Parameters", ["Name", "Where", "Kind", "What it is"], all.map((each) =>
    [each.name, each.in, kindOf(each.schema), `${each.description ?? ""}${each.required ? " Needed." : ""}`.trim()]));
}

const named = (ref) => ref.split("/").at(-1);
const resolved = (schema) => {
  if (!schema) return {};
  if (schema.$ref) return resolved(description.components.schemas[named(schema.$ref)]);
  const several = (schema.anyOf ?? schema.oneOf)?.filter((each) => each.type !== "null");
  return several?.length === 1 ? { ...resolved(several[0]), description: schema.description } : schema;
};

function kindOf(schema, depth = 0) {
  if (!schema || depth > DEPTH) return "anything";
  if (schema.$ref) return named(schema.$ref);
  if (schema.anyOf ?? schema.oneOf) return (schema.anyOf ?? schema.oneOf).map((each) => kindOf(each, depth + 1)).join(" or ");
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" or ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${kindOf(schema.items, depth + 1)}`;
  if (schema.additionalProperties?.type) return `table of ${schema.additionalProperties.type}`;
  return schema.type ?? "anything";
}

function body(about) {
  const kinds = Object.entries(about.content);
  const parts = [el("h4", {}, "Body"), el("p", { class: "small" }, kinds.map(([kind]) => kind).join(", "))];
  for (const [kind, content] of kinds) {
    const schema = resolved(content.schema);
    if (schema.properties) parts.push(fields(schema, `Fields of ${kind}`));
    const shown = content.example ?? schema.examples?.[0];
    if (shown !== undefined) parts.push(example(shown, `Example of ${kind}`));
  }
  return el("div", {}, ...parts);
}

function fields(schema, title) {
  const needed = new Set(schema.required ?? []);
  return table(title, ["Field", "Kind", "What it is"], Object.entries(schema.properties).map(([name, each]) => {
    const usual = each.default === undefined || each.default === null ? "" : ` By default ${JSON.stringify(each.default)}.`;
    return [name, kindOf(each), `${each.description ?? ""}${needed.has(name) ? " Needed." : ""}${usual}`.trim()];
  }));
}

const written = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const example = (value, title) => el("pre", { tabindex: "0", "aria-label": title }, written(value));

function responses(all) {
  const good = Object.entries(all).filter(([status]) => status < 400);
  const bad = Object.entries(all).filter(([status]) => status >= 400);
  const parts = [el("h4", {}, "Answers")];
  for (const [status, each] of good) {
    const content = Object.values(each.content ?? {})[0];
    const inside = resolved(content?.schema?.items ?? content?.schema);
    parts.push(el("p", {}, el("strong", {}, status), ` ${each.description}`));
    const shown = inside.examples?.[0];
    if (shown !== undefined) parts.push(example(content.schema.items ? [shown] : shown, `Example of ${status}`));
  }
  if (bad.length) {
    parts.push(el("details", {}, el("summary", {}, "Errors"), el("ul", { class: "errors" },
      ...bad.map(([status, each]) => el("li", {}, el("strong", {}, status), ` ${each.description}`)))));
  }
  return el("div", {}, ...parts);
}

function curl(path, method, about) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const query = (about.parameters ?? []).filter((each) => each.in === "query" && each.required)
    .map((each) => `${each.name}=${each.name.toUpperCase()}`).join("&");
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const known = about.parameters?.find((each) => each.name === name);
    return encodeURIComponent(known?.schema?.examples?.[0] ?? known?.examples?.[0] ?? 1);
  });
  const parts = ["curl", ...(method === "get" ? [] : ["-X", method.toUpperCase()]), quoted(location.origin + filled + (query ? `?${query}` : ""))];
  if (theKey() !== null) parts.push("-H", "\"Authorization: Bearer $CONLINUCB_KEY\"");
  const content = about.requestBody?.content ?? {};
  const kind = Object.keys(content)[0];
  if (kind) {
    const shown = content[kind].example ?? resolved(content[kind].schema).examples?.[0] ?? {};
    parts.push("-H", quoted(`content-type: ${kind}`), "--data-binary", quoted(typeof shown === "string" ? shown : JSON.stringify(shown)));
  }
  return parts.join(" ");
}
