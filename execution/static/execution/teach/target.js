/* What was understood of a step: how its target will be known, on which pictures that was tried, what comes after, whose record. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate, milliseconds } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";
import { chip, editable, keptWhileTyping, overline, textAdder } from "./parts.js";
import { proofEditor } from "./proof.js";
import { paramsEditor, valueEditor } from "./values.js";
import { waysEditor } from "./ways.js";

const LEVELS = { needed: gettext("must"), helps: gettext("helps"), left_out: gettext("not used") };
const stepNames = (store) => store.steps.map((one) => [one.edge_id, one.sentence]); // what may belong to a round

export function targetView(store, desktop, edits, { connection }) {
  const panel = find("#panel-target");
  keptWhileTyping(store, panel, () => [store.step, store.lesson.variables, store.lesson.values, store.takesActs, stepNames(store)], () => fill(panel, store.step ? stepParts(store.step) : h("p", { class: "muted" }, gettext("What is understood of a step shows here once there is one."))));

  function stepParts(step) {
    const { target } = step;
    if (!step.edge_id) return [h("h3", {}, emphasised(step.sentence)), h("p", { class: "muted" }, step.state === "held" ? gettext("It is kept, and done on the desktop, once the question below is answered.") : step.detail ?? "")];
    return [
      target ? head(step, target) : h("div", { class: "target-head" }, h("div", {}, h("h3", {}, emphasised(step.sentence)), h("p", { class: "small muted" }, step.detail ?? ""))),
      valueEditor(store, edits, step),
      paramsEditor(edits, step),
      target?.signs?.length ? [overline(gettext("How it will be known")), h("ul", { class: "signs-list" }, target.signs.map((sign) => signRow(step, sign)))] : null,
      target?.proof ? proof(target.proof) : null,
      overline(gettext("After it should be seen")),
      after(step),
      overline(gettext("Whose record")),
      identity(step),
      waysEditor(store, edits, step, { connection }),
      proofEditor(store, edits, step),
      overline(gettext("This step")),
      h("div", { class: "row-buttons" },
        h("label", { class: "check" }, checkbox(step.optional, (optional) => edits.step(step.index, { optional })), h("span", {}, gettext("Optional"))),
        h("label", { class: "check" }, checkbox(step.changes_nothing, (on) => edits.step(step.index, { changes_nothing: on })), h("span", {}, gettext("Changes nothing"))),
        mover(step, "earlier", "chevron-up", gettext("Earlier")), mover(step, "later", "chevron-down", gettext("Later")),
        h("button", { class: "button slim", type: "button", disabled: !store.takesActs, title: store.takesActs ? "" : gettext("A robot must be connected to insert a step."), onclick: () => connection.send({ type: "insert", after: step.index }) }, icon("plus"), gettext("Insert a step after it")),
        store.can("try") ? h("button", { class: "button slim", type: "button", disabled: !store.takesActs, onclick: () => connection.send({ type: "try", from: step.index }) }, icon("player-play"), gettext("Try from here")) : null,
        h("button", { class: "button slim danger", type: "button", onclick: () => edits.removeStep(step.index) }, icon("x"), gettext("Delete the step"))),
    ];
  }

  /** Changes places with the step beside it on its screen. */
  function mover(step, where, glyph, words) {
    const may = step.moves[where];
    return h("button", { class: "button slim", type: "button", disabled: !may, title: may ? "" : gettext("The step beside it on this screen leads elsewhere, or there is none."), data: { move: where }, onclick: () => edits.step(step.index, { move: where }) }, icon(glyph), words);
  }

  function head(step, target) {
    return h("div", { class: "target-head" },
      target.picture ? h("img", { class: "target-picture", src: store.pictureUrl(target.picture), alt: "" }) : h("span", { class: "target-picture none" }, icon("photo-off")),
      h("div", {}, h("h3", {}, target.sentence || emphasised(step.sentence)), step.detail ? h("p", { class: "small muted" }, step.detail) : null,
        h("button", { class: "button slim", type: "button", disabled: !store.takesActs || !step.picture, title: store.takesActs ? "" : gettext("A robot must be connected to read the picture."), onclick: () => store.set({ drawing: { kind: "redraw", index: step.index, picture: step.picture } }) }, icon("crop"), gettext("Show its place"))));
  }

  /** One sign: whether it must be there, only helps, or is left out; and how often it was seen here. */
  function signRow(step, sign) {
    const level = sign.needed ? "needed" : sign.used ? "helps" : "left_out";
    const select = h("select", { class: `pill ${level}`, "aria-label": interpolate(gettext("How much it counts: %(sign)s"), { sign: sign.text }), data: { sign: sign.sign } },
      (sign.levels ?? Object.keys(LEVELS)).map((value) => h("option", { value, selected: value === level }, LEVELS[value])));
    select.addEventListener("change", () => edits.step(step.index, { signs: { [sign.sign]: select.value } }));
    const here = sign.count_here === undefined || sign.count_here === null ? "" : interpolate(gettext("%(n)s here"), { n: sign.count_here });
    return h("li", { class: level },
      level === "left_out" ? icon("circle-minus", "amber-ink") : icon("circle-check", "green-ink"),
      h("span", {}, h("span", {}, emphasised(sign.text)), sign.why ? h("span", { class: "small muted" }, sign.why) : null,
        sign.sign === "text" && sign.text.includes("{{") ? h("button", { class: "link-button", type: "button", onclick: () => edits.step(step.index, { always: true }) }, gettext("Always the text that was shown")) : null),
      h("span", { class: "sign-end" }, h("span", { class: "small muted" }, here), select));
  }

  function proof({ found, of, elsewhere, ms, failed = [], pictures = [] }) {
    const good = found === of;
    const shots = [...failed.map((digest) => [digest, true]), ...pictures.filter((digest) => !failed.includes(digest)).map((digest) => [digest, false])].slice(0, 10);
    return [overline(gettext("Tried on what was seen so far")),
      h("p", { class: "proof" },
        h("span", { class: `badge-state ${good ? "green" : "red"}` }, icon(good ? "check" : "alert-circle"), interpolate(ngettext("%(n)s of %(of)s found", "%(n)s of %(of)s found", found), { n: found, of })),
        h("span", { class: `badge-state ${elsewhere ? "red" : "green"}` }, icon(elsewhere ? "alert-circle" : "check"), interpolate(gettext("%(n)s elsewhere"), { n: elsewhere })),
        ms ? h("span", { class: "small muted" }, milliseconds(ms)) : null),
      shots.length ? h("div", { class: "proof-pictures" }, shots.map(([digest, bad]) =>
        h("a", { class: bad ? "bad" : "good", href: store.pictureUrl(digest), target: "_blank", rel: "noopener", "aria-label": bad ? gettext("A picture on which it was not found") : gettext("A picture on which it was found") }, h("img", { src: store.pictureUrl(digest), alt: "", loading: "lazy" })))) : null];
  }

  function after(step) {
    const texts = step.after ?? [];
    const save = (wanted) => edits.step(step.index, { expect: wanted });
    const used = texts.filter((one) => one.used).map((one) => one.text);
    return h("div", { class: "chips" },
      texts.map((one) => chip(one.text, one.used ? "used" : "plain", one.used, () => save(one.used ? used.filter((text) => text !== one.text) : [...used, one.text]))),
      textAdder(gettext("Another text that should be seen"), (text) => save([...used, text])));
  }

  /** Go on only where these are seen; each a value, and the label it stands at. */
  function identity(step) {
    const now = () => store.now(step).identity ?? [];
    const read = (change) => [
      now().length
        ? h("p", {}, gettext("Go on only where these are seen:"), " ", now().flatMap((one, i) => [i ? `, ` : "", h("strong", {}, one.value), one.label ? ` (${one.label})` : ""]), ". ")
        : h("p", { class: "muted" }, gettext("Nothing says whose record it must be.")),
      h("button", { class: "link-button", type: "button", onclick: change }, gettext("Change"))];
    return editable(read, (close) => identityForm(step, now(), close), { data: { part: "record" } });
  }

  function identityForm(step, now, close) {
    const rows = [...now, { value: "", label: "" }].map((one) => [
      h("input", { class: "input", value: one.value, "aria-label": gettext("Value that must be seen"), placeholder: "{{patient}}" }),
      h("input", { class: "input", value: one.label ?? "", "aria-label": gettext("At the label"), placeholder: gettext("At the label") }),
    ]);
    const known = h("datalist", { id: `record-${step.index}` }, (store.lesson.values ?? []).map((one) => h("option", { value: `{{${one.name}}}` }, one.value)));
    for (const [value] of rows) value.setAttribute("list", known.id);
    const form = h("form", { class: "identity-form" }, known, rows.map((pair) => h("div", {}, pair)),
      h("div", { class: "row-buttons" }, h("button", { class: "button primary slim", type: "submit" }, gettext("Save")), h("button", { class: "button slim", type: "button", onclick: close }, gettext("Back"))));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const wanted = rows.map(([value, label]) => ({ value: value.value.trim(), label: label.value.trim() })).filter(({ value }) => value);
      if (await edits.step(step.index, { identity: wanted })) close();
    });
    return form;
  }
}

function checkbox(checked, onchange) {
  const box = h("input", { type: "checkbox", checked: Boolean(checked) });
  box.addEventListener("change", () => onchange(box.checked));
  return box;
}
