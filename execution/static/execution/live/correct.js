/* Correct: the picture becomes the form. A click takes what was detected there, a drag draws a rectangle, Shift and a click or
   an empty place give a free point; values, waits and a word on why stand below. */

import { announce, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { Hold } from "./hold.js";
import { makeMagnifier } from "./magnifier.js";
import { place } from "./picture.js";
import { decide } from "./requests.js";

const PARAMS = {
  text: gettext("Text to type"),
  keys: gettext("Keys"),
  clear: gettext("Clear the field first"),
  dx: gettext("To the right (px)"),
  dy: gettext("Down (px)"),
};
const DRAG = 6; // pixels before a press becomes a drag
const NEAR = 4; // pixels beside a box that still count as on it

const contains = ([x, y, w, hgt], [px, py], mx = 0, my = 0) => px >= x - mx && px <= x + w + mx && py >= y - my && py <= y + hgt + my;
const centre = ([x, y, w, hgt]) => [x + w / 2, y + hgt / 2];
const area = (box) => box[2] * box[3];
const clamp = (value) => Math.min(1, Math.max(0, value));

/** What was detected on a screen: elements, and texts that are not the text of an element. */
export function places(screen) {
  const found = (screen?.ui_elements ?? []).map((e) => ({ box: e.box, text: e.text ?? "", role: e.role }));
  const { detected_text: texts = [], text_boxes: boxes = [] } = screen?.perception ?? {};
  boxes.forEach((box, i) => {
    const twin = found.find((other) => overlap(other.box, box) > 0.8);
    if (!twin) found.push({ box, text: texts[i] ?? "", role: "" });
    else if (!twin.text) twin.text = texts[i] ?? "";
  });
  return found.sort((a, b) => Math.round((a.box[1] - b.box[1]) * 60) || a.box[0] - b.box[0]);
}

function overlap(a, b) {
  const w = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
  const hgt = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
  return w <= 0 || hgt <= 0 ? 0 : (w * hgt) / (area(a) + area(b) - w * hgt);
}

class Correction {
  constructor(store, picture) {
    Object.assign(this, { store, picture, places: [], lit: -1, target: null });
    this.prompt = store.prompt;
    this.suggestion = store.prompt.step.suggestion ?? {};
    this.takeDraft();
    this.takeKept();
    this.action ??= this.draft.action || (this.suggestion.action ?? store.prompt.step.action_type);
    this.ended = new AbortController();
    this.hold = new Hold(store);
  }

  /** What was typed and not sent comes back where the same is asked again; an answer in between makes it another question. */
  takeKept() {
    const key = question(this.store, this.prompt);
    const mine = kept?.key === key && !Object.keys(this.draft).length ? kept : { values: {} };
    this.values = { ...mine.values };
    if (mine.target) this.target = mine.target;
    this.action = mine.action;
    kept = null;
  }

  /** A correction that somebody drafted fills the form, once; sending it is up to the person. */
  takeDraft() {
    const { draft } = this.store;
    this.store.draft = null;
    this.draft = draft?.prompt_id === this.prompt.prompt_id ? draft : {};
    if (this.draft.target) this.target = this.drafted = { ...this.draft.target };
  }

  /** What cannot be read for certain can be typed. */
  get reads() {
    return this.suggestion.action === "read_value";
  }

  get needsPlace() {
    return this.store.actions[this.action]?.target !== "none";
  }

  // --- the picture ---------------------------------------------------------------------------------------------------
  async begin() {
    const { picture } = this;
    this.frame = document.createElement("div");
    fill(picture.overlay);
    const options = { signal: this.ended.signal };
    const { canvas, stage } = picture;
    stage.classList.add("correcting");
    this.byTouch = matchMedia("(pointer: coarse)").matches;
    picture.panzoom?.setOptions({ disablePan: !this.byTouch }); // one finger moves the picture, the mouse draws on it
    canvas.style.touchAction = "manipulation";
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", gettext("Nothing was detected on this screen; click or drag freely."));
    canvas.addEventListener("pointerdown", (event) => this.press(event), options);
    canvas.addEventListener("pointermove", (event) => this.move(event), options);
    canvas.addEventListener("pointerup", (event) => this.release(event), options);
    canvas.addEventListener("pointercancel", () => (this.pressed = null), options);
    canvas.addEventListener("pointerleave", () => this.pressed || this.light(-1), options);
    canvas.addEventListener("keydown", (event) => this.key(event), options);
    this.showHint();
    picture.fit(); // the form has taken its room: the picture has its new size before the next click
    if (this.byTouch && this.suggestion.box) picture.zoomIn();
    const screen = await picture.screen(this.prompt.step.index);
    if (this.ended.signal.aborted) return;
    this.places = places(screen);
    this.redraw();
    const words = this.places.length ? interpolate(ngettext("%(n)s place detected. Enter takes it.", "%(n)s places detected. Arrow keys move between them, Enter takes one.", this.places.length), { n: this.places.length }) : gettext("Nothing was detected on this screen; click or drag freely.");
    canvas.setAttribute("aria-label", words);
    announce(words);
  }

  end() {
    const { picture, store } = this;
    this.ended.abort();
    this.hold.end();
    const answered = store.answer?.status === "given" || store.answer?.status === "refused";
    if (!answered) kept = { key: question(store, this.prompt), values: this.values, ...this.own() };
    picture.stage.classList.remove("correcting", "no-target");
    picture.panzoom?.setOptions({ disablePan: false });
    if (this.byTouch) picture.resetZoom();
    picture.canvas.removeAttribute("tabindex");
    picture.canvas.removeAttribute("role");
    picture.canvas.removeAttribute("aria-label");
    picture.canvas.style.touchAction = "pan-x pan-y";
    find("#hint").hidden = true;
    picture.draw(true);
  }

  /** What the person chose, and no draft. */
  own() {
    return {
      target: this.target === this.drafted ? null : this.target,
      action: this.action === this.draft.action ? undefined : this.action,
    };
  }

  showHint() {
    const hint = find("#hint");
    hint.hidden = false;
    this.picture.stage.classList.toggle("no-target", !this.needsPlace);
    if (!this.needsPlace) text(hint, gettext("This action needs no place on the screen."));
    else text(hint, matchMedia("(pointer: coarse)").matches ? gettext("Tap the right place, then move the cross in the magnifier.") : gettext("Click the right place on the picture, or drag a rectangle around it."));
  }

  at(event) {
    const box = this.picture.canvas.getBoundingClientRect();
    return [clamp((event.clientX - box.left) / box.width), clamp((event.clientY - box.top) / box.height)];
  }

  /** The smallest detected place under a point. */
  under(point) {
    const box = this.picture.canvas.getBoundingClientRect();
    const [mx, my] = [NEAR / box.width, NEAR / box.height];
    let best = -1;
    this.places.forEach((p, i) => {
      if (contains(p.box, point, mx, my) && (best < 0 || area(p.box) < area(this.places[best].box))) best = i;
    });
    return best;
  }

  press(event) {
    if (!event.isPrimary) this.pressed = null; // a second finger: that is a pinch
    if (!this.needsPlace || event.button !== 0 || !event.isPrimary) return;
    this.pressed = { point: this.at(event), x: event.clientX, y: event.clientY, drag: false };
    if (event.pointerType !== "touch") this.picture.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.needsPlace) return;
    const { pressed } = this;
    if (!pressed) return void (event.pointerType === "touch" || this.light(event.shiftKey ? -1 : this.under(this.at(event))));
    if (!pressed.drag && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < DRAG) return;
    pressed.drag = true;
    if (event.pointerType === "touch") return; // the picture moves with the finger; the magnifier is for the fine work
    this.light(-1);
    this.take({ box: span(pressed.point, this.at(event)) }, false);
  }

  release(event) {
    const { pressed } = this;
    this.pressed = null;
    if (!pressed || !this.needsPlace || (pressed.drag && event.pointerType === "touch")) return;
    if (pressed.drag) return void this.take(this.drawn(span(pressed.point, this.at(event))));
    const index = event.shiftKey ? -1 : this.under(pressed.point);
    this.take(index < 0 ? { point: pressed.point } : this.whole(index, pressed.point));
  }

  whole(index, point) {
    const { box, text: words, role } = this.places[index];
    return { box, point: point && contains(box, point) ? point : centre(box), text: words, role, index };
  }

  drawn(box) {
    const inside = this.places.filter((p) => contains(box, centre(p.box)) && p.text).map((p) => p.text);
    return { box, point: centre(box), text: inside.join(" ").slice(0, 200) };
  }

  key(event) {
    const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (steps[event.key] && this.needsPlace) {
      event.preventDefault();
      this.light(this.next(steps[event.key]));
      const p = this.places[this.lit];
      if (p) announce(p.text || p.role);
    } else if ((event.key === "Enter" || event.key === " ") && this.lit >= 0) {
      event.preventDefault();
      this.take(this.whole(this.lit));
    }
  }

  /** The nearest place in a direction from the lit one; the first one when none is lit. */
  next([dx, dy]) {
    const from = this.places[this.lit] ?? (this.target?.box ? this.target : null);
    if (!from) return this.places.length ? 0 : -1;
    const [x, y] = centre(from.box);
    let best = this.lit;
    let least = Infinity;
    this.places.forEach((p, i) => {
      const [px, py] = centre(p.box);
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 0.002 && along + aside * 2.5 < least) [best, least] = [i, along + aside * 2.5];
    });
    return best;
  }

  light(index) {
    if (index === this.lit) return;
    this.lit = index;
    for (const [i, mark] of this.marks?.entries() ?? []) mark.classList.toggle("lit", i === index);
  }

  take(target, settled = true) {
    this.target = target;
    this.redraw();
    if (!settled) return;
    this.onTarget?.();
    announce(this.words());
  }

  redraw() {
    const { target } = this;
    this.marks = this.places.map((p, i) => place(h("div", { class: `place${i === this.lit ? " lit" : ""}${target?.index === i ? " taken" : ""}` }), p.box));
    const extra = [];
    if (target?.box && target.index === undefined) extra.push(place(h("div", { class: "drawn" }), target.box));
    if (target?.point && (target.index === undefined || this.moved)) extra.push(place(h("div", { class: "cross" }), [...target.point, 0, 0]));
    fill(this.picture.overlay, this.marks, extra);
  }

  words() {
    const { target } = this;
    if (!target) return this.needsPlace ? gettext("Target as suggested") : gettext("This action needs no place on the screen.");
    if (target.text) return interpolate(gettext("New target: “%(text)s”"), { text: target.text });
    if (target.role) return interpolate(gettext("New target: %(role)s without text"), { role: target.role });
    const image = this.picture.image;
    const [x, y] = target.box ?? target.point;
    return interpolate(target.box ? gettext("New target: the rectangle at %(x)s, %(y)s") : gettext("New target: the point at %(x)s, %(y)s"), { x: Math.round(x * image.naturalWidth), y: Math.round(y * image.naturalHeight) });
  }

  /** Move the point by pixels of the picture; it stays with its box while it is inside. */
  nudge(dx, dy) {
    const image = this.picture.image;
    const from = this.target?.point ?? this.suggestion.point;
    if (!from) return;
    const point = [clamp(from[0] + dx / image.naturalWidth), clamp(from[1] + dy / image.naturalHeight)];
    this.moved = true;
    const keeps = this.target?.box && contains(this.target.box, point);
    const under = keeps ? -1 : this.under(point);
    this.take(keeps ? { ...this.target, point } : under < 0 ? { point } : { ...this.whole(under, point) });
  }
}

function span([ax, ay], [bx, by]) {
  return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)];
}

// --- the form --------------------------------------------------------------------------------------------------------
let current = null;
let kept = null; // in this page alone: nothing that was typed about a record outlives it

/** What tells a question from others; another one is asked once somebody has answered anything. */
function question({ decisions, run }, { step }) {
  return JSON.stringify([run.id, step.edge_id, step.suggestion?.params, step.suggestion?.target?.label, Object.keys(decisions).at(-1)]);
}

/** The correction is over: the picture is a picture again. */
export function endCorrection() {
  current?.end();
  current = null;
}

export function correctForm(store, picture, ring) {
  if (current?.prompt.prompt_id !== store.prompt.prompt_id) {
    endCorrection();
    current = new Correction(store, picture);
  }
  const correction = current;
  if (correction.form) {
    showSaid(correction);
    return [correction.form];
  }
  const chosen = h("strong");
  const clear = h("button", { class: "link-button", type: "button", onclick: () => correction.take(null) }, gettext("Take back"));
  const fields = h("div", { class: "correct-fields" });
  const magnifier = makeMagnifier(correction);
  const said = h("p", { class: "said field-error", role: "alert", hidden: true });
  const submit = h("button", { class: "button primary", type: "submit" }, icon("check"), gettext("Use this"));
  const back = h("button", { class: "button", type: "button", onclick: () => store.set({ correcting: false, answer: null }) }, gettext("Back"), h("kbd", { "aria-hidden": "true" }, "Esc"));
  const form = h("form", { class: "correct-sheet", novalidate: true },
    h("div", { class: "question-top" }, ring,
      h("div", { class: "grow" }, h("h2", { class: "question-title", id: "question-title" }, gettext("What should it be?")),
        h("p", { class: "correct-target" }, icon("target"), chosen, clear))),
    magnifier.element, fields, said,
    h("div", { class: "answers" }, submit, back, h("span", { class: "then", data: { then: "" } })));
  Object.assign(correction, { form, said, submit });
  correction.onTarget = () => {
    text(chosen, correction.words());
    clear.hidden = !correction.target;
    find("#hint").hidden = correction.byTouch && Boolean(correction.target);
    said.hidden = true;
    magnifier.show();
  };
  const build = () => {
    buildFields(correction, fields, build);
    correction.showHint();
    correction.onTarget();
  };
  build();
  form.addEventListener("input", ({ target: input }) => (correction.values[nameOf(input)] = read(input)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(correction, fields);
  });
  correction.begin();
  requestAnimationFrame(() => (find("[name=value]", form) ?? picture.canvas).focus({ preventScroll: true }));
  return [form];
}

function showSaid({ store, said, submit }) {
  const { answer } = store;
  submit.disabled = answer?.status === "sending";
  const refused = answer?.status === "failed";
  said.hidden = !refused;
  if (refused) fill(said, icon("alert-circle"), answer.sentence);
}

/** Action, its parameters with the values of the suggestion, waits, and why. */
function buildFields(correction, fields, rebuild) {
  const { store, action, suggestion } = correction;
  const choose = h("select", { class: "input", name: "action" }, Object.entries(store.actions).map(([name, spec]) => h("option", { value: name, selected: name === action }, spec.label)));
  choose.addEventListener("change", () => {
    correction.action = choose.value;
    if (!correction.needsPlace) correction.take(null);
    rebuild();
  });
  const params = store.actions[action]?.params ?? [];
  const { values, draft } = correction;
  const wait = (name) => h("input", { class: "input", name, type: "number", min: 0, max: 60, step: 0.1, value: values[name] ?? 0, inputmode: "decimal" });
  // on a phone what is rarely changed is folded away
  const rare = h("details", { class: "fold rare", open: !matchMedia("(max-width: 767px)").matches || correction.wasOpen }, h("summary", {}, gettext("Another action, or a wait")), h("div", { class: "correct-fields" },
    field(gettext("Action"), choose),
    field(gettext("Wait before (s)"), wait("wait_before"), "slim"),
    field(gettext("Wait after (s)"), wait("wait_after"), "slim")));
  rare.addEventListener("toggle", () => (correction.wasOpen = rare.open));
  const reads = correction.reads && action === correction.suggestion.action;
  fill(fields,
    reads ? field(gettext("The value, as it stands there"), h("input", { class: "input", name: "value", type: "text", maxlength: 500, autocomplete: "off", spellcheck: "false", value: values.value ?? "" }), "wide") : null,
    params.filter(({ kind }) => kind !== "box").map((param) => paramField(param, values[param.name] ?? draft.params?.[param.name] ?? suggestion.params?.[param.name] ?? param.default)),
    rare,
    field(gettext("Why? (one line, optional)"), h("input", { class: "input", name: "feedback", type: "text", maxlength: 500, autocomplete: "off", value: values.feedback ?? "" }), "wide"));
}

let ids = 0;
function field(label, input, css = "") {
  input.id ||= `correct-${++ids}`;
  return h("div", { class: css }, h("label", { for: input.id }, label), input);
}

function paramField(param, value) {
  const label = PARAMS[param.name] ?? param.name;
  const data = { param: param.name, kind: param.kind };
  if (param.kind === "bool") {
    return h("div", {}, h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(value), data }), label));
  }
  const shown = String(Array.isArray(value) ? value.join("+") : (value ?? ""));
  const input = param.kind === "text" ? textField(shown, data)
    : h("input", { class: "input", type: param.kind === "int" ? "number" : "text", value: shown, data, autocomplete: "off", spellcheck: "false" });
  written.set(input, { value: param.kind === "text" ? shown : null, shown: input.value });
  return field(label, input, param.kind === "text" ? "wide" : "");
}

/** Several lines: a field of one line drops line breaks. Enter sends, as in the other fields; with Shift it is a break. */
function textField(shown, data) {
  const rows = Math.min(6, shown.split("\n").length);
  const input = h("textarea", { class: "input", rows, data, autocomplete: "off", spellcheck: "false" }, shown);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    input.form?.requestSubmit();
  });
  return input;
}

const written = new WeakMap(); // what a field was given: the browser shows line breaks in a way of its own
const nameOf = (input) => input.dataset.param ?? input.name;

function read(input) {
  const given = written.get(input);
  if (given && given.value !== null && input.value === given.shown) return given.value;
  if (input.dataset.kind === "bool") return input.checked;
  return input.dataset.kind === "int" ? Number(input.value) : input.value;
}

/** Only what differs from the suggestion is a correction. */
function send(correction, fields) {
  const { store, suggestion, target, action, said } = correction;
  const params = {};
  for (const input of fields.querySelectorAll("[data-param]")) {
    const before = suggestion.params?.[input.dataset.param];
    const was = Array.isArray(before) ? before.join("+") : before;
    const value = read(input);
    if (value !== (was ?? (input.dataset.kind === "bool" ? false : ""))) params[input.dataset.param] = value;
  }
  const value = (name) => fields.querySelector(`[name="${name}"]`)?.value ?? "";
  const feedback = value("feedback").trim();
  if (value("value").trim()) return void decide(store, { choice: "correct", correction: { value: value("value").trim() }, feedback });
  const wanted = {};
  if (target && correction.needsPlace) wanted.target = tidy(target);
  if (Object.keys(params).length) wanted.params = params;
  if (action !== suggestion.action) wanted.action = action;
  for (const name of ["wait_before", "wait_after"]) if (Number(value(name)) > 0) wanted[name] = Number(value(name));
  if (!Object.keys(wanted).length) {
    said.hidden = false;
    fill(said, icon("info-circle"), gettext("Choose a place or change a value first; or go back and accept."));
    return;
  }
  decide(store, { choice: "correct", correction: wanted, feedback });
}

function tidy({ box, point, text: words }) {
  const round = (values) => values.map((v) => Number(clamp(v).toFixed(5)));
  return { ...(box ? { box: round(box) } : {}), ...(point ? { point: round(point) } : {}), ...(words ? { text: words } : {}) };
}
