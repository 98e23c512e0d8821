"""S9.3: never again by itself what may have happened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution.turn.repeating import is_settled, may_repeat, may_try_again
from execution.types import ActionResult, ActionStatus, Answer, Verification
from workflows.catalogue import ACTIONS, effect_class_of
from workflows.choices import EffectClass

DONE, FAILED = ActionResult(status=ActionStatus.DONE), ActionResult(status=ActionStatus.FAILED)
HARMLESS = (EffectClass.READ, EffectClass.IDEMPOTENT)
classes = st.sampled_from([e for e in EffectClass if e is not EffectClass.UNDECLARED])
seen = st.builds(
    Verification,
    answer=st.sampled_from([Answer.NO, Answer.CANNOT_TELL]),
    said=st.sampled_from(["", "The request timed out."]),
    untouched=st.booleans(),
)


@given(classes, st.lists(seen, max_size=8))
def test_without_a_person_one_act_is_all_unless_it_does_no_harm_or_is_seen_undone(effect, after) -> None:
    """S9.3: over any sequence of what came after each act."""
    acts = 1
    for verification in after:
        if not may_try_again("click", effect, DONE, verification):
            break
        acts += 1
    undone = effect is EffectClass.OBSERVABLE and after and after[0].untouched and not after[0].said
    assert acts == 1 or effect in HARMLESS or undone


@given(classes, seen)
def test_what_was_not_sent_may_be_tried_again_and_what_the_loop_does_itself_never(effect, verification) -> None:
    """S1.16"""
    assert may_try_again("click", effect, FAILED, verification)
    assert not may_try_again("navigate", effect, FAILED, verification)


@given(seen)
def test_what_does_no_harm_may_be_done_again_whatever_is_seen(verification) -> None:
    """S9.3"""
    for effect in HARMLESS:
        assert may_repeat(effect, verification)
        assert may_try_again("click", effect, DONE, verification)


def test_opaque_as_a_person_chose_it_stands_and_undeclared_is_worked_out() -> None:
    """S9.3"""
    for expects in (False, True):
        assert effect_class_of("click", {}, "opaque", expects=expects) is EffectClass.OPAQUE
        assert effect_class_of("type_text", {"clear": True}, "opaque", expects=expects) is EffectClass.OPAQUE
        assert effect_class_of("scroll", {}, "opaque", expects=expects) is EffectClass.OPAQUE
    assert effect_class_of("click", {}, "undeclared", expects=False) is EffectClass.OPAQUE
    assert effect_class_of("click", {}, "undeclared", expects=True) is EffectClass.OBSERVABLE
    assert effect_class_of("type_text", {"clear": True}, "undeclared", expects=True) is EffectClass.IDEMPOTENT
    assert effect_class_of("shout", {}, "undeclared", expects=False) is EffectClass.OPAQUE
    assert not may_repeat(EffectClass.OPAQUE, Verification(answer=Answer.NO, untouched=True))


def test_going_somewhere_is_no_reading() -> None:
    """S9.3: a menu path clicks; what only looks or waits is all that reads."""
    reads = {name for name, spec in ACTIONS.items() if spec.effect_class is EffectClass.READ}
    waits = {"wait", "wait_text", "wait_text_gone", "wait_node", "wait_stable"}
    assert reads == {"scroll", "must_see", "must_see_row", "read_value", "return_workflow"} | waits
    assert effect_class_of("navigate", {}, "", expects=False) is EffectClass.OPAQUE


@pytest.mark.parametrize("answer", list(Answer))
def test_the_run_goes_on_unsure_only_where_nothing_speaks_against_it(answer: Answer) -> None:
    """S1.5"""
    assert is_settled(EffectClass.OPAQUE, Verification(answer=answer))
    spoken = Verification(answer=answer, said="Nobody knows.")
    assert is_settled(EffectClass.OPAQUE, spoken) is (answer is Answer.YES)
    assert is_settled(EffectClass.READ, spoken)
