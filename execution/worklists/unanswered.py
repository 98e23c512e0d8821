"""A question with nobody there (S12.12): the row is set aside, and its desktop is free for the next one.

Nothing is rejected and nothing guessed: the run ends where it stands, and its pictures stay for whoever looks later.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from execution.actions.control import withdraw
from execution.choices import EventKind, PromptState, Wish
from execution.exceptions import IllegalMove
from execution.models import Execution, Prompt, WorkRun
from sentences.said import from_json, say


def end_unanswered(execution_id: str, *, now: datetime | None = None) -> bool:
    """End the run of a row that has asked for longer than its list is patient; whether it was ended."""
    now = now or timezone.now()
    asking = Execution.objects.needing_a_person().filter(execution_id=execution_id, wish=Wish.NONE)
    work = WorkRun.objects.filter(execution__in=asking, is_open=True)
    found = work.select_related("item__worklist", "execution").first()
    if found is None or (patience_s := found.item.worklist.patience_s) is None:
        return False
    prompt = Prompt.objects.open().filter(execution=found.execution).first()
    if prompt is not None and prompt.held_until is not None and prompt.held_until > now:
        return False  # somebody corrects right now
    since = prompt.created_at if prompt else _paused_since(found.execution)
    if now - since < timedelta(seconds=patience_s):
        return False
    return _end(found, prompt, minutes=round((now - since).total_seconds() / 60))


def _end(work: WorkRun, prompt: Prompt | None, *, minutes: int) -> bool:
    run = work.execution
    asked = prompt.message if prompt else from_json(run.pause_detail.get("message"))
    picture = prompt.picture if prompt else str(run.pause_detail.get("picture") or "")
    try:
        with transaction.atomic():
            if prompt is not None and not Prompt.objects.filter(pk=prompt.pk, state=PromptState.OPEN).exists():
                return False  # answered a moment ago
            said = say("worklists.unanswered", n=minutes, asked=asked)
            WorkRun.objects.filter(pk=work.pk, is_open=True).update(unanswered=said, picture=picture)
            withdraw(execution_id=run.execution_id)
    except IllegalMove:  # it has just ended by itself
        return False
    return True


def _paused_since(run: Execution) -> datetime:
    told = run.events.filter(kind=EventKind.STATE).order_by("-seq").values_list("at", flat=True).first()
    return told or run.created_at
