/* When a step is done: only if a value says so, for each line of a list, on whose record. Shown as sentences, edited in place. */

import { fill, h, icon } from "../../rpa_site/dom.js";
import { keysOf, say, word } from "../../rpa_site/words.js";
import { editable, overline } from "./parts.js";

const NOTHING = new Set(["empty", "not_empty"]); // tests that compare with nothing
const SEVERAL = "one_of"; // one value a line, or separated by commas
export const MOST = 50; // lines, until somebody says otherwise

/** The parts of a step's panel that say when it is done. */
export function waysEditor(store, edits, step, { connection }) {
  return [overline(say("only_if")), conditions(store, edits, step), step.target ? [overline(say("each_line")), repetition(store, edits, step, connection)] : null];
}

const sentences = (texts) => texts.map((text) => h("p", { class: "way" }, text));

// --- only if -----------------------------------------------------------------------------------------------------------
function conditions(store, edits, step) {
  const now = () => store.now(step).condition ?? [];
  const values = (store.lesson.values ?? []);
  const read = (change) => [
    now().length ? h("p", { class: "way" }, store.now(step).only_if) : h("p", { class: "muted" }, values.length ? say("always_done") : say("no_values_yet")),
    values.length ? h("button", { class: "link-button", type: "button", data: { key: "only_if" }, onclick: change }, say(now().length ? "change" : "add_condition")) : null,
  ];
  return editable(read, (close) => conditionForm(store, edits, step, now(), close));
}

function conditionForm(store, edits, step, now, close) {
  const values = store.lesson.values ?? [];
  const rows = h("div", { class: "conditions" });
  const add = (one) => rows.append(conditionRow(values, step, one));
  for (const one of now.length ? now : [{ value: values[0].name, test: "equals", to: [] }]) add(one);
  rows.addEventListener("click", (event) => {
    const gone = event.target.closest("[data-remove]");
    if (gone) gone.closest(".condition").remove();
  });
  const form = h("form", { class: "ways-form" }, rows,
    h("div", { class: "row-buttons" },
      h("button", { class: "button primary slim", type: "submit" }, say("save")),
      h("button", { class: "button slim", type: "button", onclick: () => add({ value: values[0].name, test: "equals", to: [] }) }, icon("plus"), say("and")),
      h("button", { class: "button slim", type: "button", onclick: close }, say("back"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = [...rows.children].map((one) => one.read());
    if (await edits.step(step.index, { condition: wanted })) close();
  });
  return form;
}

function conditionRow(values, step, one) {
  const value = h("select", { class: "input", "aria-label": say("condition_value") }, values.map(({ name, label }) => h("option", { value: name, selected: name === one.value }, label || name)));
  const test = h("select", { class: "input", "aria-label": say("condition_test") });
  const to = h("input", { class: "input", "aria-label": say("condition_to"), placeholder: say("condition_to"), value: one.to.join(", "), list: `to-${step.index}` });
  const known = h("datalist", { id: `to-${step.index}` });
  const renew = () => {
    const { kind, choices, value: here } = values.find(({ name }) => name === value.value) ?? {};
    const wanted = test.value || one.test;
    fill(test, keysOf("test").filter((key) => fits(key, kind)).map((key) => h("option", { value: key, selected: key === wanted }, word("test", key))));
    fill(known, [...new Set([...(choices ?? []), here].filter(Boolean))].map((text) => h("option", { value: text })), values.filter(({ name }) => name !== value.value).map(({ name }) => h("option", { value: `{{${name}}}` })));
    to.hidden = NOTHING.has(test.value);
    to.required = !to.hidden;
  };
  value.addEventListener("change", renew);
  test.addEventListener("change", renew);
  renew();
  const row = h("div", { class: "condition" }, value, test, to, known, h("button", { class: "icon-button", type: "button", "aria-label": say("remove_condition"), title: say("remove_condition"), data: { remove: "" } }, icon("x")));
  row.read = () => ({ value: value.value, test: test.value, to: NOTHING.has(test.value) ? [] : test.value === SEVERAL ? to.value.split(",").map((text) => text.trim()).filter(Boolean) : [to.value.trim()] });
  return row;
}

/** Whether a value of that kind can be asked that: less and more of numbers, before and after of dates. */
function fits(test, kind) {
  if (test === "less" || test === "more") return kind === "number";
  return test === "before" || test === "after" ? kind === "date" : true;
}

// --- for each line -----------------------------------------------------------------------------------------------------
function repetition(store, edits, step, connection) {
  const now = () => store.now(step).repeat;
  const others = (store.lesson.steps ?? []).filter((one) => one.edge_id && one.node_id === step.node_id && one.index !== step.index && !one.repeat);
  const read = (change) => now()
    ? [sentences(store.now(step).repeat_told ?? []), h("div", { class: "row-buttons" },
      h("button", { class: "button slim", type: "button", data: { key: "each_line" }, onclick: change }, say("change")),
      h("button", { class: "button slim danger", type: "button", onclick: () => edits.step(step.index, { repeat: null }) }, icon("x"), say("end_repeat")))]
    : [h("p", { class: "muted" }, say("done_once")), store.can("repeat") ? h("button", { class: "link-button", type: "button", disabled: store.connection !== "live", data: { key: "each_line" }, onclick: change }, say("repeat_lines")) : null];
  return editable(read, (close) => repeatForm(store, edits, step, now(), others, close, connection));
}

function repeatForm(store, edits, step, now, others, close, connection) {
  const id = (name) => `${name}-${step.index}`;
  const counter = h("input", { class: "input", id: id("counter"), value: now?.counter ?? "n", required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule"), disabled: Boolean(now) });
  const most = h("input", { class: "input", id: id("most"), type: "number", min: 1, max: 10000, value: String(now?.most ?? MOST), required: true });
  const until = h("input", { class: "input", id: id("until"), value: (now?.until ?? []).join(", ") });
  const boxes = others.map((one) => [one.edge_id, h("input", { type: "checkbox", checked: (now?.steps ?? []).includes(one.edge_id) }), one.sentence]);
  const labelled = (words, input) => h("div", { class: "field" }, h("label", { for: input.id }, words), input);
  const form = h("form", { class: "ways-form" },
    now ? null : h("p", { class: "hint" }, say("repeat_hint")),
    labelled(say("repeat_counter"), counter), labelled(say("repeat_most"), most), labelled(say("repeat_until"), until),
    boxes.length ? h("fieldset", { class: "kinds" }, h("legend", {}, say("repeat_steps")), boxes.map(([, box, words]) => h("label", { class: "check" }, box, h("span", {}, words)))) : null,
    h("div", { class: "row-buttons" }, h("button", { class: "button primary slim", type: "submit" }, say("save")), h("button", { class: "button slim", type: "button", onclick: close }, say("back"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = { most: Number(most.value), until: until.value.split(",").map((text) => text.trim()).filter(Boolean), steps: boxes.filter(([, box]) => box.checked).map(([edge]) => edge) };
    if (now) return void ((await edits.step(step.index, { repeat: wanted })) && close());
    connection.send({ type: "repeat", step: step.index, counter: counter.value, ...wanted });
    close();
  });
  return form;
}
