"""What the assistant gets about a question: the answer of the records, its references, and the facts for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from execution.assistant.drafts import drafted, offered, open_for
from execution.assistant.facts import Facts, find_run, gather, reference
from execution.assistant.phrases import decided, found_how, outcome, why
from execution.assistant.questions import Topic, understood
from execution.assistant.telling import told
from execution.choices import ExecutionState, Outcome
from execution.exceptions import UnknownExecution
from execution.models import Step
from gpu.assistant.assistant import Briefing

# So that the facts take some 5000 tokens at most, whatever the screens hold (S4.3).
MOST_STEPS = 40
MOST_OF_A_SCREEN = 2000  # characters of what was read on it
LONGEST_TEXT = 200


class RunBriefer:
    """Answers for `gpu.assistant.assistant`: everything it says is of the database."""

    def brief(self, text: str, *, about: str, language: str, earlier: Sequence[int] = ()) -> Briefing:
        question = understood(text, language=language)
        with translation.override(question.language):
            try:
                execution = find_run(question, about)
            except UnknownExecution as error:
                return Briefing(about="", language=question.language, answer=str(error))
            facts = gather(question, execution, earlier=earlier if execution.execution_id == about else ())
            said = told(facts)
            draft = drafted(facts)
            answer = " ".join(filter(None, (_which_run(facts, about), said.text, _about_draft(facts, draft))))
            return Briefing(
                about=execution.execution_id,
                asked=facts.hidden.text(text),
                language=question.language,
                answer=" ".join(answer.split()),
                references=tuple(reference(facts, step, about=about) for step in said.steps),
                known_steps=frozenset(step.index for step in facts.steps),
                data=for_model(facts),
                draft=draft,
                may_draft=bool(open_for(facts)),
                decides=question.topic is Topic.FAILURE and not question.steps and bool(facts.failed),
                facts=facts,
            )

    def draft(self, proposal: Mapping[str, Any], briefing: Briefing) -> dict[str, Any]:
        with translation.override(briefing.language):
            return drafted(briefing.facts, proposal)


def _which_run(facts: Facts, about: str) -> str:
    """Said where the question names another run than the conversation is about."""
    run = facts.execution
    if not about or run.execution_id == about:
        return ""
    return _("About run %(n)d of “%(name)s”:") % {"n": run.pk, "name": run.version.workflow.name}


def _about_draft(facts: Facts, draft: Mapping[str, Any]) -> str:
    if open_for(facts) is None:
        return ""
    if draft:
        return f"{draft['words']} {_('Look at it; nothing is sent before you do.')}"
    places = offered(facts)
    if len(places) > 1:
        names = ", ".join(f"“{facts.hidden.text(p['text'])}”" for p in places)
        return _("It may be one of these: %(names)s. Say which.") % {"names": names}
    if facts.question.said and not places:
        return _("“%(text)s” is not read on that screen.") % {"text": facts.hidden.text(facts.question.said[0])}
    return _("Say what it should be, in quotation marks, for example: it should click “Cancel” instead.")


def for_model(facts: Facts) -> dict[str, Any]:
    """The facts as JSON. All of it is data: names, messages and texts of screens may say anything."""
    run = facts.execution
    data: dict[str, Any] = {
        "run": {
            "number": run.pk,
            "workflow": run.version.workflow.name,
            "version": run.version.number,
            "mode": run.mode,
            "state": ExecutionState(run.state).value,
            "pause_reason": run.pause_reason,
            "pause_message": run.pause_detail.get("message", ""),
            "error": run.error,
            "values": {k: v for k, v in run.variables.items() if k not in facts.hidden.names},
            "steps_taken": len(facts.steps),
            "seconds": round(run.duration_seconds, 1),
        },
        "steps": [_line(facts, step) for step in _outline(facts.steps)],
        "details": [_details(facts, step) for step in facts.focus],
    }
    if facts.prompt is not None:
        data["open_question"] = {
            "step": facts.prompt.step.index,
            "kind": facts.prompt.kind,
            "message": facts.prompt.message,
            "answers": list(facts.prompt.choices),
        }
    places = offered(facts)
    if places:
        data["places_for_a_correction"] = [
            {"place": number, "text": place["text"], "role": place["role"]}
            for number, place in enumerate(places, start=1)
        ]
    cleaned: dict[str, Any] = _cut(facts.hidden.any(data))
    return cleaned


def _outline(steps: Sequence[Step]) -> list[Step]:
    """All steps, or of a long run the first, the last, and those that did not go well."""
    if len(steps) <= MOST_STEPS:
        return list(steps)
    odd = [s for s in steps if s.outcome not in (Outcome.SUCCEEDED, Outcome.OBSERVED)][-15:]
    kept = {s.pk for s in (*steps[:5], *odd, *steps[-(MOST_STEPS - 20) :])}
    return [s for s in steps if s.pk in kept]


def _line(facts: Facts, step: Step) -> dict[str, Any]:
    line = {
        "step": step.index,
        "did": facts.sentence(step),
        "screen": facts.screen_name(step),
        "outcome": outcome(step),
    }
    answers = [decided(facts, step.index, d) for d in facts.decisions.get(step.index, ())]
    return line | ({"answers": answers} if any(answers) else {})


def _details(facts: Facts, step: Step) -> dict[str, Any]:
    hidden = facts.hidden.of(step)
    window = (step.screen or {}).get("window") or {}
    details: dict[str, Any] = {
        "step": step.index,
        "why": why(facts, step),
        "recognised_as": facts.screen_name(step),
        "sure": round(step.confidence, 3),
        "signs_of_the_screen": _reasons(step.recognition),
        "target": (step.suggestion or {}).get("target") or {},
        "found": found_how(facts, step) if step.suggestion else [],
        "evidence": [
            {"sign": r.get("rung"), "status": r.get("status"), "score": r.get("score"), "note": r.get("note")}
            for r in (step.suggestion or {}).get("evidence") or ()
        ],
        "params": (step.suggestion or {}).get("params") or {},
        "verified": step.verified,
        "verification": (step.verification or {}).get("message", ""),
        "retries": step.retries,
        "seconds": round(step.robot_ms / 1000, 2),
        "seconds_waiting_for_a_person": round(step.waited_ms / 1000, 2),
        "window_title": window.get("window_title", ""),
        "texts_on_the_screen": _enough(hidden.seen(step), MOST_OF_A_SCREEN // max(1, len(facts.focus))),
    }
    details["target"] = {k: v for k, v in details["target"].items() if k in ("label", "text")}
    cleaned: dict[str, Any] = hidden.any(details)
    return {name: value for name, value in cleaned.items() if value not in ("", [], {}, None)}


def _reasons(recognition: Mapping[str, Any] | None) -> list[str]:
    match = (recognition or {}).get("match") or {}
    reasons = [f"{r.get('sign')}: {r.get('note')}" for r in match.get("reasons") or () if r.get("note")]
    return reasons or ([str(recognition["why_not"])] if recognition and recognition.get("why_not") else [])


def _enough(texts: Sequence[str], characters: int) -> list[str]:
    kept: list[str] = []
    for text in texts:
        characters -= min(len(text), LONGEST_TEXT)
        if characters < 0:
            break
        kept.append(text)
    return kept


def _cut(value: Any) -> Any:
    """No text longer than a line or two: a screen cannot fill the whole context."""
    if isinstance(value, Mapping):
        return {key: _cut(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner) for inner in value]
    return f"{value[:LONGEST_TEXT]}…" if isinstance(value, str) and len(value) > LONGEST_TEXT else value
