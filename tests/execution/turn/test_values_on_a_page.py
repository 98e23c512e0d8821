"""S6.12 on a real page: values read beside labels, in a row, in a box; kept and used. What is unsure is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import ExecutionState
from execution.desktop.x11 import X11Desktop
from execution.models import Execution, Prompt
from execution.record.summary import as_sentence, run_summary
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.doubles.stage import Killed
from tests.execution.turn.test_forms_on_a_page import Held, stop_when_paused
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown

pytestmark = ON_A_PAGE

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Invoice</title>
<style>
  body { font: 18px/1.5 "DejaVu Sans", sans-serif; margin: 24px 40px }
  p { margin: 10px 0 } label, b { display: inline-block; width: 190px; font-weight: normal }
  input { font: inherit; padding: 5px 9px; border: 1px solid #667 }
  td, th { padding: 5px 26px 5px 0; text-align: left } td.n, th.n { text-align: right }
</style>
<h1>Open invoices</h1>
<p><b>Customer:</b> <span>%(customer)s</span></p>
<p><b>Total due:</b> <span>%(total)s</span></p>
<p><b>Due on:</b> <span>%(due)s</span></p>
<p><label>Reference:</label><input value="%(reference)s" size="20"></p>
<table><tr><th>Number</th><th>Issued</th><th class="n">Amount</th></tr>
<tr><td>R-1041</td><td>02/01/2026</td><td class="n">310,00</td></tr>
<tr><td>R-1042</td><td>14/02/2026</td><td class="n">1 287,50</td></tr></table>
<p><label>Remark:</label><input id="remark" size="26"></p>
<script>
  let times = 0;
  document.addEventListener("input", () => fetch("/held", { method: "POST", body: JSON.stringify(
    [times++, { remark: document.getElementById("remark").value }]) }));
</script></html>"""
SHOWN = {"customer": "Dupont Marie", "total": "1 597,50 €", "due": "31/03/2026", "reference": "AX-7781"}
ROW = {
    "target_id": "invoice",
    "label": "The invoice",
    "text": "{{invoice}}",
    "role": "text",
    "evidence": {"row": ["{{invoice}}"]},
}
REMARK = {
    "target_id": "remark",
    "label": "Remark",
    "role": "field",
    "evidence": {"named_by": {"text": "Remark:", "dx": -300, "dy": 0}},
}


def edge(edge_id: str, action: str, **fields: Any) -> dict[str, Any]:
    return {
        "edge_id": edge_id,
        "source": "invoice",
        "destination": "invoice",
        "action_type": action,
        "settle_ms": 150,
        "settle_timeout_ms": 1500,
        "retries": 1,
        "retry_backoff_ms": 100,
        **fields,
    }


def read(name: str, **params: Any) -> dict[str, Any]:
    target = params.pop("target", None)
    return edge(f"read_{name}", "read_value", params={"name": name, **params}, target=target)


SEE = edge("see", "must_see", params={"text": "Open invoices\n{{invoice}}"})
ALL = (
    SEE,
    read("customer", label="Customer"),
    read("total", label="Total due", kind="number", format="fr"),
    read("due", label="Due on", kind="date", format="fr"),
    read("reference", label="Reference"),
    read("amount", label="Amount", kind="number", format="fr", target=ROW),
    read("issued", box=[88, -8, 140, 44], kind="date", format="fr", target=ROW),
    edge(
        "type",
        "type_text",
        params={"text": "{{amount}} {{issued}}", "clear": True},
        target=REMARK,
    ),
    edge("on", "wait_text", destination="end", params={"text": "{{amount}} {{issued}}", "timeout_s": 5}),
)
NODES = [
    {"node_id": "invoice", "name": "Invoice", "texts": ["Open invoices"], "window_title": "Invoice*", "is_entry": True},
    {"node_id": "end", "name": "End", "texts": ["Open invoices", "{{amount}} {{issued}}"], "is_end": True},
]


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 760) as one:
        yield one


@contextmanager
def page(screen: VirtualDesktop, **what: str) -> Iterator[Held]:
    held = Held()
    html = PAGE % {**SHOWN, **what}
    with serving(lambda path: html, held.hear) as port, shown(screen, port, "Invoice", size=(920, 700), at=(30, 20)):
        yield held


def finished(*edges: dict[str, Any]) -> dict[str, Any]:
    """A short workflow that would read, and then waits for what never comes."""
    end = {"node_id": "end", "name": "End", "texts": ["Everything was paid"], "is_end": True}
    on = edge("on", "wait_text", destination="end", params={"text": "Everything was paid", "timeout_s": 1})
    return {"nodes": [NODES[0], end], "edges": [*edges, on]}


def run(
    screen: VirtualDesktop, analyzer: Any, desktop: X11Desktop | None = None, **fields: Any
) -> tuple[Execution, list[Prompt]]:
    graph = {"nodes": NODES, "edges": ALL, **fields}
    version = make_published(variables=[{"name": "invoice"}], **graph)
    execution = start(workflow_id=version.workflow.workflow_id, mode="automatic", variables={"invoice": "R-1042"})
    asked: list[Prompt] = []

    def person(prompt: Prompt) -> None:
        asked.append(prompt)
        decide(prompt_id=prompt.pk, choice="reject", source=DecisionSource.PROGRAM)
        Execution.objects.filter(pk=prompt.execution_id).update(wish="stop")

    hooks = Hooks(on_prompt=person, on_begin=stop_when_paused)
    Runner(desktop=desktop or X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    return Execution.objects.by_id(execution.execution_id), asked


def test_what_is_read_is_kept_told_and_used(screen: VirtualDesktop, analyzer: Any) -> None:
    """S6.12, S7.3: beside labels, in a field, in a column of its row, in a box; then typed by later steps."""
    with page(screen) as held:
        execution, asked = run(screen, analyzer)
    steps = [str(step) for step in execution.steps.order_by("-index").values_list("edge_id", "outcome", "message")]
    assert (asked, execution.state) == ([], ExecutionState.COMPLETED), (execution.pause_detail, steps)
    values = {v.name: (v.text, v.value) for v in execution.values_read.all()}
    assert values == {
        "customer": ("Dupont Marie", "Dupont Marie"),
        "total": ("1 597,50", "1597.50"),
        "due": ("31/03/2026", "2026-03-31"),
        "reference": ("AX-7781", "AX-7781"),
        "amount": ("1 287,50", "1287.50"),
        "issued": ("14/02/2026", "2026-02-14"),
    }
    assert held.last["remark"] == "1 287,50 2026-02-14"
    summary = run_summary(execution)
    assert [value["name"] for value in summary["values"]] == list(values)
    assert "amount: 1 287,50." in as_sentence(summary)


def test_what_was_read_is_there_after_the_run_loop_was_killed(screen: VirtualDesktop, analyzer: Any) -> None:
    """S9.2: the next one types it from the rows."""
    desktop = X11Desktop(screen.display)

    def dies(text: str) -> None:
        raise Killed

    desktop.type_text = dies  # type: ignore[method-assign]
    with page(screen) as held:
        with pytest.raises(Killed):
            run(screen, analyzer, desktop=desktop)
        read_then = Execution.objects.get().values_read.count()
        hooks = Hooks(on_begin=stop_when_paused)
        Runner(desktop=X11Desktop(screen.display), analyzer=analyzer, once=True, hooks=hooks).run()
    execution = Execution.objects.get()
    assert (execution.state, read_then, execution.values_read.count()) == (ExecutionState.COMPLETED, 6, 6)
    assert held.last["remark"] == "1 287,50 2026-02-14"


UNSURE = {
    "of a wrong kind": ({"total": "twelve"}, read("total", label="Total due", kind="number"), "no number"),
    "nothing": ({"customer": ""}, read("customer", label="Customer"), "nothing stands"),
    "a box that cuts": ({}, read("issued", box=[88, -8, 80, 44], target=ROW), "cuts"),
    "not at its label": (
        {},
        edge("see", "must_see", params={"text": "Dupont Mario", "label": "Customer"}),
        "does not stand there",
    ),
}


@pytest.mark.parametrize("case", UNSURE)
def test_what_cannot_be_read_surely_is_a_question(screen: VirtualDesktop, analyzer: Any, case: str) -> None:
    what, unsure, told = UNSURE[case]
    with page(screen, **what):
        execution, asked = run(screen, analyzer, **finished(unsure))
    assert len(asked) == 1, execution.state
    assert told in asked[0].message
    assert not execution.values_read.exists()


def test_what_is_masked_is_not_read_into_rows(screen: VirtualDesktop, analyzer: Any) -> None:
    """S10.4: a number of a masked shape goes nowhere."""
    with page(screen, customer="4970 1012 3456 7893"):
        execution, _asked = run(
            screen, analyzer, **finished(read("customer", label="Customer")), mask_patterns=["national_number"]
        )
    assert execution.state == ExecutionState.STOPPED
    assert not execution.values_read.exists()
    kept = str(list(execution.steps.values()))
    assert not re.search(r"(?<![\d.])4970(?!\d)", kept)  # and not as a part of a time
