"""S5.3, S9.6: what a user would say himself against a place, by what is seen there alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.language.rewording import compare
from execution.language.screen_texts import wanted
from execution.perception.scene import scene_of
from execution.targeting.picture_fit import PictureFit
from execution.targeting.runs import runs_of
from execution.targeting.signs import Signs, Surroundings
from execution.targeting.vetoes import veto
from execution.types import Box, Element, ElementRole
from sentences.said import Said
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import context
from workflows.graph import NeighbourSpec, TargetSpec

PLACE = Box(100, 100, 120, 30)
AS_TAUGHT: dict[str, Any] = {
    "text": 1.0, "whole": True, "says": "Open", "label": True, "shapes": 0.5, "around": Surroundings(seen=1, asked=2),
    "look": PictureFit(score=0.6, grey=0.6, edges=0.6, contrast=1.0, box=PLACE, scale=1.0),
}  # fmt: skip


def against(target: dict[str, Any], *, read: bool = True, **signs: Any) -> str:
    """The code of the veto."""
    spec = TargetSpec(target_id="t", label="x", **target)
    seen = replace(Canvas(640, 400).state(), text_method="truth" if read else "")
    if signs.get("text") is not None:
        signs["wording"] = compare(wanted(spec.text, {}), signs["says"])
    said = veto(Signs(box=PLACE, read=signs.pop("says", ""), **signs), context(spec, seen, Pictures()))
    return said.code if isinstance(said, Said) else said


@pytest.mark.parametrize(
    ("needed", "missing"),
    [
        ("text", {"text": 0.89}), ("text", {"text": None, "says": ""}), ("picture", {"look": None}),
        ("picture", {"look": PictureFit(score=0.59, grey=0.6, edges=0.6, contrast=1.0, box=PLACE, scale=1.0)}),
        ("named_by", {"label": None}), ("neighbours", {"around": Surroundings(seen=1, asked=3)}),
        ("neighbours", {"around": Surroundings(seen=0, asked=0)}), ("shapes", {"shapes": 0.49}),
        ("shapes", {"shapes": None}),
    ],
)  # fmt: skip
def test_a_sign_that_must_be_there_is_not_outweighed(needed: str, missing: dict[str, Any]) -> None:
    """S6.11: all else speaks for it; what its teacher wants to be there is not, or cannot be told."""
    assert against({"text": "Open", "needed": (needed,)}, **AS_TAUGHT) == ""
    assert against({"text": "Open", "needed": (needed,)}, **{**AS_TAUGHT, **missing}) == "targeting.needed_is_missing"
    assert against({"text": "Open"}, **{**AS_TAUGHT, **missing}) == ""


@pytest.mark.parametrize(
    ("text", "read", "code"),
    [
        ("Dossier 48213", "Dossier 48213", ""), ("Dossier 48213", "Dossier 48218", "targeting.not_to_the_letter"),
        ("Dossier 48213", "Dossier", "targeting.not_to_the_letter"), ("Dossier 48213", "", "targeting.place_says"),
        ("CMD-2291-B", "CMD-2291-8", "targeting.not_to_the_letter"),
    ],
)  # fmt: skip
def test_the_number_in_its_own_text_is_what_tells_a_record(text: str, read: str, code: str) -> None:
    assert against({"text": text}, text=1.0, whole=True, says=read) == code


def test_on_a_screen_that_was_not_read_no_record_is_believed_by_its_picture_or_its_place() -> None:
    assert against({"text": "DUPONT Marie"}, read=False, look=AS_TAUGHT["look"]) == "targeting.row_unread"
    assert against({"text": "Open"}, read=False, look=AS_TAUGHT["look"]) == ""
    beside = (NeighbourSpec(text="DUPONT Marie", dx=-300, dy=0),)
    assert against({"text": "Open", "alike": 3, "neighbours": beside}, read=False) == "targeting.row_unread"
    assert against({"text": "Open", "neighbours": beside}, read=False) == ""


def test_one_neighbour_is_enough_where_one_is_all_there_was() -> None:
    alone = {**AS_TAUGHT, "around": Surroundings(seen=1, asked=1)}
    assert against({"text": "Open", "needed": ("neighbours",)}, **alone) == ""


@pytest.mark.parametrize(("read", "code"), [("Print", ""), ("Print all records", "targeting.part_of_longer_text")])
def test_a_button_that_says_more_is_another_one(read: str, code: str) -> None:
    button = Element(box=PLACE, role=ElementRole.BUTTON, text=read)
    seen = {"text": 1.0, "says": read, "whole": read == "Print", "element": button, "look": AS_TAUGHT["look"]}
    assert against({"text": "Print", "role": ElementRole.BUTTON}, **seen) == code


SENTENCE = "See the file of {} today"


@pytest.mark.parametrize(
    ("value", "line", "code"),
    [
        ("Ana Costa", SENTENCE.format("Ana Costa"), ""),
        ("egestas", "morbi egestas volutpat", ""),
        ("Ana Costa", SENTENCE.format("Ana Costa Lima"), "targeting.not_to_the_letter"),
        ("Ana", SENTENCE.format("Ana Costa"), "targeting.not_to_the_letter"),
        ("1001", "Order 7 of 1001 2 lines", "targeting.not_to_the_letter"),
    ],
)
def test_a_link_says_its_own_words_where_no_name_or_number_goes_on(value: str, line: str, code: str) -> None:
    """S9.6: the sentence around it is none of it."""
    canvas = Canvas(640, 400)
    box = canvas.text(line, 40, 100)
    seen = canvas.state()
    words = next(words for _, words in runs_of(value, scene_of(seen)))
    link = Box(words[0].box.x, box.y, words[-1].box.right - words[0].box.x, box.h)
    spec = TargetSpec(target_id="t", label="x", text="{{value}}", role=ElementRole.LINK)
    asked = context(spec, seen, Pictures(), variables={"value": value})
    said = veto(Signs(box=link, read=line, text=1.0), asked)
    assert (said.code if isinstance(said, Said) else said) == code


def test_a_lone_sign_that_was_read_is_a_picture_and_no_text() -> None:
    seen = {"text": 0.0, "says": "3", "look": AS_TAUGHT["look"]}
    assert against({"text": "≥"}, **seen) == ""
    assert against({"text": "7"}, **seen) == "targeting.not_to_the_letter"
    assert against({"text": "A"}, **{**seen, "says": "B"}) == "targeting.place_reads"


def test_another_text_is_another_thing_in_whatever_language_the_screen_is() -> None:
    """S5.3: a coach says once that it is the same."""
    other = {
        "text": 0.0,
        "says": "Blue harbour",
        "around": Surroundings(seen=0, asked=4, absent=4, other_language=True),
    }
    assert against({"text": "Print", "role": ElementRole.BUTTON}, **other) == "targeting.place_reads"
