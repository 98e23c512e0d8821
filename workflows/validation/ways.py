"""Do conditions ask what can be told, do the ways leave no gap, and does every repetition come to an end?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from django.utils.translation import gettext as _

from sentences.said import worded
from workflows.choices import VariableKind
from workflows.conditions import (
    COMPARED_WITH_NOTHING,
    EMPTY,
    EQUALS,
    IS_NOT,
    NOT_EMPTY,
    OF_DATES,
    OF_NUMBERS,
    ONE_OF,
    TESTS,
    date_of,
    number_of,
    plain,
    say_conditions,
)
from workflows.graph import ConditionSpec, EdgeSpec, GraphSpec
from workflows.secret_names import holds_secret
from workflows.text import names, sole_name
from workflows.validation.problem import Problem, of_edge, of_node
from workflows.words import sentence

MOST_ROUNDS = 10_000
_OPPOSITE = {EMPTY: NOT_EMPTY, NOT_EMPTY: EMPTY, EQUALS: IS_NOT, IS_NOT: EQUALS}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def ways(graph: GraphSpec) -> Iterator[Problem]:
    for edge in graph.edges:
        for condition in edge.condition:
            yield from _condition(edge, condition, graph)
        if edge.repeat:
            yield from _repetition(edge, graph)
    for node in graph.nodes:
        yield from _gaps(node.node_id, graph)
        yield from _repetitions(node.node_id, graph)


def _condition(edge: EdgeSpec, condition: ConditionSpec, graph: GraphSpec) -> Iterator[Problem]:
    problem = partial(of_edge, where=edge.edge_id, field="condition")
    said = {"edge": sentence(edge), "condition": worded(say_conditions([condition], graph))}
    if not condition.value.strip():
        yield problem(
            "condition_of_nothing", _("%(edge)s: a condition does not say of which value it is. Choose one.") % said
        )
        return
    if condition.test not in TESTS:
        yield problem(
            "unknown_test",
            _("%(edge)s: there is no test “%(test)s”. There are: %(known)s.")
            % {**said, "test": condition.test, "known": ", ".join(TESTS)},
        )
        return
    wants = 0 if condition.test in COMPARED_WITH_NOTHING else 1
    if len(condition.to) < wants or (len(condition.to) > wants and condition.test != ONE_OF):
        yield problem(
            "condition_incomplete",
            _("%(edge)s: the condition on “%(name)s” is to be compared with %(count)s. Write it.")
            % {
                **said,
                "name": graph.label_of(condition.value),
                "count": _("nothing")
                if not wants
                else _("one text or more")
                if condition.test == ONE_OF
                else _("one text"),
            },
        )
        return
    yield from _kind(edge, condition, graph, said)


def _kind(edge: EdgeSpec, condition: ConditionSpec, graph: GraphSpec, said: dict[str, str]) -> Iterator[Problem]:
    problem = partial(of_edge, where=edge.edge_id, field="condition")
    kind, test = graph.kinds.get(condition.value, ""), condition.test
    secret = any(v.name == condition.value and holds_secret(v) for v in graph.variables)
    if secret and test not in COMPARED_WITH_NOTHING:
        yield problem(
            "condition_on_secret",
            _("%(edge)s: “%(name)s” is secret, and the way that a run takes would tell of it. Ask only whether it is "
              "empty.")
            % {**said, "name": graph.label_of(condition.value)},
        )  # fmt: skip
        return
    needed = VariableKind.NUMBER if test in OF_NUMBERS else VariableKind.DATE if test in OF_DATES else ""
    if needed and kind and kind != needed:
        yield problem(
            "condition_kind",
            _("%(edge)s: “%(condition)s” can only be told of a %(needed)s, and it is a %(kind)s. Change one of them.")
            % {**said, "needed": VariableKind(needed).label, "kind": VariableKind(kind).label},
        )
        return
    read = {VariableKind.NUMBER: number_of, VariableKind.DATE: date_of}.get(VariableKind(needed or kind or "text"))
    typed = read if test in OF_NUMBERS | OF_DATES | {EQUALS, IS_NOT, ONE_OF} else None
    for text in condition.to if typed else ():
        if typed and not names(text) and typed(text) is None:
            yield problem(
                "condition_value",
                _("%(edge)s: “%(text)s” is no number that is read in one way only. Write it as 1250 or 0.5.")
                % {**said, "text": text}
                if typed is number_of
                else _("%(edge)s: “%(text)s” is no date. Write it as 2026-11-21.") % {**said, "text": text},
            )


def _gaps(node_id: str, graph: GraphSpec) -> Iterator[Problem]:
    """Of the ways that lead on from a screen: the same one twice, one that is never taken, none for the rest."""
    rounds = {i for e in graph.outgoing(node_id) if e.repeat for i in e.repeat.steps}
    every = [e for e in graph.outgoing(node_id) if e.destination != node_id and not e.repeat]
    for group in ([e for e in every if e.edge_id in rounds], [e for e in every if e.edge_id not in rounds]):
        yield from _gaps_of(group, graph)


def _gaps_of(group: list[EdgeSpec], graph: GraphSpec) -> Iterator[Problem]:
    first: dict[frozenset[ConditionSpec], EdgeSpec] = {}
    open_one: EdgeSpec | None = None
    for edge in group:
        if not edge.condition:
            open_one = open_one or edge
            continue
        said = {"edge": sentence(edge), "condition": worded(say_conditions(edge.condition, graph))}
        warn = partial(of_edge, where=edge.edge_id, field="condition", warn=True)
        twin = first.setdefault(frozenset(_as_compared(c) for c in edge.condition), edge)
        if twin is not edge:
            yield warn(
                "same_condition",
                _("%(edge)s: its condition is that of “%(other)s”, which comes before it, so it is never done. Change "
                  "one of them.")
                % {**said, "other": sentence(twin)},
            )  # fmt: skip
        elif open_one:
            yield warn(
                "way_never_taken",
                _("%(edge)s: “%(other)s” comes before it and has no condition, so it is never done. Put it before.")
                % {**said, "other": sentence(open_one)},
            )
    if first and open_one is None and not _leave_nothing(list(first)):
        node = graph.name_of(group[0].source)
        yield of_node(
            "no_way_otherwise",
            _("“%(name)s”: where none of the conditions holds no way leads on, and a person is asked. Add an action "
              "without a condition if there is one for all other cases.")
            % {"name": node},
            where=group[0].source,
            warn=True,
        )  # fmt: skip


def _as_compared(condition: ConditionSpec) -> ConditionSpec:
    return ConditionSpec(
        value=condition.value, test=condition.test, to=tuple(sorted(plain(text) for text in condition.to))
    )


def _leave_nothing(conditions: list[frozenset[ConditionSpec]]) -> bool:
    """Whether two of them are opposites: one of them always holds."""
    single = {next(iter(one)) for one in conditions if len(one) == 1}
    return any(ConditionSpec(value=one.value, test=_OPPOSITE.get(one.test, ""), to=one.to) in single for one in single)


# --- repetition -------------------------------------------------------------------------------------------------
def _repetition(edge: EdgeSpec, graph: GraphSpec) -> Iterator[Problem]:
    assert edge.repeat is not None
    repeat, problem = edge.repeat, partial(of_edge, where=edge.edge_id, field="repeat")
    said = {"edge": sentence(edge), "counter": repeat.counter, "node": graph.name_of(edge.source)}
    if not _NAME.fullmatch(repeat.counter):
        yield problem(
            "bad_counter",
            _("%(edge)s: “%(counter)s” cannot be written as {{variable}}. Name the line by letters, such as n.") % said,
        )
    elif any(v.name == repeat.counter for v in graph.variables):
        yield problem(
            "counter_is_variable",
            _("%(edge)s: {{%(counter)s}} is counted by the run, and it is a variable that people give. Remove the "
              "variable, or name the line otherwise.")
            % said,
        )  # fmt: skip
    if not 1 <= repeat.most <= MOST_ROUNDS:
        yield problem(
            "bad_most",
            _("%(edge)s: say how many lines it is done for at most: 1 to %(most)d.") % {**said, "most": MOST_ROUNDS},
        )
    counts = edge.target is not None and sole_name(edge.target.number_wanted) == repeat.counter
    if not counts and not repeat.until:
        yield problem(
            "repeat_without_end",
            _("%(edge)s: nothing says when the list is at its end. Let the target be line {{%(counter)s}}, or write a "
              "text that is seen then.")
            % said,
        )  # fmt: skip
    own = {e.edge_id for e in graph.outgoing(edge.source) if e is not edge and not e.repeat}
    for step in (s for s in repeat.steps if s not in own):
        yield problem(
            "unknown_step",
            _("%(edge)s: “%(step)s” is to be done for each line, and “%(node)s” has no such action. Choose others.")
            % {**said, "step": step},
        )
    if edge.source not in graph.reachable([edge.destination]):
        yield problem(
            "no_way_back",
            _("%(edge)s: no way leads back to “%(node)s”, so there is no second line. Add the action that leads back.")
            % said,
        )
    every = graph.outgoing(edge.source)
    first = next((e for e in every[: every.index(edge)] if e.destination != edge.source and not e.condition), None)
    if first is not None and not first.repeat:
        yield problem(
            "list_never_begun",
            _("%(edge)s: “%(other)s” comes before it and leads on, so no line is ever done. Put it behind.")
            % {**said, "other": sentence(first)},
        )
    is_end, is_last = edge.source in graph.end_nodes, bool(graph.done_at_end(edge.source))
    if is_end and not is_last:
        yield problem(
            "list_is_end",
            _("%(edge)s: a run ends on “%(node)s” before its first line, as another action leads on from there. Let it "
              "end on another screen.")
            % said,
        )  # fmt: skip
    if is_last and not is_end:
        yield problem(
            "no_way_after_list",
            _("%(edge)s: no action leads on from “%(node)s” once all lines are done. Add it, or let a run end there.")
            % said,
        )


def _repetitions(node_id: str, graph: GraphSpec) -> Iterator[Problem]:
    found = [e for e in graph.outgoing(node_id) if e.repeat]
    for edge in found[1:]:
        yield of_edge(
            "two_repetitions",
            _("%(edge)s: “%(other)s” is done for each line of this screen already. Let one of them be an action of its "
              "rounds.")
            % {"edge": sentence(edge), "other": sentence(found[0])},
            where=edge.edge_id,
            field="repeat",
        )  # fmt: skip
    counters = [e.repeat.counter for e in graph.edges if e.repeat]
    for edge in found:
        if edge.repeat and counters.count(edge.repeat.counter) > 1:
            yield of_edge(
                "counter_twice",
                _("%(edge)s: another repetition counts {{%(counter)s}} as well. Name one of them otherwise.")
                % {"edge": sentence(edge), "counter": edge.repeat.counter},
                where=edge.edge_id,
                field="repeat",
            )
