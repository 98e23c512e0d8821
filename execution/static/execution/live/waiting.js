/* Why no robot has the run yet, and which runs it waits for; or that its robot has gone. What changes it are other runs, which this one's stream does
   not tell of: it is asked for while somebody looks. */

import { h, icon } from "../../rpa_site/dom.js";
import { post } from "../../rpa_site/post.js";
import { interpolate, word } from "../../rpa_site/words.js";

const EVERY = 3000;
const RARELY = 10000; // while a robot has it

export function followWaiting(store) {
  setTimeout(async function look() {
    if (store.isFinal) return;
    if (!document.hidden) await ask(store);
    setTimeout(look, store.execution.status === "queued" ? EVERY : RARELY);
  }, EVERY);
}

async function ask(store) {
  let response;
  try {
    response = await fetch(store.run.waiting, { credentials: "same-origin", cache: "no-store", headers: { Accept: "application/json" } });
  } catch {
    return; // the page says by itself that the connection is lost
  }
  if (!response.ok) return;
  const { status } = store.execution;
  const waiting = await response.json();
  if (status === store.execution.status) store.set({ waiting });
}

/** What it waits for, each with a way to end what holds a desktop, for whoever may. `asks` asks back first. */
export function behind(store, asks) {
  const { behind: runs, lessons, ahead } = store.waiting;
  if (!runs.length && !lessons.length) return null;
  const more = ahead - runs.filter((run) => run.state === "queued").length;
  return h("ul", { class: "likely behind", "aria-label": gettext("Runs that it waits for") },
    runs.map((run) => h("li", {}, h("a", { href: store.run.page.replace(store.run.id, run.execution_id) }, interpolate(gettext("%(name)s, run %(n)s"), { name: run.workflow_name, n: run.number })), h("span", { class: "muted" }, ` · ${word("state", run.state)}`), stopper(store, run, asks))),
    lessons.map((lesson) => h("li", {}, lessonNamed(store, lesson), lessonEnder(store, lesson, asks))),
    more > 0 ? h("li", { class: "muted" }, interpolate(gettext("and %(n)s more"), { n: more })) : null);
}

function stopper(store, run, asks) {
  if (!store.me.may_operate || run.state === "queued") return null; // what is queued as well holds nothing
  const stop = () => ended(store, store.run.control.replace(store.run.id, run.execution_id), { verb: "stop" });
  return h("button", { class: "button slim danger", type: "button", onclick: () => asks.toStop(stop, run.number) }, icon("player-stop"), interpolate(gettext("Stop run %(n)s"), { n: run.number }));
}

function lessonNamed(store, lesson) {
  const words = interpolate(lesson.teacher ? gettext("Lesson of “%(name)s”, given by %(who)s") : gettext("Lesson of “%(name)s”"), { name: lesson.workflow_name, who: lesson.teacher });
  return store.me.may_design ? h("a", { href: store.run.lesson.replace("/0", `/${lesson.lesson_id}`) }, words) : h("span", {}, words);
}

function lessonEnder(store, lesson, asks) {
  if (!store.me.may_design) return null;
  const end = () => ended(store, store.run.end_lesson.replace("/0/", `/${lesson.lesson_id}/`), {});
  return h("button", { class: "button slim danger", type: "button", onclick: () => asks.toEndLesson(end, lesson.workflow_name) }, icon("player-stop"), gettext("End the lesson"));
}

async function ended(store, url, wish) {
  store.set({ refusal: "" });
  try {
    await post(url, wish);
    await ask(store);
  } catch (refusal) {
    store.set({ refusal: refusal.message });
  }
}
