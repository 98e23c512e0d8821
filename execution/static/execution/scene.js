/* What the robot sees: a thing is outlined on the picture while the pointer, or the arrow keys, are on its row, and the
   other way round. The page's part is put in anew while it is read, so nothing is kept of its elements. */

import { all, find } from "../rpa_site/dom.js";

function light(number) {
  const svg = find("#scene svg");
  svg?.classList.toggle("has-lit", Boolean(number));
  for (const one of all("#scene [data-thing]")) one.classList.toggle("lit", one.dataset.thing === number);
}

document.addEventListener("pointerover", ({ target }) => {
  const thing = target.closest("#scene [data-thing]");
  light(thing?.dataset.thing ?? "");
  if (thing?.tagName === "rect") find(`#scene tr[data-thing="${thing.dataset.thing}"]`).scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const rows = event.target.matches(".scene-rows") ? all("tbody tr", event.target) : [];
  if (!step || !rows.length) return;
  event.preventDefault();
  const at = rows.findIndex((row) => row.classList.contains("lit"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + step))];
  light(next.dataset.thing);
  next.scrollIntoView({ block: "nearest" });
});
