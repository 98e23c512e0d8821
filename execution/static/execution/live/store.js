/* What the page knows of the run, and how each message of the stream changes it. No element of the page is touched here. */

import { State } from "../../rpa_site/state.js";

const MOST_EVENTS = 300;
const ASKING = new Set(["waiting", "coaching"]);
const KEPT = new Set(["sending", "given"]); // of an answer, when nothing is asked any more
const PASSED = new Set(["succeeded", "manual", "skipped"]);
export const FINAL = new Set(["completed", "failed", "stopped"]);

export class Store extends State {
  constructor(data) {
    super();
    this.run = data.run;
    this.me = data.me;
    this.actions = data.actions;
    this.nodes = new Map(data.graph.nodes.map((node) => [node.id, node]));
    this.edges = new Map(data.graph.edges.map((edge) => [edge.id, edge]));
    this.connection = "connecting"; // live, polling, lost
    this.frame = null; // {url, takenAt}
    this.selected = null; // {index, side}: a step that somebody looks at instead of now
    this.answer = null; // {status: sending | given | refused, choice, who, sentence}
    this.wishing = ""; // a verb that was sent and not yet done
    this.lost = ""; // who was first, where an answer came too late; stays until it is closed
    this.refusal = ""; // why a verb was refused
    this.correcting = false;
    this.picking = false; // which screen it is, where the run takes it for another one
    this.draft = null; // a drafted correction, for the form that is about to open
    this.viewing = false; // the run has ended, and its page goes back and forth in it
    this.side = "before"; // before, after, or slide: both, one over the other
    this.differs = false; // what differs between the two is drawn
    this.skew = 0;
    this.takeSnapshot(data.snapshot);
  }

  // --- messages ----------------------------------------------------------------------------------------------------
  takeSnapshot(snapshot) {
    const status = this.execution?.status;
    if (snapshot.now) this.skew = Date.now() - Date.parse(snapshot.now);
    this.execution = { ...this.execution, ...snapshot.execution };
    this.seq = snapshot.seq;
    if (!this.viewing) this.steps = new Map(snapshot.steps.map((step) => [step.index, step])); // the viewer has them all
    this.decisions = { ...this.decisions, ...snapshot.decisions };
    if ("summary" in snapshot) this.summary = snapshot.summary; // the socket's has none
    if (status && status !== this.execution.status) this.waiting = null;
    if ("waiting" in snapshot) this.waiting = snapshot.waiting; // why no robot has it yet
    if (snapshot.events) this.events = snapshot.events;
    this.takePrompt(snapshot.prompt);
    if (status && status !== this.execution.status) this.wishing = "";
    this.set({});
  }

  takeEvents(events) {
    for (const event of events) {
      if (event.seq <= this.seq) continue; // told twice
      this.seq = event.seq;
      this.events = [...this.events, event].slice(-MOST_EVENTS);
      this[`on_${event.kind}`]?.(event.payload, event);
    }
    this.set({});
  }

  on_state(payload) {
    const before = this.execution.status;
    this.execution = { ...this.execution, ...payload };
    if (!ASKING.has(payload.status)) this.takePrompt(null);
    if (before !== payload.status) Object.assign(this, { wishing: "", refusal: "", waiting: null });
  }

  on_step(step) {
    this.steps.set(step.index, step);
  }

  on_prompt(prompt) {
    this.takePrompt(prompt);
  }

  on_decision(decision) {
    this.decisions = { ...this.decisions, [decision.step]: decision };
    if (this.prompt?.prompt_id !== decision.prompt_id) return;
    const mine = decision.source === "coach" && decision.decided_by === this.me.name;
    const inTime = decision.source !== "policy";
    if (decision.source === "stop") decision = { ...decision, choice: "stop" };
    this.answer = { status: "given", choice: decision.choice, who: mine ? null : decision.decided_by, inTime };
    Object.assign(this, { correcting: false, picking: false });
  }

  on_mode_changed({ mode }) {
    this.execution = { ...this.execution, mode, wish_mode: "" };
  }

  /** Its graph is another one from here on. */
  on_version_changed({ version }) {
    this.version = version;
  }

  on_degraded({ reason }) {
    this.execution = { ...this.execution, degraded: true, degraded_reason: reason };
  }

  takePrompt(prompt) {
    if (prompt?.prompt_id !== this.prompt?.prompt_id) {
      // the answer to the question before stays in sight until the next question comes
      if (prompt) this.answer = null;
      Object.assign(this, { correcting: false, picking: false });
    }
    if (!prompt) this.answer = KEPT.has(this.answer?.status) ? this.answer : null; // its reply may come later than the news
    const isNew = prompt && prompt.prompt_id !== this.prompt?.prompt_id;
    this.prompt = prompt ?? null;
    if (prompt) this.steps.set(prompt.step.index, prompt.step);
    if (isNew) this.selected = null;
  }

  /** All steps of a run that has ended, unpacked into short rows; what is known of a step in full stays. */
  takeFilm({ began, kinds, steps, near, ending }) {
    const known = this.steps;
    const start = Date.parse(began);
    this.steps = new Map(steps.map(([index, kind, at_ms, duration_ms, waited_ms, before_ms]) =>
      [index, { message: "", sentence: "", verified: "", node_id: "", ...kinds[kind], index, at_ms, duration_ms, waited_ms, before_ms, started_at: start + at_ms, ...known.get(index) }]));
    this.takeStretch(near);
    this.ending = ending;
  }

  /** The sentences and pictures of some steps, and who answered there. */
  takeStretch({ steps, decisions }) {
    for (const [key, row] of Object.entries(steps)) this.steps.set(Number(key), { ...this.steps.get(Number(key)), ...row });
    this.decisions = { ...decisions, ...this.decisions };
  }

  /** Whether its pictures and its sentence are there, or still to be asked for. */
  isKnown(step) {
    return step.picture_before !== undefined;
  }

  /** What showed after a step: as it was kept, else what the next step saw first. */
  after(step) {
    return step.picture_after || (step.pause ? "" : this.steps.get(step.index + 1)?.picture_before) || "";
  }

  // --- questions about it ------------------------------------------------------------------------------------------
  get isFinal() {
    return FINAL.has(this.execution.status);
  }

  get isAsking() {
    return Boolean(this.prompt) && this.answer?.status !== "given";
  }

  /** Somebody has the desktop in hand. */
  get inControl() {
    return this.execution.status === "paused" && this.execution.pause_reason === "control";
  }

  /** The person at this page has it. */
  get hasControl() {
    return this.me.may_operate && this.inControl && this.execution.pause_detail?.by === this.me.name;
  }

  get lastStep() {
    return [...this.steps.values()].at(-1) ?? null;
  }

  /** The step that picture and Why speak of. */
  get focus() {
    if (this.selected) return this.steps.get(this.selected.index) ?? null;
    return this.prompt ? this.steps.get(this.prompt.step.index) : this.lastStep;
  }

  get failedStep() {
    return [...this.steps.values()].filter((step) => step.outcome === "failed").at(-1) ?? null;
  }

  nodeName(id) {
    return this.nodes.get(id)?.name || id || "";
  }

  /** What the run would do next on a screen, in a sentence; empty where it ends. */
  nextOn(id) {
    return this.nodes.get(id)?.end ? "" : (this.outgoing(id)[0]?.sentence ?? "");
  }

  outgoing(id) {
    return [...this.edges.values()].filter((edge) => edge.source === id);
  }

  /** The first edge of each node from where the run is, until an end or a ring. */
  get ahead() {
    if (this.isFinal) return [];
    const open = this.openStep ? this.edges.get(this.openStep.edge_id) : null;
    const path = [];
    const seen = new Set();
    let node = open ? open.destination : this.whereNow;
    while (node && !seen.has(node) && !this.nodes.get(node)?.end) {
      seen.add(node);
      const edge = this.outgoing(node)[0];
      if (!edge) break;
      path.push(edge);
      node = edge.destination;
    }
    return path;
  }

  /** The step that is asked about or being carried out: it has a row of its own. */
  get openStep() {
    const last = this.lastStep;
    return last && last.phase !== "closed" && !this.isFinal ? last : null;
  }

  /** Where the run stands: past the last step where that was done and the next screen is not yet recognised. */
  get whereNow() {
    const here = this.execution.current_node || this.startNode;
    const last = this.lastStep;
    const passed = last && PASSED.has(last.outcome) && last.node_id === here;
    return passed ? (this.edges.get(last.edge_id)?.destination ?? here) : here;
  }

  get startNode() {
    return this.run.start_node || [...this.nodes.values()].find((node) => node.entry)?.id;
  }

  pictureUrl(digest) {
    return digest ? this.run.picture.replace("0".repeat(64), digest) : "";
  }

  /** A part of a stored picture, small: a thumbnail, or a crop. */
  partUrl(digest, { box = null, width = 192 } = {}) {
    return digest ? `${this.run.part.replace("0".repeat(64), digest)}?width=${width}${box ? `&box=${box.map((one) => Number(one).toFixed(4)).join()}` : ""}` : "";
  }

  /** What was read on the screen of a step, or where the run stood still. */
  screenUrl(index) {
    const { pause } = this.steps.get(index) ?? {};
    if (pause) return this.run.screen.replace("/steps/0/", `/pauses/${pause}/`);
    return this.run.screen.replace("/steps/0/", `/steps/${index}/`);
  }

  /** Milliseconds since an ISO time, by the server's clock. */
  since(iso) {
    return Date.now() - this.skew - Date.parse(iso);
  }

  /** Milliseconds left to answer; they stand still while somebody corrects. Never more than there were: clocks differ. */
  get timeLeft() {
    const { deadline_at: end, created_at: start, held } = this.prompt;
    const left = held ? Date.parse(end) - Date.parse(held.since) : -this.since(end);
    return Math.max(0, Math.min(left, Date.parse(end) - Date.parse(start)));
  }
}
