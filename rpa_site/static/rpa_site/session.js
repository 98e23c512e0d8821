/* The end of the session: the page says so, hides what it showed, and goes on by itself once the same person is logged in. */

import { find } from "./dom.js";

let over = false;

export const isOver = () => over;

/** The session has ended: say so once, however many parts of the page notice. */
export function sessionEnded() {
  const banner = find("#session-over");
  if (over || !banner) return;
  over = true;
  const link = find("a", banner);
  const login = new URL(link.href);
  login.searchParams.set("next", location.pathname + location.search);
  link.href = login;
  // what is being typed stays where it is: the login opens beside it
  if (find("form.correct-sheet")) link.target = "_blank";
  banner.hidden = false;
  document.body.classList.add("session-over");
  document.dispatchEvent(new CustomEvent("surehand:session-over"));
}

/** Whether the login has ended; asks the server, and says it on the page where it has. */
export async function checkSession() {
  const page = await ask().catch(() => null);
  if (page?.type === "opaqueredirect") sessionEnded();
  return over;
}

const ask = () => fetch(location.href, { credentials: "same-origin", redirect: "manual", cache: "no-store", headers: { Accept: "text/html" } });

/** Somebody may have logged in, in another tab: then the page goes on, or is loaded anew where it is another person. */
async function comeBack() {
  if (!over || document.hidden) return;
  const page = await ask().catch(() => null);
  if (!page?.ok) return;
  const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
  const who = (root) => find(".topbar", root)?.dataset.user;
  if (!who(fresh) || who(fresh) !== who(document)) return void location.reload();
  const token = 'meta[name="csrf-token"]';
  find(token).content = find(token, fresh).content; // a login changes it
  over = false;
  find("#session-over").hidden = true;
  document.body.classList.remove("session-over");
  document.dispatchEvent(new CustomEvent("surehand:session-back"));
}
addEventListener("focus", comeBack);
document.addEventListener("visibilitychange", comeBack);
