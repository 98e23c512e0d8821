"""S6.4, S5.9: an act that has a proof says of a correction what the proof says, and nothing before that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.mark import mark
from execution.choices import CorrectionState, Outcome, UseOutcome
from execution.models import CorrectionUse
from execution.types import DecisionSource
from tests.doubles.stage import Stage
from tests.execution.turn.test_loop_learned import NOT_FOUND, SHOWN, learned
from tests.execution.turn.test_loop_proofs import Scoped, act_of, look, proving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("tried_on_one", look.__name__)]

RIGHT, WRONG, UNKNOWN = UseOutcome.RIGHT, UseOutcome.WRONG, UseOutcome.UNKNOWN


@pytest.fixture
def again(stage: Any) -> Callable[..., Stage]:
    """Runs whose "save" is found by what a coach shows in the first, one after the other."""
    made: list[Stage] = []

    def begin(*, shows: bool = True, mode: str = "automatic") -> Stage:
        values = {"patient": "Ann"}
        one = Stage.again(made[-1], mode, world=Scoped, values=values) if made else proving(stage, mode)
        made.append(one)
        one.world.unresolved["save"] = NOT_FOUND
        if not shows:
            one.world.unresolved["save/see"] = NOT_FOUND
        return one

    return begin


def came_out() -> list[str]:
    """How the uses came out, but for the act that the coach ordered with it."""
    return list(CorrectionUse.objects.filter(ordered=False).order_by("pk").values_list("outcome", flat=True))


def ordered() -> str:
    return CorrectionUse.objects.get(ordered=True).outcome


@pytest.mark.parametrize(("answer", "how"), [("stop", UNKNOWN), ("done", RIGHT)])
def test_what_was_not_read_back_is_what_a_person_says_of_it(again: Any, answer: str, how: str) -> None:
    again().run(SHOWN)
    for _ in range(2):
        again(shows=False).run("accept", answer)
    assert came_out() == [how, how]
    assert (learned().state == CorrectionState.TRUSTED) == (how == RIGHT)


def test_said_not_to_be_done_it_is_off(again: Any) -> None:
    again().run(SHOWN)
    again(shows=False).run("accept", "retry", "stop")
    assert (came_out()[0], learned().state) == (WRONG, CorrectionState.OFF)


def test_read_back_it_is_right_and_trusted_in_the_end(again: Any) -> None:
    again().run(SHOWN)
    assert ordered() == RIGHT
    for _ in range(2):
        again().run("accept")
    assert (came_out(), learned().state) == ([RIGHT, RIGHT], CorrectionState.TRUSTED)


def test_until_it_is_read_back_nobody_knows(again: Any) -> None:
    again().run(SHOWN)
    one = again()
    one.journal.on_step.append(lambda step: one.leave.set() if step.edge_id == "save" else None)
    one.run("accept")
    assert (act_of(one).outcome, came_out()) == (Outcome.SUCCEEDED, [UNKNOWN])


def test_the_very_act_that_the_coach_ordered_is_wrong_where_it_was_not_done(again: Any) -> None:
    again(shows=False).run(SHOWN, "retry", "stop")
    assert (ordered(), learned().state) == (WRONG, CorrectionState.OFF)


def test_where_a_coach_put_something_else_in_its_place_that_is_to_blame(again: Any) -> None:
    """What else of the act stood on corrections is not."""
    again().run(SHOWN)
    one = again(shows=False, mode="coaching")
    put = one.world.correct
    one.world.correct = lambda suggestion, *said: replace(put(suggestion, *said), learned=suggestion.learned)
    one.run({"choice": "correct", "correction": {"wait_before": 0.01}}, "accept", "retry")
    act = act_of(one)
    assert (act.outcome, [use.acted for use in act.correction_uses.all()], came_out()) == (
        Outcome.FAILED, [True], [UNKNOWN],
    )  # fmt: skip


def test_what_a_person_marked_as_wrong_meanwhile_stays_wrong(again: Any, admin: Any) -> None:
    again().run(SHOWN)
    one = again()

    def say(step: Any) -> None:
        if step.edge_id == "save/see":
            mark(step=act_of(one), feedback="incorrect", user=admin)

    one.journal.on_step.append(say)
    one.run("accept")
    assert (came_out(), learned().state) == ([WRONG], CorrectionState.OFF)


def test_a_loop_that_died_in_the_act_leaves_nobody_knowing(again: Any) -> None:
    again().run(SHOWN)
    one = again(shows=False)
    one.journal.on_step.append(lambda step: one.journal.doubt(act_of(one)) if step.edge_id == "save/open" else None)
    one.run("accept", "retry", "stop")
    assert came_out()[0] == UNKNOWN


def test_what_a_person_did_by_hand_in_the_end_says_nothing_of_it(again: Any) -> None:
    """After it was tried on its word once."""
    again().run(SHOWN)
    one = again(shows=False, mode="coaching")

    def by_hand(prompt: Any) -> None:
        one.world.node = "b"
        CorrectionUse.objects.filter(step=prompt.step).update(acted=True)
        decide(prompt_id=prompt.pk, choice="manual", source=DecisionSource.PROGRAM)

    one.run(by_hand, "accept", "retry")
    assert (act_of(one).outcome, came_out()) == (Outcome.FAILED, [UNKNOWN])
