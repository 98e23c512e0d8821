"""What was weighed, in words and numbers, for the pages and the log."""

from __future__ import annotations

from execution.matching.comparison import Comparison
from execution.matching.references import Reference
from execution.matching.weighed import Weighed
from execution.types import Reason

REFERENCE, LAYOUT, CHOSEN, WINDOW, LOOK = "reference", "layout", "chosen", "window", "look"


def reasons(weighed: Weighed, reference: Reference) -> tuple[Reason, ...]:
    """One reason for each sign that there is of a node; its own score None where it could not be used."""
    found = [*_texts(weighed, reference), *_window(weighed, reference), _look(weighed, reference)]
    return tuple(reason for reason in found if reason)


def not_compared(reference: Reference) -> Reason:
    """Why the texts of a node's picture could not be compared with the screen."""
    why = reference.problem or ("the screen was not read" if reference.reading else "its picture was not read")
    return Reason(sign=REFERENCE, score=None, note=why)


def _texts(weighed: Weighed, reference: Reference) -> list[Reason]:
    compared = weighed.comparison
    if compared is None:
        return [not_compared(reference)]
    said = [_shown(compared)]
    if compared["shapes_known"]:
        share = compared["shapes"]
        said.append(Reason(sign=LAYOUT, score=round(share, 4), note=f"{share:.0%} of the elements are where they were"))
    if compared["chosen"]:
        alike = compared["chosen"] > 0
        note = "the same tab or entry is chosen" if alike else "another tab or entry is chosen"
        said.append(Reason(sign=CHOSEN, score=float(alike), note=note))
    return said


def _shown(compared: Comparison) -> Reason:
    note = f"{compared.seen} of the {compared.of} texts of its picture seen, weighed {compared['recall']:.0%}"
    if compared.missing:
        note += "; missing: " + ", ".join(compared.missing)
    if compared.extra:
        note += "; not on it: " + ", ".join(compared.extra)
    return Reason(sign=REFERENCE, score=round(compared["recall"] * compared["precision"], 4), note=note)


def _window(weighed: Weighed, reference: Reference) -> list[Reason]:
    if not weighed.sign("window_known") or reference.window is None:
        return []
    title, app = weighed.sign("title"), weighed.sign("app")
    notes = []
    if reference.window.title:
        how = "the same" if title == 1.0 else "that of another screen" if title == -1.0 else f"{title + 0.25:.0%} alike"
        notes.append(f"the title of the window is {how}")
    if app:
        notes.append("the same application" if app > 0 else "another application")
    if not notes:
        return []
    return [Reason(sign=WINDOW, score=round(max(0.0, min(title, app or title)), 4), note=", ".join(notes))]


def _look(weighed: Weighed, reference: Reference) -> Reason | None:
    if weighed.cosine is not None:
        score = max(0.0, weighed.sign("look"))
        return Reason(sign=LOOK, score=round(score, 4), note=f"looks {weighed.cosine:.0%} alike")
    if reference.embedding is not None:
        return Reason(sign=LOOK, score=None, note="its picture and the screen have no model in common")
    return None
