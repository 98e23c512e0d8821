"""What was answered on a picture, what is answered today, and which of the two is the better answer (S6.17)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from workflows.graph import NormBox

T = TypeVar("T")


class Verdict(models.TextChoices):
    SAME = "same", _("the same")
    BETTER = "better", _("better")
    WORSE = "worse", _("a person would be asked")
    WRONG = "wrong", _("another answer than the right one")
    OTHER = "other", _("differs; nobody has said which is right")


class About(models.TextChoices):
    SCREEN = "screen", _("which screen")
    PLACE = "place", _("which place")


class Passed(models.TextChoices):
    """Why a step cannot be looked at again."""

    PICTURE_GONE = "picture_gone", _("its picture is not kept any more")
    NOT_READ = "not_read", _("what was read on it is not kept any more")
    DEGRADED = "degraded", _("it was not read when it was done")
    SCREEN_GONE = "screen_gone", _("its screen is not in this version")


BREAKS = frozenset({Verdict.WORSE, Verdict.WRONG})  # what was right before is not any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth(Generic[T]):
    """What is known of the right answer: it, or only one that is wrong, or neither."""

    right: T | None = None
    wrong: T | None = None


def of_screens(was: str, now: str, truth: Truth[str]) -> Verdict:
    """Node ids; "" where the screen is known as none."""
    return _verdict(was or None, now or None, truth, lambda one, other: one == other)


def of_places(was: NormBox | None, now: NormBox | None, truth: Truth[NormBox]) -> Verdict:
    """Boxes as fractions of the screen; None where no place was found."""
    return _verdict(was, now, truth, is_same_place)


def is_same_place(now: NormBox, known: NormBox) -> bool:
    """Whether a click into the middle of the one is a click into the other; where that is a mere point, whether it is
    in the one."""
    if known[2] <= 0 or known[3] <= 0:
        return _holds(now, _middle(known))
    return _holds(known, _middle(now))


def _verdict(was: T | None, now: T | None, truth: Truth[T], alike: Callable[[T, T], bool]) -> Verdict:
    def same(one: T | None, other: T | None) -> bool:
        if one is None or other is None:
            return one is other
        return alike(one, other)

    if truth.right is not None:
        if same(now, truth.right):
            return Verdict.SAME if same(was, truth.right) else Verdict.BETTER
        if same(now, was):
            return Verdict.SAME
        if now is None:
            return Verdict.WORSE if same(was, truth.right) else Verdict.BETTER
        return Verdict.WRONG
    if truth.wrong is not None and now is not None and same(now, truth.wrong):
        return Verdict.SAME if same(was, now) else Verdict.WRONG
    if same(was, now):
        return Verdict.SAME
    if truth.wrong is not None and same(was, truth.wrong) and now is None:
        return Verdict.BETTER
    return Verdict.OTHER


def _middle(box: NormBox) -> tuple[float, float]:
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def _holds(box: NormBox, point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[0] + box[2] and box[1] <= point[1] <= box[1] + box[3]
