"""S6.10: what the edge of a window hides tells nothing; what should be in sight and is not still tells against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from execution.language.screen_texts import ScreenWords
from execution.matching import FusionEngine, Matcher
from execution.matching.cut_off import CutOff
from execution.matching.shown import Shown
from execution.matching.signs import gather
from execution.types import Box, ElementRole, ScreenState, TextLine
from tests.execution.matching.screens import Drawn, graph, node_of, record, reference, without

SUMMARY = {"texts": ("Patient record", "Date of birth", "Save"), "window_title": "* - Ward"}


def in_window(state: ScreenState, height: int, *, scrolled: int = 0) -> ScreenState:
    """What is left in a window of that height, whose page below the title was scrolled so far."""
    head = 30
    view = Box(0, 0, 1280, height)

    def moved(box: Box) -> Box | None:
        box = box if box.y < head else Box(box.x, box.y - scrolled, box.w, box.h)
        return box if box.bottom <= height and (box.y >= head or box.bottom <= head) else None

    lines = [replace(t, box=at) for t in state.texts if (at := moved(t.box)) and (at.y >= head or t.box.y < head)]
    elements = [replace(e, box=at) for e in state.elements if (at := moved(e.box))]
    assert state.window is not None
    return replace(state, texts=tuple(lines), elements=tuple(elements), window=replace(state.window, box=view))


def matcher(screens: Mapping[str, Drawn], **declared: Mapping[str, object]) -> Matcher:
    known = {name: reference(drawn) for name, drawn in screens.items()}
    return Matcher(graph(list(screens), **declared), pictures=None, embedder=None, references=known)


def summary(**declared: object) -> Matcher:
    return matcher({"summary": record("Summary")}, summary={**SUMMARY, **declared})


@pytest.mark.parametrize(("height", "scrolled"), [(800, 0), (480, 0), (560, 130)], ids=["whole", "cut off", "scrolled"])
def test_a_screen_is_known_in_a_window_that_hides_some_of_its_texts(height: int, scrolled: int) -> None:
    state = in_window(record("Summary", number=99).state(), height, scrolled=scrolled)
    missing = set(SUMMARY["texts"]) - {line.text for line in state.texts}
    assert missing == ({"Save"} if height == 480 else {"Patient record"} if scrolled else set())
    assert node_of(summary().recognise(state, variables={})) == "summary"


def test_a_text_that_should_be_in_sight_and_is_not_tells_against() -> None:
    cut = in_window(record("Summary").state(), 480)
    found = summary().recognise(without(cut, "Date of birth"), variables={})
    assert found.match is None
    assert "Date of birth" in str(found.why_not)


def test_where_nothing_that_it_is_known_by_is_in_sight_nobody_knows() -> None:
    cut = in_window(record("Summary").state(), 480)
    assert summary(texts=("Save", "Cancel")).recognise(cut, variables={}).match is None


def test_what_is_hidden_leaves_it_to_the_picture() -> None:
    """With all texts seen a picture that is like the screen suffices; with some of them hidden it must be that one."""
    drawn = record("Summary")
    [weighed] = FusionEngine({"summary": reference(drawn)}).weigh(drawn.state(), among=["summary"])
    likely = replace(weighed, probability=0.7)
    [node] = graph(["summary"], summary=SUMMARY).nodes

    def confidence(state: ScreenState) -> float:
        words = ScreenWords(state.texts)
        hides = CutOff(reference(drawn).shown, Shown.now(state)).hides
        return gather(node, state, words, {}, reference=likely, beyond=hides).confidence

    assert confidence(drawn.state()) > 0.75
    assert confidence(in_window(drawn.state(), 480)) == 0.7


def test_another_screen_of_that_title_is_not_it_because_its_window_is_small() -> None:
    """What is hidden speaks for nothing: the rest must be that screen, line by line."""
    other = in_window(record("Prescriptions").state(), 480)
    taught = summary(texts=("Patient record", "Seen by", "Save"))
    assert taught.recognise(other, variables={}).match is None


def order(button: str) -> Drawn:
    drawn = record("Letters")
    drawn.element(ElementRole.BUTTON, 40, 620, 170, 34, button)
    return drawn


@pytest.mark.parametrize("expected", [None, "laboratory"])
def test_two_screens_that_differ_below_the_edge_alone_are_asked_about(expected: str | None) -> None:
    """Not even the run decides, as it does between screens that say the same: what would tell is there to see."""
    screens = {"laboratory": order("Send to the laboratory"), "radiology": order("Send to radiology")}
    declared = {
        "laboratory": {"texts": ("Patient record", "Send to the laboratory")},
        "radiology": {"texts": ("Patient record", "Send to radiology")},
    }
    known = matcher(screens, **declared)
    whole = order("Send to radiology").state()
    assert node_of(known.recognise(whole, variables={}, expected=expected)) == "radiology"
    assert known.recognise(in_window(whole, 500), variables={}, expected=expected).match is None


def test_a_screen_that_another_one_says_more_than_is_not_taken_for_it_where_that_is_hidden() -> None:
    """One is known by a text that must not be there, which may stand below the edge."""
    screens = {"short": record("Letters"), "long": order("Send to radiology")}
    declared: dict[str, dict[str, object]] = {
        "short": {"texts": ("Patient record", "Addressee"), "absent": ("Send to radiology",)},
        "long": {"texts": ("Patient record", "Send to radiology")},
    }
    cut = in_window(order("Send to radiology").state(), 500)
    assert matcher(screens, **declared).recognise(cut, variables={}).match is None
    declared["short"] = {"texts": ("Patient record",)}
    assert matcher(screens, **declared).recognise(cut, variables={}).match is None


@pytest.mark.parametrize(("label", "known_as"), [(200, "unnamed"), (600, None)], ids=["in sight", "below the edge"])
def test_a_value_beside_a_label_in_sight_is_not_hidden(label: int, known_as: str | None) -> None:
    """Its own picture shows another value: where it would stand is told by its label."""

    def letter(name: str) -> Drawn:
        drawn = record("Letters")
        drawn.text("File:", 640, label)
        if name:
            drawn.text(name, 690, label)
        return drawn

    declared: dict[str, dict[str, object]] = {
        "unnamed": {"texts": ("Patient record", "Addressee"), "absent": ("File: {{file}}",)},
        "named": {"texts": ("Patient record", "File: {{file}}")},
    }
    known = matcher({"unnamed": letter(""), "named": letter("older.txt")}, **declared)
    match = known.recognise(in_window(letter("").state(), 500), variables={"file": "new.txt"}).match
    assert (match.node_id if match else None) == known_as


def test_a_row_that_is_gone_from_the_end_of_a_list_is_not_hidden() -> None:
    """Nothing of the window was cut: the place where it stood is in sight, and empty."""
    state = record("Summary").state()
    found = summary().recognise(without(state, "Save"), variables={})
    assert found.match is None


def test_a_form_without_one_of_its_fields_is_not_a_form_that_was_scrolled() -> None:
    """What stands below has moved up over the place of it, as it does below a head that stands still."""
    state = record("Summary").state()
    lines = [
        replace(t, box=Box(t.box.x, t.box.y - 50, t.box.w, t.box.h)) if t.box.y > 260 else t
        for t in without(state, "Date of birth").texts
    ]
    assert summary().recognise(replace(state, texts=tuple(lines)), variables={}).match is None


def test_what_stands_there_is_in_sight_though_the_taught_picture_has_no_window() -> None:
    """Its title is no line that scrolled away, and what the desktop says beside it none that the window hides."""
    said = (("Save As", 614, 3), ("Name:", 102, 40), ("Documents", 131, 165), ("Surehand", 47, 42))
    texts = tuple(TextLine(text=text, box=Box(x, y, 54, 13), confidence=0.9) for text, x, y in said)
    now = Shown(texts=texts, view=Box(92, 0, 1098, 797), title="Save As")
    beside = CutOff(replace(now, title="", view=Box(0, 0, 1280, 800)), now)
    assert len(beside.in_sight) == len(said)
    assert not beside.cuts


@pytest.mark.parametrize(("over", "cut"), [(0, False), (1, False), (2, True), (8, True)])
def test_a_line_is_cut_where_a_letter_of_it_may_be(over: int, cut: bool) -> None:
    """The header of the last column ends at the edge, and is read with a pixel more at one time than at another; the
    second “I” of “Ward II” is gone with two."""
    view = Box(92, 0, 1098, 800)
    boxes = {"Save As": Box(614, 3, 54, 13), "Desktop": Box(105, 125, 82, 18), "Other places": Box(106, 210, 128, 18)}
    texts = tuple(TextLine(text=text, box=box, confidence=0.9) for text, box in boxes.items())
    header = TextLine(text="Modified", box=Box(view.right + over - 57, 125, 57, 14), confidence=0.9)
    then, now = (Shown(texts=said, view=view, title="Save As") for said in ((*texts, header), texts))
    assert CutOff(then, now).cuts is cut
    assert CutOff(then, now).hides("Modified") is cut


def lines_at(*placed: tuple[str, int, int, int]) -> Shown:
    """Text, its left edge, its right one and its top, in a window from 100 to 500."""
    texts = tuple(TextLine(text=text, box=Box(x, top, right - x, 16)) for text, x, right, top in placed)
    return Shown(texts=texts, view=Box(100, 0, 400, 400))


@pytest.mark.parametrize("wider", [-12, 12])
def test_labels_that_are_centred_or_held_at_the_right_tell_of_no_shift_in_another_font(wider: int) -> None:
    """Their left edges move by what they are wider: nothing was scrolled, and what stood at the edge would be seen."""
    taught = lines_at(
        ("Untitled 1", 250, 330, 40), ("Untitled 2", 260, 340, 60), ("Page 3", 420, 480, 80), ("Ann", 102, 130, 100)
    )
    now = lines_at(
        ("Untitled 1", 250 - wider, 330 + wider, 40),
        ("Untitled 2", 260 - wider, 340 + wider, 60),
        ("Page 3", 420 - wider, 480, 80),
    )  # fmt: skip
    assert not CutOff(taught, now).hides("Ann")
    assert CutOff(taught, now).would_show("Ann")


def test_what_was_scrolled_to_the_left_is_hidden() -> None:
    taught = lines_at(
        ("Untitled 1", 250, 330, 40), ("Untitled 2", 260, 340, 60), ("Page 3", 420, 480, 80), ("Ann", 102, 130, 100)
    )
    now = lines_at(("Untitled 1", 240, 324, 40), ("Untitled 2", 250, 334, 60), ("Page 3", 411, 470, 80))
    assert CutOff(taught, now).hides("Ann")
