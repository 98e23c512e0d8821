// The page of one workflow: list, graph and panel show the same choice; the address holds it (#node-…, #edge-…).
import { drawGraph } from "./graph.js";

const container = document.querySelector("[data-graph]");
const sections = [...document.querySelectorAll("[data-sections] > .detail")];
const links = [...document.querySelectorAll("[data-shows]")];
const page = document.querySelector(".workflow-grid");
const narrow = window.matchMedia("(max-width: 767px)");
let graph = null;

function show(id, { focus = false } = {}) {
  const known = sections.some((s) => s.id === id);
  const chosen = known ? id : sections[0].id;
  for (const section of sections) section.hidden = section.id !== chosen;
  for (const link of links) {
    if (link.dataset.shows === chosen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  page.classList.toggle("detail-open", known);
  graph?.choose(chosen);
  const section = document.getElementById(chosen);
  if (focus) section.focus({ preventScroll: true });
  if (narrow.matches && known) section.scrollIntoView();
}

/** On a phone the panel is a page of its own, with a way back; beside the list the address follows silently. */
function choose(id, { focus = false } = {}) {
  if (narrow.matches) {
    location.hash = id;
    return;
  }
  history.replaceState(null, "", `#${id}`);
  show(id, { focus });
}

function hash() {
  return decodeURIComponent(location.hash.slice(1));
}

function draw() {
  if (graph || narrow.matches || !window.dagre) return;
  const data = JSON.parse(document.getElementById(container.dataset.graph).textContent);
  const marks = JSON.parse(document.getElementById("workflow-marks")?.textContent ?? "{}");
  graph = drawGraph(container, data, { onChoose: (id, byKeyboard) => choose(id, { focus: byKeyboard }), marks });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-shows]");
  if (link) {
    event.preventDefault();
    choose(link.dataset.shows, { focus: event.detail === 0 });
  } else if (event.target.closest("[data-back]")) {
    event.preventDefault();
    history.pushState(null, "", location.pathname + location.search);
    show("");
  }
});
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => graph?.zoom(button.dataset.zoom));
}
window.addEventListener("hashchange", () => show(hash()));
window.addEventListener("popstate", () => show(hash()));
narrow.addEventListener("change", () => {
  draw();
  show(hash());
});

document.documentElement.classList.add("js");
draw();
show(hash());
