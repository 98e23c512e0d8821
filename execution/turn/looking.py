"""Acts that only look: a value that is read, a text that must stand there (S6.12).

Where the value stands is found when the act is suggested, so that what cannot be read with certainty is a question with
its picture, like a target that is not found; a person may point at the place instead. The act itself reads once more.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from execution.language.read_values import ReadValue, given_value
from execution.language.screen_texts import wanted
from execution.record.redaction import Redaction
from execution.turn.holding import Hold
from execution.turn.rows import the_one_row
from execution.types import (
    ActionResult,
    ActionStatus,
    Answer,
    Box,
    Output,
    Resolution,
    ResolveStatus,
    ScreenState,
    Size,
    Suggestion,
)
from execution.verification import identity
from execution.verification.places_of_values import ReadPlace, at_label, in_box, in_column
from execution.verification.reading import ScreenReading
from sentences.said import listed, say
from workflows.catalogue import CHECKING_ACTION_TYPES, LOOKING_ACTION_TYPES
from workflows.graph import EdgeSpec, IdentitySpec, TargetSpec
from workflows.text import fill_known

_ANOTHER_SIZE = 0.12  # of the height: less is how a box was found, not how large the thing is


class Eyes(Protocol):
    def observe(self) -> ScreenState: ...

    def closer(self, box: Box, state: ScreenState) -> str: ...


def looks(edge: EdgeSpec) -> bool:
    return edge.action_type in LOOKING_ACTION_TYPES


def resolve(edge: EdgeSpec, anchor: Resolution | None, state: ScreenState, variables: Mapping[str, str]) -> Resolution:
    """Where the value stands, or that what must be seen is; `anchor` is where the edge's target is, if it has one."""
    if anchor is not None and anchor.status is not ResolveStatus.FOUND:
        return anchor
    if edge.action_type in CHECKING_ACTION_TYPES:
        return _checked(edge, anchor, state, variables)
    place = _place(edge, anchor, state, variables)
    problem = place.problem or _value_at(edge, place).problem
    if problem or place.box is None:
        return Resolution(status=ResolveStatus.NOT_FOUND, message=problem or say("turn.value_empty"))
    message = say("turn.value_seen", text=place.text)
    return Resolution(
        status=ResolveStatus.FOUND, box=place.box, point=place.box.center, rung="label", score=1.0, message=message
    )


def perform(eyes: Eyes, suggestion: Suggestion, hold: Hold, variables: Mapping[str, str]) -> ActionResult:
    """Look once more and, of a value, keep what is read; done only where nothing is unsure. Raises DesktopLost."""
    began = time.perf_counter()
    hold.check()
    state = eyes.observe()
    output, message = None, ""
    if suggestion.edge.action_type in CHECKING_ACTION_TYPES:
        anchor = suggestion.resolution if suggestion.edge.target else None
        found = _checked(suggestion.edge, anchor, state, variables)
        message = found.message if found.status is ResolveStatus.NOT_FOUND else ""
    else:
        output, message = _read(eyes, suggestion, state, hold.journal.hidden)
    status = ActionStatus.FAILED if message else ActionStatus.DONE
    return ActionResult(status=status, message=message, output=output, act_ms=(time.perf_counter() - began) * 1000)


def told(edge: EdgeSpec, variables: Mapping[str, str]) -> str:
    """What was seen, in a sentence."""
    if edge.action_type in CHECKING_ACTION_TYPES:
        return say("turn.stands_there" if edge.action_type == "must_see" else "turn.one_row_has")
    return say("turn.value_seen", text=variables.get(str(edge.params.get("name")), ""))


def _read(eyes: Eyes, suggestion: Suggestion, state: ScreenState, hidden: Redaction) -> tuple[Output | None, str]:
    box, edge = suggestion.resolution.box, replace(suggestion.edge, params=suggestion.params)
    if box is None:
        return None, say("turn.no_target")
    place = _at_label(edge, state) if edge.target is None else in_box(box, state)
    value = _value_at(edge, place)
    if problem := place.problem or value.problem:
        return None, problem
    if is_hidden(place, state, hidden):
        return None, say("turn.value_hidden")
    closer = _parsed(edge, eyes.closer(box, state))
    if not _same(closer, value):
        return None, say("turn.value_read_twice", one=place.text, other=closer.text)
    return _output(edge.params, value), ""


def given(suggestion: Suggestion, text: str) -> Output:
    """The value as a person read it, where the robot could not."""
    return _output(suggestion.params, given_value(suggestion.params, text))


def _output(params: Mapping[str, Any], value: ReadValue) -> Output:
    kind = str(params.get("kind") or "text")
    return Output(name=str(params["name"]), kind=kind, value=value.value, text=value.text)


def is_hidden(place: ReadPlace, state: ScreenState, hidden: Redaction) -> bool:
    """Whether what stands there is not to be kept: it is a secret, masked, or of a shape that is masked."""
    if place.box is None or hidden.text(place.text) != place.text:
        return True
    size: Size = state.frame.size
    return any(Box.from_normalised(one, size).intersection(place.box).area for one in hidden.places(state))


def _same(one: ReadValue, other: ReadValue) -> bool:
    """Whether two readings say the same; of a text its blanks are the reader's."""
    plain = ["".join(read.value.split()).casefold() for read in (one, other)]
    return plain[0] == plain[1] != ""


def _value_at(edge: EdgeSpec, place: ReadPlace) -> ReadValue:
    """What stands at the place; a number or a date is one text, never what two cells make together."""
    if place.apart and edge.params.get("kind") in ("number", "date"):
        return ReadValue(problem=say("turn.several_there", text=place.text))
    return _parsed(edge, place.text)


def _parsed(edge: EdgeSpec, text: str) -> ReadValue:
    return given_value(edge.params, text)


def _place(edge: EdgeSpec, anchor: Resolution | None, state: ScreenState, variables: Mapping[str, str]) -> ReadPlace:
    label = wanted(str(edge.params.get("label") or ""), variables)
    if label.problem:
        return ReadPlace(problem=label.problem)
    if anchor is None or anchor.box is None:
        return _at_label(replace(edge, params={**edge.params, "label": label.text}), state)
    if label.text:
        return in_column(anchor.box, label.text, state)
    return in_box(_beside(edge, anchor.box), state)


def _at_label(edge: EdgeSpec, state: ScreenState) -> ReadPlace:
    return at_label(str(edge.params["label"]), state, side=str(edge.params.get("side") or ""))


def _beside(edge: EdgeSpec, anchor: Box) -> Box:
    """The box that was drawn beside the target, or the target's own; larger or smaller as the target is."""
    drawn = edge.params.get("box")
    if not drawn:
        return anchor
    scale = _scale(edge.target, anchor)
    dx, dy, w, h = (round(float(side) * scale) for side in drawn)
    return Box(anchor.x + dx, anchor.y + dy, w, h)


def _scale(target: TargetSpec | None, box: Box) -> float:
    taught = round(target.box[3] * target.screen_size[1]) if target and target.box else 0
    if not taught or abs(box.h / taught - 1) <= _ANOTHER_SIZE:
        return 1.0
    return box.h / taught


def _checked(edge: EdgeSpec, anchor: Resolution | None, state: ScreenState, variables: Mapping[str, str]) -> Resolution:
    """Found, or not needed to be, where what is told stands on the screen; else why not."""
    if edge.action_type == "must_see":
        return _seen(edge, anchor, state, variables)
    columns = str(edge.params.get("columns") or "").splitlines()
    row = the_one_row(lines_of(edge), state, variables, [name.strip() for name in columns])
    if row.box is None:
        return Resolution(status=ResolveStatus.NOT_FOUND, message=row.problem)
    return Resolution(status=ResolveStatus.FOUND, box=row.box, point=row.box.center, rung="label", score=1.0)


def lines_of(edge: EdgeSpec) -> list[str]:
    """The texts that must be seen, one a line."""
    return [line.strip() for line in str(edge.params.get("text") or "").splitlines() if line.strip()]


def _seen(edge: EdgeSpec, anchor: Resolution | None, state: ScreenState, variables: Mapping[str, str]) -> Resolution:
    """Found where all the texts stand there now; else what does not."""
    if not state.text_method:
        return Resolution(status=ResolveStatus.NOT_FOUND, message=say("turn.not_read"))
    box = anchor.box if anchor else None
    if box is not None:
        place = _beside(edge, box)
        state = replace(state, texts=tuple(line for line in state.texts if place.contains(line.box.center)))
    reading = ScreenReading(state)
    templates = lines_of(edge)
    missing = [text for text in templates if not _stands(text, edge, reading, variables)]
    if missing or not templates:
        told = [say("turn.must_be_seen", text=fill_known(text, dict(variables))) for text in missing]
        return Resolution(status=ResolveStatus.NOT_FOUND, message=listed(told))
    if box is None:
        return Resolution(status=ResolveStatus.NOT_NEEDED)
    return Resolution(status=ResolveStatus.FOUND, box=box, point=box.center, rung=anchor.rung if anchor else "")


def _stands(template: str, edge: EdgeSpec, reading: ScreenReading, variables: Mapping[str, str]) -> bool:
    """Whether the text stands on the screen, or at the label that the edge names, and is not denied there."""
    if label := str(edge.params.get("label") or "").strip():
        fact = identity.check(IdentitySpec(value=template, label=label), reading, variables)
        return fact.answer is Answer.YES
    want = wanted(template, variables)
    return not want.problem and bool(reading.seen(want.text, strict=want.exact))
