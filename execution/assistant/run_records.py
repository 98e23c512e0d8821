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
from execution.assistant.model_facts import LONGEST_TEXT, for_model
from execution.assistant.run_briefing import Section, as_json, as_text, briefing, headline
from execution.exceptions import UnknownExecution
from execution.models import Execution, Step
from gpu.assistant.records import RecordsAnswer
from sentences.said import worded

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
