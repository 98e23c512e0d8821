"""Corrections that say different things of the same step under the same conditions: one of them is to be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Q

from execution.choices import CorrectionKind, CorrectionState
from execution.models import LearnedCorrection
from execution.models.learning import IN_FORCE
from execution.record.corrections import is_one_place

OPEN = (*IN_FORCE, CorrectionState.NEEDS_PERSON)
_KINDS = (CorrectionKind.TARGET, CorrectionKind.PARAMS)  # further looks of a screen stand beside each other


def contradicting(rows: Sequence[LearnedCorrection]) -> dict[int, list[LearnedCorrection]]:
    """Of each what contradicts it, by key, in one query however many there are."""
    asked = [row for row in rows if row.kind in _KINDS and row.state in OPEN]
    if not asked:
        return {}
    same = Q(pack__in={row.pack_id for row in asked}, edge_id__in={row.edge_id for row in asked})
    others = LearnedCorrection.objects.filter(same, kind__in=_KINDS, state__in=OPEN).with_runs()
    by_edge: dict[tuple[int, str], list[LearnedCorrection]] = {}
    for one in others.select_related("pack__workflow").defer("breaks"):
        by_edge.setdefault((one.pack_id, one.edge_id), []).append(one)
    found = {row.pk: list(_against(row, by_edge.get((row.pack_id, row.edge_id), ()))) for row in asked}
    return {pk: against for pk, against in found.items() if against}


def contradict(one: LearnedCorrection, other: LearnedCorrection) -> bool:
    """Of the same taught thing, where both hold, another place or another value."""
    of = [(row.kind, row.edge_id, row.taught_as) for row in (one, other)]
    if one.pk == other.pk or of[0] != of[1]:
        return False
    if one.kind == CorrectionKind.TARGET:
        if one.of != other.of or one.conditions != other.conditions or not (one.box and other.box):
            return False
        return not is_one_place(one.box, other.box)
    said, against = one.payload.get("params") or {}, other.payload.get("params") or {}
    return any(said[name] != against[name] and one.of.get(name) == other.of.get(name) for name in said.keys() & against)


def _against(row: LearnedCorrection, others: Iterable[LearnedCorrection]) -> Iterable[LearnedCorrection]:
    return (other for other in others if contradict(row, other))
