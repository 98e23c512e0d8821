/* The assistant beside the run: its briefing stands first; a command or a question goes out, the answer comes in lines of
   JSON as it is made. What the records say and what a model makes of it are kept apart; all of it is only ever set as text. */

import { all, announce, fill, find, h, icon, isTyping, text } from "../rpa_site/dom.js";
import { post } from "../rpa_site/post.js";
import { interpolate } from "../rpa_site/words.js";

const KEY = "q";
const NEAR_END = 48; // pixels from the end of the talk that still count as reading its end
const BETWEEN = 3000; // milliseconds from one briefing of a run that goes on to the next
const STEPS = /(?<!\p{L})(?:l’)?(?:steps?|étapes?)\s+\d+(?:(?:,\s*|\s+(?:and|et|or|ou)\s+)\d+)*/giu;
const NOTES = {
  records_only: gettext("No model is there to be asked, so this is from the records alone."),
  busy: gettext("A run needs the GPU now, so this is from the records alone."),
  interrupted: gettext("A run took the GPU in the middle of the answer."),
  failed: gettext("The model did not answer, so this is from the records alone."),
  disagreed: gettext("The model said of a step that it failed which did not, so what it said is left out."),
  stopped: gettext("You stopped the answer."),
};

export function assistantView(store) {
  const panel = find("#panel-ask");
  if (panel) new Assistant(store, panel);
}

class Assistant {
  constructor(store, panel) {
    Object.assign(this, { store, panel, messages: [], answer: null, isFetched: false, told: "" });
    this.scroll = find("#ask-scroll");
    this.briefing = find("#ask-briefing");
    this.commands = find("#ask-commands");
    this.talk = find("#ask-talk");
    this.form = find("#ask-form");
    this.field = find("#ask-text");
    this.tab = find("#tab-ask");
    this.sendButton = find("#ask-send");
    this.anewButton = find("#ask-anew");
    const { url, anew, status } = panel.dataset;
    this.urls = { url, anew, status };
    fill(this.anewButton, icon("refresh"));
    this.anewButton.title = gettext("Begin anew");
    this.anewButton.setAttribute("aria-label", gettext("Begin anew"));
    this.listen();
    store.onChange(() => {
      this.refreshDrafts();
      this.refreshBriefing();
    });
  }

  listen() {
    find("#ask-button").addEventListener("click", () => this.open());
    this.tab.addEventListener("click", () => this.fetch());
    this.tab.addEventListener("focus", () => this.fetch());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.answer) this.answer.stop.abort();
      else this.ask(this.field.value);
    });
    this.field.addEventListener("keydown", (event) => {
      event.stopPropagation(); // no key of the page while somebody writes
      if (event.key === "Escape") return void (this.opener ?? this.tab).focus();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.answer) this.ask(this.field.value);
    });
    this.anewButton.addEventListener("click", () => this.beginAnew());
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== KEY || isTyping(event) || event.repeat || this.store.correcting) return;
      event.preventDefault();
      this.open();
    });
  }

  async open() {
    this.opener = document.activeElement;
    this.tab.click();
    this.field.focus({ preventScroll: true });
    this.reveal();
    await this.fetching; // what came has its room now
    this.reveal();
  }

  reveal() {
    this.panel.scrollIntoView({ block: matchMedia("(max-width: 1199px)").matches ? "end" : "nearest" });
  }

  // --- what was said ---------------------------------------------------------------------------------------------------
  fetch() {
    if (!this.isFetched) this.fetching = this.fetchTalk();
    else requestAnimationFrame(() => this.refreshBriefing()); // the panel is shown by then
  }

  async fetchTalk() {
    this.isFetched = true; // it is on its way
    fill(this.briefing, h("span", { class: "skeleton line" }), h("span", { class: "skeleton line short" }));
    this.whoAnswers();
    try {
      const overview = await this.getOverview();
      this.messages = overview.messages;
      this.brief(overview);
      this.render();
    } catch (error) {
      this.isFetched = false;
      fill(this.briefing);
      fill(this.talk, this.trouble(interpolate(gettext("It could not be asked: %(why)s"), { why: error.message || gettext("The server was not reached. Check the connection, then try again.") }), () => this.fetch()));
    }
  }

  async getOverview() {
    this.told = this.standing();
    const response = await fetch(this.urls.url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).detail);
    return response.json();
  }

  /** What the briefing was told of: when it changes, the briefing is an old one. */
  standing() {
    const { store } = this;
    return JSON.stringify([store.execution.status, store.prompt?.prompt_id, store.steps.size, store.failedStep?.index]);
  }

  async refreshBriefing() {
    if (!this.isFetched || this.panel.hidden || this.isRefreshing || this.told === this.standing()) return;
    this.isRefreshing = true;
    try {
      this.brief(await this.getOverview());
    } catch {
      this.told = ""; // the connection is away, which the page says by itself; the next change tries again
    }
    setTimeout(() => {
      this.isRefreshing = false;
      this.refreshBriefing();
    }, BETWEEN);
  }

  brief({ briefing, commands }) {
    fill(this.briefing, h("dl", {}, briefing.map(({ title, text: words }) => [h("dt", { class: "overline" }, title), h("dd", {}, this.linked(words))])));
    fill(this.commands, commands.map(({ command, label }) => h("button", { class: "button slim", type: "button", title: command, onclick: () => this.ask(command) }, label)));
  }

  async whoAnswers() {
    const who = find("#ask-who");
    try {
      const { model, reason } = await (await fetch(this.urls.status, { headers: { Accept: "application/json" }, credentials: "same-origin" })).json();
      text(who, model ? interpolate(gettext("%(model)s answers questions, from the briefing"), { model }) : gettext("No model now: a question gets the briefing"));
      who.title = reason ?? "";
    } catch {
      text(who, "");
    }
  }

  async beginAnew() {
    try {
      await post(this.urls.anew, {});
      this.messages = [];
      this.render();
      this.field.focus();
    } catch (refusal) {
      this.talk.append(this.trouble(refusal.message));
    }
  }

  // --- asking ----------------------------------------------------------------------------------------------------------
  async ask(words) {
    const question = words.trim();
    if (!question || this.answer) return;
    this.field.value = "";
    const answer = { records: "", words: "", references: [], draft: {}, stop: new AbortController(), note: "", again: false };
    this.answer = answer;
    this.showBusy();
    await this.fetching; // what was said before comes first
    this.messages.push({ role: "user", records: question });
    this.render();
    this.reveal();
    try {
      await this.read(question, answer);
    } catch (error) {
      const stopped = error.name === "AbortError";
      answer.outcome = stopped ? "stopped" : "failed";
      answer.note = stopped ? NOTES.stopped : interpolate(gettext("It could not be asked: %(why)s"), { why: error.message || gettext("The server was not reached. Check the connection, then try again.") });
    }
    this.answer = null;
    this.messages.push({ role: "assistant", ...(answer.message ?? answer), outcome: answer.outcome, note: answer.note, question });
    this.render();
    this.showBusy();
    announce(answer.message?.records ?? answer.records ?? answer.note);
  }

  async read(question, answer) {
    const response = await fetch(this.urls.url, {
      method: "POST", credentials: "same-origin", signal: answer.stop.signal, body: JSON.stringify({ text: question }),
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": find('meta[name="csrf-token"]').content },
    });
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).detail);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line) this.take(answer, JSON.parse(line));
      if (done) break;
    }
    if (!answer.outcome) throw new Error(gettext("The server was not reached. Check the connection, then try again."));
  }

  take(answer, piece) {
    if (piece.kind === "records") Object.assign(answer, { records: piece.text, references: piece.references, draft: piece.draft });
    if (piece.kind === "text") Object.assign(answer, { words: answer.words + piece.text, again: false });
    if (piece.kind === "again") Object.assign(answer, { words: "", again: true });
    if (piece.kind === "end") Object.assign(answer, { message: piece.message, outcome: piece.outcome, note: piece.note });
    if (piece.kind === "error") throw new Error(piece.text);
    this.showAnswer();
  }

  // --- showing ---------------------------------------------------------------------------------------------------------
  render() {
    const atEnd = this.isAtEnd();
    const empty = !this.messages.length && !this.answer;
    fill(this.talk, this.messages.map((message, index) => this.message(message, index === this.messages.length - 1)));
    if (this.answer) {
      this.open_ = h("div", { class: "ask-answer" });
      this.talk.append(this.open_);
      this.showAnswer();
    }
    this.anewButton.hidden = empty || Boolean(this.answer);
    if (!empty && (atEnd || this.answer)) this.toEnd();
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroll;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  showBusy() {
    const busy = Boolean(this.answer);
    fill(this.sendButton, icon(busy ? "player-stop" : "send"), busy ? gettext("Stop the answer") : gettext("Ask"));
    this.sendButton.classList.toggle("primary", !busy);
    this.talk.setAttribute("aria-busy", String(busy));
  }

  showAnswer() {
    const { answer } = this;
    if (!answer) return;
    const atEnd = this.isAtEnd();
    const waits = answer.again ? gettext("Another model begins anew …") : answer.words ? "" : gettext("The model is being asked …");
    fill(this.open_, this.records(answer), answer.words ? this.words(answer) : null,
      waits ? h("p", { class: "ask-note ask-waits" }, icon("hourglass"), waits) : null);
    if (atEnd) this.toEnd();
  }

  message(message, isLast) {
    if (message.role === "user") return h("div", { class: "ask-question" }, h("span", { class: "visually-hidden" }, `${gettext("You")}: `), message.records);
    return h("div", { class: "ask-answer" },
      this.records(message), message.words ? this.words(message) : null, this.draft(message), this.notes(message, isLast));
  }

  records(message) {
    return message.records ? h("div", { class: "ask-records" }, message.records.split("\n").map((line) => h("p", {}, this.linked(line)))) : null;
  }

  words(message) {
    const by = message.model ? interpolate(gettext("In the words of %(model)s"), { model: message.model }) : "";
    return h("div", { class: "ask-words" }, h("p", {}, this.linked(message.words)), by ? h("p", { class: "ask-by" }, by) : null);
  }

  /** Where a step of this run is named, its number leads to it. */
  linked(words) {
    const parts = [];
    let at = 0;
    for (const found of words.matchAll(STEPS)) {
      parts.push(words.slice(at, found.index));
      const [first, ...more] = found[0].split(/(?<=\d)(?=\D)|(?<=\D)(?=\d)(?<!^\D+)/);
      parts.push(this.stepLink(Number(first.match(/\d+/)[0]), first));
      for (const piece of more) parts.push(/^\d+$/.test(piece) ? this.stepLink(Number(piece), piece) : piece);
      at = found.index + found[0].length;
    }
    return [...parts, words.slice(at)];
  }

  stepLink(index, words) {
    if (!this.store.steps.has(index)) return words;
    return h("button", { class: "ask-step", type: "button", title: interpolate(gettext("Show step %(n)s"), { n: index }), onclick: () => this.show(index) }, words);
  }

  show(index) {
    const { store } = this;
    const isNow = store.prompt?.step.index === index;
    store.set({ selected: isNow ? null : { index, side: "before" }, correcting: isNow && store.correcting });
    if (matchMedia("(max-width: 1199px)").matches) find("#stage").scrollIntoView({ block: "start" });
  }

  // --- a drafted correction --------------------------------------------------------------------------------------------
  draft(message) {
    if (!message.draft?.prompt_id) return null;
    const element = h("div", { class: "ask-draft", data: { prompt: message.draft.prompt_id } });
    element.draft = message.draft;
    this.fillDraft(element);
    return element;
  }

  isOpen(draft) {
    return this.store.isAsking && this.store.prompt.prompt_id === draft.prompt_id;
  }

  fillDraft(element) {
    const { draft } = element;
    const isOpen = this.isOpen(draft);
    element.dataset.open = String(isOpen);
    const use = isOpen && this.store.me.may_operate
      ? [h("button", { class: "button", type: "button", onclick: () => this.use(draft) }, icon("pencil"), gettext("Use this correction")), h("span", { class: "muted small" }, gettext("It fills the form. You look at it and send it."))]
      : h("span", { class: "muted small" }, isOpen ? interpolate(gettext("Sending it takes the role “%(role)s”."), { role: find("#question").dataset.roleNeeded }) : gettext("The question was answered; this draft is over."));
    fill(element, h("strong", {}, icon("pencil"), gettext("Draft of a correction")), h("p", {}, draft.words), h("div", { class: "ask-use" }, use));
  }

  refreshDrafts() {
    for (const element of all(".ask-draft", this.talk)) if (element.dataset.open !== String(this.isOpen(element.draft))) this.fillDraft(element);
  }

  /** Fills the form of the page; the person looks at it, and sends it or not. */
  use(draft) {
    this.store.setNow({ correcting: false });
    this.store.setNow({ correcting: true, selected: null, answer: null, draft });
    find("#question").scrollIntoView({ block: matchMedia("(max-width: 767px)").matches ? "start" : "nearest" });
  }

  // --- small words -----------------------------------------------------------------------------------------------------
  notes(message, isLast) {
    const { dropped = {}, attempts = [] } = message;
    const n = dropped.messages?.length;
    const failures = attempts.filter((attempt) => attempt.error);
    const tried = failures.map((attempt) => attempt.reason);
    const first = message.model ? failures.find((attempt) => attempt.model && attempt.model !== message.model) : null;
    const outcome = message.outcome ?? outcomeOf(message);
    const troubled = outcome && outcome !== "answered";
    const note = message.note || (troubled ? NOTES[outcome] : "");
    const again = isLast && message.question && ["failed", "busy", "interrupted", "disagreed"].includes(outcome);
    return [
      note ? h("p", { class: `ask-note${outcome === "failed" ? " warn" : ""}`, title: tried.join(" ") }, icon(outcome === "failed" ? "alert-circle" : "circle-minus"), h("span", {}, note),
        again ? h("button", { class: "link-button", type: "button", onclick: () => this.ask(message.question) }, gettext("Ask again")) : null) : null,
      first ? h("p", { class: "ask-note" }, icon("switch-horizontal"), interpolate(gettext("%(model)s was asked first: %(reason)s"), { model: first.model, reason: first.reason || first.error })) : null,
      n ? h("p", { class: "ask-note" }, icon("fold"), interpolate(ngettext("The model no longer saw the first message.", "The model no longer saw the first %(n)s messages.", n), { n })) : null,
    ];
  }

  trouble(words, retry = null) {
    return h("p", { class: "ask-note warn", role: "alert" }, icon("alert-circle"), h("span", {}, words),
      retry ? h("button", { class: "link-button", type: "button", onclick: retry }, gettext("Ask again")) : null);
  }
}

/** How an answer of an earlier visit came to its end. */
function outcomeOf({ model, words, attempts = [] }) {
  const error = attempts.at(-1)?.error;
  if (model || !attempts.length) return "";
  if (error === "GpuBusy") return words ? "interrupted" : "busy";
  if (error === "NoModelFits") return "records_only";
  return error ? "failed" : words ? "stopped" : "disagreed";
}
