"""A dialog that a person closed is closed in the same way by the next run, if they say so (S6.14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.exceptions import BadEdit
from execution.language.fuzzy import SEEN, words
from execution.language.screen_texts import ScreenWords
from execution.language.volatile import lasting
from execution.lesson.acts import Act
from execution.lesson.hearing import Unheard
from execution.lesson.recorder import Recorder
from execution.models import Execution
from execution.record.hidden import HIDDEN
from execution.teaching.values import put_back, tells_anywhere
from execution.types import Box, Point, TextLine
from sentences.said import say, worded
from workflows.actions.publish import digest_of, publish
from workflows.calling import expanded, published
from workflows.commonplaces import telling
from workflows.models import Workflow, WorkflowVersion
from workflows.permissions import PUBLISH
from workflows.specs import graph_of
from workflows.text import fill_known

_MOST_TEXTS = 3  # that it is known by


def popup_of(dialog: Mapping[str, Any], press: str, *, values: Mapping[str, str]) -> dict[str, Any]:
    """The dialog as the workflow knows it, closed by that button; a value of a run stands there as its variable.

    Raises Unheard where the button is not one of it, or where it says nothing that others do not.
    """
    buttons = [button["text"] for button in dialog.get("buttons") or ()]
    if buttons.count(press) != 1:
        raise Unheard(say("lesson.no_such_button", name=press))
    told = {name: value for name, value in values.items() if tells_anywhere(value)}
    title = str(dialog.get("window") or "") if dialog.get("title") else ""
    return {
        "name": name_of(dialog),
        "texts": [put_back(text, told) for text in texts_of(dialog, buttons)],
        "window_title": put_back(title, told),
        "click": press,
    }


def name_of(dialog: Mapping[str, Any]) -> str:
    return str(dialog.get("title") or (dialog.get("texts") or [""])[0])[:100] or "dialog"


def others(workflow: Workflow, said: ScreenWords, values: Mapping[str, str]) -> list[dict[str, Any]]:
    """The dialogs that the workflow knows, without the one that says this."""

    def is_said(popup: Mapping[str, Any]) -> bool:
        texts = popup.get("texts") or ()
        return bool(texts) and all(said.seen(fill_known(text, values)) >= SEEN for text in texts)

    return [popup for popup in workflow.popups if not is_said(popup)]


def set_popups(workflow: Workflow, known: Sequence[Mapping[str, Any]], popup: Mapping[str, Any] | None = None) -> None:
    """Those that are known, and one more under a name of its own. Raises ValidationError."""
    more = []
    if popup is not None:
        taken, name = {one["name"] for one in known}, str(popup["name"])
        free = next(one for one in (name, *(f"{name} ({n})" for n in range(2, 1000))) if one not in taken)
        more = [{**popup, "name": free}]
    workflow.popups = [*map(dict, known), *more]
    workflow.full_clean()
    workflow.save(update_fields=["popups", "updated_at"])


def close_dialog(recorder: Recorder, press: str, name: str, heard_at: float) -> None:
    """Press that button of what came over the screen of a lesson; every run does from now on. Raises Unheard."""
    here, workflow = recorder.here, recorder.lesson.workflow
    dialog, now = here.dialog(), here.before()
    if dialog is None or now is None:
        raise Unheard(say("lesson.no_dialog"))
    popup = popup_of(dialog, press, values=here.known.values)
    left, top, wide, high = next(button["box"] for button in dialog["buttons"] if button["text"] == press)
    size = now.frame.size
    point = Point(int((left + wide / 2) * size.width), int((top + high / 2) * size.height))

    def apply() -> str:
        workflow.refresh_from_db()
        set_popups(workflow, others(workflow, ScreenWords.of(now.texts), here.known.values), popup)
        return say("lesson.mend_press", name=popup["name"], button=press)

    recorder.close_dialog(Act(id=name, kind="click", point=point, heard_at=heard_at), apply)


@transaction.atomic
def remember_of_run(run: Execution, press: str, *, user: Any) -> WorkflowVersion | None:
    """The dialog that the run is paused for is closed by that button from now on.

    Published where nothing else of the draft waits for that, and `user` may; None where it is in the draft alone.
    Raises BadEdit.
    """
    dialog = run.pause_detail.get("dialog")
    if not dialog:
        raise BadEdit(_("This run is not paused for a dialog any more."))
    workflow = Workflow.objects.select_for_update(no_key=True).get(pk=run.version.workflow_id)
    values = {name: str(value) for name, value in run.variables.items() if value and value != HIDDEN}
    try:
        popup = popup_of(dialog, press, values=values)
    except Unheard as error:
        raise BadEdit(worded(error.args[0])) from None
    latest = workflow.latest_version()
    is_published = latest.digest == digest_of(expanded(graph_of(workflow), published))
    said = ScreenWords([TextLine(text=text, box=Box(0, 20 * n, 400, 16)) for n, text in enumerate(dialog["texts"])])
    set_popups(workflow, others(workflow, said, values), popup)
    record(Verb.CHANGED, user=user, kind="workflow", about=workflow.workflow_id, fields=["popups"])
    if not is_published or not user.has_perm(PUBLISH):
        return None
    note = _("“%(name)s” is closed by “%(button)s”") % {"name": popup["name"], "button": press}
    return publish(workflow=workflow, user=user, note=note)


def texts_of(dialog: Mapping[str, Any], buttons: list[str]) -> list[str]:
    """What it says each time and other dialogs do not, the longest first; of a line that changes, the part that lasts.

    Raises Unheard where that is nothing: its buttons, its title beside a question that changes, "Are you sure?" would
    have another question answered as this one. Only one that says nothing has its title alone.
    """
    title = str(dialog.get("title") or "")
    said = [text for text in map(str, dialog.get("texts") or ()) if words(text).key != words(title).key]
    said = telling(said, but=buttons)
    if not said and telling([title]):
        return []
    lasts = [text for text in said if len(text.strip()) > 2 and lasting(text) == text.strip()]
    if not lasts:
        raise Unheard(say("lesson.dialog_like_any"))
    parts = [part for text in said if text not in lasts and len(part := lasting(text)) > 2]
    return [*sorted(lasts, key=len, reverse=True)[:_MOST_TEXTS], *parts[:_MOST_TEXTS]]
