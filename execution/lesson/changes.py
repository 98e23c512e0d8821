"""What a draft changes of the version that is published, in words: step by step, screen by screen (S6.10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from execution.lesson.signs import signs_in_words
from execution.models import Lesson
from workflows.calling import drawn
from workflows.choices import VariableKind
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, PopupSpec, VariableSpec
from workflows.specs import graph_of
from workflows.words import closed_by, identity, known_by, param_in_words, sentence, when

One = TypeVar("One", NodeSpec, EdgeSpec, VariableSpec, PopupSpec)

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`was` and `now` are the lines that only one side has; `pictures` the target's, before and after, where they
    differ."""

    kind: str
    what: str
    was: Sequence[str] = ()
    now: Sequence[str] = ()
    pictures: Sequence[str] = ()


def changes_told(lesson: Lesson) -> dict[str, Any]:
    """Since which version, and what; `since` is 0 where nothing is published yet."""
    latest = lesson.workflow.versions.order_by("-number").first()
    if latest is None:
        return {"since": 0, "changes": []}
    found = changes_of(latest.spec(), graph_of(lesson.workflow))
    return {"since": latest.number, "changes": [asdict(one) for one in found]}


def changes_of(was: GraphSpec, now: GraphSpec) -> list[Change]:
    """Both as they are drawn, without the workflows that are done inside."""
    was, now = drawn(was), drawn(now)
    return [
        *_of_each(was, now, lambda graph: {e.edge_id: replace(e, order=0) for e in graph.in_order}, _step, _step_lines),
        *_order(was, now),
        *_of_each(was, now, lambda graph: {n.node_id: n for n in graph.nodes}, _screen, _screen_lines),
        *_of_each(was, now, lambda graph: {v.name: v for v in graph.variables}, _variable, _variable_lines),
        *_of_each(was, now, lambda graph: {p.name: p for p in graph.popups}, _dialog, _dialog_lines),
    ]


def _of_each(
    was: GraphSpec,
    now: GraphSpec,
    named: Callable[[GraphSpec], dict[str, One]],
    call: Callable[[One, GraphSpec], str],
    lines: Callable[[One, GraphSpec], Iterator[str]],
) -> Iterator[Change]:
    """Those of `now` in their order, then those that are gone."""
    before = named(was)
    for name, one in named(now).items():
        old = before.pop(name, None)
        if old is None:
            yield Change(kind=ADDED, what=call(one, now), now=list(lines(one, now)))
        elif old != one:
            first, then = list(lines(old, was)), list(lines(one, now))
            yield Change(
                kind=CHANGED,
                what=call(one, now),
                was=[line for line in first if line not in then],
                now=[line for line in then if line not in first],
                pictures=_pictures(old, one),
            )
    for old in before.values():
        yield Change(kind=REMOVED, what=call(old, was), was=list(lines(old, was)))


def _pictures(old: Any, new: Any) -> list[str]:
    pair = [_picture(old), _picture(new)]
    return pair if pair[0] != pair[1] else []


def _picture(one: Any) -> str:
    if isinstance(one, NodeSpec):
        return one.picture
    target = getattr(one, "target", None)
    return (target.context or target.picture) if target else ""


def _order(was: GraphSpec, now: GraphSpec) -> Iterator[Change]:
    """Steps that are done on a screen in another order; what came or went is told already."""
    for node in now.nodes:
        sides = [[edge.edge_id for edge in graph.outgoing(node.node_id)] for graph in (was, now)]
        first, then = ([name for name in side if all(name in other for other in sides)] for side in sides)
        if first != then:
            what = _("The order on “%(name)s”") % {"name": node.name}
            yield Change(kind=CHANGED, what=what, was=_sentences(first, was), now=_sentences(then, now))


def _sentences(edges: Sequence[str], graph: GraphSpec) -> list[str]:
    return [sentence(edge, graph) for edge in (graph.edge(name) for name in edges) if edge is not None]


# --- in words --------------------------------------------------------------------------------------------------------
def _step(edge: EdgeSpec, graph: GraphSpec) -> str:
    return sentence(edge, graph)


def _step_lines(edge: EdgeSpec, graph: GraphSpec) -> Iterator[str]:
    said = sentence(edge, graph)
    yield said
    yield from (param_in_words(name, value) for name, value in edge.params.items() if str(value) not in said)
    for look in edge.target.looks if edge.target else ():
        yield from signs_in_words(look)
    yield from (_("Before it “%(text)s” is seen") % {"text": text} for text in edge.before.texts)
    yield from (_("After it “%(text)s” is seen") % {"text": text} for text in edge.expect.texts)
    yield from (_("After it “%(text)s” is gone") % {"text": text} for text in edge.expect.gone)
    yield from (identity(one) for one in edge.identity)
    yield from when(edge, graph)
    if edge.destination != edge.source:
        yield _("Leads to “%(name)s”") % {"name": graph.name_of(edge.destination)}
    if edge.optional:
        yield _("Optional")


def _screen(node: NodeSpec, graph: GraphSpec) -> str:
    return _("The screen “%(name)s”") % {"name": node.name}


def _screen_lines(node: NodeSpec, graph: GraphSpec) -> Iterator[str]:
    yield node.name
    yield from (_("Text “%(text)s”") % {"text": text} for text in node.texts)
    yield from (_("Not on it: “%(text)s”") % {"text": text} for text in node.absent)
    if node.is_entry:
        yield _("A run begins here")
    if node.is_end:
        yield _("A run ends here")


def _variable(one: VariableSpec, graph: GraphSpec) -> str:
    return _("The variable “%(name)s”") % {"name": one.label or one.name}


def _variable_lines(one: VariableSpec, graph: GraphSpec) -> Iterator[str]:
    yield one.label or one.name
    yield str(VariableKind(one.kind).label)
    if one.default and one.kind != VariableKind.SECRET:
        yield _("Default: %(value)s") % {"value": one.default}
    yield from one.choices


def _dialog(one: PopupSpec, graph: GraphSpec) -> str:
    return _("The dialog “%(name)s”") % {"name": one.name}


def _dialog_lines(one: PopupSpec, graph: GraphSpec) -> Iterator[str]:
    yield known_by(one)
    yield closed_by(one)
