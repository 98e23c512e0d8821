"""What leaves the process about a run: event payloads, and the compact JSON that steps keep. Boxes are normalised.

Sentences are in it as codes with values; whoever hands it to a reader puts them `in_words`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from execution.choices import ON_DESKTOP, STANDS_STILL, PromptState
from execution.models import Decision, Execution, Lesson, Prompt, Step, WishRecord
from execution.models.reference import vector_id
from execution.record.redaction import Shown
from execution.record.sentences import step_sentence
from execution.types import (
    Candidate,
    CorrectionUsed,
    Match,
    Reason,
    Recognition,
    Resolution,
    ScreenState,
    Size,
    Suggestion,
    Verification,
)
from gpu.models import GPUEvent
from sentences.said import by_sentence, sentences_of, to_json
from workflows.graph import GraphSpec
from workflows.words import names_of

TIMES = (
    "capture_ms", "ocr_ms", "ui_ms", "analyze_ms", "match_ms", "resolve_ms", "act_ms", "look_ms", "verify_ms",
    "waited_ms", "total_ms",
)  # fmt: skip


def screen_json(shown: Shown, *, execution: Execution, picture: str, lies: tuple[str, int]) -> dict[str, Any]:
    """A ScreenState in the shape of S11.6, with the boxes of what was read and detected beside it, as it may be kept.

    `hidden` are the places that were painted over, `seal` a keyed digest of what stands there; `lies` is where the
    picture does, and its bytes.
    """
    state = shown.state
    size, window = state.frame.size, state.window
    confidences = [t.confidence for t in state.texts]
    return {
        "screen_state_id": f"{execution.execution_id}:{picture[:12]}",
        "timestamp": state.frame.taken_at.isoformat(),
        "session_id": execution.execution_id,
        "window": {
            "app_name": window.app_name if window else "",
            "window_title": window.title if window else "",
            "screen_resolution": list(size),
            "workspace": execution.desktop,
            "box": _norm(window.box, size) if window and window.box else None,
        },
        "raw": {
            "screenshot_path": lies[0],
            "capture_method": state.frame.method,
            "file_size_bytes": lies[1],
        },
        "perception": {
            "embedding": {
                "provider": state.embedding.model if state.embedding else "",
                "vector_id": vector_id(picture, state.embedding.model) if state.embedding else "",
                "dimensions": int(state.embedding.vector.size) if state.embedding else 0,
            },
            **texts_json(state),
            "text_detection_method": state.text_method,
            "confidence_avg": round(sum(confidences) / len(confidences), 4) if confidences else 0.0,
        },
        "context": {"workflow_id": execution.workflow_id, "node_id": execution.current_node_id},
        "ui_elements": [
            {
                "box": _norm(e.box, size),
                "role": e.role,
                "text": e.text,
                "confidence": round(e.confidence, 3),
                "states": sorted(e.states),
                **({"label": e.label} if e.label else {}),
            }
            for e in state.elements
        ],
        "notes": to_json(state.notes),
        **({"hidden": [_norm(box, size) for box in shown.hidden], "seal": shown.seal} if shown.hidden else {}),
    }


def texts_json(state: ScreenState) -> dict[str, Any]:
    """What was read on a screen as it may be kept, and where."""
    size = state.frame.size
    return {"detected_text": [t.text for t in state.texts], "text_boxes": [_norm(t.box, size) for t in state.texts]}


def match_json(match: Match) -> dict[str, Any]:
    return {**asdict(match), "reasons": [_reason(r) for r in match.reasons]}


def recognition_json(recognition: Recognition) -> dict[str, Any]:
    return {
        "match": match_json(recognition.match) if recognition.match else None,
        "candidates": [match_json(c) for c in recognition.candidates],
        "why_not": to_json(recognition.why_not),
    }


def suggestion_json(suggestion: Suggestion, size: Size, graph: GraphSpec) -> dict[str, Any]:
    edge, resolution = suggestion.edge, suggestion.resolution
    destination = graph.node(edge.destination)
    target = edge.target
    return {
        "edge_id": edge.edge_id,
        "action": edge.action_type,
        "sentence": to_json(suggestion.sentence),
        "params": dict(suggestion.params),
        "names": names_of(suggestion.params, graph),
        "destination": edge.destination,
        "destination_name": destination.name if destination else edge.destination,
        "target": (
            {
                "target_id": target.target_id,
                "label": target.label,
                "text": target.text,
                "role": target.role,
                "picture": target.context or target.picture,
            }
            if target
            else None
        ),
        **({"line": suggestion.line} if suggestion.line else {}),
        **({"no_line": True} if suggestion.no_line else {}),
        **({"learned": [_used(used) for used in suggestion.learned]} if suggestion.learned else {}),
        **resolution_json(resolution, size),
        "can_accept": resolution.status in ("found", "not_needed"),
    }


def _used(used: CorrectionUsed) -> dict[str, Any]:
    """A correction that a suggestion stands on: which one, what it says of the step, and where it comes from."""
    return {
        "correction": used.key,
        "part": used.part,
        "on_trial": used.on_trial,
        "against": used.against,
        "said": to_json(used.said),
    }


def resolution_json(resolution: Resolution, size: Size) -> dict[str, Any]:
    return {
        "status": resolution.status,
        "message": to_json(resolution.message),
        "rung": resolution.rung,
        "score": round(resolution.score, 4),
        "box": _norm(resolution.box, size) if resolution.box else None,
        "point": [resolution.point.x / size.width, resolution.point.y / size.height] if resolution.point else None,
        "runner_up": _candidate(resolution.runner_up, size) if resolution.runner_up else None,
        "evidence": [
            {
                "rung": r.rung,
                "status": r.status,
                "score": r.score,
                "note": to_json(r.note),
                "candidates": [_candidate(c, size) for c in r.candidates[:3]],
            }
            for r in resolution.evidence
        ],
        "resolve_ms": round(resolution.resolve_ms, 2),
        **({"lines": [_norm(line, size) for line in resolution.lines]} if resolution.lines else {}),
    }


def verification_json(verification: Verification) -> dict[str, Any]:
    return {
        "answer": verification.answer,
        "message": to_json(verification.message),
        "said": verification.said,
        "evidence": [_reason(r) for r in verification.evidence],
        **({"read_back": verification.read_back} if verification.read_back else {}),
    }


def state_payload(execution: Execution) -> dict[str, Any]:
    """Where the run stands, why it is paused, what went wrong and what was asked of it: events, snapshots, pages."""
    return {
        **execution.progress(),
        "pause_reason": execution.pause_reason,
        "pause_detail": execution.pause_detail,
        "error": to_json(execution.error),
        "stopped_by": execution.stopped_by,
        "stopped_from": execution.stopped_from,
        "wish": execution.wish,
        "wish_mode": execution.wish_mode,
        "degraded": execution.degraded,
        "degraded_reason": to_json(execution.degraded_reason),
        "desktop": execution.desktop,
        "on_desktop": execution.state in ON_DESKTOP and execution.robot_id is not None,
        "mending": mending_payload(execution),
    }


def mending_payload(execution: Execution) -> dict[str, Any] | None:
    """Who mends which step while the run stands still, or asks; None where nobody does."""
    if execution.state not in STANDS_STILL:
        return None
    lessons = Lesson.objects.open().filter(execution=execution, step_index__isnull=False)
    lesson = lessons.select_related("teacher").first()
    if lesson is None or lesson.teacher is None:
        return None
    return {"by": lesson.teacher.get_username(), "step": lesson.step_index, "since": lesson.created_at.isoformat()}


def step_payload(step: Step) -> dict[str, Any]:
    """The `step` event, and a row of the API: a StepResult (S11.4) with what a page shows of it."""
    return {
        "index": step.index,
        "success": step.success,
        "outcome": step.outcome,
        "phase": step.phase,
        "node_id": step.node_id,
        "edge_id": step.edge_id or None,
        "action_type": step.action_type,
        "sentence": to_json(step_sentence(step)),
        "message": to_json(step.message),
        "match_confidence": step.confidence,
        "margin": step.margin,
        "recognition": step.recognition,
        "suggestion": step.suggestion,
        "rung": step.rung,
        "score": step.score,
        "verified": step.verified,
        "verification": step.verification,
        "in_doubt": step.in_doubt,
        "retries": step.retries,
        "picture_before": step.picture_before,
        "picture_after": step.picture_after,
        "just_before": step.just_before,
        **{name: round(getattr(step, name), 2) for name in TIMES},
        "duration_ms": round(step.total_ms, 2),
        "cache_hit": step.cache_hit,
        "degraded": step.degraded,
        "started_at": step.started_at.isoformat(),
        "ended_at": step.ended_at.isoformat() if step.ended_at else None,
    }


def resource_payload(event: GPUEvent) -> dict[str, Any]:
    """The `resource_changed` and `idle_unload` events: what happened to the GPU, and how it stands then."""
    status = event.status
    memory = status.get("vram") or {}
    return {
        "machine": event.machine,
        "message": to_json(event.text),
        "mode": status.get("execution_mode", ""),
        "vlm_model": status.get("vlm_model", ""),
        "vlm_state": status.get("vlm_state", ""),
        "used_mb": memory.get("used_mb"),
        "total_mb": memory.get("total_mb"),
    }


def prompt_payload(prompt: Prompt) -> dict[str, Any]:
    """The `prompt` event: what is asked, about which step, until when, and what happens without an answer.

    The screen's texts and elements are not in it; they are fetched when a coach switches their layer on.
    """
    step = prompt.step
    return {
        "prompt_id": prompt.pk,
        "kind": prompt.kind,
        "state": prompt.state,
        "message": to_json(prompt.message),
        "why": to_json(by_sentence(sentences_of(prompt.message)[:-1])),  # what is not as it should be
        "choices": list(prompt.choices),
        "timeout_choice": prompt.timeout_choice,
        "picture": prompt.picture,
        "dialog": prompt.dialog or None,
        "created_at": prompt.created_at.isoformat(),
        "deadline_at": prompt.deadline_at.isoformat() if prompt.deadline_at else None,
        "held": held_payload(prompt),
        "changed": to_json(prompt.changed),
        "step": step_payload(step),
    }


def held_payload(prompt: Prompt) -> dict[str, str] | None:
    """Who is correcting and since when; the time up to `deadline_at` stands still from then on."""
    if prompt.held_since is None or prompt.held_by is None or prompt.state != PromptState.OPEN:
        return None
    return {"by": prompt.held_by.get_username(), "since": prompt.held_since.isoformat()}


def decision_payload(decision: Decision) -> dict[str, Any]:
    return {
        "prompt_id": decision.prompt_id,
        "step": decision.prompt.step.index,
        "choice": decision.choice,
        "source": decision.source,
        "decided_by": decision.decided_by,
        "origin": decision.origin,
        "decided_at": decision.decided_at.isoformat(),
        "timed_out": decision.timed_out,
        "timeout_s": decision.prompt.timeout_s if decision.timed_out else None,
        "correction": decision.correction,
        "feedback": decision.feedback,
        "node_id": decision.node_id,
    }


def wish_payload(wish: WishRecord) -> dict[str, Any]:
    """The `wish` event: what was asked of the run, by whom, and from where; `detail` is the node, the mode, on or off.

    `by` is the person's name, or the machine's account for the command line and for programs.
    """
    return {
        "verb": wish.verb,
        "by": wish.name,
        "origin": wish.origin,
        "asked_at": wish.asked_at.isoformat(),
        "detail": wish.detail,
    }


def mode_payload(was: str, mode: str, wish: WishRecord | None) -> dict[str, Any]:
    """The `mode_changed` event of a run: from which mode to which, and who asked for it (S1.23)."""
    asked = {"by": wish.name, "origin": wish.origin, "asked_at": wish.asked_at.isoformat()} if wish else {}
    return {"was": was, "mode": mode, "by": "", "origin": "", "asked_at": None, **asked}


def version_payload(was: int, version: int, wish: WishRecord | None) -> dict[str, Any]:
    """The `version_changed` event of a run: from which version to which, and who asked for it (S6.14)."""
    asked = {"by": wish.name, "origin": wish.origin, "asked_at": wish.asked_at.isoformat()} if wish else {}
    return {"was": was, "version": version, "by": "", "origin": "", "asked_at": None, **asked}


def _reason(reason: Reason) -> dict[str, Any]:
    return {"sign": reason.sign, "score": reason.score, "note": to_json(reason.note)}


def _norm(box: Any, size: Size) -> list[float]:
    return [round(v, 5) for v in box.normalised(size)]


def _candidate(candidate: Candidate, size: Size) -> dict[str, Any]:
    return {"box": _norm(candidate.box, size), "score": round(candidate.score, 4), "text": candidate.text}
