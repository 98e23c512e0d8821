"""S9.3 on a real page: a Save is pressed once, however its page answers; the page counts its records.

The server counts what it is sent, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import PromptKind
from execution.desktop.x11 import X11Desktop
from execution.models import Execution, Prompt
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown

pytestmark = ON_A_PAGE

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Record form</title>
<style>
  body { font: 18px/1.6 "DejaVu Sans", sans-serif; margin: 40px }
  button, .quiet { font: inherit; padding: 9px 26px; border: 1px solid #557; background: #e8ecf4;
                   display: inline-block }
</style>
<h1>New record</h1><p>Of the front desk, for today</p><p>%(button)s</p><p id="said"></p>
<script>
  const later = [%(later)s];
  document.getElementById("save").addEventListener("click", () => {
    fetch("/save", { method: "POST", body: "record" });
    for (const [ms, text] of later) setTimeout(() => { document.getElementById("said").textContent = text }, ms);
  });
</script></html>"""
BUTTON, QUIET = '<button id="save">Save</button>', '<span class="quiet" id="save">Save</span>'
DOUBT = "We do not know whether your record was saved."
# What the page says after how many milliseconds, and what of it must stand in the question.
ANSWERS = {
    "says that it does not know": (BUTTON, [(0, DOUBT)], DOUBT),
    "takes long": (BUTTON, [(0, "Saving…"), (9000, "Saved")], ""),
    "takes its word back": (
        BUTTON,
        [(0, "Saved"), (1000, "Error: the record could not be saved.")],
        "could not be saved",
    ),
    "says nothing": (BUTTON, [], ""),
    "says nothing and moves nothing": (QUIET, [], ""),
    "a message comes and goes": (BUTTON, [(0, "Working on it"), (900, "")], ""),
}


@contextmanager
def record_form(screen: VirtualDesktop, page: str) -> Iterator[list[str]]:
    """The page in front; gives what it has sent."""
    saved: list[str] = []
    with (
        serving(lambda path: page, lambda path, body: saved.append(body)) as port,
        shown(screen, port, "Record form", size=(900, 600), at=(40, 30)),
    ):
        yield saved


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 700) as one:
        yield one


def workflow(effect_class: str) -> Execution:
    nodes = [
        {"node_id": "form", "name": "Form", "texts": ["New record"], "window_title": "Record form*", "is_entry": True},
        {"node_id": "saved", "name": "Saved", "texts": ["Saved"], "window_title": "Record form*", "is_end": True},
    ]
    click = {
        "edge_id": "save",
        "source": "form",
        "destination": "saved",
        "action_type": "click",
        "target": {"target_id": "save", "label": "Save", "text": "Save", "role": "button"},
        "expect": {"texts": ["Saved"]},
        "effect_class": effect_class,
        "settle_ms": 200,
        "settle_timeout_ms": 2000,
        "retry_backoff_ms": 200,
    }
    version = make_published(nodes=nodes, edges=[click], variables=[])
    return start(workflow_id=version.workflow.workflow_id, mode="automatic")


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_save_is_pressed_once_however_its_page_answers(screen: VirtualDesktop, analyzer: Any, answer: str) -> None:
    button, says, told = ANSWERS[answer]
    page = PAGE % {"button": button, "later": ", ".join(f'[{ms}, "{text}"]' for ms, text in says)}
    asked: list[Prompt] = []

    def person(prompt: Prompt) -> None:
        asked.append(prompt)
        decide(prompt_id=prompt.pk, choice="stop", source=DecisionSource.PROGRAM)

    with record_form(screen, page) as saved:
        execution = workflow("observable" if "nothing" in answer else "undeclared")
        desktop = X11Desktop(screen.display)
        Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=person)).run()
        assert saved == ["record"], answer
    assert [p.kind for p in asked] == [PromptKind.IN_DOUBT], Execution.objects.by_id(execution.execution_id).state
    assert told in asked[0].message
    step = asked[0].step
    step.refresh_from_db()
    assert step.picture_before
    assert step.picture_after
