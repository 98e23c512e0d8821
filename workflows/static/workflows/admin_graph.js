// The graph on a workflow's admin page: a click opens the screen or action there.
import { drawGraph } from "./graph.js";

const container = document.querySelector("[data-graph]");
const data = JSON.parse(document.getElementById(container.dataset.graph).textContent);
const urls = new Map([...data.nodes, ...data.edges].map((item) => [item.id, item.edit]));

drawGraph(container, data, {
  onChoose: (id) => {
    const url = urls.get(id);
    if (url) location.assign(url);
  },
});
