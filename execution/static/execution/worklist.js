/* A list: rows that open by a click anywhere, all of a page chosen at once, and the keys of its rows. */

import { all, find } from "../rpa_site/dom.js";

const boxes = () => all('.lot-rows input[name="row"]');

document.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-href]");
  if (row && !event.target.closest("a, button, input, .c-choose") && !getSelection().toString()) location.assign(row.dataset.href);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-choose-all]")) for (const box of boxes()) box.checked = event.target.checked;
});

const typing = (target) => target.matches("textarea, select, input:not([type=checkbox])");

function step(by) {
  const rows = all(".lot-rows tbody tr");
  const at = rows.findIndex((row) => row.contains(document.activeElement) || row.getAttribute("aria-current"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  find(".c-no a", next)?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return void find("[data-close]")?.click();
  if (typing(event.target)) return;
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    x: () => find('input[name="row"]', document.activeElement.closest("tr") ?? document.body)?.click(),
    "/": () => find("[data-search]")?.focus(),
  };
  const key = event.key.toLowerCase();
  const verb = find(`[data-verb="${CSS.escape(key)}"]`);
  if (!keys[key] && !verb) return;
  event.preventDefault();
  if (keys[key]) keys[key]();
  else verb.click();
});
