"""Which tests run when, and together, where several workers share them.

The files that take longest come first, so that all workers end together. What loads PyTorch is done by one worker: the
others spare themselves seven seconds and 700 MB.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parents[2]
LOADS_TORCH = re.compile(r"\b(made_clip|easyocr_folder|import torch)\b")


class Together(LoadFileScheduling):
    """A file's tests are done by one worker, and so are all those that load PyTorch."""

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        return "PyTorch" if loads_torch(file) else file


@cache
def loads_torch(file: str) -> bool:
    """Whether one of its tests does; `file` as in the id of a test."""
    return LOADS_TORCH.search((ROOT / file).read_text()) is not None


def longest_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests in the order in which their files are to be begun."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [item for some in sorted(files.values(), key=_takes_long) for item in some]


def _takes_long(items: list[pytest.Item]) -> tuple[bool, bool, bool, int]:
    """To sort by: whole installations, then what is seen on a screen, then what is slow, then the most tests."""
    marks = {mark.name for item in items for mark in item.iter_markers()}
    return (
        not {"e2e", "front"} & {*items[0].path.parts},
        not marks & {"display", "browser"},
        "slow" not in marks,
        -len(items),
    )
