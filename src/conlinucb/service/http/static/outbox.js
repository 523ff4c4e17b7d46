// What was said and is not acknowledged yet: kept in this browser, and sent until it is.

import { Refused } from "/static/client.js";
import { call, mine, profileOf } from "/static/common.js";
import { newId } from "/static/kept.js";

const MOST = 100; // things said in one request

/** A take-back of something that is not acknowledged, so its number is not known. */
const isUnnumbered = ({ kind, body }) => kind === "take_back" && body.event === null;

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

  /** Things said whose number came meanwhile can be taken back; what was never taken in need not be. */
  function number() {
    for (const message of store.outbox.filter(isUnnumbered)) {
      const event = store.numberOf(message.client);
      if (event !== null) store.put({ ...message, body: { event } });
      else if (!store.outbox.some((each) => each.id === message.client)) store.drop(message);
    }
  }

  /** What an earlier visit left behind may be about someone else by now. */
  async function check() {
    if (checked) return;
    checked = true;
    for (const message of store.outbox.filter((each) => each.kind === "take_back" && !isUnnumbered(each))) {
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

    /** The same for a reward that is not acknowledged yet. */
    takeBackWaiting(item) {
      const found = store.outbox.findLast(({ kind, body }) => kind === "reward" && body.item === item);
      if (found) put("take_back", { event: null }, { client: found.id, item });
    },

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
      const isHeld = store.outbox.some(isUnnumbered);
      const waiting = store.outbox.filter((each) => !isUnnumbered(each));
      const messages = waiting.slice(0, MOST);
      const isMore = isHeld || waiting.length > MOST;
      if (!messages.length && isHeld) {
        number();
        return this.flush(next);
      }
      if (!messages.length && !next) return null;
      const turn = ++asked;
      const found = await send(messages, isMore ? null : next);
      const refused = [];
      messages.forEach((message, i) => {
        const receipt = found.receipts[i];
        store.drop(message);
        if (receipt?.error) refused.push({ message, error: receipt.error });
        else if (receipt && message.kind !== "take_back") store.learn(message.id, receipt.event);
      });
      if (waiting.length <= MOST) number();
      if (isMore) return (await this.flush(next)) ?? { ...found, refused, isLatest: true, elsewhere: false };
      const isLatest = turn > applied;
      applied = Math.max(applied, turn);
      // A question that has its answer, or is of someone who is new by now.
      const elsewhere = refused.some(({ message }) => message.body.question);
      return { ...found, refused, isLatest, elsewhere };
    },
  };
}
