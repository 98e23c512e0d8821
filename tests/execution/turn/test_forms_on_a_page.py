"""S6.12 on a real page: a form is one screen, its fields are filled one after the other, each in one step.

The page tells its server what it holds, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import ExecutionState, PromptKind
from execution.desktop.x11 import X11Desktop
from execution.models import Execution, Prompt
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.doubles.stage import Killed
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown

pytestmark = ON_A_PAGE

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Admission</title>
<style>
  body { font: 18px/1.5 "DejaVu Sans", sans-serif; margin: 30px 40px }
  label { display: inline-block; width: 180px } p { margin: 14px 0 }
  input, button { font: inherit; padding: 5px 9px; border: 1px solid #667; background: #fff }
  .over { position: fixed; left: 120px; top: 120px; width: 460px; height: 190px; background: #fff;
          border: 2px solid #333; padding: 20px; box-shadow: 0 0 0 2000px rgba(0, 0, 0, .45) }
</style>
<h1>Admission form</h1>
<form id="form" autocomplete="off">
<p><label for="name">Last name:</label><input id="name" value="%(name)s" size="26"></p>
<p><label for="ward">Ward:</label><input id="ward" size="26"></p>
<p><label for="note">Remark:</label><input id="note" size="26"></p>
<p><button type="button" id="save">Admit</button></p>
</form>
<script>
  let times = 0;
  const told = () => fetch("/held", { method: "POST", body: JSON.stringify([times++,
    Object.fromEntries([...document.querySelectorAll("input")].map(i => [i.id, i.value]))]) });
  document.getElementById("save").addEventListener("click", async () => {
    await told();
    document.body.innerHTML = "<h1>Patient admitted</h1>";
  });
  document.addEventListener("input", told);
  %(more)s
</script></html>"""

DIALOG = """
  let came = 0;
  document.getElementById("ward").addEventListener("mousedown", () => {
    if (came++) return;
    const over = document.createElement("div");
    over.className = "over";
    over.innerHTML = "<b>Session about to end</b><p>Do you want to go on?</p>"
      + "<input id='why' placeholder='Reason'> <button id='stay'>Stay</button>";
    document.body.append(over);
    setTimeout(() => document.getElementById("why").focus(), 0);
    document.getElementById("stay").onclick = () => over.remove();
  });"""
DEAF = """document.getElementById("ward").addEventListener("mousedown", e => e.preventDefault());"""


AWAY = {"Last name": -278, "Ward": -303, "Remark": -290}  # from the middle of the field to that of its label


def field(label: str) -> dict[str, Any]:
    evidence = {"named_by": {"text": f"{label}:", "dx": AWAY[label], "dy": 0}}
    return {"target_id": label.lower().replace(" ", "_"), "label": label, "role": "field", "evidence": evidence}


def fill(label: str, text: str, **params: Any) -> dict[str, Any]:
    return {
        "edge_id": f"fill_{label.lower().replace(' ', '_')}",
        "source": "form",
        "destination": "form",
        "action_type": "type_text",
        "params": {"text": text, "clear": True, **params},
        "target": field(label),
        "settle_ms": 150,
        "settle_timeout_ms": 1500,
        "retry_backoff_ms": 100,
    }


ADMIT = {
    "edge_id": "admit",
    "source": "form",
    "destination": "done",
    "action_type": "click",
    "target": {"target_id": "admit", "label": "Admit", "text": "Admit", "role": "button"},
    "expect": {"texts": ["Patient admitted"]},
    "settle_ms": 150,
}
NODES = [
    {"node_id": "form", "name": "Form", "texts": ["Admission form"], "window_title": "Admission*", "is_entry": True},
    {"node_id": "done", "name": "Done", "texts": ["Patient admitted"], "window_title": "Admission*", "is_end": True},
]
FORM = (
    fill("Last name", "{{patient}}"),
    fill("Ward", "{{ward}}"),
    fill("Remark", "{{remark}}"),
    ADMIT,
)
VARIABLES = [{"name": name, "required": False} for name in ("patient", "ward", "remark")]


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 700) as one:
        yield one


class Held:
    """What the form held, each time that it told: requests may overtake each other."""

    def __init__(self) -> None:
        self.told: dict[int, dict[str, str]] = {}

    def hear(self, path: str, body: str) -> None:
        number, fields = json.loads(body)
        self.told[number] = fields

    @property
    def last(self) -> dict[str, str]:
        return self.told[max(self.told)] if self.told else {}

    def ever(self, name: str) -> set[str]:
        return {fields.get(name, "") for fields in self.told.values()}


@contextmanager
def form(screen: VirtualDesktop, *, name: str = "", more: str = "") -> Iterator[Held]:
    """The form in front; gives what it held each time that it changed."""
    held = Held()
    with (
        serving(lambda path: PAGE % {"name": name, "more": more}, held.hear) as p,
        shown(screen, p, "Admission", size=(900, 600), at=(40, 30)),
    ):
        yield held


def run(
    screen: VirtualDesktop, analyzer: Any, answer: str = "stop", desktop: X11Desktop | None = None, **fields: Any
) -> tuple[Execution, list[Prompt]]:
    """A run of the form; every question is answered alike, and a run that pauses is stopped."""
    version = make_published(nodes=NODES, edges=fields.pop("edges", FORM), variables=VARIABLES)
    values = {"patient": "Byron", "ward": "Ward 7 North", "remark": "", **fields}
    execution = start(workflow_id=version.workflow.workflow_id, mode="automatic", variables=values)
    asked: list[Prompt] = []

    def person(prompt: Prompt) -> None:
        asked.append(prompt)
        choice = answer if prompt.kind == PromptKind.IN_DOUBT else "reject"
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)

    hooks = Hooks(on_prompt=person, on_begin=stop_when_paused)
    Runner(desktop=desktop or X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    return Execution.objects.by_id(execution.execution_id), asked


def stop_when_paused(journal: Any) -> None:
    """Nobody is there to resume it."""

    def paused(execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            Execution.objects.filter(pk=execution.pk).update(wish="stop")

    journal.on_state.append(paused)


def test_a_run_loop_killed_between_click_and_typing_fills_the_field_once(screen: VirtualDesktop, analyzer: Any) -> None:
    """S9.2, S6.12: the field has the focus already, and a part of the text: it is emptied and filled again."""
    with form(screen, name="Somebody Else") as held:
        desktop = X11Desktop(screen.display)
        type_text = desktop.type_text

        def dies(text: str) -> None:
            type_text(text[:3])
            raise Killed

        desktop.type_text = dies  # type: ignore[method-assign]
        with pytest.raises(Killed):
            run(screen, analyzer, desktop=desktop)
        wait_until(lambda: held.last.get("name") == "Byr", what="the beginning of the text")
        execution = Execution.objects.get()
        assert execution.steps.in_doubt().count() == 1
        asked: list[Prompt] = []
        hooks = Hooks(on_prompt=asked.append, on_begin=stop_when_paused)
        Runner(desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
        execution.refresh_from_db()
    assert (asked, execution.state) == ([], ExecutionState.COMPLETED), outcomes(execution)
    assert held.last["name"] == "Byron"
    assert outcomes(execution)[:2] == [
        ("fill_last_name", "interrupted", "cannot_tell"),
        ("fill_last_name", "succeeded", "yes"),
    ]


def outcomes(execution: Execution) -> list[tuple[str, str, str]]:
    return list(execution.steps.order_by("index").values_list("edge_id", "outcome", "verified"))


def test_a_form_is_one_screen_with_a_step_for_each_field(screen: VirtualDesktop, analyzer: Any) -> None:
    """S6.12: three fields and a button, whatever stood in them before; each field is verified by itself."""
    with form(screen, name="Somebody Else") as held:
        execution, asked = run(screen, analyzer, remark="fever since Monday")
    assert asked == [], [p.message for p in asked]
    assert execution.state == ExecutionState.COMPLETED, outcomes(execution)
    assert outcomes(execution)[:4] == [
        ("fill_last_name", "succeeded", "yes"),
        ("fill_ward", "succeeded", "yes"),
        ("fill_remark", "succeeded", "yes"),
        ("admit", "succeeded", "yes"),
    ]
    assert held.last == {"name": "Byron", "ward": "Ward 7 North", "note": "fever since Monday"}


def test_nothing_is_typed_into_a_dialog_that_the_click_brought(screen: VirtualDesktop, analyzer: Any) -> None:
    """Between click and typing a dialog takes the focus: what was meant for the field is not typed into it."""
    with form(screen, more=DIALOG) as held:
        execution, _asked = run(screen, analyzer)
    assert execution.state == ExecutionState.STOPPED
    assert held.ever("why") | held.ever("ward") == {""}
    assert ("fill_ward", "succeeded") not in [(edge, outcome) for edge, outcome, _ in outcomes(execution)]


def test_a_field_that_does_not_take_the_click_is_not_typed_into(screen: VirtualDesktop, analyzer: Any) -> None:
    """The focus stays in the field before: its text is not overwritten."""
    with form(screen, more=DEAF) as held:
        execution, _asked = run(screen, analyzer)
    assert execution.state == ExecutionState.STOPPED
    assert held.last["name"] == "Byron"
    assert held.ever("ward") == {""}
