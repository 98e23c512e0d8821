from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

Severity = Literal["error", "warning"]
Kind = Literal["workflow", "node", "edge", "target", "variable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to mend. `where` is the id of what `kind` says, `field` the part of it to look at."""

    code: str
    severity: Severity
    kind: Kind
    where: str
    message: str
    field: str = ""

    @property
    def is_error(self) -> bool:
        return self.severity == "error"


def problem(kind: Kind, code: str, message: str, *, where: str = "", field: str = "", warn: bool = False) -> Problem:
    severity: Severity = "warning" if warn else "error"
    return Problem(code=code, severity=severity, kind=kind, where=where, message=message, field=field)


of_workflow = partial(problem, "workflow")
of_node = partial(problem, "node")
of_edge = partial(problem, "edge")
of_target = partial(problem, "target")
of_variable = partial(problem, "variable")
