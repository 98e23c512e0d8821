/* What a run came to: its figures, and who had a hand in it. */

import { h } from "../../rpa_site/dom.js";
import { interpolate, milliseconds, say } from "../../rpa_site/words.js";

export const FIGURES = {
  actions: gettext("actions done"),
  corrected: gettext("corrected"),
  retries: gettext("retries"),
  score: gettext("mean score"),
  resolve: gettext("mean time to find"),
  unverified: gettext("not verified"),
  degraded: gettext("degraded steps"),
  by_rung: gettext("Clicks by sign"),
};

export function figures(summary) {
  const rungs = Object.entries(summary.rungs).map(([rung, n]) => `${say(`rungs.${rung}`) || rung} ${n}`).join(", ");
  const rows = [
    ["actions", interpolate(gettext("%(n)s of %(m)s"), { n: summary.done, m: summary.actions })],
    ["corrected", summary.corrected],
    ["retries", summary.retries],
    ["resolve", summary.mean_resolve_ms ? milliseconds(summary.mean_resolve_ms) : "–"],
    ["unverified", summary.not_verified, summary.not_verified > 0],
    ["degraded", summary.degraded, summary.degraded > 0],
  ];
  const values = summary.values ?? [];
  return [
    ...(values.length ? [h("dl", { class: "figures" }, values.map(({ name, text }) => h("div", {}, h("dt", {}, name), h("dd", {}, text))))] : []),
    h("dl", { class: "figures" }, rows.map(([name, value, warn]) => h("div", { class: warn ? "warn" : "" }, h("dt", {}, FIGURES[name]), h("dd", {}, String(value))))),
    h("p", { class: "small muted" }, [rungs ? interpolate(gettext("%(label)s: %(what)s"), { label: FIGURES.by_rung, what: rungs }) : "", ...people(summary)].filter(Boolean).join(" · ")),
  ];
}

/** Who started it, and what each person answered. */
function people(summary) {
  const answers = new Map();
  for (const { who, choice, n } of summary.answers ?? []) answers.set(who, [...(answers.get(who) ?? []), `${say(`answers.${choice}`)} ${n}`]);
  return [
    summary.started_by ? interpolate(gettext("started by %(who)s"), { who: summary.started_by }) : "",
    ...[...answers].map(([who, choices]) => interpolate(gettext("%(label)s: %(what)s"), { label: who, what: choices.join(", ") })),
  ];
}
