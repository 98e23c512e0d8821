/* The other panels: the screen and what it is known by, the variables, what is left to mend. */

import { announce, fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate, word } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";
import { chip, field, keptWhileTyping, overline, textAdder } from "./parts.js";
import { variableRow } from "./values.js";

const TEXT_KINDS = {
  tells: gettext("must be seen; press to leave it out"),
  data: gettext("data, differs each time; press to let it tell"),
  left_out: gettext("left out; press to let it tell"),
};
const REGIONS = {
  must: [gettext("Must be there"), gettext("What is read here must be there")],
  must_not: [gettext("Must be empty"), gettext("Here nothing may be read")],
  ignore: [gettext("Ignore"), gettext("What stands here does not matter")],
  list: [gettext("List"), gettext("Lines of a list: others, more or fewer another day")],
};

export function screenView(store, desktop, edits) {
  const panel = find("#panel-screen");
  keptWhileTyping(store, panel, () => [store.screenShown, store.lesson.screens?.length, store.drawing, store.hasPicture], () => fill(panel, store.screenShown ? parts(store.screenShown) : h("p", { class: "muted" }, gettext("What a screen is known by shows here once one is taught."))));

  function parts(screen) {
    const change = (changes) => edits.screen(screen.node_id, changes);
    return [
      field(gettext("Name of the screen"), screen.name, (name) => change({ name })),
      h("div", { class: "row-buttons" },
        flag(gettext("A run begins here"), screen.is_entry, (is_entry) => change({ is_entry })),
        flag(gettext("A run ends here"), screen.is_end, (is_end) => change({ is_end }))),
      screen.is_entry ? null : field(gettext("Not possible, because"), screen.exception, (exception) => change({ exception }), { maxlength: 200, placeholder: gettext("Patient not found"), title: gettext("A run that comes to this screen ends there, and its row is an exception with this reason.") }),
      ways(screen, change),
      overline(gettext("Told apart from other screens")), meter(screen),
      overline(gettext("Texts it is known by")), texts(screen, change),
      overline(gettext("Areas")), regions(screen, change),
    ];
  }

  /** What is tried first where several ways lead on; each is moved by its two buttons, which keep the focus. */
  function ways({ ways: all = [] }, change) {
    if (!all.length) return null;
    const move = (at, by) => async () => {
      const order = all.map((one) => one.edge_id);
      const [moved] = order.splice(at, 1);
      order.splice(at + by, 0, moved);
      if (!(await change({ order }))) return;
      store.setNow({}); // drawn in the new order, before the focus goes where its button is now
      announce(interpolate(gettext("%(what)s is number %(n)s now"), { what: all[at].sentence, n: at + by + 1 }));
      const buttons = [...panel.querySelectorAll(`[data-way="${CSS.escape(moved)}"]:not([disabled])`)];
      (buttons.find((one) => one.dataset.by === String(by)) ?? buttons[0])?.focus();
    };
    const button = (at, by, glyph, words) => h("button", { class: "icon-button", type: "button", disabled: !all[at + by], "aria-label": words, title: words, data: { way: all[at].edge_id, by: String(by) }, onclick: move(at, by) }, icon(glyph));
    return [overline(gettext("Several ways lead on: tried in this order")), h("ol", { class: "ways-on" }, all.map((one, at) => h("li", {},
      h("span", {}, emphasised(one.sentence), one.leads_to ? h("span", { class: "small muted" }, emphasised(interpolate(gettext("leads to “%(name)s”"), { name: one.leads_to }))) : null),
      button(at, -1, "chevron-up", interpolate(gettext("%(what)s: earlier"), { what: one.sentence })), button(at, 1, "chevron-down", interpolate(gettext("%(what)s: later"), { what: one.sentence })))))];
  }

  function meter({ told_apart: apart }) {
    if (!apart || apart.score === null || apart.score === undefined) return h("p", { class: "muted" }, gettext("Not measured yet."));
    const { nearest, weak } = apart;
    return h("div", { class: "meter" },
      h("div", { class: "why-line" }, h("span", {}, weak ? [icon("alert-triangle", "amber-ink"), " ", gettext("Weakly: it may be taken for another one")] : gettext("Well"))),
      bar(apart.score, weak),
      nearest ? h("p", { class: "small muted" }, emphasised(interpolate(gettext("Nearest: “%(name)s”"), { name: nearest.name }))) : null,
      weak && nearest?.picture && screenPicture(store) ? h("div", { class: "pair" }, [[gettext("This screen"), screenPicture(store)], [nearest.name, nearest.picture]].map(([name, digest]) => h("figure", {}, h("figcaption", {}, name), h("div", { class: "crop" }, h("img", { src: store.pictureUrl(digest), alt: "" }))))) : null);
  }

  /** A press lets a text tell, or leaves it out; data is crossed out. */
  function texts(screen, change) {
    const set = (text, kind) => change({ texts: [{ text, kind }] });
    const all = screen.texts ?? [];
    return [h("div", { class: "chips" },
      all.map(({ text, kind }) => chip(text, { tells: "used", data: "data", left_out: "plain" }[kind], kind === "tells", () => set(text, kind === "tells" ? "left_out" : "tells"), TEXT_KINDS[kind])),
      textAdder(gettext("Another text that must be seen"), (text) => set(text, "tells"))),
    h("p", { class: "hint" }, gettext("Blue texts must be seen. Those crossed out are data and differ from time to time."))];
  }

  function regions(screen, change) {
    const all = screen.regions ?? [];
    const draw = (kind) => h("button", { class: "button slim", type: "button", "aria-pressed": String(store.drawing?.region === kind), disabled: !store.hasPicture && !screen.picture, onclick: () => store.set({ drawing: { kind: "region", region: kind, node: screen.node_id, picture: screen.picture } }) }, h("span", { class: `swatch ${kind}` }), REGIONS[kind][0]);
    return [
      h("ul", { class: "regions" }, all.map((region, i) => h("li", { onpointerenter: () => desktop.pointTo(pixels(region.box)), onpointerleave: () => desktop.pointTo(null) },
        h("span", { class: `swatch ${region.kind}` }), h("span", {}, REGIONS[region.kind][1]),
        h("button", { class: "icon-button", type: "button", "aria-label": interpolate(gettext("Remove area %(n)s"), { n: i + 1 }), title: interpolate(gettext("Remove area %(n)s"), { n: i + 1 }), onclick: () => change({ regions: all.filter((_, j) => j !== i) }) }, icon("x"))))),
      h("div", { class: "row-buttons" }, Object.keys(REGIONS).map(draw)),
      h("p", { class: "hint" }, gettext("Choose a kind, then draw the area on the picture."))];
  }

  const pixels = ([x, y, w, hgt]) => [x * store.size[0], y * store.size[1], w * store.size[0], hgt * store.size[1]];
}

const screenPicture = (store) => store.screenShown?.picture ?? "";

function flag(words, on, onchange) {
  const box = h("input", { type: "checkbox", checked: Boolean(on) });
  box.addEventListener("change", () => onchange(box.checked));
  return h("label", { class: "check" }, box, h("span", {}, words));
}

function bar(share, weak) {
  const filled = h("i", {});
  filled.style.width = `${Math.round(share * 100)}%`;
  return h("div", { class: `bar ${weak ? "amber" : "green"}` }, filled);
}

export function variablesView(store, edits) {
  const panel = find("#panel-variables");
  keptWhileTyping(store, panel, () => store.lesson.variables, () => {
    const open = [...panel.querySelectorAll("details")].map((one) => one.open); // by their order: a name may have changed
    const variables = store.lesson.variables ?? [];
    fill(panel, variables.length ? variables.map((one) => variableRow(one, edits)) : h("p", { class: "muted" }, gettext("No variables yet. A typed text can be made one, in its step.")), adder());
    panel.querySelectorAll("details").forEach((one, i) => (one.open = Boolean(open[i])));
  });

  function adder() {
    const name = h("input", { class: "input", "aria-label": gettext("Name"), placeholder: gettext("Name of the variable"), required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter") });
    const kind = h("select", { class: "input", "aria-label": gettext("Kind") }, ["text", "lines", "date", "number", "email", "secret"].map((value) => h("option", { value }, word("kind", value))));
    const form = h("form", { class: "variable-add" }, name, kind, h("button", { class: "button slim", type: "submit" }, icon("plus"), gettext("Add")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const made = await edits.variable(name.value, { kind: kind.value });
      if (made) name.value = "";
    });
    return form;
  }
}

export function problemsView(store, edits, { goTo }) {
  const panel = find("#panel-problems");
  const count = find("#problems-count");
  keptWhileTyping(store, panel, () => [store.lesson.problems, store.screen?.node_id], () => {
    const problems = store.lesson.problems ?? [];
    const errors = problems.filter((one) => one.severity !== "warning").length;
    count.hidden = !errors;
    count.textContent = String(errors);
    fill(panel, problemList(problems, goTo, endHere(store, edits)));
  });
}

/** What marks the screen that shows as the end of a run; null where none shows. */
export function endHere(store, edits) {
  const screen = store.screenOf(store.screen?.node_id);
  return screen && { name: screen.name, mark: () => edits.screen(screen.node_id, { is_end: true }) };
}

/** What is left to mend, each with a button that goes there; a graph without an end asks whether it ends `here`. */
export function problemList(problems, goTo, here) {
  if (!problems.length) return h("p", { class: "notice green" }, icon("circle-check"), h("span", {}, gettext("Nothing is left to mend.")));
  return h("ul", { class: "problem-list" }, problems.map((one) => {
    const warning = one.severity === "warning";
    return h("li", {}, icon(warning ? "alert-triangle" : "alert-circle", warning ? "amber-ink" : "red-ink"),
      h("span", {}, h("span", { class: "visually-hidden" }, `${warning ? gettext("Warning") : gettext("Error")}: `), one.text, one.where ? h("span", { class: "small muted" }, one.where) : null),
      h("span", { class: "problem-acts" },
        one.code === "no_end" && here ? h("button", { class: "button slim", type: "button", onclick: here.mark }, interpolate(gettext("A run ends on “%(name)s”"), { name: here.name })) : null,
        one.goto ? h("button", { class: "button slim", type: "button", "aria-label": `${gettext("Go there")}: ${one.text}`, onclick: () => goTo(one.goto) }, gettext("Go there")) : null));
  }));
}
