"""The manager as it is deployed, in processes of their own that can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gpu.exceptions import GpuBusy
from gpu.machine.ownership import Ownership
from gpu.machine.status import Publisher, gpu_folder, last_known_status
from gpu.manager import GPUResourceManager, wired_manager
from gpu.models import GPUEvent, GPUState
from gpu.runtime import DatabaseThread
from gpu.types import ExecutionMode, Purpose
from tests.doubles.ollama import LOADED, LOADING, ON_DISK, OllamaServer, Reply
from tests.gpu.rows import COMMITTED, VLM
from tests.support.processes import database_url

pytestmark = COMMITTED

PROCESS = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "rpa_site.settings"
import django
django.setup()
from gpu import get_gpu_resource_manager
"""
# A run loop, as far as the GPU is concerned; it is killed, or waits for ever.
RUN_LOOP = f"""{PROCESS}
get_gpu_resource_manager().claim("first")
print("claimed", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def here(settings: Any, tmp_path: Path, ollama: OllamaServer, database: DatabaseThread) -> Iterator[GPUResourceManager]:
    """The manager of this process, on a machine whose GPU nobody owns."""
    settings.DATA_DIR = tmp_path
    ollama.clock.start = datetime.now(UTC)  # it tells until when a model stays
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = ollama.url, VLM
    manager = wired_manager()
    yield manager
    manager.close()


def environment(ollama: OllamaServer, data: Path) -> dict[str, str]:
    """Of another process of this machine."""
    return {
        **os.environ,
        "RPA_DATA_DIR": str(data),
        "RPA_OLLAMA_URL": ollama.url,
        "RPA_VLM_MODEL": VLM,
        "DATABASE_URL": database_url(),
    }


@contextmanager
def run_loop(ollama: OllamaServer, data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has claimed the GPU."""
    command, env = [sys.executable, "-c", RUN_LOOP], environment(ollama, data)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "claimed\n"
            yield process
        finally:
            process.kill()


@contextmanager
def another() -> Iterator[GPUResourceManager]:
    """A manager with a lock, a request server and rows of its own, as one more process has them."""
    manager = wired_manager()
    try:
        yield manager
    finally:
        manager.close()


def wait_for(what: Callable[[], Any], *, within_s: float = 60.0) -> None:
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < within_s, "it did not come to pass"
        time.sleep(0.005)


def holder() -> str:
    """Who has the GPU, and in which process; "" is nobody."""
    found = Ownership(gpu_folder()).holder()
    return f"{found.name} {found.pid}" if found else ""


def test_a_request_survives_the_death_of_the_owner(
    here: GPUResourceManager, ollama: OllamaServer, tmp_path: Path
) -> None:
    """S3.1: one owner a machine; the kernel gives the GPU to the next one, which takes up what was half done."""
    with run_loop(ollama, tmp_path) as first, ThreadPoolExecutor(1) as third, another() as second:
        second.claim("second")
        assert holder() == f"first {first.pid}"
        ollama.hold_loads = True
        asked = third.submit(here.load_model_sync, VLM, asked_by="zoe")
        ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)

        os.kill(first.pid, signal.SIGKILL)
        first.wait(60)
        wait_for(lambda: holder() == f"second {os.getpid()}")
        ollama.let_loads_end()
        asked.result(60)
        assert ollama.models[VLM].state == LOADED
    said = last_known_status()
    assert said is not None
    assert (said["owner"], said["owner_died"], said["vlm_state"]) == ("", False, "loaded")
    told = list(GPUEvent.objects.filter(kind="owner_changed").values_list("text", flat=True))
    assert told == [
        f"first (pid {first.pid}) owns the GPU.",
        f"second (pid {os.getpid()}) owns the GPU.",
        f"second (pid {os.getpid()}) no longer owns the GPU.",
    ]


def test_the_end_of_a_process_is_said_and_gives_the_gpu_to_the_next_one(
    here: GPUResourceManager, ollama: OllamaServer, tmp_path: Path
) -> None:
    """S3.1: it owned the GPU for its life time, and nobody is told that an owner has died."""
    asks = f'{PROCESS}\nget_gpu_resource_manager().load_model_sync("{VLM}")'
    subprocess.run([sys.executable, "-c", asks], env=environment(ollama, tmp_path), check=True, timeout=60)
    said = last_known_status()
    assert said is not None
    assert (said["owner"], said["owner_died"], said["vlm_state"]) == ("", False, "loaded")
    assert GPUEvent.objects.filter(kind="owner_changed").count() == 2
    here.claim("next")
    assert holder() == f"next {os.getpid()}"


def test_a_manager_that_is_closed_in_the_middle_of_a_load_leaves_nothing_behind(
    here: GPUResourceManager, ollama: OllamaServer
) -> None:
    """No lock, no thread of its loop, no load that goes on; who waited for it waits no longer."""
    ollama.hold_loads = True
    with another() as closing:
        closing.claim("run loop")
        asked = closing.runtime.submit(closing.set_execution_mode(ExecutionMode.RECORDING))
        ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
    assert holder() == ""
    assert asked.done()
    assert closing.runtime._thread is None
    ollama.wait_for(lambda: ollama.models[VLM].aborted_loads == 1)
    ollama.hold_loads = False
    here.claim("next")
    here.load_model_sync(VLM)
    assert ollama.models[VLM].state == LOADED


def test_a_run_loop_that_ends_in_the_middle_of_a_load_is_soon_rid_of_the_gpu_when_that_is_over(
    here: GPUResourceManager, ollama: OllamaServer
) -> None:
    ollama.hold_loads = True
    with another() as ending:
        ending.claim("run loop")
        asked = ending.runtime.submit(ending.set_execution_mode(ExecutionMode.RECORDING))
        ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
        ending.release()
        assert holder()
        ollama.let_loads_end()
        asked.result(60)
        wait_for(lambda: not holder())
        here.claim("next")
        assert holder() == f"next {os.getpid()}"


def test_the_queue_in_the_row_is_told_anew_when_a_turn_ends_without_an_event(
    settings: Any, tmp_path: Path, ollama: OllamaServer, database: DatabaseThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S3.8: an answer changes nothing in the memory, so no event tells that nobody waits any more."""
    monkeypatch.setattr("gpu.manager.Publisher", partial(Publisher, heartbeat_s=600))  # nothing is told by the way
    settings.DATA_DIR = tmp_path
    ollama.clock.start = datetime.now(UTC)
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = ollama.url, VLM
    with another() as manager:
        manager.claim("run loop")
        manager.load_model_sync(VLM)
        wait_for(lambda: GPUState.objects.filter(vlm_state="loaded", queue_length=0).exists())
        events = GPUEvent.objects.count()
        ends = threading.Event()

        async def use() -> None:
            async with manager.using(VLM, purpose=Purpose.TARGET):
                while not ends.is_set():
                    await asyncio.sleep(0.005)

        using = [manager.runtime.submit(use()) for _ in range(2)]
        wait_for(lambda: GPUState.objects.filter(queue_length=2).exists())
        ends.set()
        for one in using:
            one.result(60)
        wait_for(lambda: GPUState.objects.filter(queue_length=0, queue=[]).exists())
        assert GPUEvent.objects.count() == events


def test_a_chat_of_another_process_gives_way_to_a_run(here: GPUResourceManager, ollama: OllamaServer) -> None:
    """S4.5: the owner takes the model back, and the answer that was being made breaks off over there."""
    here.claim("run loop")
    ollama.replies.append(Reply(content="a long answer", gap_s=600))
    with another() as other:

        async def chat() -> None:
            async with other.using(VLM, purpose=Purpose.ASSISTANT, deadline_s=30) as client:
                await client.answer(VLM, prompt="Hello", pictures=(), schema={"type": "object"})

        chatting = other.runtime.submit(chat())
        ollama.wait_for(lambda: ollama.count("/api/chat") == 1)
        here.set_execution_mode_sync(ExecutionMode.AUTOPILOT)
        with pytest.raises(GpuBusy):
            chatting.result(60)
        assert ollama.models[VLM].state == ON_DISK
        assert not GPUEvent.objects.filter(kind="request_failed").exists(), "a use is told with its run"
