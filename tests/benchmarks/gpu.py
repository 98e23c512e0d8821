"""What the GPU manager costs: `make bench-gpu`, `python -m tests.benchmarks.gpu`.

The same question goes straight to the server's client and through the manager, in turns, in one run. The server is the
double of Ollama on loopback, which answers at once: what is measured is our own side. Nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.doubles.ollama import Model, OllamaServer, Reply, ollama_server

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = ROOT / "build" / "bench" / "gpu.json"
VLM = "qwen2.5vl:7b"
ANSWER = '{"mark": 3}'
SCHEMA = {"type": "object", "properties": {"mark": {"type": "integer"}}, "required": ["mark"]}
TIMES = 200
TOGETHER = 100

Row = dict[str, Any]


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
    manager.close()
    return [
        row(f"loads, {TOGETHER} callers of ensure_vlm_loaded at once", server.models[VLM].loads - before, "", 1),
        row("until all of them had it (a load of no time)", took, "ms"),
    ]


def measure_own_process() -> list[Row]:
    """In the process that owns the GPU, with rows, letter box and the memory of uses, as a run loop has them."""
    from gpu import get_gpu_resource_manager

    manager = get_gpu_resource_manager()
    manager.claim("bench")
    manager.run_sync("ensure_vlm_loaded")

    def straight() -> None:
        answer = manager.ollama.answer(VLM, prompt="Which?", pictures=[picture()], schema=SCHEMA)
        manager.runtime.run(answer)

    def managed() -> None:
        manager.run_sync("ask_vlm", "Which?", [picture()], SCHEMA)

    direct, through = in_turns(straight, managed)
    status = timed(manager.get_status)
    details = timed(manager.details)
    manager.close()
    return [
        *figures("a question, straight to the client", direct),
        *figures("a question, through the manager", through),
        row("what the manager adds to a question, median", statistics.median(through) - statistics.median(direct),
            "ms", 5),
        *figures("status", status, goal=5),
        *figures("status with models and queue, as the rows show it", details, goal=5),
    ]  # fmt: skip


def measure_other_process(folder: Path, server: OllamaServer) -> list[Row]:
    """From a process that does not own the GPU: its request and the answer are rows."""
    from gpu.wiring import wired_manager

    held = folder / "held_mb"
    held.write_text("0")
    owner = subprocess.Popen([sys.executable, "-m", "tests.support.gpu_owner", str(held)], cwd=ROOT)
    manager = wired_manager()
    try:
        wait_for_owner(owner)
        manager.run_sync("ensure_vlm_loaded", asked_by="bench")
        asked = timed(lambda: manager.run_sync("ensure_vlm_loaded", asked_by="bench"), times=40)
        used = timed(lambda: manager.run_sync("ask_vlm", "Which?", [picture()], SCHEMA), times=40)
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


def timed(work: Callable[[], Any], *, times: int = TIMES) -> list[float]:
    """Milliseconds of each call."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def figures(name: str, values: Sequence[float], *, goal: float | None = None) -> list[Row]:
    ordered = sorted(values)
    p95 = ordered[round(0.95 * (len(ordered) - 1))]
    return [row(f"{name}, median", statistics.median(ordered), "ms", goal), row(f"{name}, p95", p95, "ms")]


def row(figure: str, value: float, unit: str, goal: float | None = None) -> Row:
    met = None if goal is None else value <= goal
    return {"figure": figure, "value": round(value, 3), "unit": unit, "goal": goal, "met": met}


def main() -> None:
    rows = run()
    print(f"{platform.node()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for one in rows:
        goal = "" if one["goal"] is None else f"goal {one['goal']:g}, {'met' if one['met'] else 'NOT met'}"
        print(f"{one['figure']:<62}{one['value']:>10} {one['unit']:<3} {goal}")
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    print(f"written to {OUTPUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
