/* What cannot be known without asking, with its answers on the keys 1 to 9; else what the desktop shows now. */

import { all, announce, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { say } from "../../rpa_site/words.js";
import { Ripening } from "../live/ripening.js";
import { emphasised } from "../live/sentence.js";
import { callPanel } from "./call_form.js";
import { controlParts, focusOn } from "./control.js";
import { keepNotPossible, notPossibleForm } from "./not_possible.js";
import { pressing } from "./parts.js";
import { MOST } from "./ways.js";

const ELSE = "something_else"; // the answer that is on the key E
const READ_MS = 400;

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
        counted ? h("button", { class: "button", type: "button", disabled: sending, data: { key: "which_number" }, onclick: () => this.askNumber(counted) }, icon("variable"), say("which_number")) : null,
        other ? this.answer(other, "E", false, sending) : null,
        h("button", { class: "button plain", type: "button", disabled: sending, data: { key: "cancel" }, onclick: () => this.connection.cancel() }, say("let_it_go")),
        h("span", { class: "then" }, sending ? say("sending") : question.kind === "which" ? say("then_clicked") : "")),
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
    this.askMore(h("div", {}, h("label", { for: name.id }, say("line_variable")), name), name, () => this.connection.answer(answer.code, { variable: name.value }));
  }

  /** Which number it is, a run says by a variable. */
  askNumber(answer) {
    const name = nameField("value-variable", "n");
    name.required = true;
    this.askMore(h("div", {}, h("label", { for: name.id }, say("which_number_name")), name), name, () => this.connection.answer(answer.code, { variable: name.value }));
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
      return { one, takes, name, row: h("li", { onpointerenter: show, onfocusin: show, onpointerleave: () => this.desktop.pointTo(null) }, takes, h("label", { for: takes.id }, one.text), h("label", { for: name.id, class: "small muted" }, say("line_variable")), name) };
    });
    const list = h("fieldset", { class: "line-texts" }, h("legend", { class: "visually-hidden" }, say("line_which")), h("ul", {}, rows.map(({ row }) => row)), h("p", { class: "small muted" }, say("line_how")));
    this.askMore(list, rows[0].takes, () => this.connection.answer(answer.code, { line: rows.filter(({ takes }) => takes.checked).map(({ one, name }) => ({ text: one.text, variable: name.value })) }));
  }

  /** In the place of the answers: what else has to be said for one of them. */
  askMore(parts, first, send) {
    const form = h("form", { class: "answer-values" }, parts,
      h("button", { class: "button primary", type: "submit" }, say("use_this")),
      h("button", { class: "button", type: "button", onclick: () => ((this.shown = ""), this.render()) }, say("back")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send();
    });
    fill(find(".answers", this.element), form);
    first.focus();
  }

  /** What is to be pressed: keys that are the desktop's now are let go first. A button that is being pressed stays. */
  sayKeys() {
    for (const kbd of all("kbd[data-frees]", this.element)) text(kbd, this.store.keyboard ? say("after_escape", { key: kbd.dataset.frees }) : kbd.dataset.frees);
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
    return ["asks", top("message-question", "blue", say(`control_title.${control.act}`), control.said || say("control_text")), controlParts(this.store, this.connection), this.said()];
  }

  call() {
    const [css, head, answers] = callPanel(this.store, this.connection, top);
    return [css, head, answers, this.said()];
  }

  does() {
    return ["", top("hand-finger", "blue busy", say("doing_title"), say("doing_text"))];
  }

  // --- nothing asked ---------------------------------------------------------------------------------------------------
  looks() {
    const { store } = this;
    const { screen } = store;
    if (!screen || screen.state === "reading") return ["", top("search", "grey busy", say("screen_reading"), say("screen_reading_text")), this.said()];
    if (screen.state === "unread") return ["amber", top("alert-triangle", "amber", say("screen_unread"), screen.why), this.said()];
    const { mend } = store.lesson;
    if (mend && !screen.node_id) return ["", top("help-circle", "amber", say("mend_unknown_title"), mend.screen ? say("mend_unknown_text", { name: mend.screen }) : screen.why), this.said()];
    const name = store.screenOf(screen.node_id)?.name || screen.name || say("screen_unnamed");
    const others = (store.lesson.screens ?? []).filter((one) => one.node_id !== screen.node_id);
    const isNew = screen.state === "new";
    if (store.offer) return this.offer(store.offer);
    if (store.record) return this.record(store.record);
    if (isNew && screen.dialog?.buttons?.length && !mend) return this.dialog(screen.dialog, others);
    const title = isNew ? say("screen_is_new", { name }) : say("screen_is", { name });
    return ["", top(isNew ? "plus" : "window", "blue", title, screen.why || say(isNew ? "screen_is_new_text" : "screen_is_text")),
      h("div", { class: "answers" },
        isNew ? null : h("button", { class: "button", type: "button", data: { key: "new_screen" }, onclick: () => this.connection.send({ type: "new_screen" }) }, icon("plus"), say("another_screen")),
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
    return h("button", { class: "button", type: "button", disabled: !store.takesActs || store.keeping, data: { key: "not_possible" }, onclick: ask }, icon("circle-minus"), say("not_possible_title"));
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
    return ["asks", top("message", "blue", say("dialog_open"), [title, said].filter(Boolean).map((text) => say("quoted", { text })).join(" ")),
      h("div", { class: "answers" },
        single.map((button) => h("button", { class: "button", type: "button", disabled: !store.takesActs, data: { key: `press-${button.text}` }, onclick: () => press(button) }, h("span", {}, button.text))),
        h("label", { class: "check" }, every, h("span", {}, say("dialog_every_run"))),
        others.length ? this.sameAs(others) : null, this.notPossible()),
      this.said()];
  }

  /** A line led to the screen on which the value stands by which it was chosen: is that asked by what follows there? */
  record({ index, record }) {
    const told = record.identity.map((one) => `${say("quoted", { text: one.value })}${one.label ? ` (${one.label})` : ""}`).join(", ");
    const answer = (choice) => this.actions.edits.step(index, { record: choice });
    return ["asks", top("user-check", "blue", say("record_title"), say("record_text", { values: told })),
      h("div", { class: "answers" },
        h("button", { class: "button primary", type: "button", data: { key: "record", number: "1" }, "aria-keyshortcuts": "1", onclick: () => answer("accept") }, icon("check"), h("span", {}, say("record_accept", { values: told })), h("kbd", { data: { frees: "1" } })),
        h("button", { class: "button", type: "button", data: { key: "no_record", number: "2" }, "aria-keyshortcuts": "2", onclick: () => answer("decline") }, h("span", {}, say("record_decline")), h("kbd", { data: { frees: "2" } }))),
      this.said()];
  }

  /** A click on a control: is it to be brought to that in every run, or clicked whatever it is? */
  offer({ index, offer }) {
    const { act, params } = offer;
    const label = offer.label.replace(/[\s:：]+$/, "");
    const told = act === "set_state" ? say(params.state === "on" ? "offer_on" : "offer_off", { label }) : say("offer_choose", { option: params.option, label });
    const answer = (choice) => this.actions.edits.step(index, { offer: choice });
    return ["asks", top("message-question", "blue", say(`offer_title.${act}`), say(`offer_text.${act}`)),
      h("div", { class: "answers" },
        h("button", { class: "button primary", type: "button", data: { key: "offer", number: "1" }, "aria-keyshortcuts": "1", onclick: () => answer("accept") }, icon("check"), h("span", {}, told), h("kbd", { data: { frees: "1" } })),
        h("button", { class: "button", type: "button", data: { key: "no_offer", number: "2" }, "aria-keyshortcuts": "2", onclick: () => answer("decline") }, h("span", {}, say("offer_decline")), h("kbd", { data: { frees: "2" } }))),
      this.said()];
  }

  sameAs(others) {
    const select = h("select", { class: "input slim", "aria-label": say("same_screen_as"), data: { key: "same_screen" } }, h("option", { value: "" }, say("same_screen_as")), others.map((one) => h("option", { value: one.node_id }, one.name)));
    select.addEventListener("change", () => select.value && this.connection.send({ type: "same_screen", node_id: select.value }));
    return select;
  }

  paused() {
    return ["amber", top("player-pause", "amber", say("paused_title"), say("paused_text")),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "go_on" }, onclick: () => this.connection.send({ type: "go_on" }) }, icon("player-play"), say("go_on"))), this.said()];
  }

  waits() {
    if (this.store.lesson.pictures) return ["", top("hourglass", "grey busy", say("waits_pictures_title"), say("waits_pictures_text")), this.said()];
    return ["", top("hourglass", "grey busy", say("waits_title"), say("waits_text", { robot: this.store.lesson.robot || "" })), this.said()];
  }

  away() {
    return ["amber", top("robot-off", "amber", say("away_title"), this.store.lesson.problem || say("away_text")),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "again" }, onclick: () => this.actions.again() }, icon("refresh"), say("try_again")),
        h("a", { class: "button", href: this.store.at.robots }, say("to_robots"))), this.said()];
  }

  lost() {
    return ["amber", top("alert-triangle", "amber busy", say("lost_title"), say("lost_text")), this.said()];
  }

  refused() {
    const code = [4401, 4403, 4404, 4409].includes(this.store.closed) ? this.store.closed : 4404;
    return [code === 4409 ? "amber" : "red", top(code === 4409 ? "user" : "lock", code === 4409 ? "amber" : "red", say(`closed.${code}`), this.store.lesson.taken_by || say(`closed_text.${code}`)),
      h("div", { class: "answers" }, h("button", { class: "button primary", type: "button", data: { key: "again" }, onclick: () => this.actions.again() }, icon("refresh"), say("try_again")),
        h("a", { class: "button", href: this.store.at.workflow }, say("to_workflow")))];
  }

  over() {
    return ["green", top("circle-check", "green", say("over_title"), this.store.lesson.problem || say("over_text")),
      h("div", { class: "answers" }, h("a", { class: "button primary", href: this.store.at.workflow }, say("to_workflow")), h("a", { class: "button", href: this.store.at.teach }, icon("school"), say("teach_more")))];
  }

  /** What went wrong last, or was refused. */
  said() {
    const { trouble, told } = this.store;
    if (!trouble && told) return h("p", { class: "said", role: "status" }, icon("info-circle"), h("span", {}, told));
    return trouble ? h("p", { class: "said red-ink", role: "alert" }, icon("alert-circle"), h("span", {}, trouble)) : null;
  }
}

const nameField = (id, value) => h("input", { class: "input", id, value, pattern: "[A-Za-z_][A-Za-z0-9_]*", title: say("name_rule") });

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
    const facts = [isOver ? "" : say("draft"), lesson.robot && !isOver ? say(lesson.pictures ? "read_by" : "on_desktop", { name: lesson.robot }) : "", say("n_steps", { n: store.steps.length }), say("n_screens", { n: lesson.screens?.length ?? 0 })];
    text(find("#facts"), facts.filter(Boolean).join(" · "));
    const [colour, glyph, word] = badge(store);
    fill(find("#state"), h("span", { class: `badge-state ${colour}` }, icon(glyph), h("span", {}, word)));
    text(find("#saving"), store.saving ? say("saving") : "");
  });
}

function badge({ lesson, connection }) {
  if (lesson.state === "done") return ["green", "circle-check", say("state.done")];
  if (connection === "lost") return ["amber", "alert-triangle", say("state.lost")];
  if (connection === "refused") return ["red", "lock", say("state.refused")];
  if (lesson.state === "away" || !lesson.robot) return ["amber", "robot-off", say("state.away")];
  if (lesson.state === "waiting" || connection === "connecting") return ["grey", "hourglass", say("state.waiting")];
  return lesson.paused ? ["amber", "player-pause", say("state.paused")] : ["red", "circle", say("state.recording")];
}
