"""What a merge of corrections changes of the draft, in words and pictures: as it is, and as it will be (S6.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.actions.merging import Merge
from execution.choices import CorrectionKind
from execution.learning.conditions import DARK, Conditions
from execution.lesson.signs import signs_in_words
from execution.models import LearnedCorrection
from execution.pages.correction_cards import chosen, says
from execution.pages.crops import Crop, crop
from sentences.said import worded
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, target_from_json
from workflows.pictures import PictureStore
from workflows.words import param_in_words, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that is known or done there. `differs`: the other side has it not; `gone`: from then on no more."""

    text: str
    differs: bool = False
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    crops: Sequence[Crop] = ()
    lines: Sequence[Line] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one correction changes. `where` is the step or the screen, `said` what is to be known of it besides."""

    row: LearnedCorrection
    says: str
    where: str
    before: Side
    after: Side
    said: Sequence[str] = field(default_factory=tuple)


def changes_of(plan: Merge) -> list[Change]:
    """In the order of the corrections; pictures are the draft's, not of the version that they were learned in."""
    store = PictureStore()
    return [_change(row, plan, store) for row in plan.rows]


def _change(row: LearnedCorrection, plan: Merge, store: PictureStore) -> Change:
    said = []
    if row.breaks:
        why = worded(row.why)
        words = ngettext(
            "It is trusted although it would change %(n)d answer that was right.",
            "It is trusted although it would change %(n)d answers that were right.",
            len(row.breaks),
        )
        said.append(" ".join(part for part in (words % {"n": len(row.breaks)}, why) if part))
    if row.kind == CorrectionKind.NODE:
        return _screen(row, next(n for n in plan.graph.nodes if n.node_id == row.node_id), store, said)
    edge = next(e for e in plan.graph.edges if e.edge_id == row.edge_id)
    where = _step(edge, plan.graph)
    if row.kind == CorrectionKind.PARAMS:
        return _params(row, edge, plan.overlay.graph, where, _taught(edge, plan.graph, store), said)
    return _look(row, edge, where, _taught(edge, plan.graph, store), said, store)


def _look(
    row: LearnedCorrection, edge: EdgeSpec, where: str, taught: Sequence[Crop], said: list[str], store: PictureStore
) -> Change:
    look = target_from_json(row.payload["target"])
    target = edge.target or look
    looks = len(target.looks)
    words = ngettext(
        "It has %(n)d look now, and one more from then on.", "It has %(n)d looks now, and one more from then on.", looks
    )
    was, now = signs_in_words(target), signs_in_words(look)
    also = [c for one in target.also if (c := crop(one.context, one.context_box, store=store))]
    return Change(
        row=row,
        says=says(row, edge),
        where=where,
        said=[words % {"n": looks}, *said],
        before=Side(crops=[*taught, *also], lines=_lines(was, now)),
        after=Side(crops=_some(chosen(row, store)), lines=[*_lines(now, was), *_under(row.conditions)]),
    )


def _params(
    row: LearnedCorrection, edge: EdgeSpec, after: GraphSpec, where: str, taught: Sequence[Crop], said: list[str]
) -> Change:
    merged = next(e for e in after.edges if e.edge_id == row.edge_id)
    was, now = ([sentence(one), *_told(one)] for one in (edge, merged))
    return Change(
        row=row,
        says=says(row, edge),
        where=where,
        said=said,
        before=Side(crops=taught, lines=_lines(was, now)),
        after=Side(lines=_lines(now, was)),
    )


def _screen(row: LearnedCorrection, node: NodeSpec, store: PictureStore, said: list[str]) -> Change:
    gone = set(row.payload.get("gone") or ())
    looks = [c for one in (node.picture, *node.looks) if (c := crop(one, store=store))]
    known = [Line(text=_("Text “%(text)s”") % {"text": text}, gone=text in gone) for text in node.texts]
    before = [Line(text=line.text, differs=line.gone) for line in known]
    return Change(
        row=row,
        says=says(row, None, node.name),
        where=_("The screen “%(name)s”") % {"name": node.name},
        said=said,
        before=Side(crops=looks, lines=before),
        after=Side(crops=_some(chosen(row, store)), lines=[*known, *_under(row.conditions)]),
    )


def _step(edge: EdgeSpec, graph: GraphSpec) -> str:
    node = graph.node(edge.source)
    return _("On “%(screen)s”: %(act)s") % {"screen": node.name if node else edge.source, "act": sentence(edge, graph)}


def _taught(edge: EdgeSpec, graph: GraphSpec, store: PictureStore) -> list[Crop]:
    """The target on the picture of its screen, or what there is of it."""
    node, target = graph.node(edge.source), edge.target
    if target is None:
        return _some(crop(node.picture, store=store) if node else None)
    if node and node.picture and target.box:
        return _some(crop(node.picture, target.box, store=store))
    around = crop(target.context, target.context_box, store=store)
    return _some(around or crop(target.picture, store=store))


def _told(edge: EdgeSpec) -> list[str]:
    return [param_in_words(name, value) for name, value in edge.params.items()]


def _lines(own: Iterable[str], others: Sequence[str]) -> list[Line]:
    return [Line(text=text, differs=text not in others) for text in own]


def _under(conditions: Mapping[str, Any]) -> list[Line]:
    """Under what it was learned."""
    if not conditions:
        return []
    said = Conditions.from_json(conditions)
    dark, light = _("Learned on a dark screen of %(w)d × %(h)d"), _("Learned on a light screen of %(w)d × %(h)d")
    words = dark if said.theme == DARK else light
    return [Line(text=words % {"w": said.size[0], "h": said.size[1]})]


def _some(one: Crop | None) -> list[Crop]:
    return [one] if one else []
