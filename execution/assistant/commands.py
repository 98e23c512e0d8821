"""What can be asked of a run by name: /why 7, /compare. Each has its name in every language of the product."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from execution.assistant.facts import Facts
from execution.choices import FINAL
from execution.models import Execution
from execution.types import Choice


class CommandName(StrEnum):
    BRIEFING = "briefing"
    WHY = "why"
    SCREEN = "screen"
    COMPARE = "compare"
    CORRECT = "correct"
    HELP = "help"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantCommand:
    """`what` is None where there is no such command; `name` is as it was written."""

    what: CommandName | None
    name: str
    rest: str = ""


def command_in(text: str) -> AssistantCommand | None:
    """The command that a message is; None for a question in somebody's own words."""
    if not text.startswith("/"):
        return None
    name, *rest = text[1:].split(maxsplit=1) or [""]
    return AssistantCommand(what=_by_name().get(folded(name)), name=name, rest=rest[0].strip() if rest else "")


def written(command: CommandName, rest: object = "") -> str:
    """A command as it is written in the language that is active: “/why 7”, « /pourquoi 7 »."""
    return f"/{_name(command)} {rest}".rstrip()


def folded(text: str) -> str:
    """In small letters without accents, its apostrophes alike."""
    letters = unicodedata.normalize("NFKD", text.replace("’", "'").replace("œ", "oe").lower())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def explained() -> list[tuple[str, str]]:
    """Every command with what it answers, in the language that is active."""
    step = _("NUMBER")
    return [
        (written(CommandName.BRIEFING), _("what happened, what failed, why, what was corrected, what is next")),
        (written(CommandName.WHY, step), _("what a step did, why there, and what came of it")),
        (written(CommandName.SCREEN, step), _("what was on the screen at a step")),
        (written(CommandName.COMPARE, step), _("this run beside another; without a number, the last one completed")),
        (written(CommandName.CORRECT, _("TEXT")), _("a correction of the open question as a draft; you send it")),
        (written(CommandName.HELP), _("these commands")),
    ]  # fmt: skip


def offered_commands(facts: Facts) -> list[dict[str, str]]:
    """The commands that this run gives reason for, as buttons: {command, label}."""
    step = facts.asked_about or (facts.failed[-1] if facts.failed else None)
    step = step or next((s for s in reversed(facts.steps) if s.edge_id), None)
    found = []
    if step is not None:
        n = {"n": step.index}
        found.append((written(CommandName.WHY, step.index), _("Why step %(n)d?") % n))
        found.append((written(CommandName.SCREEN, step.index), _("Screen at step %(n)d") % n))
    if facts.prompt is not None and Choice.CORRECT in facts.prompt.choices:
        found.append((written(CommandName.CORRECT), _("Draft a correction")))
    if facts.execution.state in FINAL and (other := last_completed_before(facts.execution)):
        found.append((written(CommandName.COMPARE, other.pk), _("Compare with run %(n)d") % {"n": other.pk}))
    return [{"command": command, "label": label} for command, label in found]


def last_completed_before(execution: Execution) -> Execution | None:
    """The newest run of the same workflow that was completed before this one was made."""
    runs = Execution.objects.filter(version__workflow=execution.version.workflow_id, state="completed")
    runs = runs.filter(pk__lt=execution.pk).select_related("version__workflow", "started_by")
    return runs.order_by("-pk").first()


def _name(command: CommandName) -> str:
    return {
        CommandName.BRIEFING: pgettext("command", "briefing"),
        CommandName.WHY: pgettext("command", "why"),
        CommandName.SCREEN: pgettext("command", "screen"),
        CommandName.COMPARE: pgettext("command", "compare"),
        CommandName.CORRECT: pgettext("command", "correct"),
        CommandName.HELP: pgettext("command", "help"),
    }[command]


@cache
def _by_name() -> dict[str, CommandName]:
    """Each command under its names in all languages: who reads French may have learnt the English one."""
    known = {one.value: one for one in CommandName}
    for code, _language in settings.LANGUAGES:
        with translation.override(code):
            known |= {folded(_name(one)): one for one in CommandName}
    return known
