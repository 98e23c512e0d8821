"""The manager as it is deployed, in processes of their own that can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from gpu.database import DatabaseThread
from gpu.exceptions import GpuBusy, ModelMissing
from gpu.manager import GPUResourceManager
from gpu.models import GPUEvent, GPUState, OwnerRequest
from gpu.ownership import Holder, Ownership
from gpu.status import gpu_folder, last_known_status
from gpu.types import ExecutionMode, Purpose
from gpu.wiring import wired_manager
from tests.doubles.ollama import LOADED, LOADING, ON_DISK, OllamaServer, Reply
from tests.gpu.rows import COMMITTED, VLM, rows_thread

pytestmark = COMMITTED

# A run loop, as far as the GPU is concerned; it ends when nobody listens to it any more.
RUN_LOOP = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "rpa_site.settings"
import django
django.setup()
from gpu import get_gpu_resource_manager
manager = get_gpu_resource_manager()
print("ready", flush=True)
sys.stdin.readline()
manager.claim(sys.argv[1])
print("claimed", flush=True)
sys.stdin.readline()
manager.close()
"""

Make = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def database() -> Iterator[DatabaseThread]:
    with rows_thread() as thread:
        yield thread


@pytest.fixture
def here(settings: Any, tmp_path: Path, ollama: OllamaServer, database: DatabaseThread) -> Iterator[GPUResourceManager]:
    """The manager of this process, on a machine whose GPU nobody owns."""
    settings.DATA_DIR = tmp_path
    settings.RPA_OLLAMA_URL, settings.RPA_VLM_MODEL = ollama.url, VLM
    manager = wired_manager()
    yield manager
    manager.close()


@contextmanager
def run_loops(names: Sequence[str], *, ollama: OllamaServer, data: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """One process each, which has not claimed the GPU yet."""
    env = {
        **os.environ,
        "RPA_DATA_DIR": str(data),
        "RPA_OLLAMA_URL": ollama.url,
        "RPA_VLM_MODEL": VLM,
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
    }
    with ExitStack() as stack:
        processes = []
        for name in names:
            process = subprocess.Popen(
                [sys.executable, "-c", RUN_LOOP, name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=env,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield processes


def tell(process: subprocess.Popen[str]) -> None:
    """Let it go on."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def claim(process: subprocess.Popen[str]) -> None:
    tell(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "claimed\n"


def wait_for(what: Callable[[], Any], *, within_s: float = 10.0) -> float:
    """Seconds until it was so."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < within_s, "it did not come to pass"
        time.sleep(0.005)
    return time.monotonic() - begun


def holder() -> Holder | None:
    return Ownership(gpu_folder()).holder()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the other processes are given the file of the database")
def test_a_request_of_a_third_process_survives_the_death_of_the_owner(
    here: GPUResourceManager, ollama: OllamaServer, tmp_path: Path
) -> None:
    """S3.1: one owner a machine; the kernel gives the GPU to the next one, whose letter box has what was half done."""
    with run_loops(["first", "second"], ollama=ollama, data=tmp_path) as (first, second), ThreadPoolExecutor(1) as us:
        claim(first)
        claim(second)
        known = holder()
        assert known is not None
        assert (known.name, known.pid) == ("first", first.pid)
        ollama.hold_loads = True
        asked = us.submit(here.run_sync, "load_model", VLM, asked_by="zoe")
        ollama.wait_for(lambda: ollama.models[VLM].state == LOADING)
        assert OwnerRequest.objects.get().asked_by == "zoe"

        os.kill(first.pid, signal.SIGKILL)
        first.wait(10)
        took = wait_for(lambda: (now := holder()) is not None and now.pid == second.pid)
        assert took < 1.0
        ollama.let_loads_end()
        asked.result(10)
        assert ollama.models[VLM].state == LOADED
        assert OwnerRequest.objects.get().state == "done"
        wait_for(lambda: (row := GPUState.objects.first()) is not None and row.owner_pid == second.pid)

        tell(second)  # this one ends as it should
        assert second.wait(10) == 0
    said = last_known_status()
    assert said is not None
    assert (said["owner"], said["owner_died"], said["vlm_state"]) == ("", False, "loaded")
    told = list(GPUEvent.objects.filter(kind="owner_changed").values_list("text", flat=True))
    assert told == [
        f"first (pid {first.pid}) owns the GPU.",
        f"second (pid {second.pid}) owns the GPU.",
        f"second (pid {second.pid}) no longer owns the GPU.",
    ]


def test_a_process_that_claimed_nothing_borrows_the_gpu_for_one_operation(
    here: GPUResourceManager, ollama: OllamaServer
) -> None:
    """S3.1: while nobody holds it."""
    assert holder() is None
    here.run_sync("load_model", VLM)
    assert holder() is None
    assert ollama.models[VLM].state == LOADED
    wait_for(lambda: GPUState.objects.filter(owner="", vlm_state="loaded").exists())
    assert not OwnerRequest.objects.exists()


def test_a_process_that_claimed_it_keeps_it_and_others_ask_it(
    here: GPUResourceManager, ollama: OllamaServer, tmp_path: Path
) -> None:
    """S3.1"""
    here.claim("run loop")
    other = wired_manager()
    try:
        other.run_sync("load_model", VLM)
        assert ollama.models[VLM].state == LOADED
        with pytest.raises(ModelMissing, match="nobody:1b"):
            other.run_sync("load_model", "nobody:1b")
        other.run_sync("unload_model", VLM)
        assert ollama.models[VLM].state == ON_DISK
        assert [row.state for row in OwnerRequest.objects.all()] == ["done", "failed", "done"]
        known = holder()
        assert known is not None
        assert known.name == "run loop"
    finally:
        other.close()


def test_a_chat_of_another_process_uses_the_model_of_the_owner(here: GPUResourceManager, ollama: OllamaServer) -> None:
    """S4.5"""
    here.claim("run loop")
    other = wired_manager()

    async def chat() -> str:
        async with other.using(VLM, purpose=Purpose.ASSISTANT, deadline_s=30) as client:
            row = await rows.run(OwnerRequest.objects.get)
            answer = await client.answer(VLM, prompt="Hello", pictures=(), schema={"type": "object"})
            return f"{row.state} {bool(answer.text)}"

    rows = DatabaseThread()
    try:
        assert other.runtime.run(chat()) == "granted True"
        wait_for(lambda: OwnerRequest.objects.get().state == "done")
    finally:
        other.close()
        rows.close()


def test_a_chat_of_another_process_gives_way_to_a_run(here: GPUResourceManager, ollama: OllamaServer) -> None:
    """S4.5: the owner takes the model back, and the answer that was being made breaks off over there."""
    here.claim("run loop")
    other = wired_manager()
    ollama.replies.append(Reply(content="a long answer", gap_s=600))

    async def chat() -> None:
        async with other.using(VLM, purpose=Purpose.ASSISTANT, deadline_s=30) as client:
            await client.answer(VLM, prompt="Hello", pictures=(), schema={"type": "object"})

    try:
        chatting = other.runtime.submit(chat())
        ollama.wait_for(lambda: ollama.count("/api/chat") == 1)
        here.run_sync("set_execution_mode", ExecutionMode.AUTOPILOT)
        with pytest.raises(GpuBusy):
            chatting.result(10)
        assert ollama.models[VLM].state == ON_DISK
        assert OwnerRequest.objects.get().error == "GpuBusy"
    finally:
        other.close()
