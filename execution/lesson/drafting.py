"""The rows of the graph that a lesson writes: nodes, edges, targets, variables, with ids that people can read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, count
from typing import Any

from django.db.models import Max

from execution.teaching.values import put_back, tells_anywhere, tells_by_itself
from workflows.graph import ExpectSpec, GraphSpec, TargetSpec
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of, nodes_of, target_columns

LONGEST_ID = 40
_LONGEST_NAME = 200


class Draft:
    """One workflow's editable rows."""

    def __init__(self, workflow: Workflow, store: PictureStore) -> None:
        self.workflow, self.store = workflow, store
        self._new_variables: dict[str, list[tuple[int, str]]] = {}  # since a step was kept last; where each was put

    def graph(self) -> GraphSpec:
        return graph_of(self.workflow)

    def nodes(self) -> list[Node]:
        return nodes_of(self.workflow)

    def add_node(self, *, name: str, picture: str, **columns: Any) -> Node:
        """A screen that was not there; the first one is where a run begins."""
        name = self._new_name(name[:_LONGEST_NAME])
        return Node.objects.create(
            workflow=self.workflow,
            node_id=new_id(name, self.workflow.nodes.values_list("node_id", flat=True), else_="screen"),
            name=name,
            reference=self.picture(picture),
            is_entry=not self.workflow.nodes.filter(is_entry=True).exists(),
            **columns,
        )

    def add_look(self, node: Node, digest: str) -> None:
        picture = self.picture(digest)
        if picture is not None and (node.reference is None or node.reference.digest != digest):
            node.looks.add(picture)

    def add_target(self, spec: TargetSpec) -> Target:
        taken = self.workflow.targets.values_list("target_id", flat=True)
        columns = target_columns(spec)
        columns["target_id"] = new_id(spec.label or spec.role, taken, else_="target", prefix="t_")
        columns["label"] = columns["label"][:200]
        columns["text"] = columns["text"][:300]
        return Target.objects.create(
            workflow=self.workflow, picture=self.picture(spec.picture), context=self.picture(spec.context), **columns
        )

    def change_target(self, target: Target, spec: TargetSpec) -> None:
        """What it is known by is another; its id and name stay."""
        columns = {**target_columns(spec), "target_id": target.target_id, "label": target.label}
        for name, value in columns.items():
            setattr(target, name, value)
        target.picture, target.context = self.picture(spec.picture), self.picture(spec.context)
        target.save()

    def add_edge(
        self,
        source: Node,
        destination: Node,
        *,
        action_type: str,
        params: Mapping[str, Any],
        target: Target | None = None,
        called: str = "",
    ) -> Edge:
        """The next act of `source`: the last of its order so far."""
        last = source.outgoing.aggregate(last=Max("order"))["last"]
        return Edge.objects.create(
            workflow=self.workflow,
            edge_id=new_id(
                f"{action_type} {called}", self.workflow.edges.values_list("edge_id", flat=True), else_="step"
            ),
            source=source,
            destination=destination,
            action_type=action_type,
            params=dict(params),
            target=target,
            order=0 if last is None else last + 1,
        )

    def change_edge(self, edge: Edge, *, action_type: str, params: Mapping[str, Any], called: str) -> Edge:
        """The same place in the graph, another act."""
        edge.action_type, edge.params = action_type, dict(params)
        taken = self.workflow.edges.exclude(pk=edge.pk).values_list("edge_id", flat=True)
        edge.edge_id = new_id(f"{action_type} {called}", taken, else_="step")
        edge.save()
        return edge

    def expect(self, edge: Edge, before: ExpectSpec, after: ExpectSpec) -> None:
        edge.before, edge.expect = _stored(before), _stored(after)
        edge.save(update_fields=["before", "expect"])

    def lead(self, edge: Edge, destination: Node) -> None:
        edge.destination = destination
        edge.save(update_fields=["destination"])

    def add_variable(self, name: str, *, label: str = "", kind: str = "text", example: str = "") -> Variable:
        """One of that name; the one that is there where there is one."""
        order = (self.workflow.variables.aggregate(last=Max("order"))["last"] or 0) + 1
        made, _is_new = Variable.objects.get_or_create(
            workflow=self.workflow,
            name=name,
            defaults={"label": label or name, "kind": kind, "example": example, "order": order},
        )
        return made

    def add_variable_of_step(self, name: str, **more: str) -> None:
        """The same for the step that is kept next: where it is new it goes with that one."""
        if not self.workflow.variables.filter(name=name).exists():
            self.add_variable(name, **more)
            self._new_variables[name] = []

    def put(self, name: str, text: str) -> None:
        """The variable in the place of a text, wherever that is typed."""
        for edge in self.workflow.edges.filter(action_type="type_text", params__text=text):
            edge.params = {**edge.params, "text": "{{" + name + "}}"}
            edge.save(update_fields=["params"])
            if name in self._new_variables:
                self._new_variables[name].append((edge.pk, text))
        declare(self.workflow, name, text)

    def new_variables(self) -> dict[str, list[tuple[int, str]]]:
        """Those that were made for the step that is kept now, each with the edges in which it stands for a text; told
        once."""
        new, self._new_variables = self._new_variables, {}
        return new

    def picture(self, digest: str) -> Picture | None:
        """The row of a stored picture; None for no picture. Raises PictureMissing."""
        if not digest:
            return None
        known = Picture.objects.filter(digest=digest).first()
        if known is not None:
            return known
        height, width = self.store.get(digest).shape[:2]
        return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]

    def _new_name(self, name: str) -> str:
        taken = set(self.workflow.nodes.values_list("name", flat=True))
        return free(name, taken, "{} ({})")


def declare(workflow: Workflow, name: str, value: str) -> None:
    """What is declared to be seen says the variable where its value stood: another run shows another one there. A word
    that programs have, such as an option's, may stand there whatever the run's value is."""
    if not tells_anywhere(value) and (not tells_by_itself(value) or len(value.split()) < 2):
        return
    for edge in workflow.edges.exclude(expect={}, before={}):
        for spec in (edge.expect, edge.before):
            spec.update({key: _with_variable(said, {name: value}) for key, said in spec.items()})
        edge.save(update_fields=["expect", "before"])


def _with_variable(said: str | list[str], value: Mapping[str, str]) -> str | list[str]:
    return put_back(said, value) if isinstance(said, str) else [put_back(text, value) for text in said]


def _stored(spec: ExpectSpec) -> dict[str, Any]:
    return {key: value for key, value in asdict(spec).items() if value} if spec else {}


def id_words(called: str) -> str:
    """What a thing is called, as it stands in an id."""
    plain = unicodedata.normalize("NFKD", called).encode("ascii", "ignore").decode().lower()
    return "_".join(re.findall("[a-z0-9]+", plain))


def free(name: str, taken: Container[str], numbered: str = "{}_{}") -> str:
    """The name itself, or the first that is free with a number."""
    return next(n for n in chain([name], (numbered.format(name, n) for n in count(2))) if n not in taken)


def new_id(called: str, taken: Iterable[str], *, else_: str, prefix: str = "") -> str:
    """An id out of what a thing is called; numbered where that is taken."""
    name = prefix + (id_words(called)[:LONGEST_ID].strip("_") or else_)
    if not name[0].isalpha():
        name = f"{else_}_{name}"
    return free(name, set(taken))


def variable_name(called: str, taken: Sequence[str] = ()) -> str:
    """A name for a variable out of a label such as "Date of birth:"."""
    return new_id(called, taken, else_="value").replace(".", "_").replace("-", "_")
