"""One target out of several demonstrations of a step: what they share stays, what differs is data (S6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median_low

from django.utils.translation import gettext as _

from execution.language.fuzzy import SAME, folded, similarity
from execution.language.lexicon import mean_the_same
from execution.perception.pictures import PictureSource
from execution.teaching.likeness import alike_pictures
from execution.teaching.titles import shared_title
from workflows.graph import NeighbourSpec, NormBox, NormPoint, ShapeSpec, TargetSpec
from workflows.text import names

# What several demonstrations read at one place: the same, the same in other words, or each run's data (S6.1).

_MOST_NAMED = 12  # texts that one text may be told as


@dataclass(frozen=True, slots=True)
class Saying:
    """What was read in one demonstration, and the values that its run had; `others` are what it is called as well."""

    text: str
    values: Mapping[str, str]
    others: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        return (self.text, *self.others)


def agreed(sayings: Sequence[Saying]) -> str:
    """The text of the last one if all say the same, in one language or another, but for a reader's slips; else the text
    with the variables whose values they differ in; "" where they differ in more than that."""
    last = sayings[-1].text
    if all(same(one, sayings[-1]) for one in sayings):
        return last
    told = [_by_data(saying) for saying in sayings]
    shared = [text for text in told[-1] if all(any(_is_one(text, other) for other in group) for group in told[:-1])]
    return max(shared, key=lambda text: len(names(text)), default="")


def same(one: Saying, other: Saying) -> bool:
    """True for the same text, or one that is known to mean the same."""
    if not one.text or not other.text:
        return one.text == other.text
    if names(one.text) or names(other.text):
        return one.text == other.text
    return any(similarity(a, b) >= SAME or mean_the_same(a, b) for a in one.every for b in other.every)


def contradicted(one: Saying, other: Saying) -> bool:
    """True where one is told by variables whose values, as the other's run had them, it does not say."""
    for told, seen in ((one, other), (other, one)):
        asked = names(told.text)
        if asked and asked <= set(seen.values) and seen.text and not names(seen.text):
            return not any(_is_one(told.text, text) for text in _by_data(seen))
    return False


def called(sayings: Sequence[Saying]) -> tuple[str, ...]:
    """What else the last one is called: the words of all the others that are not its own but for a reader's slips."""
    found: list[str] = []
    for text in (text for saying in reversed(sayings) for text in saying.every):
        if all(similarity(text, known) < SAME for known in (sayings[-1].text, *found)):
            found.append(text)
    return tuple(sorted(found))


def _by_data(saying: Saying) -> list[str]:
    """The text with any of its run's values as variables; a text that has variables is told by them already."""
    if names(saying.text):
        return [saying.text]
    told = [saying.text]
    for name, value in saying.values.items():
        told += [text for known in told for text in _put(name, value, known)]
    return [text for text in told[:_MOST_NAMED] if names(text)]


def _put(name: str, value: str, text: str) -> Iterator[str]:
    variable = "{{" + name + "}}"
    if not value.strip():
        return
    if not names(text) and similarity(text, value, strict=True):
        yield variable
        return
    whole = re.compile(rf"(?<!\w){re.escape(value.strip())}(?!\w)", re.IGNORECASE)
    if whole.search(text):
        yield whole.sub(lambda _: variable, text)


def _is_one(one: str, other: str) -> bool:
    return folded(one) == folded(other)


_SLACK = (16, 10)  # pixels, across and down: a label's middle moves as its text is read a letter longer
_FAR = 0.15  # and so much of the distance: a window was resized between two demonstrations
_SAME_SIZE = 0.25  # of the size of a shape
_ENOUGH_SHAPES = 3
_TRANSLATED = 2  # texts around it that mean the same in other words: the screen speaks another language
_UNLIKE = frozenset({"field", "checkbox", "radio"})  # of the other roles the detector may mistake one for another


@dataclass(frozen=True, slots=True)
class Shown:
    """One demonstration: what was taught, and the values of the run's variables, but for secret ones."""

    target: TargetSpec
    values: Mapping[str, str]

    def saying(self, said: NeighbourSpec | str | None) -> Saying:
        if isinstance(said, NeighbourSpec):
            return Saying(said.text, self.values, said.others)
        return Saying(said or "", self.values)


def combined(
    taught: Sequence[TargetSpec],
    *,
    values: Sequence[Mapping[str, str]] = (),
    pictures: PictureSource | None = None,
) -> TargetSpec:
    """What all demonstrations of one target have in common, its pictures and places those of the latest (the last).

    `values` are the variables of each demonstration's run, without secret ones: a text that differs as one of them does
    becomes that variable, any other that differs is not told, nor is a picture of it. With `pictures` two that look
    alike are the same. A label has what it is called elsewhere as `others`. Twins are remembered where their numbers
    differ, which of them it was is not. A title that differs has `*` where it does. `demonstrations` adds up. Raises
    ValueError with a sentence where they are not of one target, nothing is left to know it by, or there is none.
    """
    if not taught:
        raise ValueError(_("There is no demonstration to learn a target from."))
    if values and len(values) != len(taught):
        raise ValueError("each demonstration has its values, or none has")
    every = [Shown(target, known) for target, known in zip(taught, values or [{}] * len(taught), strict=True)]
    latest = taught[-1]
    for other in every[:-1]:
        if problem := _why_not_one(other, every[-1], pictures):
            raise ValueError(
                _("The demonstrations are not of one target: “%(one)s” and “%(other)s”. %(problem)s")
                % {"one": other.target.label, "other": latest.label, "problem": problem}
            )
    if len(every) == 1:
        return latest
    one = replace(
        latest,
        text=agreed([shown.saying(shown.target.text) for shown in every]),
        role=latest.role or next((t.role for t in reversed(taught) if t.role), ""),
        window_title=shared_title([t.window_title for t in taught]),
        app_name=latest.app_name if len({folded(t.app_name).strip() for t in taught}) == 1 else "",
        click=_shared_click(taught),
        neighbours=_shared_neighbours(every),
        named_by=_shared_label(every),
        around=_shared_around(every),
        rank=latest.rank if len({t.rank for t in taught}) == 1 else (0, 0),
        row=_shared_row(every),
        shapes=_shared_shapes(taught),
        scroll_box=latest.scroll_box or next((t.scroll_box for t in reversed(taught) if t.scroll_box), None),
        demonstrations=sum(max(1, t.demonstrations) for t in taught),
    )
    one = replace(_numbered(one, taught), picture=_shared_picture(one, taught, pictures))
    asked = dict.fromkeys(sign for target in taught for sign in target.needed)
    one = replace(one, needed=tuple(sign for sign in asked if getattr(one, sign, None)))
    if not (one.picture or one.text or one.named_by or one.row or one.number_wanted):
        raise ValueError(
            _("Nothing that “%(name)s” is known by was the same each time. Say by a variable what it reads.")
            % {"name": latest.label}
        )
    return one


# --- of one target or of two -----------------------------------------------------------------------------------------
def _why_not_one(first: Shown, second: Shown, pictures: PictureSource | None) -> str:
    """Why two demonstrations cannot be of one target; "" if they may be."""
    one, other = first.target, second.target
    if one.role and other.role and one.role != other.role and {one.role, other.role} & _UNLIKE:
        return _("One is a %(one)s, the other a %(other)s.") % {"one": one.role, "other": other.role}
    if problem := _declared_otherwise(first, second):
        return problem
    texts, labels = (first.saying(one.text), second.saying(other.text)), (one.named_by, other.named_by)
    same_text = bool(one.text and other.text) and (same(*texts) or bool(agreed(texts)))
    same_label = _one_label(first, second)
    if all(labels) and not same_label and not same_text:
        return _("One stands at “%(one)s”, the other at “%(other)s”.") % {
            "one": labels[0].text if labels[0] else "",
            "other": labels[1].text if labels[1] else "",
        }
    if same_text or same_label or alike_pictures(one.picture, other.picture, pictures):
        return ""
    if one.text and other.text and not _shared(first, second):
        return _("They read “%(one)s” and “%(other)s”, and nothing around them is the same.") % {
            "one": one.text,
            "other": other.text,
        }
    if not _shared(first, second) and not _same_place(one, other):
        return _("They share no text, no label, no picture and no surroundings.")
    return ""


def _declared_otherwise(first: Shown, second: Shown) -> str:
    """Why they cannot be of one target by what a person said of it: its text, its row or its number as variables."""
    one, other = first.target, second.target
    if contradicted(first.saying(one.text), second.saying(other.text)):
        return _("One must read “%(one)s”, the other reads “%(other)s”.") % {"one": one.text, "other": other.text}
    if one.number_wanted and other.number_wanted and one.number_wanted != other.number_wanted:
        return _("One is number “%(one)s” of its list, the other number “%(other)s”.") % {
            "one": one.number_wanted,
            "other": other.number_wanted,
        }
    if one.row and other.row and not _shared_row([first, second]):
        return _(
            "One is in the row of “%(one)s”, the other in that of “%(other)s”: say by a variable which row it is."
        ) % {
            "one": ", ".join(one.row),
            "other": ", ".join(other.row),
        }
    return ""


def _one_label(first: Shown, second: Shown) -> bool:
    """True for labels that say the same; or that stand at one place where what stands around is in another language."""
    one, other = first.target.named_by, second.target.named_by
    if one is None or other is None:
        return False
    if same(first.saying(one), second.saying(other)):
        return True
    return _near(one, other) and _speaks_another_language(first, second)


def _speaks_another_language(first: Shown, second: Shown) -> bool:
    """True where texts at the same places around it read otherwise and mean the same, and nothing there means else."""
    pairs = [(a, b) for a in first.target.neighbours for b in second.target.neighbours if _near(a, b)]
    read_otherwise = [(a, b) for a, b in pairs if folded(a.text) != folded(b.text)]
    meant = [(a, b) for a, b in read_otherwise if same(first.saying(a), second.saying(b))]
    return len(meant) >= _TRANSLATED and len(_shared_shapes([first.target, second.target])) >= _ENOUGH_SHAPES


def _shared(first: Shown, second: Shown) -> bool:
    shapes = _shared_shapes([first.target, second.target])
    return bool(_shared_neighbours([first, second])) or len(shapes) >= _ENOUGH_SHAPES


def _same_place(one: TargetSpec, other: TargetSpec) -> bool:
    places: list[tuple[NormBox | None, NormBox | None]] = [(one.window_box, other.window_box), (one.box, other.box)]
    return any(a and b and all(abs(p - q) <= 0.02 for p, q in zip(a, b, strict=True)) for a, b in places)


# --- what they share -------------------------------------------------------------------------------------------------
def _numbered(one: TargetSpec, taught: Sequence[TargetSpec]) -> TargetSpec:
    """With which of its like it was where all agree; that it had twins in any case. What a run says is said once."""
    alike = max(t.alike for t in taught)
    if told := [t for t in taught if t.number_wanted]:
        last = told[-1]
        return replace(
            one,
            number=last.number,
            before_first=last.before_first,
            first_offset=last.first_offset,
            next_offset=last.next_offset,
            alike=alike,
        )
    if len({(t.number, t.alike) for t in taught}) == 1:
        return one
    one = replace(one, number=0, alike=alike)
    # What is around it shows which of them the latest was.
    return replace(one, context="", context_box=None) if alike > 1 else one


def _shared_picture(one: TargetSpec, taught: Sequence[TargetSpec], pictures: PictureSource | None) -> str:
    """The latest picture; none where it shows what was another text, or another picture, each time.

    What a field holds is no sign anyway; and where a variable says what is read, the picture is of one of its values.
    """
    latest = taught[-1].picture
    if one.text or one.role == "field":
        return latest
    shown = [t.picture for t in taught]
    return latest if all(shown) and all(alike_pictures(a, b, pictures) for a, b in combinations(shown, 2)) else ""


def _shared_click(taught: Sequence[TargetSpec]) -> NormPoint:
    """The middle one of the places clicked."""
    return (median_low(t.click[0] for t in taught), median_low(t.click[1] for t in taught))


def _shared_row(every: Sequence[Shown]) -> tuple[str, ...]:
    """The texts of the row that all say of it, by a variable where they differ in its value; who says none agrees."""
    told = [shown for shown in every if shown.target.row]
    if not told:
        return ()
    found = (_in_every_row(text, told) for text in told[-1].target.row)
    return tuple(dict.fromkeys(text for text in found if text))


def _in_every_row(text: str, told: Sequence[Shown]) -> str:
    mine = told[-1].saying(text)
    shared = text
    for shown in told[:-1]:
        said = [
            agreed([shown.saying(other), mine]) for other in shown.target.row if _one_row(shown.saying(other), mine)
        ]
        if not said:
            return ""
        shared = shared if shared in said else said[0]
    return shared


def _one_row(one: Saying, other: Saying) -> bool:
    """True for the same name to the letter, or the value of the same variable."""
    return folded(one.text) == folded(other.text) or (not same(one, other) and bool(agreed([one, other])))


def _shared_label(every: Sequence[Shown]) -> NeighbourSpec | None:
    latest = every[-1].target.named_by
    labels = [shown.target.named_by for shown in every]
    if latest is None or not all(labels) or not all(_one_label(shown, every[-1]) for shown in every[:-1]):
        return None
    said = [shown.saying(label) for shown, label in zip(every, labels, strict=True)]
    return replace(latest, others=called(said))


def _shared_neighbours(every: Sequence[Shown]) -> tuple[NeighbourSpec, ...]:
    found = (_in_all(neighbour, every) for neighbour in every[-1].target.neighbours)
    return tuple(neighbour for neighbour in found if neighbour)


def _shared_around(every: Sequence[Shown]) -> tuple[NeighbourSpec, ...]:
    found = (_in_all(neighbour, every, "around") for neighbour in every[-1].target.around)
    return tuple(neighbour for neighbour in found if neighbour)


def _in_all(neighbour: NeighbourSpec, every: Sequence[Shown], of: str = "neighbours") -> NeighbourSpec | None:
    """The neighbour as all have it at its place: in their words, or as the variable that they differ in."""
    mine = every[-1].saying(neighbour)
    said = [mine]
    for shown in every[:-1]:
        there = [shown.saying(other) for other in getattr(shown.target, of) if _near(neighbour, other)]
        fitting = [saying for saying in there if same(saying, mine)] or [s for s in there if agreed([s, mine])]
        if not fitting:
            return None
        said.insert(0, fitting[0])
    text = agreed(said)
    if not text:
        return None
    return replace(neighbour, text=text, others=() if text != neighbour.text else called(said))


def _shared_shapes(taught: Sequence[TargetSpec]) -> tuple[ShapeSpec, ...]:
    return tuple(
        shape for shape in taught[-1].shapes if all(any(_same_shape(shape, s) for s in t.shapes) for t in taught[:-1])
    )


def _same_shape(one: ShapeSpec, other: ShapeSpec) -> bool:
    sizes = ((one.w, other.w), (one.h, other.h))
    is_as_large = all(abs(a - b) <= max(4, _SAME_SIZE * max(a, b)) for a, b in sizes)
    return one.role == other.role and _near(one, other) and is_as_large


def _near(one: NeighbourSpec | ShapeSpec, other: NeighbourSpec | ShapeSpec) -> bool:
    return all(
        abs(a - b) <= max(slack, _FAR * max(abs(a), abs(b)))
        for a, b, slack in ((one.dx, other.dx, _SLACK[0]), (one.dy, other.dy, _SLACK[1]))
    )
