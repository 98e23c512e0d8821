"""How a film travels: its rows packed, for a run may have thousands, and the long part of each a stretch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.db.models import Exists, OuterRef

from execution.models import Decision, Execution, Step
from execution.pages.snapshot import LONG, answer_json
from execution.pages.viewer.film import ALWAYS, PICTURES, Asked
from execution.record.attribution import for_people
from execution.record.meant import CORRECTED, meant_or_taught
from sentences.said import worded
from workflows.graph import GraphSpec

LENGTH: Final = 100  # steps that are asked for at once
BEFORE, AFTER = 80, 120  # steps around the first one looked at that come with the page: what its list shows
ON_THE_WAY = tuple(f"prompt__step__{name}" for name in LONG)  # long, and not asked for
# Of what was meant as much as its sentence takes: the rest of it is long, and told with the step.
_MEANT = ("sentence", "action", "params", "names", "target__label")


def packed(found: Mapping[str, Any]) -> dict[str, Any]:
    """A film as `kinds`, each how a step went, and `steps`: `[index, its kind, and the other numbers of its own]`."""
    kinds: dict[tuple[Any, ...], int] = {}
    steps = []
    for row in found["steps"]:
        left_out = ALWAYS if "pause" in row else (*ALWAYS, *PICTURES, "doubt")
        kind = tuple((name, value) for name, value in row.items() if name not in left_out)
        index, *numbers = (row.get(name, 0) for name in ALWAYS)
        steps.append([index, kinds.setdefault(kind, len(kinds)), *numbers])
    began = found["began"]
    return {
        "began": began.isoformat() if began else "",
        "kinds": [dict(kind) for kind in kinds],
        "steps": steps,
        "stretch": LENGTH,
    }


def around(execution: Execution, found: Mapping[str, Any], at: int | str | None) -> dict[str, Any]:
    """The long part of the steps around the one that a page opens with."""
    rows: Sequence[Mapping[str, Any]] = found["steps"]
    place = next((n for n, row in enumerate(rows) if row["index"] == at), 0)
    near = [row["index"] for row in rows[max(0, place - BEFORE) : place + AFTER] if "pause" not in row]
    if not near:
        return {"steps": {}, "decisions": {}}
    asked: Mapping[int, Asked] = found["asked"]
    answers = {index: asked[index].answer for index in near if index in asked}
    return {"steps": _long(execution, near[0], near[-1]), "decisions": _decisions(answers)}


def stretch(execution: Execution, number: int) -> dict[str, Any]:
    """The long part of the steps `number * LENGTH` and those after it, and who answered what there."""
    first = number * LENGTH
    last = first + LENGTH - 1
    given = Decision.objects.filter(prompt__execution=execution, prompt__step__index__range=(first, last))
    answers = {
        one.prompt.step.index: one
        for one in given.select_related("user", "prompt__step").defer(*ON_THE_WAY).order_by("decided_at")
    }
    return {"steps": _long(execution, first, last), "decisions": _decisions(answers)}


def _decisions(answers: Mapping[int, Decision | None]) -> dict[int, dict[str, Any]]:
    return {index: answer_json(answer) for index, answer in answers.items() if answer}


def _long(execution: Execution, first: int, last: int) -> dict[int, dict[str, Any]]:
    graph = execution.version.spec()
    return {row.index: _row(row, graph, corrected) for row, corrected in _steps(execution, first, last)}


def _row(step: Step, graph: GraphSpec, corrected: bool) -> dict[str, Any]:
    return {
        "sentence": worded(meant_or_taught(step, graph, corrected=corrected)),
        "message": for_people(step.message),
        **{name: getattr(step, name) for name in PICTURES},
    }


def _steps(execution: Execution, first: int, last: int) -> Iterable[tuple[Step, bool]]:
    """Each with whether a coach put something else in the place of what was meant."""
    columns = [f"suggestion__{name}" for name in _MEANT]
    steps = Step.objects.filter(execution=execution, index__range=(first, last)).order_by("index")
    rows = steps.annotate(corrected=Exists(CORRECTED.filter(prompt__step=OuterRef("pk"))))
    for row in rows.values("corrected", "index", "edge_id", "sentence", "message", *PICTURES, *columns):
        label, corrected = row.pop("suggestion__target__label"), row.pop("corrected")
        meant = {name: row.pop(f"suggestion__{name}") for name in _MEANT if name != "target__label"}
        meant = {name: value for name, value in meant.items() if value is not None}
        if label is not None:
            meant["target"] = {"label": label}
        yield Step(execution_id=execution.pk, suggestion=meant, **row), corrected
