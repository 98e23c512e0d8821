"""Rows of a list from a file or pasted text, looked at before any comes in; the file of its results (S12.3, S12.11)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from audit.models import Verb
from execution.choices import Origin
from execution.models import Worklist
from execution.pages.streaming import streamed
from execution.permissions import OPERATE, VIEW
from execution.worklists.actions.asking import record_of
from execution.worklists.actions.lists import bring
from execution.worklists.bringing import Looked, look_at, references_of
from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.checking import BadCell
from execution.worklists.intake.dates import Order
from execution.worklists.intake.delimited import ALONE, DELIMITERS
from execution.worklists.intake.encodings import ENCODINGS
from execution.worklists.intake.preview import About, Choices, Question
from execution.worklists.results import KINDS
from execution.worklists.results_of import file_of
from sentences.said import worded
from workflows.choices import VariableKind
from workflows.exceptions import DomainError
from workflows.parsing import whole_number
from workflows.permissions import permitted
from workflows.secret_names import holds_secret

MOST_BYTES = 20 * 1024**2  # what a request looks through while somebody waits
MOST_PASTED = 500_000  # characters
BAD_CELLS = 50  # on a page
_LATEST_ROW = 1_048_576  # of a sheet
EXAMPLES = 2  # cells of a column that tell what it holds
MOST_SHOWN = 60  # characters of one

Options = Sequence[tuple[str, str]]


@permitted(OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def worklist_add(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """What a file holds for the list; with `yes` what was shown comes in, if it still is the same."""
    one = Worklist.objects.by_id(worklist_id)
    context: dict[str, Any] = {"list": one, "nav": "lists", "most_pasted": MOST_PASTED}
    context["most_mb"] = MOST_BYTES // 1024**2
    status = 200
    if request.method == "POST":
        try:
            data = _given(request)
            looked = look_at(one, data, choices_of(request.POST, data), in_list=references_of(one))
            if request.POST.get("yes"):
                if request.POST["yes"] == looked.agreed:
                    return _brought(request, one, looked)
                context["changed"] = True
            context |= _shown(request, one, looked)
        except DomainError as error:
            context["refused"], status = worded(error), 422
    template = "execution/_worklist_preview.html" if request.POST.get("part") else "execution/worklist_add.html"
    return render(request, template, context, status=status)


def _given(request: HttpRequest) -> bytes:
    """The file, or else the pasted text. Raises Unreadable."""
    file = request.FILES.get("file")
    if file is not None:
        if (file.size or 0) > MOST_BYTES:
            words = _("The file is larger than %(n)d MB. Divide it, or bring it by “manage.py worklist import”.")
            raise Unreadable(words % {"n": MOST_BYTES // 1024**2})
        return file.read()
    text = request.POST.get("text", "")
    if not text.strip():
        raise Unreadable(_("Choose a file, or paste the rows."))
    if len(text) > MOST_PASTED:
        raise Unreadable(_("The pasted text is longer than %(n)d characters. Save it as a file.") % {"n": MOST_PASTED})
    return text.encode()


def choices_of(posted: QueryDict, data: bytes) -> Choices:
    """What was chosen for this file; what was chosen for another one, or for another reading of it, does not count."""
    if posted.get("of") != hashlib.sha256(data).hexdigest():
        return Choices()
    encoding, delimiter = posted.get("encoding", ""), posted.get("delimiter", "").replace("tab", "\t")
    source: dict[str, Any] = {
        "encoding": encoding if encoding in ENCODINGS else "",
        "delimiter": delimiter if delimiter in (*DELIMITERS, ALONE) else "",
        "sheet": posted.get("sheet", "")[:100],
        "head": whole_number(posted.get("head", ""), most=_LATEST_ROW),
    }
    if posted.get("reading") != reading_of(source):
        return Choices(**source)
    named = {name: next(filter(None, reversed(posted.getlist(name))), "") for name in posted}
    return Choices(
        **source,
        mapping={n: value for n, value in _by_column(named, "map-") if value},
        orders={n: Order(value) for n, value in _by_column(named, "order-") if value in list(Order)},
        with_hidden={"yes": True, "no": False}.get(posted.get("hidden", "")),
        confirmed=frozenset(posted.getlist("confirm")),
    )


def reading_of(source: dict[str, Any]) -> str:
    """Names one way to read a file: its columns are others where this is."""
    return "|".join(str(source[name]) for name in ("encoding", "delimiter", "sheet", "head"))


def _by_column(named: dict[str, Any], prefix: str) -> list[tuple[int, str]]:
    chosen = {name.removeprefix(prefix): value for name, value in named.items() if name.startswith(prefix)}
    found = ((whole_number(name), value) for name, value in chosen.items())
    return [(n, value) for n, value in found if n is not None]


def _shown(request: HttpRequest, one: Worklist, looked: Looked) -> dict[str, Any]:
    bad = Paginator(looked.checked.bad, BAD_CELLS).get_page(request.POST.get("bad_page"))
    return {"looked": looked, "shown": shown(one, looked, request.POST), "bad": bad, "cells": bad_cells(bad)}


def _brought(request: HttpRequest, one: Worklist, looked: Looked) -> HttpResponse:
    added = bring(worklist_id=one.worklist_id, looked=looked, user=request.user, origin=Origin.PAGE)
    said = ngettext("%(n)d row came in.", "%(n)d rows came in.", len(added.numbers)) % {"n": len(added.numbers)}
    messages.success(request, said)
    if request.POST.get("part"):  # a script that followed a redirect would have seen the message in the person's place
        return HttpResponse(status=204, headers={"X-Goes-To": reverse("list", args=[one.worklist_id])})
    return redirect("list", one.worklist_id)


@permitted(VIEW)
@require_safe
def worklist_results(request: HttpRequest, worklist_id: str, kind: str) -> Any:
    """What came of each row, as CSV or as a workbook."""
    one = Worklist.objects.by_id(worklist_id)
    if kind not in KINDS:
        return HttpResponse(status=404)
    return results_file(request, one, kind, user=request.user, origin=Origin.PAGE)


def results_file(request: HttpRequest, one: Worklist, kind: str, *, user: Any, origin: Origin) -> Any:
    """The answer with the file; that it was taken away is recorded."""
    record_of(Verb.EXPORT, one, user, origin, file=kind)
    pieces = file_of(one, kind, begins_with=request.build_absolute_uri("/").rstrip("/"))
    name = f"{one.worklist_id}-{timezone.localdate().isoformat()}.{kind}"
    return streamed(request, pieces, content_type=KINDS[kind], name=name)


# --- what the page says of a file before its rows come in: how it was read, its columns, what is open -----------------
@dataclass(frozen=True, slots=True, kw_only=True)
class ShownColumn:
    index: int
    letter: str
    head: str
    examples: Sequence[str]
    chosen: str
    fills: str  # the column of the list, where no variable is chosen
    is_key: bool
    is_hidden: bool
    is_date: bool
    order: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An open question; `confirmed` is what says that it may stay as it is, empty where something must be chosen."""

    said: str
    confirmed: str
    about: str
    column: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    reading: str
    encodings: Options
    delimiters: Options
    variables: Options
    columns: Sequence[ShownColumn]
    asked: Sequence[Asked]
    confirmed: Sequence[str]
    notes: Sequence[str]
    refused: Sequence[str]
    posted: Mapping[str, str]
    orders: Options


def shown(one: Worklist, looked: Looked, posted: Mapping[str, Any]) -> Shown:
    """All that the template needs, in the active language."""
    is_same = posted.get("of") == looked.digest
    kept = {name: posted.get(name, "") if is_same else "" for name in ("encoding", "delimiter", "sheet", "head")}
    hidden = {True: "yes", False: ""}[looked.plan.with_hidden]
    graph = one.at_version().spec()
    offered = [v for v in graph.asked if not holds_secret(v)]
    kinds = {v.name: v.kind for v in offered}
    confirmed = posted.getlist("confirm") if is_same and hasattr(posted, "getlist") else []
    return Shown(
        reading="|".join(_reading(kept)),
        encodings=[("", _("found: %(name)s") % {"name": looked.preview.source.encoding}), *((e, e) for e in ENCODINGS)],
        delimiters=[
            ("", _("found: %(name)s") % {"name": delimiter_words(looked.preview.source.delimiter)}),
            *((d.replace("\t", "tab"), delimiter_words(d)) for d in (*DELIMITERS, ALONE)),
        ],
        variables=[(v.name, v.label or v.name) for v in offered],
        columns=_columns(one, looked, kinds),
        asked=[_asked(question) for question in looked.preview.questions],
        confirmed=confirmed,
        notes=[worded(note) for note in looked.preview.notes],
        refused=[worded(reason) for reason in looked.checked.refused],
        posted={**kept, "hidden": posted.get("hidden", "") if is_same else hidden},
        orders=[("day_first", _("day, month, year")), ("month_first", _("month, day, year"))],
    )


def _reading(kept: Mapping[str, str]) -> tuple[str, str, str, str]:
    head = kept["head"].strip()
    return kept["encoding"], kept["delimiter"].replace("tab", "\t"), kept["sheet"], head if head.isdigit() else "None"


def delimiter_words(delimiter: str) -> str:
    match delimiter:
        case "\t":
            return _("tab character")
        case "":
            return "–"
        case _:
            return _("none: one column") if delimiter == ALONE else delimiter


def _columns(one: Worklist, looked: Looked, kinds: Mapping[str, str]) -> list[ShownColumn]:
    plan = looked.plan
    return [
        ShownColumn(
            index=column.index,
            letter=column.letter,
            head=column.head,
            examples=_examples(looked, column.index),
            chosen=plan.mapping.get(column.index, ""),
            fills=looked.columns.get(column.index, ""),
            is_key=column.index in plan.keys,
            is_hidden=column.is_hidden,
            is_date=kinds.get(plan.mapping.get(column.index, "")) == VariableKind.DATE,
            order=plan.orders.get(column.index, ""),
        )
        for column in plan.columns
    ]


def _examples(looked: Looked, index: int) -> list[str]:
    cells = (row.at(index) for row in looked.preview.rows)
    return [str(cell)[:MOST_SHOWN] for cell in cells if cell][:EXAMPLES]


def bad_cells(bad: Iterable[BadCell]) -> list[dict[str, Any]]:
    """Each with its reason in words."""
    return [{**asdict(cell), "reason": worded(cell.reason)} for cell in bad]


def _asked(question: Question) -> Asked:
    chosen_elsewhere = question.about in (About.DATE_ORDER, About.HIDDEN_ROWS)
    return Asked(
        said=worded(question.said),
        confirmed="" if chosen_elsewhere else question.key,
        about=question.about,
        column=question.column,
    )
