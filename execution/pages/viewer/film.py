"""The whole run as a film: a short row for each step with its time by the clock. All else is asked for step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Subquery

from execution.choices import ExecutionState, Outcome, PromptKind, StepPhase, Verified
from execution.models import Decision, Execution, Prompt, Step, StepMark
from execution.pages.listing import cell
from execution.pages.snapshot import LONG, answer_json
from execution.pages.viewer import standing
from execution.record.attribution import for_people
from execution.record.meant import CORRECTED, meant_or_taught
from execution.types import Choice
from sentences.said import worded
from workflows.graph import GraphSpec

# Of a step what says how it went: a long run has few different ones.
_WENT = (
    "phase", "outcome", "success", "in_doubt", "node_id", "edge_id", "verified", "retries", "degraded",
)  # fmt: skip
_BEFORE_WAITING = ("capture_ms", "analyze_ms", "match_ms", "resolve_ms")
_OWN = ("index", "started_at", "total_ms", "waited_ms", "picture_before", "picture_after", *_BEFORE_WAITING)
ALWAYS: Final = ("index", "at_ms", "duration_ms", "waited_ms", "before_ms")  # numbers that each row has for itself
PICTURES: Final = ("picture_before", "picture_after")
# Questions that no mode asks by itself: something was not as it should be.
DOUBTS = frozenset({PromptKind.TARGET, PromptKind.IN_DOUBT, PromptKind.IDENTITY})


@dataclass(slots=True)
class Asked:
    """What a step asked, what of it was a doubt in words, and the newest answer."""

    kinds: set[str] = field(default_factory=set)
    doubt: str = ""
    answer: Decision | None = None


def film(execution: Execution) -> dict[str, Any]:
    """`steps` in order with what was the matter in its row, what each `asked`, and when the first `began`."""
    asked = _asked(execution)
    steps = list(_steps(execution))
    began = execution.started_at or (steps[0][1]["started_at"] if steps else None)
    known: dict[Any, dict[str, Any]] = {}
    rows = []
    for went, own, mark in steps:
        question = asked.get(own["index"], _NOTHING)
        choice = question.answer.choice if question.answer else None
        key = (went, mark, choice, bool(question.kinds & DOUBTS))
        if key not in known:
            known[key] = _went(Step(**dict(zip(_WENT, went, strict=True))), choice, question.kinds, mark)
        rows.append({**_own(own, began), **known[key]})
    for row in rows:
        if (question := asked.get(row["index"], _NOTHING)).doubt:
            row["doubt"] = question.doubt
    for stood in standing.rows(execution, rows, began):
        here = (n for n, row in enumerate(rows, 1) if stood["after"] in (row["index"], row.get("after")))
        rows.insert(max(here, default=0), stood)  # behind those that came before it after the same step
    if rows and execution.state != ExecutionState.COMPLETED and not rows[-1].get("problem"):
        rows[-1]["problem"] = "ended"
    return {"steps": rows, "asked": asked, "began": began}


_NOTHING = Asked()


def first_look(rows: Iterable[Mapping[str, Any]], state: str) -> int | str | None:
    """The step that the page opens with: where the run ended; of one that completed the first that was not as usual."""
    found = list(rows)
    if not found:
        return None
    bad = [row for row in found if row.get("problem")]
    if state == ExecutionState.COMPLETED:
        chosen = bad[0] if bad else found[0]
    else:
        failed = [row for row in bad if row["problem"] in ("failed", "rejected", "interrupted", "doubt", "paused")]
        chosen = (failed or bad or found)[-1]
    index: int | str = chosen["index"]
    return index


def _steps(execution: Execution) -> Iterable[tuple[tuple[Any, ...], dict[str, Any], str]]:
    """Of each step how it went, what is its own, and the newest word about it."""
    newest = StepMark.objects.filter(step=OuterRef("pk")).order_by("-marked_at", "-pk").values("feedback")[:1]
    steps = Step.objects.filter(execution=execution).annotate(mark=Subquery(newest)).order_by("index")
    for mark, *values in steps.values_list("mark", *_WENT, *_OWN):
        own = dict(zip(_OWN, values[len(_WENT) :], strict=True))
        yield tuple(values[: len(_WENT)]), own, mark or ""


def _own(own: dict[str, Any], began: Any) -> dict[str, Any]:
    return {
        "index": own["index"],
        "at_ms": round((own["started_at"] - began).total_seconds() * 1000),
        "duration_ms": round(own["total_ms"]),
        "waited_ms": round(own["waited_ms"]),
        "before_ms": round(sum(own[name] for name in _BEFORE_WAITING)),
        **{name: own[name] for name in PICTURES if own[name]},
    }


def _went(step: Step, choice: str | None, kinds: set[str], mark: str) -> dict[str, Any]:
    row = {
        "phase": step.phase,
        "success": step.success,
        "node_id": step.node_id,
        "edge_id": step.edge_id,
        "verified": step.verified,
        "retries": step.retries,
        "cell": cell(step, corrected=choice == Choice.CORRECT),
        "problem": _problem(step, choice, kinds),
        "mark": mark,
    }
    return {"outcome": step.outcome, **{name: value for name, value in row.items() if value}}


def _problem(step: Step, answer: str | None, asked: set[str]) -> str:
    """In one word what was the matter with a step; empty where it went as it should."""
    if step.phase != StepPhase.CLOSED:
        return "doubt"
    if step.outcome in (Outcome.FAILED, Outcome.REJECTED, Outcome.INTERRUPTED):
        return str(step.outcome)
    if answer == Choice.CORRECT:
        return "corrected"
    if step.in_doubt or asked & DOUBTS:
        return "asked"
    if step.retries:
        return "retried"
    if step.outcome == Outcome.SUCCEEDED and step.edge_id and step.verified != Verified.YES:
        return "unverified"
    if step.outcome == Outcome.SKIPPED:
        return "skipped"
    return "degraded" if step.degraded else ""


def _asked(execution: Execution) -> dict[int, Asked]:
    """Which questions each step put, and what came of them."""
    found: dict[int, Asked] = defaultdict(Asked)
    prompts = Prompt.objects.filter(execution=execution).annotate(at=F("step__index")).select_related("decision__user")
    short = prompts.defer("dialog").order_by("pk")
    for prompt in short:
        asked = found[prompt.at]
        asked.kinds.add(prompt.kind)
        if prompt.kind in DOUBTS:
            asked.doubt = worded(prompt.message)
        answer = getattr(prompt, "decision", None)
        if answer and (asked.answer is None or answer.decided_at >= asked.answer.decided_at):
            asked.answer = answer
    return dict(found)


# --- how it travels: rows packed, for a run may have thousands, and the long part of each a stretch at a time -------
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
    return {row.index: _row(row, graph, corrected) for row, corrected in _steps_between(execution, first, last)}


def _row(step: Step, graph: GraphSpec, corrected: bool) -> dict[str, Any]:
    return {
        "sentence": worded(meant_or_taught(step, graph, corrected=corrected)),
        "message": for_people(step.message),
        **{name: getattr(step, name) for name in PICTURES},
    }


def _steps_between(execution: Execution, first: int, last: int) -> Iterable[tuple[Step, bool]]:
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
