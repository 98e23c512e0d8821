/* Why no robot has the run yet, and which runs it waits for; or that its robot has gone. What changes it are other runs, which this one's stream does
   not tell of: it is asked for while somebody looks. */

import { h } from "../../rpa_site/dom.js";
import { say, word } from "../../rpa_site/words.js";

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

export function behind(store) {
  const { behind: runs, ahead } = store.waiting;
  if (!runs.length) return null;
  const more = ahead - runs.filter((run) => run.state === "queued").length;
  return h("ul", { class: "likely behind", "aria-label": say("queued_behind") },
    runs.map((run) => h("li", {}, h("a", { href: store.run.page.replace(store.run.id, run.execution_id) }, say("queued_run", { name: run.workflow_name, n: run.number })), h("span", { class: "muted" }, ` · ${word("state", run.state)}`))),
    more > 0 ? h("li", { class: "muted" }, say("queued_more", { n: more })) : null);
}
