/* The runs page: answers on the cards, rows that open by a click anywhere. */

import { all, find, text } from "../rpa_site/dom.js";
import { refresh } from "../rpa_site/board.js";
import { post } from "../rpa_site/post.js";

document.addEventListener("click", (event) => {
  const answer = event.target.closest("[data-answer]");
  if (answer) return void decide(answer);
  const stop = event.target.closest("[data-stop]");
  if (stop) return void askToStop(stop);
  const row = event.target.closest("tr[data-href]");
  if (row && !event.target.closest("a, button") && !getSelection().toString()) location.assign(row.dataset.href);
});

// --- the pictures of the cards -----------------------------------------------------------------------------------------
const FILLS = 0.7; // of the card's picture, at most: the rest is what stands around it

/** As near to what is to be touched as it can be shown whole, with its surroundings. */
function near(shot) {
  const [image, spot, frame] = [find("img", shot), find(".card-spot", shot), shot.parentElement];
  if (!image.naturalWidth) return void image.addEventListener("load", () => near(shot), { once: true });
  const [x, y, w, h] = shot.dataset.box.split(" ").map(Number);
  const [width, room] = [frame.clientWidth, frame.clientHeight];
  const height = (width * image.naturalHeight) / image.naturalWidth;
  const zoom = Math.max(1, Math.min(image.naturalWidth / width, (FILLS * width) / (w * width), (FILLS * room) / (h * height)));
  const along = (centre, size, span) => (zoom * size < span ? (span - zoom * size) / 2 : Math.min(0, Math.max(span - zoom * size, span / 2 - zoom * centre)));
  Object.assign(shot.style, { transform: `translate(${along((x + w / 2) * width, width, width)}px, ${along((y + h / 2) * height, height, room)}px) scale(${zoom})` });
  shot.style.setProperty("--near", zoom);
  Object.assign(spot.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` });
}

const allNear = () => all(".card-shot[data-box]").forEach(near);
allNear();
addEventListener("resize", allNear);

// --- answers -----------------------------------------------------------------------------------------------------------
const answered = new Set(); // prompts that were answered here, until the server no longer shows them

/** After a refresh a card is off only if its question is the one that was answered. */
document.addEventListener("surehand:board", () => {
  allNear();
  for (const card of all(".card-needs")) {
    const buttons = all("button", card);
    const off = buttons.some((b) => answered.has(key(b)));
    for (const b of buttons) b.disabled = off;
    card.classList.toggle("answered", off);
    if (!off) text(find("[data-said]", card), "");
  }
});

const key = (button) => button.dataset.prompt ?? button.dataset.url;

function decide(button) {
  const body = { prompt_id: Number(button.dataset.prompt), choice: button.dataset.answer };
  return ask(button, body, gettext("Accepted. The robot goes on."));
}

function askToStop(button) {
  const dialog = find("#stop-dialog");
  const title = find("[data-title]", dialog);
  text(title, title.dataset.title.replace("%(n)s", button.dataset.number));
  dialog.returnValue = "no";
  dialog.showModal();
  dialog.addEventListener("close", () => dialog.returnValue === "stop" && ask(button, { verb: "stop" }, gettext("The run will stop before its next action.")), { once: true });
}

/** The buttons of the card are off until the server has said who won; it then says so in words. */
async function ask(button, body, done) {
  const card = button.closest(".card-needs");
  const said = find("[data-said]", card);
  const buttons = all("button", card);
  for (const b of buttons) b.disabled = true;
  card.classList.add("answered");
  answered.add(key(button));
  try {
    await post(button.dataset.url, body);
    said.classList.add("fine");
    text(said, done);
  } catch (refusal) {
    said.classList.remove("fine");
    text(said, refusal.message);
    if (refusal.status !== 409) {
      answered.delete(key(button));
      for (const b of buttons) b.disabled = false;
      card.classList.remove("answered");
      return; // the sentence stays beside the buttons until it is tried again
    }
  }
  refresh();
}
