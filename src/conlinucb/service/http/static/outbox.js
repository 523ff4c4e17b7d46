// What was said and is not acknowledged yet: kept in this browser, and sent until it is.

import { call, mine, newId, profileOf, Refused } from "/static/common.js";

/** Whether the same was said elsewhere: in another tab, or the person is someone new by now. */
export function saidElsewhere(error) {
  return error instanceof Refused && (error.status === 404 || error.status === 409);
}

export function outbox(catalogue, store) {
  async function hand(message) {
    store.put(message);
    return deliver(message);
  }

  async function deliver(message) {
    try {
      const address = mine(catalogue, message.where);
      const receipt = await (message.takesBack ? call("DELETE", address) : call("POST", address, message.body));
      store.drop(message);
      return receipt;
    } catch (error) {
      if (error.status < 500) store.drop(message); // refused for good; what failed over there is kept and sent again
      throw error;
    }
  }

  /** Whether what is to be taken back is what it was: a person who is new has other events. */
  async function stillMeant({ takesBack: { event, at } }) {
    const before = await profileOf(catalogue, { before: event + 1, events: 1 });
    return before.events[0]?.event === event && before.events[0].at === at;
  }

  return {
    send: (where, body, step) => hand({ where, body: { ...body, event: newId() }, step }),

    /** Take back an answer or a reward. */
    takeBack: ({ event, at }) => hand({ where: `/events/${event}`, body: { event: newId() }, takesBack: { event, at } }),

    /** Send what an earlier visit left behind. */
    async flush() {
      for (const message of store.outbox) {
        try {
          if (message.takesBack && !(await stillMeant(message))) store.drop(message);
          else await deliver(message);
        } catch (error) {
          if (!saidElsewhere(error)) throw error;
        }
        if (message.where === "/answers") store.leave(message.step);
      }
    },
  };
}
