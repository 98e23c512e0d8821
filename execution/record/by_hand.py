"""What a person did by hand in a run, and the way that it shows: proposed to people, never gone by a run (S6.4, S6.15).

Nothing of what was done is in a proposal: that is in the run's events, as they may be kept, and goes with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Max

from execution.choices import CorrectionKind, CorrectionState, EventKind, Outcome, Verb
from execution.models import CorrectionPack, Decision, Execution, LearnedCorrection, Step, WishRecord
from sentences.said import say
from workflows.graph import GraphSpec

MOST = 200
_TOLD = ("act", "on", "keys")  # what two ways are the same by: where on the screen it was may differ


def acts_of(execution: Execution, *, after: int, until: int | None = None) -> list[dict[str, Any]]:
    """The acts between two of the run's events, the latter included, as they were told."""
    events = execution.events.filter(kind=EventKind.CONTROL, seq__gt=after).order_by("seq")
    events = events if until is None else events.filter(seq__lte=until)
    return acts_told(events.values_list("payload", flat=True)[:MOST])


def acts_told(payloads: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each act once: without those that were told before they were tried and not done, and what was typed in one."""
    acts: list[dict[str, Any]] = []
    for payload in payloads:
        if "failed" in payload:
            del acts[-1:]
        elif acts and payload.get("act") == acts[-1].get("act") == "type_text":
            acts[-1]["length"] = int(acts[-1].get("length") or 0) + int(payload.get("length") or 0)
        else:
            acts.append(dict(payload))
    return acts


def propose_way(execution: Execution, graph: GraphSpec, *, came_from: str, to: str) -> None:
    """A person left the run on a screen, `to` where it is known: how they came there may become part of the workflow.

    What they did under control since the last step is the way; else the step that they said to have done, where that
    led elsewhere than taught. A way that was proposed before is not proposed anew, whatever was decided of it: two runs
    that end at once see each other's. Inside a transaction.
    """
    last = execution.steps.order_by("index").last()
    after = execution.events.filter(kind=EventKind.STEP).aggregate(seq=Max("seq"))["seq"] or 0
    until = execution.events.filter(kind=EventKind.CONTROL, seq__gt=after).aggregate(seq=Max("seq"))["seq"]
    acts = acts_of(execution, after=after) if until else []
    if not acts and not (last and _led_elsewhere(last, graph, to)):
        return
    way = {"to": to, "after": after, "until": until or 0}
    made, _new = CorrectionPack.objects.get_or_create(workflow=execution.version.workflow)
    pack = CorrectionPack.objects.select_for_update().get(pk=made.pk)
    known = LearnedCorrection.objects.of_workflow(graph.workflow_id).filter(kind=CorrectionKind.WAY, node_id=came_from)
    step = last.index if last else 0
    if known.filter(execution_id=execution.execution_id, step=step, payload__until=way["until"]).exists():
        return
    if found := next((row for row in known.filter(payload__to=to)[:MOST] if _is_same(row, acts)), None):
        same = LearnedCorrection.objects.select_for_update().get(pk=found.pk)  # a person may be deciding of it
        same.payload = {**same.payload, **way, "times": int(same.payload.get("times") or 1) + 1}
        same.execution_id, same.step, same.version_number = execution.execution_id, step, execution.version.number
        same.save(update_fields=["payload", "execution_id", "step", "version_number"])
        return
    who = _who(execution, None if acts else last)
    LearnedCorrection.objects.create(
        pack=pack,
        kind=CorrectionKind.WAY,
        node_id=came_from,
        edge_id="" if acts or last is None else last.edge_id,
        of=came_from,
        payload={**way, "times": 1},
        version_number=execution.version.number,
        execution_id=execution.execution_id,
        step=step,
        learned_by=who.user if who else None,
        learned_by_name=who.name if who else "",
        state=CorrectionState.NEEDS_PERSON,
        began_as=CorrectionState.NEEDS_PERSON,
        why=say("record.way_proposed"),
    )


def acts_of_way(row: LearnedCorrection, execution: Execution) -> list[dict[str, Any]]:
    """What was done; empty where nothing of it is kept, or was known."""
    until = int(row.payload.get("until") or 0)
    return acts_of(execution, after=int(row.payload.get("after") or 0), until=until) if until else []


def _led_elsewhere(step: Step, graph: GraphSpec, to: str) -> bool:
    edge = graph.edge(step.edge_id) if step.outcome == Outcome.MANUAL else None
    return edge is not None and bool(to) and to not in (edge.destination, edge.source)


def _is_same(row: LearnedCorrection, acts: list[dict[str, Any]]) -> bool:
    run = Execution.objects.filter(execution_id=row.execution_id).first()
    before = acts_of_way(row, run) if run else []
    if not acts or not before:
        return not acts and not row.payload.get("until")
    return [_key(act) for act in before] == [_key(act) for act in acts]


def _key(act: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(act.get(name) or "") for name in _TOLD)


def _who(execution: Execution, step: Step | None) -> Decision | WishRecord | None:
    """Who took control, or said that they had done the step."""
    if step is None:
        return execution.wishes.filter(verb=Verb.TAKE_CONTROL).first()
    return Decision.objects.filter(prompt__step=step).select_related("user").first()
