/* The way from a step of a run to the page on which it is mended, for those who may. */

import { h, icon } from "../../rpa_site/dom.js";

/** Where somebody had the desktop in hand: what they did may become a way. */
export function byHandLink(store) {
  const acted = store.events.some(({ kind, payload }) => kind === "control" && !payload.failed);
  if (!store.me.may_design || !acted || store.inControl) return null;
  return h("a", { class: "button", href: `${store.run.teach}&source=control`, data: { key: "by_hand" } }, icon("hand-finger"), gettext("Keep what was done by hand as a way"));
}

/** `index` of the step; without one the run's last. */
export function mendLink(store, index = Math.max(0, ...[...store.steps.keys()].filter(Number.isInteger)), css = "") {
  if (!store.me.may_design) return null;
  return h("a", { class: `button ${css}`, href: store.run.mend.replace(/0$/, String(index)), data: { key: "mend" } }, icon("school"), gettext("Mend"));
}
