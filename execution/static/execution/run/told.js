/* What is told of one step: five sentences under the picture; beside it times, earlier runs, corrections, attempts, marks. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { post } from "../../rpa_site/post.js";
import { interpolate, milliseconds, score, word } from "../../rpa_site/words.js";
import { mendLink } from "../live/mend.js";
import { emphasised, named } from "../live/sentence.js";

const COLOURS = { failed: "red", rejected: "red", interrupted: "amber", doubt: "amber", asked: "amber", paused: "amber", retried: "amber", unverified: "amber", ended: "amber", degraded: "amber", corrected: "blue", skipped: "" };
const PROBLEMS = {
  failed: gettext("This step failed."),
  rejected: gettext("This step was rejected."),
  interrupted: gettext("This step was begun and not carried out."),
  doubt: gettext("Nobody knows whether this step was done."),
  asked: gettext("A person had to help here."),
  retried: gettext("It took more than one try."),
  unverified: gettext("It was done, and nothing on the screen proved it."),
  corrected: gettext("A person corrected what was meant."),
  skipped: gettext("It was skipped."),
  degraded: gettext("It was done while the run saw less than usual."),
  ended: gettext("The run ended here."),
  paused: gettext("The run stood still here: no step was begun on this screen."),
};
const MARKS = [["correct", "check", gettext("Was right")], ["incorrect", "x", gettext("Was wrong")], ["partial", "equal", gettext("In part")]];

export function storyView(store) {
  const place = find("#story");
  let shown;
  return () => {
    const told = store.told;
    const key = told?.story ? told : `${store.selected?.index}${told?.failed}`;
    if (key === shown) return;
    shown = key;
    const step = store.focus;
    place.className = `panel run-story ${COLOURS[step?.problem] ?? "green"}`;
    if (told?.failed) return void fill(place, h("p", { class: "muted" }, gettext("The server was not reached. Check the connection, then try again.")));
    if (!told?.story) return void fill(place, waiting(step));
    fill(place, h("dl", { class: "story" }, told.story.map((part) => h("div", { class: `story-part story-${part.key}` },
      h("dt", { class: "overline" }, part.title),
      h("dd", {}, h("p", { class: "story-lead" }, emphasised(part.lead)), part.more.map((more) => h("p", { class: "story-more" }, emphasised(more))))))));
  };
}

/** While it is asked for, what is known already has its place. */
const waiting = (step) => h("p", { class: "story-lead muted" }, emphasised(step?.sentence ?? ""));

export function toldView(store, viewer) {
  const place = find("#told");
  let shown;
  return () => {
    const told = store.told;
    if (told === shown) return;
    shown = told;
    if (!told?.story) return;
    const isProblem = Boolean(store.steps.get(told.step.index)?.problem); // then what is otherwise than usual comes first
    fill(place, [problem(store, told), isProblem ? difference(store, told) : null, corrections(told), attempts(store, viewer, told), times(told), earlier(store, told),
      isProblem ? null : difference(store, told), marks(store, viewer, told), handOn(store, viewer, told)]);
    find("#panel-why").scrollTop = 0;
  };
}

const block = (title, ...content) => h("section", { class: "why-block" }, h("h3", { class: "overline" }, title), content);

/** What was the matter, in a line, where something was. */
function problem(store, told) {
  const row = store.steps.get(told.step.index);
  if (!row?.problem) return null;
  return h("p", { class: `step-problem ${COLOURS[row.problem]}` }, icon("alert-triangle"), h("span", {}, PROBLEMS[row.problem]));
}

// --- times ---------------------------------------------------------------------------------------------------------------
function times({ times: { bars, total_ms: whole, ocr_ms: text, ui_ms: elements } }) {
  if (!bars.length) return null;
  let at = 0;
  const rows = bars.map(({ label, ms, kind, name }) => {
    const left = (at / whole) * 100;
    at += ms;
    const title = name === "analyze_ms" ? interpolate(gettext("text %(text)s, elements %(elements)s"), { text: milliseconds(text), elements: milliseconds(elements) }) : null;
    return h("div", { class: "time-row", title },
      h("dt", {}, name === "verify_ms" ? interpolate(gettext("%(label)s: %(what)s"), { label, what: kind === "no" ? gettext("no") : gettext("yes") }) : label),
      h("dd", { class: "time-track", "aria-hidden": "true" }, h("i", { class: `time-${kind}`, style: { left: `${left}%`, width: `${Math.max(0.8, (ms / whole) * 100)}%` } })),
      h("dd", { class: "time-ms" }, milliseconds(ms)));
  });
  return block(gettext("Where the time went"), h("dl", { class: "time-bars" }, rows,
    h("div", { class: "time-row sum" }, h("dt", {}, gettext("the step in all")), h("dd", {}), h("dd", { class: "time-ms" }, milliseconds(whole)))));
}

// --- the same step in earlier runs ----------------------------------------------------------------------------------------
function earlier(store, told) {
  const { rows, said } = told.earlier;
  if (!told.step.edge_id) return null;
  const now = { number: null, picture: told.step.picture_before, box: told.step.suggestion?.box, score: told.step.score, outcome: told.step.outcome };
  const crops = rows.length ? h("ol", { class: "earlier" }, [now, ...rows].map((row) => crop(store, row))) : null;
  return block(gettext("The same step in earlier runs"), crops, h("p", { class: "muted" }, said));
}

function crop(store, { number, picture, box, score: value, outcome, url, at }) {
  const when = at ? new Date(at).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "short" }) : gettext("now");
  const image = picture ? h("img", { src: store.partUrl(picture, { box: box ? around(box) : null, width: 120 }), alt: "", loading: "lazy" }) : null;
  image?.addEventListener("error", () => image.remove(), { once: true });
  const bad = outcome !== "succeeded" && outcome !== "manual";
  const inside = [h("span", { class: `earlier-crop${bad ? " bad" : ""}` }, image), h("span", { class: "earlier-when" }, when), h("span", { class: "earlier-score" }, box ? score(value) : word("outcome", outcome))];
  return h("li", {}, url ? h("a", { href: url, title: interpolate(gettext("run %(n)s"), { n: number }) }, inside) : inside);
}

/** A box with some of what stands around it. */
const around = ([x, y, w, hgt]) => [Math.max(0, x - w * 0.4), Math.max(0, y - hgt * 0.6), Math.min(1, w * 1.8), Math.min(1, hgt * 2.2)];

function difference(store, told) {
  const found = told.difference;
  if (!found) return null;
  const here = found.index ? h("a", { href: store.run.step.replace(store.run.id, found.run).replace("/steps/0", `/steps/${found.index}`) }, interpolate(gettext("run %(n)s, step %(step)s"), { n: found.number, step: found.index })) : interpolate(gettext("run %(n)s"), { n: found.number });
  const first = found.first === null ? gettext("both went the same way, step for step") : found.first === told.step.index ? gettext("this is the first step that went another way") : h("a", { href: store.run.step.replace("/steps/0", `/steps/${found.first}`) }, interpolate(gettext("the first step that went another way is step %(n)s"), { n: found.first }));
  const crops = found.box && found.picture ? h("div", { class: "pair flat" }, [[interpolate(gettext("Then, run %(n)s"), { n: found.number }), found.picture], [gettext("In this run"), told.step.picture_before]].map(([caption, digest]) =>
    h("figure", {}, h("figcaption", {}, caption), h("div", { class: "crop" }, h("img", { src: store.partUrl(digest, { box: around(found.box), width: 480 }), alt: caption, loading: "lazy" }))))) : null;
  return block(gettext("Against the last run that went well"), h("p", {}, found.said.flatMap((one, n) => [n ? " " : "", ...emphasised(one)])), crops, h("p", { class: "muted small" }, here, " · ", first));
}

// --- corrections, attempts ------------------------------------------------------------------------------------------------
function corrections({ corrections: found }) {
  if (!found.length) return null;
  return block(gettext("Corrected"), found.map(({ rows, reason, by }) => h("div", { class: "correction" },
    h("dl", {}, rows.map(({ what, old, new: now }) => h("div", {}, h("dt", {}, what), h("dd", {}, old ? h("del", {}, old) : null, old ? " → " : "", h("ins", {}, now))))),
    reason || by ? h("p", { class: "muted small" }, [by, reason ? interpolate(gettext("“%(text)s”"), { text: reason }) : ""].filter(Boolean).join(": ")) : null)));
}

function attempts(store, viewer, { attempts: found, step }) {
  if (found.length < 2) return null;
  return block(gettext("Attempts"), h("ol", { class: "attempts" }, found.map((one, n) => {
    const image = one.picture ? h("img", { src: store.partUrl(one.picture, { width: 240 }), alt: "", loading: "lazy" }) : null;
    image?.addEventListener("error", () => image.remove(), { once: true }); // no longer kept
    const inside = [image, h("strong", {}, interpolate(gettext("Attempt %(n)s"), { n: n + 1 })), h("span", { class: "small" }, `${word("outcome", one.outcome)} · ${milliseconds(one.ms)}`), h("span", { class: "small muted" }, one.said)];
    return h("li", {}, one.index === step.index ? h("div", { class: "attempt" }, inside) : h("button", { class: "attempt", type: "button", onclick: () => viewer.goTo(one.index) }, inside));
  })));
}

// --- right or wrong, and what can be done with it ----------------------------------------------------------------------------
function marks(store, viewer, told) {
  const { step, marks: given } = told;
  if (step.phase !== "closed") return null;
  const newest = given[0];
  const said = newest ? h("p", { class: "muted small" }, interpolate(gettext("%(who)s: %(word)s."), { who: named(newest.by, newest.origin), word: word("feedback", newest.feedback) }), newest.reason ? ` ${interpolate(gettext("“%(text)s”"), { text: newest.reason })}` : "") : null;
  if (!store.me.may_operate) return said ? block(gettext("Was it right?"), said) : null;
  const reason = h("input", { class: "input", type: "text", maxlength: "2000", "aria-label": gettext("Why? (one line, optional)"), placeholder: gettext("Why? (one line, optional)") });
  const refusal = h("p", { class: "field-error", role: "alert", hidden: true });
  const give = async (feedback) => {
    try {
      await post(store.run.mark.replace("/steps/0/", `/steps/${step.index}/`), { feedback, reason: reason.value });
    } catch (refused) {
      refusal.hidden = false;
      return void fill(refusal, icon("alert-circle"), refused.message);
    }
    store.steps.get(step.index).mark = feedback;
    viewer.askAgain(step.index);
  };
  return block(gettext("Was it right?"), h("div", { class: "marks" }, MARKS.map(([feedback, name, words]) => h("button", { class: "button slim", type: "button", data: { mark: feedback }, "aria-pressed": String(newest?.feedback === feedback), onclick: () => give(feedback) }, icon(name), words))), told.keeps_words ? reason : null, refusal, said);
}

function handOn(store, viewer, told) {
  const { again, step } = told;
  const start = !store.me.may_operate || !again ? null : again.url ? h("a", { class: "button slim", href: again.url }, icon("player-play"), interpolate(gettext("Start again from step %(n)s"), { n: step.index })) : h("p", { class: "muted small" }, icon("player-stop"), ` ${gettext("A run cannot start here.")} ${again.why_not}`);
  const copied = h("span", { class: "muted small", role: "status" });
  const link = h("button", { class: "button slim", type: "button", onclick: async () => {
    await navigator.clipboard?.writeText(new URL(viewer.address(step.index), location.href).href).catch(() => null);
    fill(copied, gettext("The link is copied."));
  } }, icon("link"), gettext("Copy link"));
  const file = Number.isInteger(step.index) ? h("a", { class: "button slim", href: store.run.step_export.replace("/steps/0", `/steps/${step.index}`), download: "" }, icon("download"), gettext("Step as file")) : null;
  return block(gettext("Go on from here"), h("div", { class: "marks" }, start, Number.isInteger(told.mend) ? mendLink(store, told.mend, "slim") : null, file, link, copied), again?.url && store.me.may_operate ? h("p", { class: "muted small" }, gettext("It looks at the desktop first, and stands still where another screen shows.")) : null);
}

