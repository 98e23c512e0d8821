"""What a person did by hand, for a page: each act in words, on the picture that it was done on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from execution.choices import CorrectionKind, EventKind
from execution.models import ExecutionEvent, LearnedCorrection
from execution.pages.crops import Crop, crop
from execution.pages.script_texts import act_words
from execution.record.by_hand import MOST, acts_told
from workflows.pictures import PictureStore

_AROUND = 0.012  # of the screen, on each side of where it was done


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneByHand:
    said: str
    crop: Crop | None


def acts_of_ways(rows: Iterable[LearnedCorrection]) -> dict[int, Sequence[Mapping[str, Any]]]:
    """What was done on each of the proposed ways, in one query; nothing where it is not kept any more."""
    ways = {
        row.pk: (row.execution_id, int(row.payload.get("after") or 0), int(row.payload.get("until") or 0))
        for row in rows
        if row.kind == CorrectionKind.WAY and row.payload.get("until")
    }
    if not ways:
        return {}
    runs = {run for run, _after, _until in ways.values()}
    events = ExecutionEvent.objects.filter(kind=EventKind.CONTROL, execution__execution_id__in=runs).order_by("seq")
    told = list(events.values_list("execution__execution_id", "seq", "payload"))
    return {
        pk: acts_told([what for of, seq, what in told if of == run and after < seq <= until][:MOST])
        for pk, (run, after, until) in ways.items()
    }


def shown(acts: Sequence[Mapping[str, Any]], store: PictureStore) -> list[DoneByHand]:
    return [DoneByHand(said=_said(act), crop=_place(act, store)) for act in acts]


def _said(act: Mapping[str, Any]) -> str:
    words = act_words().get(str(act.get("act")), "")
    n = int(act.get("length") or 0)
    if isinstance(words, dict):
        words = words["one" if n == 1 else "other"]
    where = _("“%(text)s”") % {"text": act["on"]} if act.get("on") else ""
    if not where and act.get("at"):
        x, y = (round(100 * float(part)) for part in act["at"])
        where = _("at %(x)s %%, %(y)s %%") % {"x": x, "y": y}
    return str(words) % {"who": act.get("by") or "–", "where": where, "keys": act.get("keys") or "", "n": n}


def _place(act: Mapping[str, Any], store: PictureStore) -> Crop | None:
    """Of what was typed nobody knows where: its whole screen."""
    box = None
    if act.get("at"):
        x, y = (float(part) for part in act["at"])
        left, top = max(0.0, x - _AROUND), max(0.0, y - _AROUND)
        box = [left, top, min(1.0, x + _AROUND) - left, min(1.0, y + _AROUND) - top]
    return crop(str(act.get("picture") or ""), box, store=store)
