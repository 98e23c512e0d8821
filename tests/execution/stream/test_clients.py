"""Credits of the stream (S8.2): what may be sent before an acknowledgement (B.4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from execution.stream.clients import ACK_TIMEOUT_S, MAX_BATCHES, MAX_BYTES, CreditWindow


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_window_is_full_after_32_batches_and_open_again_after_an_acknowledgement():
    window = CreditWindow()
    for mark in range(1, MAX_BATCHES + 1):
        assert window.has_room()
        window.sent(mark, 10)
    assert not window.has_room()
    assert window.acknowledge(1)
    assert window.has_room()
    assert window.outstanding == MAX_BATCHES - 1


def test_a_window_is_full_after_so_many_bytes():
    window = CreditWindow()
    window.sent(1, MAX_BYTES)
    assert not window.has_room()
    window.acknowledge(1)
    assert window.has_room()


def test_it_is_overdue_when_nothing_comes_back_while_something_is_out():
    clock = Clock()
    window = CreditWindow(clock=clock)
    clock.now = 1000
    assert not window.is_overdue()  # nothing was sent
    window.sent(1, 1)
    window.sent(2, 1)
    clock.now += ACK_TIMEOUT_S - 1
    assert not window.is_overdue()
    window.acknowledge(1)
    clock.now += ACK_TIMEOUT_S - 1
    window.sent(3, 1)  # more being sent is no excuse
    assert not window.is_overdue()
    clock.now += 1
    assert window.is_overdue()
    window.acknowledge(3)
    clock.now += 1000
    assert not window.is_overdue()


def test_what_needs_no_acknowledgement_is_overdue_only_when_it_blocks():
    clock = Clock()
    window = CreditWindow(batches=2, clock=clock)
    window.sent(1, 0, awaited=False)
    clock.now += ACK_TIMEOUT_S
    assert not window.is_overdue()
    window.sent(2, 0, awaited=False)
    clock.now += ACK_TIMEOUT_S - 1
    assert not window.has_room()
    assert not window.is_overdue()
    clock.now += 1
    assert window.is_overdue()


ACTS = st.tuples(st.just("sent"), st.integers(0, 300)) | st.tuples(st.just("ack"), st.integers(0, 60))


@given(st.lists(ACTS))
def test_credits_are_what_was_sent_less_what_was_acknowledged(acts):
    """Whatever comes in whatever order: no credit is made, none is lost, and it never sends beyond its bounds."""
    window, model, mark = CreditWindow(batches=5, octets=500), [], 0
    for act, number in acts:
        if act == "ack":
            assert window.acknowledge(number) == any(m <= number for m, _size in model)
            model = [(m, size) for m, size in model if m > number]
        elif window.has_room():
            mark += 1
            window.sent(mark, number)
            model.append((mark, number))
        assert window.outstanding == len(model) <= 5
        assert window.has_room() == (len(model) < 5 and sum(size for _m, size in model) < 500)
