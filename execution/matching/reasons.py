"""What was weighed, in words and numbers, for the pages and the log."""

from __future__ import annotations

from execution.matching.comparison import Comparison
from execution.matching.references import Reference
from execution.matching.weighed import Weighed
from execution.types import Reason
from sentences.said import listed, say, then

REFERENCE, LAYOUT, CHOSEN, WINDOW, LOOK = "reference", "layout", "chosen", "window", "look"


def reasons(weighed: Weighed) -> tuple[Reason, ...]:
    """One reason for each sign that there is of a node; its own score None where it could not be used."""
    reference = weighed.reference
    found = [*_texts(weighed, reference), *_window(weighed, reference), _look(weighed, reference)]
    return tuple(reason for reason in found if reason)


def not_compared(reference: Reference) -> Reason:
    """Why the texts of a node's picture could not be compared with the screen."""
    unread = say("matching.screen_unread") if reference.reading else say("matching.picture_unread")
    return Reason(sign=REFERENCE, score=None, note=reference.problem or unread)


def _texts(weighed: Weighed, reference: Reference) -> list[Reason]:
    compared = weighed.comparison
    if compared is None:
        return [not_compared(reference)]
    said = [_shown(compared)]
    if compared["shapes_known"]:
        share = compared["shapes"]
        said.append(Reason(sign=LAYOUT, score=round(share, 4), note=say("matching.elements_in_place", share=share)))
    if compared["chosen"]:
        alike = compared["chosen"] > 0
        note = say("matching.same_chosen") if alike else say("matching.another_chosen")
        said.append(Reason(sign=CHOSEN, score=float(alike), note=note))
    return said


def _shown(compared: Comparison) -> Reason:
    seen = say("matching.texts_of_picture", seen=compared.seen, of=compared.of, recall=compared["recall"])
    missing = say("matching.missing", texts=list(compared.missing)) if compared.missing else ""
    extra = say("matching.not_on_it", texts=list(compared.extra)) if compared.extra else ""
    note = then([seen, missing, extra])
    return Reason(sign=REFERENCE, score=round(compared["recall"] * compared["precision"], 4), note=note)


def _window(weighed: Weighed, reference: Reference) -> list[Reason]:
    if not weighed.sign("window_known") or reference.window is None:
        return []
    title, app = weighed.sign("title"), weighed.sign("app")
    notes = []
    if reference.window.title:
        told = say("matching.title_alike", share=title + 0.25)
        if abs(title) == 1.0:
            told = say("matching.title_same") if title > 0 else say("matching.title_of_another")
        notes.append(told)
    if app:
        notes.append(say("matching.same_application") if app > 0 else say("matching.another_application"))
    if not notes:
        return []
    return [Reason(sign=WINDOW, score=round(max(0.0, min(title, app or title)), 4), note=listed(notes))]


def _look(weighed: Weighed, reference: Reference) -> Reason | None:
    if weighed.cosine is not None:
        score = max(0.0, weighed.sign("look"))
        return Reason(sign=LOOK, score=round(score, 4), note=say("matching.looks_alike", share=weighed.cosine))
    if reference.embedding is not None:
        return Reason(sign=LOOK, score=None, note=say("matching.no_common_model"))
    return None
