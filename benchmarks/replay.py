"""How long stored steps take to be looked at again: `make bench NAME=replay`, of 10 000 steps on two cores (S6.17).

The steps are those of the demo workflow on its own pictures, each run with another patient written into the note, so
that no two runs show the same pixels; they are read, recognised and found as a worker does. Measured are so many steps
as `--steps` says, and what 10 000 take is reckoned from that. The same steps are looked at once more as they were read
then, which is how a correction is tried.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.timing import Row, row, show

if TYPE_CHECKING:
    import numpy as np

    from workflows.models import WorkflowVersion

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "build" / "bench" / "replay.json"
STEPS, ALL = 300, 10_000
GOAL_MIN = 30.0
NAMES = ("Anna Rossi", "Marie Lefèvre", "Jean Dupont", "Zoé Martin", "Ahmed Benali", "Lucía Gómez", "Emma Schmidt")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "RPA_DATA_DIR": folder,
            "RPA_ENV_FILE": os.devnull,
            "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }
        for command in (["migrate", "-v0"], ["load_demo"]):
            subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        import django

        django.setup()
        show(measured(asked.steps), KEPT)


def measured(steps: int) -> list[Row]:
    from django.conf import settings

    from execution.perception.analyzer import build_analyzer
    from execution.perception.config import PerceptionConfig
    from execution.replay.answers import Verdict
    from execution.replay.looking_again import LookingAgain
    from execution.replay.replaying import ask, go_on
    from execution.replay.runs import StoredRun
    from workflows.models import WorkflowVersion
    from workflows.pictures import PictureStore

    version = WorkflowVersion.objects.latest("pk")
    make(version, steps)
    analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
    analyzer.warm_up()
    replay = ask(version.workflow)
    began = time.perf_counter()
    replay = go_on(replay, analyzer)
    took = time.perf_counter() - began
    again = LookingAgain(version.spec(), analyzer, pictures=PictureStore(), reads=False)
    kept = [StoredRun(run) for run in version.executions.all()]
    began = time.perf_counter()
    for run in kept:
        for step in run.steps():
            again.differences(step, run)
    tried = time.perf_counter() - began
    done = replay.looked_at
    found = ", ".join(f"{replay.of_verdict(v)} {v.value}" for v in Verdict if replay.of_verdict(v)) or "none differs"
    return [
        row("a step read, recognised and found again", 1000 * took / done, peers=f"{done} steps; {found}"),
        row(f"{ALL} of them", took / done * ALL / 60, unit="min", goal=GOAL_MIN),
        row("a step recognised and found again, as it was read then", 1000 * tried / done),
        row(f"{ALL} of them", tried / done * ALL / 60, unit="min"),
    ]


def make(version: WorkflowVersion, steps: int) -> None:
    """Runs as if they had been done, each on pictures of its own."""
    from datetime import UTC, datetime

    from execution.models import Execution, Step
    from execution.perception.analyzer import build_analyzer
    from execution.record.payloads import screen_json
    from execution.record.redaction import Shown
    from execution.types import Frame
    from workflows.pictures import PictureStore

    graph, store, made, run = version.spec(), PictureStore(), 0, 0
    values = {v.name: v.default for v in graph.variables} | {"filename": "note-lefevre.txt"}  # as the pictures show it
    pictures = {node.node_id: node.picture for node in graph.nodes if node.picture}
    eyes = build_analyzer()
    while made < steps:
        name, now = NAMES[run % len(NAMES)] + f" {run}", datetime.now(UTC)
        execution = Execution.objects.create(
            execution_id=f"bench_{run}", version=version, mode="automatic", state="completed",
            variables=values, started_at=now, ended_at=now,
        )  # fmt: skip
        for index, edge in enumerate(graph.edges, start=1):
            if edge.source not in pictures or made == steps:
                continue
            pixels = written(store.get(pictures[edge.source]), name)
            state = eyes.analyze(Frame(pixels=pixels, taken_at=now), None)
            shown = Shown(state=state, hidden=(), seal="")
            digest = store.put(pixels)
            box = list(edge.target.box) if edge.target and edge.target.box else None
            Step.objects.create(
                execution=execution, index=index, epoch=1, phase="closed", outcome="succeeded", success=True,
                node_id=edge.source, edge_id=edge.edge_id, mode="automatic", verified="yes", picture_before=digest,
                suggestion={"box": box, "destination": edge.destination}, ended_at=now,
                screen=screen_json(shown, execution=execution, picture=digest, lies=("", 0)),
            )  # fmt: skip
            made += 1
        run += 1


def written(pixels: np.ndarray, name: str) -> np.ndarray:
    """The picture with another name in its emptiest place of that size."""
    import cv2

    some: Any = pixels.copy()
    (width, height), _base = cv2.getTextSize(name, cv2.FONT_HERSHEY_SIMPLEX, 0.6, 1)
    grey = cv2.cvtColor(some, cv2.COLOR_BGR2GRAY).astype("float32")
    window = (width + 20, height + 20)
    mean, square = cv2.blur(grey, window), cv2.blur(grey * grey, window)
    inner = (square - mean * mean)[height + 20 : -height - 20, width // 2 + 20 : -width // 2 - 20]
    y, x = divmod(int(inner.argmin()), inner.shape[1])
    ink = (0, 0, 0) if mean[y + height + 20, x + width // 2 + 20] > 127 else (255, 255, 255)
    cv2.putText(some, name, (x + 20, y + height + 25), cv2.FONT_HERSHEY_SIMPLEX, 0.6, ink, 1, cv2.LINE_AA)
    return some


if __name__ == "__main__":
    main()
