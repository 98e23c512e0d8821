"""A run loop whose GPU manager cannot be had reads and finds without it, and says so once (S1.21)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.running import runner
from execution.running.runner import Runner


@pytest.mark.parametrize("part", ["get_gpu_resource_manager", "element_classifier"])
def test_a_gpu_manager_that_raises_costs_its_parts_and_a_line(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    def broken() -> Any:
        raise RuntimeError("no driver")

    built: list[dict[str, Any]] = []

    class Analyzer:
        def warm_up(self) -> None:
            built.append({"warm": True})

    def build(config: Any, **parts: Any) -> Analyzer:
        built.append(parts)
        return Analyzer()

    monkeypatch.setattr(runner, part, broken)
    monkeypatch.setattr(runner, "build_analyzer", build)
    said: list[str] = []
    Runner(out=said.append)._load_analyzer()
    assert built == [{"clip": None, "classifier": None}, {"warm": True}]
    assert [line for line in said if "no driver" in line] == [
        "The GPU and its models are not used: RuntimeError: no driver"
    ]
