"""Steps, signs and times as the assistant's own sentences name them."""

from __future__ import annotations

import re
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.assistant.facts import Facts
from execution.choices import Outcome, PromptKind, Verified
from execution.models import Decision, Step
from execution.record.attribution import for_people
from execution.types import Choice, DecisionSource

_BREAKS = re.compile("[^\\S\u00a0\u202f]+")
FOUND_BY = {
    "coords_cache": gettext_lazy("Found where it was last time, and its picture is still there."),
    "anchor_template": gettext_lazy("Found by its picture."),
    "ocr_text": gettext_lazy("Found by its text."),
    "som_text_match": gettext_lazy("Found among the marked elements, by text and shape."),
    "som_vlm": gettext_lazy("Found by the model on the marked picture."),
    "coach": gettext_lazy("Shown by a person."),
}
_DECIDED = {
    Choice.ACCEPT: gettext_lazy("%(who)s accepted step %(n)d."),
    Choice.CORRECT: gettext_lazy("%(who)s corrected step %(n)d."),
    Choice.MANUAL: gettext_lazy("%(who)s did step %(n)d by hand."),
    Choice.SKIP: gettext_lazy("%(who)s skipped step %(n)d."),
    Choice.REJECT: gettext_lazy("%(who)s rejected step %(n)d."),
    Choice.DONE: gettext_lazy("%(who)s said that step %(n)d was done."),
    Choice.RETRY: gettext_lazy("%(who)s asked for step %(n)d once more."),
    Choice.STOP: gettext_lazy("%(who)s stopped the run at step %(n)d."),
}
_TIMED_OUT = {
    Choice.SKIP: gettext_lazy("Nobody answered in time, so step %(n)d was skipped."),
    Choice.REJECT: gettext_lazy("Nobody answered in time, so step %(n)d was rejected."),
}


def one_line(text: str) -> str:
    """Because a blank line ends what the records say; French keeps its no-break spaces."""
    return _BREAKS.sub(" ", text).strip()


def sentence(text: str) -> str:
    """A text with an end to it, on one line."""
    flat = one_line(text)
    return flat if not flat or flat[-1] in ".!?…" else f"{flat}."


def seconds(value: float) -> str:
    """0.21 s below ten seconds, then 4:12."""
    if value < 9.995:
        return f"{decimal(value)}\u00a0s"  # no line ends between the two
    minutes, rest = divmod(int(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def decimal(value: float) -> str:
    """Two digits behind the sign that the reader's language has for it."""
    return str(number_format(f"{value:.2f}"))


def listed(numbers: list[int]) -> str:
    """“2, 3 and 5”."""
    words = [str(n) for n in numbers]
    if len(words) < 2:
        return "".join(words)
    return _("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def outcome(step: Step) -> str:
    """What came of it, in a word or two."""
    if not step.outcome:
        return str(PromptKind.IN_DOUBT.label) if step.in_doubt else _("not finished")
    said = str(Outcome(step.outcome).label)
    if step.outcome == Outcome.SUCCEEDED and step.verified:
        return f"{said}, {Verified(step.verified).label}"
    return said


def what_and_where(facts: Facts, step: Step) -> str:
    """“Step 4: Click “Save”, on “Save dialog””, without an end."""
    words = {"n": step.index, "sentence": facts.sentence(step), "screen": facts.hidden.text(facts.screen_name(step))}
    if words["screen"] and words["screen"] != words["sentence"]:
        return _("step %(n)d (%(sentence)s, on “%(screen)s”)") % words
    return _("step %(n)d (%(sentence)s)") % words


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def why(facts: Facts, step: Step) -> str:
    """Why a step came to what it came to, in the run loop's own words; empty where it said nothing."""
    said = [for_people(step.message), (step.suggestion or {}).get("message", "")]
    if step.verified in (Verified.NO, Verified.CANNOT_TELL):
        said.append((step.verification or {}).get("message", ""))
    hidden = facts.hidden.of(step)
    parts = list(dict.fromkeys(sentence(hidden.text(text)) for text in said if text))
    kept = [part for part in parts if not any(part != other and part.rstrip(".") in other for other in parts)]
    return " ".join(kept)


def decided(facts: Facts, step_index: int, decision: Decision) -> str:
    """Who answered what about a step."""
    choice = Choice(decision.choice)
    if decision.source == DecisionSource.POLICY:
        pattern = _TIMED_OUT.get(choice)
        return str(pattern) % {"n": step_index} if pattern else ""
    if decision.source == DecisionSource.STOP:
        return str(_DECIDED[Choice.STOP]) % {"who": decision.decided_by, "n": step_index}
    if decision.source == DecisionSource.AUTO:
        return ""
    words = {"who": decision.decided_by, "n": step_index}
    said = str(_DECIDED[choice]) % words
    if decision.feedback:
        said += " " + sentence(_("They wrote: “%(text)s”") % {"text": facts.hidden.text(decision.feedback)})
    return said


def found_how(facts: Facts, step: Step) -> list[str]:
    """By which sign the target was found, and what else looked like it."""
    suggestion: dict[str, Any] = step.suggestion or {}
    hidden, status = facts.hidden.of(step), suggestion.get("status", "")
    if status == "not_needed":
        return [_("It goes to where the keyboard is; no target is needed.")]
    if status != "found":
        return [sentence(hidden.text(suggestion.get("message")) or _("The target was not found on the screen."))]
    rung = str(suggestion.get("rung", ""))
    said = [str(FOUND_BY.get(rung, "")) or _("Found by %(rung)s.") % {"rung": rung}]
    if rung == "coach":
        return said
    if isinstance(suggestion.get("score"), int | float):
        said.append(_("Its score is %(score)s.") % {"score": decimal(suggestion["score"])})
    other = suggestion.get("runner_up")
    if not other:
        said.append(_("Nothing else looks like it."))
    elif other.get("text") and not hidden.covers(other.get("box")):
        name = hidden.text(other["text"])
        said.append(_("Runner-up: “%(name)s”, %(score)s.") % {"name": name, "score": decimal(other["score"])})
    else:
        said.append(_("Runner-up: something without a text, %(score)s.") % {"score": decimal(other["score"])})
    return said
