"""The answer that the records give by themselves, in sentences that name their steps (S4.6)."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from execution.assistant.facts import Facts
from execution.assistant.phrases import (
    RUNGS,
    capital,
    decided,
    found_how,
    listed,
    outcome,
    seconds,
    sentence,
    what_and_where,
    why,
)
from execution.assistant.questions import Topic, Which
from execution.assistant.standing import Told, progress, run, state, state_of
from execution.choices import ExecutionState, Outcome, PromptKind
from execution.models import Step

MOST_TEXTS = 12
MOST_DECISIONS = 8
MOST_STORIES = 4
_OF_A_STEP = (Topic.FAILURE, Topic.OUTCOME, Topic.SCREEN, Topic.TARGET, Topic.DECISIONS, Topic.CORRECTION)
_NAME_OF_OUTCOME = {
    "rejected": Outcome.REJECTED.label,
    "skipped": Outcome.SKIPPED.label,
    "interrupted": Outcome.INTERRUPTED.label,
    "retried": gettext_lazy("tried again"),
    "in_doubt": PromptKind.IN_DOUBT.label,
    "manual": Outcome.MANUAL.label,
}


def told(facts: Facts) -> Told:
    """The whole answer to the question, without a model. In the language that is active."""
    said = Told()
    if facts.unknown:
        _unknown(facts, said)
        if not facts.focus:
            return said
    if facts.question.which and not facts.focus and facts.steps and facts.question.topic in _OF_A_STEP:
        said.say(_("There is no such step in this run."))
        return said
    _ABOUT[facts.question.topic](facts, said)
    return said


def _unknown(facts: Facts, said: Told) -> None:
    numbers = listed(list(facts.unknown))
    if facts.steps:
        last = facts.steps[-1]
        said.say(
            _("This run has no step %(n)s; its last one is step %(last)d.") % {"n": numbers, "last": last.index}, last
        )
    else:
        said.say(_("This run has no step %(n)s: it has taken none yet.") % {"n": numbers})


# --- what failed ----------------------------------------------------------------------------------------------------
def _failure(facts: Facts, said: Told) -> None:
    if facts.focus and (facts.question.steps or facts.question.which):
        for step in facts.focus:
            _story(facts, said, step)
        return
    failed = facts.failed
    if not failed:
        said.say(_("No step of this run failed."))
        for step in facts.steps:
            if step.outcome == Outcome.REJECTED:
                said.say(_("But %(step)s was rejected.") % {"step": what_and_where(facts, step)}, step)
        state_of(facts, said)
        return
    last = failed[-1]
    if len(failed) > 1:
        numbers = listed([s.index for s in failed])
        said.say(_("The steps that failed are %(numbers)s. The last of them is:") % {"numbers": numbers})
    said.say(_("%(step)s failed.") % {"step": capital(what_and_where(facts, last))}, last, *reversed(failed))
    said.say(why(facts, last))
    for decision in facts.by_person(last):
        said.say(decided(facts, last.index, decision))
    match facts.execution.state:
        case ExecutionState.FAILED:
            said.say(_("The run ended as failed."))
        case ExecutionState.COMPLETED:
            said.say(_("The run was completed all the same."))
        case _:
            state_of(facts, said)


# --- one step -------------------------------------------------------------------------------------------------------
def _step(facts: Facts, said: Told) -> None:
    if not facts.focus and facts.question.which is Which.NEXT:
        progress(facts, said)
    elif not facts.focus:
        said.say(_("There is no such step in this run."))
    for step in facts.focus:
        _story(facts, said, step)


def _story(facts: Facts, said: Told, step: Step) -> None:
    said.say(sentence(f"{capital(what_and_where(facts, step))}: {outcome(step)}"), step)
    said.say(why(facts, step))
    for decision in facts.decisions.get(step.index, ()):
        said.say(decided(facts, step.index, decision))
    if step.retries:
        said.say(_("It was tried %(n)d times.") % {"n": step.retries + 1})
    if step.outcome and step.total_ms:
        said.say(_("It took %(time)s.") % {"time": seconds(step.robot_ms / 1000)})
        if step.waited_ms:
            said.say(_("A person was waited for %(time)s.") % {"time": seconds(step.waited_ms / 1000)})


def _outcome(facts: Facts, said: Told) -> None:
    """The steps that came to what the question asks after; of one that it names, what that came to."""
    found = list(facts.focus)
    if not facts.question.steps and not facts.question.which:
        found = [s for s in facts.steps if _came_to(s, facts.question.of_outcome)]
        if not found:
            what = str(_NAME_OF_OUTCOME[facts.question.of_outcome])
            said.say(_("No step of this run is marked “%(what)s”.") % {"what": what})
            state_of(facts, said)
    for step in found[:MOST_STORIES]:
        _story(facts, said, step)
    if more := found[MOST_STORIES:]:
        said.say(_("The others are the steps %(numbers)s.") % {"numbers": listed([s.index for s in more])}, *more)


def _came_to(step: Step, name: str) -> bool:
    match name:
        case "retried":
            return step.retries > 0
        case "in_doubt":
            return step.in_doubt
        case _:
            return step.outcome == name


def _state(facts: Facts, said: Told) -> None:
    """Of a step that the question names, what became of it, and then how the run stands."""
    if not facts.question.steps:
        state(facts, said)
        return
    for step in facts.focus:
        _story(facts, said, step)
    state_of(facts, said)


def _target(facts: Facts, said: Told) -> None:
    if not facts.focus:
        said.say(_("This run has taken no step yet, so it has chosen no target."))
        return
    for step in facts.focus:
        if not step.suggestion:
            said.say(_("%(step)s chose no target.") % {"step": capital(what_and_where(facts, step))}, step)
            said.say(why(facts, step))
            continue
        said.say(_("About %(step)s:") % {"step": what_and_where(facts, step)}, step)
        if step.outcome == Outcome.FAILED:
            said.say(why(facts, step))
        for part in found_how(facts, step):
            said.say(part)
        said.say(_evidence(facts, step))
        said.say(_screen_sure(facts, step))
        for decision in facts.by_person(step):
            said.say(decided(facts, step.index, decision))


def _evidence(facts: Facts, step: Step) -> str:
    """What the other signs said, each in a few words."""
    hidden, suggestion = facts.hidden.of(step), step.suggestion
    parts = []
    for rung in suggestion.get("evidence") or ():
        if rung.get("rung") == suggestion.get("rung") or not rung.get("note"):
            continue
        name = str(RUNGS.get(rung.get("rung", ""), rung.get("rung", "")))
        parts.append(f"{name}: {hidden.text(rung['note'])}")
    return sentence(_("The other signs: %(signs)s") % {"signs": "; ".join(parts)}) if parts else ""


def _screen_sure(facts: Facts, step: Step) -> str:
    name = facts.hidden.text(facts.screen_name(step))
    if not name or not step.confidence:
        return ""
    return _("It took the screen for “%(name)s”, sure to %(score).2f.") % {"name": name, "score": step.confidence}


# --- the screen -----------------------------------------------------------------------------------------------------
def _screen(facts: Facts, said: Told) -> None:
    if not facts.focus:
        said.say(_("This run has taken no step yet, so nothing is kept of its screen."))
        return
    for step in facts.focus:
        hidden = facts.hidden.of(step)
        said.say(_("At %(step)s:") % {"step": what_and_where(facts, step)}, step)
        said.say(_screen_sure(facts, step))
        title = hidden.text(((step.screen or {}).get("window") or {}).get("window_title"))
        if title:
            said.say(_("The window was “%(title)s”.") % {"title": title})
        texts = hidden.seen(step)
        if texts:
            shown = ", ".join(f"“{text}”" for text in texts[:MOST_TEXTS])
            more = len(texts) - MOST_TEXTS
            said.say(sentence(_("Read there: %(texts)s") % {"texts": shown}))
            if more > 0:
                said.say(ngettext("And %(n)d more text.", "And %(n)d more texts.", more) % {"n": more})
        else:
            said.say(_("No text of it was kept."))
        if hidden.masks:
            said.say(_("What is in the workflow's masked regions is left out."))


# --- who did what ---------------------------------------------------------------------------------------------------
def _decisions(facts: Facts, said: Told) -> None:
    if facts.question.of_start:
        who = facts.execution.started_by
        said.say(_("%(who)s started the run.") % {"who": who.get_username() if who else _("A program")})
        return
    wanted = set(facts.question.steps) or {step.index for step in facts.focus}
    answered = [(s, d) for s in facts.steps for d in facts.by_person(s) if not wanted or s.index in wanted]
    corrected = [(s, d) for s, d in answered if d.choice == "correct"]
    if wanted and not answered:
        said.say(_("No person answered anything about it."), *facts.focus)
        return
    if not wanted and not corrected:
        said.say(_("Nobody corrected a step of this run."))
    shown = answered if wanted else [*corrected, *((s, d) for s, d in answered if d.choice != "correct")]
    for step, decision in shown[:MOST_DECISIONS]:
        said.say(decided(facts, step.index, decision), step)
    if len(shown) > MOST_DECISIONS:
        more = len(shown) - MOST_DECISIONS
        said.say(ngettext("And %(n)d more answer.", "And %(n)d more answers.", more) % {"n": more})


# --- a correction --------------------------------------------------------------------------------------------------
def _correction(facts: Facts, said: Told) -> None:
    if facts.prompt is None:
        said.say(_("Nothing is asked now, so there is nothing to correct."))
        state_of(facts, said)
    elif "correct" not in facts.prompt.choices:
        said.say(_("The question that is open takes no correction."), facts.prompt.step)
        said.say(sentence(facts.hidden.text(facts.prompt.message)))
    else:
        said.say(
            _("The question that is open is about %(step)s.") % {"step": what_and_where(facts, facts.prompt.step)},
            facts.prompt.step,
        )


_ABOUT: dict[Topic, Callable[[Facts, Told], None]] = {
    Topic.DECISIONS: _decisions,
    Topic.CORRECTION: _correction,
    Topic.STATE: _state,
    Topic.FAILURE: _failure,
    Topic.OUTCOME: _outcome,
    Topic.SCREEN: _screen,
    Topic.TARGET: _target,
    Topic.PROGRESS: progress,
    Topic.STEP: _step,
    Topic.RUN: run,
}
