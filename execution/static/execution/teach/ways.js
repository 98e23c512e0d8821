/* When a step is done: only if a value says so, for each line of a list, on whose record. Shown as sentences, edited in place. */

import { fill, h, icon } from "../../rpa_site/dom.js";
import { editable, overline } from "./parts.js";

const TESTS = {
  equals: gettext("is"),
  is_not: gettext("is not"),
  one_of: gettext("is one of"),
  contains: gettext("contains"),
  empty: gettext("is empty"),
  not_empty: gettext("is not empty"),
  less: gettext("is less than"),
  more: gettext("is more than"),
  before: gettext("is before"),
  after: gettext("is after"),
};
const NOTHING = new Set(["empty", "not_empty"]); // tests that compare with nothing
const SEVERAL = "one_of"; // one value a line, or separated by commas
export const MOST = 50; // lines, until somebody says otherwise

/** The parts of a step's panel that say when it is done. */
export function waysEditor(store, edits, step, { connection }) {
  return [overline(gettext("Only if")), conditions(store, edits, step), step.target ? [overline(gettext("For each line of a list")), repetition(store, edits, step, connection)] : null];
}

const sentences = (texts) => texts.map((text) => h("p", { class: "way" }, text));

// --- only if -----------------------------------------------------------------------------------------------------------
function conditions(store, edits, step) {
  const now = () => store.now(step).condition ?? [];
  const values = (store.lesson.values ?? []);
  const read = (change) => [
    now().length ? h("p", { class: "way" }, store.now(step).only_if) : h("p", { class: "muted" }, values.length ? gettext("It is always done.") : gettext("It is always done: a run has no value yet that could decide.")),
    values.length ? h("button", { class: "link-button", type: "button", data: { key: "only_if" }, onclick: change }, now().length ? gettext("Change") : gettext("Only if …")) : null,
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
      h("button", { class: "button primary slim", type: "submit" }, gettext("Save")),
      h("button", { class: "button slim", type: "button", onclick: () => add({ value: values[0].name, test: "equals", to: [] }) }, icon("plus"), gettext("and")),
      h("button", { class: "button slim", type: "button", onclick: close }, gettext("Back"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = [...rows.children].map((one) => one.read());
    if (await edits.step(step.index, { condition: wanted })) close();
  });
  return form;
}

function conditionRow(values, step, one) {
  const value = h("select", { class: "input", "aria-label": gettext("Value that decides") }, values.map(({ name, label }) => h("option", { value: name, selected: name === one.value }, label || name)));
  const test = h("select", { class: "input", "aria-label": gettext("Test") });
  const to = h("input", { class: "input", "aria-label": gettext("Compared with"), placeholder: gettext("Compared with"), value: one.to.join(", "), list: `to-${step.index}` });
  const known = h("datalist", { id: `to-${step.index}` });
  const renew = () => {
    const { kind, choices, value: here } = values.find(({ name }) => name === value.value) ?? {};
    const wanted = test.value || one.test;
    fill(test, Object.keys(TESTS).filter((key) => fits(key, kind)).map((key) => h("option", { value: key, selected: key === wanted }, TESTS[key])));
    fill(known, [...new Set([...(choices ?? []), here].filter(Boolean))].map((text) => h("option", { value: text })), values.filter(({ name }) => name !== value.value).map(({ name }) => h("option", { value: `{{${name}}}` })));
    to.hidden = NOTHING.has(test.value);
    to.required = !to.hidden;
  };
  value.addEventListener("change", renew);
  test.addEventListener("change", renew);
  renew();
  const row = h("div", { class: "condition" }, value, test, to, known, h("button", { class: "icon-button", type: "button", "aria-label": gettext("Take this condition away"), title: gettext("Take this condition away"), data: { remove: "" } }, icon("x")));
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
      h("button", { class: "button slim", type: "button", data: { key: "each_line" }, onclick: change }, gettext("Change")),
      h("button", { class: "button slim danger", type: "button", onclick: () => edits.step(step.index, { repeat: null }) }, icon("x"), gettext("Not for each line")))]
    : [h("p", { class: "muted" }, gettext("It is done once, for the line that was shown.")), store.can("repeat") ? h("button", { class: "link-button", type: "button", disabled: store.connection !== "live", data: { key: "each_line" }, onclick: change }, gettext("Repeat for each line of this list …")) : null];
  return editable(read, (close) => repeatForm(store, edits, step, now(), others, close, connection));
}

function repeatForm(store, edits, step, now, others, close, connection) {
  const id = (name) => `${name}-${step.index}`;
  const counter = h("input", { class: "input", id: id("counter"), value: now?.counter ?? "n", required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter"), disabled: Boolean(now) });
  const most = h("input", { class: "input", id: id("most"), type: "number", min: 1, max: 10000, value: String(now?.most ?? MOST), required: true });
  const until = h("input", { class: "input", id: id("until"), value: (now?.until ?? []).join(", ") });
  const boxes = others.map((one) => [one.edge_id, h("input", { type: "checkbox", checked: (now?.steps ?? []).includes(one.edge_id) }), one.sentence]);
  const labelled = (words, input) => h("div", { class: "field" }, h("label", { for: input.id }, words), input);
  const form = h("form", { class: "ways-form" },
    now ? null : h("p", { class: "hint" }, gettext("This step was shown on the first line. What it leads to is done for each line, until this screen is back.")),
    labelled(gettext("The line is called"), counter), labelled(gettext("At most so many lines"), most), labelled(gettext("Over once this text is seen (optional)"), until),
    boxes.length ? h("fieldset", { class: "kinds" }, h("legend", {}, gettext("Done in each round as well")), boxes.map(([, box, words]) => h("label", { class: "check" }, box, h("span", {}, words)))) : null,
    h("div", { class: "row-buttons" }, h("button", { class: "button primary slim", type: "submit" }, gettext("Save")), h("button", { class: "button slim", type: "button", onclick: close }, gettext("Back"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = { most: Number(most.value), until: until.value.split(",").map((text) => text.trim()).filter(Boolean), steps: boxes.filter(([, box]) => box.checked).map(([edge]) => edge) };
    if (now) return void ((await edits.step(step.index, { repeat: wanted })) && close());
    connection.send({ type: "repeat", step: step.index, counter: counter.value, ...wanted });
    close();
  });
  return form;
}
