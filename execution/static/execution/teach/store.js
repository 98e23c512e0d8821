/* What the page knows of the lesson, and how each message of the robot changes it. No element of the page is touched here. */

import { State } from "../../rpa_site/state.js";

export const LOOKS = new Set(["read_value", "wait_text", "must_see", "must_see_row"]); // acts that do nothing on the desktop
export const CLICKS = new Set(["click", "double_click", "right_click"]);
const ACT_TIMEOUT = 30_000; // an act that nobody answered for so long is not waited for any more

export class Store extends State {
  constructor(data) {
    super();
    this.at = data.at; // addresses
    this.me = data.me;
    this.lesson = data.draft; // the whole draft, as the robot and every edit tell it
    this.rev = -1;
    this.connection = "connecting"; // live, lost, refused
    this.closed = 0; // the code that a refusal came with
    this.size = data.draft.size ?? [0, 0]; // of the desktop, pixels
    this.hasPicture = false;
    this.takenAt = 0; // of the picture that shows, seconds since 1970
    this.hover = null;
    this.screen = null; // what is looked at now: {node_id, name, why, state}
    this.tool = "click";
    this.control = null; // a control that was pointed at: {act, where, box}; what it is brought to is asked
    this.doing = ""; // the act of several movements that is being done
    this.callable = data.callable ?? []; // other workflows that can be done here
    this.credentials = data.credentials ?? []; // names of those that a workflow may log in with
    this.drawing = null; // what a rectangle on the picture is for: {kind, ...}
    this.boxes = true;
    this.whole = false; // whether the whole desktop is shown, and not its window alone
    this.keyboard = false; // whether keys go to the desktop
    this.unkept = false; // Alt is held
    this.selected = null; // index of the step that the panel tells of; null: the newest
    this.shownNode = null; // the screen that its panel tells of; null: where the desktop is
    this.answering = ""; // the question that an answer was sent to
    this.trouble = "";
    this.told = "";
    this.keeping = false; // whether such a change is on its way
    this.mending = null; // what a change of the draft would do to the pictures that are kept
    this.saving = 0; // edits that are on their way
    this.pending = new Map(); // act id -> when it was sent
    this.delays = []; // of the last acts, in milliseconds: sent to done
  }

  // --- messages ------------------------------------------------------------------------------------------------------
  take(message) {
    this[`on_${message.type}`]?.(message);
  }

  on_lesson({ rev = 0, lesson }) {
    if (rev && rev < this.rev) return; // overtaken by an edit's own answer
    this.takeDraft(lesson, rev);
  }

  takeDraft(lesson, rev = this.rev) {
    const asked = this.question?.id;
    const before = this.steps.length;
    Object.assign(this, { lesson, rev });
    if (lesson.size?.[0]) this.size = lesson.size;
    if (this.question?.id !== asked) this.answering = "";
    if (this.steps.length !== before && this.selected !== null) this.selected = null; // what was done last is what is looked at
    if (this.shownNode && !this.screenOf(this.shownNode)) this.shownNode = null;
    this.set({});
  }

  on_hover({ x, y, box, role, sentence, alike = [], ambiguous = false }) {
    this.set({ hover: box ? { x, y, box, role, sentence, alike, ambiguous } : null });
  }

  on_acted({ id, state, ms, why }) {
    const sent = this.pending.get(id);
    this.pending.delete(id);
    if (this.doing === id) this.doing = "";
    if (sent) this.delays = [...this.delays, performance.now() - sent].slice(-50);
    if (state === "refused") this.set({ trouble: why || "" });
    else this.set({ trouble: "", robotMs: ms });
  }

  on_mending({ asked, said, of, changes, target }) {
    this.set({ mending: { asked, said, of, changes, target } });
  }

  /** It is written: what is saved from here on has it. */
  on_mended() {
    this.set({ keeping: false });
  }

  on_screen({ node_id, name, why, state, dialog, window = null }) {
    this.set({ screen: { node_id, name, why, state, dialog, window }, hover: null }); // what the pointer was over may be gone
  }

  on_trouble({ text }) {
    this.set({ trouble: text, keeping: false, answering: "" }); // an answer that says nothing is asked for again
  }

  /** What there is to know of what was done, such as what taking a step back does not undo. */
  on_told({ text }) {
    this.set({ told: text, trouble: "" });
  }

  /** An act is on its way. */
  sent(id) {
    const now = performance.now();
    for (const [other, since] of this.pending) if (now - since > ACT_TIMEOUT) this.pending.delete(other);
    this.pending.set(id, now);
    this.set({ hover: null, trouble: "", told: "" });
  }

  // --- questions about it ----------------------------------------------------------------------------------------------
  get steps() {
    return this.lesson.steps ?? [];
  }

  /** What was shown last: of steps that stand in the order of a run that need not be the last one. */
  get newest() {
    return this.steps.reduce((last, step) => (last && last.index > step.index ? last : step), null);
  }

  /** Whether there is anything of this lesson that can be taken back. */
  get canUndo() {
    return this.steps.some((step) => step.state !== "earlier");
  }

  /** The step whose own picture shows: one that was chosen, without a desktop or on its picture. */
  get pictured() {
    const { step, lesson } = this;
    if (!step?.picture || this.drawing) return null;
    if (!this.hasPicture) return step;
    return this.selected !== null && lesson.pictures && lesson.pictures.at === step.slide ? step : null;
  }

  get question() {
    return this.lesson.question ?? null;
  }

  /** The last step, where it is proposed whose record the screen that it led to is. */
  get record() {
    const last = this.newest;
    return last?.record && this.screen?.node_id !== last.node_id ? last : null;
  }

  /** The last step, where it is a click that may be meant for more. */
  get offer() {
    const last = this.newest;
    return last?.offer ? last : null;
  }

  get isAsking() {
    return Boolean(this.question) && this.answering !== this.question.id;
  }

  /** Whether the picture takes what a person does. */
  get takesActs() {
    return this.connection === "live" && this.lesson.state === "live" && !this.lesson.paused && !this.doing;
  }

  /** The step that the panel on the right tells of. */
  get step() {
    if (this.selected !== null) return this.steps.find((step) => step.index === this.selected) ?? null;
    return this.newest;
  }

  /** That step as the draft has it by now. */
  now(step) {
    return this.steps.find(({ index }) => index === step.index) ?? step;
  }

  /** Whether the robot's end does that. */
  can(what) {
    return (this.lesson.can ?? []).includes(what);
  }

  screenOf(nodeId) {
    return (this.lesson.screens ?? []).find((screen) => screen.node_id === nodeId) ?? null;
  }

  /** The screen that its panel tells of: the one chosen, else where the desktop is, else that of the last step. */
  get screenShown() {
    return this.screenOf(this.shownNode) ?? this.screenOf(this.screen?.node_id) ?? this.screenOf(this.step?.node_id) ?? null;
  }

  pictureUrl(digest) {
    return digest ? this.at.picture.replace("0".repeat(64), digest) : "";
  }

  /** A box of pixels as fractions of the desktop. */
  normalised([x, y, w, h]) {
    const [width, height] = this.size;
    return [x / width, y / height, w / width, h / height];
  }
}
