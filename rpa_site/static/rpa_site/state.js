/* What a page knows, and who is told when it changes. */

export class State {
  constructor() {
    this.listeners = [];
    this.scheduled = null;
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Change something and tell the page, once a frame however much changes. */
  set(changes) {
    Object.assign(this, changes);
    this.scheduled ??= requestAnimationFrame(() => this.tell());
  }

  /** The same, seen at once: for what the person has just done. */
  setNow(changes) {
    Object.assign(this, changes);
    cancelAnimationFrame(this.scheduled);
    this.tell();
  }

  tell() {
    this.scheduled = null;
    for (const listener of this.listeners) listener(this);
  }
}
