"""What a coach's correction teaches of a target: one more demonstration of it (S1.10, S6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import cv2

from execution.perception.pictures import PictureSink, PictureSource
from execution.teaching.demonstrations import combined
from execution.teaching.evidence import teach_target
from execution.types import Resolution, ScreenState
from workflows.exceptions import PictureError
from workflows.graph import TargetSpec


class Pictures(PictureSink, PictureSource, Protocol):
    """A store that pictures are put into and compared from."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a coach showed, as a demonstration; and the target with it, None where that is another one."""

    shown: TargetSpec
    target: TargetSpec | None


def learned(
    target: TargetSpec,
    resolution: Resolution,
    state: ScreenState,
    *,
    store: Pictures,
    taught_with: Mapping[str, str],
    values: Mapping[str, str],
) -> Learned | None:
    """The place of `resolution` learned of `target`.

    `taught_with` are the values that the variables had when the target was taught, as far as anybody knows, `values`
    those of the run; none of them is secret. None where there is no box, or one that is no target, or no room for its
    pictures.
    """
    if resolution.box is None:
        return None
    try:
        shown = teach_target(
            state.frame, resolution.box, label=target.label, state=state, click=resolution.point, store=store
        )
    except (ValueError, PictureError, OSError, cv2.error):
        return None
    shown = replace(shown, target_id=target.target_id, label=target.label)
    try:
        both = combined([target, shown], values=[taught_with, values], pictures=store)
    except ValueError:
        return Learned(shown, None)
    return Learned(shown, both)
