"""A click that could mean several things: what is asked, whether it still stands, what an answer makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from execution.language.fuzzy import folded
from execution.lesson.acts import Act
from execution.lesson.drafting import variable_name
from execution.lesson.here import Here
from execution.lesson.rows import InLine, against, chosen_of
from execution.lesson.understanding import EACH_LINE, RUNS_VALUE, SOMETHING_ELSE, Answer, Understood
from execution.lesson.unmoved import looks_the_same, means_the_same, reads_the_same
from execution.models import LessonStep
from execution.teaching.structure import number_of
from execution.types import ScreenState
from sentences.said import say, to_json


@dataclass(slots=True, kw_only=True)
class Held:
    """A click that waits for an answer; `done` where it was done before anybody could ask.

    `state` is the screen as it may be kept, `read` as it was read: what is hidden may have changed as well.
    """

    step: LessonStep
    act: Act
    found: Understood
    state: ScreenState
    read: ScreenState
    done: bool = False


def still_stands(held: Held, now: ScreenState, found: Understood) -> bool:
    """Whether the screen says, shows and means there what it did; `found` is what the click would be kept as now."""
    return (
        reads_the_same(held.read, now)
        and looks_the_same(held.found, held.read, now)
        and means_the_same(held.found, found)
    )


def speaks_against(here: Here, found: Understood, answer: Answer, values: Mapping[str, Any]) -> str:
    """Why that answer says nothing; "" where it does."""
    if answer.code != SOMETHING_ELSE:
        name, known = variable_name(str(values.get("variable") or "value")), here.known.values
        value = str(number_of(found.box, found.alike)) if answer.number else answer.value
        is_anothers = bool(values.get("variable") and value) and folded(known.get(name, value)) != folded(value)
        return say("lesson.name_of_another_value", name=name) if is_anothers else ""
    taken = list(here.draft.workflow.variables.values_list("name", flat=True))
    return against(found.line, chosen_of(found.line, values), here.known.values, taken)


def with_variable(here: Here, found: Understood, answer: Answer, values: Mapping[str, Any]) -> tuple[Answer, str]:
    """The answer with a variable in the place of the value that it tells; and the one that counts, if any."""
    name = variable_name(str(values["variable"])) if values.get("variable") else ""
    if answer.number:
        if name:
            here.make_variable(name, str(number_of(found.box, found.alike)), kind="number", counted=True)
        return answer, name
    if answer.code == RUNS_VALUE:
        here.make_variable(name, answer.value)
        return answer, ""
    if answer.code == SOMETHING_ELSE:
        chosen = chosen_of(found.line, values)
        row = ("{{" + here.make_variable(c.variable, c.text) + "}}" if c.variable else c.text for c in chosen)
        return replace(answer, row=tuple(row)), ""
    if not answer.value or (not name and not answer.code.startswith("typed:")):
        return answer, ""
    name = here.make_variable(name, answer.value)
    return replace(answer, row=("{{" + name + "}}",)), ""


def question_of(found: Understood, known: Mapping[str, str], *, done: bool) -> dict[str, Any]:
    """What is asked of a click that could mean several things, as it is kept.

    An answer that `counts` may count by a variable, one that `names` makes one with the name that is given, one that
    `repeats` says for how many lines at most, one with `line` says which of these texts tell it.
    """
    asked = say("lesson.which", of=len(found.alike), what=found.text or found.label)
    if found.near:
        asked = say("lesson.which_place", of=len(found.alike))
    if not found.is_ambiguous:
        asked = say("lesson.which_run", text=found.text)
    return {
        "kind": "which",
        "text": to_json(asked),
        "detail": to_json(say("lesson.held_afterwards" if done else "lesson.held")),
        "box": list(found.box),
        "answers": [
            {
                "code": a.code,
                "text": to_json(a.text),
                "likely": number == 0,
                "boxes": [list(b) for b in a.boxes],
                **({"counts": True} if a.number else {}),
                **({"names": True} if a.code == RUNS_VALUE else {}),
                **({"repeats": True} if a.code == EACH_LINE else {}),
                **({"line": [_told(one, known) for one in found.line]} if a.code == SOMETHING_ELSE else {}),
            }
            for number, a in enumerate(found.answers)
        ],
    }


def _told(one: InLine, known: Mapping[str, str]) -> dict[str, Any]:
    """A text of its line, with the variable that it is the value of, or what one for it would be called."""
    name = next((name for name, value in known.items() if folded(value) == folded(one.text)), "")
    called = name or (variable_name(one.header) if one.header else "")
    return {"text": one.text, "box": list(one.box), "variable": called, "known": bool(name)}
