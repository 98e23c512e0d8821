"""One target out of several demonstrations of a step: what they share stays, what differs is no evidence (S6.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import median_low
from typing import TypeVar

from django.utils.translation import gettext as _
from rapidfuzz.distance import LCSseq

from execution.language.fuzzy import SAME, folded, similarity
from workflows.graph import NeighbourSpec, NormBox, NormPoint, ShapeSpec, TargetSpec

_Kind = TypeVar("_Kind")

_SLACK = (16, 10)  # pixels, across and down: a label's middle moves as its text is read a letter longer
_FAR = 0.15  # and so much of the distance: a window was resized between two demonstrations
_SAME_SIZE = 0.25  # of the size of a shape
_LEAST_SHARED_TITLE = 2  # letters of a title that all have in common


def combined(taught: Sequence[TargetSpec]) -> TargetSpec:
    """What all demonstrations of one target have in common, its pictures and places those of the latest (the last).

    A title that differs has `*` where it does. `demonstrations` adds up. Raises ValueError with a sentence where they
    are not of one target, or there is none.
    """
    if not taught:
        raise ValueError(_("There is no demonstration to learn a target from."))
    latest = taught[-1]
    for other in taught[:-1]:
        if problem := _why_not_one(other, latest):
            raise ValueError(
                _("The demonstrations are not of one target: “%(one)s” and “%(other)s”. %(problem)s")
                % {"one": other.label, "other": latest.label, "problem": problem}
            )
    roles = {t.role for t in taught}
    counted = len({(t.number, t.alike) for t in taught}) == 1
    return replace(
        latest,
        text=_shared_text([t.text for t in taught]),
        role=latest.role if len(roles - {""}) == 1 and latest.role else next(iter(roles - {""}), ""),
        window_title=shared_title([t.window_title for t in taught]),
        app_name=latest.app_name if len({folded(t.app_name).strip() for t in taught}) == 1 else "",
        click=_shared_click(taught),
        neighbours=_shared_neighbours(taught),
        named_by=_shared_label(taught),
        row=tuple(text for text in latest.row if all(text in t.row for t in taught)),
        shapes=_shared_shapes(taught),
        number=latest.number if counted else 0,
        alike=latest.alike if counted else 0,
        scroll_box=latest.scroll_box or next((t.scroll_box for t in reversed(taught) if t.scroll_box), None),
        demonstrations=sum(max(1, t.demonstrations) for t in taught),
    )


def shared_title(titles: Sequence[str]) -> str:
    """The titles as one, `*` where they differ; "" where they have next to nothing in common."""
    shared = titles[0]
    for title in titles[1:]:
        shared = _shared_two(shared, title)
    return shared if sum(c.isalnum() for c in shared) >= _LEAST_SHARED_TITLE or len(set(titles)) == 1 else ""


def _shared_two(one: str, other: str) -> str:
    """Whole words that both titles have in their order; a `*` of an earlier round stays."""
    if one == other:
        return one
    first, second = _tokens(one), _tokens(other)
    blocks = LCSseq.opcodes(first, second)
    parts = ["".join(first[b.src_start : b.src_end]) if b.tag == "equal" else "*" for b in blocks]
    # A space or a dash alone between two differences is no agreement.
    kept = ["*" if part != "*" and not any(c.isalnum() for c in part) and _is_inner(parts, i) else part
            for i, part in enumerate(parts)]  # fmt: skip
    title = "".join(kept)
    while "**" in title:
        title = title.replace("**", "*")
    return title


def _is_inner(parts: Sequence[str], index: int) -> bool:
    return 0 < index < len(parts) - 1 and parts[index - 1] == parts[index + 1] == "*"


def _tokens(title: str) -> list[str]:
    """Words, and what stands between them, one character each."""
    tokens: list[str] = []
    for character in title:
        if character.isalnum() and tokens and tokens[-1].isalnum():
            tokens[-1] += character
        else:
            tokens.append(character)
    return tokens


def _why_not_one(one: TargetSpec, other: TargetSpec) -> str:
    """Why two demonstrations cannot be of one target; "" if they may be."""
    if one.role and other.role and one.role != other.role and {one.role, other.role} & _UNLIKE:
        return _("One is a %(one)s, the other a %(other)s.") % {"one": one.role, "other": other.role}
    same_text = bool(one.text and other.text) and similarity(one.text, other.text) >= SAME
    same_label = bool(one.named_by and other.named_by) and _names_alike(one, other)
    if one.named_by and other.named_by and not same_label and not same_text:
        return _("One stands at “%(one)s”, the other at “%(other)s”.") % {
            "one": one.named_by.text,
            "other": other.named_by.text,
        }
    if same_text or same_label or one.picture == other.picture != "":
        return ""
    if one.text and other.text and not _shared(one, other):
        return _("They read “%(one)s” and “%(other)s”, and nothing around them is the same.") % {
            "one": one.text,
            "other": other.text,
        }
    if not _shared(one, other) and not _same_place(one, other):
        return _("They share no text, no label, no picture and no surroundings.")
    return ""


_UNLIKE = frozenset({"field", "checkbox", "radio"})  # of the other roles the detector may mistake one for another


def _names_alike(one: TargetSpec, other: TargetSpec) -> bool:
    return bool(one.named_by and other.named_by) and similarity(one.named_by.text, other.named_by.text) >= SAME  # type: ignore[union-attr]


def _shared(one: TargetSpec, other: TargetSpec) -> bool:
    return bool(_shared_neighbours([one, other])) or len(_shared_shapes([one, other])) >= 3


def _same_place(one: TargetSpec, other: TargetSpec) -> bool:
    places: list[tuple[NormBox | None, NormBox | None]] = [(one.window_box, other.window_box), (one.box, other.box)]
    return any(a and b and all(abs(p - q) <= 0.02 for p, q in zip(a, b, strict=True)) for a, b in places)


def _shared_text(texts: Sequence[str]) -> str:
    """The latest text if all are the same but for the reader's slips; "" where they differ."""
    return texts[-1] if all(similarity(text, texts[-1]) >= SAME for text in texts) else ""


def _shared_click(taught: Sequence[TargetSpec]) -> NormPoint:
    """The middle one of the places clicked."""
    return (median_low(t.click[0] for t in taught), median_low(t.click[1] for t in taught))


def _shared_label(taught: Sequence[TargetSpec]) -> NeighbourSpec | None:
    latest = taught[-1].named_by
    return latest if latest and all(_names_alike(t, taught[-1]) for t in taught) else None


def _shared_neighbours(taught: Sequence[TargetSpec]) -> tuple[NeighbourSpec, ...]:
    def alike(one: NeighbourSpec, other: NeighbourSpec) -> bool:
        return _near(one, other) and similarity(one.text, other.text) >= SAME

    return tuple(n for n in taught[-1].neighbours if _in_all(n, (t.neighbours for t in taught[:-1]), alike))


def _shared_shapes(taught: Sequence[TargetSpec]) -> tuple[ShapeSpec, ...]:
    def alike(one: ShapeSpec, other: ShapeSpec) -> bool:
        sizes = ((one.w, other.w), (one.h, other.h))
        return (
            one.role == other.role
            and _near(one, other)
            and all(abs(a - b) <= max(4, _SAME_SIZE * max(a, b)) for a, b in sizes)
        )

    return tuple(s for s in taught[-1].shapes if _in_all(s, (t.shapes for t in taught[:-1]), alike))


def _in_all(one: _Kind, others: Iterable[Sequence[_Kind]], alike: Callable[[_Kind, _Kind], bool]) -> bool:
    return all(any(alike(one, other) for other in group) for group in others)


def _near(one: NeighbourSpec | ShapeSpec, other: NeighbourSpec | ShapeSpec) -> bool:
    return all(
        abs(a - b) <= max(slack, _FAR * max(abs(a), abs(b)))
        for a, b, slack in ((one.dx, other.dx, _SLACK[0]), (one.dy, other.dy, _SLACK[1]))
    )
