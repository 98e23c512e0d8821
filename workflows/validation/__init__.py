"""What is wrong with a graph, in words: what, where, and what to do about it.

`problems` never raises, whatever the graph holds. Errors keep a workflow from being published; warnings do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from workflows.calling import Versions, expanded, published
from workflows.graph import GraphSpec
from workflows.pictures import PictureStore
from workflows.validation.actions import actions
from workflows.validation.calls import calls, of_own
from workflows.validation.problem import Kind, Problem, Severity
from workflows.validation.screens import dialogs, ids, kept_whole, pictures, reach, recognition, shape
from workflows.validation.variables import variables
from workflows.validation.ways import ways

__all__ = ["Kind", "Problem", "Severity", "errors", "problems"]


def problems(
    graph: GraphSpec, *, store: PictureStore | None = None, versions: Versions = published
) -> tuple[Problem, ...]:
    """Everything found, errors first, with the workflows that it does inside as `versions` has them.

    `store` is where the graph's pictures are to be. What those workflows are warned of is theirs to mend.
    """
    checks: tuple[Callable[[GraphSpec], Iterator[Problem]], ...] = (
        shape,
        ids,
        reach,
        recognition,
        actions,
        ways,
        dialogs,
        variables,
        partial(pictures, store=store or PictureStore()),
        kept_whole,
    )
    whole = expanded(graph, versions)
    found = [*calls(graph, versions)]
    found += [told for check in checks for problem in check(whole) if (told := of_own(problem, whole))]
    return tuple(sorted(found, key=lambda p: not p.is_error))


def errors(
    graph: GraphSpec, *, store: PictureStore | None = None, versions: Versions = published
) -> tuple[Problem, ...]:
    """What keeps the graph from being published."""
    return tuple(p for p in problems(graph, store=store, versions=versions) if p.is_error)
