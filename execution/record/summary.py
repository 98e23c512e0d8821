"""What a run came to, in one dictionary and one sentence (S7.3)."""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.choices import Outcome, Verified
from execution.models import Decision, Execution


def run_summary(execution: Execution) -> dict[str, Any]:
    """Actions done of all, retries, clicks by rung, mean score and resolve time, not verified, degraded."""
    steps = execution.steps.all()
    actions = steps.exclude(edge_id="")
    done = actions.filter(outcome__in=[Outcome.SUCCEEDED, Outcome.MANUAL])
    found = actions.exclude(rung="")
    numbers = found.aggregate(mean_score=Avg("score", default=0), mean_resolve_ms=Avg("resolve_ms", default=0))
    return {
        "actions": actions.exclude(outcome=Outcome.INTERRUPTED).count(),
        "done": done.count(),
        "corrected": execution.corrected,
        "retries": steps.aggregate(n=Sum("retries", default=0))["n"],
        "rungs": {row["rung"]: row["n"] for row in found.values("rung").annotate(n=Count("pk")).order_by("rung")},
        "mean_score": round(numbers["mean_score"], 3),
        "mean_resolve_ms": round(numbers["mean_resolve_ms"], 1),
        "not_verified": done.exclude(verified=Verified.YES).count(),
        "degraded": steps.filter(degraded=True).count(),
        "values": [value.as_json() for value in execution.values_read.all().newest().values()],
        "duration_seconds": round(execution.duration_seconds, 2),
    }


def people(execution: Execution) -> dict[str, Any]:
    """Who had a hand in it: `started_by`, and how often each person gave which answer as `answers`."""
    given = Decision.objects.filter(prompt__execution=execution, user__isnull=False)
    counts = given.values("user__username", "choice").annotate(n=Count("pk")).order_by("user__username", "choice")
    return {
        "started_by": execution.started_by.get_username() if execution.started_by else "",
        "answers": [{"who": row["user__username"], "choice": row["choice"], "n": row["n"]} for row in counts],
    }


def as_sentence(summary: dict[str, Any]) -> str:
    rungs = ", ".join(f"{rung} {n}" for rung, n in summary["rungs"].items()) or "–"
    actions, retries = summary["actions"], summary["retries"]
    done = ngettext("%(n)d of %(m)d action done", "%(n)d of %(m)d actions done", actions)
    again = ngettext("%(n)d retry", "%(n)d retries", retries) % {"n": retries}
    figures = _(
        "%(done)s in %(duration_seconds).1f s, %(retries)s, found by %(by)s "
        "(mean score %(mean_score).2f, %(mean_resolve_ms).0f ms), %(not_verified)d not verified, %(degraded)d degraded."
    ) % {**summary, "by": rungs, "done": done % {"n": summary["done"], "m": actions}, "retries": again}
    values = " ".join(f"{value['name']}: {value['text']}." for value in summary["values"])
    return f"{figures} {values}".rstrip()
