"""What the GPU manager costs: `make bench NAME=gpu`, `python -m benchmarks.gpu`.

The same question goes straight to the server's client and through the manager, in turns, in one run. The server is the
double of Ollama on loopback, which answers at once: what is measured is our own side. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.timing import ROOT, Row, figures, row, show, timed
from tests.doubles.ollama import Model, OllamaServer, Reply, ollama_server

OUTPUT = ROOT / "build" / "bench" / "gpu.json"
VLM = "qwen2.5vl:7b"
ANSWER = '{"mark": 3}'
SCHEMA = {"type": "object", "properties": {"mark": {"type": "integer"}}, "required": ["mark"]}
TIMES = 200
TOGETHER = 100


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, ollama_server(Model(VLM, load_s=30), hurry=True) as server:
        server.reply = Reply(content=ANSWER)
        prepare(Path(folder), server)
        return [*measure_together(server), *measure_own_process(), *measure_other_process(Path(folder), server)]


def prepare(folder: Path, server: OllamaServer) -> None:
    """Django on data of its own, as the settings of a deployment would have it."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "rpa_site.settings", "RPA_DATA_DIR": str(folder), "RPA_ENV_FILE": os.devnull,
        "RPA_OLLAMA_URL": server.url, "RPA_VLM_MODEL": VLM, "RPA_LOG_LEVEL": "ERROR",
    }  # fmt: skip
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def measure_together(server: OllamaServer) -> list[Row]:
    """A hundred who want the model at once, from one event loop, and it is not there yet."""
    from gpu import GPUResourceConfig, GPUResourceManager

    manager = GPUResourceManager(GPUResourceConfig.from_settings())

    async def together() -> None:
        await asyncio.gather(*(manager.ensure_vlm_loaded() for _ in range(TOGETHER)))

    before = server.models[VLM].loads
    began = time.perf_counter()
    asyncio.run(together())
    took = (time.perf_counter() - began) * 1000
    loads = server.models[VLM].loads - before
    manager.close()
    return [
        row(f"loads, {TOGETHER} callers of ensure_vlm_loaded at once", loads, unit="", goal=1),
        row("until all of them had it (a load of no time)", took),
    ]


def measure_own_process() -> list[Row]:
    """In the process that owns the GPU, with rows, letter box and the memory of uses, as a run loop has them."""
    from gpu import get_gpu_resource_manager

    manager = get_gpu_resource_manager()
    manager.claim("bench")
    manager.ensure_vlm_loaded_sync()

    def straight() -> None:
        answer = manager.ollama.answer(VLM, prompt="Which?", pictures=[picture()], schema=SCHEMA)
        manager.runtime.run(answer)

    def managed() -> None:
        manager.ask_vlm_sync("Which?", [picture()], SCHEMA)

    direct, through = in_turns(straight, managed)
    status = timed(manager.get_status, times=TIMES)
    details = timed(manager.details, times=TIMES)
    manager.close()
    return [
        *figures("a question, straight to the client", direct),
        *figures("a question, through the manager", through),
        row(
            "what the manager adds to a question, median",
            statistics.median(through) - statistics.median(direct),
            goal=5,
        ),
        *figures("status", status, goal=5),
        *figures("status with models and queue, as the rows show it", details, goal=5),
    ]


def measure_other_process(folder: Path, server: OllamaServer) -> list[Row]:
    """From a process that does not own the GPU: its request and the answer are rows."""
    from gpu.manager import wired_manager

    held = folder / "held_mb"
    held.write_text("0")
    owner = subprocess.Popen([sys.executable, "-m", "tests.support.gpu_owner", str(held)], cwd=ROOT)
    manager = wired_manager()
    try:
        wait_for_owner(owner)
        manager.ensure_vlm_loaded_sync(asked_by="bench")
        asked = timed(lambda: manager.ensure_vlm_loaded_sync(asked_by="bench"), times=40)
        used = timed(lambda: manager.ask_vlm_sync("Which?", [picture()], SCHEMA), times=40)
    finally:
        manager.close()
        owner.terminate()
        owner.wait(20)
    return [
        *figures("another process asks for a model that is there", asked),
        *figures("another process asks a question", used),
    ]


def wait_for_owner(process: subprocess.Popen[bytes]) -> None:
    from gpu.models import GPUState

    end = time.monotonic() + 60
    while not GPUState.objects.exclude(owner="").filter(owner_pid=process.pid).exists():
        if time.monotonic() > end or process.poll() is not None:
            raise SystemExit("the owner of the GPU did not start")
        time.sleep(0.05)


def picture() -> bytes:
    """A PNG of the size that the rungs send."""
    if not _PICTURE:
        import cv2
        import numpy as np

        noise = np.random.default_rng(1).integers(0, 255, (90, 160, 3), np.uint8)
        _PICTURE.append(cv2.imencode(".png", cv2.resize(noise, (1600, 900), interpolation=cv2.INTER_NEAREST))[1])
    return bytes(_PICTURE[0].tobytes())


_PICTURE: list[Any] = []


def in_turns(one: Callable[[], Any], other: Callable[[], Any]) -> tuple[list[float], list[float]]:
    """Milliseconds of each, one after the other, so that the machine's moods meet both."""
    ones, others = [], []
    for _ in range(TIMES):
        ones += timed(one, times=1)
        others += timed(other, times=1)
    return ones, others


def main() -> None:
    show(run(), OUTPUT)


if __name__ == "__main__":
    main()
