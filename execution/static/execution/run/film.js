/* The film: a small picture for each step with how it went under it, and the whole run on one line by the clock. */

import { find, fill, h, reducedMotion, text } from "../../rpa_site/dom.js";
import { clock, duration, interpolate, word } from "../../rpa_site/words.js";
import { robotTime } from "../live/sentence.js";

const CELL = 100; // pixels, of which the gap between two
const GAP = 6;
const WIDEST = 420;
const FOLD_MS = 8000; // a wait that is longer is drawn as long as this, with a fold
const COLOURS = { done: "green", corrected: "blue", manual: "blue", failed: "red", rejected: "red", unsure: "amber", retried: "amber", skipped: "ink-3", observed: "ink-3", now: "amber" };

/** How a step went, as the film shows it. */
const look = (step) => (step.cell === "done" && step.problem === "retried" ? "retried" : (step.cell ?? "done"));

export function filmView(store, viewer) {
  const strip = find("#film-strip");
  const steps = () => viewer.order.map((index) => store.steps.get(index));
  const cells = new Map();
  const pictures = new Map(); // digest -> its small picture: loaded once, however often it comes into sight
  const coming = new WeakSet(); // cells of steps whose picture and sentence are still on their way
  let wide = false;
  let lefts = [];
  let shown = null;
  const room = h("div", { class: "film-room" });
  fill(strip, room);
  layOut();
  strip.addEventListener("scroll", () => requestAnimationFrame(fillRoom), { passive: true });
  new ResizeObserver(() => (fillRoom(), drawClock(store, steps()))).observe(strip);
  document.addEventListener("surehand:theme", () => drawClock(store, steps()));
  clockClicks(store, viewer, steps);

  const toggle = h("button", { class: "link-button small", type: "button", "aria-pressed": "false", onclick: () => {
    wide = !wide;
    toggle.setAttribute("aria-pressed", String(wide));
    layOut();
    fillRoom();
    bring(true);
  } }, gettext("Slow steps wider"));
  find("#film-words").before(toggle);
  text(find("#film-words"), inWords(steps()));
  performance.mark("film"); // from here on it can be walked
  drawClock(store, steps());

  function layOut() {
    lefts = [0];
    for (const step of steps()) lefts.push(lefts.at(-1) + (wide ? Math.min(WIDEST, CELL + robotTime(step) / 40) : CELL));
    room.style.width = `${lefts.at(-1)}px`;
    for (const cell of cells.values()) cell.remove();
    cells.clear();
  }

  /** Only what is in sight, and a little beside it, is on the page. */
  function fillRoom() {
    const [from, to] = [strip.scrollLeft - CELL * 3, strip.scrollLeft + strip.clientWidth + CELL * 3];
    const wanted = new Set();
    for (let n = firstAt(lefts, from); n < viewer.order.length && lefts[n] < to; n += 1) wanted.add(n);
    if (wanted.size) viewer.need(Math.min(...wanted), Math.max(...wanted) + 1);
    for (const [n, cell] of cells) {
      if (wanted.has(n) || cell.contains(document.activeElement)) continue;
      cell.remove();
      cells.delete(n);
    }
    for (const n of wanted) {
      const step = store.steps.get(viewer.order[n]);
      const before = cells.get(n);
      if (before && !(coming.has(before) && store.isKnown(step))) continue;
      const cell = build(step, lefts[n], lefts[n + 1] - lefts[n] - GAP);
      if (!store.isKnown(step)) coming.add(cell);
      cells.set(n, cell);
      const hadFocus = before?.contains(document.activeElement);
      if (before) before.replaceWith(cell);
      else room.append(cell);
      if (hadFocus) cell.focus({ preventScroll: true });
    }
    mark();
  }

  function build(step, left, width) {
    const total = Math.max(1, step.duration_ms);
    const bar = h("span", { class: "film-bar", "aria-hidden": "true" },
      h("i", { class: `cell ${look(step)}`, style: { flex: String(Math.max(0.04, robotTime(step) / total)) } }),
      step.waited_ms ? h("i", { class: "waited", style: { flex: String(step.waited_ms / total) } }) : null);
    return h("button", {
      class: "film-cell", type: "button", tabindex: "-1", data: { index: step.index }, style: { left: `${left}px`, width: `${width}px` },
      title: step.pause ? step.message : step.sentence, "aria-label": step.pause ? interpolate(gettext("Stood still: %(why)s"), { why: step.message }) : interpolate(gettext("Step %(n)s: %(sentence)s: %(outcome)s"), { n: step.index, sentence: step.sentence || store.nodeName(step.node_id), outcome: word("outcome", step.outcome) }),
      onclick: () => viewer.goTo(step.index),
    }, small(step.picture_before), bar, h("span", { class: "film-time" }, step.index === viewer.order[0] ? clock(step.started_at) : step.pause ? gettext("Stood still") : duration(robotTime(step))));
  }

  function small(digest) {
    if (!digest) return h("span", { class: "film-none" });
    if (!pictures.has(digest)) pictures.set(digest, store.partUrl(digest));
    const image = h("img", { src: pictures.get(digest), alt: "", draggable: "false", decoding: "async" });
    image.addEventListener("error", () => image.replaceWith(h("span", { class: "film-none" })), { once: true });
    return image;
  }

  function mark() {
    for (const cell of cells.values()) {
      const on = cell.dataset.index === String(viewer.at);
      cell.toggleAttribute("aria-current", on);
      if (on) cell.setAttribute("aria-current", "step");
      cell.tabIndex = on ? 0 : -1;
    }
  }

  function bring(anyway = false) {
    const n = viewer.order.indexOf(viewer.at);
    if (n < 0) return;
    const [left, right] = [lefts[n], lefts[n + 1]];
    if (!anyway && left >= strip.scrollLeft + CELL / 2 && right <= strip.scrollLeft + strip.clientWidth - CELL / 2) return;
    strip.scrollTo({ left: (left + right) / 2 - strip.clientWidth / 2, behavior: reducedMotion() || shown === null ? "instant" : "auto" });
  }

  return () => {
    if (viewer.at === shown) return void ([...cells.values()].some((cell) => coming.has(cell)) && fillRoom());
    bring();
    shown = viewer.at;
    fillRoom();
    placeMark(store, steps());
  };
}

function firstAt(lefts, x) {
  let [low, high] = [0, lefts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lefts[middle + 1] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// --- the clock -----------------------------------------------------------------------------------------------------------
/** Stretches of time in order: {kind: robot | waited | still, ms, drawn, step, folded}. */
export function stretches(steps) {
  const found = [];
  let end = 0;
  const add = (kind, ms, step) => {
    if (ms > 0) found.push({ kind, ms, drawn: kind === "robot" ? ms : Math.min(ms, FOLD_MS), folded: kind !== "robot" && ms > FOLD_MS, step });
  };
  for (const step of steps) {
    const gap = step.at_ms - end;
    if (gap > 1000) add("still", gap, null);
    const before = Math.min(step.before_ms ?? 0, robotTime(step));
    const waited = step.waited_ms ?? 0;
    if (waited) {
      add("robot", before, step);
      add("waited", waited, step);
      add("robot", robotTime(step) - before, step);
    } else {
      add("robot", robotTime(step), step);
    }
    end = step.at_ms + step.duration_ms;
  }
  return found;
}

const total = (parts, kind, of = "ms") => parts.filter((part) => part.kind === kind).reduce((sum, part) => sum + part[of], 0);

function inWords(steps) {
  const parts = stretches(steps);
  const [robot, waited, still] = ["robot", "waited", "still"].map((kind) => total(parts, kind));
  return [interpolate(gettext("the robot %(time)s"), { time: duration(robot) }), waited ? interpolate(gettext("waiting for a person %(time)s"), { time: duration(waited) }) : "", still ? interpolate(gettext("standing still %(time)s"), { time: duration(still) }) : ""].filter(Boolean).join(" · ");
}

function drawClock(store, steps) {
  const canvas = find("#film-clock");
  const width = canvas.clientWidth;
  if (!width) return;
  const ratio = window.devicePixelRatio || 1;
  Object.assign(canvas, { width: width * ratio, height: 22 * ratio });
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(`--${name}`).trim();
  const parts = stretches(steps);
  const whole = parts.reduce((sum, part) => sum + part.drawn, 0) || 1;
  let x = 0;
  canvas.spans = [];
  for (const part of parts) {
    const w = (part.drawn / whole) * width;
    if (part.kind === "robot") {
      pen.fillStyle = colour(COLOURS[look(part.step)] ?? "green");
      pen.fillRect(x, 5, Math.max(0.6, w - 0.4), 12);
    } else {
      hatch(pen, x, w, colour(part.kind === "waited" ? "blue" : "ink-3"));
      if (part.folded) fold(pen, x + w / 2, colour("card"), colour("ink-2"));
    }
    if (part.step) canvas.spans.push([x, x + w, part.step.index]);
    x += w;
  }
  canvas.setAttribute("aria-label", `${gettext("The run by the clock")}: ${inWords(steps)}`);
  placeMark(store, steps);
}

function hatch(pen, x, w, colour) {
  pen.save();
  pen.beginPath();
  pen.rect(x, 5, w, 12);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  for (let at = x - 12; at < x + w; at += 5) {
    pen.beginPath();
    pen.moveTo(at, 17);
    pen.lineTo(at + 12, 5);
    pen.stroke();
  }
  pen.restore();
}

/** Two short strokes where time is left out. */
function fold(pen, x, ground, ink) {
  pen.fillStyle = ground;
  pen.fillRect(x - 4, 2, 8, 18);
  pen.strokeStyle = ink;
  pen.lineWidth = 1.5;
  for (const at of [x - 4, x + 4]) {
    pen.beginPath();
    pen.moveTo(at - 2, 20);
    pen.lineTo(at + 2, 2);
    pen.stroke();
  }
}

function placeMark(store) {
  const canvas = find("#film-clock");
  const mine = (canvas.spans ?? []).filter(([, , index]) => index === store.selected?.index);
  let mark = find(".clock-mark");
  if (!mark) canvas.after((mark = h("i", { class: "clock-mark", "aria-hidden": "true" })));
  mark.hidden = !mine.length;
  if (!mine.length) return;
  mark.style.left = `${mine[0][0]}px`;
  mark.style.width = `${Math.max(3, mine.at(-1)[1] - mine[0][0])}px`;
}

function clockClicks(store, viewer) {
  const canvas = find("#film-clock");
  canvas.addEventListener("click", ({ offsetX }) => {
    const found = (canvas.spans ?? []).find(([from, to]) => offsetX >= from && offsetX <= to);
    if (found) viewer.goTo(found[2]);
  });
}
