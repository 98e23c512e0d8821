/* A schedule that is being filled in: the server says at each change what would follow from it, and nothing is kept before Save. */

import { all, find } from "../rpa_site/dom.js";
import { checkSession } from "../rpa_site/session.js";

const form = find("#when-form");
const PAUSE = 250; // after the last key
let asked = 0;
let later = 0;
let changed = false;

/** Names of countries in the language of the page, as the browser knows them. */
function nameCountries() {
  const names = new Intl.DisplayNames([document.documentElement.lang], { type: "region", fallback: "none" });
  const select = find("#when-country");
  if (!select) return;
  const chosen = select.value;
  const [none, ...countries] = [...select.options];
  for (const one of countries) one.textContent = names.of(one.value) ?? one.textContent;
  countries.sort((a, b) => a.textContent.localeCompare(b.textContent));
  select.append(none, ...countries);
  select.value = chosen;
}

async function follow() {
  const values = new URLSearchParams(new FormData(form));
  values.delete("csrfmiddlewaretoken");
  values.set("part", "1");
  values.set("month", form.dataset.month);
  const mine = ++asked;
  try {
    const response = await fetch(`${form.dataset.partOf}?${values}`, { credentials: "same-origin", redirect: "manual" });
    if (response.type === "opaqueredirect") return void checkSession();
    if (!response.ok || mine !== asked) return;
    const told = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of all("[data-part]", told)) find(`#${part.dataset.part}`)?.replaceChildren(...part.childNodes);
  } catch {
    return; // the live dot says that the server is away; Save says what is wrong
  }
}

function soon() {
  changed = true;
  clearTimeout(later);
  later = setTimeout(follow, PAUSE);
}

/** One empty line for one more day, always. */
function oneMoreDay() {
  const lines = all(".when-day");
  const last = lines.at(-1);
  if (!last || !find("[type=date]", last).value) return;
  const fresh = last.cloneNode(true);
  for (const input of all("input", fresh)) input.value = "";
  last.after(fresh);
}

if (form) {
  nameCountries();
  form.addEventListener("input", soon);
  form.addEventListener("change", (event) => {
    if (event.target.name === "day") oneMoreDay();
    soon();
  });
  form.addEventListener("submit", () => (changed = false));
  addEventListener("beforeunload", (event) => changed && event.preventDefault());
}
