/* The robots page: live pictures, asked for only while somebody looks, and only sent when they are new. */

import { all, find, h, text } from "../rpa_site/dom.js";
import { interpolate } from "../rpa_site/words.js";

const EVERY = 2000;
const tags = new Map();

async function look(place) {
  const url = place.dataset.frame;
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", cache: "no-store", headers: tags.has(url) ? { "If-None-Match": tags.get(url) } : {} });
  } catch {
    return;
  }
  const taken = response.headers.get("X-Taken-At");
  if (taken) showAge(place, taken);
  if (response.status !== 200) return;
  tags.set(url, response.headers.get("ETag"));
  const address = URL.createObjectURL(await response.blob());
  const picture = find("img", place) ?? h("img", { alt: "" });
  picture.addEventListener("load", () => URL.revokeObjectURL(address), { once: true });
  picture.src = address;
  if (!picture.isConnected) place.replaceChildren(picture);
}

function showAge(place, taken) {
  const seconds = Math.round((Date.now() - Date.parse(taken)) / 1000);
  let age = find(".age", place);
  if (!age) place.append((age = h("span", { class: "age" })));
  age.hidden = seconds < 3;
  text(age, seconds < 120 ? interpolate(gettext("%(n)s s old"), { n: seconds }) : interpolate(gettext("%(n)s min old"), { n: Math.round(seconds / 60) }));
}

async function round() {
  if (!document.hidden) await Promise.all(all("[data-frame]").map(look));
  setTimeout(round, EVERY);
}
round();
