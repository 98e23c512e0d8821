"""What the records answer to each command, in sentences that name their steps (S4.6)."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.commands import AssistantCommand, CommandName, explained, last_completed_before, written
from execution.assistant.facts import Facts, gather, the_run
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
from execution.assistant.run_briefing import Section, briefing
from execution.assistant.run_comparison import compared
from execution.exceptions import UnknownExecution
from execution.language.rungs import RUNGS
from execution.models import Step
from sentences.said import worded
from workflows.parsing import whole_number

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
