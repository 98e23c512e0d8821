"""What models were asked and what it came to, as a page (S4.4, S7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from analytics.model_use import Scope, model_use
from gpu.pages.texts import PURPOSES
from gpu.types import Purpose
from workflows.permissions import permitted

VIEW_USE = "gpu.view_modeluse"
SPANS = {1: _("today"), 7: _("7 days"), 30: _("30 days"), 365: _("a year")}
USUAL = 30


@permitted(VIEW_USE)
@require_safe
def model_uses(request: HttpRequest) -> HttpResponse:
    """By model and purpose, over the days that are asked for; anything else than the spans offered is the usual one."""
    asked = request.GET.get("days", "")
    days = int(asked) if asked.isascii() and asked.isdigit() and int(asked[:4]) in SPANS and len(asked) < 4 else USUAL
    report = model_use(Scope(since=timezone.localdate() - timedelta(days=days - 1)), by_day=False)
    spans = [{"days": span, "name": name, "is_now": span == days} for span, name in SPANS.items()]
    context = {
        "spans": spans, "totals": told(report.totals), "rows": [told(row) for row in report.rows],
        "fallbacks": report.fallbacks,
    }  # fmt: skip
    return render(request, "analytics/model_use.html", context)


def told(row: dict[str, Any]) -> dict[str, Any]:
    """A row with what the page says of it besides."""
    purpose = row.get("purpose", "")
    share = 100 * row["answered"] / row["calls"] if row["calls"] else None
    return {
        **row,
        "purpose": PURPOSES.get(Purpose(purpose), purpose) if purpose in set(Purpose) else purpose,
        "share": share,
        "failed_by": [{"error": error, "times": times} for error, times in row["failed_by"].items()],
        "is_local": row["cost"]["amount"] is not None,
    }
