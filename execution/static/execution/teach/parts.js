/* Small parts of the panels: chips that are switched, texts that are added, panels that wait while somebody writes in them. */

import { fill, h, icon } from "../../rpa_site/dom.js";

export const overline = (words) => h("h3", { class: "overline" }, words);

/** A text that is used or not; a press changes it. `css`: used, plain, data. */
export function chip(words, css, on, onpress, title = "") {
  return h("button", { class: `chip ${css}`, type: "button", "aria-pressed": String(on), title, data: { chip: words }, onclick: onpress }, on ? icon("check") : null, h("span", {}, words));
}

/** A “+” that becomes a field. */
export function textAdder(label, onadd) {
  const button = h("button", { class: "chip plain", type: "button", "aria-label": label, title: label }, icon("plus"));
  button.addEventListener("click", () => {
    const field = h("input", { class: "input chip-input", "aria-label": label, placeholder: label });
    const form = h("form", { class: "chip-form" }, field, h("button", { class: "button slim", type: "submit" }, gettext("Add")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) onadd(field.value.trim());
      form.replaceWith(button);
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      form.replaceWith(button);
      button.focus();
    });
    button.replaceWith(form);
    field.focus();
  });
  return button;
}

const OPENED = ".chip-form, .identity-form, .ways-form"; // forms that somebody has opened to write in them
const FOCUSABLE = "a, button, input, select, summary, textarea";

/** Whether something in `panel` is being pressed; `after` once it is let go: what is drawn anew in between is not clicked. */
export function pressing(panel, after) {
  let pressed = false;
  panel.addEventListener("pointerdown", (event) => { pressed = Boolean(event.target.closest("a, button, label, summary")); });
  const release = () => {
    if (!pressed) return;
    pressed = false;
    setTimeout(after); // after the click
  };
  for (const over of ["pointerup", "pointercancel"]) addEventListener(over, release);
  return () => pressed;
}

/** Draws a panel anew when what it shows has changed; what somebody writes or presses there stays until they are done. */
export function keptWhileTyping(store, panel, what, draw) {
  let shown = "";
  const isInHand = () => {
    const at = document.activeElement;
    if (isPressed()) return true;
    if (!panel.contains(at)) return false;
    const isText = at.matches("input:not([type=checkbox], [type=radio]), textarea");
    return Boolean(at.closest(OPENED)) || (isText && at.value !== at.defaultValue);
  };
  const renew = () => {
    const signature = JSON.stringify(what());
    if (signature === shown || isInHand()) return;
    shown = signature;
    const order = [...panel.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
    const top = panel.scrollTop;
    draw();
    panel.scrollTop = top;
    if (order >= 0) panel.querySelectorAll(FOCUSABLE)[order]?.focus({ preventScroll: true });
  };
  const isPressed = pressing(panel, renew);
  store.onChange(renew);
  panel.addEventListener("focusout", () => setTimeout(renew));
}

/** Something that is read, and edited once somebody asks for it; both are made of what is known by then, not of what was drawn. */
export function editable(read, form, attributes = {}) {
  const box = h("div", attributes);
  const show = () => fill(box, read(change));
  const change = () => {
    const made = form(show);
    fill(box, made);
    made.querySelector("select, input")?.focus();
  };
  show();
  return box;
}

/** A field with its label; `onchange(value)` once somebody has written another one. */
export function field(label, value, onchange, attributes = {}) {
  const id = `f-${Math.random().toString(36).slice(2)}`;
  const { rows } = attributes; // several lines, of which the first may be empty
  const input = rows ? h("textarea", { class: "input", id, ...attributes }, value) : h("input", { class: "input", id, value, ...attributes });
  const given = () => (rows ? input.value.trimEnd() : input.value.trim());
  input.addEventListener("change", () => given() !== value && onchange(given()));
  return h("div", { class: "field" }, h("label", { for: id }, label), input);
}
