/* The desktop on the page: its picture, what lies under the pointer, the boxes that are meant, zoom. */

import { all, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { place } from "../live/picture.js";

const OLD = 2; // seconds
const CLOSER = 1.5;
const CLOSEST = 6;
const AROUND = 8; // pixels of the desktop beside its window
const MOST = 0.9; // of the desktop: a window that is larger is shown with all of it

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
    this.part = null; // of the desktop that is shown, [x, y, width, height] in its pixels; null: all of it
    new ResizeObserver(() => this.fit()).observe(this.view);
    find("#whole").addEventListener("click", () => store.set({ whole: !store.whole }));
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

  /** The window, or all of the desktop, as large as there is room and not larger than it is; the rest is scrolled to. */
  fit() {
    const { width, height } = this.surface;
    const room = [this.view.clientWidth, this.view.clientHeight];
    if (!width || room[0] <= 0 || room[1] <= 0) return;
    const [x, y, w, hgt] = this.part ?? [0, 0, width, height];
    const scale = Math.min(1, room[0] / w, room[1] / hgt) * this.zoom;
    this.canvas.style.width = `${Math.round(width * scale)}px`;
    this.canvas.style.height = `${Math.round(height * scale)}px`;
    if (this.part && this.zoom === 1) this.view.scrollTo((x + w / 2) * scale - room[0] / 2, (y + hgt / 2) * scale - room[1] / 2);
  }

  /** What is to be seen: the window with the focus; one that lies within what shows already, such as a dialog, moves nothing. */
  showPart() {
    const { store } = this;
    const part = this.wanted();
    find("#whole").hidden = !store.screen?.window || covers(store.screen.window, this.surface);
    find("#whole").setAttribute("aria-pressed", String(store.whole));
    if (String(part) === String(this.part)) return;
    this.part = part;
    this.fit();
  }

  wanted() {
    const { store } = this;
    const box = store.screen?.window;
    const { width, height } = this.surface;
    if (store.whole || !box || store.drawing?.picture || covers(box, this.surface)) return null;
    const marks = store.isAsking ? [store.question.box, ...store.question.answers.flatMap((answer) => answer.boxes ?? [])].filter(Boolean) : [];
    if (this.part && within(box, this.part)) return marks.every((one) => within(one, this.part)) ? this.part : null;
    const [left, top] = [Math.max(0, box[0] - AROUND), Math.max(0, box[1] - AROUND)];
    const part = [left, top, Math.min(width, box[0] + box[2] + AROUND) - left, Math.min(height, box[1] + box[3] + AROUND) - top];
    return marks.every((one) => within(one, part)) ? part : null;
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
    if (!store.hasPicture) text(find("#stage-empty"), emptyWords(store));
    this.showPart();
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
    const words = boxes && question && store.isAsking ? likely(question)?.text : boxes && hover ? hover.sentence : "";
    text(find("#hover-line"), words ?? "");
    find("#hover-line").classList.toggle("unsure", Boolean(boxes && hover?.ambiguous && !store.isAsking));
  }

  hovered({ box, alike, ambiguous }) {
    return [
      ...alike.map((other) => this.spot("runner", other)),
      this.spot(ambiguous ? "chosen unsure" : "chosen", box),
    ];
  }

  /** The place that was meant, its like, and what would tell it from them by the likely answer. */
  asked(question) {
    const key = String(question.box);
    const alike = question.answers.map((answer) => answer.boxes ?? []).find((boxes) => boxes.length > 1) ?? [];
    const because = (likely(question)?.boxes ?? []).filter((box) => String(box) !== key && !alike.some((one) => String(one) === String(box)));
    return [
      ...alike.filter((box) => String(box) !== key).map((box) => this.spot("runner", box)),
      ...because.map((box) => this.spot("because", box)),
      ...(question.box ? [this.spot("chosen", question.box)] : []),
    ];
  }

  spot(css, box) {
    return place(h("div", { class: `spot ${css}` }), this.store.normalised(box));
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
    if (store.connection === "lost") words.push(gettext("Connection lost. Reconnecting; the picture may be old."));
    if (store.hasPicture && store.connection !== "live" && age > OLD) words.push(age < 120 ? interpolate(gettext("%(n)s s old"), { n: Math.round(age) }) : interpolate(gettext("%(n)s min old"), { n: Math.round(age / 60) }));
    note.hidden = words.length === 0;
    text(note, words.join(" · "));
  }
}

const likely = (question) => question.answers.find((answer) => answer.likely) ?? question.answers[0];

const within = ([x, y, w, h], [left, top, width, height]) => x >= left && y >= top && x + w <= left + width && y + h <= top + height;

/** Whether a window is as good as all of the desktop. */
const covers = ([, , w, h], { width, height }) => w * h >= MOST * width * height;

function emptyWords(store) {
  if (store.connection === "refused") return gettext("The desktop is not shown here.");
  if (store.lesson.state === "waiting") return gettext("The picture shows when the robot has the desktop free for you.");
  if (store.lesson.state === "away" || !store.lesson.robot) return gettext("No robot shows its desktop now. What was taught can be changed all the same.");
  return store.lesson.state === "done" ? gettext("The lesson is over.") : gettext("The picture of the desktop is on its way.");
}
