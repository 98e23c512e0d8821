/* What a step types: the same each time, a variable, or a secret. */

import { find, h, icon } from "../../rpa_site/dom.js";
import { keysOf, word } from "../../rpa_site/words.js";
import { DATE_FORMATS, STATES } from "./control.js";
import { field, overline } from "./parts.js";

const KINDS = { fixed: gettext("always this"), variable: gettext("a variable"), secret: gettext("a secret") };
const SETS = { text: gettext("What it types"), option: gettext("What it chooses"), state: gettext("What it is set to"), date: gettext("Which day") };
const PARAMS = {
  clear: gettext("Clear the field first"),
  enter: gettext("Enter after"),
  keys: gettext("Keys"),
  text: gettext("Text"),
  name: gettext("Kept as"),
  kind: gettext("Kind"),
  timeout_s: gettext("Longest wait (s)"),
  format: gettext("Written there as"),
  columns: gettext("Columns of these texts"),
};
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
    return h("label", { class: "check" }, input, h("span", {}, KINDS[kind]));
  });
  const box = h("div", {});
  const show = (kind) => {
    box.replaceChildren(asVariable(kind));
    find("input", box).focus(); // at once: what is written in is not drawn anew
  };
  const asVariable = (kind) => {
    const fits = (kind === "secret" ? variables.filter((one) => one.secret) : store.lesson.values ?? []).filter((one) => set.param !== "date" || one.kind === "date");
    const input = h("input", { class: "input", list: `names-${step.index}`, value: "", "aria-label": gettext("Name of the variable"), placeholder: gettext("Name of the variable"), required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter") });
    const form = h("form", { class: "chip-form" }, input, h("datalist", { id: `names-${step.index}` }, fits.map((one) => h("option", { value: one.name }, one.label || one.name))), h("button", { class: "button primary slim", type: "submit" }, gettext("Use this")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      edits.step(step.index, { value: { kind, name: input.value } });
    });
    return h("div", {}, form, kind === "secret" ? h("p", { class: "hint" }, gettext("The text is deleted from this lesson at once, with the pictures that may show it.")) : offers(step, fits, edits));
  };
  const title = SETS[set.param];
  return [overline(title), shownValue(edits, step, name, variable),
    h("fieldset", { class: "kinds" }, h("legend", { class: "visually-hidden" }, title), choices), box,
    set.clear === undefined ? null : h("div", { class: "row-buttons" }, switchOf(step, edits, "clear", set.clear), switchOf(step, edits, "enter", set.enter))];
}

/** What it is now; where it is always the same it is changed here. */
function shownValue(edits, step, name, variable) {
  const { param, text, allowed = [] } = step.value;
  if (name) return h("p", { class: "typed" }, variable?.secret ? [icon("lock"), " "] : null, h("strong", {}, `{{${name}}}`));
  const change = (value) => edits.step(step.index, { value: { kind: "fixed", text: value } });
  const label = SETS[param];
  if (allowed.length) {
    const select = h("select", { class: "input", "aria-label": label }, allowed.map((one) => h("option", { value: one, selected: one === text }, STATES[one] ?? one)));
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
  return [overline(gettext("What it does")), entries.map(([name, value]) => {
    if (name === "format") return pick(name, Object.entries(DATE_FORMATS), value, change(name));
    if (name !== "kind") return field(PARAMS[name], String(value ?? ""), change(name), formOf(step, name));
    return pick(name, ["text", "number", "date"].map((kind) => [kind, word("kind", kind)]), value, change(name));
  })];
}

function formOf(step, name) {
  if (name === "timeout_s") return { type: "number", min: 1, max: 3600 };
  if (name === "columns") return { rows: 2, title: gettext("What heads the column of each text, a line for each; an empty line is any column.") };
  return name === "text" && (step.act === "must_see" || "columns" in step.params) ? { rows: 2 } : {}; // a line for each
}

function pick(name, options, value, change) {
  const select = h("select", { class: "input", "aria-label": PARAMS[name] }, options.map(([key, words]) => h("option", { value: key, selected: key === (value ?? "") }, words)));
  select.addEventListener("change", () => change(select.value));
  return h("div", { class: "field" }, h("span", { class: "label" }, PARAMS[name]), select);
}

function switchOf(step, edits, name, on) {
  if (on === undefined) return null;
  const box = h("input", { type: "checkbox", checked: Boolean(on) });
  box.addEventListener("change", () => edits.step(step.index, { params: { [name]: box.checked } }));
  return h("label", { class: "check" }, box, h("span", {}, PARAMS[name]));
}

/** One variable, in the panel of variables. */
export function variableRow(variable, edits) {
  const change = (key) => (value) => edits.variable(variable.name, { [key]: value });
  const kind = h("select", { class: "input", "aria-label": gettext("Kind") }, keysOf("kind").map((value) => h("option", { value, selected: value === variable.kind }, word("kind", value))));
  kind.addEventListener("change", () => edits.variable(variable.name, { kind: kind.value }));
  const values = (variable.choices ?? []).join("\n");
  const allowed = h("textarea", { class: "input", rows: 2, "aria-label": gettext("Allowed values") });
  allowed.defaultValue = values;
  allowed.addEventListener("change", () => edits.variable(variable.name, { choices: allowed.value.split("\n").map((one) => one.trim()).filter(Boolean) }));
  return h("details", { class: "variable", data: { variable: variable.name } },
    h("summary", {}, h("strong", {}, `{{${variable.name}}}`), h("span", { class: "small muted" }, variable.secret ? gettext("never shown") : variable.example || variable.label || word("kind", variable.kind))),
    h("div", { class: "variable-fields" },
      field(gettext("Name"), variable.name, change("name"), { pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter") }),
      field(gettext("In words"), variable.label, change("label")),
      h("div", { class: "field" }, h("span", { class: "label" }, gettext("Kind")), kind),
      variable.secret ? null : field(gettext("Example"), variable.example, change("example")),
      variable.secret ? null : field(gettext("Default"), variable.default, change("default")),
      variable.secret ? null : h("div", { class: "field" }, h("span", { class: "label" }, gettext("Allowed values")), allowed, h("p", { class: "hint" }, gettext("One a line; empty: any."))),
      h("button", { class: "button slim danger", type: "button", onclick: () => edits.removeVariable(variable.name) }, icon("x"), gettext("Delete the variable"))));
}
