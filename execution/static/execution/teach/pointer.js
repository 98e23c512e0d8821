/* Mouse and finger on the picture: what is pointed at, clicked, dragged, scrolled and drawn. */

import { find, h } from "../../rpa_site/dom.js";
import { SETS } from "./control.js";
import { CLICKS, LOOKS } from "./store.js";

const POINTS = new Set(["mend", "not_possible", "redraw"]); // what a click says as well as a box
const HOVER_EVERY = 70; // milliseconds: at most 15 a second
const STILL = 5; // pixels of the page that a click may slip
const TWICE = 400; // milliseconds between the two clicks of a double click
const NOTCH = 100; // of the wheel, in pixels
const WHEEL_EVERY = 120;

export class Pointer {
  /** `drawn(box)` gets the rectangle that `store.drawing` asked for, in pixels of the desktop. */
  constructor(store, desktop, connection, { drawn, focusKeys }) {
    Object.assign(this, { store, desktop, connection, drawn, focusKeys, down: null, last: null, wheel: 0 });
    const { canvas } = desktop;
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerleave", () => this.left());
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointerup", (event) => this.released(event));
    canvas.addEventListener("pointercancel", () => this.forget());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    addEventListener("keydown", (event) => event.key === "Alt" && store.set({ unkept: true }));
    addEventListener("keyup", (event) => event.key === "Alt" && store.set({ unkept: false }));
    addEventListener("blur", () => store.set({ unkept: false }));
    store.onChange(() => (canvas.style.touchAction = this.draws ? "none" : ""));
  }

  /** Whether a drag draws on the picture, or drags on the desktop: a finger scrolls otherwise. */
  get draws() {
    return Boolean(this.store.drawing) || LOOKS.has(this.store.tool) || SETS.has(this.store.tool) || this.store.tool === "drag";
  }

  moved(event) {
    const at = this.desktop.point(event);
    if (this.down) return void this.rubber(event);
    if (!at || event.pointerType === "touch" || this.store.drawing || this.store.control || !this.store.takesActs) return;
    this.at = at;
    this.hovering ??= setTimeout(() => this.say(), Math.max(0, HOVER_EVERY - (performance.now() - (this.saidAt ?? 0))));
  }

  say() {
    this.hovering = null;
    this.saidAt = performance.now();
    if (this.at && !this.store.isAsking) this.connection.send({ type: "pointer", x: this.at[0], y: this.at[1] });
  }

  left() {
    this.at = null;
    if (this.store.hover) this.store.set({ hover: null });
  }

  pressed(event) {
    const at = this.desktop.point(event);
    if (!at || (event.button !== 0 && event.button !== 2)) return;
    if (!this.store.drawing && !this.store.takesActs) return;
    if (event.pointerType !== "touch" || this.draws) event.preventDefault(); // no selection, and the keys stay where they are
    this.down = { at, x: event.clientX, y: event.clientY, button: event.button };
    if (this.draws) this.desktop.canvas.setPointerCapture(event.pointerId);
    if (event.pointerType !== "touch" && !this.store.drawing && !this.store.control) this.focusKeys();
  }

  released(event) {
    const { down, store } = this;
    const at = this.desktop.point(event) ?? down?.at;
    this.forget();
    if (!down || !at) return;
    const slipped = Math.hypot(event.clientX - down.x, event.clientY - down.y) > STILL;
    const box = [Math.min(at[0], down.at[0]), Math.min(at[1], down.at[1]), Math.abs(at[0] - down.at[0]), Math.abs(at[1] - down.at[1])];
    if (store.drawing) return void (slipped ? this.drawn(box) : POINTS.has(store.drawing.kind) && this.drawn(null, at));
    if (store.isAsking || store.control) return; // one thing at a time
    if (LOOKS.has(store.tool)) return void this.look(slipped ? { box } : { x: at[0], y: at[1] });
    if (SETS.has(store.tool)) return void this.control(at, slipped ? box : null);
    if (slipped) return void this.act("drag", down.at, { dx: at[0] - down.at[0], dy: at[1] - down.at[1] }, event);
    if (store.tool === "drag") return;
    const act = down.button === 2 ? "right_click" : store.tool;
    if (CLICKS.has(act)) this.click(act, at, event);
  }

  /** The second of two quick clicks makes them one double click: it names the first, which is no step of its own then. */
  click(act, at, event) {
    const { last } = this;
    const again = act === "click" && last && event.timeStamp - last.time < TWICE && Math.hypot(at[0] - last.at[0], at[1] - last.at[1]) <= STILL;
    const id = this.act(again ? "double_click" : act, at, again ? { instead_of: last.id } : {}, event);
    this.last = act === "click" && !again && id ? { id, at, time: event.timeStamp } : null;
    if (id && act !== "click") this.store.set({ tool: "click" }); // chosen for one act
  }

  act(act, [x, y], more, event) {
    return this.connection.act({ type: "act", act, x, y, ...more, keep: !event.altKey });
  }

  look(where) {
    if (this.connection.act({ type: "look", act: this.store.tool, ...where })) this.store.set({ tool: "click" });
  }

  /** A control was pointed at: what it is brought to is asked on the page, then it is done. */
  control(at, box) {
    const { store } = this;
    const { hover } = store;
    const over = hover && hover.box && inside(at, hover.box) ? hover : null;
    const where = box ? { box } : { x: at[0], y: at[1] };
    store.setNow({ control: { act: store.tool, where, box: box ?? over?.box ?? null, said: over?.sentence ?? "" }, tool: "click", hover: null });
  }

  rubber(event) {
    if (!this.draws) return;
    const rect = this.desktop.canvas.getBoundingClientRect();
    const [x, y] = [Math.min(event.clientX, this.down.x) - rect.left, Math.min(event.clientY, this.down.y) - rect.top];
    this.band ??= this.desktop.canvas.appendChild(h("div", { class: "band" }));
    Object.assign(this.band.style, { left: `${x}px`, top: `${y}px`, width: `${Math.abs(event.clientX - this.down.x)}px`, height: `${Math.abs(event.clientY - this.down.y)}px` });
  }

  forget() {
    this.down = null;
    this.band?.remove();
    this.band = null;
  }

  /** Many small turns are one act; a turn of the wheel is a notch or more. */
  wheeled(event) {
    if (event.ctrlKey || !this.store.takesActs || this.store.isAsking) return;
    const at = this.desktop.point(event);
    if (!at) return;
    event.preventDefault();
    this.wheel += event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    this.turning ??= setTimeout(() => {
      const notches = Math.trunc(this.wheel / NOTCH) || Math.sign(this.wheel);
      Object.assign(this, { turning: null, wheel: 0 });
      if (notches) this.act("scroll", at, { dx: 0, dy: notches }, event);
    }, WHEEL_EVERY);
  }
}

const inside = ([x, y], [left, top, width, height]) => x >= left && y >= top && x < left + width && y < top + height;

/** A finger has no keys beside it: a button brings them. */
export function keyboardButton(focusKeys) {
  find("#keyboard").addEventListener("click", focusKeys);
}
