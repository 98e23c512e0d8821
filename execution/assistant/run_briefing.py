"""The briefing of a run: what happened, what failed, why, what was corrected, what is next (S4.6).

It is the same whatever is asked, so whoever has read one knows where in the next one to look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.facts import Facts, reference
from execution.assistant.phrases import (
    capital,
    decided,
    found_how,
    listed,
    one_line,
    seconds,
    sentence,
    what_and_where,
    why,
)
from execution.choices import FINAL, ExecutionMode, ExecutionState, Outcome, PauseReason, Verified
from execution.models import Step
from execution.record.attribution import how_it_ended
from execution.record.summary import run_summary
from execution.types import Choice
from workflows.words import sentence as edge_sentence

MOST_DECISIONS = 8


@dataclass(slots=True)
class Section:
    """Sentences under a title, and the steps that they stand on in the order of their weight."""

    title: str = ""
    sentences: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def say(self, text: str, *steps: Step) -> None:
        if text:
            self.sentences.append(one_line(text))
        self.steps.extend(step for step in steps if step not in self.steps)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def briefing(facts: Facts) -> list[Section]:
    """The sections that have something to say, always in the same order."""
    sections = (_happened(facts), _failed(facts), _why(facts), _corrected(facts), _next(facts))
    return [section for section in sections if section.sentences]


def as_text(sections: Sequence[Section]) -> str:
    """A line for each section, its title first where it has one."""
    lines = (
        _("%(title)s: %(text)s") % {"title": one.title, "text": one.text} if one.title else one.text for one in sections
    )
    return "\n".join(lines)


def as_json(facts: Facts, sections: Sequence[Section]) -> list[dict[str, Any]]:
    about = facts.execution.execution_id
    return [
        {
            "title": one.title,
            "text": one.text,
            "references": [reference(facts, step, about=about) for step in one.steps],
        }
        for one in sections
    ]


def headline(facts: Facts) -> Section:
    """The briefing in two or three sentences, as they stand above what a model says."""
    said = Section()
    if not facts.failed:
        _standing(facts, said)
        return said
    _say_failed(facts, said)
    said.say(why(facts, facts.failed[-1]))
    match facts.execution.state:
        case ExecutionState.FAILED:
            said.say(_("The run ended as failed."))
        case ExecutionState.COMPLETED:
            said.say(_("The run was completed all the same."))
        case _:
            _standing(facts, said)
    return said


# --- what happened --------------------------------------------------------------------------------------------------
def _happened(facts: Facts) -> Section:
    run, said = facts.execution, Section(_("What happened"))
    said.say(_state(facts))
    who = run.started_by.get_username() if run.started_by else _("A program")
    said.say(_("%(who)s started it, in the mode “%(mode)s”.") % {"who": who, "mode": ExecutionMode(run.mode).label})
    if run.state in FINAL:
        _say_done(facts, said)
    elif facts.steps:
        words = {"n": len(facts.steps), "ahead": len(_ahead(facts)), "time": seconds(run.duration_seconds)}
        taken = ngettext(
            "%(n)d step taken in %(time)s, about %(ahead)d to come.",
            "%(n)d steps taken in %(time)s, about %(ahead)d to come.",
            len(facts.steps),
        )
        said.say(taken % words, facts.steps[-1])
    again = [s for s in facts.steps if s.retries]
    if again:
        tried = ngettext(
            "Step %(steps)s was tried more than once.", "Steps %(steps)s were tried more than once.", len(again)
        )
        said.say(tried % {"steps": listed([s.index for s in again])}, *again)
    unsure = [s for s in facts.steps if s.outcome == Outcome.SUCCEEDED and s.verified == Verified.CANNOT_TELL]
    if unsure:
        unproven = ngettext(
            "Step %(steps)s was done, and nothing on the screen proved it.",
            "Steps %(steps)s were done, and nothing on the screen proved it.",
            len(unsure),
        )
        said.say(unproven % {"steps": listed([s.index for s in unsure])}, *unsure)
    timed = [s for s in facts.steps if s.robot_ms]
    if len(timed) > 1:
        slow = max(timed, key=lambda s: s.robot_ms)
        words = {"step": what_and_where(facts, slow), "time": seconds(slow.robot_ms / 1000)}
        said.say(_("The slowest was %(step)s, with %(time)s.") % words, slow)
    return said


def _say_done(facts: Facts, said: Section) -> None:
    summary = run_summary(facts.execution)
    done = ngettext(
        "%(done)d of %(all)d action was done, in %(time)s.",
        "%(done)d of %(all)d actions were done, in %(time)s.",
        summary["actions"],
    )
    time = seconds(facts.execution.duration_seconds)
    said.say(done % {"done": summary["done"], "all": summary["actions"], "time": time})


def _standing(facts: Facts, said: Section) -> None:
    """How the run stands, and what it waits for."""
    if facts.prompt is None:
        said.say(_state(facts))
        said.say(_reason(facts))
    else:
        _say_asked(facts, said)


def _state(facts: Facts) -> str:
    run = facts.execution
    words = {"n": run.pk, "name": run.version.workflow.name, "state": ExecutionState(run.state).label}
    return _("Run %(n)d of “%(name)s”: %(state)s.") % words


# --- what failed, and why -------------------------------------------------------------------------------------------
def _failed(facts: Facts) -> Section:
    said = Section(_("What failed"))
    if facts.failed:
        _say_failed(facts, said)
    else:
        said.say(_("No step of this run failed."))
    for step in facts.steps:
        if step.in_doubt:
            said.say(_("Nobody knows whether %(step)s was done.") % {"step": what_and_where(facts, step)}, step)
        elif step.outcome in (Outcome.REJECTED, Outcome.INTERRUPTED):
            words = {"step": capital(what_and_where(facts, step)), "outcome": Outcome(step.outcome).label}
            said.say(_("%(step)s: %(outcome)s.") % words, step)
    return said


def _say_failed(facts: Facts, said: Section) -> None:
    last = facts.failed[-1]
    if len(facts.failed) > 1:
        numbers = listed([s.index for s in facts.failed])
        said.say(_("The steps that failed are %(numbers)s. The last of them is:") % {"numbers": numbers})
    said.say(_("%(step)s failed.") % {"step": capital(what_and_where(facts, last))}, last, *reversed(facts.failed))


def _why(facts: Facts) -> Section:
    said = Section(_("Why"))
    if facts.failed:
        last = facts.failed[-1]
        said.say(why(facts, last), last)
        if (last.suggestion or {}).get("status") == "found":
            said.say(" ".join(found_how(facts, last)))
    said.say(_reason(facts))
    return said


def _reason(facts: Facts) -> str:
    """Why a run stands still, or ended before its end."""
    run = facts.execution
    if run.state != ExecutionState.PAUSED:
        return (
            ""
            if facts.failed and run.state == ExecutionState.FAILED
            else sentence(facts.hidden.text(how_it_ended(run)))
        )
    reason = _("The run is paused: %(why)s.") % {"why": PauseReason(run.pause_reason or PauseReason.ASKED).label}
    return f"{reason} {sentence(facts.hidden.text(run.pause_detail.get('message', '')))}"


# --- what was corrected, what is next -------------------------------------------------------------------------------
def _corrected(facts: Facts) -> Section:
    """Corrections first, then what else people said; what they accepted as it was suggested is counted."""
    said = Section(_("What was corrected"))
    answers = [(step, d) for step in facts.steps for d in facts.decisions.get(step.index, ())]
    corrections = [pair for pair in answers if pair[1].choice == Choice.CORRECT]
    others = [pair for pair in answers if pair[1].choice not in (Choice.CORRECT, Choice.ACCEPT)]
    if not corrections:
        said.say(_("Nobody corrected a step of this run."))
    told = [(step, words) for step, d in (*corrections, *others) if (words := decided(facts, step.index, d))]
    for step, words in told[:MOST_DECISIONS]:
        said.say(words, step)
    if (more := len(told) - MOST_DECISIONS) > 0:
        said.say(ngettext("And %(n)d more answer.", "And %(n)d more answers.", more) % {"n": more})
    accepted = len({step.pk for step in facts.steps for d in facts.by_person(step) if d.choice == Choice.ACCEPT})
    if accepted:
        words = ngettext(
            "%(n)d step was accepted as it was suggested.",
            "%(n)d steps were accepted as they were suggested.",
            accepted,
        )
        said.say(words % {"n": accepted})
    return said


def _next(facts: Facts) -> Section:
    said = Section(_("What is next"))
    if facts.prompt is not None:
        _say_asked(facts, said)
        return said
    match facts.execution.state:
        case ExecutionState.IDLE:
            said.say(_("The run was made and nobody has asked it to start yet."))
        case ExecutionState.QUEUED:
            said.say(_("The run starts when a robot is free. Nothing is asked of you."))
        case ExecutionState.COMPLETED:
            said.say(_("Nothing: the run is over."))
        case ExecutionState.STOPPED:
            said.say(_("Nothing: the run was stopped, and is not gone on with. It can be started again."))
        case ExecutionState.FAILED:
            said.say(_("Nothing happens by itself. Once what failed is mended, the run can be started again."))
        case ExecutionState.PAUSED:
            said.say(_("It goes on when somebody resumes it, and looks at the screen first."))
            _say_likely(facts, said)
        case _:
            _say_likely(facts, said)
    return said


def _say_asked(facts: Facts, said: Section) -> None:
    prompt = facts.prompt
    assert prompt is not None
    step = facts.asked_about or prompt.step
    said.say(_("The run waits for a person to answer about %(step)s.") % {"step": what_and_where(facts, step)}, step)
    said.say(sentence(facts.hidden.of(prompt.step).text(prompt.message)))
    if prompt.deadline_at and prompt.timeout_choice:  # how long that is shows beside the question, and runs there
        without = {
            Choice.SKIP: _("Without an answer in time it is skipped."),
            Choice.REJECT: _("Without an answer in time it is rejected."),
        }
        said.say(without[Choice(prompt.timeout_choice)])


def _say_likely(facts: Facts, said: Section) -> None:
    path = _ahead(facts)
    if path:
        likely = edge_sentence(path[0], facts.graph, facts.execution.variables)
        said.say(sentence(_("Likely next: %(what)s") % {"what": facts.hidden.text(likely)}))


def _ahead(facts: Facts) -> Sequence[Any]:
    run = facts.execution
    return facts.graph.likely_path(run.current_node_id or run.start_node_id)
