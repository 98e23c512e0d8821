"""Lists for tests: a published workflow of one variable, rows, and a robot that takes them."""

from __future__ import annotations

from typing import Any

from execution.desktop.base import DesktopIdentity
from execution.models import Robot, Worklist
from execution.types import Size
from execution.worklists.actions.lists import append, create_list, start_list
from execution.worklists.adding import NewRow
from tests.factories import make_published

IDENTITY = DesktopIdentity(name=":7", host="here", boot_id="b", session="s", user="u", size=Size(1280, 800))


def robot(name: str = "here:7", **fields: Any) -> Robot:
    return Robot.objects.create(**{"name": name, "desktop": name, "host": "here", "pid": 1, **fields})


def new_list(*names: str, started: bool = True, **more: Any) -> Worklist:
    """A list with a row for each patient, running unless it is not `started`."""
    version = more.pop("version_of", None) or make_published()
    worklist = create_list(
        workflow_id=version.workflow.workflow_id,
        columns=["Patient"],
        keys=["Patient"],
        **{"name": "Letters", "mode": "automatic", **more},
    )
    if names:
        append(worklist_id=worklist.worklist_id, rows=[NewRow(data={"Patient": name}) for name in names])
    if started and names:
        start_list(worklist_id=worklist.worklist_id)
    return Worklist.objects.by_id(worklist.worklist_id)


def states(worklist: Worklist) -> dict[str, str]:
    """The state of each row by its reference."""
    return dict(worklist.items.order_by("number").values_list("reference", "state"))
