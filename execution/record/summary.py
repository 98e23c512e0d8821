"""What a run came to, in one dictionary and one sentence (S7.3)."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.choices import Outcome, Verified
from execution.language.rungs import RUNGS
from execution.models import Decision, Execution


def run_summary(execution: Execution) -> dict[str, Any]:
    """Actions done of all, retries, clicks by rung, mean score and resolve time, not verified, degraded."""
    acted, done = ~Q(edge_id=""), Q(outcome__in=[Outcome.SUCCEEDED, Outcome.MANUAL]) & ~Q(edge_id="")
    found = acted & ~Q(rung="")
    by_rung: list[Any] = [
        *execution.steps.order_by("rung").values("rung").annotate(
            actions=Count("pk", filter=acted & ~Q(outcome=Outcome.INTERRUPTED)),
            done=Count("pk", filter=done),
            again=Sum("retries", default=0),
            found=Count("pk", filter=found),
            scores=Sum("score", filter=found, default=0),
            resolving_ms=Sum("resolve_ms", filter=found, default=0),
            not_verified=Count("pk", filter=done & ~Q(verified=Verified.YES)),
            slow=Count("pk", filter=Q(degraded=True)),
        )
    ]  # fmt: skip

    def total(name: str) -> Any:
        return sum(row[name] for row in by_rung)

    sought = total("found") or 1
    return {
        "actions": total("actions"),
        "done": total("done"),
        "corrected": execution.corrected,
        "retries": total("again"),
        "rungs": {row["rung"]: row["found"] for row in by_rung if row["found"]},
        "mean_score": round(total("scores") / sought, 3),
        "mean_resolve_ms": round(total("resolving_ms") / sought, 1),
        "not_verified": total("not_verified"),
        "degraded": total("slow"),
        "values": execution.results(),
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
    rungs = ", ".join(f"{RUNGS.get(rung, rung)} {n}" for rung, n in summary["rungs"].items()) or "–"
    actions, retries = summary["actions"], summary["retries"]
    done = ngettext("%(n)d of %(m)d action done", "%(n)d of %(m)d actions done", actions)
    again = ngettext("%(n)d retry", "%(n)d retries", retries) % {"n": retries}
    figures = _(
        "%(done)s in %(duration_seconds).1f s, %(retries)s, found by %(by)s "
        "(mean score %(mean_score).2f, %(mean_resolve_ms).0f ms), %(not_verified)d not verified, %(degraded)d degraded."
    ) % {**summary, "by": rungs, "done": done % {"n": summary["done"], "m": actions}, "retries": again}
    values = " ".join(f"{value['name']}: {value['text']}." for value in summary["values"])
    return f"{figures} {values}".rstrip()
