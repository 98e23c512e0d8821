/* Values for the desktop that nobody has to write again, and secrets, which are switched to before they are typed. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";

/** Offers the values of the variables, a new one, and a field for a secret. */
export function typeDialog(store, keyboard) {
  const dialog = find("#type-dialog");
  const variables = store.lesson.variables ?? [];
  const close = () => {
    dialog.close();
    fill(find("[data-body]", dialog)); // the secret is in no page that stays
    keyboard.focus();
  };
  const known = (store.lesson.values ?? []).filter((one) => one.value);
  const typed = store.lesson.typed ?? [];
  const called = h("input", { class: "input", id: "value-name", required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter"), autocomplete: "off" });
  const here = h("input", { class: "input", id: "value-here", required: true, maxlength: 500, autocomplete: "off" });
  const added = h("form", {},
    h("h3", { class: "overline" }, gettext("Type a value that each run is given")),
    h("div", { class: "field" }, h("label", { for: "value-name" }, gettext("Name of the value")), called),
    h("div", { class: "field" }, h("label", { for: "value-here" }, gettext("Here it is")), here, h("p", { class: "hint" }, gettext("This text is typed now. A run asks for its own."))),
    h("div", { class: "buttons" }, h("button", { class: "button", type: "submit" }, icon("variable"), gettext("Type this value"))));
  added.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(await keyboard.edits.variable(called.value, { example: here.value }))) return;
    keyboard.type(here.value);
    close();
  });
  const name = h("input", { class: "input", id: "secret-name", list: "secret-names", required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter"), autocomplete: "off" });
  const value = h("input", { class: "input", id: "secret-value", type: "password", required: true, autocomplete: "off" });
  const secrets = variables.filter((one) => one.secret);
  name.value = secrets[0]?.name ?? "password";
  const form = h("form", {},
    h("h3", { class: "overline" }, gettext("Type a secret")),
    h("div", { class: "field" }, h("label", { for: "secret-name" }, gettext("Name of the variable")), name, h("datalist", { id: "secret-names" }, secrets.map((one) => h("option", { value: one.name })))),
    h("div", { class: "field" }, h("label", { for: "secret-value" }, gettext("Secret text")), value, h("p", { class: "hint" }, gettext("It is typed on the desktop and kept nowhere; a run asks for it."))),
    h("div", { class: "buttons" }, h("button", { class: "button", type: "button", onclick: close }, gettext("Cancel")), h("button", { class: "button primary", type: "submit" }, icon("lock"), gettext("Type it on the desktop"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const isKnown = secrets.some((one) => one.name === name.value);
    if (!isKnown && !(await keyboard.edits.variable(name.value, { kind: "secret" }))) return;
    keyboard.typeSecret(name.value, value.value);
    close();
  });
  fill(find("[data-body]", dialog), h("h2", { id: "type-title" }, gettext("Type a value")),
    known.length ? h("div", { class: "chips" }, known.map((one) => h("button", { class: "chip plain", type: "button", onclick: () => (keyboard.type(one.value), close()) }, h("strong", {}, `{{${one.name}}}`), ` ${one.value}`))) : null,
    typed.length ? [h("h3", { class: "overline" }, gettext("Typed before in this workflow")), h("div", { class: "chips" }, typed.map((one) => h("button", { class: "chip plain", type: "button", onclick: () => (keyboard.type(one), close()) }, one)))] : null,
    added, form);
  dialog.showModal();
}
