/* The page on which a workflow is taught. The store knows, the views show, the connection carries; this file joins them. */

import { find, isTyping, json, text } from "../rpa_site/dom.js";
import { tabs } from "../rpa_site/tabs.js";
import { interpolate, useWords } from "../rpa_site/words.js";
import { Connection } from "./teach/connection.js";
import { Desktop } from "./teach/desktop.js";
import { doneDialog } from "./teach/done.js";
import { Edits } from "./teach/edits.js";
import { Keyboard } from "./teach/keyboard.js";
import { mendingView } from "./teach/mending.js";
import { keepNotPossible, placeOf } from "./teach/not_possible.js";
import { problemsView, screenView, variablesView } from "./teach/panels.js";
import { picturesView } from "./teach/pictures.js";
import { keyboardButton, Pointer } from "./teach/pointer.js";
import { headView, Question } from "./teach/question.js";
import { stepsView } from "./teach/steps.js";
import { Store } from "./teach/store.js";
import { targetView } from "./teach/target.js";
import { toolbar } from "./teach/toolbar.js";

const data = json("page-data");
useWords(data.words);
const store = new Store(data);
const edits = new Edits(store);
const toPanel = tabs(() => store.set({}));
const desktop = new Desktop(store);
const connection = new Connection(store, (jpeg, takenAt) => desktop.show(jpeg, takenAt));
const keyboard = new Keyboard(store, connection, edits);
const question = new Question(store, desktop, connection, { again, edits });
new Pointer(store, desktop, connection, { drawn, focusKeys: () => keyboard.focus() });
keyboardButton(() => keyboard.focus());
toolbar(store, connection);
headView(store);
stepsView(store, { toPanel, connection });
targetView(store, desktop, edits, { connection });
screenView(store, desktop, edits);
variablesView(store, edits);
problemsView(store, edits, { goTo });
picturesView(store, connection);
const shownHere = mendingView(store, connection, edits, { toPanel });
doneDialog(store, edits, { goTo });
controls();
keys();
handOver();
store.setNow({}); // at once: a key may be pressed before the first frame is drawn

/** A rectangle was drawn on the picture: a target as it is meant, or an area of a screen. */
function drawn(box, point = null) {
  const { drawing } = store;
  store.set({ drawing: null });
  if (drawing.kind === "not_possible" && !store.lesson.mend) return keepNotPossible(store, connection, drawing.reason, placeOf({ box, point }));
  if (drawing.kind === "mend" || drawing.kind === "not_possible") return shownHere(drawing, { box, point });
  if (drawing.kind === "redraw") connection.send({ type: "redraw", step: drawing.index, ...(box ? { box: store.normalised(box) } : { at: store.normalised([...point, 0, 0]).slice(0, 2) }) });
  if (drawing.kind !== "region") return;
  const regions = store.screenOf(drawing.node)?.regions ?? [];
  edits.screen(drawing.node, { regions: [...regions, { box: store.normalised(box), kind: drawing.region }] });
}

/** Where something is mended: "step:3", "screen:queue", "variable:patient", or an address. */
function goTo(where) {
  const [kind, ...rest] = where.split(":");
  const id = rest.join(":");
  if (kind === "step") return void (store.set({ selected: Number(id), shownNode: null }), toPanel("tab-target"));
  if (kind === "screen") return void (store.set({ shownNode: id }), toPanel("tab-screen"));
  if (kind === "variable") {
    toPanel("tab-variables");
    const row = find(`[data-variable="${CSS.escape(id)}"]`);
    if (row) row.open = true;
    return void find("input", row ?? document.body)?.focus();
  }
  location.assign(where);
}

function again() {
  connection.again();
}

// --- what stands above -------------------------------------------------------------------------------------------------
function controls() {
  const undo = find("#undo");
  const pause = find("#pause");
  const tryOn = find("#try");
  undo.addEventListener("click", takeBack);
  pause.addEventListener("click", () => connection.send({ type: store.lesson.paused ? "go_on" : "pause" }));
  tryOn.addEventListener("click", () => connection.send({ type: "try", from: store.step?.index ?? 1 }));
  store.onChange(() => {
    const live = store.connection === "live" && store.lesson.state === "live";
    undo.disabled = !live || !store.canUndo;
    // Translators: two keys, pressed one after the other; the first one as it is labelled on the keyboard.
    text(find("kbd", undo), store.keyboard ? interpolate(gettext("Esc %(key)s"), { key: "Z" }) : "Z");
    tryOn.hidden = !store.can("try");
    tryOn.disabled = !store.takesActs || !store.steps.length || Boolean(store.question);
    find("#done").disabled = store.lesson.state === "done";
    pause.disabled = !live;
    pause.hidden = Boolean(store.lesson.paused);
  });
}

function takeBack() {
  if (store.connection !== "live" || !store.canUndo) return;
  connection.send({ type: "undo", n: 1 });
  store.set({ mending: null }); // what a change would do was worked out with what goes now
}

// --- keys: the same as the buttons, and off while somebody writes or the keys are the desktop's --------------------------
function keys() {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.drawing) return void store.set({ drawing: null });
    if (event.key === "Escape" && store.control) return void store.set({ control: null });
    if (isTyping(event) || event.repeat) return;
    if ((store.isAsking || store.control || store.record || store.offer) && question.press(event.key)) return void event.preventDefault();
    if (event.key.toLowerCase() === "z") {
      event.preventDefault();
      takeBack();
    }
  });
}

/** While something is asked the keys answer it; afterwards they are the desktop's again, if they were. */
function handOver() {
  let were = false;
  store.onChange(() => {
    if (store.isAsking && store.keyboard) {
      were = true;
      find("#keys").blur();
    } else if (!store.question && were) {
      were = false;
      if (document.activeElement === document.body || find("#question").contains(document.activeElement)) keyboard.focus();
    }
  });
}
