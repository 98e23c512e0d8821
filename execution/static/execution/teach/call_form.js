/* Another workflow done here: which one, with which values, and what its own values are called; then the teacher does it by hand. */

import { fill, h, icon } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";

/** The form that asks for it; `send(call)` once it is told. */
export function callForm(store, send) {
  const { callable } = store;
  if (!callable.length) return h("form", { class: "answers control-form" }, h("p", { class: "muted" }, gettext("No other workflow is published yet.")));
  const which = h("select", { class: "input", id: "call-which", data: { first: "" } }, callable.map((one) => h("option", { value: one.id }, interpolate(gettext("%(name)s, version %(n)s"), { name: one.name, n: one.version }))));
  const asked = h("div", { class: "call-fields" });
  const chosen = () => callable.find((one) => one.id === which.value);
  const draw = () => fill(asked,
    chosen().asked.map((one) => row("value", one.name, one.label, { required: one.required && !one.default, placeholder: one.default || (one.secret ? gettext("A secret {{variable}}") : gettext("A text, or a {{variable}}")) })),
    chosen().results.map((name) => row("output", name, interpolate(gettext("What it reads as “%(name)s” is called here"), { name }), { placeholder: gettext("not used here"), pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter") })));
  which.addEventListener("change", draw);
  draw();
  const form = h("form", { class: "answers control-form call-form" },
    h("div", {}, h("label", { for: which.id }, gettext("Workflow")), which), asked,
    h("button", { class: "button primary", type: "submit" }, icon("check"), gettext("Note it")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ workflow: chosen().id, version: chosen().version, values: told(asked, "value"), outputs: told(asked, "output") });
  });
  return form;
}

const row = (kind, name, words, attributes) => {
  const input = h("input", { class: "input", id: `call-${kind}-${name}`, maxlength: 300, autocomplete: "off", data: { [kind]: name }, ...attributes });
  return h("div", {}, h("label", { for: input.id }, words), input);
};

const told = (fields, kind) => Object.fromEntries([...fields.querySelectorAll(`[data-${kind}]`)].filter((one) => one.value.trim()).map((one) => [one.dataset[kind], one.value.trim()]));

/** What is said while it is done by hand, with the button that ends it. */
export function callPanel(store, connection, top) {
  const end = h("button", { class: "button primary", type: "button", data: { key: "call-done" }, onclick: () => connection.act({ type: "call_done" }) }, icon("check"), gettext("It is done: this screen comes after it"));
  const robot = store.can("try") ? h("button", { class: "button", type: "button", data: { key: "call-robot" }, disabled: !store.takesActs, onclick: () => connection.send({ type: "call_robot" }) }, icon("player-play"), gettext("Let the robot do it")) : null;
  return ["asks", top("hand-finger", "blue", interpolate(gettext("%(what)s: do what it does, or have it done"), { what: store.lesson.call.sentence }), gettext("Nothing of that is kept. Say so when the screen shows that comes after it.")), h("div", { class: "answers" }, end, robot)];
}
