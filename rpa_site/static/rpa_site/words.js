/* Texts and figures as people read them. The texts come from the server, in the reader's language. */

import { json } from "./dom.js";

let words = json("chrome-words");

export function useWords(more) {
  words = { ...words, ...more };
}

const language = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(language);

/** say("needs", {n: 2}); say("answers.accept"). Placeholders are %(name)s. */
export function say(path, values = {}) {
  const found = path.split(".").reduce((at, key) => (at === undefined ? at : at[key]), words);
  const template = typeof found?.other === "string" ? (found[plural.select(Number(values.n))] ?? found.other) : found;
  if (typeof template !== "string") return "";
  return template.replace(/%\((\w+)\)s/g, (_, name) => values[name] ?? "").replace(/%%/g, "%");
}

/** The word for one of many values, or the value itself where it has none. */
export const word = (group, value) => words[group]?.[value] ?? String(value ?? "");

/** The values that a group has words for. */
export const keysOf = (group) => Object.keys(words[group] ?? {});

const NUMBERS = [0, 1, 2].map((digits) => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false }));

/** A number with so many digits after the reader's own decimal sign. */
const decimal = (value, digits) => NUMBERS[digits].format(value);

export const score = (value) => (typeof value === "number" ? decimal(value, 2) : "–");

/** 0.21 s below ten seconds, then 4:12. */
export function duration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 9.995) return `${decimal(seconds, 2)} s`;
  const whole = Math.floor(seconds);
  const rest = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

export const milliseconds = (value) => (value >= 1000 ? duration(value) : `${decimal(value, value < 10 && value > 0 ? 1 : 0)} ms`);

export function ago(iso) {
  const seconds = (Date.now() - Date.parse(iso)) / 1000;
  if (seconds < 45) return say("just_now");
  if (seconds < 3600) return say("minutes_ago", { n: Math.max(1, Math.round(seconds / 60)) });
  if (seconds < 86400) return say("hours_ago", { n: Math.round(seconds / 3600) });
  return say("days_ago", { n: Math.round(seconds / 86400) });
}

export const clock = (iso) => new Date(iso).toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** Today where the reader is, as a date field takes it: 2026-12-31. */
export const today = () => new Date().toLocaleDateString("sv");

const OPENS = new Set(["“", "«"]);
const CLOSES = new Set(["”", "»"]);

/** A sentence cut at its outer quotation marks: what stands in them is what it is about. */
export function quoted(sentence) {
  const parts = [{ part: "", strong: false }];
  let depth = 0;
  for (const letter of String(sentence)) {
    const before = depth;
    if (OPENS.has(letter)) depth += 1;
    else if (CLOSES.has(letter) && depth > 0) depth -= 1;
    const isOuter = Math.min(before, depth) === 0 && before !== depth;
    if (isOuter) parts.push({ part: "", strong: depth === 1 });
    else parts.at(-1).part += letter;
  }
  return parts.map(({ part, strong }) => ({ part: strong ? part.trim() : part, strong })).filter(({ part }) => part !== "");
}
