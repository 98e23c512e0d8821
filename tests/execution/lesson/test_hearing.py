"""What a page sends, as an act: what is none is refused before anything is touched."""

from __future__ import annotations

from typing import Any

import pytest

from execution.lesson.hearing import Unheard, heard_act, heard_look, heard_setting
from execution.types import Size

SIZE = Size(100, 100)
ODD: list[Any] = [[], {}, None, 7, True, "", "none", ["click"]]


@pytest.mark.parametrize("hear", [heard_act, heard_look, heard_setting], ids=lambda hear: hear.__name__)
@pytest.mark.parametrize("act", ODD, ids=repr)
def test_an_act_of_another_type_is_refused(hear: Any, act: Any) -> None:
    with pytest.raises(Unheard):
        hear({"act": act, "x": 5, "y": 5, "params": {}}, 0.0, size=SIZE)


@pytest.mark.parametrize("x", [[], {}, None, True, "5", 1e7, -1, 10**12], ids=repr)
def test_a_place_that_is_none_is_refused(x: Any) -> None:
    with pytest.raises(Unheard):
        heard_act({"type": "act", "act": "click", "x": x, "y": 5}, 0.0, size=SIZE)
