"""A run of a published workflow to its end, or to what it asks; then it is stopped, and the desktop is free."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from tests.support.display import wait_until
from tests.support.product import Product

RUN_S = 150
START = """
import json
from execution.actions.start import start
print(start(workflow_id={workflow_id!r}, mode="automatic", variables=json.loads({values!r})).execution_id)
"""
_ENDED = ("completed", "failed", "stopped")
_ASKS = ("paused", "waiting", "coaching")


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What became of a run. `told` are its steps and its question, for the message of a test."""

    execution_id: str
    state: str
    told: str
    values: dict[str, str]  # what it read

    @property
    def is_finished(self) -> bool:
        return self.state == "completed"

    @property
    def asks(self) -> bool:
        return self.state in _ASKS


def run(world: Product, workflow_id: str, *, meanwhile: Callable[[], None] = lambda: None, **values: str) -> RunEnd:
    """Start it by itself, and wait; what asks is stopped. `meanwhile` happens while it runs."""
    code = START.format(workflow_id=workflow_id, values=json.dumps(values))
    execution_id = world.manage("shell", "-v0", "-c", code).stdout.split()[-1]
    meanwhile()
    state = ended(world, execution_id)
    told = told_of(world, execution_id)
    if state in _ASKS:
        world.manage("execution", "stop", execution_id, check=False)
        wait_until(lambda: _state(world, execution_id) in _ENDED, what="the end of a stopped run")
    return RunEnd(execution_id, state, told, values_of(world, execution_id))


def ended(world: Product, execution_id: str) -> str:
    """The state that it ended or stands in."""
    wait_until(lambda: _state(world, execution_id) in _ENDED + _ASKS, timeout=RUN_S, what=f"the end of {execution_id}")
    return _state(world, execution_id)


def told_of(world: Product, execution_id: str) -> str:
    """What its steps and questions were, where it did not come to its end."""
    steps = world.rows(
        'SELECT s."index", s.node_id, s.edge_id, s.outcome, s.message, s.verification FROM execution_step s '
        "JOIN execution_execution e ON e.id = s.execution_id WHERE e.execution_id = ?",
        execution_id,
    )
    asked = world.rows("SELECT message FROM execution_prompt ORDER BY id DESC LIMIT 1")
    paused = world.rows("SELECT pause_reason, error FROM execution_execution WHERE execution_id = ?", execution_id)
    seen = [(*step, seen if step[3] != "succeeded" else "") for *step, seen in steps]
    return "\n".join(map(str, [*seen, *asked, *paused]))


def values_of(world: Product, execution_id: str) -> dict[str, str]:
    """The values that it read, as programs are told."""
    with closing(world.client("otto")) as otto:
        told = otto.get(f"/api/executions/{execution_id}/")
        assert told.status_code == 200, told.text[:300]
        return {one["name"]: one["value"] for one in told.json()["values_read"]}


def _state(world: Product, execution_id: str) -> str:
    [(state,)] = world.rows("SELECT state FROM execution_execution WHERE execution_id = ?", execution_id)
    return str(state)
