/* A socket that comes back: after a loss it tries again, ever more slowly, from where it was. */

import { sessionEnded } from "./session.js";

const NOT_LOGGED_IN = 4401;
const FIRST_DELAY = 500;
const LONGEST_DELAY = 15000;
const REFUSED = new Set([NOT_LOGGED_IN, 4403, 4404, 4409]);

export class LiveSocket {
  /**
   * `url()` is asked at each attempt; `onmessage(message, send)` gets what came, `onbytes(buffer, send)` what is no
   * text; `onstate` hears "connecting", "live", "lost" or, when asking again is useless, "refused" with the close code.
   * `longest`: the most that it waits between two attempts, in milliseconds.
   */
  constructor({ url, onmessage, onstate, onbytes = () => {}, longest = LONGEST_DELAY }) {
    Object.assign(this, { url, onmessage, onstate, onbytes, longest });
    this.delay = FIRST_DELAY;
    this.timer = null;
    this.socket = null;
    addEventListener("online", () => this.now());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.now());
    addEventListener("pagehide", () => this.socket?.close());
    addEventListener("pageshow", (event) => event.persisted && this.again());
    document.addEventListener("surehand:session-back", () => this.again());
    this.open();
  }

  /** Try at once instead of after the delay. */
  now() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.open();
  }

  /** Open anew, whatever there was: the page was put away, or its session had ended. */
  again() {
    clearTimeout(this.timer);
    const old = this.socket;
    this.socket = null;
    old?.close();
    this.open();
  }

  open() {
    this.timer = null;
    const address = new URL(this.url(), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.delay = FIRST_DELAY;
      this.onstate("live");
    });
    const answer = (message) => this.send(message);
    socket.addEventListener("message", ({ data }) => (typeof data === "string" ? this.onmessage(JSON.parse(data), answer) : this.onbytes(data, answer)));
    socket.addEventListener("close", (event) => this.socket === socket && this.closed(event.code));
  }

  /** Whether it went out. */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  closed(code) {
    if (code === NOT_LOGGED_IN) sessionEnded();
    if (REFUSED.has(code)) {
      this.onstate("refused", code);
      return;
    }
    this.onstate("lost", code);
    const spread = 0.75 + Math.random() / 2; // many browsers must not come back in the same moment
    this.timer = setTimeout(() => this.open(), this.delay * spread);
    this.delay = Math.min(this.delay * 2, this.longest);
  }
}
