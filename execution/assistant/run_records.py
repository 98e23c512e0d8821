"""What the records say to a message to the assistant: the briefing, the answer to a command, a draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.commands import (
    AssistantCommand,
    CommandName,
    command_in,
    explained,
    last_completed_before,
    offered_commands,
    written,
)
from execution.assistant.drafts import Drafting
from execution.assistant.facts import Facts, gather, reference, the_run
from execution.assistant.phrases import (
    capital,
    decided,
    decimal,
    found_how,
    outcome,
    seconds,
    sentence,
    what_and_where,
    why,
)
from execution.assistant.run_briefing import Section, as_json, as_text, briefing, headline
from execution.assistant.run_comparison import compared
from execution.choices import ExecutionState, Outcome
from execution.exceptions import UnknownExecution
from execution.language.rungs import RUNGS
from execution.models import Execution, Step
from gpu.assistant.records import RecordsAnswer
from sentences.said import in_words, worded
from workflows.parsing import whole_number

# What the records answer to each command, in sentences that name their steps (S4.6).

MOST_TEXTS = 12


def answered(command: AssistantCommand, facts: Facts) -> list[Section]:
    """Every command but /correct, which is of `drafts`. In the language that is active."""
    match command.what:
        case CommandName.BRIEFING:
            return briefing(facts)
        case CommandName.WHY:
            return [_about_a_step(command, facts, _explain)]
        case CommandName.SCREEN:
            return [_about_a_step(command, facts, _show)]
        case CommandName.COMPARE:
            return [_comparison(command, facts)]
        case CommandName.HELP:
            return _help("")
        case _:
            return _help(_("There is no command /%(name)s. There are:") % {"name": facts.hidden.text(command.name)})


def step_asked_for(command: AssistantCommand) -> int | None:
    """The number behind a command; None where there is none."""
    return whole_number(command.rest.lstrip("#"))


def _help(first: str) -> list[Section]:
    lines = [Section(title=command, sentences=[told]) for command, told in explained()]
    return [Section(sentences=[first]), *lines] if first else lines


def _about_a_step(command: AssistantCommand, facts: Facts, tell: Callable[[Facts, Section, Step], None]) -> Section:
    """Of the step with that number; without one, of the step that matters most now."""
    said, number = Section(), step_asked_for(command)
    if command.rest and number is None:
        said.say(_("A number of a step goes with it: %(example)s") % {"example": f"/{command.name} 2"})
    elif not facts.steps:
        said.say(_("This run has taken no step yet."))
    elif number is None:
        tell(facts, said, facts.focus[0])
    elif (step := facts.step(number)) is not None:
        tell(facts, said, step)
    else:
        last = facts.steps[-1]
        words = {"n": number, "last": last.index}
        said.say(_("This run has no step %(n)s; its last one is step %(last)d.") % words, last)
    return said


# --- why this step came to what it came to --------------------------------------------------------------------------
def _explain(facts: Facts, said: Section, step: Step) -> None:
    words = {"step": capital(what_and_where(facts, step)), "outcome": outcome(step)}
    said.say(_("%(step)s: %(outcome)s.") % words, step)
    said.say(why(facts, step))
    if step.suggestion:
        for part in found_how(facts, step):
            said.say(part)
        said.say(_other_signs(facts, step))
    said.say(_screen_sure(facts, step))
    for decision in facts.decisions.get(step.index, ()):
        said.say(decided(facts, step.index, decision))
    if step.retries:
        said.say(_("It was tried %(n)d times.") % {"n": step.retries + 1})
    if step.outcome and step.total_ms:
        said.say(_("It took %(time)s.") % {"time": seconds(step.robot_ms / 1000)})
        if step.waited_ms:
            said.say(_("A person was waited for %(time)s.") % {"time": seconds(step.waited_ms / 1000)})


def _other_signs(facts: Facts, step: Step) -> str:
    """What the other signs said, each in a few words."""
    hidden, suggestion = facts.hidden.of(step), step.suggestion
    parts = []
    for rung in suggestion.get("evidence") or ():
        if rung.get("rung") == suggestion.get("rung") or not rung.get("note"):
            continue
        name = str(RUNGS.get(rung.get("rung", ""), rung.get("rung", "")))
        parts.append(_("%(title)s: %(text)s") % {"title": name, "text": hidden.text(rung["note"])})
    return sentence(_("The other signs: %(signs)s") % {"signs": " · ".join(parts)}) if parts else ""


def _screen_sure(facts: Facts, step: Step) -> str:
    name = facts.hidden.text(facts.screen_name(step))
    if not name or not step.confidence:
        return ""
    words = {"name": name, "score": decimal(step.confidence)}
    return _("It took the screen for “%(name)s”, sure to %(score)s.") % words


# --- the screen -----------------------------------------------------------------------------------------------------
def _show(facts: Facts, said: Section, step: Step) -> None:
    hidden = facts.hidden.of(step)
    said.say(_("At %(step)s:") % {"step": what_and_where(facts, step)}, step)
    said.say(_screen_sure(facts, step))
    title = hidden.text(((step.screen or {}).get("window") or {}).get("window_title"))
    if title:
        said.say(_("The window was “%(title)s”.") % {"title": title})
    texts = hidden.seen(step)
    if texts:
        shown = ", ".join(_("“%(text)s”") % {"text": text} for text in texts[:MOST_TEXTS])
        said.say(sentence(_("Read there: %(texts)s") % {"texts": shown}))
        if (more := len(texts) - MOST_TEXTS) > 0:
            said.say(ngettext("And %(n)d more text.", "And %(n)d more texts.", more) % {"n": more})
    else:
        said.say(_("No text of it was kept."))
    if hidden.masks:
        said.say(_("What is in the workflow's masked regions is left out."))


# --- beside another run ---------------------------------------------------------------------------------------------
def _comparison(command: AssistantCommand, facts: Facts) -> Section:
    said = Section()
    try:
        other = the_run(command.rest.lstrip("#")) if command.rest else last_completed_before(facts.execution)
    except UnknownExecution as error:
        said.say(worded(error))
        return said
    if other is None:
        example = written(CommandName.COMPARE, max(1, facts.execution.pk - 1))
        said.say(
            _("No earlier run of this workflow was completed. Name another one: %(example)s") % {"example": example}
        )
    elif other.pk == facts.execution.pk:
        said.say(_("That is this run itself."))
    elif other.version.workflow_id != facts.execution.version.workflow_id:
        words = {"n": other.pk, "name": other.version.workflow.name}
        said.say(_("Run %(n)d is one of another workflow, “%(name)s”: nothing can be compared.") % words)
    else:
        compared(facts, gather(other), said)
    return said


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
