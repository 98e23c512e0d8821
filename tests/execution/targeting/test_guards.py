"""What no fit decides: another record, a caption that says more, a screen that was not read (S5.3, S9.6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from execution.targeting.opinions import Opinion
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import (
    Box,
    Element,
    ElementRole,
    Resolution,
    ResolveStatus,
    RungResult,
    ScreenState,
    Window,
)
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass
from workflows.graph import NeighbourSpec, TargetSpec

FOUND = ResolveStatus.FOUND
BUTTON, MENU_ITEM = ElementRole.BUTTON, ElementRole.MENU_ITEM


@pytest.fixture
def store() -> Pictures:
    return Pictures()


def record(*texts: str, read: bool = True) -> ScreenState:
    """One row of a table, and its button."""
    canvas = Canvas(900, 400)
    canvas.text("Patients of the day", 40, 60, size=18)
    for at, text in enumerate(texts):
        canvas.text(text, 40 + 200 * at, 146)
    box = canvas.button("Open", Box(700, 140, 90, 26))
    state = canvas.state(
        elements=[Element(box=box, role=BUTTON, text="Open")], window=Window(title="Records", box=Box(0, 0, 900, 400))
    )
    return state if read else replace(state, texts=(), text_method="")


def taught(state: ScreenState, box: Box, store: Pictures, label: str = "Open") -> TargetSpec:
    return teach_target(state.frame, box, label=label, state=state, click=None, store=store)


def resolve(target: TargetSpec, state: ScreenState, store: Pictures, **variables: str) -> Resolution:
    """As an act that only reads: what is refused for it is refused for all."""
    return TargetResolver(pictures=store).resolve(target, state, variables=variables, effect=EffectClass.READ)


OPEN = Box(700, 140, 90, 26)


def of_patient(store: Pictures) -> TargetSpec:
    target = taught(record("Dupont, Marie", "Active"), OPEN, store)
    named = [n for n in target.neighbours if n.text == "Dupont, Marie"]
    others = [n for n in target.neighbours if n.text != "Dupont, Marie"]
    assert named
    return replace(target, neighbours=(NeighbourSpec(text="{{patient}}", dx=named[0].dx, dy=named[0].dy), *others))


def test_beside_what_names_the_record_nothing_is_found_on_a_screen_that_was_not_read(store: Pictures) -> None:
    target = of_patient(store)
    assert resolve(target, record("Dupont, Marie", "Active"), store, patient="Dupont, Marie").status is FOUND
    unread = resolve(target, record("Martin, Paul", "Active", read=False), store, patient="Dupont, Marie")
    assert unread.status is not FOUND


def test_a_name_as_long_as_it_is_stands_where_the_taught_one_stood(store: Pictures) -> None:
    """Both begin at the same edge; the middle of the one is in the other."""
    target = of_patient(store)
    for name in ("Dupont-Lefebvre, Marie-Antoinette", "Li, Wu"):
        assert resolve(target, record(name, "Active"), store, patient=name).status is FOUND, name


def test_the_name_at_another_place_of_the_line_is_not_the_record(store: Pictures) -> None:
    target = of_patient(store)
    moved = replace(
        target, neighbours=tuple(replace(n, dx=n.dx + 320) if "{{" in n.text else n for n in target.neighbours)
    )
    shown = record("Martin, Paul", "Active")
    assert resolve(target, shown, store, patient="Martin, Paul").status is FOUND
    assert resolve(moved, shown, store, patient="Martin, Paul").status is not FOUND


def test_a_variable_without_a_value_leaves_its_record_asked_for(store: Pictures) -> None:
    found = resolve(of_patient(store), record("Martin, Paul", "Active"), store, patient="")
    assert found.status is not FOUND
    assert found.message.code == "targeting.required_missing"


def test_another_name_in_its_row_is_another_record_whatever_else_stays_there(store: Pictures) -> None:
    target = taught(record("Dupont, Marie", "Active"), OPEN, store)
    assert resolve(target, record("Dupont, Marie", "Active"), store).status is FOUND
    found = resolve(target, record("Martin, Paul", "Active"), store)
    assert found.status is not FOUND
    assert found.message.code == "targeting.replaced_beside"


def test_a_button_beside_it_that_says_something_else_now_makes_no_other_record(store: Pictures) -> None:
    """What every program has on its buttons names nobody; any other word may."""
    for word, found in (("Next", True), ("Cardiology", False)):
        target = taught(record(word), OPEN, store)
        assert resolve(target, record(word), store).status is FOUND
        assert (resolve(target, record("Block"), store).status is FOUND) == found, word


def test_a_button_in_the_row_does_not_hide_that_the_rest_of_it_is_anothers(store: Pictures) -> None:
    for words in (("Next", "Jean Petit"), ("Jean Petit", "Next")):
        target = taught(record(*words), OPEN, store)
        assert resolve(target, record(*words), store).status is FOUND
        assert resolve(target, record("Block", "Paul Roux"), store).status is not FOUND, words


def rows(*names: str, read: bool = True) -> ScreenState:
    canvas = Canvas(900, 400)
    canvas.text("Patients of the day", 40, 40, size=18)
    elements = []
    for at, name in enumerate(names):
        canvas.text(name, 40, 106 + 40 * at)
        box = canvas.button("Open", Box(700, 100 + 40 * at, 90, 26))
        elements.append(Element(box=box, role=BUTTON, text="Open"))
    state = canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 900, 400)))
    return state if read else replace(state, texts=(), text_method="")


def test_what_is_known_by_its_row_alone_is_looked_for_in_that_row_and_nowhere_else(store: Pictures) -> None:
    """S5.3: what several demonstrations left of it; where that does not suffice a person sees which one is meant."""
    names = ("Dupont, Marie", "Martin, Paul", "Roux, Claire")
    shown = taught(rows(*names), Box(700, 140, 90, 26), store)
    target = replace(shown, text="", picture="", context="", context_box=None, named_by=None, row=("{{patient}}",))
    for name in names:
        said = resolve(target, rows(*reversed(names)), store, patient=name)
        likeliest = said.box or (said.runner_up and said.runner_up.box)
        assert likeliest is not None
        assert likeliest.y == 100 + 40 * (2 - names.index(name)), name
    absent = resolve(target, rows(*names), store, patient="Petit, Jean")
    assert absent.message.code == "targeting.row_not_there"


def test_a_bare_place_is_not_clicked_because_what_is_around_it_stands_there(store: Pictures) -> None:
    """S5.3: a click into an empty pane; today a list is there, and its surroundings are those of before."""
    state = record("Dupont, Marie", "Active")
    target = taught(state, Box(300, 240, 48, 32), store, label="notes")
    assert not (target.text or target.role)
    for read in (True, False):
        found = resolve(target, record("Dupont, Marie", "Active", read=read), store)
        assert found.status is not FOUND
        assert found.message.code == "targeting.only_its_place"


def one(text: str, role: ElementRole | None) -> ScreenState:
    canvas = Canvas(700, 300)
    canvas.text("Records", 40, 40, size=18)
    box = canvas.button(text, Box(200, 140, 160, 30))
    elements = [Element(box=box, role=role, text=text)] if role else []
    return canvas.state(elements=elements, window=Window(title="Records", box=Box(0, 0, 700, 300)))


@pytest.mark.parametrize(
    ("was", "now", "role"),
    [
        ("Delete", "Delete all", MENU_ITEM), ("Delete", "Don't delete", MENU_ITEM), ("Delete", "Delete all", BUTTON),
        ("Save", "Save all", None), ("Supprimer", "Tout supprimer", ElementRole.LINK),
        ("Enregistrer", "Ne pas enregistrer", ElementRole.TAB),
    ],
)  # fmt: skip
def test_a_caption_that_says_more_is_another_control(
    store: Pictures, was: str, now: str, role: ElementRole | None
) -> None:
    target = taught(one(was, role or BUTTON), Box(200, 140, 160, 30), store, label=was)
    assert resolve(target, one(was, role), store).status is FOUND
    assert resolve(target, one(now, role), store).status is not FOUND


@pytest.mark.parametrize(("now", "same"), [("New file", True), ("+ New file", True), ("No new file", False)])
def test_a_picture_that_is_read_as_a_sign_says_nothing_more(store: Pictures, now: str, *, same: bool) -> None:
    target = taught(one("New file", BUTTON), Box(200, 140, 160, 30), store, label="New file")
    target = replace(target, text="{{choice}}", picture="")
    assert (resolve(target, one(now, BUTTON), store, choice="New file").status is FOUND) is same


class Enthusiast:
    """An adviser to whom every place looks like the target."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, context: object, weighed: object) -> Opinion:
        self.asked += 1
        result = RungResult(rung="vlm", status=FOUND, score=1.0, candidates=(), note="")
        return Opinion(result=result, log_factors=np.full(len(weighed.signs), 10.0))  # type: ignore[attr-defined]


def test_no_opinion_of_how_a_thing_looks_tells_which_of_its_list_is_wanted(store: Pictures) -> None:
    names = ("Dupont, Marie", "Martin, Paul", "Roux, Claire")
    state = rows(*names)
    target = teach_target(
        state.frame, Box(700, 100, 90, 26), label="Open", state=state, click=None, store=store, number="{{n}}",
        values={"n": "1"},
    )  # fmt: skip
    adviser = Enthusiast()
    resolver = TargetResolver(pictures=store, similarity_threshold=1.0, advisers=[adviser])  # no sign suffices
    resolver.resolve(replace(target, number=0), state, variables={})
    assert adviser.asked == 1
    found = resolver.resolve(target, state, variables={"n": "3"})
    assert found.status is not FOUND
    assert adviser.asked == 1


# --- what a person wants to be there ---------------------------------------------------------------------------------
@pytest.mark.parametrize("tick", ["V", "√"])
def test_a_tick_that_was_read_as_a_letter_says_no_more(store: Pictures, tick: str) -> None:
    box = Box(80, 120, 20, 20)

    def form(tick: str) -> ScreenState:
        canvas = Canvas(700, 400)
        canvas.text("Admission", 40, 60, size=18)
        canvas.text("Allergies known", 110, 124)
        canvas.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=(90, 90, 90))
        if tick:
            canvas.text("V", box.x + 5, box.y + 3)
        element = Element(box=box, role=ElementRole.CHECKBOX, text=tick or "Allergies known")
        return canvas.state(elements=[element], window=Window(title="Records", box=Box(0, 0, 700, 400)))

    target = replace(taught(form(""), box, store, "Allergies known"), text="Allergies")
    there = resolve(target, form(tick), store)
    assert there.status is FOUND, there.message
