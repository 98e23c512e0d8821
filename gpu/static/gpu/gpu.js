/* The GPU's part of the page “Robots and GPU”: it follows the hub, draws the memory, and asks for what is clicked. */

import { refresh } from "../rpa_site/board.js";
import { all, find, json, text } from "../rpa_site/dom.js";
import { hear } from "../rpa_site/news.js";
import { Refusal, post } from "../rpa_site/post.js";
import { clock, say, useWords } from "../rpa_site/words.js";

const ASK_AGAIN = 500;
const DONE_SHOWN = 6000;
const DRAW_BETWEEN = 1000;
const MB_IN_GB = 1024;
const SHOWN_S = 15 * 60; // as the words beside the chart say

useWords(json("gpu-words"));

// --- news ----------------------------------------------------------------------------------------------------------
hear("gpu", (news) => find("[data-gpu-mark]")?.dataset.gpuMark === news.mark || refresh());

let known = null;

/** Slide in what was not there before. */
function welcome() {
  const shown = all(".gpu-events > li");
  for (const line of shown) if (known && !known.has(line.id)) line.classList.add("slide-in");
  known = new Set(shown.map((line) => line.id));
}

/** The clock of whoever looks, as on the chart. */
function setClocks() {
  for (const time of all("time[data-clock]")) text(time, clock(time.dateTime));
}

// --- memory over time ----------------------------------------------------------------------------------------------
const charts = new Map(); // the place → its chart
let drawnAt = 0;

async function draw() {
  if (document.hidden || Date.now() - drawnAt < DRAW_BETWEEN) return;
  drawnAt = Date.now();
  for (const place of charts.keys()) if (!place.isConnected) forget(place);
  const places = all("[data-gpu-chart]");
  for (const machine of new Set(places.map((place) => place.dataset.machine))) {
    const answer = await samples(machine);
    for (const place of places.filter((p) => p.dataset.machine === machine)) {
      const gpu = answer?.gpus.find((one) => one.uuid === place.dataset.gpuChart);
      if (gpu && place.isConnected) show(place, gpu);
    }
  }
}

async function samples(machine) {
  try {
    const response = await fetch(`/api/gpu/samples/?machine=${encodeURIComponent(machine)}`, { credentials: "same-origin" });
    return response.ok ? await response.json() : null;
  } catch {
    return null; // the live dot says that the server is away
  }
}

function show(place, gpu) {
  const data = [gpu.points.map(([at]) => at), gpu.points.map(([, mb]) => mb / MB_IN_GB)];
  const chart = charts.get(place);
  if (chart) chart.setData(data);
  else charts.set(place, make(place, gpu.total_mb / MB_IN_GB, data));
}

function make(place, total, data) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: () => colour("--ink-2"), grid: { stroke: () => colour("--line-soft"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const two = (n) => String(n).padStart(2, "0");
  const moment = (seconds) => { const d = new Date(seconds * 1000); return `${two(d.getHours())}:${two(d.getMinutes())}`; };
  return new window.uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: true, range: () => [Date.now() / 1000 - SHOWN_S, Date.now() / 1000] }, y: { range: [0, total] } },
      axes: [
        { ...axis, size: 28, values: (_, splits) => splits.map(moment) },
        { ...axis, size: 56, values: (_, splits) => splits.map((n) => say("gpu_gb", { n })) },
      ],
      series: [{}, { stroke: () => colour("--blue"), width: 2, fill: () => colour("--blue-bg"), points: { show: (chart) => chart.data[0].length < 3 } }],
    },
    data,
    place,
  );
}

function forget(place) {
  charts.get(place).destroy();
  charts.delete(place);
}

addEventListener("resize", () => {
  for (const [place, chart] of charts) chart.setSize({ width: place.clientWidth, height: place.clientHeight });
});
document.addEventListener("surehand:theme", () => charts.forEach((chart) => chart.redraw()));

// --- buttons -------------------------------------------------------------------------------------------------------
const busy = new Set(); // ids of buttons whose request is on its way

function showBusy() {
  for (const button of all("[data-gpu-ask]")) {
    if (busy.has(button.id)) button.setAttribute("aria-disabled", "true");
    else button.removeAttribute("aria-disabled");
  }
}

let goes = null; // the timer of what need not be read for long

/** Beside the page, so that nothing moves; what went wrong stays until it is closed. */
function told(sentence, colour) {
  const place = find("#gpu-said");
  clearTimeout(goes);
  place.className = `notice gpu-said ${colour}`;
  place.hidden = false;
  text(find("[data-said]", place), sentence);
  if (colour === "green") goes = setTimeout(() => (place.hidden = true), DONE_SHOWN);
}

find("[data-said-close]")?.addEventListener("click", () => (find("#gpu-said").hidden = true));

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-gpu-ask]") : null;
  if (button && !button.disabled && !busy.has(button.id)) ask(button);
});

async function ask(button) {
  const { gpuAsk: kind, mode, model } = button.dataset;
  busy.add(button.id);
  showBusy();
  try {
    const answer = await post("/api/gpu/requests/", { kind, mode, model });
    if (answer.state === "doing") {
      told(say("gpu_doing"), "");
      await outcome(answer.request_id);
    } else told(say("gpu_done"), "green");
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    told(error.message, "red");
  } finally {
    busy.delete(button.id);
    showBusy();
  }
}

/** Until the request is over, and what came of it. */
async function outcome(id) {
  for (;;) {
    await new Promise((done) => setTimeout(done, ASK_AGAIN));
    let response;
    try {
      response = await fetch(`/api/gpu/requests/${id}/`, { credentials: "same-origin" });
    } catch {
      continue; // the server is away: it may come back
    }
    if (response.status >= 500) continue;
    const answer = await response.json().catch(() => ({}));
    if (answer.state === "doing") continue;
    if (answer.state === "done") told(say("gpu_done"), "green");
    else told(answer.state === "failed" ? answer.detail : say("gpu_lost"), answer.state === "failed" ? "red" : "");
    return;
  }
}

document.addEventListener("surehand:board", () => {
  setClocks();
  welcome();
  showBusy();
  draw();
});
setClocks();
welcome();
draw();
