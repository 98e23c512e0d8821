"""What each perception flag cost and gained in a workflow's last runs here, beside the flag's present value (S2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, quantiles
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.actions.start import effective_flags
from execution.models import Step
from workflows.models import Workflow

LAST_STEPS = 1000
_COLUMNS = (
    "analyze_ms", "confidence", "degraded", "execution__enable_ocr", "execution__enable_ui_detection",
    "execution__window_info_provider",
)  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRow:
    """One flag: its label, the value that a run gets unless it asks for another, and what was measured with it."""

    label: str
    now: str
    gained: str


def flag_rows(workflow: Workflow) -> list[FlagRow]:
    """The four flags, with what the last steps of this workflow say of them."""
    flags = effective_flags(workflow, {})
    steps = Step.objects.closed().filter(execution__version__workflow=workflow).order_by("-pk")
    rows = list(steps.values(*_COLUMNS)[:LAST_STEPS])
    return [
        FlagRow(
            label=_("Read text"),
            now=_on_off(flags["enable_ocr"]),
            gained=_compared(rows, "execution__enable_ocr", _("On"), _("Off")),
        ),
        FlagRow(
            label=_("Detect elements"),
            now=_on_off(flags["enable_ui_detection"]),
            gained=_compared(rows, "execution__enable_ui_detection", _("On"), _("Off")),
        ),
        FlagRow(
            label=_("Limit of an analysis"), now=_("%(n)d ms") % {"n": flags["analyze_timeout_ms"]}, gained=_slow(rows)
        ),
        FlagRow(
            label=_("Window info provider"),
            now=flags["window_info_provider"] or _("the desktop"),
            gained=_compared(rows, "execution__window_info_provider", _("With one"), _("Without")),
        ),
    ]


def _on_off(value: bool) -> str:
    return _("on") if value else _("off")


def _compared(rows: Sequence[Row], column: str, yes: str, no: str) -> str:
    """Time and confidence of the steps with the flag against those without it."""
    groups = [(yes, [r for r in rows if r[column]]), (no, [r for r in rows if not r[column]])]
    return " ".join(_measured(name, group) for name, group in groups if group) or _nothing()


def _measured(name: str, rows: Sequence[Row]) -> str:
    recognised = [r["confidence"] for r in rows if r["confidence"]]
    words = {
        "name": name,
        "ms": round(median(r["analyze_ms"] for r in rows)),
        "confidence": round(100 * fmean(recognised)) if recognised else 0,
        "n": len(rows),
    }
    said = ngettext(
        "%(name)s: %(ms)d ms a step, confidence %(confidence)d %% (%(n)d step).",
        "%(name)s: %(ms)d ms a step, confidence %(confidence)d %% (%(n)d steps).",
        len(rows),
    )
    return said % words


def _slow(rows: Sequence[Row]) -> str:
    if not rows:
        return _nothing()
    words = {
        "ms": round(_p95(r["analyze_ms"] for r in rows)),
        "degraded": sum(r["degraded"] for r in rows),
        "n": len(rows),
    }
    said = ngettext(
        "95 %% took at most %(ms)d ms; %(degraded)d of %(n)d step was degraded.",
        "95 %% took at most %(ms)d ms; %(degraded)d of %(n)d steps were degraded.",
        len(rows),
    )
    return said % words


def _p95(values: Iterable[float]) -> float:
    known = list(values)
    return quantiles(known, n=20, method="inclusive")[-1] if len(known) > 1 else known[0]


def _nothing() -> str:
    return _("Nothing was measured here yet.")
