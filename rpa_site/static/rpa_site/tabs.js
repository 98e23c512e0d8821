/* Tabs: arrow keys go along them, one panel shows. */

import { all } from "./dom.js";

/** Makes the page's tabs work; `onchoose(id)` is told of each choice. Returns `choose(id)`. */
export function tabs(onchoose = () => {}) {
  const buttons = all('[role="tab"]');
  const choose = (tab) => {
    for (const other of buttons) {
      const on = other === tab;
      other.setAttribute("aria-selected", String(on));
      other.tabIndex = on ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !on;
    }
    onchoose(tab.id);
  };
  buttons.forEach((tab) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const there = buttons.filter((one) => !one.hidden);
      const next = there[(there.indexOf(tab) + step + there.length) % there.length];
      next.focus();
      choose(next);
    });
  });
  return (id) => choose(document.getElementById(id));
}
