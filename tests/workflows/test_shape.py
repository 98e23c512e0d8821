"""JSON from outside is checked against the dataclass it is to become (S8.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflows.graph import GraphSpec, TargetSpec
from workflows.shape import WrongShape, check

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(
    st.fixed_dictionaries(
        {"workflow_id": st.text(), "name": st.text(), "learning_state": st.text()},
        optional=dict.fromkeys(("nodes", "edges", "variables", "flags", "version"), json_values),
    )
)
def test_what_passes_the_check_becomes_a_graph(data: dict[str, Any]) -> None:
    try:
        check(data, GraphSpec, "graph")
    except WrongShape:
        return
    assert GraphSpec.from_json(data).to_json().keys() >= data.keys()


@pytest.mark.parametrize(("value", "good"), [(3, True), ("{{n}}", True), (None, True), (1.5, False), ([1], False)])
def test_a_field_of_two_kinds_takes_either(value: Any, good: bool) -> None:
    data = {"target_id": "t", "label": "Row", "number": value}
    if good:
        check(data, TargetSpec, "target")
        return
    with pytest.raises(WrongShape, match="a whole number"):
        check(data, TargetSpec, "target")


def test_a_kind_without_a_check_is_not_let_in() -> None:
    @dataclass(frozen=True)
    class Newer:
        odd: bytes = b""
        free: Mapping[str, Any] = field(default_factory=dict)

    with pytest.raises(TypeError, match="no check"):
        check({"odd": "x"}, Newer, "newer")
