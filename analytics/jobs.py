"""What analytics does behind the scenes: the nightly deleting, and figures made again from the runs."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics import projection
from analytics.retention import Pruned, note, policies, pruning_of, told
from analytics.storage import measure
from execution.behind.jobs import Kind, register
from execution.behind.leases import Piece
from execution.behind.old import forget_old
from execution.models import Job
from execution.signals import pictures_let_go
from workflows.pictures import drop_old_copies

PRUNE, FIGURES = "prune", "figures"
MOST_OF_A_NIGHT = 20  # times catch_up looks for runs that nobody heard of


def connect() -> None:
    pictures_let_go.connect(_note_pictures, dispatch_uid="pictures that are to be deleted")
    register(
        Kind(
            name=PRUNE,
            label=gettext_lazy("What is older than it is kept is deleted"),
            count=lambda job: len(policies()),
            pieces=_prune,
            told=_pruned,
            whole=True,  # it has no place to go on from
        )
    )
    register(
        Kind(
            name=FIGURES,
            label=gettext_lazy("Figures are made again from the runs"),
            count=lambda job: projection.to_rebuild(),
            pieces=lambda job: projection.rebuilding(job.place),
            told=_made,
        )
    )


def pruned_by(job: Job) -> Pruned:
    return Pruned(**job.place.get("pruned", {}))


def _note_pictures(digests: set[str], **told: object) -> None:
    note(digests)


def _prune(job: Job) -> Iterator[Piece]:
    now = timezone.now()
    drop_old_copies()
    forget_old(now)  # before what may fail: these files show screens
    for _n in range(MOST_OF_A_NIGHT):
        if not projection.catch_up():
            break
    yield from pruning_of(pruned_by(job), now)
    measure()


def _pruned(job: Job) -> list[str]:
    return [_("Deleted: %(what)s") % {"what": line} for line in told(pruned_by(job))] or [_("Nothing was old enough.")]


def _made(job: Job) -> list[str]:
    made, stale = job.place.get("made", 0), job.place.get("stale", 0)
    lines = [ngettext("%(n)d step was counted anew.", "%(n)d steps were counted anew.", made) % {"n": made}]
    if stale:
        words = ngettext(
            "%(n)d row without its step was deleted.", "%(n)d rows without their steps were deleted.", stale
        )
        lines.append(words % {"n": stale})
    return lines
