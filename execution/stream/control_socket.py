"""The socket of whoever has control of a run's desktop: `/ws/control/<execution_id>/`, operators only (S6.15, S10.1).

It is for the one who took control, as long as they have it; the wish itself goes by HTTP as all others do.
"""

from __future__ import annotations

from pathlib import Path

from execution.exceptions import UnknownExecution
from execution.models import Execution
from execution.running.teach_line import control_line_of
from execution.stream.clients import Refused
from execution.stream.handing_on import TAKEN, UNKNOWN, handing_on
from execution.stream.sessions import allowed, controllers


def _admit(key: str, execution_id: str) -> Path:
    """The line to the robot of a run that this session's person has control of. Raises Refused."""
    person = allowed(key, controllers)
    try:
        execution = Execution.objects.select_related("robot").by_id(execution_id)
    except UnknownExecution:
        raise Refused(UNKNOWN) from None
    if execution.controller_id != person or execution.is_final or execution.robot is None:
        raise Refused(TAKEN)
    return control_line_of(execution.robot.name)


control_socket = handing_on(_admit, name="execution_id")
