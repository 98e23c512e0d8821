/* What was taught, on the left: the steps in their order, grouped by the screen they were done on. */

import { fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { clock, interpolate } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";

const MARKS = {
  earlier: ["circle-check", "muted", gettext("taught before this lesson")],
  done: ["circle-check", "green-ink", gettext("kept")],
  held: ["message-question", "blue-ink", gettext("waits for your answer")],
  doing: ["player-play", "blue-ink", gettext("being done")],
  doubt: ["alert-triangle", "amber-ink", gettext("in doubt: look at the desktop")],
  tried: ["circle-check", "green-ink", gettext("tried: it went as taught")],
  failed: ["alert-circle", "red-ink", gettext("tried: it did not go as taught")],
};

export function stepsView(store, { toPanel, connection }) {
  const list = find("#steps");
  const count = find("#steps-count");
  const choose = {
    screen: (nodeId) => (store.set({ shownNode: nodeId }), toPanel("tab-screen")),
    /** Without a desktop its own picture is turned to. */
    step: (step) => {
      store.set({ selected: step.index, shownNode: null });
      toPanel("tab-target");
      const { pictures } = store.lesson;
      if (pictures && step.slide !== null && step.slide !== pictures.at && store.takesActs && !store.isAsking) connection.send({ type: "picture", to: step.slide });
    },
  };
  let shown = "";
  let follows = true; // whoever has scrolled up is left there
  list.addEventListener("scroll", () => (follows = list.scrollHeight - list.scrollTop - list.clientHeight < 24), { passive: true });
  store.onChange(() => {
    text(count, interpolate(ngettext("%(n)s step", "%(n)s steps", store.steps.length), { n: store.steps.length }));
    const signature = JSON.stringify([store.steps, (store.lesson.screens ?? []).map((s) => [s.node_id, s.name, s.looks]), store.selected, store.screen, store.shownNode, store.isAsking]);
    if (signature === shown) return;
    shown = signature;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.row : "";
    fill(list, groups(store).map((group) => groupView(store, group, choose)), coming(store));
    if (focused) find(`[data-row="${focused}"]`, list)?.focus({ preventScroll: true });
    if (follows) list.scrollTop = list.scrollHeight;
  });
}

/** Steps that follow one another on one screen stand together; a screen that was come back to stands there again. */
function groups(store) {
  const found = [];
  for (const step of store.steps) {
    if (found.at(-1)?.nodeId !== step.node_id) found.push({ nodeId: step.node_id, steps: [] });
    found.at(-1).steps.push(step);
  }
  return found;
}

function groupView(store, { nodeId, steps }, choose) {
  const screen = store.screenOf(nodeId);
  const first = `${nodeId}-${steps[0].index}`;
  return h("li", { class: "group" },
    h("button", { class: "group-name", type: "button", data: { row: `screen-${first}` }, onclick: () => choose.screen(nodeId) },
      icon("window"), h("strong", { class: "clip" }, screen?.name || gettext("Screen without a name")), h("span", { class: "small muted" }, screen ? interpolate(ngettext("%(n)s look", "%(n)s looks", screen.looks || 1), { n: screen.looks || 1 }) : "")),
    h("ol", { class: "turns" }, steps.map((step) => stepView(store, step, choose))));
}

function stepView(store, step, choose) {
  const held = step.state === "held";
  const current = store.step?.index === step.index;
  const [name, css, words] = MARKS[step.state] ?? ["circle-dashed", "muted"];
  return h("li", {},
    h("button", {
      class: `step step-button${held || current ? " now" : ""}`, type: "button", data: { row: `step-${step.index}` }, "aria-pressed": String(current), "aria-current": held ? "step" : null,
      onclick: () => choose.step(step),
    },
    icon(name, css),
    h("span", {}, h("span", { class: "step-name" }, emphasised(step.sentence)), h("span", { class: "step-where" }, held ? gettext("which one? asked below") : step.detail ?? ""), (step.when ?? []).map((text) => h("span", { class: "step-when" }, text)), h("span", { class: "visually-hidden" }, words)),
    h("span", { class: "step-time" }, held ? gettext("now") : step.at && step.state !== "earlier" ? clock(step.at) : "")));
}

/** Where the desktop is now, if no step was done there yet; and how it is done. */
function coming(store) {
  const { screen } = store;
  const last = store.newest;
  const parts = [];
  if (screen && screen.state !== "unread" && screen.state !== "reading" && (screen.node_id ?? "") !== (last?.node_id ?? "")) {
    const known = store.screenOf(screen.node_id);
    parts.push(h("li", { class: "group" }, h("button", { class: "group-name", type: "button", data: { row: "screen-now" }, disabled: !known, onclick: () => (store.set({ shownNode: screen.node_id }), find("#tab-screen").click()) },
      icon(screen.state === "new" ? "plus" : "window"), h("strong", { class: "clip" }, known?.name || screen.name || gettext("Screen without a name")), h("span", { class: "small muted" }, screen.state === "new" ? gettext("new, not taught yet") : gettext("here now")))));
  }
  parts.push(h("li", { class: "steps-note" }, store.steps.length ? how(store) : [h("strong", {}, gettext("Nothing is taught yet.")), " ", how(store)]));
  return parts;
}

const how = (store) => {
  const [before, after] = interpolate(store.lesson.pictures ? gettext("What you do in the picture is kept as a step and done nowhere. The next picture is where it leads. Hold %(key)s to go on without keeping it.") : gettext("Everything you do in the picture happens on the desktop and is kept as a step. Hold %(key)s to act without keeping it."), { key: "\u0000" }).split("\u0000");
  return [before, h("kbd", {}, "Alt"), after];
};
