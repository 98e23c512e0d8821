"""What belongs to one thing: the pieces of one picture, and a picture with the caption below it."""

from __future__ import annotations

from collections.abc import Sequence

from execution.perception.elements.layout import union
from execution.perception.scene.drawn import LARGEST_PICTURE
from execution.perception.scene.thing import Source, Thing, letters_in
from execution.types import Box

_PIECES = frozenset({"icon", "picture", "button", "checkbox", "radio", "field", "link"})
_TEXTS = frozenset({"text", "link", "menu_item"})
_SHAPED = frozenset({"button", "field", "checkbox", "radio"})  # with a caption of their own they are no picture
_LARGEST = 140  # pixels of a picture
_LETTERS = 3  # that a picture is at most read as
_SMALLEST_OVER_CAPTION = 18  # pixels
_BELOW = 24  # pixels from a picture to its caption
_ASIDE = (8, 0.12)  # pixels, or of the picture's width: between the middles of both


def joined(things: Sequence[Thing]) -> list[Thing]:
    """Each picture once, and with its caption."""
    return _with_captions(_as_pictures(things))


def _is_piece(thing: Thing) -> bool:
    short, long = sorted(thing.box[2:])
    small = short >= 5 and long <= LARGEST_PICTURE and len(thing.text.replace(" ", "")) <= _LETTERS
    return thing.kind in _PIECES and small and not (thing.kind in _SHAPED and letters_in(thing.text) > 1)


def _as_pictures(things: Sequence[Thing]) -> list[Thing]:
    pieces = [thing for thing in things if _is_piece(thing)]
    owner = list(range(len(pieces)))

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    for i, one in enumerate(pieces):
        near = Box(one.box.x - 1, one.box.y - 1, one.box.w + 2, one.box.h + 2)
        for j in range(i):
            other = pieces[j].box
            if near.intersection(other).area and max(union((one.box, other))[2:]) <= LARGEST_PICTURE:
                owner[root(i)] = root(j)
    groups = dict[int, list[Thing]]()
    for i, one in enumerate(pieces):
        groups.setdefault(root(i), []).append(one)
    found = [thing for thing in things if not _is_piece(thing)]
    for group in groups.values():
        box = union(thing.box for thing in group)
        if len(group) == 1 or max(box[2:]) > _LARGEST:
            found += group
            continue
        largest = max(group, key=lambda thing: thing.box.area)
        kind = largest.kind if largest.box.area > 0.8 * box.area else "icon"
        words = tuple(word for thing in group for word in thing.words)
        found.append(Thing(box, kind, largest.source, words, largest.sure, largest.states))
    return found


def _with_captions(things: Sequence[Thing]) -> list[Thing]:
    texts = [thing for thing in things if thing.kind in _TEXTS and thing.caption and thing.source is not Source.VALUE]
    captions = dict[int, Thing]()  # of each picture, by its id
    for picture in filter(_may_have_caption, things):
        if below := [text for text in texts if _is_below(text, picture)]:
            captions[id(picture)] = nearest = min(below, key=lambda text: text.box.y)
            texts.remove(nearest)
    taken = set(map(id, captions.values()))
    return [_whole(thing, captions.get(id(thing))) for thing in things if id(thing) not in taken]


def _whole(picture: Thing, text: Thing | None) -> Thing:
    if text is None:
        return picture
    box = union((picture.box, text.caption or text.box))
    return Thing(box, "icon", Source.ELEMENT, text.words, text.sure, picture.states, picture=picture.box)


def _may_have_caption(thing: Thing) -> bool:
    short, long = sorted(thing.box[2:])
    is_picture = thing.kind in ("icon", "picture") or (thing.kind in _SHAPED and letters_in(thing.text) <= 1)
    return is_picture and short >= _SMALLEST_OVER_CAPTION and long <= _LARGEST and letters_in(thing.text) <= _LETTERS


def _is_below(text: Thing, picture: Thing) -> bool:
    caption, box = text.caption or text.box, picture.box
    aside = abs(caption.x + caption.w / 2 - box.x - box.w / 2)
    near = -4 <= caption.y - box.bottom <= _BELOW and aside <= max(_ASIDE[0], _ASIDE[1] * box.w)
    return near and caption.w < 3.2 * box.w + 30
