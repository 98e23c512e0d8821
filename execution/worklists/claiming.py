"""A robot that has no run takes a row: the row and its run are made in one transaction (S12.6, S12.7).

Runs that people started one by one come first; of lists the one that waited longest has its turn.
"""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from execution.actions.start import start
from execution.choices import Origin
from execution.desktop.base import DesktopIdentity
from execution.exceptions import BadVariable, ExecutionError, MissingVariable
from execution.models import Ability, Execution, Robot, WorkItem, Worklist, WorkRun
from execution.models.execution import fits, without_room
from execution.models.worklist import ItemState, WorklistState
from execution.record.claims import Claim, claim
from execution.worklists import reset
from execution.worklists.adding import variables_of
from execution.worklists.outcome import give_up_row, settle_ended, stand
from sentences.said import say, told_by
from workflows.choices import AbilityKind
from workflows.exceptions import DomainError
from workflows.models import WorkflowVersion

log = logging.getLogger(__name__)

_GIVEN_UP = (MissingVariable, BadVariable)  # what is wrong with the row itself


class _NotTaken(Exception):
    """The run that was made for a row was not to be had: both are unmade."""


def take(robot: Robot, identity: DesktopIdentity) -> Claim | None:
    """The run of the next row for this desktop, claimed; None where no list has one for it."""
    settle_ended()
    lists = list(lists_for(robot))
    if not lists or reset.is_open_on(robot.desktop):
        return None
    tags = set(Ability.objects.filter(robot=robot).of(AbilityKind.TAG))
    for worklist in lists:
        if set(worklist.tags) <= tags and (claimed := _take_from(worklist, robot, identity)):
            return claimed
    return None


def lists_for(robot: Robot) -> list[Worklist]:
    """Running lists with a row that this robot may begin now, in their turn."""
    if not Worklist.objects.filter(state=WorklistState.RUNNING).exists():
        return []  # as most of the time: every robot that has nothing to do asks, and what follows is a long question
    newest = WorkflowVersion.objects.filter(workflow=OuterRef("workflow")).order_by("-number").values("pk")[:1]
    lists = Worklist.objects.with_work(timezone.now()).select_related("workflow", "version")
    lists = lists.annotate(runs=Coalesce("version", Subquery(newest)))
    return list(lists.filter(fits(robot, "runs")).exclude(runs__in=without_room()))


def _take_from(worklist: Worklist, robot: Robot, identity: DesktopIdentity) -> Claim | None:
    """Its next row, begun; a row that cannot begin is failed, and the next one tried."""
    while True:
        item: WorkItem | None = None
        try:
            with transaction.atomic():
                item = _next_row(worklist)
                return _begin(item, worklist, robot, identity) if item else None
        except _NotTaken:
            return None
        except _GIVEN_UP as error:
            if item is None or not give_up_row(item, say("worklists.no_value", why=told_by(error))):
                return None
        except (DomainError, ExecutionError) as error:
            _stand(worklist, say("worklists.no_start", why=told_by(error)))
            return None


def _next_row(worklist: Worklist) -> WorkItem | None:
    """The row in turn that nobody else is taking right now; None where as many are at work as may be."""
    now = timezone.now()
    if not Worklist.objects.with_work(now).filter(pk=worklist.pk).exists():
        return None
    ready = worklist.items.select_related("worklist").ready(now).in_turn()
    return ready.select_for_update(skip_locked=True, of=("self",)).first()


def _begin(item: WorkItem, worklist: Worklist, robot: Robot, identity: DesktopIdentity) -> Claim:
    now, attempt = timezone.now(), item.attempts + 1
    Worklist.objects.filter(pk=worklist.pk).update(taken_at=now)  # the turnstile: who comes now waits for this one
    if worklist.parallel and worklist.items.filter(state=ItemState.RUNNING).count() >= worklist.parallel:
        raise _NotTaken
    if not Worklist.objects.filter(pk=worklist.pk, state=WorklistState.RUNNING).exists():
        raise _NotTaken
    execution = start(
        workflow_id=worklist.workflow.workflow_id,
        version_number=worklist.version.number if worklist.version else None,
        mode=worklist.mode or None,
        variables={**variables_of(worklist.mapping, item.data), **item.variables},
        origin=Origin.LIST,
    )
    WorkRun.objects.create(item=item, execution=execution, attempt=attempt)
    if not item.move(
        ItemState.RUNNING, attempts=attempt, execution=execution, started_at=now, ended_at=None, saved=False
    ):
        raise _NotTaken
    claimed = claim(robot, identity, execution_id=execution.execution_id)
    if claimed is None:
        raise _NotTaken
    return claimed


def _stand(worklist: Worklist, reason: str) -> None:
    log.warning("list %s stands: %s", worklist.worklist_id, reason)
    with transaction.atomic():
        stand(worklist, reason)


def is_of_a_list(execution: Execution) -> bool:
    """True if the run works off a row, or leads back to the start after one: nobody need be there for it."""
    return WorkRun.objects.filter(execution=execution).exists()
