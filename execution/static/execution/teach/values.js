/* What a step types: the same each time, a variable, or a secret. */

import { h, icon } from "../../rpa_site/dom.js";
import { keysOf, say, word } from "../../rpa_site/words.js";
import { field, overline } from "./parts.js";

const SOLE = /^\{\{\s*(\w+)\s*\}\}$/;

/** The part of a step's panel that says what it types; nothing for other steps. */
export function valueEditor(store, edits, step) {
  const typed = step.value;
  if (!typed) return null;
  const variables = store.lesson.variables ?? [];
  const name = SOLE.exec(typed.text)?.[1] ?? "";
  const variable = variables.find((one) => one.name === name);
  const now = !variable ? "fixed" : variable.secret ? "secret" : "variable";
  const choices = ["fixed", "variable", "secret"].map((kind) => {
    const input = h("input", { type: "radio", name: `value-${step.index}`, value: kind, checked: kind === now });
    input.addEventListener("change", () => (kind === "fixed" ? edits.step(step.index, { value: { kind } }) : show(kind)));
    return h("label", { class: "check" }, input, h("span", {}, say(`value_kind.${kind}`)));
  });
  const box = h("div", {});
  const show = (kind) => box.replaceChildren(asVariable(kind));
  const asVariable = (kind) => {
    const fits = variables.filter((one) => one.secret === (kind === "secret"));
    const input = h("input", { class: "input", list: `names-${step.index}`, value: "", "aria-label": say("variable_name"), placeholder: say("variable_name"), required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") });
    const form = h("form", { class: "chip-form" }, input, h("datalist", { id: `names-${step.index}` }, fits.map((one) => h("option", { value: one.name }, one.label || one.name))), h("button", { class: "button primary slim", type: "submit" }, say("use_this")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      edits.step(step.index, { value: { kind, name: input.value } });
    });
    setTimeout(() => input.focus());
    return h("div", {}, form, kind === "secret" ? h("p", { class: "hint" }, say("secret_hint")) : offers(step, fits, edits));
  };
  return [overline(say("what_it_types")), h("p", { class: "typed" }, variable?.secret ? [icon("lock"), " ", h("strong", {}, `{{${name}}}`)] : h("strong", {}, typed.text)),
    h("fieldset", { class: "kinds" }, h("legend", { class: "visually-hidden" }, say("what_it_types")), choices), box,
    h("div", { class: "row-buttons" }, switchOf(step, edits, "clear", typed.clear), switchOf(step, edits, "enter", typed.enter))];
}

/** Values that were typed or seen before, to be taken with one press. */
function offers(step, variables, edits) {
  if (!variables.length) return null;
  return h("div", { class: "chips" }, variables.map((one) => h("button", { class: "chip plain", type: "button", onclick: () => edits.step(step.index, { value: { kind: "variable", name: one.name } }) }, `{{${one.name}}}`, one.example ? ` · ${one.example}` : "")));
}

/** The settings of a step that types nothing: its keys, the text it waits for, the name of the value it reads. */
export function paramsEditor(edits, step) {
  const entries = Object.entries(step.params ?? {});
  if (!entries.length) return null;
  const change = (name) => (value) => edits.step(step.index, { params: { [name]: name === "timeout_s" ? Number(value) : value } });
  return [overline(say("settings")), entries.map(([name, value]) => {
    if (name !== "kind") return field(say(`param.${name}`), String(value ?? ""), change(name), name === "timeout_s" ? { type: "number", min: 1, max: 3600 } : {});
    const select = h("select", { class: "input", "aria-label": say("param.kind") }, ["text", "number", "date"].map((kind) => h("option", { value: kind, selected: kind === value }, word("kind", kind))));
    select.addEventListener("change", () => change("kind")(select.value));
    return h("div", { class: "field" }, h("span", { class: "label" }, say("param.kind")), select);
  })];
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
