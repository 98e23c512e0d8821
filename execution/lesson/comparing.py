"""What a change of the draft does to the pictures that are kept, told before it is saved (S6.14).

Each picture is recognised by the draft as it is and as it would be; only what differs is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from execution.choices import Outcome
from execution.lesson.proving import Trial, proved, reference_of
from execution.lesson.screens import Look
from execution.matching.matcher import Matcher
from execution.matching.references import Reference
from execution.models import Lesson, Step
from execution.perception.pictures import PictureSource
from execution.record.kept_screens import state_of, title_of
from sentences.said import say, to_json
from workflows.catalogue import effect_class_of
from workflows.graph import EdgeSpec, GraphSpec
from workflows.models import Workflow
from workflows.specs import graph_of

MOST_STEPS = 60  # of the newest runs
_KNOWN = (Outcome.SUCCEEDED, Outcome.MANUAL)  # of these the run was where its step says


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A kept picture: `where` it is of, and the node that it is known to be, if it is known."""

    look: Look
    where: str
    node_id: str = ""
    edge_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The draft before and after a change, which was not kept."""

    before: GraphSpec
    after: GraphSpec


def tried(workflow: Workflow, change: Callable[[], None]) -> Compared:
    """The change made, looked at, and taken back; raises what it raises."""
    before = graph_of(workflow)
    with transaction.atomic():
        change()
        after = graph_of(workflow)
        transaction.set_rollback(True)
    workflow.refresh_from_db()
    return Compared(before=before, after=after)


def shots_of(lesson: Lesson, looks: Mapping[str, Sequence[Look]], *, here: Look | None = None) -> list[Shot]:
    """What the screens were taught with, what its runs saw, and what the lesson shows now."""
    names = {node.node_id: node.name for node in lesson.workflow.nodes.all()}
    shots = [
        Shot(look=look, where=to_json(say("lesson.taught_picture", node=names.get(node_id, node_id))), node_id=node_id)
        for node_id, some in looks.items()
        for look in some
    ]
    steps = Step.objects.filter(execution__version__workflow=lesson.workflow).exclude(picture_before="")
    for step in steps.select_related("execution").order_by("-pk")[:MOST_STEPS]:
        if (look := look_of(step)) is not None:
            where = to_json(say("lesson.step_of_run", n=step.index, run=step.execution.pk))
            known = step.outcome in _KNOWN
            shots.append(Shot(look=look, where=where, node_id=step.node_id if known else "", edge_id=step.edge_id))
    if here is not None:
        shots.append(Shot(look=here, where=to_json(say("lesson.this_picture"))))
    seen: dict[str, Shot] = {}
    for shot in shots:
        seen.setdefault(shot.look.picture, shot)
    return list(seen.values())


def look_of(step: Step) -> Look | None:
    """A step's screen as it was kept; its pixels are not needed."""
    state = state_of(step)
    return Look(step.picture_before, state.texts, state, title_of(step.screen)) if state else None


def screens_told(
    found: Compared, shots: Sequence[Shot], *, pictures: PictureSource, values: Mapping[str, str], threshold: float
) -> dict[str, Any]:
    """How many pictures were looked at, and each that is taken for another screen than before."""
    looks = {shot.look.picture: shot.look for shot in shots}
    before, after = (
        Matcher(graph, pictures=pictures, embedder=None, references=_references(graph, looks), threshold=threshold)
        for graph in (found.before, found.after)
    )
    changes = []
    for shot in shots:
        was, now = (
            match.node_id if (match := one.recognise(shot.look.state, variables=values).match) else ""
            for one in (before, after)
        )
        if was != now:
            known = shot.node_id
            better = now == known if known else bool(now)
            verdict = "better" if better else "worse" if was else "other"
            changes.append(
                {
                    "picture": shot.look.picture,
                    "where": shot.where,
                    "was": found.before.name_of(was) if was else "",
                    "now": found.after.name_of(now) if now else "",
                    "verdict": verdict,
                }
            )
    return {"of": len(shots), "changes": changes}


def target_told(
    found: Compared,
    edge_id: str,
    shots: Sequence[Shot],
    *,
    pictures: PictureSource,
    values: Mapping[str, str],
    here: str,
) -> dict[str, Any] | None:
    """One step's target on all pictures of its screen, before and after; `here` is the digest of what shows now."""
    was, now = found.before.edge(edge_id), found.after.edge(edge_id)
    if was is None or now is None or was.target is None or now.target is None:
        return None
    own = [
        s
        for s in shots
        if s.look.picture == here or s.edge_id == edge_id or (not s.edge_id and s.node_id == was.source)
    ]
    others = [s.look for s in shots if s not in own and s.node_id and s.node_id != was.source]
    told = {
        name: proved(_trial(edge, [s.look for s in own], others, values), pictures=pictures)
        for name, edge in (("before", was), ("after", now))
    }
    where = {shot.look.picture: shot.where for shot in own}
    lost = [p for p in told["after"]["failed"] if p not in told["before"]["failed"]]
    gained = [p for p in told["before"]["failed"] if p not in told["after"]["failed"]]
    return {
        **told,
        "here": here in told["after"]["pictures"] and here not in told["after"]["failed"],
        "changes": [
            {"picture": p, "where": where[p], "verdict": verdict}
            for verdict, some in (("better", gained), ("worse", lost))
            for p in some
        ],
    }


def _trial(edge: EdgeSpec, own: Sequence[Look], others: Sequence[Look], values: Mapping[str, str]) -> Trial:
    assert edge.target is not None
    effect = effect_class_of(edge.action_type, edge.params, edge.effect_class, expects=bool(edge.expect))
    return Trial(target=edge.target, effect=effect, own=own, others=others, values=values)


def _references(graph: GraphSpec, looks: Mapping[str, Look]) -> dict[str, Reference]:
    known = {n.node_id: [looks[digest] for digest in (n.picture, *n.looks) if digest in looks] for n in graph.nodes}
    return {node_id: reference_of(some) for node_id, some in known.items() if some}
