/* The other panels: the screen and what it is known by, the variables, what is left to mend. */

import { announce, fill, find, h, icon } from "../../rpa_site/dom.js";
import { say, word } from "../../rpa_site/words.js";
import { emphasised } from "../live/sentence.js";
import { chip, field, keptWhileTyping, overline, textAdder } from "./parts.js";
import { variableRow } from "./values.js";

export function screenView(store, desktop, edits) {
  const panel = find("#panel-screen");
  keptWhileTyping(store, panel, () => [store.screenShown, store.lesson.screens?.length, store.drawing, store.hasPicture], () => fill(panel, store.screenShown ? parts(store.screenShown) : h("p", { class: "muted" }, say("no_screen_yet"))));

  function parts(screen) {
    const change = (changes) => edits.screen(screen.node_id, changes);
    return [
      field(say("screen_name"), screen.name, (name) => change({ name })),
      h("div", { class: "row-buttons" },
        flag(say("is_entry"), screen.is_entry, (is_entry) => change({ is_entry })),
        flag(say("is_end"), screen.is_end, (is_end) => change({ is_end }))),
      screen.is_entry ? null : field(say("not_possible_because"), screen.exception, (exception) => change({ exception }), { maxlength: 200, placeholder: say("not_possible_example"), title: say("not_possible_hint") }),
      ways(screen, change),
      overline(say("told_apart")), meter(screen),
      overline(say("known_by")), texts(screen, change),
      overline(say("areas")), regions(screen, change),
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
      announce(say("way_moved", { what: all[at].sentence, n: at + by + 1 }));
      const buttons = [...panel.querySelectorAll(`[data-way="${CSS.escape(moved)}"]:not([disabled])`)];
      (buttons.find((one) => one.dataset.by === String(by)) ?? buttons[0])?.focus();
    };
    const button = (at, by, glyph, words) => h("button", { class: "icon-button", type: "button", disabled: !all[at + by], "aria-label": say(words, { what: all[at].sentence }), title: say(words, { what: all[at].sentence }), data: { way: all[at].edge_id, by: String(by) }, onclick: move(at, by) }, icon(glyph));
    return [overline(say("ways_on")), h("ol", { class: "ways-on" }, all.map((one, at) => h("li", {},
      h("span", {}, emphasised(one.sentence), one.leads_to ? h("span", { class: "small muted" }, emphasised(say("way_to", { name: one.leads_to }))) : null),
      button(at, -1, "chevron-up", "way_earlier"), button(at, 1, "chevron-down", "way_later"))))];
  }

  function meter({ told_apart: apart }) {
    if (!apart || apart.score === null || apart.score === undefined) return h("p", { class: "muted" }, say("not_told_yet"));
    const { nearest, weak } = apart;
    return h("div", { class: "meter" },
      h("div", { class: "why-line" }, h("span", {}, weak ? [icon("alert-triangle", "amber-ink"), " ", say("told_weak")] : say("told_well"))),
      bar(apart.score, weak),
      nearest ? h("p", { class: "small muted" }, emphasised(say("nearest", { name: nearest.name }))) : null,
      weak && nearest?.picture && screenPicture(store) ? h("div", { class: "pair" }, [[say("this_screen"), screenPicture(store)], [nearest.name, nearest.picture]].map(([name, digest]) => h("figure", {}, h("figcaption", {}, name), h("div", { class: "crop" }, h("img", { src: store.pictureUrl(digest), alt: "" }))))) : null);
  }

  /** A press lets a text tell, or leaves it out; data is crossed out. */
  function texts(screen, change) {
    const set = (text, kind) => change({ texts: [{ text, kind }] });
    const all = screen.texts ?? [];
    return [h("div", { class: "chips" },
      all.map(({ text, kind }) => chip(text, { tells: "used", data: "data", left_out: "plain" }[kind], kind === "tells", () => set(text, kind === "tells" ? "left_out" : "tells"), say(`text_kind.${kind}`))),
      textAdder(say("add_text"), (text) => set(text, "tells"))),
    h("p", { class: "hint" }, say("texts_hint"))];
  }

  function regions(screen, change) {
    const all = screen.regions ?? [];
    const draw = (kind) => h("button", { class: "button slim", type: "button", "aria-pressed": String(store.drawing?.region === kind), disabled: !store.hasPicture && !screen.picture, onclick: () => store.set({ drawing: { kind: "region", region: kind, node: screen.node_id, picture: screen.picture } }) }, h("span", { class: `swatch ${kind}` }), say(`region.${kind}`));
    return [
      h("ul", { class: "regions" }, all.map((region, i) => h("li", { onpointerenter: () => desktop.pointTo(pixels(region.box)), onpointerleave: () => desktop.pointTo(null) },
        h("span", { class: `swatch ${region.kind}` }), h("span", {}, say(`region_told.${region.kind}`)),
        h("button", { class: "icon-button", type: "button", "aria-label": say("remove_region", { n: i + 1 }), title: say("remove_region", { n: i + 1 }), onclick: () => change({ regions: all.filter((_, j) => j !== i) }) }, icon("x"))))),
      h("div", { class: "row-buttons" }, ["must", "must_not", "ignore", "list"].map(draw)),
      h("p", { class: "hint" }, say("regions_hint"))];
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
    fill(panel, variables.length ? variables.map((one) => variableRow(one, edits)) : h("p", { class: "muted" }, say("no_variables")), adder());
    panel.querySelectorAll("details").forEach((one, i) => (one.open = Boolean(open[i])));
  });

  function adder() {
    const name = h("input", { class: "input", "aria-label": say("variable.name"), placeholder: say("variable_name"), required: true, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") });
    const kind = h("select", { class: "input", "aria-label": say("variable.kind") }, ["text", "lines", "date", "number", "email", "secret"].map((value) => h("option", { value }, word("kind", value))));
    const form = h("form", { class: "variable-add" }, name, kind, h("button", { class: "button slim", type: "submit" }, icon("plus"), say("add")));
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
  if (!problems.length) return h("p", { class: "notice green" }, icon("circle-check"), h("span", {}, say("no_problems")));
  return h("ul", { class: "problem-list" }, problems.map((one) => {
    const warning = one.severity === "warning";
    return h("li", {}, icon(warning ? "alert-triangle" : "alert-circle", warning ? "amber-ink" : "red-ink"),
      h("span", {}, h("span", { class: "visually-hidden" }, `${say(warning ? "warning" : "error")}: `), one.text, one.where ? h("span", { class: "small muted" }, one.where) : null),
      h("span", { class: "problem-acts" },
        one.code === "no_end" && here ? h("button", { class: "button slim", type: "button", onclick: here.mark }, say("ends_here", { name: here.name })) : null,
        one.goto ? h("button", { class: "button slim", type: "button", "aria-label": `${say("go_there")}: ${one.text}`, onclick: () => goTo(one.goto) }, say("go_there")) : null));
  }));
}
