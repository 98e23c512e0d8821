"""A published workflow as frozen values: what the run loop reads, free of the ORM.

`GraphSpec.to_json` and `from_json` are the one format of a version's snapshot. Normalised boxes are
(left, top, width, height) as fractions of the taught screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from workflows.parsing import whole_number
from workflows.text import names

NormBox = tuple[float, float, float, float]
NormPoint = tuple[float, float]
LONGEST_PATH = 60  # edges that are told of a run's future
CALL, RETURN = "call_workflow", "return_workflow"  # another workflow is done inside: its begin, its end


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourSpec:
    """A text near the target: the way from the target's centre to its own, in pixels of the taught screen.

    `others` are what reads there as well, in another language or release. `w` and `h` are its size; 0 where nobody kept
    it.
    """

    text: str
    dx: int
    dy: int
    others: tuple[str, ...] = ()
    w: int = 0
    h: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeSpec:
    """An element near the target: its role, the way from the target's centre to its own and its size, in pixels."""

    role: str
    dx: int
    dy: int
    w: int
    h: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSpec:
    """What an edge acts on, described by evidence.

    `picture` and `context` are digests in the picture store: the target itself, and the target with its surroundings.
    `click` is where inside the box to act, as fractions of the box.
    `named_by` is the label that stands beside it and names it. `row` are texts, with {{variables}}, that must stand in
    its own row. It was number `number` of the `alike` things with its text or picture on the taught screen, in reading
    order from 1; 0 where nobody counted. A `number` that is a text, "{{n}}", is what a run wants: that one of its group
    and no other, where `before_first` (a title of the column, a box that ticks all) are not counted;
    `first_offset` is where the middle of the first of all of them was from its own, `next_offset` where that of the
    second was from the first's, in pixels. `scroll_box` is the part of the screen that scrolls and held it.
    What is kept is what all of the `demonstrations` had in common. `needed` are signs that a person wants to be there,
    whatever else speaks for a place: text, picture, named_by, neighbours, shapes. `also` are further looks of it, each
    with evidence of its own: what coaches showed where the taught one was not found. `around` are more of the texts of
    its screen, which tell where it lies; `caption` is where its words lie in its box, as fractions of it; `rank` says
    which it is of how many things of its shape, from 0 in reading order, (0, 0) where nobody counted.
    """

    target_id: str
    label: str
    text: str = ""
    role: str = ""
    picture: str = ""
    context: str = ""
    context_box: NormBox | None = None
    box: NormBox | None = None
    window_box: NormBox | None = None
    window_title: str = ""
    app_name: str = ""
    window_size: tuple[int, int] = (0, 0)
    screen_size: tuple[int, int] = (0, 0)
    click: NormPoint = (0.5, 0.5)
    neighbours: tuple[NeighbourSpec, ...] = ()
    named_by: NeighbourSpec | None = None
    row: tuple[str, ...] = ()
    shapes: tuple[ShapeSpec, ...] = ()
    number: int | str = 0
    before_first: int = 0
    first_offset: tuple[int, int] | None = None
    next_offset: tuple[int, int] | None = None
    alike: int = 0
    scroll_box: NormBox | None = None
    demonstrations: int = 1
    needed: tuple[str, ...] = ()
    also: tuple[TargetSpec, ...] = ()
    around: tuple[NeighbourSpec, ...] = ()
    caption: NormBox | None = None
    rank: tuple[int, int] = (0, 0)

    @property
    def looks(self) -> tuple[TargetSpec, ...]:
        """It as it was taught, and each further look."""
        return (self, *self.also)

    @property
    def number_taught(self) -> int:
        """Which of its like it was when it was taught; 0 where nobody counted, or where a run says which."""
        return 0 if isinstance(self.number, str) else self.number

    @property
    def number_wanted(self) -> str:
        """What says which of its group a run wants, such as "{{n}}"; "" where none does."""
        return self.number if isinstance(self.number, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectSpec:
    """What must be seen before or after an action; texts may hold {{variables}}. Empty: nothing declared."""

    texts: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    window_title: str = ""

    def __bool__(self) -> bool:
        return bool(self.texts or self.gone or self.window_title)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentitySpec:
    """Whose record it must be: `value`, with {{variables}}, must stand at the text `label`, or anywhere if that is "".

    What is not seen is not acted on (S9.6).
    """

    value: str
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PopupSpec:
    """A dialog that may come over any screen, and how to close it: by `keys`, or by a click on the text `click`.

    It is known by its `texts`, all of them, and by its `window_title`, with `*` for any run of characters. It comes
    over the screens of its `scope` alone (see `NodeSpec`).
    """

    name: str
    texts: tuple[str, ...] = ()
    window_title: str = ""
    keys: str = ""
    click: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionSpec:
    """An area of a screen. `kind`: what the node's picture shows there must be there (must), nothing may be read there
    (must_not), or what stands there does not matter (ignore)."""

    box: NormBox
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """A screen state that can be recognised.

    `texts` must be on the screen, `absent` must not; both may hold {{variables}}. `window_title` is matched whole, with
    `*` for any run of characters and {{variables}}; empty means any window. `picture` is the reference's digest,
    `looks` are those of further pictures of the same screen: with a table full and empty, with an area folded.
    `is_common`: it may come at any time, and the run goes on afterwards from where it was.
    `exception`: a run that ends here did not fail, but its work is not possible, for this reason (S12.2).
    `scope` is the call whose workflow it belongs to, by the id of its edge; "" for the workflow's own (`calling`).
    `window_box` is where its window lay on `picture`, None where nobody knows.
    """

    node_id: str
    name: str
    texts: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    window_title: str = ""
    app_name: str = ""
    picture: str = ""
    looks: tuple[str, ...] = ()
    regions: tuple[RegionSpec, ...] = ()
    is_entry: bool = False
    is_end: bool = False
    is_common: bool = False
    exception: str = ""
    scope: str = ""
    window_box: NormBox | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSpec:
    """What must be so of one of the run's values (`workflows.conditions`): `test` of the variable or output `value`.

    `to` is what it is compared with, which may hold {{variables}}: one text, several for `one_of`, none for `empty`.
    """

    value: str
    test: str
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatSpec:
    """The action begins a round that is done for each line of a list, at most `most` times.

    `counter` is the variable that says the line, from 1: the target's {{n}}, and whatever else says {{n}} in a round.
    A round is this action, the actions of the same screen named by their ids in `steps`, and what they lead to, until
    the run is on this screen again. It is done for as long as the line is there and none of the texts `until` is seen.
    """

    counter: str
    most: int
    until: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofSpec:
    """How it is read back that an action was done (S5.9): version `version` of another workflow, which only looks.

    `values` are texts, with {{variables}}, by the names of its variables. `name` is what people call it, once it
    is published.
    """

    workflow: str
    version: int
    values: Mapping[str, str] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSpec:
    """The action that leads from `source` to `destination`.

    One that does another workflow `enters` its first screens: they are in the graph as well, and `destination` is where
    the action leads once that workflow is done. It enters nothing as long as it is only drawn. So does one that has a
    `proof`: the screen that it leads to is where its proof begins and, once that is over, where the run is again.
    """

    edge_id: str
    source: str
    destination: str
    action_type: str
    enters: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    target: TargetSpec | None = None
    before: ExpectSpec = ExpectSpec()
    identity: tuple[IdentitySpec, ...] = ()
    expect: ExpectSpec = ExpectSpec()
    effect_class: str = "undeclared"
    optional: bool = False  # the run may go on where it was not done
    condition: tuple[ConditionSpec, ...] = ()  # all must hold, or the action is left out
    repeat: RepeatSpec | None = None
    proof: ProofSpec | None = None
    retries: int = 2
    retry_backoff_ms: int = 500
    settle_ms: int = 300
    settle_timeout_ms: int = 5000
    order: int = 0

    @property
    def leads_to(self) -> tuple[str, ...]:
        """The screens that may show once it was done: where another workflow begins, for the edge that does it."""
        return (self.enters if self.proof is None else ()) or (self.destination,)

    @property
    def is_read_back(self) -> bool:
        """Whether it counts as verified only once its proof has held."""
        return self.proof is not None and bool(self.enters)

    @property
    def inner_name(self) -> str:
        """What people call the workflow that is done inside: as the action, or as its proof."""
        return self.proof.name if self.proof else str(self.params.get("name", ""))

    @property
    def returns(self) -> bool:
        """Whether a workflow that was done inside another one is done."""
        return self.action_type == RETURN

    @property
    def brings(self) -> tuple[str, ...]:
        """The names under which the values that another workflow reads are known in this one."""
        outputs = self.params.get("outputs") if self.action_type == CALL else None
        return tuple(n for n in outputs.values() if isinstance(n, str) and n) if isinstance(outputs, Mapping) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableSpec:
    """A value that a run is started with. One of a workflow that is done inside another has the `scope` of its screens,
    and nobody is asked for it: it is what the call has `given`, with {{variables}}, or its default.
    """

    name: str
    label: str = ""
    kind: str = "text"
    required: bool = True
    default: str = ""
    example: str = ""
    choices: tuple[str, ...] = ()  # a run takes no other value; empty: any
    scope: str = ""
    given: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSpec:
    workflow_id: str
    name: str
    learning_state: str
    version: int = 0
    nodes: tuple[NodeSpec, ...] = ()
    edges: tuple[EdgeSpec, ...] = ()
    variables: tuple[VariableSpec, ...] = ()
    popups: tuple[PopupSpec, ...] = ()
    already_at_end_is_fine: bool = False
    flags: Mapping[str, Any] = field(default_factory=dict)

    @property
    def entry_nodes(self) -> tuple[str, ...]:
        return tuple(n.node_id for n in self.nodes if n.is_entry)

    @property
    def end_nodes(self) -> tuple[str, ...]:
        return tuple(n.node_id for n in self.nodes if n.is_end)

    def node(self, node_id: str) -> NodeSpec | None:
        return next((n for n in self.nodes if n.node_id == node_id), None)

    def name_of(self, node_id: str) -> str:
        """As people call the node; its id where the graph has none of it."""
        node = self.node(node_id)
        if node is None:
            return node_id
        return f"{self.inside(node_id)}: {node.name}" if node.scope else node.name

    def scope_of(self, node_id: str) -> str:
        """The call whose workflow the screen belongs to; "" for the workflow's own, and for no screen."""
        node = self.node(node_id)
        return node.scope if node else ""

    def inside(self, node_id: str) -> str:
        """What is done there as part of it, as people call it: “Open a record”, with “: ” between those around it."""
        scope = self.scope_of(node_id)
        parts = scope.split("/") if scope else []
        edges = (self.edge("/".join(parts[: n + 1])) for n in range(len(parts)))
        return ": ".join(edge.inner_name for edge in edges if edge)

    def label_of(self, name: str) -> str:
        """One of the run's values as people call it."""
        return next((v.label for v in self.variables if v.name == name and v.label), name)

    def edge(self, edge_id: str) -> EdgeSpec | None:
        return next((e for e in self.edges if e.edge_id == edge_id), None)

    def outgoing(self, node_id: str) -> tuple[EdgeSpec, ...]:
        """The node's edges in the order they are to be tried."""
        return tuple(sorted((e for e in self.edges if e.source == node_id), key=lambda e: (e.order, e.edge_id)))

    @property
    def in_order(self) -> tuple[EdgeSpec, ...]:
        """All edges, as a run comes by them: those of a screen in their order, each followed by what it leads to."""
        found: list[EdgeSpec] = []
        seen: set[str] = set()
        for root in (*self.entry_nodes, *(node.node_id for node in self.nodes)):
            todo = [] if root in seen else [iter(self.outgoing(root))]
            seen.add(root)
            while todo:
                edge = next(todo[-1], None)
                if edge is None:
                    todo.pop()
                    continue
                found.append(edge)
                if edge.destination not in seen:
                    seen.add(edge.destination)
                    todo.append(iter(self.outgoing(edge.destination)))
        return tuple(found)

    def done_at_end(self, node_id: str) -> tuple[EdgeSpec, ...]:
        """What is done on a screen that is an end before a run is over there: steps that all stay on it, and those that
        are done for each line of its list. Nothing where a step leads on otherwise."""
        edges = self.outgoing(node_id)
        rounds = {i for e in edges if e.repeat for i in (e.edge_id, *e.repeat.steps)}
        return edges if all(e.destination == node_id or e.edge_id in rounds for e in edges) else ()

    def round_trip(self, node_id: str) -> tuple[EdgeSpec, ...]:
        """The steps of which one was done where a run has been away from a screen: those that lead from it, where the
        run begins there or they lead back, and those that lead back. Empty where what leads on leads elsewhere."""
        leaving = [edge for edge in self.outgoing(node_id) if edge.destination != node_id]
        away = self.reachable(to for edge in leaving for to in edge.leads_to)
        back = [e for e in self.edges if e.destination == node_id != e.source and e.source in away]
        return (*leaving, *back) if back or node_id in self.entry_nodes else ()

    def reachable(self, roots: Iterable[str] | None = None) -> frozenset[str]:
        """Nodes that can be reached from `roots` (default: the entry nodes), the roots among them."""
        seen: set[str] = set()
        todo = list(self.entry_nodes if roots is None else roots)
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(n for e in self.edges if e.source == node for n in (e.destination, *e.enters))
        return frozenset(seen)

    def likely_path(self, node_id: str) -> tuple[EdgeSpec, ...]:
        """What is done on each node from `node_id` on, until an end, a node without a way on, or a ring.

        That are the edges that lead back to the node, in their order, up to the first one that leads on. What
        a workflow does that is done inside follows the edge that enters it. A run that ends where it begins goes on
        from there first.
        """
        path: list[EdgeSpec] = []
        seen: set[str] = set()
        begins = node_id if node_id in self.entry_nodes else ""
        while node_id and node_id not in seen and len(path) < LONGEST_PATH:
            if node_id in self.end_nodes and (seen or node_id != begins):
                break
            seen.add(node_id)
            edges = self.outgoing(node_id)
            if not edges:
                break
            onward = next((n for n, edge in enumerate(edges) if edge.destination != node_id), len(edges) - 1)
            for edge in edges[: onward + 1]:
                path += [edge, *(self.likely_path(edge.enters[0]) if edge.enters else ())]
            node_id = edges[onward].destination if not edges[onward].returns else ""
        return tuple(path[:LONGEST_PATH])

    def pictures(self) -> frozenset[str]:
        """Digests of every picture the graph refers to."""
        digests = {digest for n in self.nodes for digest in (n.picture, *n.looks)}
        looks = [look for e in self.edges if e.target for look in e.target.looks]
        digests |= {d for look in looks for d in (look.picture, look.context)}
        return frozenset(digests - {""})

    @property
    def counters(self) -> frozenset[str]:
        """The values that a repetition counts by itself."""
        return frozenset(e.repeat.counter for e in self.edges if e.repeat)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind (`VariableKind`) of each value that a run has, by name: those it is given, and those it comes to."""
        given = {v.name: v.kind for v in self.variables}
        return {**dict.fromkeys(self.counters, "number"), **self.outputs, **given}

    @property
    def outputs(self) -> dict[str, str]:
        """The kinds of the values that are read on the way, by name; {{name}} is one of them from then on."""
        return {**{name: "text" for e in self.edges if not e.enters for name in e.brings}, **_read(self.edges)}

    @property
    def inner_values(self) -> frozenset[str]:
        """The values that stay inside the workflows that are done in this one."""
        scopes = {node.node_id: node.scope for node in self.nodes}
        own = [edge for edge in self.edges if not scopes.get(edge.source)]
        kept = _read(own).keys() | {name for edge in own for name in edge.brings}
        read = _read(edge for edge in self.edges if scopes.get(edge.source)).keys()
        return frozenset({*read, *(v.name for v in self.variables if v.scope)} - kept)

    @property
    def results(self) -> dict[str, str]:
        """The kinds of the values that a run brings, by name: those that it reads for itself."""
        return {name: kind for name, kind in self.outputs.items() if name not in self.inner_values}

    @property
    def asked(self) -> tuple[VariableSpec, ...]:
        """The variables that a run is asked for."""
        return tuple(v for v in self.variables if not v.scope)

    @property
    def calls(self) -> tuple[EdgeSpec, ...]:
        """The edges that do another workflow, or are proved by one."""
        return tuple(e for e in self.edges if e.action_type == CALL or e.proof)

    @property
    def counting_variables(self) -> frozenset[str]:
        """The variables that say which of several a run wants (`TargetSpec.number_wanted`)."""
        return names([e.target.number_wanted for e in self.edges if e.target])

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        for edge in data["edges"]:
            if edge["proof"] is None:  # what was published before there were proofs stays the same
                del edge["proof"]
        for node in data["nodes"]:
            if not node["exception"]:  # nor before there were exceptions
                del node["exception"]
            if node["window_box"] is None:
                del node["window_box"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> GraphSpec:
        return cls(
            **_plain(cls, data, skip=("nodes", "edges", "variables", "popups")),
            nodes=tuple(_node(n) for n in data.get("nodes", ())),
            edges=tuple(_edge(e) for e in data.get("edges", ())),
            variables=tuple(VariableSpec(**_plain(VariableSpec, v)) for v in data.get("variables", ())),
            popups=tuple(PopupSpec(**_plain(PopupSpec, p)) for p in data.get("popups", ())),
        )


def _read(edges: Iterable[EdgeSpec]) -> dict[str, str]:
    """The kinds of the values that the edges read, by name."""
    read = [edge.params for edge in edges if edge.action_type == "read_value"]
    named = ((params.get("name"), str(params.get("kind") or "text")) for params in read)
    return {name: kind for name, kind in named if isinstance(name, str) and name}


def _plain(kind: type, data: Mapping[str, Any], skip: tuple[str, ...] = ()) -> dict[str, Any]:
    """The fields of `kind` found in `data`; JSON lists become tuples. Unknown keys are left, for newer snapshots."""
    names = {f.name for f in fields(kind)} - set(skip)
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items() if k in names}


def _node(data: Mapping[str, Any]) -> NodeSpec:
    regions = tuple(RegionSpec(**_plain(RegionSpec, r)) for r in data.get("regions", ()))
    return NodeSpec(**_plain(NodeSpec, data, skip=("regions",)), regions=regions)


def _edge(data: Mapping[str, Any]) -> EdgeSpec:
    target = data.get("target")
    return EdgeSpec(
        **_plain(EdgeSpec, data, skip=("target", "before", "identity", "expect", "condition", "repeat", "proof")),
        target=target_from_json(target) if target else None,
        before=ExpectSpec(**_plain(ExpectSpec, data.get("before") or {})),
        identity=tuple(IdentitySpec(**_plain(IdentitySpec, i)) for i in data.get("identity", ())),
        expect=ExpectSpec(**_plain(ExpectSpec, data.get("expect") or {})),
        condition=tuple(ConditionSpec(**_plain(ConditionSpec, c)) for c in data.get("condition", ())),
        repeat=RepeatSpec(**_plain(RepeatSpec, repeat)) if (repeat := data.get("repeat")) else None,
        proof=ProofSpec(**_plain(ProofSpec, proof)) if (proof := data.get("proof")) else None,
    )


def target_from_json(data: Mapping[str, Any]) -> TargetSpec:
    named_by = data.get("named_by")
    return TargetSpec(
        **_plain(TargetSpec, data, skip=("neighbours", "named_by", "shapes", "number", "also", "around")),
        number=number_in(data.get("number")),
        neighbours=tuple(NeighbourSpec(**_plain(NeighbourSpec, n)) for n in data.get("neighbours", ())),
        around=tuple(NeighbourSpec(**_plain(NeighbourSpec, n)) for n in data.get("around", ())),
        named_by=NeighbourSpec(**_plain(NeighbourSpec, named_by)) if named_by else None,
        shapes=tuple(ShapeSpec(**_plain(ShapeSpec, s)) for s in data.get("shapes", ())),
        also=tuple(target_from_json(look) for look in data.get("also") or ()),
    )


def number_in(value: Any) -> int | str:
    """Which of its like, as JSON or a person wrote it: a count from 0, or a text that is none ("{{n}}", or a fault)."""
    if isinstance(value, str):
        number = whole_number(value.strip())
        return number if number is not None else value.strip() or 0
    return max(0, int(value)) if isinstance(value, int | float) and not isinstance(value, bool) else 0
