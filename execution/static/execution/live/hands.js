/* Control of the desktop: the live picture takes the clicks and keys of whoever has it, until it is given back. */

import { find } from "../../rpa_site/dom.js";
import { State } from "../../rpa_site/state.js";
import { Connection } from "../teach/connection.js";
import { Keyboard } from "../teach/keyboard.js";
import { Pointer } from "../teach/pointer.js";

/** What pointer, keys and connection ask of their page; here there is one tool, and nothing is kept as a step. */
class Hands extends State {
  constructor(store) {
    super();
    this.store = store;
    this.at = { socket: store.run.control_socket };
    this.size = [0, 0];
    Object.assign(this, { tool: "click", connection: "connecting", keyboard: false, isAsking: false, drawing: null, unkept: false, hover: null });
  }

  get takesActs() {
    return this.store.hasControl && this.connection === "live" && this.size[0] > 0;
  }

  take({ type, size, state, why, text }) {
    if (type === "control") this.set({ size });
    else if (type === "acted") this.store.set({ refusal: state === "refused" ? why : "" });
    else if (type === "trouble") this.store.set({ refusal: text });
  }

  sent() {}
}

export function handsView(store, picture) {
  const place = find("#hands");
  const surface = find("canvas", place);
  const line = find("#keys-line");
  let parts = null;
  for (const type of ["pointerdown", "wheel"]) place.addEventListener(type, (event) => event.stopPropagation()); // what pans and zooms lies below
  store.onChange(() => {
    if (store.hasControl && !parts) parts = begin();
    else if (store.hasControl && parts.hands.connection === "refused") parts.connection.again();
    else if (!store.hasControl && picture.hands) end();
    place.hidden = !picture.hands || Boolean(store.selected);
    line.hidden = place.hidden;
  });

  function begin() {
    const hands = new Hands(store);
    const connection = new Connection(hands, show);
    const keyboard = new Keyboard(hands, connection);
    new Pointer(hands, { canvas: place, point: (event) => pointOf(event, hands.size) }, connection, { drawn: () => {}, focusKeys: () => keyboard.focus() });
    surface.setAttribute("aria-label", gettext("What the desktop shows"));
    hands.set({});
    return { hands, connection };
  }

  async function show(jpeg) {
    const image = await createImageBitmap(jpeg).catch(() => null);
    if (!image) return;
    if (surface.width !== image.width || surface.height !== image.height) Object.assign(surface, { width: image.width, height: image.height });
    surface.getContext("2d", { alpha: false }).drawImage(image, 0, 0);
    image.close();
    if (!store.hasControl || picture.hands) return;
    picture.resetZoom();
    picture.hands = [surface.width, surface.height];
    picture.fit();
    store.set({});
  }

  function end() {
    picture.hands = null;
    find("#keys").blur();
    picture.fit();
  }

  /** Where an event lies on the desktop, in its pixels; null beside it. */
  function pointOf(event, [width, height]) {
    const rect = place.getBoundingClientRect();
    const [x, y] = [(event.clientX - rect.left) / rect.width, (event.clientY - rect.top) / rect.height];
    return width && x >= 0 && x < 1 && y >= 0 && y < 1 ? [Math.floor(x * width), Math.floor(y * height)] : null;
  }
}
