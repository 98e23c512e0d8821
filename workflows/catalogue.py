"""Action types: their parameters, whether they act on a target, and what repeating them may do (S9.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from workflows.choices import EffectClass
from workflows.graph import CALL, RETURN, EdgeSpec

LOGIN = "visual_login"
# name: a node's, a credential's, a workflow's; texts: several, each by a name
ParamKind = Literal["text", "keys", "int", "bool", "box", "name", "choice", "texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    name: str
    kind: ParamKind
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionSpec:
    """One action type. `sentence` is filled with `target` and the parameters and shown to people.

    `sentence_at` is it where an optional target is given.
    """

    action_type: str
    label: str | Promise
    sentence: str | Promise
    sentence_at: str | Promise = ""
    target: Literal["needed", "optional", "none"]
    params: tuple[Param, ...] = ()
    effect_class: EffectClass = EffectClass.OPAQUE


# How numbers and dates are written; without it only what has one meaning is taken.
FORMAT = Param(name="format", kind="choice", default="", choices=("", "fr", "us"))
TIMEOUT = Param(name="timeout_s", kind="int", default=30)

ACTIONS: Mapping[str, ActionSpec] = {
    spec.action_type: spec
    for spec in (
        ActionSpec(action_type="click", label=_("Click"), sentence=_("Click %(target)s"), target="needed"),
        ActionSpec(
            action_type="double_click",
            label=_("Double-click"),
            sentence=_("Double-click %(target)s"),
            target="needed",
        ),
        ActionSpec(
            action_type="right_click",
            label=_("Right-click"),
            sentence=_("Right-click %(target)s"),
            target="needed",
        ),
        ActionSpec(
            action_type="drag",
            label=_("Drag"),
            sentence=_("Drag %(target)s"),
            target="needed",
            params=(Param(name="dx", kind="int", required=True), Param(name="dy", kind="int", required=True)),
        ),
        ActionSpec(
            action_type="scroll",
            label=_("Scroll"),
            sentence=_("Scroll %(target)s"),
            target="optional",
            params=(Param(name="dy", kind="int", default=3), Param(name="dx", kind="int", default=0)),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="type_text",
            label=_("Type"),
            sentence=_("Type “%(text)s”"),
            sentence_at=_("Type “%(text)s” into %(target)s"),
            target="optional",
            params=(
                Param(name="text", kind="text", required=True),
                Param(name="clear", kind="bool", default=False),
                Param(name="enter", kind="bool", default=False),
            ),
        ),
        ActionSpec(
            action_type="press_keys",
            label=_("Press"),
            sentence=_("Press %(keys)s"),
            sentence_at=_("Press %(keys)s in %(target)s"),
            target="optional",
            params=(Param(name="keys", kind="keys", required=True),),
        ),
        ActionSpec(
            action_type="wait",
            label=_("Wait"),
            sentence=_("Wait until the next screen shows"),
            target="none",
            params=(TIMEOUT,),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="wait_text",
            label=_("Wait for a text"),
            sentence=_("Wait until “%(text)s” is seen"),
            target="none",
            params=(Param(name="text", kind="text", required=True), TIMEOUT),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="wait_text_gone",
            label=_("Wait until a text is gone"),
            sentence=_("Wait until “%(text)s” is gone"),
            target="none",
            params=(Param(name="text", kind="text", required=True), TIMEOUT),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="wait_node",
            label=_("Wait for a screen"),
            sentence=_("Wait for the screen “%(node)s”"),
            target="none",
            params=(Param(name="node", kind="name", required=True), TIMEOUT),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="wait_stable",
            label=_("Wait until the screen is still"),
            sentence=_("Wait until the screen is still"),
            target="none",
            params=(TIMEOUT,),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="must_see",
            label=_("Must be seen"),
            sentence=_("See that “%(text)s” stands there"),
            sentence_at=_("See that “%(text)s” stands at %(target)s"),
            target="optional",
            params=(
                Param(name="text", kind="text", required=True),
                Param(name="label", kind="text"),
                Param(name="box", kind="box"),
            ),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="must_see_row",
            label=_("Exactly one row"),
            sentence=_("See that exactly one row has “%(text)s”"),
            target="none",
            # The head of each text's column, a line for each; an empty line, and no line, is any column.
            params=(Param(name="text", kind="text", required=True), Param(name="columns", kind="text")),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="read_value",
            label=_("Read a value"),
            sentence=_("Read “%(name)s” beside “%(label)s”"),
            sentence_at=_("Read “%(name)s” at %(target)s"),
            target="optional",
            params=(
                Param(name="name", kind="name", required=True),
                Param(name="label", kind="text"),
                Param(name="side", kind="choice", default="", choices=("", "right", "below")),
                Param(name="box", kind="box"),
                Param(name="kind", kind="choice", default="text", choices=("text", "number", "date")),
                FORMAT,
            ),
            effect_class=EffectClass.READ,
        ),
        ActionSpec(
            action_type="choose",
            label=_("Choose"),
            sentence=_("Choose “%(option)s” in %(target)s"),
            target="needed",
            params=(Param(name="option", kind="text", required=True),),
            effect_class=EffectClass.IDEMPOTENT,
        ),
        ActionSpec(
            action_type="set_state",
            label=_("Set"),
            sentence=_("Set %(target)s to %(state)s"),
            target="needed",
            params=(Param(name="state", kind="choice", default="on", choices=("on", "off")),),
            effect_class=EffectClass.IDEMPOTENT,
        ),
        ActionSpec(
            action_type="pick_date",
            label=_("Put a date"),
            sentence=_("Put the date %(date)s into %(target)s"),
            target="needed",
            params=(Param(name="date", kind="text", required=True), FORMAT),
            effect_class=EffectClass.IDEMPOTENT,
        ),
        ActionSpec(
            action_type="navigate",
            label=_("Go to"),
            sentence=_("Go to “%(place)s”"),
            target="none",
            params=(Param(name="place", kind="text", required=True),),
        ),
        ActionSpec(
            action_type=LOGIN,
            label=_("Log in"),
            sentence=_("Log in as “%(credential)s”"),
            target="none",
            params=(Param(name="credential", kind="name", required=True),),
            effect_class=EffectClass.OBSERVABLE,
        ),
        ActionSpec(
            action_type=CALL,
            label=_("Do another workflow"),
            sentence=_("Do “%(name)s”, version %(version)s"),
            target="none",
            params=(
                Param(name="workflow", kind="name", required=True),
                Param(name="version", kind="int", required=True),
                Param(name="values", kind="texts"),
                Param(name="outputs", kind="texts"),
            ),
        ),
        ActionSpec(
            action_type=RETURN,
            label=_("Another workflow is done"),
            sentence=_("“%(name)s” is done"),
            target="none",
            effect_class=EffectClass.READ,
        ),
    )
}

CALLING_ACTION_TYPES = frozenset({CALL, RETURN})  # of which the run loop does nothing itself but go there
ALLOWED_ACTION_TYPES = frozenset(ACTIONS) - {RETURN}  # what people can draw; the other is made by publishing
CORRECTING_ACTION_TYPES = frozenset(ACTIONS) - CALLING_ACTION_TYPES  # what a coach can put in another one's place


def allowed_values(action_type: str, name: str) -> tuple[str, ...]:
    """What a parameter may be; () where any text may be one, or where there is no such parameter."""
    spec = ACTIONS.get(action_type)
    return next((p.choices for p in spec.params if p.name == name), ()) if spec else ()


CHECKING_ACTION_TYPES = frozenset({"must_see", "must_see_row"})  # which hold what is told against the screen
LOOKING_ACTION_TYPES = CHECKING_ACTION_TYPES | {"read_value"}  # of which the answer is what is seen, once
SETTING_ACTION_TYPES = frozenset({"choose", "set_state", "pick_date"})  # which look whether it is so already
# The parameter that says the value which an act brings to its place.
VALUE_PARAMS: Mapping[str, str] = {"type_text": "text", "choose": "option", "set_state": "state", "pick_date": "date"}
SERVER_SIDE_ACTION_TYPES = (
    LOOKING_ACTION_TYPES
    | SETTING_ACTION_TYPES
    | CALLING_ACTION_TYPES
    | frozenset({"wait", "wait_text", "wait_text_gone", "wait_node", "wait_stable", "navigate", LOGIN})
)  # done by the run loop itself, with eyes and hands, where the others are one movement of the hands


ENTERING_ACTION_TYPES = frozenset({"type_text", "press_keys"})  # with a target: it is clicked first, as one step
FIELD = "field"  # the role of a target of which a click is known to do nothing but to enter it
# What opens a menu shows nothing of what was chosen in it.
PRESSED = frozenset({"button", "menu_item", "icon", "link"})


def effect_of(edge: EdgeSpec) -> EffectClass:
    """The class an edge is run with."""
    role = edge.target.role if edge.target else None
    return effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect), role=role)


def effect_class_of(
    action_type: str, params: Mapping[str, Any], declared: str, *, expects: bool, role: str | None = None
) -> EffectClass:
    """The class an edge is run with, never `undeclared`: what a person chose, or else what the action says of itself.

    Typing that first clears the field may be repeated, unless Enter is pressed after it, or what is clicked before it
    (`role`; None: nothing is) may do something of its own. What is chosen in a control shows there; an entry of a menu
    does something. An action that declares what must be seen is observable. Of an action that is not in the catalogue,
    a program's own, nothing is known: it is opaque unless declared otherwise.
    """
    if declared and declared != EffectClass.UNDECLARED:
        return EffectClass(declared)
    if action_type == "type_text" and params.get("clear") and not params.get("enter") and role in (None, FIELD):
        return EffectClass.IDEMPOTENT
    spec = ACTIONS.get(action_type)
    default = spec.effect_class if spec else EffectClass.OPAQUE  # a program's own action
    if action_type == "choose" and role in PRESSED:
        default = EffectClass.OPAQUE
    if default is EffectClass.OPAQUE and expects:
        return EffectClass.OBSERVABLE
    return default
