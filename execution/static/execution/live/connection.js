/* How news of the run arrive: by socket, or by asking again and again where no socket gets through. */

import { checkSession, isOver } from "../../rpa_site/session.js";
import { LiveSocket } from "../../rpa_site/socket.js";

const ASK_EVERY = 2000;
const ASKING = { credentials: "same-origin", cache: "no-store", redirect: "manual", headers: { Accept: "application/json" } };

export function connect(store) {
  const poller = new Poller(store);
  // a page that comes back from the browser's memory, or from its disk, shows an old state and an old clock
  addEventListener("pageshow", (event) => event.persisted && poller.once());
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") poller.once();
  document.addEventListener("surehand:session-over", () => poller.stop());
  document.addEventListener("surehand:session-back", () => poller.once());
  store.onChange(() => store.isFinal && !store.summary && poller.askSummary());
  new LiveSocket({
    url: () => `${store.run.socket}?after=${store.seq}`,
    onstate(state) {
      if (state === "live") {
        poller.stop();
        store.set({ connection: "live" });
      } else if (state === "refused") {
        poller.stop();
        store.set({ connection: "lost" });
      } else {
        poller.start();
      }
    },
    onmessage(message, send) {
      if (message.type === "snapshot") {
        store.takeSnapshot(message);
        send({ type: "ack", seq: message.seq });
      } else if (message.type === "events") {
        store.takeEvents(message.events);
        send({ type: "ack", seq: message.events.at(-1)?.seq ?? store.seq });
      } else if (message.type === "frame") {
        showFrame(store, message.url, message.taken_at).finally(() => send({ type: "frame_ack" }));
      }
    },
  });
}

/** Load the picture first, then show it: the old one stays until the new one is whole. */
async function showFrame(store, url, takenAt) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    return; // the run has left its desktop in the meantime; the next picture comes, or none
  }
  store.set({ frame: { url, takenAt } });
}

class Poller {
  constructor(store) {
    Object.assign(this, { store, timer: null, tag: "", summaryAsked: false });
  }

  /** The state as it is, beside whatever else brings news. */
  async once() {
    const response = await fetch(this.store.run.snapshot, ASKING).catch(() => null);
    if (!response?.ok) return void (response?.type === "opaqueredirect" && checkSession());
    const snapshot = await response.json();
    if (snapshot.seq >= this.store.seq) this.store.takeSnapshot(snapshot); // else events have overtaken it
  }

  /** The run has ended: what it came to is in no event. Asked until it is there. */
  async askSummary() {
    if (this.summaryAsked) return;
    this.summaryAsked = true;
    await this.once();
    if (!this.store.summary && !isOver()) setTimeout(() => ((this.summaryAsked = false), this.store.set({})), ASK_EVERY);
  }

  start() {
    if (this.timer === null) this.timer = setTimeout(() => this.ask(), ASK_EVERY);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  async ask() {
    const { store } = this;
    try {
      const response = await fetch(store.run.snapshot, ASKING);
      if (response.type === "opaqueredirect" && (await checkSession())) return;
      if (!response.ok) throw new Error(String(response.status));
      store.takeSnapshot(await response.json());
      store.set({ connection: "polling" });
      if (store.execution.on_desktop) await this.askFrame();
    } catch {
      store.set({ connection: "lost" });
    }
    if (this.timer !== null) this.timer = setTimeout(() => this.ask(), store.isFinal ? ASK_EVERY * 5 : ASK_EVERY);
  }

  async askFrame() {
    const response = await fetch(this.store.run.frame, { credentials: "same-origin", method: "HEAD", cache: "no-store" });
    const tag = response.headers.get("ETag");
    if (!response.ok || tag === this.tag) return;
    this.tag = tag;
    await showFrame(this.store, `${this.store.run.frame}?v=${encodeURIComponent(tag)}`, response.headers.get("X-Taken-At"));
  }
}
