/* “If this shows, it is not possible, because …”: of the screen, or of a text on it that is pointed at. */

import { h, icon } from "../../rpa_site/dom.js";

/** Asks for the reason; `onscreen(reason)` for the whole screen, and a text is pointed at on the picture. */
export function notPossibleForm(store, { onscreen, onback = null, disabled = false }) {
  const reason = h("input", { class: "input", id: "not-possible", maxlength: 200, required: true, autocomplete: "off", placeholder: gettext("Patient not found"), disabled });
  const given = () => reason.reportValidity() && reason.value.trim();
  const onText = () => given() && store.set({ drawing: { kind: "not_possible", reason: given() } });
  const form = h("form", { class: "answer-values not-possible" },
    h("div", {}, h("label", { for: reason.id }, gettext("Not possible, because")), reason),
    h("button", { class: "button primary", type: "submit", disabled, data: { key: "not_possible_screen" } }, icon("window"), gettext("If this screen shows")),
    h("button", { class: "button", type: "button", disabled, data: { key: "not_possible_text" }, onclick: onText }, icon("crop"), gettext("If a text shows …")),
    onback ? h("button", { class: "button plain", type: "button", onclick: onback }, gettext("Back")) : null);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (given()) onscreen(given());
  });
  return form;
}

/** Kept at once: it is a step that can be taken back. */
export function keepNotPossible(store, connection, reason, place = {}) {
  if (connection.send({ type: "mend", what: "not_possible", reason, keep: true, ...place })) store.set({ keeping: true, trouble: "" });
}

/** What was pointed at, as the robot's end takes it. */
export const placeOf = ({ point, box }) => (box ? { box } : { x: point[0], y: point[1] });
