// A workflow drawn: screens as cards with their picture, actions as arrows with their sentence.
// Cards and sentences are links, so keyboard, focus and screen readers work as on any page; dagre gives the places.

import { best } from "./graph_layout.js";

const ZOOM = { least: 0.3, most: 1.5, readable: 0.55 };
const SVG = "http://www.w3.org/2000/svg";

/**
 * Draw `data` ({nodes, edges}) into `container`. `onChoose(id, byKeyboard)` hears of a chosen card or sentence.
 * `marks` are what there is to say of some of them: {id: {word, said, changed}}.
 * Gives back {choose(id), zoom("in" | "out" | "fit")}.
 */
export function drawGraph(container, data, { onChoose = () => {}, marks = {} } = {}) {
  const world = make("div", "graph-world");
  const lines = svg("svg", { class: "graph-lines", "aria-hidden": "true" });
  lines.append(arrowHeads());
  world.append(lines);
  container.replaceChildren(world);
  const items = [...data.nodes.map(card), ...data.edges.map(label)];
  for (const item of items) if (marks[item.dataset.id]) item.append(mark(marks[item.dataset.id]));
  world.append(...items);

  const layout = best(container, data, items);
  place(layout, world, lines);
  const view = new View(container, world, layout);
  roam(container, items, view, onChoose);
  view.fit();

  return {
    choose(id) {
      for (const item of items) setCurrent(item, item.dataset.id === id);
      for (const line of lines.querySelectorAll("[data-id]")) {
        line.classList.toggle("chosen", line.dataset.id === id);
        line.setAttribute("marker-end", line.dataset.id === id ? "url(#graph-arrow-chosen)" : "url(#graph-arrow)");
      }
      const item = items.find((i) => i.dataset.id === id);
      if (item) view.show(item);
    },
    zoom: (how) => view.zoom(how),
  };
}

function card(node) {
  const link = make("a", "graph-card");
  link.href = `#${node.id}`;
  link.dataset.id = node.id;
  const picture = make("span", "graph-picture");
  if (node.picture) {
    const image = make("img");
    image.src = node.picture;
    image.alt = "";
    image.draggable = false;
    picture.append(image);
  } else {
    const signs = make("span", "graph-signs"); // no picture: what it is recognised by, in words
    signs.textContent = node.signs;
    signs.setAttribute("aria-hidden", "true");
    picture.append(signs);
  }
  const name = make("span", "graph-name");
  name.textContent = node.label;
  name.title = node.label;
  link.append(picture, name);
  link.classList.toggle("entry", node.entry);
  link.classList.toggle("end", node.end);
  return link;
}

function label(edge) {
  const link = make("a", "graph-label");
  link.href = `#${edge.id}`;
  link.dataset.id = edge.id;
  link.textContent = edge.label;
  return link;
}

function mark({ word, said, changed }) {
  const sign = make("span", changed ? "graph-mark changed" : "graph-mark");
  sign.textContent = word;
  sign.title = said;
  return sign;
}

function setCurrent(item, current) {
  if (current) item.setAttribute("aria-current", "true");
  else item.removeAttribute("aria-current");
}

function place(layout, world, lines) {
  world.style.width = `${layout.width}px`;
  world.style.height = `${layout.height}px`;
  lines.setAttribute("width", layout.width);
  lines.setAttribute("height", layout.height);
  for (const [id, { x, y }] of [...layout.nodes, ...layout.edges]) {
    const item = world.querySelector(`[data-id="${CSS.escape(id)}"]`);
    item.style.left = `${x - item.offsetWidth / 2}px`;
    item.style.top = `${y - item.offsetHeight / 2}px`;
  }
  for (const [id, edge] of layout.edges) {
    const d = edge.square ? cornered(edge.points) : curve(edge.points);
    lines.append(svg("path", { d, "data-id": id, "marker-end": "url(#graph-arrow)" }));
  }
}

/** A soft line through dagre's points: straight ends, bends rounded through the middles. */
function curve(points) {
  const [first, ...rest] = points;
  const last = rest[rest.length - 1];
  let path = `M${first.x},${first.y}`;
  for (let i = 0; i < rest.length - 1; i += 1) {
    const middle = { x: (rest[i].x + rest[i + 1].x) / 2, y: (rest[i].y + rest[i + 1].y) / 2 };
    path += ` Q${rest[i].x},${rest[i].y} ${middle.x},${middle.y}`;
  }
  return `${path} L${last.x},${last.y}`;
}

/** Right angles with rounded corners. */
function cornered(points) {
  let path = `M${points[0].x},${points[0].y}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const corner = points[i];
    const before = towards(corner, points[i - 1]);
    const after = towards(corner, points[i + 1]);
    path += ` L${before.x},${before.y} Q${corner.x},${corner.y} ${after.x},${after.y}`;
  }
  const last = points[points.length - 1];
  return `${path} L${last.x},${last.y}`;
}

function towards(corner, other) {
  const [dx, dy] = [other.x - corner.x, other.y - corner.y];
  const length = Math.hypot(dx, dy) || 1;
  const step = Math.min(8, length / 2);
  return { x: corner.x + (dx * step) / length, y: corner.y + (dy * step) / length };
}

function arrowHeads() {
  const defs = svg("defs", {});
  for (const name of ["graph-arrow", "graph-arrow-chosen"]) {
    const marker = svg("marker", {
      id: name, class: name, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto",
    });
    marker.append(svg("path", { d: "M0,0 L10,5 L0,10 z" }));
    defs.append(marker);
  }
  return defs;
}

/** What part of the drawing is seen, and how large. */
class View {
  constructor(container, world, size) {
    Object.assign(this, { container, world, size, scale: 1, x: 0, y: 0 });
    this.#drag();
    container.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.container;
    const all = Math.min(width / this.size.width, height / this.size.height, 1);
    this.scale = Math.max(all, ZOOM.readable);
    this.x = Math.max((width - this.size.width * this.scale) / 2, 0);
    this.y = Math.max((height - this.size.height * this.scale) / 2, 0);
    this.#apply();
  }

  zoom(how) {
    if (how === "fit") this.#all();
    else this.#scaleAt(how === "in" ? 1.25 : 0.8, this.container.clientWidth / 2, this.container.clientHeight / 2);
  }

  /** Move just so far that `item` is in sight. */
  show(item) {
    const margin = 16;
    const box = item.getBoundingClientRect();
    const frame = this.container.getBoundingClientRect();
    this.x += inside(box.left - frame.left, box.right - frame.left, frame.width, margin);
    this.y += inside(box.top - frame.top, box.bottom - frame.top, frame.height, margin);
    this.#apply();
  }

  #all() {
    const { clientWidth: width, clientHeight: height } = this.container;
    this.scale = Math.max(Math.min(width / this.size.width, height / this.size.height, 1), ZOOM.least);
    this.x = (width - this.size.width * this.scale) / 2;
    this.y = (height - this.size.height * this.scale) / 2;
    this.#apply();
  }

  #scaleAt(factor, x, y) {
    const scale = Math.min(Math.max(this.scale * factor, ZOOM.least), ZOOM.most);
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.#apply();
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls; with Ctrl the drawing zooms
    event.preventDefault();
    const frame = this.container.getBoundingClientRect();
    this.#scaleAt(event.deltaY < 0 ? 1.1 : 0.9, event.clientX - frame.left, event.clientY - frame.top);
  }

  #drag() {
    let from = null;
    this.container.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && !event.target.closest("a")) {
        from = { x: event.clientX - this.x, y: event.clientY - this.y };
        this.container.setPointerCapture(event.pointerId);
        this.container.classList.add("dragging");
      }
    });
    this.container.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.x = event.clientX - from.x;
      this.y = event.clientY - from.y;
      this.#apply();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.container.addEventListener(end, () => {
        from = null;
        this.container.classList.remove("dragging");
      });
    }
  }

  #apply() {
    this.world.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
  }
}

function inside(start, end, length, margin) {
  if (end - start > length - 2 * margin || start < margin) return margin - start;
  return end > length - margin ? length - margin - end : 0;
}

/** One stop for the Tab key; arrow keys go from item to item. */
function roam(container, items, view, onChoose) {
  const stop = (item) => items.forEach((i) => (i.tabIndex = i === item ? 0 : -1));
  stop(items[0]);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  const zooms = { "+": "in", "-": "out", 0: "fit" };
  container.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = items.indexOf(document.activeElement);
    if (event.key in steps && at >= 0) {
      event.preventDefault();
      items[Math.min(Math.max(at + steps[event.key], 0), items.length - 1)].focus({ preventScroll: true });
    } else if (event.key in zooms) {
      event.preventDefault();
      view.zoom(zooms[event.key]);
    }
  });
  container.addEventListener("focusin", (event) => {
    const item = event.target.closest("[data-id]");
    if (!item) return;
    stop(item);
    if (item.matches(":focus-visible")) view.show(item);
  });
  container.addEventListener("click", (event) => {
    const item = event.target.closest("a[data-id]");
    if (!item) return;
    event.preventDefault();
    onChoose(item.dataset.id, event.detail === 0);
  });
}

function make(name, css = "") {
  const element = document.createElement(name);
  if (css) element.className = css;
  return element;
}

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
