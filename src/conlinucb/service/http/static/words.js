// How likings, reasons and progress read: words in place of numbers.

const LOVE = 0.55;
const LIKE = 0.18;

/** A list as one says it: "a, b and c". */
export function listed(words, last = "and") {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

let nouns = "items";

/** What the items are called, in what is said from now on. */
export function speakOf(found = "items") {
  nouns = found;
}

/** A topic within a sentence: of what is "set in space", one loves films. */
const phrase = (topic) => (/^(set|made|from|based|about|with|for|by) /i.test(topic) ? `${nouns} ${topic}` : topic);

/** What an item is called: with its year, where the title does not say it. */
export function nameOf({ item, title, year }) {
  const name = title ?? item;
  return year && !name.includes(String(year)) ? `${name} (${year})` : name;
}

/** A liking from -1 to 1, in a word. */
export function word({ liking, said }) {
  if (liking >= LOVE) return "love it";
  if (liking >= LIKE) return "like it";
  if (liking <= -LOVE) return "can't stand it";
  if (liking <= -LIKE) return "rather not";
  return said === null || said === undefined ? "no idea yet" : "so-so";
}

export const isLiked = ({ liking }) => liking >= LIKE;

/** How well someone is known, from 0 to 1. */
export function progress(known) {
  if (known < 0.02) return "We have just met";
  if (known < 0.2) return "I am getting a first idea of you";
  if (known < 0.45) return "I begin to see what you like";
  if (known < 0.7) return "A few more and I know you well";
  return "I know you well";
}

/** What was said of two or more topics, as a sentence: { chose } of a pair, { picked, pick } of a group. */
export function preference(terms, { chose, picked, pick }) {
  const [first, second] = terms.map(phrase);
  if (chose === "first") return `You prefer ${first} to ${second}`;
  if (chose === "second") return `You prefer ${second} to ${first}`;
  if (chose === "both") return `You like both ${first} and ${second}`;
  if (chose === "neither") return `You like neither ${first} nor ${second}`;
  if (!picked) return null;
  const names = picked.map(phrase);
  const rest = terms.filter((each) => !picked.includes(each)).map(phrase);
  if (!names.length) return `You like none of ${listed(terms.map(phrase))}`;
  if (pick === "best") return `You like ${names[0]} best, before ${listed(rest)}`;
  return `You like ${listed(names)}`;
}

/** The reasons for an item, as a sentence; null where there are none. */
export function because(reasons) {
  const topics = reasons.filter((each) => each.kind === "topic");
  const loved = topics.filter((each) => each.liking >= LOVE).map((each) => phrase(each.about));
  const liked = topics.filter((each) => each.liking < LOVE).map((each) => phrase(each.about));
  const items = reasons.filter((each) => each.kind === "item").map((each) => each.title ?? each.about);
  const parts = [];
  if (loved.length) parts.push(`love ${listed(loved)}`);
  if (liked.length) parts.push(`like ${listed(liked)}`);
  for (const { about, over } of reasons.filter((each) => each.kind === "pair").slice(0, 1)) parts.push(`prefer ${phrase(about)} to ${phrase(over)}`);
  if (items.length) parts.push(`liked ${listed(items)}`);
  return parts.length ? `Because you ${listed(parts)}` : null;
}

const most = (topics, fits, count) =>
  topics.filter(fits).sort((a, b) => Math.abs(b.liking) - Math.abs(a.liking)).slice(0, count).map((each) => each.term);

/** Someone's taste in three short lists. */
export function tasteOf(topics, preferred = []) {
  const isYes = (said) => said === "yes" || (typeof said === "number" && said > 0);
  const clear = topics.filter((each) => each.liking >= LOVE || (isYes(each.said) && each.liking >= LIKE));
  const love = most(clear, () => true, 3);
  const prefer = preferred.slice(0, 2).map(({ term, over }) => [term, over]);
  const compared = new Set(prefer.flat());
  const isNew = ({ term, said }) => !compared.has(term) || typeof said === "string"; // else once is enough
  return {
    love,
    like: most(topics, (each) => each.liking >= LIKE && !love.includes(each.term) && isNew(each), 3),
    not: most(topics, (each) => each.liking <= -LIKE && isNew(each), 2),
    prefer,
  };
}

/** The same as one sentence; null where nothing is known. */
export function sentence({ love, like, not, prefer = [] }, who = "You") {
  const parts = [];
  if (love.length) parts.push(`love ${listed(love.map(phrase))}`);
  if (like.length) parts.push(`like ${listed(like.map(phrase))}`);
  if (not.length) parts.push(`can do without ${listed(not.map(phrase), "or")}`);
  for (const [term, over] of prefer) parts.push(`prefer ${phrase(term)} to ${phrase(over)}`);
  return parts.length ? `${who} ${parts.length > 1 ? `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1)}` : parts[0]}.` : null;
}
