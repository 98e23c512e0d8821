"""One run beside another of the same workflow: where they part, in words and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.assistant.facts import Facts
from execution.assistant.run_briefing import Section
from execution.assistant.run_comparison import compared
from execution.choices import FINAL
from execution.models import Execution, Step
from execution.pages.listing import cell
from execution.permissions import VIEW
from execution.record.attribution import for_people
from execution.record.hidden import hidden_in
from execution.record.meant import corrected_steps
from workflows.permissions import permitted

RUNS = 50
MOST_ROWS = 300  # of two long runs those around where they part

Row = dict[str, Any]


@permitted(VIEW)
@require_safe
def run_compare(request: HttpRequest, execution_id: str) -> HttpResponse:
    """The other run is asked for by its id as `with`; without one it is the last that went well."""
    execution = Execution.objects.by_id(execution_id)
    runs = Execution.objects.filter(version__workflow=execution.version.workflow, state__in=FINAL)
    others = list(
        runs.exclude(pk=execution.pk).select_related("version").defer("version__graph").order_by("-pk")[:RUNS]
    )
    asked = request.GET.get("with", "")
    if asked and all(one.execution_id != asked for one in others):
        others += list(runs.filter(execution_id=asked).exclude(pk=execution.pk).select_related("version__workflow"))
    chosen = next((one for one in others if one.execution_id == asked), None) or _usual(execution, others)
    context: dict[str, Any] = {"run": execution, "others": others, "other": chosen}
    if chosen:
        said = Section()
        here, there = _facts(execution), _facts(Execution.objects.by_id(chosen.execution_id))
        compared(here, there, said)
        pairs = list(side_by_side(_rows(here), _rows(there)))
        context |= {"said": said.sentences, "pairs": _around_first(pairs), "cut": len(pairs) > MOST_ROWS}
    return render(request, "execution/compare.html", context)


def _facts(execution: Execution) -> Facts:
    """What the two are held against each other by: their steps, without what each screen showed."""
    graph = execution.version.spec()
    steps = Step.objects.filter(execution=execution).defer("screen").order_by("index")
    hidden, corrected = hidden_in(execution, graph), corrected_steps(execution)
    return Facts(execution=execution, graph=graph, hidden=hidden, steps=tuple(steps), corrected=corrected)


def _rows(facts: Facts) -> list[Row]:
    return [
        {
            "index": step.index,
            "node_id": step.node_id,
            "edge_id": step.edge_id,
            "outcome": step.outcome,
            "verified": step.verified,
            "sentence": facts.sentence(step),
            "message": facts.hidden.text(for_people(step.message)),
            "cell": cell(step),
        }
        for step in facts.steps
    ]


def _usual(execution: Execution, others: Sequence[Execution]) -> Execution | None:
    good = [one for one in others if one.state == "completed"]
    before = [one for one in good if one.pk < execution.pk]
    return next(iter([*before, *good, *others]), None)


def side_by_side(here: Sequence[Row], there: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """The steps of both in order, those of the same action on the same screen beside each other."""
    ours, theirs = ([(row["node_id"], row["edge_id"]) for row in rows] for rows in (here, there))
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            for one, other in zip(here[a:b], there[c:d], strict=True):
                yield _pair(one, other)
            continue
        for one in here[a:b]:
            yield _pair(one, None)
        for other in there[c:d]:
            yield _pair(None, other)


def _pair(here: Row | None, there: Row | None) -> dict[str, Any]:
    if here is None or there is None:
        return {"here": here, "there": there, "mark": _("only here") if here else _("only there")}
    differs = (here["outcome"], here.get("verified")) != (there["outcome"], there.get("verified"))
    return {"here": here, "there": there, "mark": _("differs") if differs else ""}


def _around_first(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(pairs) <= MOST_ROWS:
        return pairs
    first = next((n for n, pair in enumerate(pairs) if pair["mark"]), 0)
    start = max(0, min(first - MOST_ROWS // 3, len(pairs) - MOST_ROWS))
    return pairs[start : start + MOST_ROWS]
