"""What was compared, in words and numbers, for the pages and the log."""

from __future__ import annotations

import math

from execution.matching.comparison import CHOSEN, HEADING, LAYOUT, LOOK, OVER, WINDOW, Comparison
from execution.matching.references import Reference
from execution.matching.same import Compared
from execution.matching.sheet import key_of
from execution.types import Reason
from sentences.said import listed, say, then
from workflows.graph import NodeSpec

REFERENCE = "reference"
FEW_TEXTS = 3  # by so many a lesson knows a screen: where none of them is seen it is another one
OTHER_PAGE = frozenset({CHOSEN, HEADING, OVER})  # of the same program, or another layer
_BENEATH = 0.5  # of the lines of a picture: with fewer it is not that screen which something lies over


def reasons(compared: Compared) -> tuple[Reason, ...]:
    """One reason for each sign that there is of a node; its own score None where it could not be used."""
    found = [*_texts(compared), _window(compared), _look(compared)]
    return tuple(reason for reason in found if reason)


def not_compared(reference: Reference) -> Reason:
    """Why the texts of a node's picture could not be compared with the screen."""
    unread = say("matching.screen_unread") if reference.reading else say("matching.picture_unread")
    return Reason(sign=REFERENCE, score=None, note=reference.problem or unread)


def ruled_out(compared: Compared, node: NodeSpec) -> Reason | None:
    """What is seen to differ however alike the rest is: what lies on top, on the screen or on the node's picture alone,
    the chosen tab or entry, and a heading by which the node is known."""
    comparison, name = compared.comparison, node.name or node.node_id
    if comparison is not None and comparison["chosen"] < 0:
        return _chosen(comparison["chosen"])
    known = {key_of(text) for text in node.texts}
    for one in comparison.headings if comparison else ():
        if one.is_entry or key_of(one.taught) in known:
            return Reason(sign=HEADING, score=0.0, note=say("matching.other_heading", text=one.now, taught=one.taught))
    if comparison is None or not (comparison.over or comparison.under) or comparison["recall"] < _BENEATH:
        return None
    if comparison.over:
        note = say("matching.lies_over", text=" ".join(comparison.over)[:80], node=name)
    else:
        note = say("matching.lay_over", text=" ".join(comparison.under)[:80], node=name)
    return Reason(sign=OVER, score=0.0, note=note)


def shows_none(compared: Compared, node: NodeSpec) -> bool:
    """Whether nothing is seen of the texts that a lesson knows it by, though they stand on that picture of it."""
    sheet = compared.reference.sheet
    if sheet is None or compared.declared != 0.0:
        return False
    return sum(key_of(text) in sheet.where for text in node.texts) >= FEW_TEXTS


def _texts(compared: Compared) -> list[Reason]:
    comparison = compared.comparison
    if comparison is None:
        return [not_compared(compared.reference)]
    said = [_shown(comparison)]
    if not math.isnan(share := comparison["shapes"]):
        said.append(Reason(sign=LAYOUT, score=round(share, 4), note=say("matching.elements_in_place", share=share)))
    if not math.isnan(chosen := comparison["chosen"]):
        said.append(_chosen(chosen))
    return said


def _chosen(alike: float) -> Reason:
    note = say("matching.same_chosen") if alike > 0 else say("matching.another_chosen")
    return Reason(sign=CHOSEN, score=float(alike > 0), note=note)


def _shown(compared: Comparison) -> Reason:
    share = 0.0 if math.isnan(compared["fixed_recall"]) else compared["fixed_recall"]
    seen = say("matching.texts_of_picture", seen=compared.seen, of=compared.of, recall=share)
    missing = say("matching.missing", texts=list(compared.missing)) if compared.missing else ""
    extra = say("matching.not_on_it", texts=list(compared.extra)) if compared.extra else ""
    return Reason(sign=REFERENCE, score=round(compared.alike**2, 4), note=then([seen, missing, extra]))


def _window(compared: Compared) -> Reason | None:
    notes = [say("matching.title_of_another")] if compared.title < 0 else []
    if not math.isnan(compared.app):
        notes.append(say("matching.another_application") if compared.app < 0 else say("matching.same_application"))
    if not notes:
        return None
    return Reason(sign=WINDOW, score=float(not (compared.title < 0 or compared.app < 0)), note=listed(notes))


def _look(compared: Compared) -> Reason | None:
    if not math.isnan(compared.cosine):
        score = max(0.0, compared.cosine)
        return Reason(sign=LOOK, score=round(score, 4), note=say("matching.looks_alike", share=score))
    if compared.look_tells and compared.reference.embedding is not None:
        return Reason(sign=LOOK, score=None, note=say("matching.no_common_model"))
    return None
