"""What people ask of replays: that one is begun, and that one is stopped; told, and checked first (S6.17)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from audit.models import Verb
from audit.recording import record
from execution.behind.leases import stop
from execution.behind.waking import wake
from execution.choices import Origin
from execution.exceptions import BadReplay
from execution.models import Replay, ReplayReason
from execution.permissions import OPERATE
from execution.replay.replaying import ask
from execution.replay.tasks import replay_on
from workflows.models import Workflow
from workflows.permissions import require

MOST_RUNS = 100_000


def ask_for(
    *, workflow_id: str, version: Any = None, runs: Any = None, user: Any = None, origin: Origin = Origin.PROGRAM
) -> Replay:
    """A replay of the newest `runs` of a workflow, or of all, as `version` or each run's own knows the screens; left
    to whoever does tasks. One that is wanted already is given.
    Raises BadReplay, UnknownWorkflow, and PermissionDenied."""
    require(user, OPERATE)
    workflow = Workflow.objects.by_id(workflow_id)
    number, most = _number(version, _("The version")), _number(runs, _("The number of runs"))
    drawn = workflow.versions.filter(number=number).first() if number else None
    if number and drawn is None:
        raise BadReplay(_("“%(id)s” has no version %(n)d.") % {"id": workflow.name, "n": number})
    with transaction.atomic():
        Workflow.objects.select_for_update().get(pk=workflow.pk)  # two clicks, one after the other
        replay = ask(workflow, version=drawn, user=user, most_runs=most)
        if not replay.steps:
            raise BadReplay(_("No run of “%(name)s” has ended yet, so there is nothing to look at.") % {
                "name": workflow.name
            })  # fmt: skip
        runs_of = {"from_run": replay.from_run, "to_run": replay.to_run}
        same = Replay.objects.left().filter(workflow=workflow, version=drawn, reason=ReplayReason.ASKED, **runs_of)
        if (wanted := same.exclude(pk=replay.pk).first()) is not None:
            replay.delete()
            return wanted
        record(Verb.ADDED, user=user, origin=origin, kind="replay", about=replay.replay_id, workflow=workflow_id)
        transaction.on_commit(lambda: wake(replay, replay_on, replay.replay_id), robust=True)
    return replay


def stop_it(replay_id: str, *, user: Any = None, origin: Origin = Origin.PROGRAM) -> Replay:
    """Raises BadReplay where it is at its end, and PermissionDenied."""
    require(user, OPERATE)
    with transaction.atomic():
        replay = Replay.objects.filter(replay_id=replay_id).first()
        if replay is None:
            raise BadReplay(_("There is no replay “%(id)s”.") % {"id": replay_id})
        if not stop(replay):
            raise BadReplay(_("It is at its end already."))
        record(Verb.CHANGED, user=user, origin=origin, kind="replay", about=replay_id, now="stopped")
    replay.refresh_from_db()
    return replay


def _number(said: Any, what: str) -> int | None:
    """None for nothing."""
    text = "" if said is None else str(said).strip()
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    if not 0 < number <= MOST_RUNS:
        raise BadReplay(_("%(what)s is a whole number from 1.") % {"what": what})
    return number
