"""All that the live page of a run knows at its first paint, and once more where no socket reaches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from execution.choices import ExecutionState
from execution.models import Decision, Execution, ExecutionEvent
from execution.pages.listing import badge
from execution.record.events import as_message
from execution.record.snapshot import run_snapshot
from execution.record.summary import people, run_summary
from execution.record.waiting import waiting_of
from sentences.said import in_words
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec
from workflows.words import sentence

EVENTS = 100
LONG = ("screen", "recognition", "suggestion", "verification")  # of a step: what is long


def snapshot(execution: Execution, *, steps: bool = True) -> dict[str, Any]:
    """The run as it is, in the active language, with who answered, what happened, and what it came to.

    Without its `steps` for a page that has them from elsewhere, then without the answers to them as well.
    """
    found = {
        **run_snapshot(execution, with_steps=steps),
        "now": timezone.now().isoformat(),
        "decisions": decisions(execution) if steps else {},
        "events": events(execution),
        "waiting": waiting_of(execution),
        "summary": {**run_summary(execution), **people(execution)} if execution.is_final else None,
    }
    told: dict[str, Any] = in_words(found)
    return told


def decisions(execution: Execution) -> dict[str, dict[str, Any]]:
    """Who answered what, by step."""
    rows = Decision.objects.filter(prompt__execution=execution).select_related("user", "prompt__step")
    rows = rows.defer(*(f"prompt__step__{name}" for name in LONG))
    return {str(d.prompt.step.index): answer_json(d) for d in rows.order_by("decided_at")}


def answer_json(answer: Decision) -> dict[str, Any]:
    """Who answered what, and by which way; of a question that nobody answered how long it waited."""
    return {
        "choice": answer.choice,
        "source": answer.source,
        "decided_by": answer.decided_by,
        "origin": answer.origin,
        "timeout_s": answer.prompt.timeout_s if answer.timed_out else None,
        "feedback": answer.feedback,
    }


def events(execution: Execution) -> list[dict[str, Any]]:
    """The newest events, oldest first, without what the steps themselves already tell."""
    newest = ExecutionEvent.objects.filter(execution=execution).order_by("-seq")[:EVENTS]
    messages = [as_message(event) for event in reversed(newest)]
    for message in messages:
        if message["kind"] in ("step", "prompt"):
            message["payload"] = brief(message["payload"])
    return messages


def brief(payload: dict[str, Any]) -> dict[str, Any]:
    kept = ("prompt_id", "index", "sentence", "outcome", "message", "kind", "node_id", "verified")
    step = payload.get("step")
    return {k: payload[k] for k in kept if k in payload} | ({"step": brief(step)} if isinstance(step, dict) else {})


def graph_json(graph: GraphSpec, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The version's graph as the page draws it, with its actions in words and the run's variables put in."""
    return {
        "nodes": [node_json(n) for n in graph.nodes],
        "edges": [edge_json(e, graph, variables) for e in sorted(graph.edges, key=lambda e: (e.order, e.edge_id))],
    }


def node_json(node: NodeSpec) -> dict[str, Any]:
    return {
        "id": node.node_id,
        "name": node.name,
        "inside": node.scope.count("/") + 1 if node.scope else 0,
        "picture": node.picture,
        "entry": node.is_entry,
        "end": node.is_end,
    }


def edge_json(edge: EdgeSpec, graph: GraphSpec, variables: Mapping[str, Any]) -> dict[str, Any]:
    target = edge.target
    return {
        "id": edge.edge_id,
        "source": edge.source,
        "destination": edge.leads_to[0],
        "sentence": sentence(edge, graph, variables),
        "action": edge.action_type,
        # where the taught picture with its surroundings lay, to cut the found one out alike
        "box": target.box if target else None,
        "context_box": target.context_box if target else None,
        "has_context": bool(target and target.context),
    }


def head(execution: Execution) -> dict[str, Any]:
    """What stands above the page and does not change."""
    version = execution.version
    return {
        "number": execution.pk,
        "name": version.workflow.name,
        "version": version.number,
        "mode": execution.get_mode_display(),
        "desktop": desktop_words(execution),
        "badge": badge(execution),
        "is_final": execution.is_final,
        "is_waiting": execution.state == ExecutionState.QUEUED,
    }


def desktop_words(execution: Execution) -> str:
    """“desktop :1”; the machine's name is shown on the robots page."""
    if not execution.desktop:
        return "" if execution.is_final else _("no desktop yet")
    _host, colon, display = execution.desktop.rpartition(":")
    return _("desktop %(name)s") % {"name": f"{colon}{display}" if colon else display}
