// What was said and is not acknowledged yet: kept in this browser, and sent until it is.

import { call, mine, profileOf, Refused } from "/static/common.js";
import { newId } from "/static/kept.js";

const MOST = 100; // things said in one request

export function outbox(catalogue, store) {
  let asked = 0;
  let applied = 0;
  let checked = false;

  function put(kind, body, more = {}) {
    const message = { kind, id: newId(), body, at: Date.now() + (++put.order % 1000) / 1000, ...more };
    store.put(message);
    return message;
  }

  put.order = 0; // of what is said within a millisecond

  const said = ({ kind, id, body }) => ({ [kind]: kind === "take_back" ? body : { ...body, event: id } });

  /** Whether what is to be taken back is what it was: a person who is new has other events. */
  async function stillMeant({ body, client, when }) {
    const { events } = await profileOf(catalogue, { before: body.event + 1, events: 1 });
    const [found] = events;
    if (found?.event !== body.event || found.retracted) return false;
    return client ? found.client_id === client : found.at === when;
  }

  /** What an earlier visit left behind may be about someone else by now. */
  async function check() {
    if (checked) return;
    checked = true;
    for (const message of store.outbox.filter((each) => each.kind === "take_back")) {
      if (!(await stillMeant(message))) store.drop(message);
    }
  }

  async function send(messages, next) {
    try {
      return await call("POST", mine(catalogue, "/steps"), { said: messages.map(said), next });
    } catch (error) {
      // Refused for good; what failed over there is kept and sent again.
      if (error instanceof Refused && error.status < 500 && error.status !== 401) messages.forEach(store.drop);
      throw error;
    }
  }

  return {
    /** Something said in a step. */
    answer: (body, step) => {
      const message = put("answer", body);
      store.note(step, message.id, null);
    },
    reward: (body, step) => {
      const message = put("reward", body);
      store.note(step, message.id, null);
    },

    /** Take back an answer or a reward; client or time tell it from that of someone else. */
    takeBack: ({ event, at, item, client_id }) =>
      put("take_back", { event }, { client: client_id ?? store.clientOf(event), when: at ?? null, item: item ?? null }),

    /** Someone new has no part in what someone before was asked, shown or took back. */
    dropOthers() {
      const isBound = ({ kind, body }) => kind === "take_back" || body.question || body.decision;
      store.outbox.filter(isBound).forEach(store.drop);
    },

    /** What is said about an item and not acknowledged: its reward, null where it is taken back. */
    waitingFor(item) {
      return store.outbox.filter((each) => (each.kind === "reward" ? each.body.item : each.item) === item)
        .map((each) => (each.kind === "reward" ? each.body.reward : null)).at(-1);
    },

    /**
     * Send everything that waits, and ask for what comes next. `isLatest`: nothing that was asked
     * later has been answered before.
     */
    async flush(next = null) {
      await check();
      const waiting = store.outbox;
      const messages = waiting.slice(0, MOST);
      if (!messages.length && !next) return null;
      const turn = ++asked;
      const found = await send(messages, waiting.length > MOST ? null : next);
      const refused = [];
      messages.forEach((message, i) => {
        const receipt = found.receipts[i];
        store.drop(message);
        if (receipt?.error) refused.push({ message, error: receipt.error });
        else if (receipt && message.kind !== "take_back") store.learn(message.id, receipt.event);
      });
      if (waiting.length > MOST) return this.flush(next);
      const isLatest = turn > applied;
      applied = Math.max(applied, turn);
      // A question that has its answer, or is of someone who is new by now.
      const elsewhere = refused.some(({ message }) => message.kind === "answer");
      return { ...found, refused, isLatest, elsewhere };
    },
  };
}
