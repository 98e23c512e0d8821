/* What cannot be known without asking, with its answers on the keys 1 to 9; else what the desktop shows now. */

import { all, announce, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";
import { Ripening } from "../live/ripening.js";
import { emphasised } from "../live/sentence.js";
import { callPanel } from "./call_form.js";
import { controlParts, focusOn } from "./control.js";
import { keepNotPossible, notPossibleForm } from "./not_possible.js";
import { pressing } from "./parts.js";
import { MOST } from "./ways.js";

const ELSE = "something_else"; // the answer that is on the key E
const READ_MS = 400;
const CONTROLS = {
  choose: gettext("Choose which one?"),
  set_state: gettext("On or off?"),
  pick_date: gettext("Which day?"),
  visual_login: gettext("Log in with which credentials?"),
  call_workflow: gettext("Do which workflow here?"),
};
const OFFERS = {
  set_state: [gettext("This is a check box"), gettext("A click changes it, whatever it is. A run can look first, and see afterwards that it is so.")],
  choose: [gettext("This is one of several options"), gettext("A run can look first what is chosen, choose by its text, and see afterwards that it is so.")],
};
const CLOSED = {
  4401: ["lock", "red", gettext("Your login has ended"), gettext("Log in, then try again.")],
  4403: ["lock", "red", gettext("Your role does not allow teaching"), gettext("It takes the role “designer”. An admin can give it to you.")],
  4404: ["lock", "red", gettext("There is no such lesson"), gettext("It may have been ended. Begin another one from the workflow’s page.")],
  4409: ["user", "amber", gettext("Somebody else has this lesson"), gettext("One person teaches at a time. Try again when they have finished.")],
};

export class Question {
  constructor(store, desktop, connection, actions) {
    Object.assign(this, { store, desktop, connection, actions, shown: "", asked: "" });
    this.element = find("#question");
    this.ripening = new Ripening(this.element, READ_MS);
    this.isPressed = pressing(this.element, () => this.render());
    store.onChange(() => this.render());
  }

  render() {
    const { store } = this;
    const kind = this.kind();
    const { question, screen, lesson, trouble, connection, closed, answering } = store;
    const names = (lesson.screens ?? []).map((s) => [s.node_id, s.name]);
    const signature = JSON.stringify([kind, question, screen, lesson.state, lesson.robot, lesson.paused, trouble, this.store.told, connection, closed, answering, names, lesson.problem, lesson.call, store.control, store.doing, store.record, store.offer, store.keeping]);
    if (signature === this.shown) return this.sayKeys();
    if (this.isPressed() && kind === "asks" && question.id === this.asked) return; // another question is never answered by it
    this.shown = signature;
    const isControl = store.control && kind === "control" && this.pointedAt !== store.control;
    this.pointedAt = store.control;
    const isNew = question && question.id !== this.asked && store.isAsking;
    this.asked = question?.id ?? "";
    if (isNew) this.ripening.begin();
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.key : "";
    const [css, ...parts] = this[kind]();
    this.element.className = `panel live-question ${css}`;
    this.desktop.pointTo(null);
    fill(this.element, parts);
    this.sayKeys();
    if (kind === "control") this.desktop.pointTo(store.control.box);
    if (isControl) focusOn(this.element);
    else if (focused) find(`[data-key="${CSS.escape(focused)}"]:not([disabled])`, this.element)?.focus({ preventScroll: true });
    if (isNew) announce(`${question.text} ${question.detail ?? ""}`);
  }

  kind() {
    const { store } = this;
    if (store.connection === "refused") return "refused";
    if (store.lesson.state === "done") return "over";
    if (store.question) return "asks";
    if (store.connection === "lost") return "lost";
    if (store.lesson.state === "away" || (store.connection === "live" && !store.lesson.robot)) return "away";
    if (store.lesson.state === "waiting" || store.connection === "connecting") return "waits";
    if (store.lesson.paused) return "paused";
    if (store.doing) return "does";
    if (store.lesson.call) return "call";
    return store.control ? "control" : "looks";
  }

  // --- asked ---------------------------------------------------------------------------------------------------------
  asks() {
    const { question } = this.store;
    const sending = !this.store.isAsking;
    const numbered = question.answers.filter((answer) => answer.code !== ELSE).sort((a, b) => Number(b.likely) - Number(a.likely));
    const other = question.answers.find((answer) => answer.code === ELSE);
    const counted = numbered.find((answer) => answer.counts);
    const primary = numbered.find((answer) => answer.likely);
    return ["asks", top("message-question", "blue", question.text, question.detail),
      h("div", { class: "answers" },
        numbered.map((answer, i) => this.answer(answer, i < 9 ? String(i + 1) : "", answer === primary, sending)),
        counted ? h("button", { class: "button", type: "button", disabled: sending, data: { key: "which_number" }, onclick: () => this.askNumber(counted) }, icon("variable"), gettext("The number that a run gives")) : null,
        other ? this.answer(other, "E", false, sending) : null,
        h("button", { class: "button plain", type: "button", disabled: sending, data: { key: "cancel" }, onclick: () => this.connection.cancel() }, gettext("Do nothing")),
        h("span", { class: "then" }, sending ? gettext("Sending your answer …") : question.kind === "which" ? gettext("Then it is done on the desktop") : "")),
      this.said()];
  }

  answer(answer, key, primary, disabled) {
    const box = answer.box ?? answer.boxes?.[0] ?? null;
    const show = () => this.desktop.pointTo(box);
    const hide = () => this.desktop.pointTo(null);
    return h("button", {
      class: `button ${primary ? "primary" : ""}`, type: "button", disabled, data: { key: answer.code, number: key }, "aria-keyshortcuts": key || null, "aria-disabled": this.ripening.isOn ? "true" : null,
      onclick: () => this.choose(answer), onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide,
    }, primary ? icon("check") : answer.code === ELSE ? icon("pencil") : null, h("span", {}, answer.text), key ? h("kbd", {}, key) : null);
  }

  choose(answer) {
    if (this.ripening.isOn || !this.store.isAsking) return;
    if (answer.line) return void this.askLine(answer);
    if (answer.names) return void this.askName(answer);
    this.connection.answer(answer.code, answer.repeats ? { most: MOST } : {});
  }

  /** What the value is called that is another one in each run. */
  askName(answer) {
    const name = nameField("value-variable", "");
    name.required = true;
    this.askMore(h("div", {}, h("label", { for: name.id }, gettext("variable")), name), name, () => this.connection.answer(answer.code, { variable: name.value }));
  }

  /** Which number it is, a run says by a variable. */
  askNumber(answer) {
    const name = nameField("value-variable", "n");
    name.required = true;
    this.askMore(h("div", {}, h("label", { for: name.id }, gettext("Variable that holds the number")), name), name, () => this.connection.answer(answer.code, { variable: name.value }));
  }

  /** Which texts of its line tell it; those with a name are other ones in each run. */
  askLine(answer) {
    const rows = answer.line.map((one, i) => {
      const takes = h("input", { type: "checkbox", id: `line-${i}`, checked: one.known });
      const name = nameField(`line-name-${i}`, one.variable);
      const follow = () => (name.disabled = !takes.checked);
      takes.addEventListener("change", follow);
      follow();
      const show = () => this.desktop.pointTo(one.box);
      return { one, takes, name, row: h("li", { onpointerenter: show, onfocusin: show, onpointerleave: () => this.desktop.pointTo(null) }, takes, h("label", { for: takes.id }, one.text), h("label", { for: name.id, class: "small muted" }, gettext("variable")), name) };
    });
    const list = h("fieldset", { class: "line-texts" }, h("legend", { class: "visually-hidden" }, gettext("What in its line says that it is this one?")), h("ul", {}, rows.map(({ row }) => row)), h("p", { class: "small muted" }, gettext("With a variable’s name it is another one in each run; without one it is this text each time.")));
    this.askMore(list, rows[0].takes, () => this.connection.answer(answer.code, { line: rows.filter(({ takes }) => takes.checked).map(({ one, name }) => ({ text: one.text, variable: name.value })) }));
  }

  /** In the place of the answers: what else has to be said for one of them. */
  askMore(parts, first, send) {
    const form = h("form", { class: "answer-values" }, parts,
      h("button", { class: "button primary", type: "submit" }, gettext("Use this")),
      h("button", { class: "button", type: "button", onclick: () => ((this.shown = ""), this.render()) }, gettext("Back")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    fill(find(".answers", this.element), form);
    first.focus();
  }

  /** What is to be pressed: keys that are the desktop's now are let go first. A button that is being pressed stays. */
  sayKeys() {
    for (const kbd of all("kbd[data-frees]", this.element)) text(kbd, this.store.keyboard ? interpolate(gettext("Esc %(key)s"), { key: kbd.dataset.frees }) : kbd.dataset.frees);
  }

  /** The answer on a key: "1" to "9", "E". Whether there was one. */
  press(key) {
    const button = all("[data-number]", this.element).find((one) => one.dataset.number === key.toUpperCase());
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }

  // --- a control that was pointed at ---------------------------------------------------------------------------------
  control() {
    const { control } = this.store;
    return ["asks", top("message-question", "blue", CONTROLS[control.act], control.said || gettext("Then it is done on the desktop, and kept as one step.")), controlParts(this.store, this.connection), this.said()];
  }

  call() {
    const [css, head, answers] = callPanel(this.store, this.connection, top);
    return [css, head, answers, this.said()];
  }

  does() {
    return ["", top("hand-finger", "blue busy", gettext("The robot does it …"), gettext("It looks, moves and looks again, as in a run. That may take some seconds."))];
  }

  // --- nothing asked ---------------------------------------------------------------------------------------------------
  looks() {
    const { store } = this;
    const { screen } = store;
    if (!screen || screen.state === "reading") return ["", top("search", "grey busy", gettext("Looking at the screen …"), gettext("What shows is read as soon as it is still.")), this.said()];
    if (screen.state === "unread") return ["amber", top("alert-triangle", "amber", gettext("Still reading the screen …"), screen.why), this.said()];
    const { mend } = store.lesson;
    if (mend && !screen.node_id) return ["", top("help-circle", "amber", gettext("The draft has no screen that looks like this"), mend.screen ? interpolate(gettext("The run took it for “%(name)s”. Say on the right what it is."), { name: mend.screen }) : screen.why), this.said()];
    const name = store.screenOf(screen.node_id)?.name || screen.name || gettext("Screen without a name");
    const others = (store.lesson.screens ?? []).filter((one) => one.node_id !== screen.node_id);
    const isNew = screen.state === "new";
    if (store.offer) return this.offer(store.offer);
    if (store.record) return this.record(store.record);
    if (isNew && screen.dialog?.buttons?.length && !mend) return this.dialog(screen.dialog, others);
    const title = isNew ? interpolate(gettext("A new screen: “%(name)s”"), { name }) : interpolate(gettext("This is “%(name)s”"), { name });
    return ["", top(isNew ? "plus" : "window", "blue", title, screen.why || (isNew ? gettext("It is none of those that were taught. What you do here makes it one.") : gettext("It is known from before: what you do here belongs to it."))),
      h("div", { class: "answers" },
        isNew ? null : h("button", { class: "button", type: "button", data: { key: "new_screen" }, onclick: () => this.connection.send({ type: "new_screen" }) }, icon("plus"), gettext("It is another screen")),
        others.length ? this.sameAs(others) : null, this.notPossible()),
      this.said()];
  }

  /** Whoever mends says it at the right, and sees first what it changes. */
  notPossible() {
    const { store, connection } = this;
    if (store.lesson.mend) return null;
    const again = () => ((this.shown = ""), this.render());
    const ask = () => {
      const form = notPossibleForm(store, { onscreen: (reason) => keepNotPossible(store, connection, reason), onback: again });
      fill(find(".answers", this.element), form);
      find("input", form).focus();
    };
    return h("button", { class: "button", type: "button", disabled: !store.takesActs || store.keeping, data: { key: "not_possible" }, onclick: ask }, icon("circle-minus"), gettext("Not possible here …"));
  }

  /** What came over the screen, as it says it; a press on a button of it is one on the desktop. */
  dialog({ title, texts, buttons }, others) {
    const { store } = this;
    const names = buttons.map((button) => button.text);
    const said = texts.filter((text) => !names.includes(text) && text !== title).join(" ");
    const single = buttons.filter((button) => names.filter((name) => name === button.text).length === 1);
    const every = h("input", { type: "checkbox", id: "every-run", checked: this.everyRun });
    every.addEventListener("change", () => (this.everyRun = every.checked));
    const press = ({ text: name, box: [x, y, w, hgt] }) => {
      const [width, height] = store.size;
      const at = { x: Math.round((x + w / 2) * width), y: Math.round((y + hgt / 2) * height) };
      if (this.everyRun) this.connection.act({ type: "dialog", press: name });
      else this.connection.act({ type: "act", act: "click", ...at, keep: true });
      this.everyRun = false;
    };
    return ["asks", top("message", "blue", gettext("A dialog is open"), [title, said].filter(Boolean).map((text) => interpolate(gettext("“%(text)s”"), { text })).join(" ")),
      h("div", { class: "answers" },
        single.map((button) => h("button", { class: "button", type: "button", disabled: !store.takesActs, data: { key: `press-${button.text}` }, onclick: () => press(button) }, h("span", {}, button.text))),
        h("label", { class: "check" }, every, h("span", {}, gettext("Every run presses it by itself, and it is no step"))),
        others.length ? this.sameAs(others) : null, this.notPossible()),
      this.said()];
  }

  /** A line led to the screen on which the value stands by which it was chosen: is that asked by what follows there? */
  record({ index, record }) {
    const told = record.identity.map((one) => `${interpolate(gettext("“%(text)s”"), { text: one.value })}${one.label ? ` (${one.label})` : ""}`).join(", ");
    const answer = (choice) => this.actions.edits.step(index, { record: choice });
    return ["asks", top("user-check", "blue", gettext("Whose record is this?"), interpolate(gettext("The line was chosen by %(values)s, and that stands on this screen too."), { values: told })),
      h("div", { class: "answers" },
        h("button", { class: "button primary", type: "button", data: { key: "record", number: "1" }, "aria-keyshortcuts": "1", onclick: () => answer("accept") }, icon("check"), h("span", {}, interpolate(gettext("Go on only where %(values)s is seen"), { values: told })), h("kbd", { data: { frees: "1" } })),
        h("button", { class: "button", type: "button", data: { key: "no_record", number: "2" }, "aria-keyshortcuts": "2", onclick: () => answer("decline") }, h("span", {}, gettext("It need not be")), h("kbd", { data: { frees: "2" } }))),
      this.said()];
  }

  /** A click on a control: is it to be brought to that in every run, or clicked whatever it is? */
  offer({ index, offer }) {
    const { act, params } = offer;
    const label = offer.label.replace(/[\s:：]+$/, "");
    const told = act === "set_state" ? interpolate(params.state === "on" ? gettext("Set “%(label)s” to on, whatever it is") : gettext("Set “%(label)s” to off, whatever it is"), { label }) : interpolate(gettext("Choose “%(option)s” in “%(label)s”, whatever is chosen"), { option: params.option, label });
    const answer = (choice) => this.actions.edits.step(index, { offer: choice });
    return ["asks", top("message-question", "blue", ...OFFERS[act]),
      h("div", { class: "answers" },
        h("button", { class: "button primary", type: "button", data: { key: "offer", number: "1" }, "aria-keyshortcuts": "1", onclick: () => answer("accept") }, icon("check"), h("span", {}, told), h("kbd", { data: { frees: "1" } })),
        h("button", { class: "button", type: "button", data: { key: "no_offer", number: "2" }, "aria-keyshortcuts": "2", onclick: () => answer("decline") }, h("span", {}, gettext("Keep the click")), h("kbd", { data: { frees: "2" } }))),
      this.said()];
  }

  sameAs(others) {
    const select = h("select", { class: "input slim", "aria-label": gettext("It is the same as …"), data: { key: "same_screen" } }, h("option", { value: "" }, gettext("It is the same as …")), others.map((one) => h("option", { value: one.node_id }, one.name)));
    select.addEventListener("change", () => select.value && this.connection.send({ type: "same_screen", node_id: select.value }));
    return select;
  }

  paused() {
    return ["amber", top("player-pause", "amber", gettext("Paused: nothing is done or kept"), gettext("The desktop stays as it is until you go on.")),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "go_on" }, onclick: () => this.connection.send({ type: "go_on" }) }, icon("player-play"), gettext("Go on"))), this.said()];
  }

  waits() {
    if (this.store.lesson.pictures) return ["", top("hourglass", "grey busy", gettext("Waiting for a robot"), gettext("A robot that is alive reads the pictures, whatever it does on its own desktop.")), this.said()];
    return ["", top("hourglass", "grey busy", gettext("Waiting for the desktop"), interpolate(gettext("The robot %(robot)s takes the lesson as soon as no run is on its desktop."), { robot: this.store.lesson.robot || "" })), this.said()];
  }

  away() {
    return ["amber", top("robot-off", "amber", gettext("The robot is away"), this.store.lesson.problem || gettext("The draft is kept. Go on teaching once a robot shows this desktop again.")),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "again" }, onclick: () => this.actions.again() }, icon("refresh"), gettext("Try again")),
        h("a", { class: "button", href: this.store.at.robots }, gettext("Robots"))), this.said()];
  }

  lost() {
    return ["amber", top("alert-triangle", "amber busy", gettext("Connection lost"), gettext("It comes back by itself. Nothing that was taught is lost.")), this.said()];
  }

  refused() {
    const [glyph, css, title, words] = CLOSED[this.store.closed] ?? CLOSED[4404];
    return [css, top(glyph, css, title, this.store.lesson.taken_by || words),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "again" }, onclick: () => this.actions.again() }, icon("refresh"), gettext("Try again")),
        h("a", { class: "button", href: this.store.at.workflow }, gettext("To the workflow")))];
  }

  over() {
    return ["green", top("circle-check", "green", gettext("The lesson is over"), this.store.lesson.problem || gettext("The desktop is free again. What was taught is in the workflow.")),
      h("div", { class: "answers" }, h("a", { class: "button primary", href: this.store.at.workflow }, gettext("To the workflow")), h("a", { class: "button", href: this.store.at.teach }, icon("school"), gettext("Teach on")))];
  }

  /** What went wrong last, or was refused. */
  said() {
    const { trouble, told } = this.store;
    if (!trouble && told) return h("p", { class: "said", role: "status" }, icon("info-circle"), h("span", {}, told));
    return trouble ? h("p", { class: "said red-ink", role: "alert" }, icon("alert-circle"), h("span", {}, trouble)) : null;
  }
}

const nameField = (id, value) => h("input", { class: "input", id, value, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: gettext("Letters, digits and _; it begins with a letter") });

const top = (glyph, colour, title, detail) =>
  h("div", { class: "question-top" }, h("span", { class: `question-icon ${colour}` }, icon(glyph)),
    h("div", { class: "grow" }, h("h2", { class: "question-title", id: "question-title" }, emphasised(title)), h("p", { class: "question-why" }, emphasised(detail ?? ""))));

/** Above the page: whose draft, on which desktop, how much, and whether it is recorded. */
export function headView(store) {
  let shown = "";
  store.onChange(() => {
    const { lesson, connection } = store;
    const signature = JSON.stringify([lesson.workflow, lesson.robot, lesson.paused, lesson.state, connection, store.steps.length, lesson.screens?.length, store.saving > 0]);
    if (signature === shown) return;
    shown = signature;
    text(find("#workflow-name"), lesson.workflow.name);
    const isOver = lesson.state === "done"; // it teaches nothing any more, and what it taught may be published
    const facts = [isOver ? "" : gettext("draft"), lesson.robot && !isOver ? interpolate(lesson.pictures ? gettext("pictures, read by %(name)s") : gettext("teaching on desktop %(name)s"), { name: lesson.robot }) : "", interpolate(ngettext("%(n)s step", "%(n)s steps", store.steps.length), { n: store.steps.length }), interpolate(ngettext("%(n)s screen", "%(n)s screens", lesson.screens?.length ?? 0), { n: lesson.screens?.length ?? 0 })];
    text(find("#facts"), facts.filter(Boolean).join(" · "));
    const [colour, glyph, word] = badge(store);
    fill(find("#state"), h("span", { class: `badge-state ${colour}` }, icon(glyph), h("span", {}, word)));
    text(find("#saving"), store.saving ? gettext("Saving …") : "");
  });
}

function badge({ lesson, connection }) {
  if (lesson.state === "done") return ["green", "circle-check", gettext("done")];
  if (connection === "lost") return ["amber", "alert-triangle", gettext("reconnecting")];
  if (connection === "refused") return ["red", "lock", gettext("not connected")];
  if (lesson.state === "away" || !lesson.robot) return ["amber", "robot-off", gettext("no desktop")];
  if (lesson.state === "waiting" || connection === "connecting") return ["grey", "hourglass", gettext("waiting for the desktop")];
  return lesson.paused ? ["amber", "player-pause", gettext("paused")] : ["red", "circle", gettext("recording")];
}
