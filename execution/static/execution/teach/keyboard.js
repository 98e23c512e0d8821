/* Keys for the desktop, as the browser composes them: dead keys, input methods and pasted text arrive whole. */

import { find, h, icon, text } from "../../rpa_site/dom.js";
import { typeDialog } from "./type_dialog.js";

const NAMED = {
  Enter: "enter", Tab: "tab", Backspace: "backspace", Delete: "delete", Insert: "insert", ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
  Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown", ContextMenu: "menu", Escape: "esc", PrintScreen: "printscreen", " ": "space",
};
const MODIFIERS = new Set(["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock", "ScrollLock", "Fn", "OS"]);
const COMPOSING = new Set(["Dead", "Process", "Compose", "Unidentified"]);

/** The chord of a key press in the product's own names, such as "ctrl+s"; "" where it writes a letter, or is none yet. */
export function chordOf(event) {
  const { key } = event;
  if (event.isComposing || COMPOSING.has(key) || MODIFIERS.has(key)) return "";
  const writes = key.length === 1 && key !== " " ? true : key === " ";
  const third = event.getModifierState("AltGraph"); // writes @ and € on many keyboards
  const modified = (event.ctrlKey || event.altKey || event.metaKey) && !third;
  if (writes && !modified) return "";
  const name = NAMED[key] ?? (/^F([1-9]|1[0-2])$/.test(key) ? key.toLowerCase() : writes ? key.toLowerCase() : "");
  if (!name) return "";
  const held = [event.ctrlKey && !third && "ctrl", event.altKey && !third && "alt", event.shiftKey && "shift", event.metaKey && "super"].filter(Boolean);
  return [...held, name].join("+");
}

export class Keyboard {
  /** Without `edits` there is no draft, and nothing but keys is typed. */
  constructor(store, connection, edits = null) {
    Object.assign(this, { store, connection, edits });
    this.box = find("#keys");
    this.line = find("#keys-line");
    this.box.addEventListener("focus", () => store.setNow({ keyboard: true }));
    this.box.addEventListener("blur", () => store.setNow({ keyboard: false }));
    this.box.addEventListener("keydown", (event) => this.pressed(event));
    this.box.addEventListener("input", (event) => event.isComposing || this.written());
    this.box.addEventListener("compositionend", () => this.written());
    this.box.addEventListener("paste", (event) => {
      event.preventDefault();
      this.type(event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n"));
    });
    const keep = (event) => event.preventDefault(); // a press on a button takes the keys from nobody
    const words = h("span", {});
    const value = h("button", { class: "note-button", type: "button", onmousedown: keep, onclick: () => typeDialog(store, this) }, icon("variable"), gettext("Type a value"));
    const escape = h("button", { class: "note-button", type: "button", onmousedown: keep, onclick: () => this.escape() }, "Esc", h("span", { class: "visually-hidden" }, `: ${gettext("press Escape on the desktop")}`));
    this.line.append(words, this.edits ? value : "", escape);
    store.onChange(() => {
      text(words, store.keyboard ? gettext("Keys go to the desktop · Esc lets go") : gettext("Click the picture: keys go to the desktop then"));
      find("#stage").classList.toggle("has-keys", store.keyboard);
      escape.hidden = !store.keyboard;
      value.disabled = !store.takesActs;
    });
  }

  focus() {
    if (this.store.takesActs) this.box.focus({ preventScroll: true });
  }

  /** Escape lets go; the desktop's own Escape is Shift and Escape, or the button. */
  pressed(event) {
    if (event.key === "Escape" && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      return void this.box.blur();
    }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v" && !event.altKey && !event.shiftKey) return; // pasted: its text comes whole
    const keys = event.key === "Escape" ? "esc" : chordOf(event);
    if (!keys) return;
    event.preventDefault();
    event.stopPropagation();
    this.written(); // what stands before it comes before it
    this.connection.act({ type: "keys", keys, keep: true });
  }

  escape() {
    this.connection.act({ type: "keys", keys: "esc", keep: true });
    this.focus();
  }

  written() {
    const written = this.box.value;
    this.box.value = "";
    this.type(written);
  }

  type(text) {
    if (text) this.connection.act({ type: "type", text, keep: true });
  }

  /** The robot types `value` and keeps {{name}}: the value is in no message but this one. */
  typeSecret(name, value) {
    return this.connection.act({ type: "type", text: `{{${name}}}`, secret: value, keep: true });
  }
}
