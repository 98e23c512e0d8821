/* The picture: what the robot sees, what it means to touch drawn on it, layers, zoom, and how old it is. */

import { all, fill, find, h, icon, reducedMotion, s, text } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { actMarks } from "./acts.js";
import { changedBoxes } from "./differing.js";
import { placeTags } from "./placement.js";
import { isAlike } from "./sentence.js";

const OLD = 2000;

/** Boxes are fractions of the picture; so are these positions. */
export function place(element, [left, top, width, height]) {
  element.style.left = `${left * 100}%`;
  element.style.top = `${top * 100}%`;
  element.style.width = `${width * 100}%`;
  element.style.height = `${height * 100}%`;
  return element;
}

const MOST_OF_PICTURE = 0.03; // what is larger is a window or an area, with room in it

/** What was read and detected, without areas: what a label should leave free. */
function smallThings(screen) {
  const elements = (screen?.ui_elements ?? []).map((element) => element.box);
  return [...elements, ...(screen?.perception?.text_boxes ?? [])].filter((box) => box[2] * box[3] < MOST_OF_PICTURE);
}

/** The line from a label that stands apart to its box. */
function leader([x1, y1, x2, y2], tag, zoom) {
  const line = { x1, y1, x2, y2 };
  return s("svg", { class: `leader ${tag.classList.contains("runner") ? "runner" : "chosen"}`, "aria-hidden": "true", width: 1, height: 1 },
    s("line", { class: "ground", "stroke-width": 4 / zoom, ...line }), s("line", { "stroke-width": 2 / zoom, ...line }));
}

export class Picture {
  constructor(store) {
    this.store = store;
    this.stage = find("#stage");
    this.canvas = find("#canvas");
    this.image = find("#frame");
    this.overlay = find("#overlay");
    this.compare = find("#compare");
    this.empty = find("#stage-empty");
    this.layers = new Set();
    this.screens = new Map(); // step index -> promise of what was read there
    this.drawn = "";
    this.hands = null; // the size of the desktop's picture while the person here has control of it
    this.over = find("#frame-after");
    this.image.addEventListener("load", () => this.fit());
    this.image.addEventListener("error", () => this.gone());
    new ResizeObserver(() => this.fit()).observe(this.stage);
    this.setUpZoom();
    this.setUpTools();
    find("#back-to-live").addEventListener("click", () => store.set({ selected: null }));
    store.onChange(() => this.render());
    setInterval(() => this.showAge(), 1000);
  }

  // --- which picture -------------------------------------------------------------------------------------------------
  /** {src, takenAt, step, note, pair}: what to show now. */
  choose() {
    const { store } = this;
    const { selected, prompt, execution } = store;
    const step = store.focus;
    if (this.hands && !selected) return { src: store.frame?.url, takenAt: store.frame?.takenAt, step: null };
    if (store.viewing) return step ? this.looked(step) : {};
    if (selected && step) {
      if (step.picture_after && step.outcome === "failed") return this.pair(step);
      return { src: store.pictureUrl(step.picture_before), step, note: interpolate(gettext("Step %(n)s, as it was"), { n: step.index }) };
    }
    if (store.isAsking && prompt.kind === "in_doubt" && prompt.step.picture_after) return this.pair(prompt.step);
    if (store.correcting) return { src: store.pictureUrl(prompt.picture), step: prompt.step };
    if (execution.status === "failed" && store.failedStep?.picture_after) return this.pair(store.failedStep);
    const before = execution.status === "paused" && execution.pause_detail?.leap?.last.picture;
    if (before) return { pair: [store.pictureUrl(before), store.pictureUrl(execution.pause_detail.picture)], step: null };
    if (store.frame && !store.isFinal) return { src: store.frame.url, takenAt: store.frame.takenAt, step: store.isAsking ? step : null };
    if (store.isAsking) return { src: store.pictureUrl(prompt.picture || step.picture_before), takenAt: prompt.created_at, step };
    if (execution.status === "paused" && execution.pause_detail?.picture) return { src: store.pictureUrl(execution.pause_detail.picture), step: null };
    const last = store.lastStep;
    if (!last) return {};
    return { src: store.pictureUrl(last.picture_after || last.picture_before), step: last.picture_after || store.isFinal ? null : last };
  }

  /** A step of a run that has ended: before, after, or one over the other. */
  looked(step) {
    const { store } = this;
    if (!store.isKnown(step)) return { coming: true, step };
    const [before, after] = [store.pictureUrl(step.picture_before), store.pictureUrl(store.after(step))];
    const side = after ? store.side : "before";
    return { src: side === "after" ? after : before, over: side === "slide" ? after : "", pictures: [before, after], step, side };
  }

  /** The picture is in no store any more: its time was over. */
  gone() {
    if (!this.store.viewing) return;
    this.image.hidden = true;
    this.empty.hidden = false;
    text(this.empty, gettext("This picture is no longer kept."));
  }

  pair(step) {
    return { pair: [this.store.pictureUrl(step.picture_before), this.store.pictureUrl(step.picture_after)], step };
  }

  render() {
    const choice = this.choose();
    this.choice = choice;
    const { store, stage } = this;
    stage.classList.toggle("lost", store.connection === "lost" && !store.isFinal && !store.selected);
    stage.classList.toggle("comparing", Boolean(choice.pair));
    this.compare.hidden = !choice.pair;
    this.canvas.hidden = Boolean(choice.pair);
    find(".stage-tools").hidden = Boolean(choice.pair) || !choice.src || (Boolean(this.hands) && !store.selected);
    if (choice.pair) this.showPair(choice);
    else if (choice.src && this.image.getAttribute("src") !== choice.src) this.image.src = choice.src;
    this.showOver(choice);
    const nothing = !choice.pair && !choice.src && !this.hands;
    this.image.hidden = nothing;
    this.empty.hidden = !nothing;
    this.empty.classList.toggle("skeleton", Boolean(choice.coming));
    if (nothing) text(this.empty, choice.coming ? "" : store.execution.status === "queued" ? gettext("The picture shows when a robot takes this run.") : store.viewing && store.steps.size ? gettext("This picture is no longer kept.") : gettext("No picture yet"));
    this.draw();
    this.showAge();
    const back = find("#back-to-live");
    back.hidden = !store.selected || store.viewing;
    if (store.selected) fill(back, icon("arrow-back-up"), " ", gettext("Back to now"));
  }

  showOver({ over = "" }) {
    this.over.hidden = !over;
    find("#wipe").hidden = !over;
    if (over && this.over.getAttribute("src") !== over) this.over.src = over;
  }

  showPair({ pair }) {
    const key = pair.join();
    if (this.compare.dataset.key === key) return;
    this.compare.dataset.key = key;
    const names = [gettext("Before"), this.store.isFinal || this.store.selected ? gettext("After") : gettext("Now")];
    fill(this.compare, pair.map((src, i) =>
      h("figure", {}, h("figcaption", {}, names[i]), src ? this.shot(src, names[i]) : h("span", { class: "note" }, gettext("No picture yet")))));
  }

  /** One of the two pictures; a click shows it alone, as large as there is room. */
  shot(src, name) {
    const button = h("button", { class: "shot", type: "button", "aria-pressed": "false", "aria-label": `${name}: ${gettext("show it larger")}`, title: gettext("show it larger") }, h("img", { src, alt: "" }));
    button.addEventListener("click", () => {
      const large = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(large));
      for (const figure of this.compare.children) figure.hidden = large && !figure.contains(button);
    });
    return button;
  }

  showAge() {
    const note = find("#age");
    const { store, choice } = this;
    const words = [];
    if (store.connection === "lost" && !store.isFinal) words.push(gettext("Connection lost. Reconnecting; the picture may be old."));
    if (store.me.sees_unmasked && choice?.src && choice.src === store.frame?.url) words.push(gettext("unmasked for you"));
    if (choice?.note) words.push(choice.note);
    else if (choice?.takenAt && !store.isFinal && !store.correcting) {
      const age = Date.now() - store.skew - Date.parse(choice.takenAt);
      // a still screen makes no new pictures: while the stream lives the newest one is what there is to see
      const still = store.connection === "live" && choice.src === store.frame?.url && store.execution.on_desktop;
      if (age > OLD && !still) words.push(age < 120_000 ? interpolate(gettext("%(n)s s old"), { n: Math.round(age / 1000) }) : interpolate(gettext("%(n)s min old"), { n: Math.round(age / 60_000) }));
    }
    note.hidden = words.length === 0;
    note.classList.toggle("warn", store.connection === "lost" && !store.isFinal);
    text(note, words.join(" · "));
  }

  /** The picture as large as the stage allows, in whole pixels, so that overlays sit exactly. */
  fit() {
    const [w, hgt] = this.hands ?? [this.image.naturalWidth, this.image.naturalHeight];
    const { clientWidth, clientHeight } = this.stage;
    if (!w || !clientWidth) return;
    const gutter = parseFloat(getComputedStyle(this.stage).paddingTop); // for the tools, and for labels without a place
    const scale = Math.min(clientWidth / w, (clientHeight - gutter) / hgt);
    this.canvas.style.width = `${Math.round(w * scale)}px`;
    this.canvas.style.height = `${Math.round(hgt * scale)}px`;
    this.draw(true);
  }

  // --- what is drawn on it -------------------------------------------------------------------------------------------
  draw(anew = false) {
    const step = this.store.correcting ? null : this.choice?.step;
    const suggestion = step?.suggestion ?? {};
    const isGone = !this.store.selected && Boolean(this.store.prompt?.changed); // a box would point at something else
    const closed = isGone || (step?.phase === "closed" && !this.store.selected);
    const { viewing, differs } = this.store;
    const key = JSON.stringify([step?.index, suggestion.box, suggestion.point, suggestion.runner_up, closed, [...this.layers], this.store.correcting, viewing, differs, this.choice?.side, this.choice?.src]);
    if (key === this.drawn && !anew) return;
    this.drawn = key;
    if (this.store.correcting) return; // the overlay belongs to the correction
    const marks = closed ? [] : viewing ? this.seenMarks(step) : [...this.runnerUp(suggestion), ...this.chosen(suggestion)];
    fill(this.overlay, marks);
    if (viewing && differs) this.drawDiffering(key);
    this.label(step);
    const label = suggestion.target?.label;
    this.image.alt = label && !closed ? interpolate(gettext("What the desktop shows; the robot means to touch “%(name)s”"), { name: label }) : gettext("What the desktop shows");
    if (this.layers.size) this.drawLayers();
  }

  /** What was found and done, on what it was done to; after it only what a person shows stays. */
  seenMarks(step) {
    if (!step || this.choice.side === "after") return [];
    const { suggestion = {} } = step;
    return [...this.runnerUp(suggestion), ...this.chosen(suggestion), ...actMarks(step, (kind, words, box) => this.tag(kind, words, box))];
  }

  /** Where the two pictures of a step differ. */
  async drawDiffering(key) {
    const [before, after] = this.choice?.pictures ?? [];
    if (!before || !after) return;
    const boxes = await changedBoxes(before, after);
    if (key !== this.drawn || !boxes) return;
    this.overlay.append(...boxes.map((box) => place(h("div", { class: "spot differs" }), box)));
    this.store.announceDiffering?.(boxes.length);
  }

  /** Show where something is that a person may choose, while they are on its button; null: no more. */
  point(box) {
    find(".spot.meant", this.overlay)?.remove();
    if (box && !this.store.selected) this.overlay.append(place(h("div", { class: "spot meant" }), box));
  }

  chosen(suggestion) {
    const words = suggestion.target?.label || gettext("Found now");
    if (suggestion.box) return [place(h("div", { class: "spot chosen" }), suggestion.box), this.tag("chosen", words, suggestion.box)];
    if (!suggestion.point) return [];
    const spot = [...suggestion.point, 0, 0];
    return [place(h("div", { class: "spot point" }), spot), this.tag("chosen", words, spot)];
  }

  runnerUp(suggestion) {
    const other = suggestion.runner_up;
    if (!other?.box || !isAlike(other)) return [];
    const words = `${gettext("runner-up")} ${other.text ?? ""}`.trim();
    return [place(h("div", { class: "spot runner" }), other.box), this.tag("runner", words, other.box)];
  }

  tag(kind, words, box) {
    return h("div", { class: `sign-tag ${kind}`, data: { box: box.join() } }, words);
  }

  /** Give the labels their places, once it is known what else stands there: they cover neither what they name nor that. */
  async label(step) {
    if (!all(".sign-tag", this.overlay).length) return;
    const key = this.drawn;
    const screen = step ? await this.screen(step.index) : null;
    if (key !== this.drawn) return;
    this.neighbours = smallThings(screen);
    this.placeLabels();
  }

  placeLabels() {
    for (const line of all(".leader", this.overlay)) line.remove();
    const tags = all(".sign-tag", this.overlay);
    if (!tags.length || !this.neighbours) return;
    const zoom = this.panzoom?.getScale() ?? 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const scaled = ([x, y, w, hgt]) => [x * width, y * height, w * width, hgt * height];
    const wishes = tags.map((tag) => {
      const box = scaled(tag.dataset.box.split(",").map(Number));
      const dot = box[2] === 0 ? 10 / zoom : 0; // a point is drawn as a dot
      return { box: [box[0] - dot, box[1] - dot, box[2] + dot * 2, box[3] + dot * 2], width: tag.offsetWidth / zoom, height: tag.offsetHeight / zoom };
    });
    const places = placeTags(wishes, {
      bounds: this.seen(this.stage, zoom),
      picture: [0, 0, width, height],
      walls: all(".stage-tools, .stage-notes > :not([hidden]), .stage-hint:not([hidden])", this.stage).map((wall) => this.seen(wall, zoom)),
      avoid: this.neighbours.map(scaled),
      gap: 4 / zoom,
    });
    tags.forEach((tag, i) => {
      tag.classList.toggle("placed", Boolean(places[i]));
      if (!places[i]) return;
      const [left, top] = places[i].box;
      Object.assign(tag.style, { left: `${left}px`, top: `${top}px`, transformOrigin: "0 0", transform: `scale(${1 / zoom})` });
      if (places[i].line) this.overlay.prepend(leader(places[i].line, tag, zoom));
    });
  }

  /** Where an element of the stage lies, in the canvas's own pixels. */
  seen(element, zoom) {
    const [box, own] = [element.getBoundingClientRect(), this.canvas.getBoundingClientRect()];
    return [(box.left - own.left) / zoom, (box.top - own.top) / zoom, box.width / zoom, box.height / zoom];
  }

  async drawLayers() {
    const step = this.choice?.step ?? this.store.focus;
    if (!step) return;
    const key = this.drawn;
    const screen = await this.screen(step.index);
    if (key !== this.drawn || !screen) return;
    const { detected_text: texts = [], text_boxes: boxes = [] } = screen.perception ?? {};
    const seen = [];
    if (this.layers.has("elements")) for (const e of screen.ui_elements ?? []) seen.push(["seen-element", e.box, [e.role, e.text].filter(Boolean).join(": ")]);
    if (this.layers.has("text")) boxes.forEach((box, i) => seen.push(["seen-text", box, texts[i] ?? ""]));
    this.overlay.prepend(...seen.map(([kind, box, words]) => {
      const mark = place(h("div", { class: `spot ${kind}` }), box);
      mark.addEventListener("pointerenter", () => {
        const tag = this.tag("seen", words, box);
        this.overlay.append(tag);
        this.placeLabels();
        mark.addEventListener("pointerleave", () => (tag.remove(), this.placeLabels()), { once: true });
      });
      return mark;
    }));
  }

  /** What was read and detected on the screen of a step; asked for once. */
  screen(index) {
    if (!this.screens.has(index)) {
      const asked = fetch(this.store.screenUrl(index), { credentials: "same-origin", headers: { Accept: "application/json" } })
        .then((response) => (response.ok ? response.json() : null))
        .catch(() => null);
      this.screens.set(index, asked);
      asked.then((screen) => screen ?? this.screens.delete(index)); // asked again next time
    }
    return this.screens.get(index);
  }

  // --- tools ---------------------------------------------------------------------------------------------------------
  setUpTools() {
    for (const button of all("[data-layer]", this.stage)) {
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(on));
        this.layers[on ? "add" : "delete"](button.dataset.layer);
        this.draw();
      });
    }
  }

  setUpZoom() {
    const out = find('[data-zoom="out"]', this.stage);
    if (!window.Panzoom) return;
    this.panzoom = window.Panzoom(this.canvas, {
      minScale: 1, maxScale: 8, contain: "", panOnlyWhenZoomed: true, touchAction: "pan-x pan-y", cursor: "default", animate: !reducedMotion(), duration: 150,
    });
    this.canvas.addEventListener("panzoomchange", ({ detail: { scale } }) => {
      this.stage.style.setProperty("--zoom", scale);
      out.hidden = scale <= 1.01;
      this.canvas.style.touchAction = scale > 1.01 || this.store.correcting ? "none" : "pan-x pan-y";
      this.placeLabels();
    });
    this.stage.addEventListener("wheel", (event) => {
      if (!this.canvas.contains(event.target)) return;
      const scale = this.panzoom.getScale();
      if (event.deltaY > 0 && scale <= 1.01) return; // nothing to zoom out of: the page may scroll
      this.panzoom.zoomWithWheel(event);
      if (this.panzoom.getScale() <= 1.01) this.panzoom.reset();
    }, { passive: false });
    find('[data-zoom="in"]', this.stage).addEventListener("click", () => this.zoomIn());
    out.addEventListener("click", () => this.panzoom.reset());
  }

  /** One step nearer: to what is meant to be touched, where there is such a thing. */
  zoomIn() {
    const box = this.choice?.step?.suggestion?.box;
    const scale = this.panzoom.getScale();
    const next = Math.min(8, scale * 1.8);
    if (!box || scale > 1.01) return void this.panzoom.zoom(next);
    const x = (0.5 - (box[0] + box[2] / 2)) * this.canvas.clientWidth;
    const y = (0.5 - (box[1] + box[3] / 2)) * this.canvas.clientHeight;
    this.panzoom.zoom(next);
    setTimeout(() => this.panzoom.pan(x * (1 - 1 / next), y * (1 - 1 / next)));
  }

  resetZoom() {
    this.panzoom?.reset({ animate: false });
  }
}

