"""What a coach's correction teaches: one more look of the target that was meant ("also this"; S1.10, S6.4).

Its texts and pictures are those that stand on the taught screen, too, and what stands on the target itself; where the
run's data was there are variables in the texts, and nothing in the pictures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import cv2
import numpy as np

from execution.learning.conditions import Conditions, conditions_of
from execution.learning.putting_back import Values, holds_value, together, without_values
from execution.perception.masking import painted_over
from execution.perception.pictures import PictureSink, PictureSource
from execution.teaching.evidence import teach_target
from execution.teaching.keeping import Taught, is_bare, neutral, texts_of, title_of
from execution.types import Box, Resolution, ScreenState, Size
from workflows.exceptions import PictureError
from workflows.graph import NormBox, TargetSpec


class Pictures(PictureSink, PictureSource, Protocol):
    """A store that pictures are put into and compared from."""


@dataclass(frozen=True, slots=True)
class Learned:
    """`target` is the look, `box` where it is on `picture`, the screen without the run's data."""

    target: TargetSpec
    picture: str
    box: NormBox
    conditions: Conditions


def learned(
    target: TargetSpec,
    resolution: Resolution,
    state: ScreenState,
    *,
    store: Pictures,
    values: Values,
    secret: Values,
    taught: Iterable[str] = (),
) -> Learned | None:
    """The place of `resolution` as a look of `target`. `values` are those of the run that may be told by a variable,
    `secret` those that may not be told at all, `taught` the texts of the taught screen.

    None where there is no box, or one that is no target, or no room for its pictures; where the target is one of a
    list, which its number tells; and where nothing is left to know it by.
    """
    if resolution.box is None or target.number_wanted:
        return None
    every = together(values, secret)
    data, bare = _data_of(state, every), without_data(state, every)
    known, cut = Taught.of([*taught, *texts_of(target)]), _Cut()
    try:
        shown = teach_target(
            bare.frame, resolution.box, label=target.label, state=bare, click=resolution.point, store=cut
        )
        if shown.box is None:
            return None
        own = Box.from_normalised(shown.box, state.frame.size)
        look = _look_of(target, shown, without_values(shown, values, secret=secret), known)
        of_data = any(own.intersection(Box.from_normalised(place, state.frame.size)).area for place in data)
        has_picture = not of_data and is_bare(own, shown.role, bare, known, look.text)
        if not (has_picture or look.text or look.named_by):
            return None
        look = replace(look, picture=store.put(cut.pixels[shown.picture]) if has_picture else "")
        picture = store.put(neutral(bare, known, own=own if has_picture else None))
    except (ValueError, PictureError, OSError, cv2.error):
        return None
    return Learned(look, picture, shown.box, conditions_of(state))


def _look_of(target: TargetSpec, shown: TargetSpec, told: TargetSpec, known: Taught) -> TargetSpec:
    """`shown`, whose texts without the run's values are those of `told`, as it may be kept as a look of `target`."""
    named_by, in_its_place = told.named_by, _is_in_its_place(target, shown)
    return replace(
        told,
        target_id=target.target_id,
        label=target.label,
        text=told.text if known.labels(told.text, shown.role, in_its_place=in_its_place) else "",
        context="",
        context_box=None,
        role=shown.role,
        row=target.row,
        needed=target.needed,
        shapes=shown.shapes,
        window_title=title_of(told.window_title, target.window_title),
        app_name=shown.app_name,
        neighbours=tuple(near for near in told.neighbours if near.text and known.says(near.text)),
        around=tuple(near for near in told.around if near.text and known.says(near.text)),
        named_by=named_by if named_by and named_by.text and known.labels(named_by.text, "") else None,
        number=0 if target.row else told.number,
    )


def _is_in_its_place(target: TargetSpec, shown: TargetSpec) -> bool:
    """Whether it stands where the taught one stood, which was the only one of its kind."""
    if target.box is None or shown.box is None or target.row or target.alike > 1:
        return False
    size = Size(*shown.screen_size)
    return Box.from_normalised(target.box, size).contains(Box.from_normalised(shown.box, size).center)


class _Cut:
    """Pictures that are cut and not kept yet."""

    def __init__(self) -> None:
        self.pixels: dict[str, np.ndarray] = {}

    def put(self, pixels: np.ndarray) -> str:
        name = str(len(self.pixels))
        self.pixels[name] = pixels
        return name


def without_data(state: ScreenState, values: Values) -> ScreenState:
    """The screen with the places painted over where one of the values was read; its texts as they are."""
    pixels = painted_over(state.frame.pixels, _data_of(state, values))
    return replace(state, frame=replace(state.frame, pixels=pixels))


def _data_of(state: ScreenState, values: Values) -> list[NormBox]:
    """Where the run's data was read on the screen."""
    size = state.frame.size
    lines = [line.box for line in state.texts if holds_value(line.text, values)]
    lines += [element.box for element in state.elements if element.text and holds_value(element.text, values)]
    return [box.grown(2, size).normalised(size) for box in lines]
