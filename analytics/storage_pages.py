"""The page of the disk: what takes how much, when it is full, how long runs are kept, and which ones are held."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from analytics import charts
from analytics.jobs import FIGURES, PRUNE
from analytics.models import Retention, RunHold, StorageDay
from analytics.panels import per_cent
from analytics.retention import ALL_OTHERS, KINDS, hold, let_go, shown_policies, told, would_go
from analytics.storage import Forecast, forecast, measure, today
from audit.models import Verb
from audit.recording import record
from execution.behind.asking import ask
from execution.exceptions import UnknownExecution
from execution.models import Execution
from execution.pages.jobs import told_on
from execution.permissions import OPERATE
from workflows.models import Workflow
from workflows.parsing import whole_number
from workflows.permissions import permitted

VIEW = "analytics.view_stepmetric"
CHANGE = "analytics.change_retention"
LONGEST_DAYS = 36_500
SHOWN_DAYS = 90
HOLDS = 100
PARTS = {
    "pictures": gettext_lazy("Pictures of runs"),
    "taught": gettext_lazy("Taught pictures"),
    "store": gettext_lazy("Pictures in their store, not on this disk"),
    "runs": gettext_lazy("Runs and their steps, with texts"),
    "events": gettext_lazy("Events of runs"),
    "figures": gettext_lazy("Figures"),
    "database": gettext_lazy("The rest of the database"),
    "models": gettext_lazy("Models that read and see"),
    "backups": gettext_lazy("Backups"),
    "live": gettext_lazy("Live pictures"),
    "static": gettext_lazy("Files of the pages"),
}
WORDS_OF_KIND = {
    "pictures": gettext_lazy("Pictures"),
    "texts": gettext_lazy("Texts, values and events"),
    "events": gettext_lazy("Events"),
    "metrics": gettext_lazy("Metrics of steps"),
}


class DaysForm(forms.Form):
    """Days for each kind; empty: for ever."""

    pictures = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)
    texts = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)
    events = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)
    metrics = forms.IntegerField(required=False, min_value=1, max_value=LONGEST_DAYS)


@permitted(VIEW)
@require_safe
def storage(request: HttpRequest) -> HttpResponse:
    if request.headers.get("HX-Request") == "true":
        return render(request, "execution/_jobs.html", _jobs(request))
    return _page(request)


def _jobs(request: HttpRequest) -> dict[str, Any]:
    return told_on(PRUNE, FIGURES, may_know=request.user.has_perm(CHANGE))


@permitted(CHANGE)
@require_POST
def prune_now(request: HttpRequest) -> HttpResponse:
    """What goes every night goes now."""
    ask(PRUNE, user=request.user, origin="page")
    return redirect("analytics_storage")


@permitted(CHANGE)
@require_POST
def figures_again(request: HttpRequest) -> HttpResponse:
    ask(FIGURES, user=request.user, origin="page")
    return redirect("analytics_storage")


def _page(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    days = list(StorageDay.objects.all()[:SHOWN_DAYS])
    newest = days[0] if days else None
    holds = list(RunHold.objects.all()[:HOLDS])
    runs = Execution.objects.filter(execution_id__in=[one.execution_id for one in holds])
    named = {run.execution_id: run for run in runs.select_related("version__workflow").defer("version__graph")}
    context = {
        "nav": "analytics", "newest": newest, "parts": _parts(newest, days), "forecast": _said(forecast(days), newest),
        "line": charts.spark([sum(one.parts.values()) for one in reversed(days)]),
        "free_strip": _free_strip(newest), "kinds": WORDS_OF_KIND.values(),
        "policies": _policies(),
        "holds": [{"hold": one, "run": named.get(one.execution_id)} for one in holds],
        "may_change": request.user.has_perm(CHANGE), "may_hold": request.user.has_perm(OPERATE),
        "asked_run": request.GET.get("run", "")[:60], **_jobs(request), **more,
    }  # fmt: skip
    return render(request, "analytics/storage.html", context, status=status)


def _policies() -> list[dict[str, Any]]:
    """What is said of each, and what holds where nothing is said."""
    found = shown_policies()
    others = found[0]["row"]
    return [
        {
            **one,
            "days": [
                {
                    "kind": kind,
                    "words": WORDS_OF_KIND[kind],
                    "days": getattr(one["row"], f"{kind}_days", None),
                    "inherited": "" if one["row"] else getattr(others, f"{kind}_days", None) or "",
                }
                for kind in KINDS
            ],
        }
        for one in found
    ]


def _free_strip(newest: StorageDay | None) -> str:
    if newest is None or not newest.total_bytes:
        return ""
    return charts.strip(100 - 100 * newest.free_bytes / newest.total_bytes)


def _parts(newest: StorageDay | None, days: list[StorageDay]) -> list[dict[str, Any]]:
    """The largest first, with what each grew by since the oldest day that is shown."""
    if newest is None:
        return []
    whole, oldest = sum(newest.parts.values()) or 1, days[-1]
    since = max(1, (newest.day - oldest.day).days)
    return [
        {
            "words": PARTS.get(name, name),
            "size": filesizeformat(size),
            "share": per_cent(100 * size / whole, 0),
            "strip": charts.strip(100 * size / whole),
            "growth": _growth((size - oldest.parts.get(name, 0)) / since) if newest.day != oldest.day else "–",
        }
        for name, size in sorted(newest.parts.items(), key=lambda one: -one[1])
    ]


def _growth(a_day: float) -> str:
    sign = "+" if a_day > 0 else "−"
    return _("%(size)s a day") % {"size": f"{sign}{filesizeformat(abs(a_day))}"} if abs(a_day) >= 1 else "–"


def _said(found: Forecast, newest: StorageDay | None) -> str:
    if newest is None:
        return _("Nothing was measured yet: that is done every night, by manage.py prune.")
    if found.a_day is None:
        return _("How it grows can be told after three days.")
    if found.full_on is None:
        return _("It does not grow so that it matters.")
    left = (found.full_on - today()).days
    words = ngettext(
        "At %(rate)s a day the disk is full in %(n)d day, on %(day)s.",
        "At %(rate)s a day the disk is full in %(n)d days, on %(day)s.",
        left,
    )
    return words % {"rate": filesizeformat(found.a_day), "n": left, "day": found.full_on.isoformat()}


@permitted(CHANGE)
@require_POST
def measure_now(request: HttpRequest) -> HttpResponse:
    measure()
    return redirect("analytics_storage")


@permitted(CHANGE)
@require_POST
def change_retention(request: HttpRequest) -> HttpResponse:
    """First what would go tonight is told; what is sent again with `sure` is kept."""
    workflow_id = request.POST.get("workflow", "")[:100]
    as_others = bool(workflow_id and request.POST.get("as_others"))
    others = Retention.objects.filter(workflow_id=ALL_OTHERS).first()
    form = DaysForm({kind: getattr(others, f"{kind}_days", None) for kind in KINDS} if as_others else request.POST)
    name = Workflow.objects.by_id(workflow_id).name if workflow_id else _("all others")
    if not form.is_valid():
        messages.error(request, _("Days are whole numbers from 1 on; nothing means for ever."))
        return _page(request, status=422)
    days = {kind: form.cleaned_data[kind] for kind in KINDS}
    if request.POST.get("sure") != "yes":
        gone = told(would_go(workflow_id, days), dry=True)
        asked = {"workflow_id": workflow_id, "name": name, "days": days, "gone": gone, "as_others": as_others}
        return _page(request, asked=asked)
    with transaction.atomic():
        told_days = {f"{kind}_days": n for kind, n in days.items()}
        record(Verb.RETENTION, user=request.user, origin="page", kind="workflow", about=workflow_id, **told_days)
        if as_others:
            Retention.objects.filter(workflow_id=workflow_id).delete()
            return redirect("analytics_storage")
        who = {"changed_by": request.user.get_username(), "changed_at": timezone.now()}
        Retention.objects.update_or_create(workflow_id=workflow_id, defaults={**told_days, **who})
    messages.success(request, _("Kept: what is older goes tonight."))
    return redirect("analytics_storage")


@permitted(OPERATE)
@require_POST
def hold_run(request: HttpRequest) -> HttpResponse:
    """Hold a run, named by its number or its id, or let go of it."""
    named = request.POST.get("run", "").strip()[:60]
    if request.POST.get("verb") == "let_go":
        with transaction.atomic():
            if let_go(named):
                record(Verb.LET_GO, user=request.user, origin="page", kind="run", about=named)
        return redirect("analytics_storage")
    if (number := whole_number(named)) is not None:
        named = Execution.objects.filter(pk=number).values_list("execution_id", flat=True).first() or named
    reason = request.POST.get("reason", "").strip()
    if not reason:
        messages.error(request, _("Say why: whoever finds it held in a year wants to know."))
        return _page(request, status=422, asked_run=named)
    try:
        with transaction.atomic():
            held = hold(named, reason=reason, by=request.user.get_username())
            record(
                Verb.HOLD, user=request.user, origin="page", kind="run", about=held.execution_id, reason=held.reason
            )  # fmt: skip
    except UnknownExecution as error:
        messages.error(request, str(error))
        return _page(request, status=422, asked_run=named)
    messages.success(request, _("Nothing of this run is deleted until somebody lets go of it."))
    return redirect("analytics_storage")
