/* What a control is to be brought to, asked once somebody has pointed at it: an option, on or off, a day, who logs in. */

import { find, h, icon } from "../../rpa_site/dom.js";
import { keysOf, say, today, word } from "../../rpa_site/words.js";
import { callForm } from "./call_form.js";

export const SETS = new Set(["choose", "set_state", "pick_date"]); // acts that point at a control
const LOGIN = "visual_login";
const CALL = "call_workflow";

/** The parts of the panel that asks for it; `focus` is where somebody writes. */
export function controlParts(store, connection) {
  const { act } = store.control;
  const close = () => store.set({ control: null });
  const send = (params) => {
    const { act: kind, where } = store.control;
    if (kind === CALL) return void (connection.act({ type: "call", ...params }) && store.set({ control: null }));
    const id = connection.act({ type: "set", act: kind, ...where, params });
    if (id) store.set({ control: null, doing: id });
  };
  const form = { choose: chooseForm, set_state: stateForm, pick_date: dateForm, [LOGIN]: loginForm, [CALL]: callForm }[act](store, send);
  const cancel = h("button", { class: "button plain", type: "button", data: { key: "cancel" }, onclick: close }, say("cancel"));
  form.append(cancel);
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  return [form];
}

/** Where the keys belong now that it is asked. */
export function focusOn(element) {
  find("[data-first], .control-form button", element)?.focus({ preventScroll: true });
}

function chooseForm(store, send) {
  const option = h("input", { class: "input", id: "control-value", required: true, maxlength: 300, autocomplete: "off", data: { first: "" } });
  return submitting([labelled(say("control.option"), option), go("select", say("control.choose"))], () => send({ option: option.value }),
    chips(store, (one) => one.kind !== "date" && !one.secret, (text) => send({ option: text })));
}

function stateForm(store, send) {
  const states = ["on", "off"].map((state, i) => h("button", { class: "button", type: "button", data: { key: state, number: String(i + 1) }, "aria-keyshortcuts": String(i + 1), onclick: () => send({ state }) }, h("span", {}, say(`control.${state}`)), h("kbd", {}, String(i + 1))));
  return submitting(states, () => {}, chips(store, (one) => one.choices?.length && one.choices.every((value) => value === "on" || value === "off"), (text) => send({ state: text })));
}

function dateForm(store, send) {
  const day = h("input", { class: "input", id: "control-value", type: "date", required: true, value: today(), data: { first: "" } });
  const format = h("select", { class: "input", id: "control-format" }, keysOf("date_format").map((key) => h("option", { value: key === "iso" ? "" : key, selected: key === say("usual_date_format") }, word("date_format", key))));
  return submitting([labelled(say("control.day"), day), labelled(say("control.written"), format), go("check", say("control.put"))], () => send({ date: day.value, format: format.value }),
    chips(store, (one) => one.kind === "date", (text) => send({ date: text, format: format.value })));
}

function loginForm(store, send) {
  const { credentials } = store;
  if (!credentials.length) return submitting([h("p", { class: "muted" }, say("control.no_credentials"))], () => {});
  const who = h("select", { class: "input", id: "control-value", data: { first: "" } }, credentials.map((name) => h("option", { value: name }, name)));
  return submitting([labelled(say("control.credential"), who), go("login", say("control.log_in"))], () => send({ credential: who.value }));
}

const go = (glyph, words) => h("button", { class: "button primary", type: "submit" }, icon(glyph), words);

const labelled = (words, input) => h("div", {}, h("label", { for: input.id }, words), input);

/** The variables that may say it, each with the value that it has here; one press takes it. */
function chips(store, fits, take) {
  const variables = (store.lesson.values ?? []).filter(fits);
  if (!variables.length) return null;
  return h("div", { class: "chips" }, h("span", { class: "small muted" }, say("control.or_variable")), variables.map((one) =>
    h("button", { class: "chip plain", type: "button", onclick: () => take(`{{${one.name}}}`) }, h("strong", {}, `{{${one.name}}}`), one.value ? ` ${one.value}` : "")));
}

function submitting(parts, onsubmit, after = null) {
  const form = h("form", { class: "answers control-form" }, parts, after);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    onsubmit();
  });
  return form;
}
