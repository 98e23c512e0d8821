"""S6.10: what the edge of a window hides tells nothing; what should be in sight and is not still tells against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from execution.matching import Matcher
from execution.types import Box, ElementRole, ScreenState
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


def test_one_text_that_was_proposed_and_is_not_read_costs_certainty_and_not_the_screen() -> None:
    """Unless it must be there: see the areas."""
    cut = in_window(record("Summary").state(), 480)
    whole = summary().recognise(cut, variables={}).match
    lost = summary().recognise(without(cut, "Date of birth"), variables={}).match
    assert whole is not None
    assert lost is None or lost.confidence < whole.confidence


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
