/* The steps on the left: done with outcome and duration, the one at work, and the likely ones after it. */

import { find, h, icon, text } from "../../rpa_site/dom.js";
import { duration, interpolate, word } from "../../rpa_site/words.js";
import { emphasised, messageOf, robotTime } from "./sentence.js";

const MOST_AHEAD = 12;
const MOST_ROWS = 120; // of a run that has ended: those around the step that is looked at
const ICONS = {
  succeeded: ["circle-check", "green-ink"],
  terminal: ["flag", "green-ink"],
  paused: ["player-pause", "amber-ink"],
  failed: ["alert-circle", "red-ink"],
  rejected: ["circle-x", "red-ink"],
  skipped: ["player-skip-forward", "muted"],
  manual: ["hand-finger", "blue-ink"],
  observed: ["eye", "muted"],
  interrupted: ["circle-minus", "muted"],
};

export function stepsView(store) {
  const list = find("#steps");
  const count = find("#steps-count");
  const rows = new Map(); // key -> {row, signature}
  let following = true;
  let current = "";
  list.addEventListener("scroll", () => {
    following = list.scrollHeight - list.scrollTop - list.clientHeight < 320;
  }, { passive: true });

  store.onChange(() => {
    const wanted = wishes(store);
    const kept = new Set();
    let at = null;
    for (const wish of wanted) {
      kept.add(wish.key);
      let entry = rows.get(wish.key);
      if (entry?.signature !== wish.signature) {
        const row = wish.build();
        if (entry) {
          const focused = entry.row.contains(document.activeElement);
          entry.row.replaceWith(row);
          if (focused) find("button", row)?.focus();
        }
        entry = { row, signature: wish.signature };
        rows.set(wish.key, entry);
      }
      const place = at ? at.nextSibling : list.firstChild;
      if (entry.row !== place) list.insertBefore(entry.row, place);
      at = entry.row;
    }
    for (const [key, { row }] of rows) {
      if (kept.has(key)) continue;
      row.remove();
      rows.delete(key);
    }
    for (const skeleton of list.querySelectorAll(":scope > li:not([data-row])")) skeleton.remove();
    showCount(store, count);
    follow();
  });

  function follow() {
    const now = store.viewing ? find('[aria-pressed="true"]', list)?.parentElement : find("[data-now]", list);
    const key = now?.dataset.row ?? `${rows.size}`;
    if (key === current) return;
    current = key;
    if (store.viewing) return void bringIntoSight(list, now);
    if (following && now && list.scrollHeight > list.clientHeight) list.scrollTop = now.offsetTop - list.clientHeight / 2;
  }
}

/** As little as it takes: the list stays where it is while the row can be seen. */
function bringIntoSight(list, row) {
  if (!row || list.scrollHeight <= list.clientHeight) return;
  const top = row.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + row.offsetHeight - list.clientHeight;
}

function showCount(store, element) {
  const n = Math.max(0, ...[...store.steps.keys()].filter(Number.isInteger)); // a pause has no number
  const total = n + store.ahead.length;
  if (store.isFinal) text(element, interpolate(ngettext("%(n)s step", "%(n)s steps", n), { n }));
  else text(element, n || total ? interpolate(gettext("%(n)s of about %(total)s"), { n, total }) : "");
}

function wishes(store) {
  const steps = inSight(store);
  const rows = [];
  if (steps[0]?.index > 1) rows.push(note("earlier", interpolate(ngettext("%(n)s earlier step is not shown", "%(n)s earlier steps are not shown", steps[0].index - 1), { n: steps[0].index - 1 })));
  for (const step of steps) rows.push(taken(store, step));
  const later = store.viewing && steps.length && store.steps.size > steps.length ? [...store.steps.keys()].length - 1 - [...store.steps.keys()].indexOf(steps.at(-1).index) : 0;
  if (later > 0) rows.push(note("later", interpolate(ngettext("%(n)s later step is not shown", "%(n)s later steps are not shown", later), { n: later })));
  const isOpen = Boolean(store.openStep);
  const ahead = store.ahead.slice(0, MOST_AHEAD);
  if (!steps.length && !ahead.length) rows.push(note("none", gettext("No step yet")));
  const running = store.execution.status === "running";
  ahead.forEach((edge, position) => rows.push(coming(store, edge, running && !isOpen && position === 0, position)));
  return rows;
}

function inSight(store) {
  const steps = [...store.steps.values()];
  if (!store.viewing || steps.length <= MOST_ROWS) return steps;
  const at = steps.findIndex((step) => step.index === store.selected?.index);
  const from = Math.max(0, Math.min(steps.length - MOST_ROWS, Math.floor((at - MOST_ROWS / 3) / 40) * 40)); // moves in leaps, so that rows keep their place
  return steps.slice(from, from + MOST_ROWS);
}

const note = (key, words) => ({ key, signature: words, build: () => h("li", { class: "steps-note step", data: { row: key } }, words) });

function taken(store, step) {
  const isNow = store.openStep?.index === step.index;
  const isAsked = isNow && store.isAsking;
  const isSelected = store.selected?.index === step.index;
  const decision = store.decisions[step.index];
  const inside = store.nodes.get(step.node_id)?.inside ?? 0;
  const signature = JSON.stringify([step.phase, step.outcome, step.verified, step.sentence, step.duration_ms, isNow, isAsked, isSelected, decision?.choice, store.answer?.status, step.mark]);
  return {
    key: `step-${step.index}`,
    signature,
    build() {
      const [name, css] = isAsked ? ["message-question", "blue-ink"] : isNow ? ["player-play", "blue-ink"] : mark(step, decision);
      const word_ = isAsked ? (store.me.may_operate ? gettext("waiting for you") : word("state", store.execution.status)) : isNow ? gettext("The robot is at work") : step.pause ? gettext("Stood still") : word("outcome", step.outcome);
      const sentence = step.sentence ? emphasised(step.sentence) : store.nodeName(step.node_id);
      return h("li", { data: { row: `step-${step.index}`, ...(isNow ? { now: "" } : {}) } },
        h("button", {
          class: `step step-button${isNow ? " now" : ""}${depth(inside)}`, type: "button", "aria-pressed": String(isSelected), "aria-current": isNow ? "step" : null,
          title: `${word_}${step.message ? `: ${messageOf(step)}` : ""}${step.waited_ms > 0 ? ` (${interpolate(gettext("%(time)s waiting for a person"), { time: duration(step.waited_ms) })})` : ""}`,
          onclick: () => store.goTo ? store.goTo(step.index) : store.set({ selected: isSelected || isNow ? null : { index: step.index, side: "before" }, correcting: isNow && store.correcting }),
        },
        icon(name, css),
        h("span", {}, h("span", { class: "step-name" }, sentence), h("span", { class: "step-where" }, where(store, step, decision)), h("span", { class: "visually-hidden" }, word_)),
        h("span", { class: "step-time" }, isNow ? gettext("now") : step.pause ? "" : duration(robotTime(step)))));
    },
  };
}

/** Steps of a workflow that is done inside the run's own stand under the one that begins it. */
const depth = (inside) => (inside ? ` inside inside-${Math.min(inside, 3)}` : "");

function mark(step, decision) {
  if (step.outcome === "succeeded" && decision?.choice === "correct") return ["pencil", "blue-ink"];
  if (step.problem === "retried") return ["alert-triangle", "amber-ink"];
  if (step.outcome === "succeeded" && step.verified === "cannot_tell") return ["circle-check", "amber-ink"];
  return ICONS[step.outcome] ?? ["circle-dashed", "muted"];
}

/** The second line: who had a hand in it, what is not as usual, else which screen it was on. */
function where(store, step, decision) {
  if (step.pause) return step.message;
  const who = decision?.decided_by;
  const mine = who === store.me.name;
  if (step.outcome === "succeeded" && decision?.choice === "correct") return mine ? gettext("corrected by you") : interpolate(gettext("corrected by %(who)s"), { who });
  if (step.outcome === "manual") return interpolate(gettext("done by %(who)s"), { who: who ?? "" });
  if (step.outcome === "skipped" && decision?.source === "policy") return gettext("skipped: no answer");
  if (step.outcome === "rejected" && decision?.source === "policy") return gettext("rejected: no answer");
  if (step.outcome === "rejected" && decision?.source === "stop") return interpolate(gettext("%(who)s stopped the run."), { who });
  if (step.outcome === "rejected" && who) return interpolate(gettext("rejected by %(who)s"), { who });
  const screen = store.nodeName(step.node_id);
  if (store.viewing && step.outcome === "succeeded" && step.retries) return interpolate(ngettext("done at the 2nd try", "done after %(n)s more tries", step.retries), { n: step.retries });
  if (["failed", "skipped", "interrupted", "observed"].includes(step.outcome)) return `${word("outcome", step.outcome)} · ${screen}`;
  if (step.verified === "cannot_tell" && step.phase === "closed") return `${word("verified", "cannot_tell")} · ${screen}`;
  return screen;
}

function coming(store, edge, isNow, position) {
  return {
    key: `ahead-${edge.id}`,
    signature: `${isNow}${position === 0}`,
    build: () =>
      h("li", { data: { row: `ahead-${edge.id}`, ...(isNow ? { now: "" } : {}) } },
        h("span", { class: `step ahead${isNow ? " now" : ""}${depth(store.nodes.get(edge.source)?.inside ?? 0)}`, title: gettext("Likely next") },
          icon("circle-dashed"),
          h("span", {}, h("span", { class: "step-name" }, emphasised(edge.sentence)), h("span", { class: "step-where" }, store.nodeName(edge.source))),
          h("span", { class: "step-time" }, isNow ? gettext("now") : ""))),
  };
}

