/* While Correct is open the question's time stands still: a sign of life goes to the server as long as somebody is at work. */

import { post } from "../../rpa_site/post.js";

const SIGN_EVERY = 20_000;
const AWAY_AFTER = 5 * 60_000; // an open form that nobody touches lets the time run again
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel"];

export class Hold {
  constructor(store) {
    Object.assign(this, { store, id: store.prompt.prompt_id, active: Date.now() });
    this.ended = new AbortController();
    const options = { signal: this.ended.signal, passive: true };
    for (const kind of SIGNS) addEventListener(kind, () => this.touched(), options);
    addEventListener("pagehide", () => this.say(false), options);
    addEventListener("pageshow", (event) => event.persisted && this.say(true), options);
    this.timer = setInterval(() => this.isAway || this.say(true), SIGN_EVERY);
    this.say(true);
  }

  get isAway() {
    return Date.now() - this.active > AWAY_AFTER;
  }

  touched() {
    const wasAway = this.isAway;
    this.active = Date.now();
    if (wasAway) this.say(true);
  }

  end() {
    this.ended.abort();
    clearInterval(this.timer);
    this.say(false);
  }

  /** Hold, or let go; what is no longer asked is left alone. */
  async say(held) {
    const { store } = this;
    if (!store.me.may_operate || !store.isAsking || store.prompt.prompt_id !== this.id) return;
    try {
      const prompt = await post(store.run.hold, { prompt_id: this.id, held }, { keepalive: true });
      if (store.isAsking && store.prompt.prompt_id === this.id) store.set({ prompt });
    } catch {
      // somebody else holds it, or it is answered: the stream tells; a server that is away is tried again with the next sign
    }
  }
}
