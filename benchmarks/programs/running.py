"""One taught workflow, run by the product's own loop: in automatic with a person who stops it when asked, or with one
who accepts everything, a question as well whose screen has changed meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


def taught(story: Any, screen: Any, analyzer: Any, folder: Path, *, points: Callable[[Any], Any] | None = None) -> Any:
    """The workflow of the story, taught on what `screen` shows and published; `points` says where an act clicks."""
    from benchmarks.story_lesson import Lesson, draw
    from execution.desktop.x11 import X11Desktop
    from workflows.actions.publish import publish
    from workflows.pictures import PictureStore

    workflow = draw(story)
    desktop = X11Desktop(screen.display)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lesson = Lesson(story, workflow, desktop, analyzer, PictureStore(), folder)
        if points:
            lesson.point = lambda act, state: points(act)  # type: ignore[method-assign]
        lesson.give()
    finally:
        desktop.close()
    publish(workflow=workflow, user=None, note="taught")
    return workflow


def run(
    workflow: Any,
    values: dict[str, str],
    screen: Any,
    analyzer: Any,
    *,
    asked_at: str = "",
    meanwhile: Callable[[], None] | None = None,
) -> tuple[Any, list[str]]:
    """The run as it was left and what people were asked. What asks, or pauses, is stopped.

    With `asked_at` every act is asked about and accepted, up to that one: while its question is open `meanwhile` is
    done. It is accepted all the same once the question says that something has changed; what is asked then is stopped.
    """
    from django.db import connections
    from django.utils import timezone

    from execution.actions.decide import decide
    from execution.actions.start import start
    from execution.choices import ExecutionState, PromptKind
    from execution.desktop.x11 import X11Desktop
    from execution.models import Execution, Prompt
    from execution.running.runner import Hooks, Runner
    from execution.types import DecisionSource
    from tests.support.display import DisplayProblem, wait_until

    asked: list[str] = []
    leave = threading.Event()

    def answer(prompt: Prompt, choice: str) -> None:
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)

    def hasty(prompt: Prompt) -> None:
        assert meanwhile
        meanwhile()
        try:
            said = wait_until(lambda: Prompt.objects.get(pk=prompt.pk).changed, what="the word that it has changed")
            asked.append(f"while asked: {said}")
        except DisplayProblem:
            asked.append("while asked: nothing was said")
        answer(prompt, "accept")
        connections.close_all()

    def person(prompt: Prompt) -> None:
        before = asked_at and not asked
        if before and prompt.step and prompt.step.edge_id == asked_at and meanwhile:
            threading.Thread(target=hasty, args=(prompt,)).start()
        elif before and prompt.kind == PromptKind.COACHING:
            answer(prompt, "accept")
        else:
            asked.append(f"{prompt.kind}: {prompt.message}")
            answer(prompt, "stop" if prompt.kind == PromptKind.IN_DOUBT else "reject")

    def state(execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            asked.append(f"{execution.pause_reason}: {execution.pause_detail.get('message', '')}")
            leave.set()

    mode = "coaching" if asked_at else "automatic"
    execution = start(workflow_id=workflow.workflow_id, mode=mode, variables=values)
    hooks = Hooks(on_prompt=person, on_begin=lambda journal: journal.on_state.append(state))
    Runner(
        desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, leave=leave, hooks=hooks,
        execution_id=execution.execution_id,
    ).run()  # fmt: skip
    execution = Execution.objects.by_id(execution.execution_id)
    left = execution.state
    if not execution.is_final:
        Execution.objects.filter(pk=execution.pk).update(state=ExecutionState.STOPPED, wish="", ended_at=timezone.now())
    return (execution, left), asked
