/* A board is a part of a page that follows the server. It is fetched anew when something has changed, and only what differs
   is touched: rows keep their place, focus and scroll stay where they are. */

import { find } from "./dom.js";
import { checkSession } from "./session.js";

const BETWEEN = 400; // at most so often, however much happens; a board may say otherwise
const WITHOUT_SOCKET = 5000;

const board = find("[data-board]");
let wanted = false;
let busy = false;
let isLive = false;

export async function refresh() {
  wanted = true;
  if (busy || document.hidden) return;
  busy = true;
  while (wanted && !document.hidden) {
    wanted = false;
    await once();
    await new Promise((done) => setTimeout(done, Number(board.dataset.between || BETWEEN)));
  }
  busy = false;
}

async function once() {
  const address = new URL(location.href);
  address.searchParams.set("board", "1");
  let response;
  try {
    response = await fetch(address, { credentials: "same-origin", redirect: "manual", headers: { Accept: "text/html" } });
  } catch {
    return; // the live dot says that the server is away; the next round tries again
  }
  if (response.type === "opaqueredirect") return void checkSession();
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").body;
  morph(board, fresh);
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
  document.addEventListener("surehand:runs", refresh);
  document.addEventListener("surehand:session-back", refresh);
  addEventListener("pageshow", (event) => event.persisted && refresh());
  if (performance.getEntriesByType("navigation")[0]?.type === "back_forward") refresh(); // perhaps the browser's own copy
  document.addEventListener("surehand:live", ({ detail }) => {
    isLive = detail === "live";
    if (isLive) refresh(); // what happened while nobody listened
  });
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
  const every = Number(board.dataset.every || 0) * 1000;
  setInterval(() => (every || !isLive) && refresh(), every || WITHOUT_SOCKET);
}
