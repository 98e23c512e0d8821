/* Rows from a file: the file stays in its field here, and each choice has the server look at it again. Nothing of it is kept there
   before somebody says yes. */

import { find } from "../rpa_site/dom.js";
import { checkSession } from "../rpa_site/session.js";

const form = find("#list-add");
const preview = find("#bring-preview");
let asked = 0;

async function look(button) {
  const body = new FormData(form);
  body.set("part", "1");
  if (button?.name) body.append(button.name, button.value);
  const mine = ++asked;
  preview.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(location.href, { method: "POST", body, credentials: "same-origin" });
    const markup = await response.text();
    if (mine !== asked) return;
    if (response.redirected || response.status === 403) {
      await checkSession();
      return;
    }
    if (response.headers.has("X-Goes-To")) return void location.assign(response.headers.get("X-Goes-To"));
    if (!response.headers.get("content-type")?.startsWith("text/html") || (!response.ok && response.status !== 422)) throw new Error(response.status);
    const focused = document.activeElement?.name;
    preview.replaceChildren(...new DOMParser().parseFromString(markup, "text/html").body.childNodes);
    if (focused) find(`[name="${CSS.escape(focused)}"]`, preview)?.focus();
  } catch {
    const notice = document.createElement("p");
    notice.className = "notice red";
    notice.setAttribute("role", "alert");
    notice.textContent = form.dataset.failed;
    preview.replaceChildren(notice);
  } finally {
    if (mine === asked) preview.removeAttribute("aria-busy");
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter?.hasAttribute("data-yes")) event.submitter.setAttribute("aria-disabled", "true");
  look(event.submitter);
});

form.addEventListener("change", (event) => {
  if (event.target.matches("#bring-file") && event.target.files.length) find("#bring-text").value = "";
  if (event.target.matches("#bring-file, select, input[type=number]")) look();
});
