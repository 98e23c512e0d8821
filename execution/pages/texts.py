"""Texts of screens, searched over all runs: “when did we last see “Serveur indisponible”?”"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import BooleanField, Exists, Model, OuterRef, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from execution.choices import EventKind
from execution.language import fuzzy
from execution.models import ExecutionEvent, Step
from execution.permissions import VIEW, VIEW_PICTURE
from execution.record.hidden import HIDDEN
from execution.record.screen_index import POSTGRES_STOOD_TEXTS, POSTGRES_TEXTS
from execution.record.sentences import step_sentence
from sentences.said import worded
from workflows.models import Workflow
from workflows.permissions import permitted

ROWS = 25
_OLDER = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_NEWEST = 10**17  # no number is as high


@permitted(VIEW)
@permitted(VIEW_PICTURE)
@require_safe
def texts(request: HttpRequest) -> HttpResponse:
    """Every screen that showed the words, the newest first, each with a link to its step."""
    asked, workflow = request.GET.get("q", "")[:200], request.GET.get("workflow", "")
    steps, pauses = steps_showing(asked), pauses_showing(asked)
    if workflow:
        of_it = {"execution__version__workflow__workflow_id": workflow}
        steps, pauses = steps.filter(**of_it), pauses.filter(**of_it)
    if before := _OLDER.fullmatch(request.GET.get("before", "")):
        steps, pauses = steps.filter(pk__lt=int(before[1])), pauses.filter(pk__lt=int(before[2]))
    where, long = "execution__version__workflow", "execution__version__graph"
    found: Iterator[Step | ExecutionEvent] = merge(
        steps.select_related(where).defer(long, "recognition")[: ROWS + 1],
        pauses.select_related(where).defer(long)[: ROWS + 1],
        key=_when,
        reverse=True,
    )  # each kind stays in the order of its numbers, by which it is gone on, whatever a clock said
    page = list(islice(found, ROWS + 1))
    context = {
        "q": asked,
        "workflow": workflow,
        "workflows": Workflow.objects.filter(versions__isnull=False).distinct().order_by("name"),
        "rows": [_row(one, asked) if isinstance(one, Step) else _stood(one, asked) for one in page[:ROWS]],
        "older": _older(page[:ROWS], before) if len(page) > ROWS else None,
    }
    return render(request, "execution/texts.html", context)


def _when(one: Step | ExecutionEvent) -> datetime:
    return one.started_at if isinstance(one, Step) else one.at


def _older(shown: Sequence[Step | ExecutionEvent], before: re.Match[str] | None) -> str:
    """Where the next page begins: behind the last step and the last pause of this one."""
    last = [int(before[n]) if before else _NEWEST for n in (1, 2)]
    for one in shown:
        last[not isinstance(one, Step)] = one.pk
    return f"{last[0]}-{last[1]}"


def _row(step: Step, asked: str) -> dict[str, Any]:
    return {
        "url": reverse("run_step", args=[step.execution.execution_id, step.index]),
        "where": _("run %(n)s, step %(step)s") % {"n": step.execution_id, "step": step.index},
        "picture": step.picture_before,
        "at": step.started_at,
        "name": step.execution.version.workflow.name,
        "sentence": worded(step_sentence(step)),
        "lines": lines_with(step, asked),
    }


def _stood(event: ExecutionEvent, asked: str) -> dict[str, Any]:
    """A screen at which the run stood still, on which no step was opened."""
    run, detail = event.execution, event.payload["pause_detail"]
    picture = str(detail.get("picture") or "")
    page, names = ("run_pause", [run.execution_id, event.seq]) if picture else ("run", [run.execution_id])
    return {
        "url": reverse(page, args=names),
        "where": _("run %(n)s, where it stood still") % {"n": run.pk},
        "picture": picture,
        "at": event.at,
        "name": run.version.workflow.name,
        "sentence": worded(detail.get("message", "")),
        "lines": lines_with(event, asked),
    }


# Which screens of which runs showed a text: searched in what was kept after redaction, and in nothing else (S10.4).

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_ACCENTS = re.compile("[\u0300-\u036f]")
MOST_WORDS = 12
Row = TypeVar("Row", bound=Model)


def words_of(text: str) -> list[str]:
    """The words that are looked for: letters and digits alone, so that nothing of it is syntax."""
    return _WORD.findall(text)[:MOST_WORDS]


def steps_showing(text: str) -> QuerySet[Step]:
    """Steps on whose screen all these words stood, the newest first; the last word may be the beginning of one."""
    return _showing(Step.objects.order_by("-pk"), text, POSTGRES_TEXTS, "SELECT rowid")


def pauses_showing(text: str) -> QuerySet[ExecutionEvent]:
    """The same of the screens at which runs stood still: the first event that tells of each."""
    states = ExecutionEvent.objects.filter(kind=EventKind.STATE)
    before = states.filter(
        execution=OuterRef("execution"),
        seq__lt=OuterRef("seq"),
        payload__pause_detail__picture=OuterRef("payload__pause_detail__picture"),
    )
    found = _showing(states.order_by("-pk"), text, POSTGRES_STOOD_TEXTS, "SELECT -rowid")
    return found.exclude(Exists(before))


def _showing(rows: QuerySet[Row], text: str, on_postgres: str, keys: str) -> QuerySet[Row]:
    on_a_server = connection.vendor == "postgresql"
    words = words_of(_folded(text) if on_a_server else text)
    if not words:
        return rows.none()
    if on_a_server:
        wanted = " & ".join([*words[:-1], f"{words[-1]}:*"])
        return rows.filter(RawSQL(f"{on_postgres} @@ to_tsquery('simple', %s)", (wanted,), BooleanField()))  # noqa: S611  # nosec B611  our own
    wanted = " ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
    return rows.filter(pk__in=RawSQL(f"{keys} FROM execution_steptexts WHERE texts MATCH %s", (wanted,)))  # noqa: S611  # nosec B611  our own


def _folded(text: str) -> str:
    """As PostgreSQL's index has it, before words are cut: “⑴” is “(1)” there, and a bracket is syntax in a query."""
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.lower()))


def lines_with(shown: Step | ExecutionEvent, text: str, most: int = 3) -> tuple[str, ...]:
    """The lines of a screen that say most of it; what is hidden of one stays hidden."""
    words = [fuzzy.folded(word) for word in words_of(text)]
    scored = [(sum(word in fuzzy.folded(line) for word in words), -n, line) for n, line in enumerate(_lines(shown))]
    best = sorted((one for one in scored if one[0]), reverse=True)[:most]
    return tuple(line for _score, _n, line in best)


def _lines(shown: Step | ExecutionEvent) -> list[str]:
    screen: Mapping[str, Any] = (shown.screen if isinstance(shown, Step) else shown.payload.get("pause_detail")) or {}
    lines = [str(line) for line in (screen.get("perception") or {}).get("detected_text") or ()]
    verified: Mapping[str, Any] = (shown.verification or {}) if isinstance(shown, Step) else {}
    said = [str(verified.get("said") or ""), *map(str, verified.get("came") or ())]
    return [line for line in [*lines, *said] if line and line != HIDDEN]
