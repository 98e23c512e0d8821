/* Why: which screen and how sure, each sign of the target, the taught picture beside the found one, and the times. */

import { fill, find, h, icon } from "../../rpa_site/dom.js";
import { interpolate, milliseconds, say, score, word } from "../../rpa_site/words.js";
import { mendLink } from "./mend.js";
import { messageOf, robotTime } from "./sentence.js";

const RUNGS = ["coords_cache", "anchor_template", "ocr_text", "som_text_match", "som_vlm"];
const TIMES = {
  capture_ms: gettext("look"),
  ocr_ms: gettext("read"),
  ui_ms: gettext("detect"),
  match_ms: gettext("recognise"),
  resolve_ms: gettext("find"),
  act_ms: gettext("act"),
  look_ms: gettext("read again"),
  verify_ms: gettext("check"),
};

export function whyView(store) {
  const panel = find("#panel-why");
  const why = find("#why");
  let shown = "";
  store.onChange(() => {
    const step = store.focus;
    const paused = store.execution.status === "paused" && !store.selected ? store.execution.pause_detail : null;
    const signature = JSON.stringify([step?.index, step?.phase, step?.outcome, step?.suggestion?.box, step?.score, step?.total_ms, step?.candidates?.length, paused]);
    if (signature === shown) return;
    shown = signature;
    const top = panel.scrollTop;
    if (paused?.candidates?.length) fill(why, block(gettext("Screen"), candidates(store, paused.candidates, paused.picture)));
    else if (step?.pause) fill(why, step.candidates?.length ? [title(), block(gettext("Screen"), candidates(store, step.candidates, step.picture_before))] : []);
    else if (!step) fill(why, h("p", { class: "muted" }, gettext("Why it does what it does shows here once there is a step.")));
    else fill(why, steps(store, step));
    panel.scrollTop = top;
  });
}

const title = () => h("h3", { class: "why-title" }, gettext("What it rests on"));

const steps = (store, step) => [
  store.viewing ? title() : null,
  screenBlock(store, step),
  targetBlock(store, step),
  pairBlock(store, step),
  resultBlock(step),
  betweenBlock(store, step),
  store.viewing ? null : block(gettext("This turn"), times(step)), // drawn as bars there
  step.picture_before && !store.viewing ? h("p", {}, mendLink(store, step.index, "slim")) : null,
];

const block = (title, ...content) => h("section", { class: "why-block" }, h("h3", { class: "overline" }, title), content);

function bar(value, colour = "") {
  return h("div", { class: `bar ${colour}`, "aria-hidden": "true" }, h("i", { style: { width: `${Math.round(Math.min(1, Math.max(0, value ?? 0)) * 100)}%` } }));
}

// --- which screen ----------------------------------------------------------------------------------------------------
function screenBlock(store, step) {
  const match = step.recognition?.match;
  if (!match) return null;
  const next = match.runner_up
    ? interpolate(gettext("Next best: “%(name)s”, %(score)s."), { name: store.nodeName(match.runner_up), score: score(match.runner_up_confidence) })
    : gettext("No other screen comes near.");
  return block(gettext("Screen"),
    h("p", { class: "why-line" }, h("span", {}, store.nodeName(match.node_id)), h("span", {}, score(match.confidence))),
    bar(match.confidence, match.confidence >= 0.75 ? "green" : "amber"),
    h("p", { class: "muted" }, next),
    reasons(match.reasons),
    compared(store, match.node_id, step.picture_before));
}

/** To the page that shows the taught picture of a screen beside the one that was seen. */
function compared(store, node, seen) {
  const taught = store.nodes.get(node)?.picture;
  if (!taught || !seen || !store.run.beside) return null;
  const url = store.run.beside.replace("0".repeat(64), taught).replace("1".repeat(64), seen);
  return h("p", { class: "small" }, h("a", { href: url }, icon("eye"), " ", gettext("Compare with the taught screen")));
}

function reasons(list) {
  if (!list?.length) return null;
  return h("dl", { class: "signs" }, list.map((reason) => [
    h("dt", {}, word("signs", reason.sign)),
    h("dd", {}, reason.note || (reason.score === null ? gettext("not tried") : "")),
    h("dd", { class: "number" }, score(reason.score)),
  ]));
}

function candidates(store, list, seen) {
  return list.map((match) => h("div", { class: "why-block" },
    h("p", { class: "why-line" }, h("span", {}, match.name ?? store.nodeName(match.node_id)), h("span", {}, score(match.confidence))),
    bar(match.confidence, "amber"),
    reasons(match.reasons),
    compared(store, match.node_id, seen)));
}

// --- the target, by sign ---------------------------------------------------------------------------------------------
function targetBlock(store, step) {
  const suggestion = step.suggestion ?? {};
  if (!suggestion.status) return null;
  if (suggestion.status === "not_needed") return block(gettext("Target, by sign"), h("p", { class: "muted" }, gettext("This action has no target.")));
  const evidence = new Map((suggestion.evidence ?? []).map((rung) => [rung.rung, rung]));
  const names = [...RUNGS, ...[...evidence.keys()].filter((name) => !RUNGS.includes(name))];
  return block(gettext("Target, by sign"),
    h("dl", { class: "signs" }, names.map((name) => rungRow(name, evidence.get(name), suggestion))),
    suggestion.message && suggestion.status !== "found" ? h("p", { class: "muted" }, suggestion.message) : null);
}

function rungRow(name, rung, suggestion) {
  const won = name === suggestion.rung;
  const words = say(`rungs.${name}`) || name;
  const found = rung && (rung.status === "found" || rung.status === "ambiguous");
  const what = !rung ? (suggestion.status === "found" ? gettext("not needed") : gettext("not tried"))
    : found ? [bar(rung.score, rung.status === "ambiguous" ? "amber" : ""), rung.status === "ambiguous" ? h("span", { class: "small" }, rung.note || gettext("two alike")) : null]
      : rung.note || gettext("not found");
  return [h("dt", { class: won ? "won" : "", title: name }, words), h("dd", {}, what), h("dd", { class: "number" }, found ? score(rung.score) : "–")];
}

// --- taught and found ------------------------------------------------------------------------------------------------
function pairBlock(store, step) {
  const { target, box } = step.suggestion ?? {};
  if (!target) return null;
  const taught = target.picture ? h("img", { src: store.pictureUrl(target.picture), alt: gettext("Taught") }) : h("span", { class: "small muted" }, gettext("No picture was taught."));
  const canvas = box ? h("canvas", { role: "img", "aria-label": gettext("Found now") }) : h("span", { class: "small muted" }, gettext("not found"));
  if (box) cut(canvas, store.pictureUrl(step.picture_before), around(store.edges.get(step.edge_id), box, target));
  const flat = box && aspect(store, step, box) > 2;
  return block(gettext("Taught and found"),
    h("div", { class: flat ? "pair flat" : "pair" },
      h("figure", {}, h("figcaption", {}, gettext("Taught")), h("div", { class: "crop" }, taught)),
      h("figure", {}, h("figcaption", {}, gettext("Found now")), h("div", { class: "crop" }, canvas))));
}

/** Wide things are shown one above the other: side by side they would be too small to read. */
function aspect(store, step, box) {
  const [, , w, hgt] = around(store.edges.get(step.edge_id), box, step.suggestion.target);
  const image = find("#frame");
  return (w * (image.naturalWidth || 16)) / (hgt * (image.naturalHeight || 10));
}

const MARGIN = 0.012; // of the picture's width, around what was taught without its surroundings

/** The found box with the same surroundings as the taught picture has; in any case whole, with a margin. */
function around(edge, [x, y, w, h_], target) {
  const [mx, my] = [MARGIN, MARGIN * 1.6];
  if (!edge?.has_context || !edge.box || !edge.context_box || !target.picture) return [x - mx, y - my, w + mx * 2, h_ + my * 2];
  const [tx, ty, tw, th] = edge.box;
  const [cx, cy, cw, ch] = edge.context_box;
  const left = x - Math.max(mx, tx - cx);
  const top = y - Math.max(my, ty - cy);
  const right = x + w + Math.max(mx, cx + cw - tx - tw);
  const bottom = y + h_ + Math.max(my, cy + ch - ty - th);
  return [left, top, right - left, bottom - top];
}

export async function cut(canvas, url, box) {
  const [x, y] = [Math.max(0, box[0]), Math.max(0, box[1])]; // nothing of it lies outside the picture
  const [w, h_] = [Math.min(1, box[0] + box[2]) - x, Math.min(1, box[1] + box[3]) - y];
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
  } catch {
    return;
  }
  const [iw, ih] = [image.naturalWidth, image.naturalHeight];
  const [sw, sh] = [Math.max(1, w * iw), Math.max(1, h_ * ih)];
  Object.assign(canvas, { width: sw, height: sh });
  canvas.getContext("2d").drawImage(image, x * iw, y * ih, sw, sh, 0, 0, sw, sh);
}

// --- what came of it, and how long it took ---------------------------------------------------------------------------
function resultBlock(step) {
  if (step.phase !== "closed") return null;
  const verified = step.verified ? word("verified", step.verified) : "";
  return block(gettext("What came of it"),
    h("p", {}, h("strong", {}, word("outcome", step.outcome)), verified ? `, ${verified}` : "", step.retries ? `, ${interpolate(ngettext("%(n)s retry", "%(n)s retries", step.retries), { n: step.retries })}` : ""),
    step.message ? h("p", { class: "muted" }, messageOf(step)) : null,
    reasons(step.verification?.evidence));
}

/** What showed between the act and a failure or a doubt: a message may have come and gone. */
function betweenBlock(store, step) {
  if (!step.just_before?.length) return null;
  return block(gettext("In between"), h("div", { class: "between" }, step.just_before.map((digest, index) =>
    h("a", { href: store.pictureUrl(digest), target: "_blank", rel: "noopener" }, h("img", { src: store.pictureUrl(digest), loading: "lazy", alt: interpolate(gettext("What showed in between, picture %(n)s"), { n: index + 1 }) })))));
}

function times(step) {
  const rows = Object.keys(TIMES).filter((name) => step[name] > 0 || name === "capture_ms" || name === "ocr_ms");
  const value = (name) => {
    if (name !== "ocr_ms" || step.ocr_ms > 0) return milliseconds(step[name]);
    return step.degraded ? gettext("not read: degraded") : gettext("from memory");
  };
  return h("dl", { class: "times" },
    rows.map((name) => [h("dt", {}, TIMES[name]), h("dd", {}, value(name))]),
    step.total_ms ? [h("dt", { class: "sum" }, gettext("the robot in all")), h("dd", { class: "sum" }, milliseconds(robotTime(step)))] : null,
    step.waited_ms > 0 ? [h("dt", {}, gettext("waiting for a person")), h("dd", {}, milliseconds(step.waited_ms))] : null);
}

