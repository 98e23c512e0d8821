"""A screen beside a taught one: the pictures with the lines that both have, and each sign with its share (S2.10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from execution.behind.jobs import Kind, register
from execution.behind.leases import Piece
from execution.models import Job
from execution.pages.readings import keep, page
from execution.permissions import VIEW, VIEW_PICTURE
from sentences.said import to_json, worded
from workflows.permissions import permitted
from workflows.pictures import PictureStore

BESIDE = "beside"
_SMALL = 0.005  # of the odds' logarithm: what is less is told of nobody


def connect() -> None:
    label = gettext_lazy("Two screenshots side by side")
    register(Kind(name=BESIDE, label=label, count=lambda job: 1, pieces=_compared, whole=True))


@require_http_methods(["GET", "HEAD", "POST"])
@permitted(VIEW)
@permitted(VIEW_PICTURE)
def pictures_beside(request: HttpRequest, taught: str, seen: str) -> HttpResponse:
    """Whether two stored pictures show the same screen, and why, once both were read; a POST has them read."""
    return page(request, BESIDE, [taught, seen], template="beside", told=_told)


def _compared(job: Job) -> Iterator[Piece]:
    from execution.matching.reasons import reasons  # a worker alone needs these, every process has this module
    from execution.matching.side_by_side import beside
    from execution.perception.single_look import state_of
    from execution.replay.tasks import eyes

    analyzer = eyes()
    digests = job.about.split(":")
    taught, seen = (state_of(PictureStore().get(digest), analyzer) for digest in digests)
    found = beside(taught, seen, name=_("The taught screen"))
    told = {
        "probability": found.probability,
        "differs": to_json(found.differs.note if found.differs else ""),
        "reasons": to_json([reason.note for reason in reasons(found.compared)]),
        "shares": found.shares,
        "halves": [
            {"digest": digest, "size": state.frame.size, "lines": [[line.text, line.box, line.found] for line in lines]}
            for digest, state, lines in zip(digests, (taught, seen), found.lines, strict=True)
        ],
    }
    yield from keep(job, told)


def _told(seen: dict[str, Any]) -> dict[str, Any]:
    """What was compared, for the page: the largest share first, its bar half as long as the room on either side."""
    from execution.matching.side_by_side import SIGNS, Found

    ordered = sorted(seen["shares"].items(), key=lambda one: -abs(one[1]))
    most = max(abs(ordered[0][1]), 1.0)
    titles = (_("Taught"), _("Seen"))
    halves = [
        {**half, "title": title, "counts": [(of, sum(line[2] == of for line in half["lines"])) for of in Found]}
        for half, title in zip(seen["halves"], titles, strict=True)
    ]
    return {
        "percent": min(99, round(100 * seen["probability"])),  # it is never certain
        "differs": worded(seen["differs"]),
        "reasons": [worded(note) for note in seen["reasons"]],
        "signs": [
            (SIGNS[kind], share, 50 + round(50 * min(0.0, share) / most), round(50 * abs(share) / most))
            for kind, share in ordered
            if abs(share) >= _SMALL
        ],
        "halves": halves,
    }
