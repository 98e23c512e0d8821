/* What a step types: the same each time, a variable, or a secret. */

import { find, h, icon } from "../../rpa_site/dom.js";
import { keysOf, say, word } from "../../rpa_site/words.js";
import { field, overline } from "./parts.js";

const SOLE = /^\{\{\s*(\w+)\s*\}\}$/;

/** The part of a step's panel that says what it types, chooses, or sets; nothing for other steps. */
export function valueEditor(store, edits, step) {
  const set = step.value;
  if (!set) return null;
  const variables = store.lesson.variables ?? [];
  const name = SOLE.exec(set.text)?.[1] ?? "";
  const variable = variables.find((one) => one.name === name);
  const now = !name ? "fixed" : variable?.secret ? "secret" : "variable";
  const kinds = set.param === "text" ? ["fixed", "variable", "secret"] : ["fixed", "variable"];
  const choices = kinds.map((kind) => {
    const input = h("input", { type: "radio", name: `value-${step.index}`, value: kind, checked: kind === now });
    input.addEventListener("change", () => (kind === "fixed" ? edits.step(step.index, { value: { kind } }) : show(kind)));
    return h("label", { class: "check" }, input, h("span", {}, say(`value_kind.${kind}`)));
  });
  const box = h("div", {});
  const show = (kind) => {
    box.replaceChildren(asVariable(kind));
    find("input", box).focus(); // at once: what is written in is not drawn anew
  };
  const asVariable = (kind) => {
    const fits = (kind === "secret" ? variables.filter((one) => one.secret) : store.lesson.values ?? []).filter((one) => set.param !== "date" || one.kind === "date");
    const input = h("input", { class: "input", list: `names-${step.index}`, value: "", "aria-label": say("variable_name"), placeholder: say("variable_name"), required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") });
    const form = h("form", { class: "chip-form" }, input, h("datalist", { id: `names-${step.index}` }, fits.map((one) => h("option", { value: one.name }, one.label || one.name))), h("button", { class: "button primary slim", type: "submit" }, say("use_this")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      edits.step(step.index, { value: { kind, name: input.value } });
    });
    return h("div", {}, form, kind === "secret" ? h("p", { class: "hint" }, say("secret_hint")) : offers(step, fits, edits));
  };
  const title = set.param === "text" ? say("what_it_types") : say(`what_it_sets.${set.param}`);
  return [overline(title), shownValue(edits, step, name, variable),
    h("fieldset", { class: "kinds" }, h("legend", { class: "visually-hidden" }, title), choices), box,
    set.clear === undefined ? null : h("div", { class: "row-buttons" }, switchOf(step, edits, "clear", set.clear), switchOf(step, edits, "enter", set.enter))];
}

/** What it is now; where it is always the same it is changed here. */
function shownValue(edits, step, name, variable) {
  const { param, text, allowed = [] } = step.value;
  if (name) return h("p", { class: "typed" }, variable?.secret ? [icon("lock"), " "] : null, h("strong", {}, `{{${name}}}`));
  const change = (value) => edits.step(step.index, { value: { kind: "fixed", text: value } });
  const label = param === "text" ? say("what_it_types") : say(`what_it_sets.${param}`);
  if (allowed.length) {
    const select = h("select", { class: "input", "aria-label": label }, allowed.map((one) => h("option", { value: one, selected: one === text }, word("state_word", one))));
    select.addEventListener("change", () => change(select.value));
    return h("div", { class: "field" }, select);
  }
  if (param === "text") return h("p", { class: "typed" }, h("strong", {}, text));
  const input = h("input", { class: "input", value: text, "aria-label": label, ...(param === "date" ? { type: "date" } : {}) });
  input.addEventListener("change", () => input.value && input.value !== text && change(input.value));
  return h("div", { class: "field" }, input);
}

/** Values that were typed or seen before, to be taken with one press. */
function offers(step, variables, edits) {
  if (!variables.length) return null;
  return h("div", { class: "chips" }, variables.map((one) => h("button", { class: "chip plain", type: "button", onclick: () => edits.step(step.index, { value: { kind: "variable", name: one.name } }) }, `{{${one.name}}}`, one.value || one.example ? ` · ${one.value || one.example}` : "")));
}

/** The settings of a step that types nothing: its keys, the text it waits for, the name of the value it reads. */
export function paramsEditor(edits, step) {
  const entries = Object.entries(step.params ?? {});
  if (!entries.length) return null;
  const change = (name) => (value) => edits.step(step.index, { params: { [name]: name === "timeout_s" ? Number(value) : value } });
  return [overline(say("settings")), entries.map(([name, value]) => {
    if (name === "format") return pick(name, keysOf("date_format").map((key) => [key === "iso" ? "" : key, word("date_format", key)]), value, change(name));
    if (name !== "kind") return field(say(`param.${name}`), String(value ?? ""), change(name), formOf(step, name));
    return pick(name, ["text", "number", "date"].map((kind) => [kind, word("kind", kind)]), value, change(name));
  })];
}

function formOf(step, name) {
  if (name === "timeout_s") return { type: "number", min: 1, max: 3600 };
  if (name === "columns") return { rows: 2, title: say("columns_hint") };
  return name === "text" && (step.act === "must_see" || "columns" in step.params) ? { rows: 2 } : {}; // a line for each
}

function pick(name, options, value, change) {
  const select = h("select", { class: "input", "aria-label": say(`param.${name}`) }, options.map(([key, words]) => h("option", { value: key, selected: key === (value ?? "") }, words)));
  select.addEventListener("change", () => change(select.value));
  return h("div", { class: "field" }, h("span", { class: "label" }, say(`param.${name}`)), select);
}

function switchOf(step, edits, name, on) {
  if (on === undefined) return null;
  const box = h("input", { type: "checkbox", checked: Boolean(on) });
  box.addEventListener("change", () => edits.step(step.index, { params: { [name]: box.checked } }));
  return h("label", { class: "check" }, box, h("span", {}, say(`param.${name}`)));
}

/** One variable, in the panel of variables. */
export function variableRow(variable, edits) {
  const change = (key) => (value) => edits.variable(variable.name, { [key]: value });
  const kind = h("select", { class: "input", "aria-label": say("variable.kind") }, keysOf("kind").map((value) => h("option", { value, selected: value === variable.kind }, word("kind", value))));
  kind.addEventListener("change", () => edits.variable(variable.name, { kind: kind.value }));
  const values = (variable.choices ?? []).join("\n");
  const allowed = h("textarea", { class: "input", rows: 2, "aria-label": say("variable.choices") });
  allowed.defaultValue = values;
  allowed.addEventListener("change", () => edits.variable(variable.name, { choices: allowed.value.split("\n").map((one) => one.trim()).filter(Boolean) }));
  return h("details", { class: "variable", data: { variable: variable.name } },
    h("summary", {}, h("strong", {}, `{{${variable.name}}}`), h("span", { class: "small muted" }, variable.secret ? say("never_shown") : variable.example || variable.label || word("kind", variable.kind))),
    h("div", { class: "variable-fields" },
      field(say("variable.name"), variable.name, change("name"), { pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") }),
      field(say("variable.label"), variable.label, change("label")),
      h("div", { class: "field" }, h("span", { class: "label" }, say("variable.kind")), kind),
      variable.secret ? null : field(say("variable.example"), variable.example, change("example")),
      variable.secret ? null : field(say("variable.default"), variable.default, change("default")),
      variable.secret ? null : h("div", { class: "field" }, h("span", { class: "label" }, say("variable.choices")), allowed, h("p", { class: "hint" }, say("choices_hint"))),
      h("button", { class: "button slim danger", type: "button", onclick: () => edits.removeVariable(variable.name) }, icon("x"), say("remove_variable"))));
}
