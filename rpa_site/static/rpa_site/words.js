/* Texts and figures as people read them. Texts stand where they are shown, in English: gettext() and ngettext(), of Django's
   JavaScript catalogue, give them in the reader's language. The words for values come from the server, with the page. */

let words = {};

export function useWords(more) {
  words = { ...words, ...more };
}

const language = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(language);

/** A text with its values: interpolate(gettext("%(n)s s old"), { n: 3 }). */
export const interpolate = (template, values) => template.replace(/%\((\w+)\)s/g, (_, name) => values[name] ?? "").replace(/%%/g, "%");

/** The words for a value: say("answered.accept", { who }). */
export function say(path, values = {}) {
  const found = path.split(".").reduce((at, key) => (at === undefined ? at : at[key]), words);
  const template = typeof found?.other === "string" ? (found[plural.select(Number(values.n))] ?? found.other) : found;
  return typeof template === "string" ? interpolate(template, values) : "";
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
  if (seconds < 45) return gettext("just now");
  if (seconds < 3600) return interpolate(gettext("%(n)s min ago"), { n: Math.max(1, Math.round(seconds / 60)) });
  if (seconds < 86400) return interpolate(gettext("%(n)s h ago"), { n: Math.round(seconds / 3600) });
  return interpolate(gettext("%(n)s d ago"), { n: Math.round(seconds / 86400) });
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
