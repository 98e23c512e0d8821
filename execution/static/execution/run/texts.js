/* What was read on the screen of a step, and the same words looked for in all runs. */

import { find, fill, h, icon } from "../../rpa_site/dom.js";

export function textsView(store) {
  const panel = find("#panel-texts");
  const screens = new Map();
  let shown = null;
  return async () => {
    const { index } = store.selected ?? {};
    const picture = store.focus?.picture_before ?? "";
    const key = `${index} ${picture}`; // the step may be chosen before its pictures are told
    if (panel.hidden || index === undefined || key === shown) return;
    shown = key;
    if (!screens.has(index)) screens.set(index, fetch(store.screenUrl(index), { credentials: "same-origin", headers: { Accept: "application/json" } }).then((response) => (response.ok ? response.json() : null)).catch(() => null));
    const screen = await screens.get(index);
    if (shown !== key) return;
    const texts = screen?.perception?.detected_text ?? [];
    const found = store.run.search ? (words) => h("a", { href: `${store.run.search}?q=${encodeURIComponent(words)}`, title: gettext("Where else was this read?") }, words) : (words) => words;
    const scene = picture && store.run.scene ? h("p", { class: "small" }, h("a", { href: store.run.scene.replace("0".repeat(64), picture) }, icon("eye"), " ", gettext("What the robot sees"))) : null;
    fill(panel, scene, texts.length ? h("ul", { class: "read-texts" }, texts.map((words) => h("li", {}, found(words)))) : h("p", { class: "muted" }, icon("typography"), " ", gettext("No text was read on this screen, or it is no longer kept.")));
  };
}
