"""A story read from YAML: what stands there and what may not, each with its line (S6.16)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml
from django.utils.translation import gettext as _

from execution.lesson.looks import VALUE_KINDS
from execution.lesson.signs import COLUMNS, EVIDENCE, Level
from execution.lesson.story import (
    ACTS,
    BESIDE,
    CLICKS,
    HANDS,
    POINTS,
    Area,
    BadStory,
    Call,
    Condition,
    Each,
    Proof,
    Said,
    Story,
    Told,
    ToldScreen,
    ToldVariable,
    Where,
)
from workflows.catalogue import FORMAT
from workflows.choices import RegionKind, VariableKind
from workflows.conditions import COMPARED_WITH_NOTHING, EQUALS, TESTS
from workflows.parsing import BIGGEST, finite_number, whole_number
from workflows.text import VARIABLE_NAME, sole_name
from workflows.validation.ways import MOST_ROUNDS

_EVERY = frozenset(ACTS.values())
_AT = BESIDE | {"scroll", "type_text"}
_AIMED = POINTS | _AT  # what is done at a place
_KEPT_AT = CLICKS | {"drag", "choose", "set_state", "pick_date"}  # what has a target
_STORY = ("workflow", "description", "begins_on", "variables", "screens", "steps")
_DEFAULT_MOST = 100
_DEEPEST = 20  # lists and mappings within each other; what is done by hand while another workflow is noted has 8


def read_story(text: str) -> Story:
    """Raises BadStory, with the line, for whatever is no story as docs/stories.md says."""
    try:
        _shallow(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise BadStory(_line_of(error.problem_mark), str(error.problem)) from error
    except yaml.YAMLError as error:
        raise BadStory(1, str(error)) from error
    if root is None:
        raise BadStory(1, _("The story is empty."))
    parts = _mapping(root, _STORY)
    if "workflow" not in parts or "steps" not in parts:
        raise BadStory(_line(root), _("A story has a “workflow” and “steps”."))
    variables = _mapping(parts["variables"], None) if "variables" in parts else {}
    screens = _mapping(parts["screens"], None) if "screens" in parts else {}
    return Story(
        workflow=_text(parts["workflow"]),
        description=_text(parts["description"]) if "description" in parts else "",
        begins_on=_text(parts["begins_on"]) if "begins_on" in parts else "",
        variables=tuple(_variable(name, node) for name, node in variables.items()),
        screens=tuple(_screen(name, node) for name, node in screens.items()),
        steps=tuple(_step(node) for node in _list(parts["steps"])),
    )


def _shallow(text: str) -> None:
    """What is read by itself within itself must end: a bracket never closed does not, nor need what stands for a part
    told elsewhere."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            why = _("A story takes no “*%(name)s” that stands for another part of it: write it out.")
            raise BadStory(_line_of(event.start_mark), why % {"name": event.anchor})
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            why = _(
                "This is inside of more than %(n)d other parts, a story is not: look for a “[”, “{” or “-” too many."
            )
            raise BadStory(_line_of(event.start_mark), why % {"n": _DEEPEST})


# --- what a step may say ---------------------------------------------------------------------------------------------
def _step(node: yaml.Node) -> Told:
    parts = _mapping(node, (*ACTS, *_WORDS))
    line, named = _line(node), [name for name in parts if name in ACTS]
    if len(named) != 1:
        raise BadStory(line, _("A step has exactly one of %(acts)s.") % {"acts": ", ".join(ACTS)})
    act = ACTS[named[0]]
    found: dict[type[Any], dict[str, Any]] = {Told: {}, Where: {}, Said: {}, Call: {}}
    for name, value in parts.items():
        if name in ACTS:
            continue
        belongs, attribute, reader, acts = _WORDS[name]
        if act not in acts:
            words = {"name": name, "act": named[0], "acts": ", ".join(word for word in ACTS if ACTS[word] in acts)}
            raise BadStory(_line(value), _("“%(name)s” does not belong to “%(act)s”, but to %(acts)s.") % words)
        found[belongs][attribute] = reader(value)
    told, where, said = found[Told], Where(**found[Where]), found[Said]
    if seconds := said.pop("seconds", 0):
        said["params"] = (("timeout_s", seconds),)
    if act == "call_workflow":
        told["call"] = Call(**found[Call])
    step = Told(line=line, act=act, what=_text(parts[named[0]]), where=where, said=Said(**said), **told)
    _whole(step, named[0])
    return step


def _whole(step: Told, word: str) -> None:
    """What makes no sense together."""
    has_place = bool(step.at or step.where.place)
    if step.act in BESIDE | {"scroll"} and not has_place:
        raise BadStory(
            step.line, _("Say with “at” beside which text, or with “place” where: “%(act)s”.") % {"act": word}
        )
    if step.act == "type_text" and not has_place and step.where != Where():
        raise BadStory(step.line, _("Say with “into” which field it is typed into, or leave out where."))
    if step.act == "drag" and step.by == (0, 0):
        raise BadStory(step.line, _("Say with “by” how far: [pixels right, pixels down]."))
    if step.act == "scroll" and whole_number(step.what, least=-BIGGEST) is None:
        raise BadStory(step.line, _("“%(name)s” is a whole number.") % {"name": word})
    if step.act == "set_state" and step.what not in ("on", "off") and not sole_name(step.what):
        raise BadStory(
            step.line, _("A box is set to on, off, or a {{variable}}, not “%(text)s”.") % {"text": step.what}
        )
    if not step.keep and not step.said.shows:
        raise BadStory(step.line, _("Of what is not kept nothing can be said but “expect”, “gone” and “screen”."))


def _told_steps(node: yaml.Node) -> tuple[Told, ...]:
    """What is done by hand while another workflow is noted."""
    steps = tuple(_step(one) for one in _list(node))
    for step in steps:
        if step.act not in HANDS | {"wait_text"} or not step.said.shows or step.screen:
            raise BadStory(
                step.line, _("By hand one clicks, drags, scrolls, types, presses and waits; none of it is kept.")
            )
    return steps


# --- readers ---------------------------------------------------------------------------------------------------------
def _text(node: yaml.Node) -> str:
    """As it is written: 2026-11-21 and 007 stay what they are."""
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise BadStory(_line(node), _("Here a text is told."))
    return str(node.value)


def _texts(node: yaml.Node) -> tuple[str, ...]:
    """One, or a list of them."""
    nodes = [node] if isinstance(node, yaml.ScalarNode) else _list(node)
    return tuple(_text(one) for one in nodes)


def _texts_or_none(node: yaml.Node) -> tuple[str, ...]:
    return () if isinstance(node, yaml.SequenceNode) and not node.value else _texts(node)


def _truth(node: yaml.Node) -> bool:
    said = _text(node)
    if said not in ("true", "false"):
        raise BadStory(_line(node), _("Here true or false is told, not “%(text)s”.") % {"text": said})
    return said == "true"


def _whole_number(node: yaml.Node) -> int:
    said = _text(node)
    number = whole_number(said, least=-BIGGEST)
    if number is None:
        raise BadStory(_line(node), _("Here a whole number is told, not “%(text)s”.") % {"text": said})
    return number


def _from_one(node: yaml.Node) -> int:
    if (number := _whole_number(node)) < 1:
        raise BadStory(_line(node), _("This counts from 1."))
    return number


def _nth(node: yaml.Node) -> str:
    return _text(node) if sole_name(_text(node)) else str(_from_one(node))


def _numbers(count: int, reader: Callable[[yaml.Node], Any]) -> Callable[[yaml.Node], Any]:
    def read(node: yaml.Node) -> Any:
        nodes = _list(node)
        if len(nodes) != count:
            raise BadStory(_line(node), _("Here %(n)d numbers are told, as in [1, 2].") % {"n": count})
        return tuple(reader(one) for one in nodes)

    return read


def _part(node: yaml.Node) -> float:
    """A part of the screen's width or height."""
    number = finite_number(_text(node))
    if number is None or not 0 <= number <= 1:
        raise BadStory(_line(node), _("Here a part of the screen is told, from 0 to 1."))
    return number


def _one_of(*known: str) -> Callable[[yaml.Node], str]:
    def read(node: yaml.Node) -> str:
        if (said := _text(node)) not in known:
            words = {"text": said, "known": ", ".join(known)}
            raise BadStory(_line(node), _("“%(text)s” is not known here; known are %(known)s.") % words)
        return said

    return read


def _name(node: yaml.Node) -> str:
    return _checked_name(_text(node), node)


def _checked_name(name: str, node: yaml.Node) -> str:
    if not VARIABLE_NAME.fullmatch(name) or len(name) > 50:
        words = {"name": name}
        raise BadStory(_line(node), _("“%(name)s” is no name: letters, digits and _, and a letter first.") % words)
    return name


def _pairs(node: yaml.Node) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(value)) for name, value in _mapping(node, None).items())


def _identity(node: yaml.Node) -> tuple[tuple[str, str], ...]:
    """By label what stands beside it; a text alone stands anywhere."""
    return (("", _text(node)),) if isinstance(node, yaml.ScalarNode) else _pairs(node)


def _signs(node: yaml.Node) -> tuple[tuple[str, str], ...]:
    level = _one_of(*(one.value for one in Level))
    return tuple((sign, level(value)) for sign, value in _mapping(node, (*COLUMNS, *EVIDENCE)).items())


def _conditions(node: yaml.Node) -> tuple[Condition, ...]:
    return tuple(
        _condition(_checked_name(name, node), test, value)
        for name, asked in _mapping(node, None).items()
        for test, value in ([(EQUALS, asked)] if isinstance(asked, yaml.ScalarNode) else _mapping(asked, TESTS).items())
    )


def _condition(name: str, test: str, value: yaml.Node) -> Condition:
    if test not in COMPARED_WITH_NOTHING:
        return Condition(name=name, test=test, to=_texts(value))
    if not _truth(value):
        raise BadStory(_line(value), _("Say “empty: true” or “not_empty: true”."))
    return Condition(name=name, test=test)


def _each(node: yaml.Node) -> Each:
    if isinstance(node, yaml.ScalarNode):
        return Each(counter=_name(node), at_most=_DEFAULT_MOST)
    parts = _mapping(node, ("line", "at_most", "until"))
    if "line" not in parts:
        raise BadStory(_line(node), _("Say with “line” how its number is called, such as n."))
    most = _from_one(parts["at_most"]) if "at_most" in parts else _DEFAULT_MOST
    if most > MOST_ROUNDS:
        raise BadStory(_line(parts["at_most"]), _("At most %(most)d lines are done.") % {"most": MOST_ROUNDS})
    until = _texts(parts["until"]) if "until" in parts else ()
    return Each(counter=_name(parts["line"]), at_most=most, until=until)


def _proof(node: yaml.Node) -> Proof:
    """The id of a workflow, or that with its version and what its variables are."""
    if isinstance(node, yaml.ScalarNode):
        return Proof(workflow=_text(node))
    parts = _mapping(node, ("workflow", "version", "values"))
    if "workflow" not in parts:
        raise BadStory(_line(node), _("Say with “workflow” by which one it is proved."))
    return Proof(
        workflow=_text(parts["workflow"]),
        version=_from_one(parts["version"]) if "version" in parts else 0,
        values=_pairs(parts["values"]) if "values" in parts else None,
    )


# By the word: to what it belongs, under which name, how it is read, and the action types that have it.
_Word = tuple[type[Any], str, Callable[[yaml.Node], Any], frozenset[str]]
_WORDS: Mapping[str, _Word] = {
    "at": (Told, "at", _text, BESIDE | {"scroll"}),
    "into": (Told, "at", _text, frozenset({"type_text"})),
    "right": (Where, "right", _whole_number, _AIMED),
    "below": (Where, "below", _whole_number, _AIMED),
    "nth": (Where, "nth", _nth, _AIMED),
    "row": (Where, "row", _text, _AIMED),
    "this_place": (Where, "this_place", _truth, _AIMED),
    "place": (Where, "place", _numbers(2, _part), _AIMED),
    "by": (Told, "by", _numbers(2, _whole_number), frozenset({"drag"})),
    "size": (Told, "size", _numbers(2, _from_one), frozenset({"read_value"})),
    "kind": (Told, "kind", _one_of(*VALUE_KINDS), frozenset({"read_value"})),
    "format": (
        Told, "format", _one_of(*(one for one in FORMAT.choices if one)), frozenset({"read_value", "pick_date"}),
    ),
    "columns": (Told, "columns", _texts, frozenset({"must_see_row"})),
    "clear": (Told, "clear", _truth, frozenset({"type_text"})),
    "enter": (Told, "enter", _truth, frozenset({"type_text"})),
    "seconds": (Said, "seconds", _from_one, frozenset({"wait_text"})),
    "version": (Call, "version", _from_one, frozenset({"call_workflow"})),
    "values": (Call, "values", _pairs, frozenset({"call_workflow"})),
    "outputs": (Call, "outputs", _pairs, frozenset({"call_workflow"})),
    "brought": (Call, "brought", _pairs, frozenset({"call_workflow"})),
    "by_hand": (Call, "by_hand", _told_steps, frozenset({"call_workflow"})),
    "keep": (Told, "keep", _truth, HANDS | {"wait_text"}),
    "expect": (Said, "expect", _texts, _EVERY),
    "gone": (Said, "gone", _texts, _EVERY),
    "screen": (Told, "screen", _text, _EVERY),
    "id": (Said, "id", _name, _EVERY),
    "label": (Said, "label", _text, _KEPT_AT),
    "signs": (Said, "signs", _signs, _KEPT_AT),
    "optional": (Said, "optional", _truth, _EVERY),
    "identity": (Said, "identity", _identity, _EVERY),
    "only_if": (Said, "only_if", _conditions, _EVERY),
    "each": (Said, "each", _each, CLICKS),
    "in_each": (Said, "in_each", _name, _EVERY),
    "proof": (Said, "proof", _proof, _EVERY - {"call_workflow"}),
    "changes_nothing": (Said, "changes_nothing", _truth, HANDS),
}  # fmt: skip
WORDS = tuple(_WORDS)


# --- variables and screens -------------------------------------------------------------------------------------------
_OF_A_VARIABLE: Mapping[str, Callable[[yaml.Node], Any]] = {
    "value": _text, "kind": _one_of(*VariableKind.values), "label": _text, "default": _text, "example": _text,
    "allowed": _texts, "required": _truth, "vault": _text,
}  # fmt: skip


def _variable(name: str, node: yaml.Node) -> ToldVariable:
    _checked_name(name, node)
    if isinstance(node, yaml.ScalarNode):
        return ToldVariable(name=name, line=_line(node), value=_text(node))
    parts = _mapping(node, tuple(_OF_A_VARIABLE))
    told = ToldVariable(name=name, line=_line(node), **{key: _OF_A_VARIABLE[key](one) for key, one in parts.items()})
    if told.is_secret and {"value", "default", "example", "allowed"} & parts.keys():
        raise BadStory(told.line, _("A secret is never in a story; say with “vault” whose saved password it is."))
    if told.vault and not told.is_secret:
        raise BadStory(told.line, _("Only a secret is taken from the vault: say “kind: secret”."))
    if not told.value and not told.is_secret:
        raise BadStory(told.line, _("“%(name)s” has no value to teach with.") % {"name": name})
    for text in (told.value, told.default) if told.allowed else ():
        if text and text not in told.allowed:
            raise BadStory(told.line, _("“%(text)s” is not among the values that are allowed.") % {"text": text})
    return told


def _areas(node: yaml.Node) -> tuple[Area, ...]:
    areas = []
    for one in _list(node):
        parts = _mapping(one, tuple(RegionKind.values))
        for kind, box in parts.items():
            areas.append(Area(kind=kind, box=_numbers(4, _part)(box)))
    return tuple(areas)


_OF_A_SCREEN: Mapping[str, Callable[[yaml.Node], Any]] = {
    "known_by": _texts, "data": _texts, "left_out": _texts, "without": _texts_or_none, "title": _text,
    "areas": _areas, "begins": _truth, "ends": _truth,
}  # fmt: skip


def _screen(name: str, node: yaml.Node) -> ToldScreen:
    parts = _mapping(node, tuple(_OF_A_SCREEN))
    return ToldScreen(name=name, line=_line(node), **{key: _OF_A_SCREEN[key](one) for key, one in parts.items()})


# --- YAML ------------------------------------------------------------------------------------------------------------
def _mapping(node: yaml.Node, names: tuple[str, ...] | None) -> Mapping[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        raise BadStory(_line(node), _("Here names with values are told, as in “name: value”."))
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = _text(key)
        if names is not None and name not in names:
            words = {"text": name, "known": ", ".join(names)}
            raise BadStory(_line(key), _("“%(text)s” is not known here; known are %(known)s.") % words)
        if name in found:
            raise BadStory(_line(key), _("“%(name)s” is told twice.") % {"name": name})
        found[name] = value
    return found


def _list(node: yaml.Node) -> list[yaml.Node]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise BadStory(_line(node), _("Here a list is told, each line with a “-”."))
    return list(node.value)


def _line(node: yaml.Node) -> int:
    return _line_of(node.start_mark)


def _line_of(mark: Any) -> int:
    return mark.line + 1 if mark is not None else 1
