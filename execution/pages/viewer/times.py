"""Where the time of a step went: bars one after the other that add up to the step."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from execution.models import Step

_LOOKING = ("capture_ms", "analyze_ms", "match_ms", "resolve_ms")
NOT_WORTH_A_BAR_MS = 0.05


def bars(step: Step, *, asked_after: bool = False) -> dict[str, Any]:
    """`bars` in the order of time, each `{name, ms, kind}`; their sum is `total_ms` to the hundredth.

    `asked_after`: the person was asked once it was done, not before.
    """
    found = [_bar(name, getattr(step, name), "robot") for name in _LOOKING]
    waited = _bar("waited_ms", step.waited_ms, "person")
    found += [] if asked_after else [waited]
    for attempt in step.attempts:
        found.append(_bar("act_ms", attempt.get("act_ms", 0), "robot"))
        found.append(_bar("look_ms", attempt.get("look_ms", 0), "robot"))
        found.append(_bar("verify_ms", attempt.get("verify_ms", 0), "no"))
    found.append(_bar("act_ms", step.act_ms, "robot"))
    found.append(_bar("look_ms", step.look_ms, "robot"))
    found.append(_bar("verify_ms", step.verify_ms, "yes" if step.success else "no"))
    found += [waited] if asked_after else []
    kept = [bar for bar in found if bar["ms"] > NOT_WORTH_A_BAR_MS]
    total = max(step.total_ms, sum(bar["ms"] for bar in kept))
    rest = total - sum(bar["ms"] for bar in kept)
    if rest > NOT_WORTH_A_BAR_MS:
        kept.append(_bar("rest", rest, "rest"))
    return {
        "bars": [{**bar, "ms": round(bar["ms"], 2), "label": labels()[bar["name"]]} for bar in kept],
        "total_ms": round(total, 2),
        "ocr_ms": round(step.ocr_ms, 2),
        "ui_ms": round(step.ui_ms, 2),
    }


def labels() -> dict[str, str]:
    return {
        "capture_ms": _("look"),
        "analyze_ms": _("read"),
        "match_ms": _("recognise"),
        "resolve_ms": _("find"),
        "waited_ms": _("a person"),
        "act_ms": _("act"),
        "look_ms": _("read again"),
        "verify_ms": _("check"),
        "rest": _("settling"),
    }


def _bar(name: str, ms: float, kind: str) -> dict[str, Any]:
    return {"name": name, "ms": float(ms or 0), "kind": kind}
