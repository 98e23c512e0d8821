"""Is every dialog that may come known by something of its own, and closed in one way?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from django.utils.translation import gettext as _

from workflows.commonplaces import is_told_apart
from workflows.graph import GraphSpec, PopupSpec
from workflows.validation.problem import Problem, of_workflow


def dialogs(graph: GraphSpec) -> Iterator[Problem]:
    seen: set[str] = set()
    for popup in (one for one in graph.popups if not one.scope):
        yield from _popup(popup)
        if popup.name in seen:
            yield _problem("popup_twice", popup, _("Two dialogs are called “%(name)s”. Give one of them another name."))
        seen.add(popup.name)


def _popup(popup: PopupSpec) -> Iterator[Problem]:
    problem = partial(_problem, popup=popup)
    if not popup.name.strip():
        yield problem("popup_without_name", message=_("A dialog that may come has no name. Give it one."))
    if not popup.texts and not popup.window_title.strip():
        yield problem(
            "popup_unknown",
            message=_("Nothing says how to know the dialog “%(name)s”. Give it a text or a window title."),
        )
    elif not popup.texts and not popup.window_title.strip(" *"):
        yield problem(
            "popup_matches_anything",
            message=_("The dialog “%(name)s” would be any window. Give it a text, or more of its window title."),
        )
    elif not is_told_apart(popup):
        yield problem(
            "popup_like_any",
            message=_(
                "The dialog “%(name)s” is known by what many dialogs say, such as the captions of its buttons: another "
                "question would be answered like it. Give it a text that only it says, or a window title."
            ),
        )
    if bool(popup.keys) == bool(popup.click):
        yield problem(
            "popup_not_closed",
            message=_("The dialog “%(name)s” is closed either by keys or by a click on a text. Fill in one of them."),
        )
    elif popup.keys and not all(popup.keys.split("+")):
        yield problem("popup_bad_keys", message=_("The dialog “%(name)s”: write its keys as alt+f4."))


def _problem(code: str, popup: PopupSpec, message: str) -> Problem:
    return of_workflow(code, message % {"name": popup.name}, where=popup.name, field="popups")
