"""A workflow as a person would tell it, read from YAML: what is pointed at, what is done, what shows then (S6.16).

    workflow: Patient note
    variables:
      patient: Marie Lefèvre
      filename: {value: note.txt, kind: text, label: File name}
    steps:
      - click: Save As...
        expect: ["Name:", Encoding]
      - type: "{{patient}}"
      - press: enter
      - click: Open
        row: "{{patient}}"

A place is a text that stands on the screen; `right` is so many pixels right of it, `nth` which of several in reading
order, `row` a text of its row. Which one a run takes of several alike is said by `row`, or else by `nth`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.translation import gettext as _

from execution.exceptions import ExecutionError
from workflows.choices import VariableKind

ACTS = {
    "click": "click", "double_click": "double_click", "right_click": "right_click",
    "type": "type_text", "press": "press_keys", "wait": "wait_text",
}  # fmt: skip
_MORE = {"right": int, "nth": int, "row": str}
_OF_A_VARIABLE = ("value", "kind", "label", "default")


class BadStory(ExecutionError):
    """A story that cannot be told; its sentence begins with the line."""

    status_code = 422
    code = "bad_story"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(_("Line %(line)d: %(why)s") % {"line": line, "why": why})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One step; `what` is a place's text, what is typed, or keys. `line` is where it stands in the story, from 1."""

    line: int
    act: str
    what: str
    right: int = 0
    nth: int = 0
    row: str = ""
    expect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldVariable:
    name: str
    value: str
    kind: str = VariableKind.TEXT.value
    label: str = ""
    default: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    workflow: str
    description: str = ""
    variables: tuple[ToldVariable, ...] = ()
    steps: tuple[Told, ...]

    @property
    def values(self) -> dict[str, str]:
        return {variable.name: variable.value for variable in self.variables}


def read_story(text: str) -> Story:
    """Raises BadStory, with the line, for whatever is not as above."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise BadStory(_line(error.problem_mark), str(error.problem)) from error
    if root is None:
        raise BadStory(1, _("The story is empty."))
    parts = _mapping(root, ("workflow", "description", "variables", "steps"))
    if "workflow" not in parts or "steps" not in parts:
        raise BadStory(_line(root.start_mark), _("A story has a “workflow” and “steps”."))
    variables = _mapping(parts["variables"], None) if "variables" in parts else {}
    return Story(
        workflow=_text(parts["workflow"]),
        description=_text(parts["description"]) if "description" in parts else "",
        variables=tuple(_variable(name, node) for name, node in variables.items()),
        steps=tuple(_step(node) for node in _list(parts["steps"])),
    )


def _variable(name: str, node: yaml.Node) -> ToldVariable:
    if isinstance(node, yaml.ScalarNode):
        return ToldVariable(name=name, value=_text(node))
    told = {key: _text(value) for key, value in _mapping(node, _OF_A_VARIABLE).items()}
    if "value" not in told:
        raise BadStory(_line(node.start_mark), _("“%(name)s” has no value to teach with.") % {"name": name})
    if told.get("kind", "text") not in VariableKind.values:
        words = {"kind": told["kind"], "kinds": ", ".join(VariableKind.values)}
        raise BadStory(_line(node.start_mark), _("There is no kind “%(kind)s”; there are %(kinds)s.") % words)
    if told.get("kind") in ("secret", "password"):
        raise BadStory(_line(node.start_mark), _("A secret is never in a story; teach it on the page."))
    return ToldVariable(name=name, **told)


def _step(node: yaml.Node) -> Told:
    parts = _mapping(node, (*ACTS, *_MORE, "expect"))
    line, acts = _line(node.start_mark), [name for name in parts if name in ACTS]
    if len(acts) != 1:
        raise BadStory(line, _("A step has exactly one of %(acts)s.") % {"acts": ", ".join(ACTS)})
    more: dict[str, Any] = {}
    for name, kind in _MORE.items():
        if name not in parts:
            continue
        said = _text(parts[name])
        if kind is int and not said.lstrip("-").isdecimal():
            raise BadStory(_line(parts[name].start_mark), _("“%(name)s” is a whole number.") % {"name": name})
        more[name] = kind(said)
    if more and ACTS[acts[0]] in ("type_text", "press_keys", "wait_text"):
        raise BadStory(line, _("Only what points at a text has “right”, “nth” or “row”."))
    if more.get("nth", 1) < 1:
        raise BadStory(_line(parts["nth"].start_mark), _("“nth” counts from 1."))
    expect = parts.get("expect")
    texts = [expect] if isinstance(expect, yaml.ScalarNode) else _list(expect) if expect is not None else []
    what = _text(parts[acts[0]])
    return Told(line=line, act=ACTS[acts[0]], what=what, expect=tuple(_text(text) for text in texts), **more)


def _mapping(node: yaml.Node, names: tuple[str, ...] | None) -> Mapping[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise BadStory(_line(node.start_mark), _("Here names with values are told, as in “name: value”."))
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _text(key)
        if names is not None and name not in names:
            words = {"name": name, "names": ", ".join(names)}
            raise BadStory(_line(key.start_mark), _("“%(name)s” is not known here; known are %(names)s.") % words)
        if name in found:
            raise BadStory(_line(key.start_mark), _("“%(name)s” is told twice.") % {"name": name})
        found[name] = value
    return found


def _list(node: yaml.Node) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise BadStory(_line(node.start_mark), _("Here a list is told, each line with a “-”."))
    return list(node.value)


def _text(node: yaml.Node) -> str:
    """As it is written: 2026-11-21 and 007 stay what they are."""
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise BadStory(_line(node.start_mark), _("Here a text is told."))
    return str(node.value)


def _line(mark: Any) -> int:
    return mark.line + 1 if mark is not None else 1
