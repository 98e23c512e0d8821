/* The top bar on every page: light and dark, menu, what needs a person, trouble with the models, the live dot, times that stay fresh. */

import { all, announce, find, text } from "./dom.js";
import { tell } from "./news.js";
import { LiveSocket } from "./socket.js";
import { ago, duration, interpolate, today } from "./words.js";

const bar = find(".topbar");
const title = document.title;
let attention = Number(bar?.dataset.attention || 0);

// --- light and dark ------------------------------------------------------------------------------------------------
for (const button of all("[data-theme-switch]")) {
  button.addEventListener("click", () => {
    const dark = document.documentElement.dataset.bsTheme !== "dark";
    document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
    try {
      if (dark === matchMedia("(prefers-color-scheme: dark)").matches) localStorage.removeItem("theme"); // as the system says, from now on as well
      else localStorage.setItem("theme", dark ? "dark" : "light");
    } catch {
      // private windows may refuse storage: the choice then lasts as long as the page
    }
    document.dispatchEvent(new CustomEvent("surehand:theme"));
  });
}

// --- which days are today's: pages of figures are made in the reader's zone ----------------------------------------
document.cookie = `timezone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; SameSite=Lax`;

// --- a date: today's, where the reader is --------------------------------------------------------------------------
for (const button of all("[data-today]")) {
  button.hidden = false;
  button.addEventListener("click", () => (document.getElementById(button.dataset.today).value = today()));
}

// --- menus ---------------------------------------------------------------------------------------------------------
for (const menu of all("details.menu")) {
  document.addEventListener("click", (event) => {
    if (menu.open && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    find("summary", menu).focus();
  });
}
for (const form of all("[data-submit-on-change]")) form.addEventListener("change", () => form.requestSubmit());

// --- times ---------------------------------------------------------------------------------------------------------
function freshen() {
  for (const element of all("time[data-ago]")) text(element, ago(element.dateTime));
  for (const element of all("[data-since]")) text(element, duration(Date.now() - Date.parse(element.dataset.since)));
  for (const element of all("[data-deadline]")) {
    const left = Math.ceil((Date.parse(element.dataset.deadline) - Date.now()) / 1000);
    text(element, left > 0 ? interpolate(gettext("%(n)s s left"), { n: left }) : gettext("time is over"));
    element.classList.toggle("soon", left <= 15);
  }
}
freshen();
setInterval(freshen, 1000);
document.addEventListener("surehand:board", freshen);

// --- what needs a person -------------------------------------------------------------------------------------------
function showAttention(count) {
  const more = count > attention;
  attention = count;
  const chip = find("[data-attention-count]");
  if (chip) {
    text(chip, String(count));
    chip.hidden = count === 0;
  }
  const sentence = interpolate(ngettext("%(n)s run needs you", "%(n)s runs need you", count), { n: count });
  text(find("[data-attention-words]"), count ? sentence : "");
  document.title = count ? `(${count}) ${title}` : title;
  if (more) {
    announce(sentence);
    notify(sentence);
  }
}

function notify(sentence) {
  if (!("Notification" in window) || Notification.permission !== "granted" || !document.hidden) return;
  const note = new Notification("Surehand", { body: sentence, tag: "surehand-attention", icon: find('link[rel="icon"]')?.href });
  note.addEventListener("click", () => {
    window.focus();
    location.assign(find(".topbar-links a")?.href || "/");
  });
}

const bell = find("[data-notify]");
if (bell && "Notification" in window && window.isSecureContext) {
  const words = find("span", bell);
  const show = () => {
    bell.hidden = false;
    bell.disabled = Notification.permission !== "default";
    if (Notification.permission === "granted") text(words, gettext("You are told when a run needs you"));
    if (Notification.permission === "denied") text(words, gettext("The browser does not allow notifications from this page"));
  };
  show();
  bell.addEventListener("click", async () => {
    await Notification.requestPermission();
    show();
  });
}

// --- trouble with the models ---------------------------------------------------------------------------------------
function showGpu(news) {
  const banner = find("#gpu-banner");
  if (banner) {
    if (news.banner) for (const part of all("[data-gpu-banner]", banner)) text(part, news.banner[part.dataset.gpuBanner]);
    banner.hidden = !news.banner;
  }
  tell("gpu", news);
}

// --- the live dot --------------------------------------------------------------------------------------------------
function showState(state) {
  const dot = find("[data-live]");
  if (!dot) return;
  const shown = state === "refused" ? "lost" : state;
  dot.dataset.live = shown;
  text(find("[data-live-word]", dot), { live: gettext("live"), connecting: gettext("connecting"), lost: gettext("reconnecting") }[shown]);
  tell("live", shown);
}

if (bar && find("[data-attention-count]")) {
  showAttention(attention);
  new LiveSocket({
    url: () => bar.dataset.socket,
    onstate: showState,
    onmessage(message, send) {
      if (message.type === "attention") showAttention(message.count);
      if (message.type === "gpu") showGpu(message);
      if (message.type === "runs") tell("runs", message.runs);
      if (message.batch !== undefined) send({ type: "ack", batch: message.batch });
    },
  });
}
