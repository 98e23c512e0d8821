"""What was made lately of the very same values is made once."""

from __future__ import annotations

import gc
import weakref

from execution.lately import Lately


class Value:
    """Equal to every other one."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value)

    def __hash__(self) -> int:
        return 1


def test_it_is_made_once_of_the_same_values_and_anew_of_equal_ones() -> None:
    made, lately = [], Lately[int](2)

    def make() -> int:
        made.append(len(made))
        return made[-1]

    one, other, third = Value(), Value(), Value()
    assert [lately.of(one, other, make=make) for _ in range(2)] == [0, 0]
    assert lately.of(other, one, make=make) == 1
    assert lately.of(one, other, make=make) == 0
    assert lately.of(one, third, make=make) == 2
    assert lately.of(one, other, make=make) == 3, "the oldest is forgotten"


def test_values_are_held_as_long_as_what_was_made_of_them_and_no_longer() -> None:
    lately, first = Lately[int](1), Value()
    held = weakref.ref(first)
    lately.of(first, make=lambda: 1)
    del first
    gc.collect()
    assert held() is not None, "another value could have its id"
    lately.of(Value(), make=lambda: 2)
    gc.collect()
    assert held() is None
