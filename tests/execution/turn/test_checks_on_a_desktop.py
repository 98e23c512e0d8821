"""The product's own stages on a scripted desktop: the right record or no click, dialogs closed, waits (S1.20, S9.6)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.decide import decide
from execution.choices import ExecutionMode, ExecutionState, Outcome, PromptKind
from execution.models import Execution, Prompt
from execution.running.runner import Hooks, Runner
from execution.types import Box, DecisionSource, Point
from tests.doubles.scripted import Button, ScriptedDesktop, ScriptedScreen, TextLabel
from tests.factories import make_published
from tests.support.scripted import BUTTON, analyzer, queue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

IDENTITY = [{"label": "Patient", "value": "Ada Byron"}]
UPDATE = {"name": "Update", "texts": ["Restart now"], "window_title": "Update*", "click": "Later"}


def page(name: str, then: str, *more: TextLabel) -> ScriptedScreen:
    button = Button(name="go", text="Go on", box=BUTTON)
    label = TextLabel(text=f"Page {name}", at=Point(60, 90))
    return ScriptedScreen(name=name, title=f"{name.title()} - Forms", widgets=[label, *more, button], on={"go": then})


def patient(name: str) -> TextLabel:
    return TextLabel(text=f"Patient: {name}", at=Point(60, 140))


def update(then: str) -> ScriptedScreen:
    text = TextLabel(text="Restart now", at=Point(60, 90))
    later = Button(name="later", text="Later", box=Box(60, 200, 100, 30))
    return ScriptedScreen(name="update", title="Update available", widgets=[text, later], on={"later": then})


def workflow(edge: dict[str, Any] | None = None, **fields: Any) -> Execution:
    nodes = [
        {"node_id": n, "name": n.title(), "texts": [f"Page {n}"], "window_title": f"{n.title()} - Forms", **marks}
        for n, marks in (("one", {"is_entry": True}), ("two", {"is_end": True}))
    ]
    click = {
        "edge_id": "go",
        "source": "one",
        "destination": "two",
        "action_type": "click",
        "target": {"target_id": "go", "label": "Go on", "text": "Go on", "role": "button"},
        "expect": {"window_title": "Two - Forms"},
        "settle_ms": 20,
        "settle_timeout_ms": 200,
        **(edge or {}),
    }
    return queue(make_published(nodes=nodes, edges=[click], variables=[], **fields))


def run(execution: Execution, desktop: ScriptedDesktop, *answers: Any) -> Execution:
    said = list(answers)

    def answer(prompt: Prompt) -> None:
        assert said, f"a person was asked: {prompt.message}"
        asked.append(prompt)
        said.pop(0)(prompt)

    asked: list[Prompt] = []
    Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, hooks=Hooks(on_prompt=answer)).run()
    return Execution.objects.by_id(execution.execution_id)


def clicks(desktop: ScriptedDesktop) -> int:
    return sum(act.kind == "click" for act in desktop.log)


def test_another_record_is_not_touched_and_the_right_one_is_once_it_is_there() -> None:
    """S9.6: a person opens the right record and says: look again."""
    wrong = page("one", "two", patient("Ada Byrd"))
    right = ScriptedScreen(
        name="right", title="One - Forms", widgets=[*wrong.widgets[:1], patient("Ada Byron"), wrong.widgets[-1]],
        on={"go": "two"},
    )  # fmt: skip
    desktop = ScriptedDesktop([wrong, right, page("two", "")])

    def opens(prompt: Prompt) -> None:
        assert (prompt.kind, clicks(desktop)) == (PromptKind.IDENTITY, 0)
        assert "Patient" in prompt.message
        desktop.show("right")
        decide(prompt_id=prompt.pk, choice="retry", source=DecisionSource.PROGRAM)

    done = run(workflow({"identity": IDENTITY}), desktop, opens)
    assert (done.state, clicks(desktop)) == (ExecutionState.COMPLETED, 1)


def test_a_dialog_that_an_action_brings_is_closed() -> None:
    desktop = ScriptedDesktop([page("one", "update"), update("two"), page("two", "")])
    done = run(workflow(popups=[UPDATE]), desktop)
    sentences = list(done.steps.order_by("index").values_list("sentence", "outcome"))
    assert done.state == ExecutionState.COMPLETED
    assert ("Close “Update”", Outcome.SUCCEEDED) in sentences
    assert clicks(desktop) == 2


def register(*names: str) -> ScriptedScreen:
    """Rows of one list, each with its own button."""
    widgets: list[Any] = [TextLabel(text="Page one", at=Point(60, 40))]
    for row, name in enumerate(names):
        widgets += [TextLabel(text=name, at=Point(60, 90 + 60 * row)), button(f"go{row}", row)]
    return ScriptedScreen(
        name="one", title="One - Forms", widgets=widgets, on={"go0": "other", "go1": "two", "go2": "other"}
    )


def button(name: str, row: int) -> Button:
    return Button(name=name, text="Go on", box=Box(400, 84 + 60 * row, 160, 36))


def test_what_a_person_shows_must_be_in_the_row_that_is_meant() -> None:
    """S1.10, S5.3: another record's button is not clicked because somebody slipped by a row; it is told, and asked."""
    desktop = ScriptedDesktop([register("Ada Byrd", "Ada Byron", "Ada Bryan"), page("other", ""), page("two", "")])
    size = desktop.identity().size

    def shows(row: int) -> Any:
        def answer(prompt: Prompt) -> None:
            assert clicks(desktop) == 0
            point = [480 / size.width, (102 + 60 * row) / size.height]
            correction = {"target": {"point": point}}
            decide(prompt_id=prompt.pk, choice="correct", source=DecisionSource.PROGRAM, correction=correction)

        return answer

    target: dict[str, Any] = {"target_id": "go", "label": "Go on", "text": "Go on", "role": "button"}
    target["evidence"] = {"row": ["Ada Byron"]}
    execution = workflow({"target": target})
    Execution.objects.filter(pk=execution.pk).update(mode=ExecutionMode.COACHING)
    done = run(execution, desktop, shows(0), shows(2), shows(1))
    assert (done.state, clicks(desktop)) == (ExecutionState.COMPLETED, 1)
    first, second, *_ = done.steps.order_by("index")
    assert {first.outcome, second.outcome} == {Outcome.REJECTED}
    assert "it is not in the row of 'Ada Byron'" in first.message
    assert done.current_node_id == "two"
