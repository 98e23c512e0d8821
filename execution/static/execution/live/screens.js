/* Which screen it is: what was expected and what of it is missing, and all screens with what the run would do next on each. */

import { h, icon } from "../../rpa_site/dom.js";
import { interpolate, word } from "../../rpa_site/words.js";
import { emphasised } from "./sentence.js";

const MOST_MISSING = 4;

/** What was expected, and each sign that spoke against it; null where nothing was. */
export function expectation(store, detail) {
  const expected = expectedOf(detail);
  if (!expected) return null;
  const name = expected.name ?? store.nodeName(expected.node_id);
  const missing = missingOf(detail).slice(0, MOST_MISSING);
  return h("div", { class: "expected" },
    h("p", {}, emphasised(interpolate(missing.length ? gettext("Expected: “%(name)s”. Missing of it:") : gettext("Expected: “%(name)s”."), { name }))),
    missing.length ? h("ul", {}, missing.map((reason) => h("li", {}, h("span", { class: "muted" }, `${word("signs", reason.sign)}: `), reason.note))) : null);
}

const expectedOf = (detail) => detail?.expected ?? null;

function missingOf(detail) {
  const candidate = (detail.candidates ?? []).find((one) => one.node_id === detail.expected.node_id);
  return (candidate?.reasons ?? []).filter((reason) => typeof reason.score === "number" && reason.score < 0.9 && reason.note).sort((a, b) => a.score - b.score);
}

/**
 * A button for each screen, the likely ones first, with what the run would do next there; none of them stands out, for each
 * is a guess until a person has said it.
 */
export function screenList(store, { candidates = [], except = "", busy = false, onpick }) {
  const scores = new Map(candidates.map((one) => [one.node_id, one.confidence]));
  const nodes = [...store.nodes.values()].filter((node) => node.id !== except);
  nodes.sort((a, b) => (scores.get(b.id) ?? -1) - (scores.get(a.id) ?? -1)); // a stable sort: the rest as in the graph
  return h("div", { class: "screens", role: "group", "aria-label": gettext("Which screen is it?") }, nodes.map((node) => {
    const next = store.nextOn(node.id);
    return h("button", { class: "screen", type: "button", disabled: busy, data: { key: node.id }, onclick: () => onpick(node.id) },
      icon("chevron-right"),
      h("span", { class: "screen-name" }, node.name),
      h("span", { class: "screen-next" }, next ? [`${gettext("next:")} `, emphasised(next)] : gettext("the run ends there")));
  }));
}
