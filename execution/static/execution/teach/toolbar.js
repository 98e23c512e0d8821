/* The buttons over the picture: which act the pointer does, and boxes on or off. What has no room stands behind "More". */

import { all, fill, find, h, icon, text } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";

const AT_ONCE = new Set(["visual_login", "call_workflow"]); // tools that point at nothing
const ON_DESKTOP = new Set(["choose", "set_state", "pick_date", "visual_login"]); // what they do is looked at afterwards
const TOOLS = {
  click: "",
  double_click: gettext("The next click is a double click"),
  right_click: gettext("The next click is one with the right button"),
  drag: gettext("Drag on the picture: the same is dragged on the desktop"),
  read_value: gettext("Click the value that is to be read, or draw a box around it"),
  wait_text: gettext("Click the text that is to be waited for, or draw a box around it"),
  must_see: gettext("Click what must be seen here, or draw a box around it"),
  must_see_row: gettext("Click the row that must be there once, or draw a box around its texts"),
  choose: gettext("Click the list, the combo box, one of the radio buttons or the menu to choose in"),
  set_state: gettext("Click the check box or switch that is to be on or off"),
  pick_date: gettext("Click the field that the date goes into"),
  call_workflow: gettext("Do another workflow here, as one step"),
  visual_login: gettext("The desktop shows where to log in: the robot fills it, and nobody sees the password."),
};
const DRAWINGS = {
  redraw: gettext("Click the target, or draw a box around it"),
  region: gettext("Draw the area on the picture"),
  mend: gettext("Click the target where it is now, or draw a box around it"),
  not_possible: gettext("Click the text that says so, or draw a box around it"),
};

export function toolbar(store, connection) {
  const tools = all("[data-tool]");
  for (const button of tools) button.addEventListener("click", () => choose(button.dataset.tool));
  const boxes = find("#boxes");
  boxes.addEventListener("click", () => store.set({ boxes: !store.boxes }));
  const hint = find("#tool-hint");
  const keysLine = find("#keys-line");
  const more = overflow(tools);
  let said = "";
  store.onChange(() => {
    for (const button of tools) {
      button.setAttribute("aria-pressed", String(!store.drawing && button.dataset.tool === store.tool));
      button.disabled = !store.takesActs;
      button.hidden = ON_DESKTOP.has(button.dataset.tool) && !store.can("set");
    }
    more(tools.find((button) => button.getAttribute("aria-pressed") === "true"), !store.takesActs);
    boxes.setAttribute("aria-pressed", String(store.boxes));
    const before = store.steps.find((step) => step.index === store.lesson.inserts_after);
    const inserting = before ? interpolate(gettext("The next step is inserted after: %(step)s"), { step: before.sentence }) : "";
    const words = store.drawing ? DRAWINGS[store.drawing.kind] : store.unkept ? gettext("Alt is held: what you do now is not kept") : TOOLS[store.tool] || inserting;
    const stop = store.drawing ? () => store.set({ drawing: null }) : words === inserting ? () => connection.send({ type: "insert", after: null }) : null;
    hint.hidden = !words;
    hint.title = words; // it may be cut: one row more would shrink the picture under the pointer
    keysLine.hidden = Boolean(store.drawing) || store.tool !== "click";
    hint.classList.toggle("amber", store.unkept && !store.drawing);
    const signature = JSON.stringify([words, Boolean(stop)]);
    if (signature === said) return;
    said = signature;
    if (words) fill(hint, h("span", {}, words), stop ? h("button", { class: "note-button", type: "button", onclick: stop }, icon("x"), store.drawing ? gettext("Cancel") : gettext("Stop inserting")) : "");
  });

  function choose(tool) {
    if (AT_ONCE.has(tool)) store.set({ control: { act: tool, where: {}, box: null, said: TOOLS[tool] }, tool: "click", drawing: null });
    else store.set({ tool, drawing: null, control: null });
  }
}

/** Puts the tools that do not fit beside each other behind one button; returns what shows which of them is chosen. */
function overflow(tools) {
  const bar = find("#tools");
  const button = find("#more-tools");
  const list = find("#more-list");
  const label = find("span", button);
  const usual = label.textContent;
  const open = (on) => {
    list.hidden = !on;
    button.setAttribute("aria-expanded", String(on));
  };
  button.addEventListener("click", () => open(list.hidden));
  list.addEventListener("click", () => (open(false), button.focus()));
  addEventListener("pointerdown", (event) => list.contains(event.target) || button.contains(event.target) || open(false));
  for (const part of [list, button]) part.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || list.hidden) return;
    event.stopPropagation();
    open(false);
    button.focus();
  });
  const fit = () => {
    const focused = document.activeElement;
    for (const tool of tools) bar.insertBefore(tool, button);
    button.hidden = true;
    if (bar.scrollWidth <= bar.clientWidth) return void open(false);
    button.hidden = false;
    for (const tool of [...tools].reverse()) {
      if (bar.scrollWidth <= bar.clientWidth) break;
      list.prepend(tool);
    }
    if (tools.includes(focused) && bar.contains(focused)) focused.focus();
  };
  new ResizeObserver(fit).observe(bar);
  document.fonts?.ready.then(fit);
  fit();
  return (chosen, disabled) => {
    const hidden = chosen && list.contains(chosen) ? chosen : null;
    text(label, hidden ? hidden.textContent.trim() : usual);
    button.setAttribute("aria-pressed", String(Boolean(hidden)));
    button.disabled = disabled;
    if (disabled) open(false);
  };
}
