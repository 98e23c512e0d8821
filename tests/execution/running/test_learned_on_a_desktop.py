"""S6.4 with the product's own eyes and judge: a coach shows a button that was renamed, and later runs find it.

A wrong coach shows its twin: found out at the first act, and nothing more is done on his word.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from execution.actions import control
from execution.actions.corrections import put_correction
from execution.actions.decide import decide
from execution.choices import CorrectionState, ExecutionState, PromptKind, UseOutcome
from execution.models import CorrectionPack, CorrectionUse, Execution, LearnedCorrection, Prompt
from execution.perception.analyzer import ScreenAnalyzer
from execution.running.runner import Hooks, Runner
from execution.types import Box, DecisionSource, Point, TextLine, pixels_digest
from sentences.said import from_json, worded
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel
from tests.factories import make_picture, make_published
from tests.support.control import run_loop, until
from tests.support.learned import taught_in
from tests.support.scripted import BUTTON, KnownReader, analyzer, publish_line, queue
from workflows.models import WorkflowVersion
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder", "tried_at_once")]

TWIN = Box(400, 480, 160, 48)


def page(name: str, button: str, then: str, twin: str = "Delete") -> ScriptedScreen:
    widgets: list[Any] = [TextLabel(text=f"Page {name}", at=Point(60, 90)), Button(name="go", text=button, box=BUTTON)]
    if name == "two":
        widgets.append(Button(name="other", text=twin, box=TWIN))
    return ScriptedScreen(
        name=name,
        title=f"{name.title()} - Forms",
        widgets=widgets,
        on={"go": then, "other": "gone" if twin == "Delete" else then},
    )


def desktop(button: str = "Continue", twin: str = "Delete") -> ScriptedDesktop:
    """As it was taught but for the button of the second page."""
    gone = ScriptedScreen(name="gone", title="Gone", widgets=[TextLabel(text="All is gone", at=Point(60, 90))])
    return ScriptedDesktop(
        [page("one", "Go on", "two"), page("two", button, "three", twin), page("three", "", ""), gone]
    )


def shows(box: Box) -> Any:
    def answer(prompt: Prompt) -> None:
        assert prompt.kind in (PromptKind.TARGET, PromptKind.COACHING)
        size = prompt.step.screen["window"]["screen_resolution"]
        target = {"point": [box.center.x / size[0], box.center.y / size[1]]}
        decide(prompt_id=prompt.pk, choice="correct", correction={"target": target}, source=DecisionSource.PROGRAM)

    return answer


def says(choice: str, kind: PromptKind) -> Any:
    def answer(prompt: Prompt) -> None:
        assert prompt.kind == kind, worded(prompt.message)
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)

    return answer


def stops(prompt: Prompt) -> None:
    assert prompt.kind == PromptKind.TARGET, "nobody suggests what proved wrong"
    control.stop(execution_id=prompt.execution.execution_id)


def run(version: WorkflowVersion, on: ScriptedDesktop, *answers: Any, reads: Any = analyzer) -> Execution:
    said = list(answers)

    def answer(prompt: Prompt) -> None:
        assert said, f"a person was asked: {worded(prompt.message)}"
        said.pop(0)(prompt)

    execution = queue(version)
    Runner(desktop=on, analyzer=reads(on), once=True, hooks=Hooks(on_prompt=answer)).run()
    assert not said, "not everybody was asked"
    return Execution.objects.by_id(execution.execution_id)


def clicked(on: ScriptedDesktop) -> int:
    return sum(act.kind == "click" for act in on.log)


@pytest.fixture
def version() -> WorkflowVersion:
    return publish_line("one", "two", "three")


def test_coached_once_it_is_found_again_and_soon_without_a_person(version: WorkflowVersion) -> None:
    assert run(version, desktop(), shows(BUTTON)).state == ExecutionState.COMPLETED
    accept = says("accept", PromptKind.CONFIRMATION)
    for _ in range(2):
        on = desktop()
        assert run(version, on, accept).state == ExecutionState.COMPLETED
        assert clicked(on) == 2
    alone = desktop()
    assert run(version, alone).state == ExecutionState.COMPLETED, "nobody is asked any more"
    assert clicked(alone) == 2
    row = LearnedCorrection.objects.get()
    assert (row.state, row.streak, row.conditions["theme"]) == (CorrectionState.TRUSTED, 3, "light")


def test_what_was_taught_is_done_as_before_where_it_is_still_there(version: WorkflowVersion) -> None:
    run(version, desktop(), shows(BUTTON))
    old = desktop("Go on")
    assert run(version, old).state == ExecutionState.COMPLETED
    assert not CorrectionUse.objects.filter(ordered=False).exists(), "it had nothing to say"


def test_a_coach_who_shows_the_twin_twice_is_found_out_each_time(version: WorkflowVersion) -> None:
    """What he ordered is all that was ever done wrong."""
    for times in (1, 2):
        on = desktop()
        undone = says("stop", PromptKind.IN_DOUBT)
        assert run(version, on, shows(TWIN), undone).state == ExecutionState.STOPPED
        assert clicked(on) == 2, "to the second page, and what he ordered"
        states = set(LearnedCorrection.objects.values_list("state", flat=True))
        assert (LearnedCorrection.objects.count(), states) == (times, {CorrectionState.OFF})
    on = desktop()
    run(version, on, stops)
    assert clicked(on) == 1
    did = CorrectionUse.objects.filter(outcome=UseOutcome.WRONG)
    assert [use.ordered for use in did] == [True, True], "what they did is listed"


# --- a screen that a person picked -----------------------------------------------------------------------------------
class Remembering(KnownReader):
    """Reads of a kept picture what of it is not painted over, as it read the screen: not what a script draws now."""

    seen: ClassVar[dict[str, tuple[np.ndarray, tuple[TextLine, ...]]]] = {}

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        digest = pixels_digest(pixels)
        if digest not in self.seen:
            if np.array_equal(self.desktop.grab().pixels, pixels):
                lines = super().read(pixels, region)
            else:
                lines = tuple(
                    {line for then, read in self.seen.values() for line in read if same(pixels, then, line.box)}
                )
            self.seen[digest] = pixels, lines
        return self.seen[digest][1]


def same(pixels: np.ndarray, then: np.ndarray, box: Box) -> bool:
    place = np.s_[box.y : box.bottom, box.x : box.right]
    return bool(np.array_equal(pixels[place], then[place]))


def remembering(on: ScriptedDesktop) -> ScreenAnalyzer:
    return ScreenAnalyzer(Remembering(on), None, None)


def two_texts() -> WorkflowVersion:
    """The second page is known by a text more, which is not on it any longer."""
    return known_by(two=("Details",))


def test_a_screen_that_a_person_picked_is_known_by_that_look_and_asked_about_while_on_trial() -> None:
    version = two_texts()
    execution = queue(version)
    on = desktop("Go on")
    with run_loop(on, analyzer=remembering(on)):
        until(lambda: now(execution).state == ExecutionState.PAUSED, "the pause")
        control.resume(execution_id=execution.execution_id, node_id="two")
        until(lambda: now(execution).is_final, "the end")
    assert now(execution).state == ExecutionState.COMPLETED
    row = LearnedCorrection.objects.get()
    assert (row.kind, row.node_id, row.payload["gone"], row.state) == ("node", "two", ["Details"], "on_trial")
    for state in ("on_trial", "trusted"):
        asked: list[str] = []

        def accepts(prompt: Prompt, asked: list[str] = asked) -> None:
            asked.append(worded(prompt.message))
            says("accept", PromptKind.CONFIRMATION)(prompt)

        assert run(version, desktop("Go on"), accepts, reads=remembering).state == ExecutionState.COMPLETED
        assert "known only by a look on trial" in asked[0]
        assert LearnedCorrection.objects.get().state == state
    assert run(version, desktop("Go on"), reads=remembering).state == ExecutionState.COMPLETED, (
        "nobody is asked any more"
    )
    dark = {**row.conditions, "theme": "dark"}  # as if all of that had been on a dark screen
    LearnedCorrection.objects.update(proved=[{**dark, "runs": 3, "trusted": True}])
    CorrectionUse.objects.update(conditions=dark)
    asked.clear()
    assert run(version, desktop("Go on"), accepts, reads=remembering).state == ExecutionState.COMPLETED
    assert "known only by a look on trial" in asked[0]


def test_a_picked_screen_of_which_nothing_is_left_needs_a_person() -> None:
    version = two_texts()
    execution = queue(version)
    on = desktop("Go on")
    on._screens["two"].widgets[0] = TextLabel(text="Something else", at=Point(60, 90))
    with run_loop(on, analyzer=remembering(on)):
        until(lambda: now(execution).state == ExecutionState.PAUSED, "the pause")
        control.resume(execution_id=execution.execution_id, node_id="two")
        until(lambda: now(execution).is_final, "the end")
    assert LearnedCorrection.objects.get().state == CorrectionState.NEEDS_PERSON


@pytest.mark.parametrize("state", ["on_trial", "trusted"])
def test_of_two_looks_of_a_screen_each_has_to_be_trusted_before_nobody_is_asked(state: str) -> None:
    """Together they leave out more texts than either does, and nobody knows which of them it is known by."""
    version = known_by(two=("Details", "Encounter", "Orders"))
    first, second = ("Page two", "Encounter", "Orders"), ("Encounter", "Orders", "Deletion of records")
    looks = look(version, "two", "trusted", first, 4, "Details"), look(version, "two", state, second, 5, *UNSAID)
    accept = [says("accept", PromptKind.CONFIRMATION)] * (state == "on_trial")
    for texts in (second, first):
        assert run(version, saying("two", *texts), *accept, reads=remembering).state == ExecutionState.COMPLETED
    looks[1].refresh_from_db()
    assert (looks[1].state, looks[1].streak) == (state, 0), "what may have been the other proves neither"


def test_no_run_ends_unasked_on_a_screen_that_is_known_by_a_look_on_trial() -> None:
    version = known_by(three=("Order saved",))
    row = look(version, "three", "on_trial", ("Page three", "Kept"), 4, "Order saved")
    execution = queue(version)
    on = saying("three", "Page three", "Kept aside")
    with run_loop(on, analyzer=remembering(on)):
        until(lambda: now(execution).state == ExecutionState.PAUSED or now(execution).is_final, "the pause")
        assert now(execution).state == ExecutionState.PAUSED
        assert "known only by a look on trial" in worded(from_json(now(execution).pause_detail["message"]))
        control.resume(execution_id=execution.execution_id, node_id="three")
        until(lambda: now(execution).is_final, "the end")
    assert now(execution).state == ExecutionState.COMPLETED
    put_correction(correction_id=row.pk, state="trusted", reason="it is plain")
    alone = saying("three", "Page three", "Kept aside")
    assert run(version, alone, reads=remembering).state == ExecutionState.COMPLETED


UNSAID = ("Page two", "Details")
LIGHT = {"theme": "light", "size": [1280, 800]}


def known_by(**more: tuple[str, ...]) -> WorkflowVersion:
    """Three pages in a row, some known by further texts."""
    names = ("one", "two", "three")
    nodes = [
        {
            "node_id": name, "name": name.title(), "texts": [f"Page {name}", *more.get(name, ())],
            "window_title": f"{name.title()} - Forms", "is_entry": name == "one", "is_end": name == "three",
        }
        for name in names
    ]  # fmt: skip
    edges = [
        {
            "edge_id": f"{a}_{b}", "source": a, "destination": b, "action_type": "click", "settle_ms": 20,
            "target": {"target_id": f"go_{a}", "label": "Go on", "text": "Go on", "role": "button"},
            "settle_timeout_ms": 500, "retry_backoff_ms": 0,
        }
        for a, b in pairwise(names)
    ]  # fmt: skip
    return make_published(nodes=nodes, edges=edges, variables=[])


def saying(name: str, *texts: str) -> ScriptedDesktop:
    """A desktop on which that page says those texts."""
    on = desktop("Go on")
    widgets = on._screens[name].widgets
    widgets[:1] = [TextLabel(text=text, at=Point(60, 90 + 60 * row)) for row, text in enumerate(texts)]
    return on


def look(
    version: WorkflowVersion, node: str, state: str, texts: tuple[str, ...], seed: int, *gone: str
) -> LearnedCorrection:
    """A look of that node, as a person picked it when the screen said those texts."""
    picture = make_picture(seed=seed, width=1280, height=800).digest
    Remembering.seen[pixels_digest(PictureStore().get(picture))] = tuple(
        TextLine(text=text, box=Box(60, 90 + 60 * row, 12 * len(text), 24)) for row, text in enumerate(texts)
    )
    pack, _ = CorrectionPack.objects.get_or_create(workflow=version.workflow)
    return LearnedCorrection.objects.create(
        pack=pack, kind="node", node_id=node, of=node, taught_as=taught_in(version, "node", "", node),
        payload={"picture": picture, "gone": list(gone)}, picture=picture, conditions=LIGHT,
        version_number=version.number, state=state, began_as=state, execution_id="x", step=1,
    )  # fmt: skip


def now(execution: Execution) -> Execution:
    return Execution.objects.get(pk=execution.pk)
