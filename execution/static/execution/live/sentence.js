/* Sentences about steps, as elements: what stands in quotation marks is set off. */

import { h } from "../../rpa_site/dom.js";
import { interpolate, keysOf, quoted, say, word } from "../../rpa_site/words.js";

/** “zoe (page)”; where nobody logged in, from where alone. */
export function named(who, origin) {
  const where = origin && origin !== "loop" ? word("origin", origin) : "";
  return who && where ? interpolate(gettext("%(who)s (%(where)s)"), { who, where }) : who || where;
}

/** What a step says of itself: what is kept for programs is told in words for people. */
export function messageOf(step) {
  const message = step.message ?? "";
  const kept = keysOf("messages").find((known) => message.startsWith(known));
  return kept ? word("messages", kept) + message.slice(kept.length) : message;
}

/** Milliseconds that the robot took for a step; waiting for a person is told beside it. */
export const robotTime = (step) => Math.max(0, step.duration_ms - (step.waited_ms ?? 0));

/** “Click “Save As…”” with Save As… in bold. */
export const emphasised = (sentence) => quoted(sentence).map(({ part, strong }) => (strong ? h("strong", {}, part) : part));

/** Why there: by which sign it was found, what else looks like it, and what should come. */
export function whyInWords(step) {
  const suggestion = step.suggestion ?? {};
  return [...found(suggestion), ...alike(suggestion), suggestion.destination_name ? interpolate(gettext("After it, “%(name)s” should show."), { name: suggestion.destination_name }) : ""]
    .filter(Boolean)
    .flatMap((sentence, index) => [index ? " " : "", ...emphasised(sentence)]);
}

function found(suggestion) {
  if (suggestion.status === "not_needed") return [gettext("It goes to where the keyboard is; no target is needed.")];
  if (suggestion.status !== "found") return [suggestion.message || gettext("The target was not found on the screen.")];
  if (suggestion.rung === "coach") return [gettext("Shown by a person.")];
  const signs = new Set((suggestion.evidence ?? []).filter((rung) => rung.status === "found").map((rung) => rung.rung));
  if (signs.has("anchor_template") && signs.has("ocr_text")) return [gettext("Found by text and picture.")];
  return [say(`found_by.${suggestion.rung}`)];
}

function alike(suggestion) {
  if (suggestion.status !== "found" || suggestion.rung === "coach") return [];
  const other = suggestion.runner_up;
  if (!other || !isAlike(other)) return [gettext("Nothing else looks like it.")];
  return [other.text ? interpolate(gettext("Next best: “%(name)s”."), { name: other.text }) : gettext("Something that says nothing comes next.")];
}

/** What nothing speaks for is nothing alike; how much speaks for it the tab *Why* says. */
export const isAlike = (other) => Math.round(100 * other.score) > 0;
