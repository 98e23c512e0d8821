/* The desktop on the page: its picture, what lies under the pointer, the boxes that are meant, zoom. */

import { all, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { say } from "../../rpa_site/words.js";
import { place } from "../live/picture.js";

const OLD = 2; // seconds
const CLOSER = 1.5;
const CLOSEST = 6;

export class Desktop {
  constructor(store) {
    this.store = store;
    this.stage = find("#stage");
    this.view = find("#view"); // what scrolls where the picture is zoomed
    this.canvas = find("#canvas");
    this.surface = find("#desktop-picture");
    this.context = this.surface.getContext("2d", { alpha: false });
    this.overlay = find("#overlay");
    this.kept = find("#kept-picture"); // what is drawn on: the picture that was taught, not what shows by now
    this.kept.addEventListener("load", () => this.sizedBy(this.kept));
    this.zoom = 1;
    this.drawn = "";
    new ResizeObserver(() => this.fit()).observe(this.view);
    for (const button of all("[data-zoom]", this.stage)) button.addEventListener("click", () => this.zoomBy(button.dataset.zoom === "in" ? CLOSER : 1 / CLOSER));
    this.stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return; // the wheel alone is the desktop's
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? CLOSER : 1 / CLOSER, event);
    }, { passive: false });
    store.onChange(() => this.render());
    setInterval(() => this.showAge(), 1000);
  }

  /** Draws a JPEG; one that cannot be read leaves the picture before it. */
  async show(jpeg, takenAt) {
    const image = await createImageBitmap(jpeg).catch(() => null);
    if (!image) return;
    if (this.surface.width !== image.width || this.surface.height !== image.height) {
      Object.assign(this.surface, { width: image.width, height: image.height });
      if (!this.store.lesson.size?.[0]) this.store.size = [image.width, image.height];
      this.fit();
    }
    this.context.drawImage(image, 0, 0);
    image.close();
    this.store.set({ takenAt, hasPicture: true });
  }

  /** As large as there is room, in whole pixels, so that boxes sit exactly. */
  fit() {
    const { width, height } = this.surface;
    const style = getComputedStyle(this.view);
    const room = [this.view.clientWidth, this.view.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)];
    if (!width || room[0] <= 0 || room[1] <= 0) return;
    const scale = Math.min(room[0] / width, room[1] / height) * this.zoom;
    this.canvas.style.width = `${Math.round(width * scale)}px`;
    this.canvas.style.height = `${Math.round(height * scale)}px`;
    this.placeTag();
  }

  zoomBy(factor, at = null) {
    const before = this.zoom;
    this.zoom = Math.min(CLOSEST, Math.max(1, before * factor));
    if (this.zoom < 1.05) this.zoom = 1;
    const frame = this.view.getBoundingClientRect();
    const [x, y] = at ? [at.clientX - frame.left, at.clientY - frame.top] : [frame.width / 2, frame.height / 2];
    const [left, top] = [this.view.scrollLeft + x, this.view.scrollTop + y];
    this.fit();
    this.view.scrollTo(left * (this.zoom / before) - x, top * (this.zoom / before) - y);
    find('[data-zoom="out"]', this.stage).hidden = this.zoom === 1;
    find('[data-zoom="in"]', this.stage).disabled = this.zoom >= CLOSEST;
  }

  /** Where an event lies on the desktop, in its pixels; null beside it. */
  point(event) {
    const rect = this.canvas.getBoundingClientRect();
    const [width, height] = this.store.size;
    const [x, y] = [(event.clientX - rect.left) / rect.width, (event.clientY - rect.top) / rect.height];
    if (!width || !(x >= 0 && x < 1 && y >= 0 && y < 1)) return null;
    return [Math.floor(x * width), Math.floor(y * height)];
  }

  // --- what is drawn on it ---------------------------------------------------------------------------------------------
  render() {
    const { store, stage } = this;
    stage.classList.toggle("lost", store.connection !== "live");
    stage.classList.toggle("idle", !store.takesActs);
    stage.classList.toggle("asking", store.isAsking);
    stage.dataset.tool = store.drawing ? "draw" : store.tool;
    this.showKept(store.pictureUrl(store.drawing?.picture ?? (store.hasPicture ? "" : store.pictured?.picture)));
    find("#stage-empty").hidden = Boolean(store.hasPicture || this.kept.getAttribute("src"));
    if (!store.hasPicture) text(find("#stage-empty"), say(emptyWords(store)));
    this.drawBoxes();
    this.showAge();
  }

  /** Without a desktop the picture that was taught says how large it is. */
  sizedBy({ naturalWidth: width, naturalHeight: height }) {
    if (this.surface.width) return;
    Object.assign(this.surface, { width, height });
    this.store.size = [width, height];
    this.fit();
  }

  showKept(src) {
    if ((this.kept.getAttribute("src") ?? "") === src) return;
    if (src) this.kept.src = src;
    else this.kept.removeAttribute("src");
    this.kept.hidden = !src;
  }

  drawBoxes() {
    const { store } = this;
    const { question, hover, boxes, drawing } = store;
    const shown = store.screenShown;
    const { pictured } = store;
    const key = JSON.stringify([store.isAsking ? question : 0, hover, boxes, drawing, pictured?.box, this.pointed, store.size, shown?.regions, find("#tab-screen").getAttribute("aria-selected")]);
    if (key === this.drawn) return;
    this.drawn = key;
    const marks = [];
    if (boxes && question && store.isAsking) marks.push(...this.asked(question));
    else if (boxes && hover) marks.push(...this.hovered(hover));
    else if (boxes && pictured?.box) marks.push(place(h("div", { class: "spot chosen" }), pictured.box));
    if (find("#tab-screen").getAttribute("aria-selected") === "true") for (const region of shown?.regions ?? []) marks.push(place(h("div", { class: `region ${region.kind}` }), region.box));
    if (this.pointed) marks.push(this.spot("meant", this.pointed));
    fill(this.overlay, marks);
    this.placeTag();
  }

  hovered({ box, sentence, alike, ambiguous }) {
    return [
      ...alike.map((other) => this.spot("runner", other)),
      this.spot(ambiguous ? "chosen unsure" : "chosen", box),
      this.tag(ambiguous ? "unsure" : "chosen", sentence, box),
    ];
  }

  /** The place that was meant, its like, and what would tell it from them by the likely answer. */
  asked(question) {
    const likely = question.answers.find((answer) => answer.likely) ?? question.answers[0];
    const key = String(question.box);
    const alike = question.answers.map((answer) => answer.boxes ?? []).find((boxes) => boxes.length > 1) ?? [];
    const because = (likely?.boxes ?? []).filter((box) => String(box) !== key && !alike.some((one) => String(one) === String(box)));
    return [
      ...alike.filter((box) => String(box) !== key).map((box) => this.spot("runner", box)),
      ...because.map((box) => this.spot("because", box)),
      ...(question.box ? [this.spot("chosen", question.box), likely ? this.tag("chosen", likely.text, question.box) : ""] : []),
    ];
  }

  spot(css, box) {
    return place(h("div", { class: `spot ${css}` }), this.store.normalised(box));
  }

  tag(css, words, box) {
    return h("div", { class: `sign-tag placed ${css}`, data: { box: this.store.normalised(box).join() } }, words);
  }

  /** Above its box, or below it where there is no room; never over it. */
  placeTag() {
    const tag = find(".sign-tag", this.overlay);
    if (!tag) return;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const [left, top, w, hgt] = tag.dataset.box.split(",").map(Number);
    const above = top * height - tag.offsetHeight - 6;
    tag.style.left = `${Math.max(0, Math.min(left * width + (w * width) - tag.offsetWidth, width - tag.offsetWidth))}px`;
    tag.style.top = `${above >= 0 ? above : (top + hgt) * height + 6}px`;
  }

  /** Show a box while something that means it has the pointer or the focus; null: no more. */
  pointTo(box) {
    this.pointed = box;
    this.drawBoxes();
  }

  showAge() {
    const { store } = this;
    const note = find("#age");
    const age = store.takenAt ? Date.now() / 1000 - store.takenAt : 0;
    const words = [];
    if (store.connection === "lost") words.push(say("reconnecting"));
    if (store.hasPicture && store.connection !== "live" && age > OLD) words.push(age < 120 ? say("age", { n: Math.round(age) }) : say("age_minutes", { n: Math.round(age / 60) }));
    note.hidden = words.length === 0;
    text(note, words.join(" · "));
  }
}

function emptyWords(store) {
  if (store.connection === "refused") return "no_picture_refused";
  if (store.lesson.state === "waiting") return "no_picture_waiting";
  if (store.lesson.state === "away" || !store.lesson.robot) return "no_picture_away";
  return store.lesson.state === "done" ? "no_picture_done" : "no_picture_yet";
}
