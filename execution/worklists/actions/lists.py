"""What people ask of a list: make it, fill it, start it, pause it, end it (S12.1, S12.13).

Pages, API and commands call these; each checks the right, changes rows and writes who did it, in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.models import Verb
from execution.actions.asking import name_of
from execution.actions.start import allowed_mode, earned, mode_named
from execution.choices import ExecutionMode, Origin
from execution.exceptions import BadWorklist, IllegalMove
from execution.language.days import time_said
from execution.models import WorkItem, Worklist
from execution.models.worklist import OPEN_ITEMS, WorklistEventKind, WorklistState
from execution.record.attribution import named
from execution.worklists.actions.asking import may_operate, record_of
from execution.worklists.adding import Added, NewRow, add_rows, check_mapping, keep_rows
from execution.worklists.bringing import Looked, grow
from execution.worklists.outcome import set_going
from sentences.said import say, worded
from workflows.conditions import plain
from workflows.models import Workflow

_STARTS = (WorklistState.READY, WorklistState.PAUSED, WorklistState.STANDS)


def create_list(
    *,
    name: str,
    workflow_id: str,
    columns: Sequence[str],
    mapping: Mapping[str, str] | None = None,
    keys: Sequence[str] = (),
    version_number: int | None = None,
    mode: str = "",
    reset_id: str = "",
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
    **settings: Any,
) -> Worklist:
    """An empty list; without a mapping each column that is called like a variable gives it.

    `settings` are most_attempts, retry_after_s, breaker, parallel, tags, patience_s. Raises BadWorklist, BadMode,
    UnknownWorkflow, NotPublished, UnknownVersion, PermissionDenied.
    """
    may_operate(user)
    workflow = Workflow.objects.by_id(workflow_id)
    version = workflow.version_numbered(version_number) if version_number is not None else None
    graph = (version or workflow.latest_version()).spec()
    names = _column_names(columns)
    chosen = dict(mapping) if mapping is not None else _mapped(graph.asked, names)
    check_mapping(graph, chosen, names)
    if unknown := [column for column in keys if column not in names]:
        raise BadWorklist(_("The list has no column “%(name)s”.") % {"name": unknown[0]})
    if not name.strip():
        raise BadWorklist(_("Give the list a name."))
    with transaction.atomic():
        worklist = Worklist.objects.create(
            name=name.strip()[:200],
            workflow=workflow,
            version=version,
            mode=mode_named(mode) if mode else "",
            columns=names,
            mapping=chosen,
            keys=list(keys),
            reset=Workflow.objects.by_id(reset_id) if reset_id else None,
            created_by=user,
            **{key: value for key, value in settings.items() if value is not None or key in _MAY_BE_NONE},
        )
        record_of(Verb.ADDED, worklist, user, origin, name=worklist.name)
    return worklist


_MAY_BE_NONE = ("parallel", "patience_s")


def _column_names(columns: Sequence[str]) -> list[str]:
    names = [str(column).strip() for column in columns]
    if not names or "" in names:
        raise BadWorklist(_("Each column needs a name."))
    if twice := [one for one in names if names.count(one) > 1]:
        raise BadWorklist(_("Two columns are called “%(name)s”.") % {"name": twice[0]})
    return names


def _mapped(variables: Iterable[Any], columns: Sequence[str]) -> dict[str, str]:
    """By the variable's name or its label, however it is written."""
    known = {plain(column.replace("_", " ")): column for column in columns}
    found = {v.name: known.get(plain(v.name.replace("_", " "))) or known.get(plain(v.label)) for v in variables}
    return {name: column for name, column in found.items() if column}


def append(
    *,
    worklist_id: str,
    rows: Iterable[NewRow],
    atomic: bool = True,
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
) -> Added:
    """Take rows into the list, each once by its reference. Raises BadRows, BadWorklist, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    with transaction.atomic():
        added = add_rows(worklist, rows, atomic=atomic)
        if added.numbers:
            record_of(Verb.ADDED, worklist, user, origin, rows=len(added.numbers))
    return added


def bring(*, worklist_id: str, looked: Looked, user: Any = None, origin: Origin = Origin.PROGRAM) -> Added:
    """Take the good rows of a file that was looked at, once a person said yes. Raises BadWorklist, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    if not looked.may_come_in:
        open_ones = [*looked.checked.refused, *(question.said for question in looked.preview.questions)]
        raise BadWorklist(worded(open_ones[0]) if open_ones else _("No row of the file is good."))
    with transaction.atomic():
        grow(worklist, looked.grown)
        added = keep_rows(worklist, looked.new_rows())
        if added.numbers:
            record_of(Verb.ADDED, worklist, user, origin, rows=len(added.numbers), columns=len(looked.grown))
    return added


def start_list(
    *,
    worklist_id: str,
    user: Any = None,
    origin: Origin = Origin.PROGRAM,
    reason: str = "",
    closes_at: datetime | None = None,
) -> Worklist:
    """Let it begin rows, for the first time or again; its breaker counts anew. `closes_at`: none begins after it.

    `reason`: why its runs act by themselves though the workflow has not earned that. Raises IllegalMove,
    ModeNotEarned, NotPublished, PermissionDenied.
    """
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    why = may_act(worklist, user=user, reason=reason)
    with transaction.atomic():
        if not worklist.items.filter(state__in=OPEN_ITEMS).exists():
            raise BadWorklist(_("The list has no new row."))
        if not set_going(worklist, among=_STARTS, closes_at=closes_at):
            raise _refusal(worklist)
        record_of(Verb.CHANGED, worklist, user, origin, did="start", **why)
    return worklist


def may_act(worklist: Worklist, *, user: Any, reason: str) -> dict[str, str]:
    """What is kept of why its runs act by themselves, if they do and have not earned it.

    Raises BadWorklist, ModeNotEarned, NotPublished.
    """
    trust = earned(worklist.workflow, worklist.at_version().spec())
    mode, why = allowed_mode(worklist.mode or None, trust, user=user, reason=reason)
    if mode == ExecutionMode.OBSERVATION:
        raise BadWorklist(_("A run that only watches works off no list. Choose another mode for the list."))
    return why


def extend_window(*, worklist_id: str, until: datetime, user: Any = None, origin: Origin = Origin.PROGRAM) -> Worklist:
    """Let rows begin for longer, this once: its schedule stays as it is. Raises BadWorklist, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    if until <= timezone.now():
        raise BadWorklist(_("This time is over."))
    with transaction.atomic():
        shorter = Worklist.objects.filter(pk=worklist.pk, state=WorklistState.RUNNING, closes_at__lt=until)
        if not shorter.update(closes_at=until):
            raise BadWorklist(_("The list does not run, or its rows begin until then already."))
        reason = say("worklists.window_extended", who=named(name_of(user, origin), origin), at=time_said(until))
        worklist.tell(WorklistEventKind.LIST, {"state": WorklistState.RUNNING, "reason": reason})
        record_of(Verb.CHANGED, worklist, user, origin, did="extend", until=until.isoformat())
    worklist.refresh_from_db()
    return worklist


def pause_list(*, worklist_id: str, user: Any = None, origin: Origin = Origin.PROGRAM) -> Worklist:
    """Begin no new row; those at work are finished. Raises IllegalMove, PermissionDenied."""
    may_operate(user)
    worklist = Worklist.objects.by_id(worklist_id)
    with transaction.atomic():
        if not worklist.move(WorklistState.PAUSED, among=[WorklistState.RUNNING]):
            raise _refusal(worklist)
        record_of(Verb.CHANGED, worklist, user, origin, did="pause")
    return worklist


def item_of(worklist_id: str, number: int) -> WorkItem:
    """Raises UnknownWorklist and UnknownItem."""
    return Worklist.objects.by_id(worklist_id).items.select_related("worklist__workflow").numbered(number)


def _refusal(worklist: Worklist) -> IllegalMove:
    worklist.refresh_from_db()
    words = {"name": worklist.name, "state": WorklistState(worklist.state).label}
    return IllegalMove(_("The list “%(name)s” is %(state)s.") % words)
