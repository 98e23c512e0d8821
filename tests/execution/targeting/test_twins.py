"""Equal things, more of them than when one was taught: which it is, something must tell, and place does not (S5.3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.targeting.resolver import TargetResolver
from execution.targeting.twins import twin_problem
from execution.targeting.weighing import weigh
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, ResolveStatus, ScreenState, TextLine
from sentences.said import Said
from tests.execution.perception.drawing import Canvas, Pictures
from tests.execution.targeting.forms import context
from tests.execution.targeting.test_candidates import resolve
from workflows.graph import NeighbourSpec, TargetSpec

Card = tuple[str, str, int]  # who, where, how far down


def cards(*told: Card, role: ElementRole = ElementRole.BUTTON) -> ScreenState:
    """A page of cards, each with a name, a place and the same button."""
    canvas, buttons = Canvas(900, 700), []
    canvas.text("Discharges of today", 40, 30)
    for name, ward, y in told:
        canvas.text(name, 60, y)
        canvas.text(ward, 60, y + 30)
        box = canvas.button("Approve discharge", Box(60, y + 60, 200, 34))
        buttons.append(Element(box=box, role=role))
    return canvas.state(elements=tuple(buttons))


def taught(store: Pictures, state: ScreenState, y: int) -> TargetSpec:
    return teach_target(state.frame, Box(60, y + 60, 200, 34), label="Approve", state=state, click=None, store=store)


MARIE: Card = ("Marie Lefevre", "Ward 3", 90)


@pytest.mark.parametrize("place", [90, 240], ids=["above", "below"])
def test_of_two_cards_the_taught_one_is_clicked_or_nothing(place: int) -> None:
    """The other patient's was clicked, for it stood in the taught place."""
    store = Pictures()
    target = taught(store, cards(MARIE), 90)
    other = ("Bernard Petit", "Ward 2", 330 - place)
    now = cards(*sorted([other, (*MARIE[:2], place)], key=lambda card: card[2]))
    found = resolve(target, now, store)
    assert found.status is not ResolveStatus.FOUND or (found.box is not None and found.box.y > place)
    assert found.status is not ResolveStatus.FOUND or (found.box is not None and found.box.y < place + 100)


def test_of_another_patients_card_nothing_is_clicked() -> None:
    store = Pictures()
    target = taught(store, cards(MARIE), 90)
    found = resolve(target, cards(("Bernard Petit", "Ward 2", 90)), store)
    assert found.box is None, found.message
    assert resolve(target, cards((MARIE[0], "Ward 5", 90)), store).box is not None
    resolver = TargetResolver(pictures=store)  # done for each line of a list, it is another one's each time
    again = resolver.resolve(target, cards(("Bernard Petit", "Ward 2", 90)), variables={}, for_each=True)
    assert again.box is not None, again.message


def test_two_cards_that_nothing_tells_apart_are_a_question() -> None:
    store = Pictures()
    target = taught(store, cards(MARIE), 90)
    found = resolve(target, cards(MARIE, (*MARIE[:2], 240)), store)
    assert (found.status, found.box) == (ResolveStatus.AMBIGUOUS, None)
    assert found.runner_up is not None
    assert found.runner_up.box in (Box(60, 150, 200, 34), Box(60, 300, 200, 34))


def problem(target: TargetSpec, state: ScreenState, store: Pictures, place: Box) -> str:
    """The code of what is said against the place, by the things that are equal to it alone."""
    asked = context(target, state, store)
    weighed = weigh(asked)
    said = twin_problem(weighed, next(n for n, signs in enumerate(weighed.signs) if signs.box == place), asked)
    return said.code if isinstance(said, Said) else said


def test_things_that_are_taken_for_another_kind_alike_are_twins() -> None:
    store = Pictures()
    target = taught(store, cards(MARIE), 90)
    now = cards(MARIE, (*MARIE[:2], 240), role=ElementRole.FIELD)
    assert problem(target, now, store, Box(60, 150, 200, 34)) == "targeting.twin_was_added"


def test_an_equal_icon_right_beside_it_is_a_twin() -> None:
    """Stars of a rating, arrows of a bar: what is at the end of a field is none, and only of a field."""
    store, shown, now = Pictures(), Canvas(400, 200), Canvas(400, 200)
    box = shown.icon(60, 60, seed=7)
    state = shown.state(elements=[Element(box=box, role=ElementRole.ICON)])
    target = teach_target(state.frame, box, label="", state=state, click=None, store=store)
    icons = [Element(box=now.icon(x, 60, seed=7), role=ElementRole.ICON) for x in (60, 60 + box.w + 4)]
    assert problem(target, now.state(elements=icons), store, box) == "targeting.twin_was_added"


@pytest.mark.parametrize(
    ("place", "code"), [(Box(300, 150, 200, 34), ""), (Box(300, 350, 200, 34), "targeting.twin_was_added")]
)
def test_what_stands_beside_tells_before_what_stands_above(place: Box, code: str) -> None:
    """A text above counts as twice as far."""
    store, shown = Pictures(), Canvas(900, 700)
    box = shown.button("Approve discharge", Box(300, 150, 200, 34))
    state = shown.state(elements=[Element(box=box, role=ElementRole.BUTTON)])
    target = teach_target(state.frame, box, label="Approve", state=state, click=None, store=store)
    beside, above = NeighbourSpec(text="Diet", dx=-150, dy=-20), NeighbourSpec(text="Device", dx=0, dy=-100)
    now = Canvas(900, 700)
    buttons = [
        Element(box=now.button("Approve discharge", box._replace(y=y)), role=ElementRole.BUTTON) for y in (150, 350)
    ]
    for text, x, y in (("Diet", 250, 147), ("Device", 400, 267)):
        now.lines.append(TextLine(text=text, box=Box(x - 20, y - 7, 40, 14)))
    target = replace(target, neighbours=(above, beside))
    assert problem(target, now.state(elements=buttons), store, place) == code


@pytest.mark.parametrize(("more", "code"), [(" (OEM mode)", ""), ("", "targeting.twin_was_added")])
def test_the_same_words_within_a_longer_text_are_no_twin(more: str, code: str) -> None:
    store, shown = Pictures(), Canvas(900, 700)
    box = shown.text("Start the system", 60, 90)
    target = teach_target(
        shown.state().frame, box, label="Start", state=shown.state(), click=None, store=store, structure=False
    )
    now = Canvas(900, 700)
    now.text("Start the system", 60, 90)
    now.text(f"Start the system{more}", 60, 390)
    asked = context(replace(target, neighbours=(), around=()), now.state(), store)
    weighed = weigh(asked)
    best = weighed.judgement.order[0]
    assert weighed.candidates[best].box.iou(box) > 0.5
    said = twin_problem(weighed, best, asked)
    assert (said.code if isinstance(said, Said) else said) == code


def test_as_many_as_when_it_was_taught_are_no_question() -> None:
    store, shown = Pictures(), cards(MARIE, ("Bernard Petit", "Ward 2", 240))
    target = taught(store, shown, 90)
    assert target.alike == 2
    found = resolve(target, shown, store)
    assert found.box is not None
    assert found.box.y == 150


def test_a_number_of_one_alone_forbids_nothing() -> None:
    """Shown anew where it is the only one, it is still to be found."""
    store, shown = Pictures(), cards(MARIE)
    target = replace(taught(store, shown, 90), needed=("number",))
    assert resolve(target, shown, store).box is not None


def test_where_a_person_said_which_number_no_other_is_clicked() -> None:
    """A list with one more, or one fewer, has another one in that place."""
    store, shown = Pictures(), cards(MARIE, ("Bernard Petit", "Ward 2", 240), ("Anna Rossi", "Ward 1", 390))
    target = replace(taught(store, shown, 240), needed=("number",))
    assert target.number_taught == 2
    found = resolve(target, shown, store)
    assert found.box is not None
    assert found.box.y == 300
    fewer = cards(MARIE, ("Bernard Petit", "Ward 2", 240))  # as it was, and nobody knows which one is gone
    more = cards(MARIE, ("Bernard Petit", "Ward 2", 240), ("Anna Rossi", "Ward 1", 390), ("Leo Roux", "Ward 1", 540))
    for now in (fewer, more):
        assert resolve(target, now, store).box is None
