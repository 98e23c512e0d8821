"""One step as five sentences: what was seen, meant and why, who decided, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.facts import Facts
from execution.assistant.phrases import capital, decimal, found_how, one_line, outcome, seconds, sentence
from execution.choices import ExecutionMode, Outcome, Verified
from execution.models import Decision, Prompt, Step
from execution.pages.viewer.film import DOUBTS
from execution.record.attribution import for_people, said_of_decision
from execution.record.hidden import Hidden
from execution.record.sentences import texts_are_gone
from execution.types import DecisionSource
from sentences.said import in_words, worded


def story(facts: Facts, step: Step, prompts: Sequence[Prompt], decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """`{key, title, lead, more}` each: the lead says it, what follows says what it rests on."""
    return [
        _part("saw", _("Saw"), *_saw(facts, step, prompts)),
        _part("meant", _("Meant"), *_meant(facts, step)),
        _part("why", _("Why"), *_why(facts, step)),
        _part("decided", _("Who decided"), *_decided(facts, step, decisions)),
        _part("came", _("Came of it"), *_came(facts, step, prompts)),
    ]


def _part(key: str, title: str, lead: str, more: Sequence[str] = ()) -> dict[str, Any]:
    said = [one_line(text) for text in more if text]
    return {"key": key, "title": title, "lead": one_line(lead), "more": list(dict.fromkeys(said))}


def _saw(facts: Facts, step: Step, prompts: Sequence[Prompt]) -> tuple[str, list[str]]:
    kept = in_words(step.recognition or {})
    match, hidden = kept.get("match"), facts.hidden
    more = [sentence(hidden.text(dialog)) for dialog in _dialogs(prompts)]
    if step.degraded:
        more.append(_("Text and elements were not read anew: the run was degraded."))
    if not match and texts_are_gone(step):
        if not step.node_id:
            return _("What was seen is no longer kept."), more
        words = {"name": facts.graph.name_of(step.node_id), "score": decimal(step.confidence)}
        return _("“%(name)s”, %(score)s sure.") % words, [*more, _("What was read there is no longer kept.")]
    if not match:
        lead = hidden.text(kept.get("why_not")) or _("The screen was not recognised.")
        return sentence(lead), more
    lead = _("“%(name)s”, %(score)s sure.") % {
        "name": facts.graph.name_of(match["node_id"]),
        "score": decimal(match["confidence"]),
    }
    if other := match.get("runner_up"):
        words = {"name": facts.graph.name_of(other), "score": decimal(match["runner_up_confidence"])}
        more.insert(0, _("Next best: “%(name)s”, %(score)s.") % words)
    weak = [r["note"] for r in match.get("reasons") or () if (r.get("score") or 1) < _WEAK and r.get("note")]
    more += [sentence(capital(hidden.text(note))) for note in weak[:1]]
    return lead, more


_MOST_CAME = 6  # lines of what came after an act
_WEAK = 0.6  # a sign that says less than this is worth a word


def _dialogs(prompts: Sequence[Prompt]) -> list[str]:
    """What had come over the screen."""
    found = []
    for prompt in prompts:
        dialog = prompt.dialog or {}
        texts = [dialog.get("title", ""), *(dialog.get("texts") or ())]
        if told := " · ".join(str(worded(text)) for text in texts if text):
            found.append(_("Over it lay: “%(text)s”") % {"text": told})
    return found


def _meant(facts: Facts, step: Step) -> tuple[str, list[str]]:
    kept = step.suggestion or {}
    if not step.edge_id:
        return (_("Nothing: the workflow ends here.") if step.outcome == Outcome.TERMINAL else _("Nothing yet.")), []
    more = []
    if name := kept.get("destination_name"):
        more.append(_("After it, “%(name)s” should show.") % {"name": facts.hidden.text(name)})
    if line := kept.get("line"):
        more.append(_("It was for line %(n)d of a list.") % {"n": line})
    return sentence(facts.sentence(step)), more


def _why(facts: Facts, step: Step) -> tuple[str, list[str]]:
    if not step.edge_id:
        return "–", []
    if texts_are_gone(step):
        return _("What it rested on is no longer kept."), []
    lead, *more = found_how(facts, step)
    return lead, more


def _decided(facts: Facts, step: Step, decisions: Sequence[Decision]) -> tuple[str, list[str]]:
    version = facts.execution.version
    when = date_format(timezone.localtime(version.published_at), "SHORT_DATE_FORMAT")
    published = {"n": version.number, "when": when}
    if version.published_by:
        by = {**published, "who": version.published_by.get_username()}
        origin = _("Version %(n)d, published by %(who)s on %(when)s.") % by
    else:
        origin = _("Version %(n)d, published on %(when)s.") % published
    said = [facts.hidden.text(said_of_decision(one)) for one in decisions if one.source != DecisionSource.AUTO]
    more = [
        _("They wrote: “%(text)s”.") % {"text": facts.hidden.text(one.feedback)} for one in decisions if one.feedback
    ]
    if step.waited_ms > 0:
        more.append(_("It waited %(time)s for a person.") % {"time": seconds(step.waited_ms / 1000)})
    if said:
        return said[0], [*said[1:], *more, origin]
    mode = ExecutionMode(step.mode)
    lead = _("Nobody was asked: the run was in mode “%(mode)s”.") % {"mode": mode.label}
    return lead, [*more, origin]


def _came(facts: Facts, step: Step, prompts: Sequence[Prompt]) -> tuple[str, list[str]]:
    hidden, more = facts.hidden, doubts(prompts)
    if step.verified != Verified.YES and (said := (step.verification or {}).get("message")):
        more.append(hidden.text(said))
    more.append(for_people(step.message))
    more.append(came(step, hidden))
    for n, attempt in enumerate(step.attempts, start=1):
        more.append(_("Attempt %(n)d: %(why)s") % {"n": n, "why": hidden.text(attempt.get("message"))})
    if step.retries:
        again = ngettext("Tried %(n)d time more.", "Tried %(n)d times more.", step.retries)
        more.append(again % {"n": step.retries})
    return sentence(capital(outcome(step))), each_once([sentence(capital(hidden.text(one))) for one in more if one])


def came(step: Step, hidden: Hidden) -> str:
    """What stood on the screen after an act that was not seen to work, and not before it."""
    return "" if step.verified == Verified.YES else new_after(step, hidden)


def new_after(step: Step, hidden: Hidden) -> str:
    """What stood on the screen after an act and not before it; empty where nothing did."""
    new = (step.verification or {}).get("came")
    if not new:
        return ""
    texts = " · ".join(hidden.text(text) for text in new[:_MOST_CAME])
    return _("What came on the screen: “%(text)s”") % {"text": texts}


def doubts(prompts: Sequence[Prompt]) -> list[str]:
    """What was asked because something was not as it should be."""
    return [worded(prompt.message) for prompt in prompts if prompt.kind in DOUBTS]


def each_once(said: Sequence[str]) -> list[str]:
    """What another sentence says as well is not said again."""
    given = [one for one in said if one]
    kept: list[str] = []
    for n, one in enumerate(given):
        others = [*kept, *(other for other in given[n + 1 :] if other != one)]
        if not any(one.rstrip(".") in other for other in others):
            kept.append(one)
    return kept
