/* A board is a part of a page that follows the server. It is fetched anew when something has changed, and only what differs
   is touched: rows keep their place, focus and scroll stay where they are. */

import { find } from "./dom.js";
import { hear } from "./news.js";
import { checkSession } from "./session.js";

const BETWEEN = 400; // at most so often, however much happens; a board may say otherwise
const AFTER_FAILURE = 1500;
const WITHOUT_SOCKET = 5000;

const board = find("[data-board]");
let wanted = false;
let busy = false;
let isLive = false; // where nobody tells of changes, the board is fetched now and then

export async function refresh() {
  wanted = true;
  if (busy || document.hidden) return;
  busy = true;
  try {
    while (wanted && !document.hidden) {
      wanted = false;
      const text = await fetched();
      if (text === null) wanted ||= isLive; // nobody will tell of this change again
      else if (text) show(text);
      await new Promise((done) => setTimeout(done, text === null ? AFTER_FAILURE : Number(board.dataset.between || BETWEEN)));
    }
  } finally {
    busy = false;
  }
}

/** The board as the server has it now; null where the server could not be asked, empty where it will not tell. */
async function fetched() {
  const address = new URL(location.href);
  address.searchParams.set("board", "1");
  try {
    const response = await fetch(address, { credentials: "same-origin", redirect: "manual", headers: { Accept: "text/html" } });
    if (response.type === "opaqueredirect") checkSession();
    if (response.status >= 500) return null;
    return response.ok ? await response.text() : "";
  } catch {
    return null; // the live dot says that the server is away
  }
}

function show(text) {
  morph(board, new DOMParser().parseFromString(text, "text/html").body);
  document.dispatchEvent(new CustomEvent("surehand:board"));
}

/** Make the children of `old` like those of `fresh`, leaving in place whatever is the same: what is moved loses its focus. */
function morph(old, fresh) {
  const kept = new Map();
  for (const child of old.children) if (child.id) kept.set(child.id, child);
  const wishes = [...fresh.childNodes].filter(counts);
  const wanted = new Set(wishes.map((wish) => wish.id).filter(Boolean));
  let at = from(old.firstChild);
  for (const wish of wishes) {
    const mate = wish.id ? kept.get(wish.id) : at && alike(at, wish) ? at : null;
    if (!mate) {
      old.insertBefore(document.importNode(wish, true), at);
      continue;
    }
    while (at && at !== mate && !wanted.has(at.id)) at = dropped(at);
    if (mate === at) at = from(at.nextSibling);
    else old.insertBefore(mate, at);
    become(mate, wish);
  }
  while (at) at = dropped(at);
}

/** Space between elements is left as it is. */
const counts = (node) => node.nodeType !== Node.TEXT_NODE || node.nodeValue.trim() !== "";

/** The first node from here on that counts. */
function from(node) {
  while (node && !counts(node)) node = node.nextSibling;
  return node;
}

function dropped(node) {
  const next = from(node.nextSibling);
  node.remove();
  return next;
}

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && !a.id && !b.id;

function become(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  const keep = old.hasAttribute("data-keep") && fresh.hasAttribute("data-keep");
  for (const { name, value } of [...fresh.attributes]) {
    if (name === "class" && keep) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const isReaders = (keep && name === "class") || (name === "open" && old.nodeName === "DETAILS"); // as they left it
    if (!isReaders && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  if (!keep) morph(old, fresh);
}

if (board) {
  hear("runs", refresh);
  document.addEventListener("surehand:session-back", refresh);
  addEventListener("pageshow", (event) => event.persisted && refresh());
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") refresh(); // perhaps the browser's own copy
  hear("live", (state) => {
    isLive = state === "live";
    if (isLive) refresh(); // what happened while nobody listened
  });
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  const every = Number(board.dataset.every || 0) * 1000;
  setInterval(() => (every || !isLive) && refresh(), every || WITHOUT_SOCKET);
}
