// A client of the service without dependencies. What is said carries an id that counts once, so
// whatever got no answer is sent again.

/** What the service refused, with its code and sentence; status 0 where nothing answered. */
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const PASSING = new Set([408, 429, 502, 503, 504, 507]);
const [FIRST_PAUSE, LONGEST_PAUSE] = [200, 8000]; // milliseconds; each is twice the one before

/** An id that nobody else has. */
export const newEvent = () => [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");

/** The error that the service tells of; what is not from it, as from a proxy, has no code. */
function problem(status, text) {
  try {
    const { code, message } = JSON.parse(text).error;
    return new Refused(status, code, message);
  } catch {
    return new Refused(status, "unknown", `The service answered with status ${status}.`);
  }
}

/** Wait, but no longer than until the browser is online again. */
function sleep(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
  });
}

/** Call until there is an answer, as text, or the deadline of all tries (0: one try) has passed. */
export async function send(method, address, { body, kind = "application/json", key, credentials = "same-origin", timeout = 15_000, deadline = 60_000, trouble = () => {} } = {}) {
  const headers = { ...(key && { authorization: `Bearer ${key}` }), ...(body !== undefined && { "content-type": kind }) };
  const end = performance.now() + deadline;
  for (let tries = 0, uncertain = false; ; tries += 1) {
    let failure = new Refused(0, "unreachable", "The service cannot be reached.");
    let wanted = 0;
    try {
      const signal = timeout ? AbortSignal.timeout(timeout) : undefined;
      const response = await fetch(address, { method, headers, body, credentials, signal });
      const text = await response.text();
      if (response.ok) return text;
      if (response.status === 404 && method === "DELETE" && uncertain) return ""; // the first try did it
      failure = problem(response.status, text);
      wanted = Number(response.headers.get("retry-after") ?? 0) * 1000 || 0;
    } catch {
      // cut off, timed out, or offline
    }
    if (failure.status && !PASSING.has(failure.status)) throw failure;
    uncertain ||= failure.status !== 429;
    const pause = wanted || Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE) * (0.5 + Math.random() / 2);
    if (performance.now() + pause >= end) throw failure;
    trouble(failure);
    await sleep(pause);
  }
}

/** People's calls of a service: every one may be repeated. */
export class Client {
  constructor({ address = "", catalogue, ...options } = {}) {
    Object.assign(this, { address, catalogue, options });
  }

  async call(method, path, body, params = {}) {
    const query = new URLSearchParams({ ...(this.catalogue && { catalogue: this.catalogue }), ...params });
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const text = await send(method, `${this.address}${path}?${query}`, { ...this.options, body: sent });
    return text ? JSON.parse(text) : null;
  }

  of(user, rest = "") { return `/v1/users/${encodeURIComponent(user)}${rest}`; }

  next(user, wanted = {}) { return this.call("POST", this.of(user, "/next"), { event: newEvent(), ...wanted }); }

  answer(user, said) { return this.call("POST", this.of(user, "/answers"), { event: newEvent(), ...said }); }

  reward(user, said) { return this.call("POST", this.of(user, "/rewards"), { event: newEvent(), ...said }); }

  /** Each thing said is { answer }, { reward } or { take_back }. */
  steps(user, said, next = null) {
    const marked = said.map((each) => Object.fromEntries(Object.entries(each).map(([what, about]) =>
      [what, what === "take_back" ? about : { event: newEvent(), ...about }])));
    return this.call("POST", this.of(user, "/steps"), { said: marked, next: next && { event: newEvent(), ...next } });
  }

  picture(user) { return this.call("GET", this.of(user, "/picture")); }

  best(user, k = 10) { return this.call("GET", this.of(user, "/best"), undefined, { k }); }

  profile(user, params = {}) { return this.call("GET", this.of(user), undefined, params); }

  explain(user, item) { return this.call("GET", this.of(user, "/explain"), undefined, { item }); }

  retract(user, event) { return this.call("DELETE", this.of(user, `/events/${event}`)); }

  export(user) { return this.call("GET", this.of(user, "/export")); }

  forget(user) { return this.call("DELETE", this.of(user)); }
}
