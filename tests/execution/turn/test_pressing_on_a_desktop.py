"""A button of a real program's question, chosen by a person and pressed by the robot (S1.6)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from execution.actions import control
from execution.actions.start import start
from execution.choices import ExecutionState, Origin, Outcome, PauseReason
from execution.desktop.x11 import X11Desktop
from execution.models import Execution
from execution.perception.analyzer import ScreenAnalyzer
from execution.running.runner import Hooks, Runner
from tests.factories import make_published
from tests.support.display import VirtualDesktop, missing_programs, virtual_desktop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.display, pytest.mark.slow]

NODES = [
    {"node_id": "draft", "name": "Draft", "texts": ["File", "Edit"], "window_title": "*draft.txt*", "is_entry": True},
    {"node_id": "kept", "name": "Kept", "texts": ["File", "Edit"], "window_title": "*kept.txt*", "is_end": True},
]
CLOSES = {
    "edge_id": "close",
    "source": "draft",
    "destination": "kept",
    "action_type": "press_keys",
    "params": {"keys": "ctrl+w"},
    "settle_ms": 300,
    "settle_timeout_ms": 1500,
}


@pytest.fixture(autouse=True)
def few_tries(own_folder: None, settings: Any) -> None:
    settings.RPA_MAX_NO_MATCH_RETRIES = 2


def closing_a_changed_note(
    analyzer: ScreenAnalyzer, folder: Path, when_paused: Callable[[Execution, VirtualDesktop], None]
) -> tuple[Execution, list[str]]:
    """A run closes the changed note of two; gives the run and the windows that are left."""
    if missing := missing_programs("mousepad"):
        pytest.fail(f"install what this test needs: {', '.join(missing)}")
    kept, draft = folder / "kept.txt", folder / "draft.txt"
    kept.write_text("what stays\n")
    draft.write_text("what was written\n")
    with virtual_desktop(1280, 800) as screen:
        screen.spawn(["mousepad", str(kept), str(draft)])
        screen.wait_for_window("draft.txt")
        desktop = X11Desktop(screen.display)
        try:
            desktop.type_text("seen at ten ")

            def begun(journal: Any) -> None:
                journal.on_state.append(
                    lambda run: when_paused(run, screen) if run.state == ExecutionState.PAUSED else None
                )

            version = make_published(nodes=NODES, edges=[CLOSES], variables=[])
            run = start(workflow_id=version.workflow.workflow_id, mode="automatic")
            Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_begin=begun)).run()
        finally:
            desktop.close()
        left = [window.title for window in screen.windows()]
    assert draft.read_text() == "what was written\n"
    return Execution.objects.get(pk=run.pk), left


def test_the_button_a_person_chose_closes_the_question_and_the_run_goes_on(
    analyzer: ScreenAnalyzer, tmp_path: Path, operator: Any
) -> None:
    pauses: list[dict[str, Any]] = []

    def chooses(run: Execution, screen: VirtualDesktop) -> None:
        pauses.append({"reason": run.pause_reason, **run.pause_detail})
        if len(pauses) > 1:
            control.stop(execution_id=run.execution_id)
            return
        button = next(b["text"] for b in run.pause_detail["dialog"]["buttons"] if "Don" in b["text"])
        control.resume(execution_id=run.execution_id, user=operator, press=button, origin=Origin.PAGE)

    run, left = closing_a_changed_note(analyzer, tmp_path, chooses)
    assert [p["reason"] for p in pauses] == [PauseReason.DIALOG]
    assert pauses[0]["dialog"]["title"] == "Save Changes"
    pressed = run.steps.get(action_type="press_button")
    assert (pressed.outcome, "as operator (page) chose" in pressed.message) == (Outcome.SUCCEEDED, True)
    assert run.state == ExecutionState.COMPLETED
    assert [title for title in left if "kept.txt" in title]
    assert not [title for title in left if "draft.txt" in title or "Save" in title]
