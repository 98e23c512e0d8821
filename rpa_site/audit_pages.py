"""The record of what people did, for admins: filtered, and taken away as CSV or JSON (S10.7)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from analytics.exports import KINDS, as_json, newest_first
from analytics.period import period_of, zone_of
from audit.models import Entry, Verb
from audit.recording import record
from execution.choices import Origin
from execution.pages.streaming import streamed
from execution.worklists.tables import as_csv
from rpa_site.throttle import address_of
from workflows.parsing import whole_number
from workflows.permissions import permitted

VIEW = "audit.view_entry"
ROWS = 100
COLUMNS = ("verb", "who", "user_pk", "origin", "address", "kind", "about", "detail")
PAGES = {"run": "run", "workflow": "workflow", "replay": "replay"}
KIND_WORDS = {
    "run": _("run"), "workflow": _("workflow"), "person": _("person"), "token": _("token"), "figures": _("figures"),
    "audit": _("this record"), "training": _("training data"), "correction": _("correction"),
    "replay": _("replay"), "prototype": _("prototype"), "robot": _("robot"),
    "job": _("work behind the scenes"),
}  # fmt: skip


@permitted(VIEW)
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    found = filtered(request)
    if (before := whole_number(request.GET.get("before", ""))) is not None:
        found = found.filter(pk__lt=before)
    entries = list(found[: ROWS + 1])
    kept = request.GET.copy()
    kept.pop("before", None)
    context = {
        "nav": "admin", "rows": [row(entry) for entry in entries[:ROWS]], "verbs": Verb.choices,
        "asked": {name: request.GET.get(name, "")[:200] for name in ("who", "verb", "about", "days")},
        "kept": kept.urlencode(), "older": entries[ROWS - 1].pk if len(entries) > ROWS else None,
        "spans": ((1, _("today")), (7, _("7 days")), (30, _("30 days")), (364, _("52 weeks"))),
    }  # fmt: skip
    return render(request, "rpa_site/audit.html", context)


@permitted(VIEW)
@require_safe
def audit_export(request: HttpRequest, kind: str) -> Any:
    if kind not in KINDS:
        return HttpResponse(status=404)
    asked = {name: value for name in ("who", "verb", "about", "days") if (value := request.GET.get(name, "")[:200])}
    known: dict[str, Any] = {
        "origin": "page",
        "address": address_of(request),
        "kind": "audit",
        "about": f"audit.{kind}",
    }
    record(Verb.EXPORT, user=request.user, **known, filters=asked)
    lines = as_csv if kind == "csv" else as_json
    name = f"surehand-audit-{timezone.localdate().isoformat()}"
    pieces = lines(("at", *COLUMNS), _rows(filtered(request)))
    return streamed(request, pieces, content_type=KINDS[kind], name=f"{name}.{kind}")


def _rows(found: QuerySet[Any]) -> Iterator[list[Any]]:
    for at, *rest in newest_first(found, "at", ("at", *COLUMNS)):
        *plain, detail = rest
        yield [at.isoformat(), *plain, " ".join(f"{key}={value}" for key, value in detail.items())]


def filtered(request: HttpRequest) -> QuerySet[Entry]:
    """By person, by what was done, by what it was done to, and over which days; all of them where nothing is asked."""
    found = Entry.objects.all()
    if who := request.GET.get("who", "").strip()[:150]:
        found = found.filter(who__iexact=who)
    if (verb := request.GET.get("verb", "")) in Verb.values:
        found = found.filter(verb=verb)
    if about := request.GET.get("about", "").strip()[:200]:
        found = found.filter(Q(about__icontains=about))
    if request.GET.get("days"):
        period = period_of(request, zone_of(request))
        found = found.filter(at__gte=period.begin, at__lt=period.end + timedelta(seconds=1))
    return found.order_by("-pk")


def row(entry: Entry) -> dict[str, Any]:
    """An entry with its words and where it leads."""
    url = ""
    if entry.kind in PAGES and entry.about:
        try:
            url = reverse(PAGES[entry.kind], args=[entry.about])
        except NoReverseMatch:
            url = ""
    detail = [
        f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in entry.detail.items()
    ]
    origin = Origin(entry.origin).label if entry.origin in Origin.values else entry.origin
    return {
        "origin": origin,
        "entry": entry,
        "kind": KIND_WORDS.get(entry.kind, entry.kind),
        "url": url,
        "detail": " · ".join(detail),
    }
