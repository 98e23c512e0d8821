"""What the records say to a message to the assistant: the briefing, the answer to a command, a draft."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import translation

from execution.assistant.answers import answered, step_asked_for
from execution.assistant.commands import AssistantCommand, CommandName, command_in, offered_commands
from execution.assistant.drafts import Drafting
from execution.assistant.facts import Facts, gather, reference, the_run
from execution.assistant.phrases import decided, found_how, outcome, why
from execution.assistant.run_briefing import Section, as_json, as_text, briefing, headline
from execution.choices import ExecutionState, Outcome
from execution.exceptions import UnknownExecution
from execution.models import Execution, Step
from gpu.assistant.records import RecordsAnswer
from sentences.said import in_words, worded

_NUMBER = re.compile(r"(?<![\w.,])\d{1,9}(?![\w])")


class RunRecords:
    """Answers for `gpu.assistant`: everything it says is of the database."""

    def answer(self, text: str, *, about: str, language: str) -> RecordsAnswer:
        """Without a word of what the message means: a command is one by its name, all else is for a model."""
        with translation.override(language):
            try:
                execution = the_run(about)
            except UnknownExecution as error:
                return RecordsAnswer(about="", language=language, answer=worded(error))
            command = command_in(text)
            if command is None:
                # the steps whose numbers stand in it are told to the model in full, whatever it asks of them
                return _question(text, gather(execution, wanted=_numbers(text)), about, language)
            number = step_asked_for(command)
            return _command(
                text, command, gather(execution, wanted=() if number is None else (number,)), about, language
            )

    def draft(self, proposal: Mapping[str, Any], answer: RecordsAnswer) -> dict[str, Any]:
        drafting: Drafting | None = answer.drafting
        with translation.override(answer.language):
            return drafting.chosen(proposal) if drafting else dict(answer.draft)


def overview(execution: Execution) -> dict[str, Any]:
    """The briefing of a run and the commands that it gives reason for, as JSON in the language that is active."""
    facts = gather(execution)
    return {"briefing": as_json(facts, briefing(facts)), "commands": offered_commands(facts)}


def _question(text: str, facts: Facts, about: str, language: str) -> RecordsAnswer:
    """The briefing for a model to answer from, and in its place where none does."""
    sections, short = briefing(facts), headline(facts)
    steps = _once([short, *sections])
    return RecordsAnswer(
        about=facts.execution.execution_id,
        asked=facts.hidden.text(text),
        language=language,
        answer=short.text,
        without_model=as_text(sections),
        references=tuple(reference(facts, step, about=about) for step in steps),
        known_steps=frozenset(step.index for step in facts.steps),
        failed_steps=frozenset(step.index for step in facts.failed),
        data=for_model(facts, sections),
    )


def _command(text: str, command: AssistantCommand, facts: Facts, about: str, language: str) -> RecordsAnswer:
    """A command is answered whole; a model is asked where it may choose among the places of a draft."""
    drafting = Drafting(facts, command.rest) if command.what is CommandName.CORRECT else None
    sections = [drafting.section()] if drafting else answered(command, facts)
    data: dict[str, Any] = {}
    if drafting and drafting.has_a_choice:
        data = for_model(facts, briefing(facts)) | {"places_for_a_correction": _places(facts, drafting)}
    return RecordsAnswer(
        about=facts.execution.execution_id,
        asked=facts.hidden.text(text),
        language=language,
        answer=as_text(sections),
        references=tuple(reference(facts, step, about=about) for step in _once(sections)),
        known_steps=frozenset(step.index for step in facts.steps),
        failed_steps=frozenset(step.index for step in facts.failed),
        data=data,
        draft=drafting.draft if drafting else {},
        drafting=drafting if data else None,
    )


def _places(facts: Facts, drafting: Drafting) -> Any:
    places = enumerate(drafting.places, start=1)
    return facts.hidden.any([{"place": n, "text": p["text"][:LONGEST_TEXT], "role": p["role"]} for n, p in places])


def _once(sections: Sequence[Section]) -> list[Step]:
    return list({step.pk: step for section in sections for step in section.steps}.values())


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(found) for found in _NUMBER.findall(text))


# The facts of a run as a model is told them: JSON, all of it data, without what is hidden.

# So that the facts take some 5000 tokens at most, whatever the screens hold (S4.3).
MOST_STEPS = 40
MOST_OF_A_SCREEN = 2000  # characters of what was read on it
LONGEST_TEXT = 200
LONGEST_SECTION = 1000


def for_model(facts: Facts, sections: Sequence[Section]) -> dict[str, Any]:
    """The facts, with the briefing first. All of it is data: names, messages and texts of screens may say anything."""
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
    briefing = {one.title: one.text[:LONGEST_SECTION] for one in sections}
    cleaned: dict[str, Any] = {"briefing": facts.hidden.any(briefing), **_cut(facts.hidden.any(in_words(data)))}
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
    cleaned: dict[str, Any] = hidden.any(in_words(details))
    return {name: value for name, value in cleaned.items() if value not in ("", [], {}, None)}


def _reasons(recognition: Mapping[str, Any] | None) -> list[str]:
    recognition = in_words(recognition or {})
    match = recognition.get("match") or {}
    reasons = [f"{r.get('sign')}: {r.get('note')}" for r in match.get("reasons") or () if r.get("note")]
    return reasons or ([recognition["why_not"]] if recognition.get("why_not") else [])


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
