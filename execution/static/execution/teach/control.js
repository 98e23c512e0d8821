/* What a control is to be brought to, asked once somebody has pointed at it: an option, on or off, a day, who logs in. */

import { find, h, icon } from "../../rpa_site/dom.js";
import { today } from "../../rpa_site/words.js";
import { callForm } from "./call_form.js";

export const SETS = new Set(["choose", "set_state", "pick_date"]); // acts that point at a control
const LOGIN = "visual_login";
const CALL = "call_workflow";
export const STATES = { on: gettext("On"), off: gettext("Off") };
export const DATE_FORMATS = { fr: gettext("31/12/2026, day first"), us: gettext("12/31/2026, month first"), "": "2026-12-31" };
const USUAL_FORMAT = pgettext("how dates are written: fr, us or iso", "us").replace("iso", "");

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
  const cancel = h("button", { class: "button plain", type: "button", data: { key: "cancel" }, onclick: close }, gettext("Cancel"));
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
  return submitting([labelled(gettext("Text of the option"), option), go("select", gettext("Choose it"))], () => send({ option: option.value }),
    chips(store, (one) => one.kind !== "date" && !one.secret, (text) => send({ option: text })));
}

function stateForm(store, send) {
  const states = Object.entries(STATES).map(([state, words], i) => h("button", { class: "button", type: "button", data: { key: state, number: String(i + 1) }, "aria-keyshortcuts": String(i + 1), onclick: () => send({ state }) }, h("span", {}, words), h("kbd", {}, String(i + 1))));
  return submitting(states, () => {}, chips(store, (one) => one.choices?.length && one.choices.every((value) => value === "on" || value === "off"), (text) => send({ state: text })));
}

function dateForm(store, send) {
  const day = h("input", { class: "input", id: "control-value", type: "date", required: true, value: today(), data: { first: "" } });
  const format = h("select", { class: "input", id: "control-format" }, Object.entries(DATE_FORMATS).map(([key, words]) => h("option", { value: key, selected: key === USUAL_FORMAT }, words)));
  return submitting([labelled(gettext("Day"), day), labelled(gettext("Written there as"), format), go("check", gettext("Put it"))], () => send({ date: day.value, format: format.value }),
    chips(store, (one) => one.kind === "date", (text) => send({ date: text, format: format.value })));
}

function loginForm(store, send) {
  const { credentials } = store;
  if (!credentials.length) return submitting([h("p", { class: "muted" }, gettext("No credentials are saved yet. An admin saves them, under a name."))], () => {});
  const who = h("select", { class: "input", id: "control-value", data: { first: "" } }, credentials.map((name) => h("option", { value: name }, name)));
  return submitting([labelled(gettext("Credentials"), who), go("login", gettext("Log in"))], () => send({ credential: who.value }));
}

const go = (glyph, words) => h("button", { class: "button primary", type: "submit" }, icon(glyph), words);

const labelled = (words, input) => h("div", {}, h("label", { for: input.id }, words), input);

/** The variables that may say it, each with the value that it has here; one press takes it. */
function chips(store, fits, take) {
  const variables = (store.lesson.values ?? []).filter(fits);
  if (!variables.length) return null;
  return h("div", { class: "chips" }, h("span", { class: "small muted" }, gettext("or a value of the run:")), variables.map((one) =>
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
