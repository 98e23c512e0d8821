"""What a robot tells of its eyes, in words for the robots page (S2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.models import Robot
from execution.models.robot import Connection
from execution.perception.harmless import CARET, CLOCK, MASK
from sentences.said import worded


def eyes_in_words(report: Mapping[str, Any]) -> list[str]:
    """Which parts look at the screen, and how often a screen was known; empty before its models are loaded."""
    return [_parts(report), *_cache(report.get("cache") or {})] if report else []


def connection_of(robot: Robot) -> dict[str, Any]:
    """How the connection to a desktop elsewhere is; empty for one of its own machine.

    A robot that was told to leave, or that died, holds no connection any more, whatever it said last.
    """
    told = robot.connection
    if not told or (told.get("state") == Connection.CONNECTED and not robot.is_alive):
        return {}
    return {
        "state": told.get("state"),
        "since": parse_datetime(told.get("since") or ""),
        "cuts": told.get("cuts") or 0,
        "tries": told.get("tries") or 0,
        "why": worded(told.get("why") or ""),
    }


def _parts(report: Mapping[str, Any]) -> str:
    reader, detector, embedder = report.get("reader"), report.get("detector"), report.get("embedder")
    said = [
        _("Text: %(name)s.") % {"name": reader} if reader else _("No text is read."),
        _("Elements: %(name)s.") % {"name": detector} if detector else _("No elements are detected."),
        _("Looks: %(name)s.") % {"name": embedder} if embedder else _("Looks are not compared."),
    ]
    return " ".join(said)


def _cache(counts: Mapping[str, Any]) -> list[str]:
    near: Mapping[str, int] = counts.get("near") or {}
    exact, misses = counts.get("hits", 0), counts.get("misses", 0)
    looks = exact + misses + sum(near.values())
    if not looks:
        return []
    known = ngettext(
        "Of %(looks)d look %(known)d showed a screen that was known (%(share)d %%).",
        "Of %(looks)d looks %(known)d showed a screen that was known (%(share)d %%).",
        looks,
    ) % {"looks": looks, "known": looks - misses, "share": round(100 * (looks - misses) / looks)}
    names = {CARET: _("a text cursor"), CLOCK: _("a clock"), MASK: _("a masked region")}
    differing = ", ".join(
        _("%(what)s: %(n)d") % {"what": names.get(reason, reason), "n": count} for reason, count in sorted(near.items())
    )
    kept = ngettext(
        "%(n)d screen is kept (%(size)s).", "%(n)d screens are kept (%(size)s).", counts.get("entries", 0)
    ) % {"n": counts.get("entries", 0), "size": filesizeformat(counts.get("bytes", 0))}
    return [known, *([_("Known but for %(what)s.") % {"what": differing}] if near else []), kept]
