"""S6.12 on a real page: an option is chosen, a box set, a date put; what is so already is left alone.

The page tells its server what it holds after each change.
"""

from __future__ import annotations

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
from tests.execution.turn.test_forms_on_a_page import Held, stop_when_paused
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown

pytestmark = ON_A_PAGE

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Order</title>
<style>
  body { font: 18px/1.5 "DejaVu Sans", sans-serif; margin: 20px 40px }
  p { margin: 8px 0 } .l { display: inline-block; width: 170px }
  select, input { font: inherit; padding: 4px 8px } .g label { display: block }
</style>
<h1>Order form</h1>
<p><span class="l">Ward:</span><select id="ward" style="width:220px"></select></p>
<div>Urgency:</div><div class="g"><label><input type="radio" name="u" value="low"> Low</label>
<label><input type="radio" name="u" value="normal" checked> Normal</label>
<label><input type="radio" name="u" value="high"> High</label></div>
<p><label><input type="checkbox" id="fasting"> Fasting</label></p>
<p><label><input type="checkbox" id="isolation" checked> Isolation</label></p>
<p><label><input type="checkbox" id="mixed"> Consent</label></p>
<p><span class="l">Born on:</span><input type="date" id="born" style="width:200px"></p>
<p><span class="l">Seen on:</span><input id="seen" size="14"></p>
<p><span class="l">Tests:</span><select id="tests" size="7" style="vertical-align:top;width:220px"></select></p>
<script>
  for (let n = 1; n <= 30; n++) ward.add(new Option("Ward " + n));
  for (const t of %(tests)s) tests.add(new Option(t));
  mixed.indeterminate = true;
  let times = 0;
  const told = () => fetch("/held", { method: "POST", body: JSON.stringify([times++, {
    ward: ward.value, born: born.value, urgency: document.querySelector("[name=u]:checked").value,
    tests: tests.value, seen: seen.value,
    fasting: fasting.checked, isolation: isolation.checked, mixed: mixed.checked }]) });
  document.addEventListener("input", told);
  document.addEventListener("change", told);
</script></html>"""
TESTS = [
    "Blood count", "Glucose", "Creatinine", "Sodium", "Potassium", "Calcium", "Iron", "Ferritin", "Lipase", "Urea",
    "Folate", "Albumin",
]  # fmt: skip


def beside(label: str, dx: int, role: str = "field", dy: int = 0) -> dict[str, Any]:
    return {
        "target_id": label.lower().replace(" ", "_"),
        "label": label,
        "role": role,
        "evidence": {"named_by": {"text": f"{label}:", "dx": dx, "dy": dy}},
    }


def named(text: str, role: str = "text") -> dict[str, Any]:
    return {"target_id": text.lower().strip(":"), "label": text, "text": text, "role": role}


def edge(action: str, target: dict[str, Any], number: int = 0, **params: Any) -> dict[str, Any]:
    return {
        "edge_id": f"{action}_{target['target_id']}_{number}",
        "source": "order",
        "destination": "order",
        "action_type": action,
        "params": params,
        "target": target,
        "settle_ms": 150,
        "settle_timeout_ms": 4000,
        "retries": 1,
        "retry_backoff_ms": 100,
    }


WARD, TEST = beside("Ward", -257), beside("Tests", -255, dy=-70)
SEEN = beside("Seen on", -225)
NODES = [
    {"node_id": "order", "name": "Order", "texts": ["Order form"], "window_title": "Order*", "is_entry": True},
    {"node_id": "end", "name": "End", "texts": ["Everything was sent"], "is_end": True},
]
ON = {
    "edge_id": "on",
    "source": "order",
    "destination": "end",
    "action_type": "wait_text",
    "params": {"text": "Everything was sent", "timeout_s": 1},
}


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 860) as one:
        yield one


@contextmanager
def page(screen: VirtualDesktop, tests: list[str] = TESTS) -> Iterator[Held]:
    held = Held()
    html = PAGE % {"tests": tests}
    with serving(lambda path: html, held.hear) as port, shown(screen, port, "Order", size=(920, 800), at=(30, 20)):
        yield held


def run(
    screen: VirtualDesktop, analyzer: Any, *edges: dict[str, Any], entry: dict[str, Any] = NODES[0]
) -> tuple[Execution, list[Prompt]]:
    version = make_published(nodes=[entry, NODES[1]], edges=[*edges, ON], variables=[])
    execution = start(workflow_id=version.workflow.workflow_id, mode="automatic")
    asked: list[Prompt] = []

    def person(prompt: Prompt) -> None:
        asked.append(prompt)
        choice = "stop" if prompt.kind == PromptKind.IN_DOUBT else "reject"
        decide(prompt_id=prompt.pk, choice=choice, source=DecisionSource.PROGRAM)
        Execution.objects.filter(pk=prompt.execution_id).update(wish="stop")

    hooks = Hooks(on_prompt=person, on_begin=stop_when_paused)
    Runner(desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    return Execution.objects.by_id(execution.execution_id), asked


def told(execution: Execution) -> list[tuple[str, str, str, str]]:
    return [
        (step.edge_id, step.outcome, step.verified, str(step.message)) for step in execution.steps.order_by("index")
    ]


GOOD = {
    "far down a combo box": (edge("choose", WARD, option="Ward 27"), {"ward": "Ward 27"}),
    "a radio button": (edge("choose", named("Urgency:"), option="High"), {"urgency": "high"}),
    "in a list that scrolls": (edge("choose", TEST, option="Ferritin"), {"tests": "Ferritin"}),
    "a box on": (edge("set_state", named("Fasting"), state="on"), {"fasting": True}),
    "a box off": (edge("set_state", named("Isolation"), state="off"), {"isolation": False}),
    "a French date": (edge("pick_date", SEEN, date="2026-12-31", format="fr"), {"seen": "31/12/2026"}),
    "a date in the browser's own field": (
        edge("pick_date", beside("Born on", -234), date="2026-12-31", format="us"),
        {"born": "2026-12-31"},
    ),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_control_is_set_and_seen_to_be(screen: VirtualDesktop, analyzer: Any, case: str) -> None:
    act, wanted = GOOD[case]
    with page(screen) as held:
        execution, asked = run(screen, analyzer, act)
    first = told(execution)[0]
    assert first[1:3] == ("succeeded", "yes"), (first, [p.message for p in asked])
    assert wanted.items() <= held.last.items()


def test_what_is_so_already_is_not_touched(screen: VirtualDesktop, analyzer: Any) -> None:
    acts = [
        edge("set_state", named("Isolation"), state="on"),
        edge("set_state", named("Fasting"), state="off"),
        edge("choose", WARD, option="Ward 1"),
        edge("choose", named("Urgency:"), option="Normal"),
    ]
    with page(screen) as held:
        execution, _asked = run(screen, analyzer, *acts)
    assert [one[1:3] for one in told(execution)[:4]] == [("succeeded", "yes")] * 4, told(execution)
    assert held.told == {}


BAD = {
    "an option that is not there": (edge("choose", WARD, option="Ward 31"), "no option"),
    "an option that is there twice": (edge("choose", TEST, option="Iron"), "2 times"),
    "a box that is neither on nor off": (edge("set_state", named("Consent"), state="on"), "on or off"),
    "a text that reads like the option": (edge("choose", named("Seen on:"), option="Seen on:"), "no list opened"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_not_sure_is_left_alone_and_asked(screen: VirtualDesktop, analyzer: Any, case: str) -> None:
    act, why = BAD[case]
    with page(screen, tests=[*TESTS, "Iron"]) as held:
        execution, asked = run(screen, analyzer, act)
    assert execution.state == ExecutionState.STOPPED
    assert held.told == {}
    said = " ".join([one[3] for one in told(execution)] + [str(p.message) for p in asked])
    assert why in said, said
    assert ("succeeded",) not in [one[1:2] for one in told(execution)]
