"""Airtest as one way to find a target: its own virtual environment, and a worker in it that is asked over a pipe."""

from __future__ import annotations

import json
import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2

from benchmarks.drift.pairs import FOLDER as PAIRS
from benchmarks.screens.corpus import ROOT
from benchmarks.targeting_methods import Answer, Scene
from execution.types import Box, Point

VERSION = "1.4.3"
FOLDER = ROOT / "build" / "bench" / "airtest-venv"
_WORKER = Path(__file__).with_name("airtest_worker.py")


def python() -> Path:
    """The interpreter that has Airtest; its environment is made where it is missing, which takes a minute."""
    stamp = FOLDER / f".airtest-{VERSION}"
    if not stamp.is_file():
        venv.create(FOLDER, with_pip=True, clear=True)
        command = [FOLDER / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input", f"airtest=={VERSION}"]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)
        if done.returncode:
            raise RuntimeError(f"Airtest {VERSION} could not be installed: {done.stderr.strip()[-500:]}")
        stamp.touch()
    return FOLDER / "bin" / "python"


class Airtest:
    """Template(...).match_in(screen), given what its recorder notes: where the target was, on how large a screen."""

    name = "Airtest"

    def __init__(self, worker: subprocess.Popen[str], folder: Path) -> None:
        self._worker, self._template = worker, folder / "template.png"

    def answer(self, scene: Scene) -> Answer:
        pair, size = scene.pair, scene.taught.frame.size
        cv2.imwrite(str(self._template), scene.template)
        question = {
            "template": str(self._template), "screen": str(PAIRS / pair.part / f"{pair.seen}.png"),
            "middle": list(pair.box.center), "size": list(size),
        }  # fmt: skip
        assert self._worker.stdin and self._worker.stdout
        self._worker.stdin.write(json.dumps(question) + "\n")
        self._worker.stdin.flush()
        line = self._worker.stdout.readline()
        if not line:
            raise RuntimeError(f"The Airtest worker ended with {self._worker.wait(10)} over {pair.name}.")
        told = json.loads(line)
        if told["point"] is None:
            return Answer(point=None, ms=told["ms"])
        point = Point(*told["point"])
        box = Box(point.x - pair.box.w // 2, point.y - pair.box.h // 2, pair.box.w, pair.box.h)
        return Answer(point=point, ms=told["ms"], box=box)


@contextmanager
def airtest() -> Iterator[Airtest]:
    """A running worker; it ends with the block."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "airtest.log"
        with log.open("wb") as output:
            worker = subprocess.Popen(
                [python(), _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True
            )
        try:
            yield Airtest(worker, Path(name))
        finally:
            assert worker.stdin
            worker.stdin.close()
            worker.wait(30)
