/* How news of the run arrive: by socket, or by asking again and again where no socket gets through. */

import { LiveSocket } from "../../rpa_site/socket.js";

const ASK_EVERY = 2000;

export function connect(store) {
  const poller = new Poller(store);
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
    Object.assign(this, { store, timer: null, tag: "" });
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
      const response = await fetch(store.run.snapshot, { credentials: "same-origin", headers: { Accept: "application/json" } });
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
