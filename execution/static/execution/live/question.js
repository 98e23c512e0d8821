/* What is asked of the person, or what there is to know instead: at work, paused, queued, over. One primary button. */

import { all, announce, fill, find, h, icon, s, text } from "../../rpa_site/dom.js";
import { duration, interpolate, say, word } from "../../rpa_site/words.js";
import { correctForm } from "./correct.js";
import { byHandLink, mendLink } from "./mend.js";
import { figures } from "./over.js";
import { ASKED, control, decide, remember } from "./requests.js";
import { Ripening } from "./ripening.js";
import { expectation, screenList } from "./screens.js";
import { emphasised, messageOf, named, whyInWords } from "./sentence.js";
import { behind } from "./waiting.js";

export const KEYS = { accept: "A", correct: "C", manual: "M", skip: "S", reject: "R", done: "D", retry: "T" }; // none stops a run
const ICONS = { accept: "check", correct: "pencil", manual: "hand-finger", skip: "player-skip-forward", reject: "x", done: "check", retry: "refresh", stop: "player-stop" };
const PICKLESS = new Set(["asked", "storage", "desktop_lost", "error"]); // pauses in which no screen is in question
const READ_MS = 700;
const RING = 2 * Math.PI * 19;

export class Question {
  constructor(store, picture, { askToStop, askToEndLesson }) {
    Object.assign(this, { store, picture, askToStop, askToEndLesson, shown: "", asked: "" });
    this.element = find("#question");
    this.ripening = new Ripening(this.element, READ_MS);
    this.roleNeeded = this.element.dataset.roleNeeded;
    this.element.addEventListener("click", (event) => this.ripening.isOn && refuse(event), { capture: true });
    store.onChange(() => this.render());
    setInterval(() => this.tick(), 250);
  }

  render() {
    const { store } = this;
    const kind = this.kind();
    const signature = JSON.stringify([kind, store.prompt?.prompt_id, store.prompt?.step.sentence, store.prompt?.choices, store.prompt?.message, store.prompt?.changed, store.answer, store.wishing, store.refusal, store.lost, store.summary, kind === "paused" ? store.execution.pause_detail : 0, store.execution.error, store.execution.mending, store.waiting]);
    if (signature === this.shown) return;
    const hadFocus = this.element.contains(document.activeElement) && document.activeElement?.dataset.key;
    const isNew = store.prompt && store.prompt.prompt_id !== this.promptId;
    this.promptId = store.prompt?.prompt_id;
    this.shown = signature;
    if (kind === "correct" && find("form", this.element)) return void this.correct(); // a form keeps its place and its focus
    this.element.className = "panel live-question";
    fill(this.element, this.lost(), this.vanished(), this[kind](), ["ask", "doubt", "paused"].includes(kind) ? this.mending() : null);
    this.guard(kind);
    if (hadFocus) find(`[data-key="${hadFocus}"]:not([disabled])`, this.element)?.focus({ preventScroll: true });
    if (isNew && store.isAsking) announce(store.prompt.step.sentence || store.prompt.message);
    this.tick();
  }

  /** A question, or a pause, in the place of another question: for a moment it takes no answer. */
  guard(kind) {
    const asks = kind === "paused" ? "paused" : ["ask", "doubt"].includes(kind) ? String(this.store.prompt.prompt_id) : "";
    if (asks && this.asked && asks !== this.asked) this.ripening.begin();
    if (asks) this.asked = asks;
    if (this.ripening.isOn) all("button:not([disabled])", this.element).forEach((button) => button.setAttribute("aria-disabled", "true"));
  }

  kind() {
    const { store } = this;
    const { status } = store.execution;
    if (store.correcting) return "correct";
    if (store.picking && store.isAsking) return "pick";
    if (store.isAsking) return store.prompt.kind === "in_doubt" ? "doubt" : "ask";
    if (store.answer?.status === "given" && status !== "paused" && !store.isFinal) return "answered";
    if (status === "paused") return "paused";
    if (store.isFinal) return "over";
    return status === "queued" || status === "idle" ? "queued" : "atWork";
  }

  // --- asked ---------------------------------------------------------------------------------------------------------
  ask() {
    const { prompt } = this.store;
    const step = prompt.step;
    this.element.classList.add("asks");
    const screen = this.store.nodeName(step.node_id);
    return [
      h("div", { class: "question-top" },
        this.ring(),
        h("div", { class: "grow" },
          h("h2", { class: "question-title", id: "question-title" }, emphasised(step.sentence || prompt.message), screen ? [" ", h("span", { class: "muted" }, interpolate(gettext("on “%(name)s”"), { name: screen }))] : ""),
          h("p", { class: "question-why" }, prompt.kind === "identity" ? emphasised(prompt.message) : [...(prompt.why ? [...emphasised(prompt.why), " "] : []), ...whyInWords(step)]))),
      prompt.changed ? this.changed(prompt) : this.closer(step),
      this.buttons(prompt),
      this.said(),
      this.refused(),
    ];
  }

  doubt() {
    const { prompt } = this.store;
    const { picture_before: before, picture_after: after } = prompt.step;
    const seen = !after ? gettext("The picture shows where it was to be read back.")
      : before === after ? gettext("The two pictures are the same: it was not done, or it was done without a sign.")
        : gettext("The screen changed since. Compare the two pictures.");
    this.element.classList.add("amber");
    return [
      h("div", { class: "question-top" },
        h("span", { class: "question-icon amber" }, icon("help-circle")),
        h("div", { class: "grow" },
          h("h2", { class: "question-title", id: "question-title" }, emphasised(prompt.message)),
          h("p", { class: "question-why" }, seen, " ", prompt.step.verification?.message ?? ""))),
      prompt.changed ? this.changed(prompt) : null,
      this.buttons(prompt, ""), // what the pictures suggest is a guess: none of the answers stands out
      this.said(),
    ];
  }

  /** What it asks about is gone, or looks otherwise now. */
  changed(prompt) {
    return h("p", { class: "said", role: "status" }, icon("alert-triangle"), `${gettext("The screen has changed since this was asked.")} ${prompt.changed}`);
  }

  buttons(prompt, primary = prompt.step.suggestion?.no_line ? "skip" : prompt.choices[0]) {
    const { me, answer } = this.store;
    if (!me.may_operate) return h("p", { class: "said muted" }, icon("lock"), interpolate(gettext("You may watch this run. Answering takes the role “%(role)s”."), { role: this.roleNeeded }));
    const busy = Boolean(answer) && answer.status !== "failed";
    const buttons = prompt.choices.map((choice) =>
      h("button", {
        class: `button ${choice === primary ? "primary" : ""} ${choice === "reject" || choice === "stop" ? "danger" : ""}`, type: "button", data: { key: choice },
        disabled: busy, "aria-keyshortcuts": KEYS[choice], onclick: () => this.choose(choice),
      }, icon(ICONS[choice]), this.label(prompt, choice), KEYS[choice] ? h("kbd", { "aria-hidden": "true" }, KEYS[choice]) : null));
    const canPick = prompt.choices.includes("reject") && prompt.step.edge_id;
    const other = canPick ? h("button", { class: "button plain", type: "button", data: { key: "pick" }, disabled: busy, onclick: () => this.store.setNow({ picking: true, answer: null }) }, icon("help-circle"), gettext("It is another screen")) : null;
    const mend = ["target", "identity"].includes(prompt.kind) ? mendLink(this.store, prompt.step.index, "plain") : null;
    return h("div", { class: "answers" }, buttons, other, mend, h("span", { class: "then", data: { then: "" } }));
  }

  label(prompt, choice) {
    if (prompt.kind === "target" && choice === "correct") return prompt.step.action_type === "read_value" ? gettext("Type the value or show where") : gettext("Show where");
    if (prompt.kind === "target" && choice === "skip" && prompt.step.suggestion?.line) return prompt.step.suggestion.no_line ? gettext("It is empty: go on") : gettext("The list is over: go on");
    if (prompt.kind === "identity" && choice === "retry") return gettext("Look again");
    return say(`answers.${choice}`);
  }

  /** A button was clicked, or its key pressed: the same. */
  choose(choice) {
    const { store } = this;
    if (this.ripening.isOn || !store.me.may_operate || !store.isAsking || store.answer?.status === "sending" || store.answer?.status === "refused") return;
    if (choice === "stop") return void this.askToStop(() => decide(store, { choice }));
    if (choice === "correct") return void store.setNow({ correcting: true, selected: null, answer: null });
    decide(store, { choice });
  }

  said() {
    const { answer } = this.store;
    if (!answer) return null;
    if (answer.status === "refused") return null; // told above, until it is closed
    if (answer.status === "sending") return h("p", { class: "said muted", role: "status" }, icon("send"), gettext("Sending your answer …"));
    return h("p", { class: "said field-error", role: "alert" }, icon("alert-circle"), answer.sentence);
  }

  ring() {
    const { prompt } = this.store;
    if (!prompt.deadline_at) return h("span", { class: "question-icon blue" }, icon("message-question"));
    return h("div", { class: "ring", role: "timer" },
      s("svg", { viewBox: "0 0 44 44", "aria-hidden": "true" },
        s("circle", { cx: 22, cy: 22, r: 19 }),
        s("circle", { class: "rest", cx: 22, cy: 22, r: 19, "stroke-dasharray": RING })),
      h("span"));
  }

  tick() {
    const { store } = this;
    const mending = find("[data-mending]", this.element);
    if (mending) text(mending, this.mendingWords());
    if (!store.isAsking) return;
    const { deadline_at: end, created_at: start, timeout_choice: then, held } = store.prompt;
    const note = find("[data-then]", this.element);
    note?.classList.toggle("held", Boolean(held));
    if (!end) return void text(note, held ? this.heldWords(held) : gettext("Waits for an answer as long as it takes"));
    const left = store.timeLeft;
    const seconds = Math.ceil(left / 1000);
    const ring = find(".ring", this.element);
    if (ring) {
      text(find("span", ring), seconds < 100 ? interpolate(gettext("%(n)s s"), { n: seconds }) : duration(left));
      find(".rest", ring).style.strokeDashoffset = String(RING * (1 - Math.min(1, left / (Date.parse(end) - Date.parse(start)))));
      ring.classList.toggle("held", Boolean(held));
      ring.classList.toggle("soon", seconds <= 30 && seconds > 10);
      ring.classList.toggle("late", seconds <= 10);
    }
    if (held) text(note, this.heldWords(held));
    else text(note, seconds ? interpolate(then === "skip" ? gettext("No answer in %(n)s s: it is skipped") : gettext("No answer in %(n)s s: it is rejected"), { n: seconds }) : gettext("time is over"));
  }

  /** Who lets the time stand still, and since when. */
  heldWords({ by, since }) {
    if (by === this.store.execution.mending?.by) return gettext("The time stands still meanwhile");
    const time = minutes(this.store.since(since));
    return by === this.store.me.name ? gettext("The time stands still while you correct") : interpolate(gettext("%(who)s has been correcting for %(time)s; the time stands still"), { who: by, time });
  }

  /** Who is on the page of teaching with a step of this run. */
  mending() {
    return this.store.execution.mending ? h("p", { class: "said", role: "status" }, icon("school"), h("span", { data: { mending: "" } }, this.mendingWords())) : null;
  }

  mendingWords() {
    const { by, step, since } = this.store.execution.mending ?? {};
    return by === this.store.me.name ? interpolate(gettext("You are mending step %(n)s"), { n: step }) : interpolate(gettext("%(who)s has been mending step %(n)s for %(time)s"), { who: by, n: step, time: minutes(this.store.since(since)) });
  }

  /** On a phone: the target as large as it is on the desktop, so that it can be read. */
  closer(step) {
    const { box } = step.suggestion ?? {};
    if (!box) return null;
    const canvas = h("canvas", { role: "img", "aria-label": step.suggestion.target?.label ?? "" });
    const image = new Image();
    image.src = this.store.pictureUrl(step.picture_before);
    image.decode().then(() => drawCloser(canvas, image, box), () => canvas.closest(".closer")?.remove());
    return h("div", { class: "closer" }, canvas);
  }

  correct() {
    this.element.classList.add("asks");
    return correctForm(this.store, this.picture, this.ring());
  }

  answered() {
    const { answer } = this.store;
    const said = answer.who ? say(`answered.${answer.choice}`, { who: answer.who }) : say(`answered_by_you.${answer.choice}`);
    const sentence = answer.inTime === false ? answer.choice === "skip" ? gettext("Nobody answered in time: skipped.") : gettext("Nobody answered in time: rejected.") : said;
    return this.plain(answer.choice === "reject" ? "circle-x" : "circle-check", answer.choice === "reject" ? "red" : "green", sentence, gettext("The robot goes on."));
  }

  // --- nothing asked -------------------------------------------------------------------------------------------------
  plain(name, colour, title, words, ...more) {
    return [
      h("div", { class: "question-top" },
        h("span", { class: `question-icon ${colour}` }, icon(name)),
        h("div", { class: "grow" }, h("h2", { class: "question-title", id: "question-title" }, h("strong", {}, title)), h("p", { class: "question-why" }, words))),
      ...more,
      this.refused(),
    ];
  }

  atWork() {
    const { waiting } = this.store;
    if (waiting) return this.plain("heart-broken", "amber", gettext("Its robot has gone"), waiting.message);
    const content = this.plain("player-play", "blue busy", gettext("The robot is at work"), gettext("Nothing is asked of you."), byHandLink(this.store));
    return content;
  }

  queued() {
    const key = this.store.execution.status;
    const { waiting } = this.store;
    if (key === "idle") return this.plain("clock", "grey", gettext("Not started"), gettext("The run was made and nobody has asked it to start yet."));
    if (!waiting) return this.plain("clock", "grey", gettext("Waiting for a robot"), gettext("The run starts when a robot is free. Nothing is asked of you."));
    return this.plain("clock", "grey", gettext("Waiting for a robot"), `${waiting.message} ${gettext("Nothing is asked of you.")}`, behind(this.store, { toStop: this.askToStop, toEndLesson: this.askToEndLesson }));
  }

  paused() {
    const { store } = this;
    const { execution, me } = store;
    const { pause_reason: reason, pause_detail: detail } = execution;
    const asked = reason === "asked" || !reason;
    this.element.classList.add("amber");
    if (reason === "control") return this.inControl();
    const title = asked ? gettext("Paused") : interpolate(gettext("%(label)s: %(what)s"), { label: gettext("Paused"), what: word("pause_reason", reason) });
    const message = asked ? this.pausedBy(detail) : (detail?.message ?? "");
    if (!me.may_operate) return this.plain("player-pause", "amber", title, message, h("p", { class: "said muted" }, icon("lock"), interpolate(gettext("Pausing and stopping takes the role “%(role)s”."), { role: this.roleNeeded })));
    const ways = this.waysOn();
    if (PICKLESS.has(reason) || asked) return this.plain("player-pause", "amber", title, message, ways);
    const main = h("div", { class: "grow" }, this.plain("player-pause", "amber", title, message, expectation(store, detail), ways));
    const onpick = (node_id) => control(store, { verb: "resume", node_id });
    return [h("div", { class: "beside" }, main, this.screens({ candidates: detail?.candidates, busy: Boolean(store.wishing), onpick }))];
  }

  /** A person has the desktop in hand; whoever it is gives it back here as well. */
  inControl() {
    const { store } = this;
    const { pause_detail: detail } = store.execution;
    if (!store.hasControl) return this.plain("hand-finger", "amber", word("pause_reason", "control"), detail?.message ?? "");
    const busy = Boolean(store.wishing);
    const back = h("button", { class: "button primary", type: "button", disabled: busy, data: { key: "resume" }, onclick: () => control(store, { verb: "resume" }) },
      icon("player-play"), busy ? ASKED[store.wishing] : gettext("Give back"));
    return this.plain("hand-finger", "amber", gettext("You have control"), gettext("Click and type on the picture: it is done on the desktop and recorded, what you type by its length alone. Give it back, and the robot looks anew and goes on from wherever you left it."), h("div", { class: "answers" }, back));
  }

  pausedBy(detail) {
    if (detail?.left) return detail.message;
    const who = named(detail?.by, detail?.origin);
    return who ? interpolate(gettext("%(who)s paused the run. It goes on when somebody resumes it."), { who }) : gettext("A person paused the run. It goes on when you resume it.");
  }

  /** All screens with what would be done next on each: for the person to say which it is. */
  screens(options) {
    return h("div", { class: "screens-box" }, h("h3", { class: "overline" }, gettext("The screens of the workflow")), screenList(this.store, options));
  }

  /** Out of a pause: look again is the first way; a screen is never suggested for a click in passing. */
  waysOn() {
    const { store } = this;
    const { pause_reason: reason, pause_detail: detail } = store.execution;
    const busy = Boolean(store.wishing);
    const isUnknown = ["no_match", "dialog", "leap", "already_at_end"].includes(reason);
    return h("div", { class: "answers" },
      h("button", { class: "button primary", type: "button", disabled: busy, data: { key: "resume" }, onclick: () => control(store, { verb: "resume" }) },
        icon(isUnknown ? "refresh" : "player-play"), busy ? ASKED[store.wishing] : isUnknown ? gettext("Look again") : gettext("Resume")),
      this.dialogButtons(detail ?? {}),
      detail?.picture ? mendLink(store) : null,
      byHandLink(store));
  }

  /** The buttons of the dialog that it paused for; the robot presses the one that the person chose. None stands out. */
  dialogButtons({ dialog, picture }) {
    const { store } = this;
    const buttons = dialog?.buttons ?? [];
    const single = buttons.filter((button) => buttons.filter(({ text: other }) => other === button.text).length === 1);
    if (!single.length || store.execution.mode === "observation") return null;
    return h("div", { class: "dialog-buttons", role: "group", "aria-label": gettext("The robot can press a button of the dialog for you, if it still stands there unchanged.") }, single.map((button, n) => this.dialogButton(button, n, picture)), store.me.may_design ? this.rememberBox() : null);
  }

  /** Whether later runs close it in the same way, without asking. */
  rememberBox() {
    const box = h("input", { type: "checkbox", id: "remember-dialog", checked: this.remembers, disabled: Boolean(this.store.wishing) });
    box.addEventListener("change", () => (this.remembers = box.checked));
    return h("label", { class: "check" }, box, h("span", {}, gettext("Later runs press it by themselves")));
  }

  async press(name, picture) {
    const { store } = this;
    if (this.remembers && (await remember(store, name))) return; // refused: nothing is pressed
    this.remembers = false;
    await control(store, { verb: "resume", press: name, picture });
  }

  dialogButton({ text: name, box }, n, picture) {
    const point = (there) => this.picture.point(there);
    const press = () => this.press(name, picture);
    return h("button", {
      class: "button", type: "button", title: gettext("The robot can press a button of the dialog for you, if it still stands there unchanged."), disabled: Boolean(this.store.wishing), data: { key: `press-${n}` }, onclick: press,
      onpointerenter: () => point(box), onfocus: () => point(box), onpointerleave: () => point(null), onblur: () => point(null),
    }, interpolate(gettext("Press “%(name)s”"), { name }));
  }

  /** In a question: the suggestion rests on a screen that it is not. */
  pick() {
    const { store } = this;
    const { prompt, answer } = store;
    this.element.classList.add("asks");
    const back = h("button", { class: "button", type: "button", data: { key: "back" }, onclick: () => store.set({ picking: false, answer: null }) }, gettext("Back"), h("kbd", { "aria-hidden": "true" }, "Esc"));
    const words = interpolate(gettext("The robot takes it for “%(name)s”. What it meant to do there is rejected."), { name: store.nodeName(prompt.step.node_id) });
    const main = h("div", { class: "grow" },
      h("div", { class: "question-top" }, this.ring(),
        h("div", { class: "grow" }, h("h2", { class: "question-title", id: "question-title" }, h("strong", {}, gettext("Which screen is it?"))), h("p", { class: "question-why" }, emphasised(words)))),
      h("div", { class: "answers" }, back, h("span", { class: "then", data: { then: "" } })), this.said());
    const onpick = (node_id) => decide(store, { choice: "reject", node_id });
    const busy = Boolean(answer) && answer.status !== "failed";
    return [h("div", { class: "beside" }, main, this.screens({ except: prompt.step.node_id, busy, onpick }))];
  }

  over() {
    const { store } = this;
    const { status, error, stopped_by, stopped_from, duration_seconds: seconds } = store.execution;
    const looks = { completed: ["circle-check", "green", gettext("Done")], failed: ["alert-circle", "red", gettext("Failed")], stopped: ["player-stop", "grey", gettext("Stopped")] }[status];
    this.element.classList.add(looks[1]);
    const failed = status === "failed" ? store.failedStep : null;
    const words = failed ? `${interpolate(gettext("It failed at step %(n)s: %(sentence)s"), { n: failed.index, sentence: failed.sentence })}. ${messageOf(failed)}` : status === "stopped" ? interpolate(gettext("%(who)s stopped the run."), { who: named(stopped_by, stopped_from) || gettext("a person") }) : error || "";
    const again = store.me.may_operate ? h("a", { class: "button primary", href: store.run.again }, icon("refresh"), gettext("Start again")) : null;
    const top = this.plain(looks[0], looks[1], `${looks[2]} · ${duration(seconds * 1000)}`, words);
    const teach = store.me.may_design ? h("a", { class: "button", href: store.run.teach }, icon("school"), gettext("Teach from this run")) : null;
    top[0].append(byHandLink(store) ?? "", teach ?? "", again ?? "");
    return [...top, store.summary ? figures(store.summary) : null];
  }

  /** Somebody else was first: said until it is closed, whatever is asked meanwhile. */
  /** Its robot is not heard of any more: nothing that is answered here comes to anybody. */
  vanished() {
    const { waiting } = this.store;
    if (!waiting || ["queued", "atWork", "over"].includes(this.kind())) return null; // which say it themselves, or need not
    return h("div", { class: "notice amber", role: "alert" }, icon("heart-broken"), h("span", { class: "grow" }, waiting.message));
  }

  lost() {
    const { store } = this;
    if (!store.lost) return null;
    const close = h("button", { class: "button plain", type: "button", data: { key: "lost" }, onclick: () => store.setNow({ lost: "" }) }, gettext("Close"));
    return h("div", { class: "notice amber", role: "alert" }, icon("alert-circle"), h("span", { class: "grow" }, store.lost), close);
  }

  refused() {
    const { refusal } = this.store;
    return refusal ? h("p", { class: "said field-error", role: "alert" }, icon("alert-circle"), refusal) : null;
  }
}

function refuse(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** 0:20, 1:05: how long it has been so. */
function minutes(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function drawCloser(canvas, image, [left, top, width, height]) {
  const ratio = window.devicePixelRatio || 1;
  const [cw, ch] = [canvas.clientWidth || 340, canvas.clientHeight || 84];
  const [w, hgt] = [width * image.naturalWidth, height * image.naturalHeight];
  const zoom = Math.min(2.5, Math.max(0.6, Math.min(cw / (w + 40), ch / (hgt + 24))));
  const [sw, sh] = [cw / zoom, ch / zoom];
  const sx = left * image.naturalWidth + w / 2 - sw / 2;
  const sy = top * image.naturalHeight + hgt / 2 - sh / 2;
  Object.assign(canvas, { width: cw * ratio, height: ch * ratio });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.drawImage(image, sx, sy, sw, sh, 0, 0, cw, ch);
  pen.strokeStyle = "#1fa33a";
  pen.lineWidth = 3;
  pen.strokeRect((cw - w * zoom) / 2 - 2, (ch - hgt * zoom) / 2 - 2, w * zoom + 4, hgt * zoom + 4);
}
