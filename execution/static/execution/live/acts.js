/* The act itself, drawn on the picture: where it was clicked, what was typed. What is secret is dots already. */

import { h } from "../../rpa_site/dom.js";
import { interpolate } from "../../rpa_site/words.js";

const CLICKS = new Set(["click", "double_click", "right_click", "drag", "scroll", "choose", "set_state", "pick_date"]);
const DONE = new Set(["succeeded", "failed"]);
const LONGEST = 80;

/** Elements for the overlay; `tag(kind, words, box)` makes a label that finds its own place. */
export function actMarks(step, tag) {
  const { action, params = {}, point, box } = step.suggestion ?? {};
  if (!DONE.has(step.outcome)) return [];
  const marks = [];
  if (point && CLICKS.has(action)) {
    const mark = h("div", { class: `act act-${action}` });
    mark.style.left = `${point[0] * 100}%`;
    mark.style.top = `${point[1] * 100}%`;
    marks.push(mark);
  }
  const where = box ?? (point ? [...point, 0, 0] : null);
  const typed = params.text ?? params.date ?? params.option;
  if (typed && where) marks.push(tag("typed", interpolate(gettext("typed: %(text)s"), { text: short(typed) }), where));
  if (params.keys && where) marks.push(tag("typed", interpolate(gettext("pressed: %(keys)s"), { keys: params.keys }), where));
  return marks;
}

const short = (text) => (String(text).length > LONGEST ? `${String(text).slice(0, LONGEST - 1)}…` : String(text));
