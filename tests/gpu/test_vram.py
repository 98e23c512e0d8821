"""S3.3: what is known of GPU memory, whatever the driver does."""

from __future__ import annotations

import os
import sys
import threading
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.resources import ASK_AGAIN_AT_MOST_S, ASK_AGAIN_S, VRAMMonitor, gpu_of
from gpu.types import VRAMInfo
from tests.doubles.nvml import Card, FakeNvml, error

FIRST, SECOND = "GPU-0000000a", "GPU-0000000b"


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def nvml() -> FakeNvml:
    return FakeNvml(
        Card(uuid=FIRST, name=b"A card", total_mb=8000, foreign_mb=4800, reserved_mb=200, busy_percent=70),
        Card(uuid=SECOND, total_mb=24_000),
    )


@pytest.fixture
def monitor(nvml: FakeNvml, clock: Clock) -> VRAMMonitor:
    return VRAMMonitor(nvml=nvml, clock=clock)


def seen(monitor: VRAMMonitor) -> list[str]:
    return [gpu.uuid for gpu in monitor.read()]


def test_each_gpu_is_told_with_its_uuid(monitor: VRAMMonitor) -> None:
    first, second = monitor.read()
    assert first == VRAMInfo(uuid=FIRST, name="A card", total_mb=8000, used_mb=4800, free_mb=3000, reserved_mb=200)
    assert (second.uuid, second.free_mb) == (SECOND, 24_000)
    assert monitor.utilisation() == {FIRST: 70, SECOND: 0}
    assert monitor.problem == ""


@pytest.mark.parametrize("fault", ["FUNCTION_NOT_FOUND", "ARGUMENT_VERSION_MISMATCH"])
def test_an_old_driver_tells_the_same_free_memory(nvml: FakeNvml, monitor: VRAMMonitor, fault: str) -> None:
    """A.7: what is used and what is reserved is counted otherwise, what is free is not."""
    nvml.no_memory_v2 = error(fault)
    first, _second = monitor.read()
    assert (first.free_mb, first.used_mb, first.reserved_mb) == (3000, 5000, 0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("LIBRARY_NOT_FOUND", "no NVIDIA driver is installed here"),
        ("DRIVER_NOT_LOADED", "the NVIDIA driver is not loaded"),
        ("LIB_RM_VERSION_MISMATCH", "was upgraded under this process, which has to be started anew"),
        ("GPU_IS_LOST", "it is lost"),
        ("UNKNOWN", "Unknown Error"),
    ],
)
def test_a_library_that_fails_in_the_middle_is_unknown_and_is_asked_again_later(
    nvml: FakeNvml, monitor: VRAMMonitor, clock: Clock, fault: str, words: str
) -> None:
    assert len(monitor.read()) == 2
    nvml.fault = error(fault)
    assert monitor.read() == ()
    assert words in monitor.problem
    assert monitor.utilisation() == {}
    nvml.fault = None
    assert monitor.read() == ()  # not yet: a broken driver is not hammered
    clock.now = ASK_AGAIN_S
    assert len(monitor.read()) == 2
    assert monitor.problem == ""
    assert (nvml.calls["nvmlInit"], nvml.open) == (2, 1)


def test_the_pause_grows_while_it_fails_and_is_short_again_afterwards(
    nvml: FakeNvml, monitor: VRAMMonitor, clock: Clock
) -> None:
    nvml.fault = error("DRIVER_NOT_LOADED")
    opened = []
    while clock.now < 10 * ASK_AGAIN_AT_MOST_S:
        before = nvml.calls.get("nvmlInit", 0)
        monitor.read()
        if nvml.calls["nvmlInit"] > before:
            opened.append(clock.now)
        clock.now += ASK_AGAIN_S / 3
    pauses = [round(later - sooner) for sooner, later in pairwise(opened)]
    assert pauses[:5] == [15, 30, 60, 120, 240]
    assert set(pauses[5:]) == {300}
    nvml.fault = None
    clock.now += ASK_AGAIN_AT_MOST_S
    assert monitor.read()
    nvml.fault = error("GPU_IS_LOST")
    assert not monitor.read()
    clock.now += ASK_AGAIN_S
    nvml.fault = None
    assert monitor.read()


@pytest.mark.parametrize(("fault", "words"), [("NOT_SUPPORTED", "or does not tell"), ("NO_PERMISSION", "may not ask")])
def test_a_gpu_that_does_not_say_is_left_out_with_the_reason(
    nvml: FakeNvml, monitor: VRAMMonitor, clock: Clock, fault: str, words: str
) -> None:
    nvml.cards[0].memory_fault = error(fault)
    assert seen(monitor) == [SECOND]
    assert monitor.problem.startswith("GPU 0: ")
    assert words in monitor.problem
    assert set(monitor.utilisation()) == {FIRST, SECOND}
    assert words in monitor.problem  # another question has not answered this one
    clock.now += 1000
    monitor.read()
    assert nvml.calls["nvmlInit"] == 1  # it never will


def test_one_gpu_that_is_lost_does_not_hide_the_others_and_is_looked_for_again(
    nvml: FakeNvml, monitor: VRAMMonitor, clock: Clock
) -> None:
    nvml.cards[0].fault = error("GPU_IS_LOST")
    assert seen(monitor) == [SECOND]
    assert "GPU 0: it is lost" in monitor.problem
    assert (seen(monitor), nvml.calls["nvmlInit"]) == ([SECOND], 1)
    clock.now = ASK_AGAIN_S
    assert (seen(monitor), nvml.calls["nvmlInit"]) == ([SECOND], 2)
    nvml.cards[0].fault = None
    clock.now = 10 * ASK_AGAIN_S
    assert seen(monitor) == [FIRST, SECOND]
    assert monitor.problem == ""


def test_a_gpu_that_is_split_is_told_by_its_parts(clock: Clock) -> None:
    """A.7: the whole needs privileges and tells a sum."""
    parts: list[Card | None] = [Card(uuid="MIG-1", total_mb=5000, foreign_mb=1000), None, Card(uuid="MIG-2")]
    nvml = FakeNvml(Card(uuid=FIRST, parts=parts, memory_fault=error("NO_PERMISSION")), Card(uuid=SECOND))
    monitor = VRAMMonitor(nvml=nvml, clock=clock)
    assert seen(monitor) == ["MIG-1", "MIG-2", SECOND]
    assert monitor.read()[0].free_mb == 4000


def test_a_machine_without_the_binding_is_a_machine_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monitor = VRAMMonitor()
    assert monitor.read() == ()
    assert "nvidia-ml-py is not installed" in monitor.problem


def test_the_binding_itself_says_that_there_is_no_driver() -> None:
    """The real one, on whatever machine this is: never a crash."""
    monitor = VRAMMonitor()
    assert bool(monitor.read()) == (monitor.problem == "")


def test_after_a_fork_the_library_is_opened_anew_even_if_another_thread_was_asking(
    nvml: FakeNvml, monitor: VRAMMonitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor.read()
    nvml.fault = error("GPU_IS_LOST")
    monitor.read()
    nvml.fault = None
    monitor._lock.acquire()  # as a thread held it that the child does not have
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert len(monitor.read()) == 2  # and the parent's pause is the parent's
    assert nvml.calls["nvmlInit"] == 2


def test_threads_may_ask_while_the_driver_comes_and_goes(nvml: FakeNvml, monitor: VRAMMonitor, clock: Clock) -> None:
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(200):
                assert len(monitor.read()) in (0, 2)
        except BaseException as wrong:
            failed.append(wrong)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for fault in [error("GPU_IS_LOST"), None] * 50:
        nvml.fault = fault
        clock.now += ASK_AGAIN_AT_MOST_S
    for thread in threads:
        thread.join()
    assert failed == []


FAULTS = [None, "GPU_IS_LOST", "NOT_SUPPORTED", "NO_PERMISSION", "DRIVER_NOT_LOADED", "UNKNOWN", "TIMEOUT"]


@given(st.lists(st.tuples(st.sampled_from(["library", "first", "second", "memory", "time"]), st.sampled_from(FAULTS))))
def test_whatever_fails_it_never_crashes_and_comes_back(happened: list[tuple[str, str | None]]) -> None:
    clock, nvml = Clock(), FakeNvml(Card(uuid=FIRST), Card(uuid=SECOND))
    monitor = VRAMMonitor(nvml=nvml, clock=clock)
    for what, fault in happened:
        _break(nvml, clock, what, error(fault) if fault else None)
        told = monitor.read()
        assert {gpu.uuid for gpu in told} <= {FIRST, SECOND}
        assert len(told) == 2 or monitor.problem
        monitor.utilisation()
    for what in ("library", "first", "second", "memory"):
        _break(nvml, clock, what, None)
    clock.now += ASK_AGAIN_AT_MOST_S
    assert len(monitor.read()) == 2
    assert (monitor.problem, nvml.open) == ("", 1)


def _break(nvml: FakeNvml, clock: Clock, what: str, fault: Exception | None) -> None:
    if what == "library":
        nvml.fault = fault
    elif what == "time":
        clock.now += ASK_AGAIN_S
    elif what == "memory":
        nvml.cards[0].memory_fault = fault
    else:
        nvml.cards[what == "second"].fault = fault


def test_the_gpu_that_is_meant_is_found_by_its_uuid_as_nvml_or_cuda_writes_it(monitor: VRAMMonitor) -> None:
    gpus = monitor.read()
    for uuid in (SECOND, SECOND.removeprefix("GPU-"), SECOND.upper()):
        found: Any = gpu_of(gpus, uuid)
        assert found.uuid == SECOND
    assert gpu_of(gpus, "GPU-other") is None
    assert gpu_of(gpus, "") is None


@pytest.mark.gpu
def test_a_real_gpu_tells_its_memory() -> None:
    gpus = VRAMMonitor().read()
    assert gpus
    assert all(gpu.uuid.startswith(("GPU-", "MIG-")) and 0 < gpu.free_mb <= gpu.total_mb for gpu in gpus)
