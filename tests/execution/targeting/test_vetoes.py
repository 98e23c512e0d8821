"""S5.3, S9.6: what a user would say himself against a place, by what is seen there alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from execution.language.rewording import Wording, compare
from execution.language.screen_texts import wanted
from execution.perception.scene import scene_of
from execution.targeting.picture_fit import PictureFit
from execution.targeting.runs import runs_of
from execution.targeting.signs import Signs, Surroundings
from execution.targeting.vetoes import veto
from execution.types import Box, Element, ElementRole, ElementState, TextLine
from sentences.said import Said
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import context
from workflows.graph import NeighbourSpec, TargetSpec

PLACE = Box(100, 100, 120, 30)
AS_TAUGHT: dict[str, Any] = {
    "text": 1.0, "whole": True, "says": "Open", "label": True, "shapes": 0.5, "around": Surroundings(seen=1, asked=2),
    "look": PictureFit(score=0.6, grey=0.6, edges=0.6, contrast=1.0, box=PLACE, scale=1.0),
}  # fmt: skip


def against(
    target: dict[str, Any],
    *,
    read: bool = True,
    on: Canvas | None = None,
    elements: Sequence[Element] = (),
    as_list: bool = False,
    values: Mapping[str, str] | None = None,
    **signs: Any,
) -> str:
    """The code of the veto."""
    spec = TargetSpec(target_id="t", label="x", **target)
    seen = replace((on or Canvas(640, 400)).state(elements=elements), text_method="truth" if read else "")
    if signs.get("text") is not None:
        signs.setdefault("wording", compare(wanted(spec.text, values or {}), signs["says"]))
    asked = context(spec, seen, Pictures(), variables=values)
    asked.as_list = as_list
    said = veto(Signs(box=PLACE, read=signs.pop("says", ""), **signs), asked)
    return said.code if isinstance(said, Said) else said


def written(*lines: tuple[str, Box]) -> Canvas:
    """A blank screen on which these lines are read."""
    canvas = Canvas(640, 400)
    canvas.lines += [TextLine(text=text, box=box) for text, box in lines]
    return canvas


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


MIDDLE, CORNER, ABOVE = Box(110, 108, 100, 14), Box(102, 113, 40, 14), Box(110, 100, 60, 7)


@pytest.mark.parametrize(
    ("target", "middle", "how", "code"),
    [
        ({"text": "Open"}, MIDDLE, {}, ""),
        ({"text": "Open"}, CORNER, {}, "targeting.holds_several"),
        ({"text": "Open"}, CORNER, {"as_list": True}, ""),
        ({"text": "Open"}, MIDDLE, {"look": None}, "targeting.holds_several"),
        ({"text": "{{word}}"}, MIDDLE, {"look": None, "values": {"word": "Open"}}, ""),
    ],
    ids=["its words", "words beside", "a list", "nobody saw how it looks", "a value"],
)
def test_of_several_things_in_one_the_words_in_the_middle_are_clicked(
    target: dict[str, Any], middle: Box, how: dict[str, Any], code: str
) -> None:
    on = written(("of today", ABOVE), ("Open", middle))
    assert against(target, on=on, **{**AS_TAUGHT, **how}) == code


@pytest.mark.parametrize(("label", "code"), [(True, ""), (False, "targeting.replaced_beside")])
def test_a_thing_without_words_at_another_label_is_another_one(label: bool, code: str) -> None:
    on = written(("Street", Box(20, 108, 60, 14)))
    named = NeighbourSpec(text="Surname", dx=-110, dy=0)
    assert against({"named_by": named}, on=on, label=label, look=AS_TAUGHT["look"]) == code


@pytest.mark.parametrize(
    ("wording", "code"),
    [(Wording(0.6, ""), ""), (Wording(0.59, ""), "targeting.place_reads"), (None, "targeting.place_reads")],
)
def test_a_place_reads_otherwise_below_a_share_of_the_words(wording: Wording | None, code: str) -> None:
    other = {"text": 0.3, "says": "Blue harbour", "wording": wording, "look": AS_TAUGHT["look"]}
    assert against({"text": "Print"}, **other) == code


@pytest.mark.parametrize(
    ("alike", "shapes", "code"),
    [
        (1, 0.0, ""),
        (2, 0.75, ""),
        (2, 0.74, "targeting.replaced_beside"),
        (2, None, "targeting.replaced_beside"),
    ],
)
def test_in_another_language_a_row_is_known_by_being_the_only_one_or_by_its_controls(
    alike: int, shapes: float | None, code: str
) -> None:
    on = written(*((text, Box(400, 200 + 40 * n, 80, 14)) for n, text in enumerate(("Eins", "Zwei", "Drei", "Vier"))))
    taught = tuple(NeighbourSpec(text=text, dx=-90, dy=-80) for text in ("Ward", "Bed", "Device"))
    around = Surroundings(seen=0, asked=3, replaced=(("Ward", "Eins"),))
    seen = {**AS_TAUGHT, "around": around, "label": None, "shapes": shapes}
    assert against({"text": "Open", "alike": alike, "neighbours": taught}, on=on, **seen) == code


@pytest.mark.parametrize(("alike", "code"), [(1, ""), (2, "targeting.row_moved")])
def test_a_row_that_moved_leaves_another_in_its_place_only_where_there_are_several(alike: int, code: str) -> None:
    seen = {**AS_TAUGHT, "label": None, "around": Surroundings(seen=0, asked=1, elsewhere="Ward")}
    assert against({"text": "Open", "alike": alike}, **seen) == code


FAINT, CLEAR = (170, 170, 170), (24, 24, 28)


@pytest.mark.parametrize(
    ("ink", "grey", "edges", "contrast", "code"),
    [
        (CLEAR, 0.5, 0.9, 0.5, ""),
        (FAINT, 0.5, 0.9, 0.5, "targeting.greyed_out"),
        (CLEAR, 0.95, 0.5, 0.8, "targeting.greyed_out"),
    ],
    ids=["another theme", "fainter than others there", "the taught theme"],
)
def test_what_is_said_to_be_out_of_use_is_believed_where_it_is_fainter_than_others_or_than_it_was(
    ink: tuple[int, ...], grey: float, edges: float, contrast: float, code: str
) -> None:
    on = Canvas(640, 400)
    others = [Element(box=on.button(text, PLACE._replace(y=y)), role=ElementRole.BUTTON, text=text)
              for text, y in (("Copy", 200), ("Print", 300))]  # fmt: skip
    on.button("Open", PLACE, ink=ink)
    states = frozenset({ElementState.DISABLED})
    own = Element(box=PLACE, role=ElementRole.BUTTON, text="Open", states=states)
    look = PictureFit(score=0.7, grey=grey, edges=edges, contrast=contrast, box=PLACE, scale=1.0)
    seen = {**AS_TAUGHT, "look": look, "element": own}
    assert against({"text": "Open", "role": ElementRole.BUTTON}, on=on, elements=[*others, own], **seen) == code


@pytest.mark.parametrize(("read", "code"), [("Print", ""), ("Print all records", "targeting.part_of_longer_text")])
def test_a_button_that_says_more_is_another_one(read: str, code: str) -> None:
    button = Element(box=PLACE, role=ElementRole.BUTTON, text=read)
    seen = {"text": 1.0, "says": read, "whole": read == "Print", "element": button, "look": AS_TAUGHT["look"]}
    assert against({"text": "Print", "role": ElementRole.BUTTON}, **seen) == code


@pytest.mark.parametrize(("stands", "code"), [(1, ""), (0, "targeting.part_of_longer_text")])
def test_a_text_among_others_is_the_one_that_was_meant_where_what_stood_around_it_says_so(
    stands: int, code: str
) -> None:
    seen = {"text": 1.0, "says": "Letter for ward two is written", "around": Surroundings(seen=stands, asked=2)}
    assert against({"text": "ward two", "role": ElementRole.TEXT}, **seen) == code


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
