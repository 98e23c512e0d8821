/* What stands above the film: how the run ended and why, its figures, and what can be done with it. */

import { fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { interpolate, milliseconds, say, score } from "../../rpa_site/words.js";
import { FIGURES } from "../live/over.js";
import { emphasised } from "../live/sentence.js";

const LOOKS = { completed: ["circle-check", "green"], failed: ["alert-circle", "red"], stopped: ["player-stop", "grey"] };

export function headView(store, viewer) {
  const [name, colour] = LOOKS[store.execution.status] ?? LOOKS.stopped;
  const badge = find("#verdict-icon");
  badge.classList.add(colour);
  fill(badge, icon(name));
  fill(find("#verdict"), emphasised(store.ending.said));
  const why = find("#verdict-why");
  const explain = (more = []) => {
    const said = [store.ending.why, ...more].filter(Boolean);
    why.hidden = !said.length;
    fill(why, said.flatMap((one, n) => [n ? " " : "", ...emphasised(one)]));
  };
  explain();
  const play = h("button", { class: "button slim", id: "play", type: "button", "aria-pressed": "false", "aria-keyshortcuts": "P", title: gettext("Show step after step, before and after (P)"), onclick: () => viewer.play() });
  fill(find("#run-tools"), play, tools(store, viewer));
  let shown = null;
  let playing = null;
  let explained = false;
  return () => {
    if (!explained && store.ending.step !== null && store.told?.step?.index === store.ending.step) {
      explained = true; // how the screen differs from the last time it went well is known by now
      const { difference } = store.told;
      if (difference && !difference.same) explain(difference.said.slice(0, 2));
    }
    if (playing !== Boolean(store.playing)) {
      playing = Boolean(store.playing);
      play.setAttribute("aria-pressed", String(playing));
      fill(play, icon(playing ? "player-pause" : "player-play"), h("span", { class: "tool-text" }, playing ? gettext("Stop playing") : gettext("Play")));
    }
    if (store.summary && shown !== store.summary) fill(find("#verdict-figures"), figuresLine((shown = store.summary)));
    text(find("#tab-why"), viewer.at === null ? gettext("Step") : store.focus?.pause ? gettext("Stood still") : interpolate(gettext("Step %(n)s"), { n: viewer.at }));
  };
}

function tools(store, viewer) {
  const n = viewer.problems.length;
  const problem = h("button", { class: "button slim", type: "button", disabled: !n, "aria-keyshortcuts": "N", title: gettext("Next step that was not as usual"), onclick: () => viewer.nextProblem() },
    icon("alert-triangle"), n ? interpolate(ngettext("%(n)s step to look at", "%(n)s steps to look at", n), { n }) : gettext("Nothing to look at"), h("kbd", { "aria-hidden": "true" }, "N"));
  const again = store.me.may_operate ? h("a", { class: "button slim", href: store.run.again, title: gettext("Start again") }, icon("refresh"), h("span", { class: "tool-text" }, gettext("Start again"))) : null;
  const more = [
    store.run.compare ? h("a", { class: "button slim", href: store.run.compare, title: gettext("Compare") }, icon("switch-horizontal"), h("span", { class: "tool-text" }, gettext("Compare"))) : null,
    store.run.export ? h("a", { class: "button slim", href: store.run.export, download: "", title: gettext("Export") }, icon("download"), h("span", { class: "tool-text" }, gettext("Export"))) : null,
  ];
  return [problem, ...more, again];
}

/** The figures of a run on one line, what it read first. */
function figuresLine(summary) {
  const values = (summary.values ?? []).map(({ name, text: read }) => h("span", { class: "figure value" }, h("span", { class: "muted" }, name), " ", h("strong", {}, read)));
  const rungs = Object.entries(summary.rungs).map(([rung, n]) => `${say(`rungs.${rung}`) || rung} ${n}`).join(", ");
  const rows = [
    ["actions", interpolate(gettext("%(n)s of %(m)s"), { n: summary.done, m: summary.actions })],
    ["corrected", summary.corrected, false, !summary.corrected],
    ["retries", summary.retries, false, !summary.retries],
    ["score", summary.mean_score ? score(summary.mean_score) : "", false, !summary.mean_score],
    ["resolve", milliseconds(summary.mean_resolve_ms), false, !summary.mean_resolve_ms],
    ["unverified", summary.not_verified, true, !summary.not_verified],
    ["degraded", summary.degraded, true, !summary.degraded],
    ["by_rung", rungs, false, !rungs],
  ];
  const figures = rows.filter(([, , , idle]) => !idle).map(([name, value, warn]) => h("span", { class: `figure${warn ? " warn" : ""}` }, h("strong", {}, String(value)), " ", h("span", { class: "muted" }, FIGURES[name])));
  const who = [summary.started_by ? interpolate(gettext("started by %(who)s"), { who: summary.started_by }) : "", ...answers(summary)].filter(Boolean);
  return [...values, ...figures, ...who.map((words) => h("span", { class: "figure muted" }, words))];
}

function answers(summary) {
  const found = new Map();
  for (const { who, choice, n } of summary.answers ?? []) found.set(who, [...(found.get(who) ?? []), `${say(`answers.${choice}`)} ${n}`]);
  return [...found].map(([who, choices]) => interpolate(gettext("%(label)s: %(what)s"), { label: who, what: choices.join(", ") }));
}
