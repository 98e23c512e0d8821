/* By which workflow a step is read back, and with which values: the one place where that is chosen. */

import { h } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { overline } from "./parts.js";

export function proofEditor(store, edits, step) {
  const now = step.proved_by;
  const known = store.callable.filter((one) => one.proves || one.id === now?.workflow);
  if (!known.length) return now ? null : [overline(gettext("Read back by")), h("p", { class: "muted" }, gettext("No published workflow only looks and says what must be seen."))];
  const which = h("select", { class: "input", "aria-label": gettext("Read back by"), data: { part: "proof" } },
    h("option", { value: "", selected: !now }, gettext("Nothing: what the screen shows is enough")),
    known.map((one) => h("option", { value: one.id, selected: one.id === now?.workflow }, interpolate(gettext("%(name)s, version %(n)s"), { name: one.name, n: one.id === now?.workflow ? now.version : one.version }))));
  which.addEventListener("change", () => edits.step(step.index, { proof: which.value ? { workflow: which.value } : null }));
  const asked = known.find((one) => one.id === now?.workflow)?.asked ?? [];
  return [overline(gettext("Read back by")), which, asked.map((one) => valueRow(edits, step, one))];
}

/** What one of its variables is; it is kept when the field is left. */
function valueRow(edits, step, variable) {
  const { workflow, version, values } = step.proved_by;
  const id = `proof-${step.index}-${variable.name}`;
  const field = h("input", { class: "input", id, maxlength: 300, autocomplete: "off", value: values[variable.name] ?? "", placeholder: variable.default || `{{${variable.name}}}`, data: { value: variable.name } });
  field.addEventListener("change", () => edits.step(step.index, { proof: { workflow, version, values: { ...values, [variable.name]: field.value } } }));
  return h("div", { class: "call-fields" }, h("label", { for: id }, interpolate(gettext("“%(name)s” is"), { name: variable.label })), field);
}
