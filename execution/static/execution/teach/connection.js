/* The socket of the lesson: pictures and news come, what is done on the picture goes. */

import { LiveSocket } from "../../rpa_site/socket.js";
import { uuid } from "./ids.js";

const LONGEST = 2300; // milliseconds, before the spread of a quarter: a page that lost its robot is back within 3 s
const HEAD = 12; // bytes before the JPEG: its number, when it was taken

export class Connection {
  /** `show(jpeg, takenAt)` draws a picture, and is done when it is drawn. */
  constructor(store, show) {
    Object.assign(this, { store, show, drawing: false, waiting: null });
    this.socket = new LiveSocket({
      url: () => store.at.socket,
      longest: LONGEST,
      onstate: (state, code) => store.set({ connection: state, closed: code ?? 0, ...(state === "live" ? {} : { hover: null, keeping: false }) }),
      onmessage: (message) => store.take(message),
      onbytes: (buffer) => this.picture(buffer),
    });
  }

  /** The newest picture wins; one that came while another was drawn takes the place of those before it. */
  async picture(buffer) {
    this.waiting = buffer;
    if (this.drawing) return;
    this.drawing = true;
    while (this.waiting) {
      const next = this.waiting;
      this.waiting = null;
      const head = new DataView(next, 0, HEAD);
      await this.show(new Blob([new Uint8Array(next, HEAD)], { type: "image/jpeg" }), head.getFloat64(4));
      this.send({ type: "picture_ack", number: head.getUint32(0) });
    }
    this.drawing = false;
  }

  send(message) {
    return this.socket.send(message);
  }

  /** Something that is done on the desktop, or looked for there: {type, ...} gets an id. Whether it went out. */
  act(message) {
    if (!this.store.takesActs) return false;
    const id = uuid();
    if (!this.send({ ...message, id })) return false;
    this.store.sent(id);
    return id;
  }

  answer(choice, values = {}) {
    const { question } = this.store;
    if (!this.store.isAsking || !this.send({ type: "answer", question: question.id, choice, values })) return;
    this.store.setNow({ answering: question.id });
  }

  cancel() {
    const { question } = this.store;
    if (!this.store.isAsking || !this.send({ type: "cancel", question: question.id })) return;
    this.store.setNow({ answering: question.id });
  }

  again() {
    this.store.set({ connection: "connecting", closed: 0 });
    this.socket.again();
  }
}
