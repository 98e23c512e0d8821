"""What a step costs: `python -m benchmarks.loop` runs the demo on a real desktop and prints each stage.

Times are read from the steps that the run loop records, and from the stages called one by one on the same screens; the
stream's figures come from benchmarks.stream in the same run. Nothing here passes or fails: goals are shown.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import stream
from benchmarks.timing import REPEATS, ROOT, Row, figures, show, timed

if TYPE_CHECKING:
    from tests.support.product import Product

RUNS = 4
OUTPUT = ROOT / "build" / "bench" / "loop.json"


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {  # before anything of the product is loaded, which reads them once
            "RPA_DATA_DIR": f"{folder}/data", "RPA_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }  # fmt: skip
        from tests.support.product import product

        with product(Path(folder)) as one:
            stages = measure_stages(one)
            steps = measure_runs(one)
    return [*stages, *steps, *stream.run()]


def measure_runs(one: Product) -> list[Row]:
    """Whole automatic runs by a run loop process; its own record of each step."""
    for number in range(RUNS):
        one.open_editor()
        done = one.manage(
            "runloop", "--desktop", one.screen.display, "--workflow", "wf_patient_note",
            "--mode", "automatic", "--var", f"filename=bench-{number}.txt", "--once",
        )  # fmt: skip
        if "completed" not in done.stdout:
            raise SystemExit(f"run {number} did not complete:\n{done.stdout}{done.stderr}")
    names = ("capture_ms", "analyze_ms", "match_ms", "resolve_ms", "act_ms", "look_ms", "verify_ms", "total_ms")
    columns = ", ".join(names)
    rows = one.rows(f"SELECT {columns} FROM execution_step WHERE outcome = 'succeeded'")
    by_name = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return [
        *figures("a step: look (grab and window)", by_name["capture_ms"]),
        *figures("a step: analyse, as it comes", by_name["analyze_ms"]),
        *figures("a step: match", by_name["match_ms"]),
        *figures("a step: resolve a click", [v for v in by_name["resolve_ms"] if v]),
        *figures("a step: act", by_name["act_ms"]),
        *figures("a step: read again", by_name["look_ms"]),
        *figures("a step: verify, after it stood still", by_name["verify_ms"]),
        *figures("the whole step", by_name["total_ms"]),
    ]


def measure_stages(one: Product) -> list[Row]:
    """Each stage by itself, on the real editor with its menu open, then with text typed into it."""
    import django

    django.setup()
    from execution.desktop.capture import settle
    from execution.desktop.x11 import X11Desktop
    from execution.matching import Matcher
    from execution.perception.analyzer import build_analyzer
    from execution.targeting.resolver import TargetResolver
    from workflows.models import Workflow
    from workflows.pictures import PictureStore

    graph = Workflow.objects.get().latest_version().spec()
    variables = {v.name: v.default for v in graph.variables}
    with editor(one):
        desktop = X11Desktop(one.screen.display)
        capture = timed(lambda: (desktop.grab(), desktop.window()))
        first = []
        for _ in range(5):
            analyzer = build_analyzer()
            analyzer.warm_up()
            frame, window = desktop.grab(), desktop.window()
            first += timed(lambda a=analyzer, f=frame, w=window: a.analyze(f, w), times=1)
        state = analyzer.analyze(frame, window)
        unchanged = timed(lambda: analyzer.analyze(desktop.grab(), window, previous=state))
        matcher = Matcher(graph, pictures=PictureStore(), embedder=analyzer.embedder)
        match = timed(lambda: matcher.recognise(state, variables=variables))
        resolver = TargetResolver(pictures=PictureStore())
        target = next(e.target for e in graph.edges if e.edge_id == "open_file_menu")
        assert target is not None
        resolve = timed(lambda: resolver.resolve(target, state, variables=variables))
        still = timed(lambda: settle(desktop, settle_ms=300, timeout_ms=5000), times=10)
        typed, changed, previous = [], [], state
        for number in range(REPEATS):
            typed += timed(lambda n=number: desktop.type_text(f"{n} "), times=1)
            settle(desktop, settle_ms=50, timeout_ms=1000)
            frame = desktop.grab()
            began = time.perf_counter()
            previous = analyzer.analyze(frame, window, previous=previous)
            changed.append((time.perf_counter() - began) * 1000)
        record = measure_record(previous)
        desktop.close()
    return [
        *figures("capture with window and digest, 1280×800", capture),
        *figures("read, first", first),
        *figures("read, unchanged frame (with its capture)", unchanged),
        *figures("read, after a small change", changed),
        *figures("match among 14 nodes", match),
        *figures("resolve a target", resolve),
        *figures("act: type three characters", typed),
        *figures("settle a still screen (300 ms asked)", still),
        *figures("record: picture, transaction, events of a step", record),
    ]


def measure_record(state: Any) -> list[float]:
    """Opening and closing a step in the journal, its picture included."""
    from execution.actions.start import start
    from execution.choices import ExecutionState, Outcome
    from execution.record.journal import Journal
    from execution.types import Match, Recognition

    execution = start(workflow_id="wf_patient_note", mode="observation")
    execution.move(ExecutionState.RUNNING, desktop="bench")
    journal = Journal(execution, execution.version.spec())
    recognition = Recognition(match=Match(node_id="editor_open", confidence=1.0))

    def record() -> None:
        step = journal.open_step(state, recognition, None, match_ms=0)
        journal.close_step(step, Outcome.OBSERVED)

    times = timed(record)
    journal.finish(ExecutionState.STOPPED)
    return times


@contextmanager
def editor(one: Product) -> Iterator[None]:
    from tests.support.display import wait_until

    one.open_editor()
    process = one.screen.processes[-1]
    yield
    one.screen.end(process)
    wait_until(lambda: not any("Mousepad" in w.title for w in one.screen.windows()), what="the editor's end")


def main() -> None:
    show(run(), OUTPUT)


if __name__ == "__main__":
    main()
