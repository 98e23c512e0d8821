"""A screen, or a text on one, is taught to say that the work is not possible, for a reason with a name (S12.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from execution.exceptions import BadEdit
from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.language.volatile import lasting
from execution.lesson.hearing import drawn, pointed
from execution.lesson.here import Here
from execution.lesson.looks import seen_there
from execution.lesson.mends import Mend
from execution.lesson.screens import (
    Look,
    Placed,
    proposed_name,
    proposed_texts,
    set_aside,
    shared_pattern,
    telling,
)
from execution.matching.declared import look_for
from execution.models import Lesson
from execution.targeting.records import may_name_somebody
from execution.teaching.expectations import Told, is_in_frame
from execution.types import ScreenState
from sentences.said import say, worded
from workflows.graph import NodeSpec
from workflows.models import Node, Workflow
from workflows.text import fill_known, names

LONGEST_REASON = 200
_MOST_SAID = 2  # lines


def mark(node: Node, reason: str) -> None:
    """A run that comes to the screen ends there, as its work is not possible; "" takes that back. Raises BadEdit."""
    workflow, reason = node.workflow, reason.strip()
    if reason:
        _check(node, workflow)
        node.is_end = node.ends_too = node.is_common = True
    elif node.exception:
        node.is_common = not node.incoming.exists()
    node.exception = reason
    node.save()


def _check(node: Node, workflow: Workflow) -> None:
    if node.is_entry or node.outgoing.exists():
        raise BadEdit(worded(say("lesson.work_goes_on_there", node=node.name)))
    ends = workflow.nodes.filter(is_end=True)
    if node.is_end and not node.exception and not ends.filter(exception="").exclude(pk=node.pk).exists():
        raise BadEdit(worded(say("lesson.only_end", node=node.name)))


def stray_of(here: Here) -> Node | None:
    """The screen that the last step of the lesson made of what shows: of an exception nothing leads there, as it may
    come after any step."""
    return here.pending.made if here.pending is not None else None


def steps_to(here: Here) -> int:
    """How many of the last steps of the lesson are to be taken back with what led there: shown anew, on a record for
    which the work is possible, it leads to where the work goes on."""
    if stray_of(here) is None or here.pending is None:
        return 0
    return here.lesson.steps.kept().filter(index__gte=here.pending.step.index).count()


def taught(message: Mapping[str, Any], now: ScreenState, *, lesson: Lesson, here: Here) -> Mend:
    """Of the screen that shows, or of the text that the message points at. Raises BadEdit and ValueError."""
    reason = str(message.get("reason") or "").strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise ValueError(say("lesson.reason_missing"))
    stray = stray_of(here)
    if "x" in message or "box" in message:
        return _of_text(message, reason, now, here=here, lesson=lesson, stray=stray)
    node = here.node()
    if node is None or node == stray:
        return _of_new_screen(reason, now, here=here, lesson=lesson, stray=stray)
    _check(node, lesson.workflow)
    said = say("lesson.mend_not_possible", node=node.name, why=reason)
    return Mend(said=said, apply=lambda: mark(Node.objects.get(pk=node.pk), reason))


def _of_new_screen(reason: str, now: ScreenState, *, here: Here, lesson: Lesson, stray: Node | None) -> Mend:
    others = [one for name, looks in here.looks().items() if stray is None or name != stray.node_id for one in looks]
    taken = [name for name in lesson.workflow.nodes.values_list("name", flat=True) if not stray or name != stray.name]
    name = proposed_name(now, Placed(node=None, why=""), here.known, taken)
    texts = _texts(now, here, others)
    if not texts:
        raise ValueError(say("lesson.nothing_tells"))
    digest = here.picture_of(now)

    def apply() -> None:
        _forget(stray)
        node = here.draft.add_node(
            name=name, picture=digest, texts=texts, aside=set_aside(now, here.known),
            window_title=shared_pattern("", now, here.known), is_common=True,
        )  # fmt: skip
        mark(node, reason)

    return Mend(said=say("lesson.mend_not_possible", node=name, why=reason), apply=apply)


def _texts(now: ScreenState, here: Here, others: Sequence[Look]) -> list[str]:
    """Few texts that tell the screen; first those that a lesson leaves out of other screens, as they say what came out:
    “No patient found”."""
    said = [one for one in telling(now, here.known) if one.kind is Told.LEFT_OUT and not is_in_frame(one.line, now)]
    own = [one.text for one in said if lasting(one.text) == one.text and not may_name_somebody(one.text)]
    own = [text for text in own if not names(text) and not any(_says(look, text) for look in others)]
    return list(dict.fromkeys([*own[:_MOST_SAID], *proposed_texts(now, here.known, others)]))


def _of_text(
    message: Mapping[str, Any], reason: str, now: ScreenState, *, here: Here, lesson: Lesson, stray: Node | None
) -> Mend:
    """A screen of that text alone, with no picture: it may stand anywhere, whatever else is seen (`Matcher`)."""
    box = drawn(message.get("box"), now.frame.size)
    point = box.center if box is not None else pointed(message, now.frame.size)
    seen = seen_there(
        "must_see", now, point=point, box=box, name="", value_kind="", known=here.known, store=here.draft.store
    )
    text = str(seen.params["text"])
    alone = NodeSpec(node_id="", name=reason, texts=(text,))
    if look_for(alone, now, ScreenWords.of(now.texts), here.known.values).certainty < settings.RPA_MATCH_THRESHOLD:
        raise ValueError(say("lesson.text_too_short", text=text))
    if where := _shown_on(text, lesson.workflow, here, stray):
        raise ValueError(say("lesson.text_elsewhere", text=text, node=where))

    def apply() -> None:
        _forget(stray)
        mark(here.draft.add_node(name=reason, picture="", texts=[text], aside=[], is_common=True), reason)

    return Mend(said=say("lesson.mend_not_possible_text", text=text, why=reason), apply=apply)


def _shown_on(text: str, workflow: Workflow, here: Here, stray: Node | None) -> str:
    """The screen with a taught picture that shows the text, although the work went on there; "" for none."""
    text, looks = fill_known(text, here.known.values), here.looks()
    for node in workflow.nodes.filter(exception=""):
        if node != stray and any(_says(look, text) for look in looks.get(node.node_id, ())):
            return node.name
    return ""


def _says(look: Look, text: str) -> bool:
    return ScreenWords.of(look.texts).seen(text) >= SEEN


def _forget(stray: Node | None) -> None:
    """While it is tried; before it is kept the step itself was taken back."""
    if stray is not None:
        Node.objects.filter(pk=stray.pk).delete()
