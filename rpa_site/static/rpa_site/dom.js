/* Small helpers to build a page. Whatever came from a screen is only ever set as text. */

const SVG = "http://www.w3.org/2000/svg";
const SPRITE = document.querySelector('meta[name="icons"]').content;

/** h("button", {class: "button", onclick: f}, "text", node, ...): an element with properties and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  put(element, children);
  return element;
}

/** The same for SVG. */
export function s(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  put(element, children);
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
  else if (name === "data") Object.assign(element.dataset, value);
  else element.setAttribute(name, value === true ? "" : value);
}

function put(element, children) {
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function icon(name, css = "") {
  return s("svg", { class: `icon ${css}`, "aria-hidden": "true", focusable: "false" }, s("use", { href: `${SPRITE}#${name}` }));
}

/** Put `children` in the place of what is in `element`. */
export function fill(element, ...children) {
  element.replaceChildren();
  put(element, children);
  return element;
}

/** Set a text only when it differs, so that live regions do not repeat themselves. */
export function text(element, value) {
  if (element && element.textContent !== value) element.textContent = value;
}

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

export function json(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : {};
}

/** Whether a key press belongs to a field that is being typed in, or to a browser shortcut. */
export function isTyping(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target;
  return target instanceof Element && Boolean(target.closest("input, textarea, select, [contenteditable], dialog"));
}

export function announce(message) {
  text(document.getElementById("announcer"), message);
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
