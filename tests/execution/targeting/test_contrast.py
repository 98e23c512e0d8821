"""S5.3, S9.6: what is fainter than it was is out of use, unless all that is written is as faint in this theme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from execution.targeting.context import Context
from execution.targeting.contrast import is_written_faintly
from execution.targeting.examination import examined
from execution.targeting.vetoes import out_of_use, veto
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, ElementState, ScreenState
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import context

ENTRIES = ("Font", "Word Wrap", "Line Numbers", "Auto Indent", "Close")
BLACK, SOFT, GREY = (0, 0, 0), (92, 97, 108), (170, 172, 178)
WRAP = Box(100, 144, 200, 24)


def menu(
    ink: tuple[int, int, int], *, grey: Sequence[str] = (), beside: tuple[int, int, int] | None = None
) -> ScreenState:
    """A menu over a text that is written in `beside`; those of `grey` are out of use."""
    canvas, elements = Canvas(900, 600, background=(255, 255, 255)), list[Element]()
    for number, line in enumerate(("Meeting notes", "Present: Alice Martin", "Next meeting: 28 March")):
        canvas.text(line, 420, 130 + 30 * number, ink=beside or ink)
    for number, words in enumerate(ENTRIES):
        box = Box(100, 120 + 24 * number, 200, 24)
        canvas.text(words, box.x + 14, box.y + 5, ink=GREY if words in grey else ink)
        elements.append(Element(box=box, role=ElementRole.MENU_ITEM, text=words))
    return canvas.state(elements=elements)


def seen(now: ScreenState) -> Context:
    first, store = menu(BLACK), Pictures()
    target = teach_target(first.frame, WRAP, label="Word Wrap", state=first, click=None, store=store)
    return context(target, now, store)


def test_a_theme_that_writes_all_fainter_greys_nothing_out() -> None:
    now = seen(menu(SOFT))
    signs = examined(WRAP, now)
    assert is_written_faintly(signs, now)
    assert veto(signs, now) == ""
    greyed = seen(menu(BLACK, grey=["Word Wrap"]))
    assert veto(examined(WRAP, greyed), greyed) != ""


@pytest.mark.parametrize(
    ("taught", "now", "is_refused"),
    [(GREY, GREY, False), (BLACK, GREY, True), (BLACK, BLACK, False)],
    ids=["grey as it was", "fainter than it was", "clear, whatever a detector says"],
)
def test_an_option_is_out_of_use_where_it_is_fainter_than_the_one_that_was_shown(taught, now, is_refused) -> None:
    """The heads of a table are grey in some themes; a detector says of each that it is out of use."""
    first, then, store = menu(taught, beside=BLACK), menu(now, beside=BLACK), Pictures()
    target = replace(
        teach_target(first.frame, WRAP, label="Head", state=first, click=None, store=store), text="{{head}}"
    )
    off = tuple(replace(e, states=frozenset({ElementState.DISABLED})) for e in then.elements)
    on = context(target, replace(then, elements=off), store, {"head": "Line Numbers"})
    assert (veto(examined(WRAP._replace(y=WRAP.y + 24), on), on) != "") is is_refused


def test_what_a_detector_takes_for_greyed_out_there_is_not() -> None:
    now = menu(SOFT)
    off = [replace(e, states=frozenset({ElementState.DISABLED})) if e.box == WRAP else e for e in now.elements]
    on = seen(replace(now, elements=tuple(off)))
    assert veto(examined(WRAP, on), on) == ""


@pytest.mark.parametrize(
    "now",
    [
        menu(SOFT, grey=["Word Wrap"]),
        menu(SOFT, grey=["Font", "Word Wrap", "Close"]),
        menu(BLACK, grey=["Word Wrap"]),
        menu(GREY, beside=BLACK),  # all of a menu, beside what is written as it was
        menu(BLACK),
    ],
    ids=["one", "more than one", "in the same theme", "all of a menu", "none"],
)
def test_what_is_fainter_than_the_rest_is_out_of_use(now: ScreenState) -> None:
    on = seen(now)
    assert not is_written_faintly(examined(WRAP, on), on)


def test_where_too_little_is_written_nobody_can_say() -> None:
    canvas = Canvas(900, 600, background=(255, 255, 255))
    canvas.text("Word Wrap", WRAP.x + 14, WRAP.y + 5, ink=SOFT)
    on = seen(canvas.state(elements=[Element(box=WRAP, role=ElementRole.MENU_ITEM, text="Word Wrap")]))
    assert not is_written_faintly(examined(WRAP, on), on)


BLUE, PALE, WHITE = (24, 60, 120), (30, 150, 240), (255, 255, 255)


def session(ground: tuple[int, int, int], ink: tuple[int, int, int]) -> ScreenState:
    """A page whose light words stand on one ground; on another one, black on white, some others do."""
    canvas = Canvas(600, 400, background=ground)
    canvas.draw.rectangle((300, 0, 600, 400), fill=WHITE)
    for number, line in enumerate(("Tuesday", "Virtual Keyboard", "Other users", "Leave")):
        canvas.text(line, 60, 60 + 70 * number, ink=ink)
        canvas.text(f"News of {line}", 320, 60 + 70 * number, ink=BLACK)
    return canvas.state()


@pytest.mark.parametrize(
    ("now", "is_refused"),
    [
        (session(PALE, WHITE), False),
        (session(BLUE, (130, 150, 190)), True),  # on the ground that it stood on
        (session(PALE, (150, 200, 245)), True),
    ],
    ids=["white on a paler blue", "fainter", "fainter on a paler blue"],
)
def test_light_words_are_as_clear_as_their_ground_allows(now: ScreenState, *, is_refused: bool) -> None:
    first, store = session(BLUE, WHITE), Pictures()
    box = next(line.box for line in first.texts if line.text == "Virtual Keyboard")
    target = teach_target(first.frame, box, label="Keyboard", state=first, click=None, store=store)
    signs = examined(box, seen := context(target, now, store))
    assert bool(out_of_use(signs, seen)) is is_refused


def test_where_nobody_knows_the_ground_around_what_is_paler_is_out_of_use() -> None:
    first, store = session(BLUE, WHITE), Pictures()
    box = next(line.box for line in first.texts if line.text == "Virtual Keyboard")
    target = teach_target(first.frame, box, label="Keyboard", state=first, click=None, store=store)
    seen = context(replace(target, context="", context_box=None), session(PALE, WHITE), store)
    assert out_of_use(examined(box, seen), seen) != ""


@pytest.mark.parametrize(
    ("page", "ink", "is_refused"),
    [((225, 225, 225), BLACK, False), ((225, 225, 225), GREY, True), ((250, 250, 250), BLACK, True)],
    ids=["another theme", "fainter in another theme", "greyer on the same page"],
)
def test_a_field_is_in_use_in_another_theme_where_its_text_is_as_clear_as_all(
    page: tuple[int, int, int], ink: tuple[int, int, int], *, is_refused: bool
) -> None:
    """A combo box is as grey as a button in some themes, and a detector says of it that it is out of use."""

    def form(
        page: tuple[int, int, int], ground: tuple[int, int, int], ink: tuple[int, int, int], chosen: str
    ) -> ScreenState:
        canvas = Canvas(600, 400, background=page)
        canvas.draw.rectangle((60, 100, 260, 130), fill=ground, outline=(120, 120, 120))
        canvas.text(chosen, 70, 107, ink=ink)
        for number, line in enumerate(("Protocol", "Address of the share", "Options", "Done")):
            canvas.text(line, 60, 160 + 40 * number)
        states = frozenset({ElementState.DISABLED})
        return canvas.state(elements=[Element(box=box, role=ElementRole.FIELD, text=chosen, states=states)])

    box, store = Box(60, 100, 201, 31), Pictures()
    first = form((250, 250, 250), WHITE, BLACK, "nfs")
    target = teach_target(first.frame, box, label="Protocol", state=first, click=None, store=store)
    seen = context(target, form(page, (215, 215, 215), ink, "Windows share"), store)
    assert bool(out_of_use(examined(box, seen), seen)) is is_refused
