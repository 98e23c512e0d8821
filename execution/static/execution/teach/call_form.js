/* Another workflow done here: which one, with which values, and what its own values are called; then the teacher does it by hand. */

import { fill, h, icon } from "../../rpa_site/dom.js";
import { say } from "../../rpa_site/words.js";

/** The form that asks for it; `send(call)` once it is told. */
export function callForm(store, send) {
  const { callable } = store;
  if (!callable.length) return h("form", { class: "answers control-form" }, h("p", { class: "muted" }, say("call.none")));
  const which = h("select", { class: "input", id: "call-which", data: { first: "" } }, callable.map((one) => h("option", { value: one.id }, say("call.version_of", { name: one.name, n: one.version }))));
  const asked = h("div", { class: "call-fields" });
  const chosen = () => callable.find((one) => one.id === which.value);
  const draw = () => fill(asked,
    chosen().asked.map((one) => row("value", one.name, one.label, { required: one.required && !one.default, placeholder: one.default || (one.secret ? say("call.secret") : say("call.value")) })),
    chosen().results.map((name) => row("output", name, say("call.output", { name }), { placeholder: say("call.unused"), pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") })));
  which.addEventListener("change", draw);
  draw();
  const form = h("form", { class: "answers control-form call-form" },
    h("div", {}, h("label", { for: which.id }, say("call.which")), which), asked,
    h("button", { class: "button primary", type: "submit" }, icon("check"), say("call.begin")));
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
  const end = h("button", { class: "button primary", type: "button", data: { key: "call-done" }, onclick: () => connection.act({ type: "call_done" }) }, icon("check"), say("call.done"));
  const robot = store.can("try") ? h("button", { class: "button", type: "button", data: { key: "call-robot" }, disabled: !store.takesActs, onclick: () => connection.send({ type: "call_robot" }) }, icon("player-play"), say("call.robot")) : null;
  return ["asks", top("hand-finger", "blue", say("call.doing", { what: store.lesson.call.sentence }), say("call.doing_text")), h("div", { class: "answers" }, end, robot)];
}
