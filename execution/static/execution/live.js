/* The live page of a run. The store knows, the views show, the connection brings news; this file joins them. */

import { fill, find, h, icon, isTyping, json, text } from "../rpa_site/dom.js";
import { tabs } from "../rpa_site/tabs.js";
import { interpolate, keysOf, useWords, word } from "../rpa_site/words.js";
import { assistantView } from "./assistant.js";
import { connect } from "./live/connection.js";
import { endCorrection } from "./live/correct.js";
import { eventsView } from "./live/events.js";
import { graphView } from "./live/graph.js";
import { handsView } from "./live/hands.js";
import { Picture } from "./live/picture.js";
import { KEYS, Question } from "./live/question.js";
import { ASKED, control } from "./live/requests.js";
import { stepsView } from "./live/steps.js";
import { Store } from "./live/store.js";
import { followWaiting } from "./live/waiting.js";
import { whyView } from "./live/why.js";
import { openViewer } from "./run/viewer.js";

const BADGES = {
  idle: ["grey", "circle-dashed"], queued: ["grey", "clock"], running: ["blue", "player-play"], paused: ["amber", "player-pause"], waiting: ["blue", "message-question"],
  coaching: ["blue", "message-question"], completed: ["green", "circle-check"], failed: ["red", "alert-circle"], stopped: ["grey", "player-stop"],
};

const data = json("page-data");
useWords(data.words);
const store = new Store(data);
const picture = new Picture(store);
const question = new Question(store, picture, { askToStop, askToEndLesson });
stepsView(store);
whyView(store);
eventsView(store);
assistantView(store);
handsView(store, picture);
const openGraph = graphView(store, find("script[data-graph]").dataset.graph.split(" "));
headView();
const choose = tabs((id) => (id === "tab-graph" && openGraph(), store.set({})));
keys();
if (store.steps.has(data.at)) store.selected = { index: data.at, side: "before" };
store.onChange(() => store.isFinal && openViewer(store, data.film, { at: data.at, tab: choose }));
store.onChange(() => store.correcting || endCorrection());
store.onChange(() => store.version && location.reload()); // what the page knows of its workflow is another's
store.setNow({}); // at once: a key may be pressed before the first frame is drawn
connect(store);
followWaiting(store);

// --- what stands above -----------------------------------------------------------------------------------------------
function headView() {
  const state = find("#state");
  const controls = find("#controls");
  const degraded = find("#degraded");
  let shown = "";
  store.onChange(() => {
    const { status, pause_reason: reason, degraded: off, degraded_reason: why, mode, wish_mode: next, desktop } = store.execution;
    const signature = JSON.stringify([status, reason, off, why, mode, next, desktop, store.wishing]);
    if (signature === shown) return;
    shown = signature;
    const [colour, name] = BADGES[status] ?? ["grey", "circle"];
    const words = status === "paused" && reason && reason !== "asked" ? `${word("state", status)}: ${word("pause_reason", reason)}` : word("state", status);
    fill(state, h("span", { class: `badge-state ${colour}` }, icon(name), h("span", { class: "clip" }, words)));
    fill(find("#mode"), modeView(mode, next));
    if (desktop) text(find("#desktop"), ` · ${interpolate(gettext("desktop %(name)s"), { name: `:${desktop.split(":").pop()}` })}`);
    fill(controls, buttons(status));
    degraded.hidden = !off || store.isFinal;
    if (off) fill(degraded, icon("gauge"), h("span", {}, h("strong", {}, gettext("Degraded: it sees less")), `. ${why || gettext("Text and elements are no longer read anew on each screen.")}`), store.me.may_operate ? h("button", { class: "button slim", type: "button", onclick: () => control(store, { verb: "lift_degraded" }) }, gettext("Read in full again")) : null);
  });
}

function buttons(status) {
  if (!store.me.may_operate || store.isFinal) return [];
  const { wishing } = store;
  const button = (verb, glyph, words, css = "") => h("button", { class: `button ${css}`, type: "button", disabled: Boolean(wishing), onclick: () => (verb === "stop" ? askToStop() : control(store, { verb })) },
    icon(glyph), wishing === verb ? ASKED[verb] : words);
  const stop = button("stop", "player-stop", gettext("Stop"), "danger");
  const take = button("take_control", "hand-finger", gettext("Take control"));
  if (store.inControl) return store.hasControl ? [button("resume", "player-play", gettext("Give back"), "primary"), stop] : [stop];
  if (status === "paused") return [take, button("resume", "player-play", gettext("Resume")), stop];
  return ["running", "waiting", "coaching"].includes(status) ? [take, button("pause", "player-pause", gettext("Pause")), stop] : [stop];
}

/** The mode, and for whoever may, the choice of another one from the next step on. */
function modeView(mode, next) {
  if (!store.me.may_operate || store.isFinal) return word("mode", mode);
  const modes = keysOf("mode").map((value) =>
    h("option", { value, selected: value === (next || mode) }, next && value === next && next !== mode ? interpolate(gettext("%(mode)s, from its next step on"), { mode: word("mode", value) }) : word("mode", value)));
  const select = h("select", { class: "mode-select", "aria-label": gettext("Mode of this run"), title: gettext("Mode of this run"), disabled: store.wishing === "set_mode" }, modes);
  select.addEventListener("change", () => setMode(select.value));
  return select;
}

/** Where it is to act by itself before its workflow has earned that, whoever may say so says why. */
async function setMode(mode) {
  const refusal = await control(store, { verb: "set_mode", mode });
  if (refusal?.code !== "mode_not_earned" || !store.me.may_design) return;
  const dialog = find("#reason-dialog");
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "go" && control(store, { verb: "set_mode", mode, reason: find("#reason").value }), { once: true });
}

/** Nothing stops a run in passing: it is asked back first. */
function askToStop(stop = () => control(store, { verb: "stop" }), number = store.run.number) {
  askBack(find("#stop-dialog"), interpolate(gettext("Stop run %(n)s?"), { n: number }), stop);
}

function askToEndLesson(end, name) {
  askBack(find("#end-lesson-dialog"), interpolate(gettext("End the lesson of “%(name)s”?"), { name }), end);
}

function askBack(dialog, title, then) {
  text(find("[data-title]", dialog), title);
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "stop" && then(), { once: true });
}

// --- keys: the same as the buttons, and off while typing -------------------------------------------------------------
function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.correcting && !event.target.closest("dialog")) {
      store.set({ correcting: false, answer: null });
      find("#question").focus({ preventScroll: true });
      return;
    }
    if (event.key === "Escape" && store.picking && !event.target.closest("dialog")) return void store.set({ picking: false, answer: null });
    if (event.key === "Escape" && store.selected && !store.viewing) return void store.set({ selected: null });
    if (isTyping(event) || event.repeat || store.correcting || store.picking || !store.isAsking) return;
    const choice = store.prompt.choices.find((name) => KEYS[name] === event.key.toUpperCase());
    if (!choice) return;
    event.preventDefault();
    question.choose(choice);
  });
}
