/* The feed: what happened, newest first, in words. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { clock, interpolate, say, word } from "../../rpa_site/words.js";
import { emphasised, named } from "./sentence.js";

const ICONS = {
  state: ["activity", "muted"], step: ["circle-check", "green-ink"], prompt: ["message-question", "blue-ink"], decision: ["user-check", "blue-ink"],
  degraded: ["gauge", "amber-ink"], drift_detected: ["trending-down", "amber-ink"], error: ["alert-circle", "red-ink"],
  resource_changed: ["cpu", "muted"], idle_unload: ["zzz", "muted"],
  control: ["hand-finger", "blue-ink"], wish: ["user-check", "blue-ink"], mode_changed: ["switch-horizontal", "blue-ink"], version_changed: ["school", "blue-ink"],
};
const STEP_ICONS = { failed: ["alert-circle", "red-ink"], rejected: ["circle-x", "red-ink"], skipped: ["player-skip-forward", "muted"], interrupted: ["circle-minus", "muted"], manual: ["hand-finger", "blue-ink"], observed: ["eye", "muted"] };

export function eventsView(store) {
  const panel = find("#panel-events");
  const feed = h("ol", { class: "feed" });
  let newest = -1;
  store.onChange(() => {
    const events = told(store.events);
    const last = events.at(-1)?.seq ?? 0;
    if (last === newest) return;
    const fresh = newest < 0 ? [] : events.filter((event) => event.seq > newest);
    if (newest < 0 || fresh.length > 50) fill(feed, events.toReversed().map((event) => row(store, event)));
    else for (const event of fresh) feed.prepend(row(store, event, "slide-in"));
    newest = last;
    fill(panel, events.length ? feed : h("p", { class: "muted" }, gettext("Nothing has happened yet.")));
  });
}

/** A state is news only when it differs from the one before, a question when it is asked: not when somebody holds it. */
function told(events) {
  let state = "";
  const asked = new Set();
  return events.filter((event) => {
    if (event.kind === "prompt") {
      const { prompt_id: id } = event.payload;
      const isAgain = asked.has(id);
      asked.add(id);
      return !isAgain;
    }
    if (event.kind !== "state") return true;
    const now = `${event.payload.status}${event.payload.pause_reason ?? ""}`;
    const isNews = now !== state;
    state = now;
    return isNews;
  });
}

function row(store, event, css = "") {
  const [name, colour] = (event.kind === "step" && STEP_ICONS[event.payload.outcome]) || ICONS[event.kind] || ["point", "muted"];
  return h("li", { class: css }, icon(name, colour), h("span", { class: "what" }, words(store, event)), h("time", { datetime: event.at, title: new Date(event.at).toLocaleString(document.documentElement.lang) }, clock(event.at)));
}

function words(store, { kind, payload }) {
  if (kind === "state") return stateWords(payload);
  if (kind === "step") {
    const sentence = interpolate(gettext("Step %(n)s: %(sentence)s: %(outcome)s"), { n: payload.index, sentence: payload.sentence || store.nodeName(payload.node_id), outcome: word("outcome", payload.outcome) });
    return h("button", { type: "button", onclick: () => store.goTo ? store.goTo(payload.index) : store.steps.has(payload.index) && store.set({ selected: { index: payload.index, side: "before" }, correcting: false }) }, emphasised(sentence));
  }
  if (kind === "prompt") return emphasised(interpolate(gettext("Asked: %(sentence)s"), { sentence: payload.step?.sentence || payload.message || "" }));
  if (kind === "decision") {
    if (payload.source === "policy") return unanswered(payload.choice, Math.round(payload.timeout_s ?? 0));
    const who = named(payload.decided_by, payload.origin);
    if (payload.source === "stop") return interpolate(gettext("%(who)s stopped the run."), { who });
    return say(`answered.${payload.choice}`, { who }) + (payload.feedback ? ` ${interpolate(gettext("“%(text)s”"), { text: payload.feedback })}` : "");
  }
  if (kind === "control") return controlWords(payload);
  if (kind === "wish") return wishWords(payload);
  if (kind === "mode_changed") return interpolate(gettext("%(who)s changed the mode: %(was)s → %(mode)s"), { who: named(payload.by, payload.origin), was: word("mode", payload.was), mode: word("mode", payload.mode) });
  if (kind === "version_changed") return interpolate(gettext("%(who)s mended the workflow: the run goes on with version %(version)s instead of %(was)s"), { who: named(payload.by, payload.origin), was: payload.was, version: payload.version });
  if (kind === "degraded") return interpolate(gettext("Degraded: %(reason)s"), { reason: payload.reason });
  if (kind === "drift_detected") return payload.message || interpolate(gettext("Drift on “%(name)s”"), { name: store.nodeName(payload.node_id) });
  if (kind === "error") return payload.message ?? "";
  if (kind === "resource_changed" || kind === "idle_unload") return payload.message;
  return kind;
}

const unanswered = (choice, n) => interpolate(choice === "skip"
  ? ngettext("Nobody answered in %(n)s second: skipped.", "Nobody answered in %(n)s seconds: skipped.", n)
  : ngettext("Nobody answered in %(n)s second: rejected.", "Nobody answered in %(n)s seconds: rejected.", n), { n });

/** What somebody did who has control; of what they typed nobody knows more than how much. */
function controlWords({ by: who, act, at, on, keys, length: n, failed }) {
  const [x, y] = (at ?? [0, 0]).map((part) => Math.round(part * 100));
  const where = on ? interpolate(gettext("“%(text)s”"), { text: on }) : interpolate(gettext("at %(x)s %%, %(y)s %%"), { x, y });
  const did = say(`did.${act}`, { who, where, keys, n });
  return failed ? interpolate(gettext("%(label)s: %(what)s"), { label: did, what: failed }) : did;
}

function wishWords({ verb, by, origin, detail }) {
  const who = named(by, origin);
  if (verb === "resume" && detail?.node_name) return interpolate(gettext("%(who)s resumed the run: the screen is “%(name)s”"), { who, name: detail.node_name });
  if (verb === "resume" && detail?.press) return interpolate(gettext("%(who)s chose “%(name)s” in the dialog"), { who, name: detail.press });
  return say(`event_wish.${verb}`, { who });
}

function stateWords(payload) {
  const state = word("state", payload.status);
  const reason = payload.pause_reason ? interpolate(gettext("%(label)s: %(what)s"), { label: state, what: word("pause_reason", payload.pause_reason) }) : state;
  return interpolate(gettext("State: %(state)s"), { state: reason });
}
