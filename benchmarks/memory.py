"""Memory of the run loop's own process over 1 000 steps on a desktop that keeps changing, drawn as a curve.

`python -m benchmarks.memory` starts a real run loop (`manage.py runloop`) on a desktop that plays the corpus' web
pages: each key press copies bands of the page to other places of it, and now and then shows another page, so that
tiles, lines and elements never seen before come with every step.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import psutil

from benchmarks.screens import corpus
from execution.desktop.acts import Act, NotingHands
from execution.desktop.base import DesktopIdentity
from execution.types import Box, Frame, Size, Window, pixels_digest
from tests.support.display import wait_until

STEPS = 1000
SIZE = Size(1920, 1080)
GOAL_MB = 900
DRAWING = corpus.ROOT / "build" / "bench" / "memory.png"
_EDITS = 3  # bands of the page copied to other places of it with every step
_PAGES = 24
_STAY = 16  # steps on one page before the next
_EVERY = 5  # steps between two readings

_WORKFLOW = """
from tests.factories import make_published
def edge(here, there, order=0):
    return dict(edge_id=f"to_{there}", source=here, destination=there, action_type="press_keys", params={"keys": "f5"},
                settle_ms=0, settle_timeout_ms=100, expect={"window_title": there}, order=order)
nodes = [dict(node_id=name, name=name, window_title=name, is_entry=name == "a", is_end=name == "end")
         for name in ("a", "b", "end")]
edges = [edge("a", "b"), edge("b", "a"), edge("b", "end", order=1)]
make_published(workflow_id="wf_memory", nodes=nodes, edges=edges, variables=[])
"""


class ChangingDesktop(NotingHands):
    """Shows pages of the corpus; each key press changes places of the page, or brings the next one."""

    name = "scripted:memory"

    def __init__(self, pages: Sequence[Path]) -> None:
        self._pages = pages
        self._random = np.random.default_rng(4)
        self._turn = 0
        self._pixels = np.zeros((SIZE.height, SIZE.width, 3), np.uint8)
        self._frame = self._next()

    def _next(self) -> Frame:
        if self._turn % _STAY == 0:
            page = self._pages[self._turn // _STAY % len(self._pages)]
            self._pixels = cv2.resize(cv2.imread(str(page), cv2.IMREAD_COLOR), SIZE)
        pixels = self._pixels.copy()
        for _ in range(_EDITS):
            band = Box(0, 0, int(self._random.integers(80, 700)), int(self._random.integers(20, 60)))
            x, y, u, v = (int(self._random.integers(0, limit)) for limit in (SIZE.width - 700, SIZE.height - 60) * 2)
            pixels[y : y + band.h, x : x + band.w] = pixels[v : v + band.h, u : u + band.w]
        self._pixels = pixels
        return Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))

    def grab(self) -> Frame:
        return self._frame

    def window(self) -> Window:
        return Window(title="ab"[self._turn % 2], app_name="pages")

    def identity(self) -> DesktopIdentity:
        return DesktopIdentity(name=self.name, host="bench", boot_id="", session="1", user="bench", size=SIZE)

    def close(self) -> None:
        """Nothing is held."""

    def _size(self) -> Size:
        return SIZE

    def _do(self, act: Act) -> None:
        if act.kind == "press":
            self._turn += 1
            self._frame = self._next()


def desktop() -> ChangingDesktop:
    """What `--desktop scripted:benchmarks.memory.desktop` opens."""
    folder = corpus.FOLDER / "web"
    return ChangingDesktop([folder / screen.picture for screen in corpus.load(folder)[:_PAGES]])


def measure(steps: int = STEPS) -> list[tuple[int, float]]:
    """Pairs of (steps done, resident megabytes of the run loop's process), one every few steps."""
    with tempfile.TemporaryDirectory() as folder, _run_loop(Path(folder)) as (process, done):
        points: list[tuple[int, float]] = []

        def enough() -> bool:
            if process.poll() is not None:
                raise SystemExit(f"the run loop ended early: {(Path(folder) / 'runloop.log').read_text()[-2000:]}")
            count = done()
            if not points or count >= points[-1][0] + _EVERY:
                points.append((count, psutil.Process(process.pid).memory_info().rss / 2**20))
            return count >= steps

        wait_until(enough, timeout=3600, what=f"{steps} steps")
    return points


@contextmanager
def _run_loop(data: Path) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """A run loop working through the endless workflow; a callable tells how many steps are done."""
    env = {
        **os.environ,
        "RPA_DATA_DIR": str(data),
        "RPA_ENV_FILE": os.devnull,
        "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
    }

    def manage(*arguments: str) -> list[str]:
        return [sys.executable, "manage.py", *arguments]

    for arguments in (("migrate", "-v0"), ("shell", "-v0", "-c", _WORKFLOW)):
        subprocess.run(manage(*arguments), cwd=corpus.ROOT, env=env, check=True)
    name = f"scripted:{desktop.__module__ if __name__ != '__main__' else 'benchmarks.memory'}.desktop"
    command = manage("runloop", "--desktop", name, "--workflow", "wf_memory", "--mode", "automatic", "--once")
    with (data / "runloop.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=corpus.ROOT, env=env, stdout=log, stderr=log)

    def done() -> int:
        with sqlite3.connect(f"file:{data}/surehand.sqlite3?mode=ro", uri=True, timeout=20) as connection:
            return int(connection.execute("SELECT count(*) FROM execution_step WHERE total_ms > 0").fetchone()[0])

    try:
        yield process, done
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def draw(points: Sequence[tuple[int, float]], path: Path = DRAWING) -> None:
    """The curve as a picture: steps across, megabytes up."""
    from PIL import Image, ImageDraw

    width, height, left, bottom = 900, 420, 60, 40
    most_mb = max(GOAL_MB * 1.05, *(mb for _, mb in points))
    most_steps = max(1, points[-1][0])
    picture = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(picture)

    def at(steps: float, mb: float) -> tuple[float, float]:
        return left + (width - left - 20) * steps / most_steps, height - bottom - (height - bottom - 20) * mb / most_mb

    for mb in range(0, int(most_mb) + 1, 100):
        pen.line([at(0, mb), at(most_steps, mb)], fill="#c33" if mb == GOAL_MB else "#ddd")
        pen.text((8, at(0, mb)[1] - 6), f"{mb} MB", fill="black")
    for steps in range(0, most_steps + 1, 100):
        pen.text((at(steps, 0)[0] - 10, height - bottom + 8), str(steps), fill="black")
    pen.line([at(*point) for point in points], fill="#2a5db0", width=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)


def main() -> None:
    points = measure(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
    draw(points)
    for share in (0.1, 0.25, 0.5, 0.75, 1.0):
        steps, mb = points[min(len(points) - 1, round(share * (len(points) - 1)))]
        print(f"after {steps:5d} steps {mb:7.0f} MB")
    print(f"most {max(mb for _, mb in points):.0f} MB (goal {GOAL_MB}), drawn in {DRAWING.relative_to(corpus.ROOT)}")


if __name__ == "__main__":
    main()
