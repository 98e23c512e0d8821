/* The graph of the version with the run in it; the same as a list, for those who do not see it, or where it cannot be drawn. */

import { fill, find, h } from "../../rpa_site/dom.js";
import { quoted } from "../../rpa_site/words.js";
import { emphasised } from "./sentence.js";

/** `scripts` are the addresses of what draws it, in order; they are loaded when it is opened. */
export function graphView(store, scripts) {
  const panel = find("#panel-graph");
  const box = h("div", { class: "graph", "aria-hidden": "true" });
  const list = h("ul", { class: "graph-list" });
  const fold = h("details", { class: "graph-fallback" }, h("summary", {}, gettext("As a list")), list);
  let drawn = null;
  let shown = "";
  fill(panel, box, fold);
  store.onChange(update);

  function update() {
    if (panel.hidden) return;
    const signature = JSON.stringify([store.execution.current_node, store.prompt?.step.edge_id, store.steps.size]);
    if (signature === shown) return;
    shown = signature;
    fill(list, [...store.nodes.values()].map((node) => listed(store, node)));
    if (drawn) mark(drawn, store);
  }

  return async function open() {
    update();
    if (drawn) return void requestAnimationFrame(() => drawn.resize());
    try {
      for (const src of scripts) await load(src);
      drawn = draw(box, store);
      mark(drawn, store);
      show(drawn, store);
    } catch {
      fill(panel, h("p", { class: "muted" }, gettext("The graph could not be drawn; here it is as a list.")), list);
    }
  };
}

function load(src) {
  if (document.querySelector(`script[src="${src}"]`)) return Promise.resolve();
  return new Promise((done, failed) => {
    const script = h("script", { src });
    script.async = false;
    script.addEventListener("load", done);
    script.addEventListener("error", failed);
    document.head.append(script);
  });
}

function listed(store, node) {
  const here = node.id === store.execution.current_node;
  const been = [...store.steps.values()].some((step) => step.node_id === node.id);
  const note = here ? gettext("here now") : been ? gettext("been there") : "";
  return h("li", {},
    h("strong", {}, node.name), note ? h("span", { class: "muted" }, ` · ${note}`) : null,
    h("ul", {}, store.outgoing(node.id).map((edge) => h("li", {}, emphasised(edge.sentence), ` → ${store.nodeName(edge.destination)}`))));
}

function draw(container, store) {
  const widthOf = measure();
  const elements = [
    ...[...store.nodes.values()].map((node) => ({ data: { id: `n-${node.id}`, label: node.name, width: widthOf(node.name) }, classes: node.end ? "end" : "" })),
    ...[...store.edges.values()].map((edge) => ({ data: { id: `e-${edge.id}`, source: `n-${edge.source}`, target: `n-${edge.destination}`, label: quoted(edge.sentence).map(({ part }) => part).join("") } })),
  ];
  const graph = window.cytoscape({
    container, elements, style: looks(), minZoom: 0.2, maxZoom: 2.5, autoungrabify: true, boxSelectionEnabled: false,
    layout: { name: "dagre", rankDir: "TB", nodeSep: 40, rankSep: 44, fit: false },
  });
  document.addEventListener("surehand:theme", () => graph.style(looks()));
  return graph;
}

/** How wide a name is drawn; long ones wrap. */
function measure() {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
  return (name) => Math.min(140, Math.ceil(pen.measureText(name).width));
}

function mark(graph, store) {
  graph.batch(() => {
    graph.elements().removeClass("been here next");
    for (const step of store.steps.values()) {
      graph.$id(`n-${step.node_id}`).addClass("been");
      if (step.success) graph.$id(`e-${step.edge_id}`).addClass("been");
    }
    graph.$id(`n-${store.execution.current_node}`).addClass("here");
    if (store.prompt) graph.$id(`e-${store.prompt.step.edge_id}`).addClass("next");
  });
}

/** Where the run is now, in readable size. */
function show(graph, store) {
  const here = graph.$id(`n-${store.execution.current_node}`);
  if (here.empty()) return void graph.fit(undefined, 16);
  graph.fit(here.closedNeighborhood(), 24);
  if (graph.zoom() > 1.1) graph.zoom(1.1);
  graph.center(here);
}

function looks() {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(`--${name}`).trim();
  const font = getComputedStyle(document.body).fontFamily;
  return [
    { selector: "node", style: { label: "data(label)", shape: "round-rectangle", width: "data(width)", height: 24, padding: 8, "text-valign": "center", "text-wrap": "wrap", "text-max-width": 140, "font-size": 12, "font-family": font, color: colour("ink"), "background-color": colour("card"), "border-width": 1, "border-color": colour("ink-3") } },
    { selector: "node.end", style: { "border-style": "double", "border-width": 4 } },
    { selector: "edge", style: { label: "data(label)", width: 1.5, "curve-style": "bezier", "target-arrow-shape": "triangle", "arrow-scale": 0.9, "line-color": colour("line"), "target-arrow-color": colour("ink-3"), "font-size": 10, "font-family": font, color: colour("ink-2"), "text-background-color": colour("card"), "text-background-opacity": 1, "text-background-padding": 2, "text-wrap": "ellipsis", "text-max-width": 130 } },
    { selector: "node.been", style: { "border-color": colour("green"), "border-width": 2 } },
    { selector: "edge.been", style: { "line-color": colour("green"), "target-arrow-color": colour("green"), width: 2 } },
    { selector: "node.here", style: { "background-color": colour("blue-bg"), "border-color": colour("blue"), "border-width": 3, "font-weight": 600 } },
    { selector: "edge.next", style: { "line-color": colour("blue"), "target-arrow-color": colour("blue"), "line-style": "dashed", width: 2.5, color: colour("ink") } },
  ];
}
