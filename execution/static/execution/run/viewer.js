/* A run that has ended: back and forth in it by step, each with an address. The page of a live run becomes this one. */

import { announce, fill, find, h, isTyping } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { filmView } from "./film.js";
import { headView } from "./head.js";
import { storyView, toldView } from "./told.js";
import { textsView } from "./texts.js";

const ASKING = { credentials: "same-origin", cache: "no-store", headers: { Accept: "application/json" } };
const STILL_MS = 90; // whoever walks faster is not told of each step on the way
const BEFORE = 60; // steps that are known around the one that is looked at, so that who walks finds them there
const AFTER = 100;
const PLAYED_MS = { before: 700, after: 1000 }; // how long each picture of a step is shown while the run is played
const SIDES = [["before", "B", gettext("Before")], ["slide", "", gettext("Both")], ["after", "A", gettext("After")]];

/** Turns the page of a run into its viewer; `film` is the run in short rows, or null where the page was live until now. */
export async function openViewer(store, film, { at = null, tab } = {}) {
  if (store.viewing) return;
  store.viewing = true;
  film ??= await asked(store.run.film);
  if (!film) {
    store.viewing = false; // asked again when the next news come
    return;
  }
  store.takeFilm(film);
  const viewer = new Viewer(store, film);
  store.goTo = (index) => viewer.goTo(index);
  show();
  const views = [headView(store, viewer), filmView(store, viewer), storyView(store), toldView(store, viewer), textsView(store)];
  for (const view of views) store.onChange(view);
  viewer.sides();
  viewer.keys();
  tab?.("tab-why");
  addEventListener("popstate", () => viewer.goTo(indexOf(location.pathname) ?? film.first, { push: false }));
  const ended = store.steps.get(store.ending.step);
  if (ended?.picture_after && ended.outcome === "failed") Object.assign(store, { side: "after", differs: true }); // what came instead
  viewer.goTo(store.steps.has(at) ? at : (store.selected?.index ?? film.first), { push: false });
}

function show() {
  document.body.classList.add("run-ended");
  for (const id of ["film", "story", "tab-texts", "sides"]) find(`#${id}`).hidden = false;
  find("#question").hidden = true;
}

const asked = (url) => fetch(url, ASKING).then((response) => (response.ok ? response.json() : null)).catch(() => null);

const indexOf = (path) => {
  const found = path.match(/\/(steps|pauses)\/(\d+)$/);
  if (!found) return null;
  return found[1] === "steps" ? Number(found[2]) : `p${found[2]}`;
};

export class Viewer {
  constructor(store, film) {
    Object.assign(this, { store, order: [...store.steps.keys()], told: new Map(), waiting: null });
    this.stretch = film.stretch;
    this.coming = new Map(); // stretches that were asked for, by number
    this.problems = this.order.filter((index) => store.steps.get(index).problem);
    store.told = null; // what is told of the selected step, once it is there
    this.title = document.title;
    if (film.first === null) store.selected = null;
  }

  // --- which step ------------------------------------------------------------------------------------------------------
  get at() {
    return this.store.selected?.index ?? null;
  }

  goTo(index, { push = true, side = null, played = false } = {}) {
    const { store } = this;
    if (!played) this.rest(); // whoever walks has seen enough
    if (index === null || !store.steps.has(index)) return void store.setNow({});
    const step = store.steps.get(index);
    store.setNow({ selected: { index, side: "before" }, told: this.told.get(index)?.found ?? null, ...(side ? { side } : {}) });
    if (push) this.remember(index);
    const place = this.order.indexOf(index);
    this.need(place - BEFORE, place + AFTER);
    clearTimeout(this.waiting);
    if (this.told.has(index)) return;
    this.waiting = setTimeout(() => this.ask(index), push ? STILL_MS : 0);
    this.ahead(step);
  }

  /** The address of a step is a link for a colleague; going on is no page of its own to go back through. */
  remember(index) {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => history.replaceState(null, "", this.address(index)), STILL_MS); // browsers refuse many at once
  }

  address(index) {
    const { pause } = this.store.steps.get(index) ?? {};
    return pause ? this.store.run.pause.replace("/pauses/0", `/pauses/${pause}`) : this.store.run.step.replace("/steps/0", `/steps/${index}`);
  }

  walk(by) {
    this.rest(); // at an end there is nowhere to go, and it is meant all the same
    const at = this.order.indexOf(this.at);
    const next = this.order[Math.max(0, Math.min(this.order.length - 1, at + by))];
    if (next !== this.at) this.goTo(next);
  }

  async nextProblem() {
    const { problems } = this;
    if (!problems.length) return void announce(gettext("Nothing to look at"));
    const next = problems.find((index) => this.order.indexOf(index) > this.order.indexOf(this.at)) ?? problems[0];
    this.goTo(next);
    await this.coming.get(this.stretchOf(next));
    announce(this.store.steps.get(next).sentence || "");
  }

  // --- played, step after step -------------------------------------------------------------------------------------------
  play() {
    if (this.store.playing) return this.rest();
    const atEnd = this.at === this.order.at(-1);
    this.store.playing = true;
    this.goTo(atEnd || this.at === null ? this.order[0] : this.at, { side: "before", played: true });
    this.showNext();
  }

  rest() {
    clearTimeout(this.playing);
    if (this.store.playing) this.store.setNow({ playing: false });
  }

  showNext() {
    const { store } = this;
    this.playing = setTimeout(() => {
      const next = this.order[this.order.indexOf(this.at) + 1];
      if (store.side === "before" && store.after(store.focus)) store.setNow({ side: "after" });
      else if (next === undefined) return this.rest();
      else this.goTo(next, { side: "before", played: true });
      this.showNext();
    }, PLAYED_MS[store.side] ?? PLAYED_MS.before);
  }

  // --- its sentence and its pictures --------------------------------------------------------------------------------------
  stretchOf(index) {
    return Math.floor(index / this.stretch);
  }

  /** The steps from one place of the film to another, asked for where they are not there yet. */
  need(from, to) {
    const lacking = this.order.slice(Math.max(0, from), Math.max(0, to)).filter((index) => !this.store.isKnown(this.store.steps.get(index)));
    for (const number of new Set(lacking.map((index) => this.stretchOf(index)))) {
      if (!this.coming.has(number)) this.coming.set(number, this.fetchStretch(number));
    }
  }

  async fetchStretch(number) {
    const { store } = this;
    const found = await asked(store.run.stretch.replace("/film/0", `/film/${number}`));
    if (!found) return void this.coming.delete(number); // asked again by whoever comes there next
    store.takeStretch(found);
    if (this.at !== null) this.ahead(store.focus);
    store.set({});
  }

  // --- what is told of it -----------------------------------------------------------------------------------------------
  async ask(index) {
    const entry = { found: null };
    this.told.set(index, entry);
    const found = await asked(`${this.address(index)}/told`);
    if (!found) {
      this.told.delete(index);
      if (this.at === index) this.store.set({ told: { failed: true } });
      return;
    }
    entry.found = found;
    const { store } = this;
    const row = store.steps.get(index);
    store.steps.set(index, { ...row, ...found.step, sentence: row.sentence || found.step.sentence });
    if (this.at === index) store.set({ told: found });
  }

  askAgain(index) {
    this.told.delete(index);
    return this.ask(index);
  }

  /** The pictures that the next key would show. */
  ahead(step) {
    const at = this.order.indexOf(step.index);
    for (const near of [this.order[at + 1], this.order[at - 1]].map((index) => this.store.steps.get(index))) {
      if (near?.picture_before) new Image().src = this.store.partUrl(near.picture_before);
    }
  }

  // --- before, after, both ----------------------------------------------------------------------------------------------
  sides() {
    const { store } = this;
    const place = find("#sides");
    const buttons = SIDES.map(([side, key, words]) => h("button", { class: "tool tool-word", type: "button", data: { side }, "aria-keyshortcuts": key || null, onclick: () => store.setNow({ side }) }, words));
    const differs = h("button", { class: "tool tool-word", type: "button", data: { differs: "" }, "aria-keyshortcuts": "D", onclick: () => this.differ() }, gettext("Differs"));
    fill(place, buttons, differs);
    const [wipe, range] = [find("#wipe"), find("#wipe-range")];
    const slide = () => find("#canvas").style.setProperty("--wipe", `${range.value}%`);
    range.addEventListener("input", slide);
    slide();
    store.onChange(() => {
      const step = store.focus;
      const has = Boolean(step && store.after(step));
      for (const button of buttons) {
        button.setAttribute("aria-pressed", String((has ? store.side : "before") === button.dataset.side));
        button.disabled = !has && button.dataset.side !== "before";
      }
      differs.setAttribute("aria-pressed", String(store.differs));
      differs.disabled = !has;
    });
    store.announceDiffering = (n) => announce(interpolate(ngettext("%(n)s place differs after it", "%(n)s places differ after it", n), { n }));
    wipe.addEventListener("pointerdown", (event) => event.stopPropagation()); // the slider's, not the picture's to be moved
  }

  differ() {
    this.store.setNow({ differs: !this.store.differs });
  }

  keys() {
    const does = {
      j: () => this.walk(1), k: () => this.walk(-1), arrowright: () => this.walk(1), arrowleft: () => this.walk(-1), arrowdown: () => this.walk(1), arrowup: () => this.walk(-1),
      home: () => this.goTo(this.order[0]), end: () => this.goTo(this.order.at(-1)), n: () => this.nextProblem(), p: () => this.play(),
      b: () => this.store.setNow({ side: "before" }), a: () => this.store.setNow({ side: "after" }), d: () => this.differ(),
    };
    document.addEventListener("keydown", (event) => {
      if ((isTyping(event) && event.target.type !== "range") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const key = event.key.toLowerCase();
      if (key.startsWith("arrow") || key === "home" || key === "end") {
        const takes = event.target.closest?.('[role="tab"], .tab-panel, input, select');
        if (takes) return; // those keys are theirs
      }
      if (!does[key]) return;
      event.preventDefault();
      does[key]();
    });
  }
}
