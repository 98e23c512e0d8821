"""S6.4, S9.6: what a person was shown and agreed to is what is acted on, and not what a correction says since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.merging import merge
from execution.choices import CorrectionState, ExecutionState, PromptKind
from execution.models import CorrectionUse, LearnedCorrection, Prompt
from execution.types import ActionResult, DecisionSource, ResolveStatus, ScreenState, Suggestion, pixels_digest
from sentences.said import worded
from tests.doubles.stage import Stage
from tests.doubles.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tried_at_once")]

SHOWN = {"choice": "correct", "correction": {"target": {"point": [0.5, 0.25]}}}
TAUGHT, LEARNED = (5, 5), (0, 0)


class Drawn(World):
    """The taught place and the learned one may come and go without another screen; it keeps what was clicked."""

    stamp = 0

    def observe(self, *, whole: bool = False) -> ScreenState:
        seen = super().observe(whole=whole)
        pixels = seen.frame.pixels.copy()
        pixels[0, 0] = self.stamp
        return replace(seen, frame=replace(seen.frame, pixels=pixels, digest=pixels_digest(pixels)))

    def act(self, suggestion: Suggestion, hold: Any) -> ActionResult:
        self.clicked = [*getattr(self, "clicked", []), (suggestion.edge.edge_id, suggestion.resolution.box)]
        return super().act(suggestion, hold)

    def places(self) -> list[tuple[int, int]]:
        return [(box.x, box.y) for edge_id, box in self.clicked if edge_id == "bc"]


def learned_once(stage: Any) -> Stage:
    first: Stage = stage("automatic")
    first.world.unresolved["bc"] = ResolveStatus.NOT_FOUND
    first.run(SHOWN)
    return first


def accepting(run: Stage, meanwhile: Callable[[World], None], asked: list[Prompt]) -> Callable[[Prompt], None]:
    """Somebody who agrees; while the first one thinks about "bc" the screen becomes another one."""

    def accept(prompt: Prompt) -> None:
        if prompt.step.edge_id == "bc":
            asked.append(prompt)
            if len(asked) == 1:
                meanwhile(run.world)
                run.world.stamp = 99  # type: ignore[attr-defined]
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.COACH)

    return accept


def taught_goes(world: World) -> None:
    world.unresolved["bc"] = ResolveStatus.NOT_FOUND


def taught_comes(world: World) -> None:
    world.unresolved.clear()
    world.looks_differ = True


def box_of(prompt: Prompt) -> tuple[int, int]:
    x, y, *_ = prompt.step.suggestion["box"]
    return round(x * 60), round(y * 40)


@pytest.mark.parametrize("mode", ["automatic", "coaching"])
def test_who_agreed_to_the_taught_place_is_asked_again_before_the_learned_one_is_clicked(stage: Any, mode: str) -> None:
    both = Stage.again(learned_once(stage), mode, world=Drawn)
    both.world.looks_differ = True
    asked: list[Prompt] = []
    both.run(*[accepting(both, taught_goes, asked)] * 6)
    assert [box_of(prompt) for prompt in asked] == [TAUGHT, LEARNED]
    assert "marked is the place that the workflow says" in worded(asked[0].message)
    assert "not from the workflow but from a correction on trial" in worded(asked[1].message)
    assert both.world.places() == [LEARNED]  # type: ignore[attr-defined]
    assert both.world.acts.index("bc") > 0
    uses = CorrectionUse.objects.filter(ordered=False).order_by("pk").values_list("against", "acted")
    assert list(uses) == [(True, False), (False, True)]


def test_who_agreed_to_the_learned_place_is_asked_again_before_the_taught_one_is_clicked(stage: Any) -> None:
    both = Stage.again(learned_once(stage), "automatic", world=Drawn)
    both.world.unresolved["bc"] = ResolveStatus.NOT_FOUND
    asked: list[Prompt] = []
    both.run(*[accepting(both, taught_comes, asked)] * 6)
    assert [box_of(prompt) for prompt in asked] == [LEARNED, TAUGHT]
    assert both.world.places() == [TAUGHT]  # type: ignore[attr-defined]


def test_nor_is_a_trusted_one_taken_for_what_a_person_agreed_to(stage: Any) -> None:
    """It was not on the screen when they were asked."""
    first = learned_once(stage)
    LearnedCorrection.objects.update(state=CorrectionState.TRUSTED, began_as=CorrectionState.TRUSTED)
    both = Stage.again(first, "supervised", world=Drawn)
    asked: list[Prompt] = []
    run = both.run(*[accepting(both, taught_goes, asked)] * 6)
    assert [(prompt.kind, box_of(prompt)) for prompt in asked] == [
        (PromptKind.CONFIRMATION, TAUGHT), (PromptKind.CONFIRMATION, LEARNED)
    ]  # fmt: skip
    assert both.world.places() == [LEARNED]  # type: ignore[attr-defined]
    assert run.state == ExecutionState.COMPLETED


def test_what_stands_on_the_same_as_before_is_done_where_it_is_now(stage: Any) -> None:
    both = Stage.again(learned_once(stage), "automatic", world=Drawn)
    both.world.looks_differ = True
    asked: list[Prompt] = []
    both.run(*[accepting(both, lambda world: None, asked)] * 4)
    assert len(asked) == 1
    assert both.world.places() == [TAUGHT]  # type: ignore[attr-defined]


@pytest.mark.parametrize("state", [CorrectionState.OFF, CorrectionState.NEEDS_PERSON])
def test_what_is_off_before_it_is_done_is_not_done(stage: Any, state: CorrectionState) -> None:
    """Somebody agrees to what somebody else, or a try on stored pictures, has just found to be wrong."""
    run = Stage.again(learned_once(stage), "automatic", world=Drawn)
    run.world.unresolved["bc"] = ResolveStatus.NOT_FOUND

    def agree(prompt: Prompt) -> None:
        LearnedCorrection.objects.update(state=state)
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.COACH)

    run.run(agree, "reject")
    assert [prompt.kind for prompt in run.asked] == [PromptKind.CONFIRMATION, PromptKind.TARGET]
    assert run.world.acts == ["ab"]
    step = run.asked[0].step
    step.refresh_from_db()
    assert "not gone by any more" in worded(step.message)
    assert CorrectionUse.objects.get(step=step).acted is False


def test_once_it_is_part_of_the_workflow_another_place_is_still_asked_about(stage: Any) -> None:
    """What was a question as a correction is no certainty by being merged."""
    first = learned_once(stage)
    LearnedCorrection.objects.update(state=CorrectionState.TRUSTED, began_as=CorrectionState.TRUSTED)
    assert merge([LearnedCorrection.objects.get().pk]).number == 2
    both = Stage.again(first, "automatic", world=Drawn)
    both.world.looks_differ = True
    run = both.run("reject")
    assert [prompt.kind for prompt in both.asked] == [PromptKind.CONFIRMATION]
    assert "Another look of it in the workflow" in worded(both.asked[0].message)
    assert (both.world.acts, box_of(both.asked[0])) == (["ab"], TAUGHT)
    assert not run.steps.get(edge_id="bc").correction_uses.exists()


def test_a_place_that_is_known_only_since_then_is_asked_about(stage: Any) -> None:
    both = Stage.again(learned_once(stage), "supervised", world=Drawn)
    asked: list[Prompt] = []
    both.run(*[accepting(both, taught_comes, asked)] * 6)
    assert [box_of(prompt) for prompt in asked] == [TAUGHT, TAUGHT]
    assert "another place" not in worded(asked[0].message)
    assert "another place" in worded(asked[1].message)
