// Where the screens and actions of a drawing stand: dagre's layers, broken into lines where that shows them larger.

const CARD = { width: 184, height: 132 }; // as in graph.css

/** dagre's places and ways: nodes by id, edges by id, with the size of the whole. */
function laidOut(data, items, rankdir) {
  const graph = new window.dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir, nodesep: 32, ranksep: 28, edgesep: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const size = new Map(items.map((i) => [i.dataset.id, { width: i.offsetWidth, height: i.offsetHeight }]));
  for (const node of data.nodes) graph.setNode(node.id, { ...CARD });
  for (const edge of data.edges) {
    graph.setEdge(edge.source, edge.target, { ...size.get(edge.id), labelpos: "c" }, edge.id);
  }
  window.dagre.layout(graph);
  return {
    nodes: new Map(data.nodes.map((n) => [n.id, graph.node(n.id)])),
    edges: new Map(data.edges.map((e) => [e.id, { ...e, ...graph.edge(e.source, e.target, e.id) }])),
  };
}

/** Top to bottom, or left to right in as many lines as it takes: whichever can be shown largest. */
export function best(container, data, items) {
  const across = laidOut(data, items, "LR");
  const columns = [...new Set([...across.nodes.values()].map((n) => n.x))].sort((a, b) => a - b);
  const layouts = [bounded(laidOut(data, items, "TB"))];
  for (let perLine = 2; perLine <= columns.length; perLine += 1) {
    layouts.push(bounded(folded(across, columns, perLine)));
  }
  const scale = (l) => Math.min(container.clientWidth / l.width, container.clientHeight / l.height, 1);
  return layouts.reduce((one, other) => (scale(other) > scale(one) + 0.02 ? other : one));
}

/** A left-to-right layout broken into lines of `perLine` columns, as text is. */
function folded(across, columns, perLine) {
  const lineOf = (node) => Math.floor(columns.indexOf(node.x) / perLine);
  const lines = Array.from({ length: Math.ceil(columns.length / perLine) }, (_, i) => ({
    left: columns[i * perLine] - CARD.width / 2, top: Infinity, bottom: -Infinity, crossing: 0, leaving: 0,
  }));
  const stretch = (line, y, half) => {
    line.top = Math.min(line.top, y - half);
    line.bottom = Math.max(line.bottom, y + half);
  };
  for (const node of across.nodes.values()) stretch(lines[lineOf(node)], node.y, node.height / 2);
  const ends = (edge) => [across.nodes.get(edge.source), across.nodes.get(edge.target)];
  for (const edge of across.edges.values()) {
    const [from, to] = ends(edge).map(lineOf);
    if (from !== to) Object.assign(edge, { order: lines[to].crossing++, lane: lines[from].leaving++ });
    else for (const point of [...edge.points, edge]) stretch(lines[from], point.y, 12);
  }
  let y = 0;
  for (const line of lines) {
    y += line.crossing ? 12 + line.crossing * 26 : 0; // room for the ways that come from another line
    line.shift = y - line.top;
    y += line.bottom - line.top + 22;
  }
  const move = ({ x, y: down, ...rest }, line) => ({ ...rest, x: x - line.left, y: down + line.shift });
  const nodes = new Map([...across.nodes].map(([id, node]) => [id, move(node, lines[lineOf(node)])]));
  const edges = new Map([...across.edges].map(([id, edge]) => {
    const [from, to] = ends(edge).map((n) => lines[lineOf(n)]);
    if (from !== to) return [id, around(edge, nodes, to.top + to.shift - 20 - edge.order * 26)];
    return [id, { ...move(edge, from), points: edge.points.map((p) => move(p, from)) }];
  }));
  return { nodes, edges };
}

/** From the end of one line round to the beginning of another, above it at `y`. */
function around(edge, nodes, y) {
  const [from, to] = [nodes.get(edge.source), nodes.get(edge.target)];
  const out = from.x + CARD.width / 2;
  const into = to.x - CARD.width / 2;
  const turn = out + 16 + edge.lane * 10;
  const points = [
    { x: out, y: from.y }, { x: turn, y: from.y }, { x: turn, y },
    { x: into - 18, y }, { x: into - 18, y: to.y }, { x: into, y: to.y },
  ];
  return { ...edge, points, square: true, x: (turn + into) / 2, y };
}

/** The layout moved so that nothing lies left of or above the margin, with its size. */
function bounded({ nodes, edges }) {
  const boxes = [...nodes.values(), ...edges.values()];
  const points = [...edges.values()].flatMap((e) => e.points);
  const xs = [...boxes.flatMap((b) => [b.x - b.width / 2, b.x + b.width / 2]), ...points.map((p) => p.x)];
  const ys = [...boxes.flatMap((b) => [b.y - b.height / 2, b.y + b.height / 2]), ...points.map((p) => p.y)];
  const margin = 24;
  const [dx, dy] = [margin - Math.min(...xs), margin - Math.min(...ys)];
  const move = (item) => ({ ...item, x: item.x + dx, y: item.y + dy });
  return {
    width: Math.max(...xs) + dx + margin,
    height: Math.max(...ys) + dy + margin,
    nodes: new Map([...nodes].map(([id, node]) => [id, move(node)])),
    edges: new Map([...edges].map(([id, edge]) => [id, { ...move(edge), points: edge.points.map(move) }])),
  };
}
