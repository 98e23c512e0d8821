"""The texts of the assistant's panel on the live page, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.commands import CommandName, written


def counted(words: Callable[[int], str]) -> dict[str, str]:
    """The forms of a sentence with a number, by the names that the browser has for them; both languages have two."""
    return {"one": words(1), "other": words(2)}


def panel() -> dict[str, object]:
    return {"assistant": _panel(settings.RPA_ASSISTANT_NAME)}


def _panel(name: str) -> dict[str, object]:
    return {
        "ask": _("Ask %(name)s") % {"name": name},
        "you": _("You"),
        "field": _("A question, or %(help)s") % {"help": written(CommandName.HELP)},
        "send": _("Ask"),
        "stop": _("Stop the answer"),
        "anew": _("Begin anew"),
        "thinking": _("The model is being asked …"),
        "again": _("Another model begins anew …"),
        "by_model": _("In the words of %(model)s"),
        "would_answer": _("%(model)s answers questions, from the briefing"),
        "no_model": _("No model now: a question gets the briefing"),
        "show_step": _("Show step %(n)s"),
        "draft_title": _("Draft of a correction"),
        "use_draft": _("Use this correction"),
        "use_draft_hint": _("It fills the form. You look at it and send it."),
        "draft_gone": _("The question was answered; this draft is over."),
        "draft_no_right": _("Sending it takes the role “%(role)s”."),
        "retry": _("Ask again"),
        "dropped": counted(
            lambda n: ngettext(
                "The model no longer saw the first message.", "The model no longer saw the first %(n)s messages.", n
            )
        ),
        "tried": _("%(model)s was asked first: %(reason)s"),
        "failed": _("It could not be asked: %(why)s"),
        "notes": {
            "records_only": _("No model is there to be asked, so this is from the records alone."),
            "busy": _("A run needs the GPU now, so this is from the records alone."),
            "interrupted": _("A run took the GPU in the middle of the answer."),
            "failed": _("The model did not answer, so this is from the records alone."),
            "disagreed": _("The model said of a step that it failed which did not, so what it said is left out."),
            "stopped": _("You stopped the answer."),
        },
    }
