// A taste in a link: everything stands behind the #, so no server sees it.

const VERSION = 1;
const LONGEST = 6000;
const MOST = { love: 3, like: 3, not: 2, best: 10 };
const isText = (found) => typeof found === "string" && found.length > 0 && found.length <= 200;
const isLiking = (found) => typeof found === "number" && found >= -1 && found <= 1;

/** The part of an address behind "#". */
export function packed(taste) {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: VERSION, ...taste }));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What a link holds; null where it is not one of ours. Nothing but short texts comes through. */
export function unpacked(fragment) {
  if (!/^[A-Za-z0-9_-]{10,}$/.test(fragment) || fragment.length > LONGEST) return null;
  try {
    const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
    const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return found?.v === VERSION ? checked(found) : null;
  } catch {
    return null;
  }
}

function checked(found) {
  const texts = (name) => (Array.isArray(found[name]) ? found[name].filter(isText).slice(0, MOST[name]) : []);
  const petals = Array.isArray(found.petals) ? found.petals.filter((each) => isText(each?.[0]) && isLiking(each[1])).slice(0, 8) : [];
  const taste = { love: texts("love"), like: texts("like"), not: texts("not"), best: texts("best"), petals, nouns: isText(found.nouns) ? found.nouns : "items" };
  return taste.love.length + taste.like.length + taste.not.length ? taste : null;
}
