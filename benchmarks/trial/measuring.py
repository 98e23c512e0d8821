"""Teaches the trial, runs it with other values on moved windows, and reads what came of it from outside the product."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import story_lesson
from benchmarks.trial.script import BACKDROP, STORY, TAUGHT, note, record, values_of
from benchmarks.trial.stage import NEEDED, SIZE, Clinic, clinic, programs
from execution.desktop import backdrop
from tests.support.display import DisplayProblem, missing_programs, wait_until
from tests.support.product import ROOT, Product, product

PICTURES = ROOT / "build" / "bench" / "trial"
RESOLVE_GOAL_MS = 160.0
RUN_S, STOP_S, POLL_S = 300, 30, 0.3
NEEDING_A_PERSON = ("paused", "waiting", "coaching")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step as the run loop recorded it."""

    index: int
    edge_id: str
    outcome: str
    verified: str
    retries: int
    resolve_ms: float
    total_ms: float
    rung: str
    score: float
    sentence: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run. `wrong` are the things that are not as they must be, seen from outside; `degraded` says why it was."""

    number: int
    state: str
    steps: tuple[Step, ...]
    prompts: int
    degraded: str
    wrong: tuple[str, ...]
    said: str

    @property
    def acts(self) -> list[Step]:
        return [step for step in self.steps if step.edge_id]

    @property
    def done(self) -> int:
        return len({step.edge_id for step in self.acts if step.outcome == "succeeded"})

    @property
    def verified(self) -> int:
        return len({step.edge_id for step in self.acts if step.verified == "yes"})

    @property
    def retries(self) -> int:
        """What was done again within a step, or in one more step for the same edge."""
        return sum(step.retries for step in self.acts) + len(self.acts) - len({step.edge_id for step in self.acts})

    @property
    def resolve_ms(self) -> list[float]:
        clicks = {act.edge_id for act in STORY.clicks}
        return [step.resolve_ms for step in self.acts if step.edge_id in clicks and step.resolve_ms]

    @property
    def good(self) -> bool:
        return not self.wrong and self.state == "completed" and self.done == len(STORY.acts) and not self.prompts


def measure(runs: int = 10) -> list[Row]:
    """The figures of the trial as rows of the bench's table; each run, and what went wrong in it, is printed."""
    return rows_of(perform(runs))


def perform(runs: int) -> list[Run]:
    if missing := missing_programs(*NEEDED):
        raise SystemExit(f"The trial needs {', '.join(missing)}: run tools/setup.sh bench.")
    shutil.rmtree(PICTURES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder, product(Path(folder), width=SIZE[0], height=SIZE[1]) as one:
        backdrop.paint(one.screen.display, BACKDROP)
        with clinic() as server:
            teach(one, server)
            return [perform_one(one, server, number) for number in range(runs)]


def teach(one: Product, server: Clinic) -> None:
    """The lesson; what it saved and sent is taken away again."""
    with programs(one.screen, server.port):
        story_lesson.teach(one.screen, "benchmarks.trial.script", PICTURES, env=one.env)
    (one.documents / TAUGHT["filename"]).unlink()
    server.records.clear()


def perform_one(one: Product, server: Clinic, number: int) -> Run:
    """One automatic run by a process of its own; each on windows that stand elsewhere."""
    values = values_of(number)
    variables = [part for name, value in values.items() for part in ("--var", f"{name}={value}")]
    shift = ((17 * number) % 90, (11 * number) % 70)
    with programs(one.screen, server.port, shift=shift):
        command = [sys.executable, "manage.py", "runloop", "--desktop", one.screen.display, "--once"]
        command += ["--workflow", STORY.workflow_id, "--mode", "automatic", *variables]
        state, said = run_for(command, one, PICTURES / f"run-{number}-last.png")
    steps = steps_of(one)
    [(prompts, degraded)] = one.rows(
        "SELECT (SELECT COUNT(*) FROM execution_prompt p WHERE p.execution_id = e.id), e.degraded_reason "
        "FROM execution_execution e ORDER BY e.id DESC LIMIT 1"
    )
    wrong = tuple(differences(one, server, values))
    server.records.clear()
    run = Run(number=number, state=state, steps=steps, prompts=prompts, degraded=degraded, wrong=wrong, said=said)
    keep_trouble(one, run)
    print(told(run), flush=True)
    return run


def run_for(command: list[str], one: Product, picture: Path) -> tuple[str, str]:
    """The run's state and what the run loop printed; one that needs a person is stopped, for nobody is here."""
    [(last,)] = one.rows("SELECT COALESCE(MAX(id), 0) FROM execution_execution")
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=one.env, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until(
                lambda: process.poll() is not None or state_of(one, last)[0] in NEEDING_A_PERSON,
                timeout=RUN_S,
                what="the run's end",
            )
        except DisplayProblem as late:
            print(late)
        state, execution_id = state_of(one, last)
        if process.poll() is None:
            keep_picture(one, picture)
            if execution_id:
                one.manage("execution", "stop", execution_id)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.seek(0)
        return state, log.read()


def state_of(one: Product, last: int) -> tuple[str, str]:
    """State and name of the run that was started after the one numbered `last`."""
    time.sleep(POLL_S)  # asked now and then: the run writes to the same database
    rows = one.rows("SELECT state, execution_id FROM execution_execution WHERE id > ?", last)
    return rows[0] if rows else ("", "")


def keep_trouble(one: Product, run: Run) -> None:
    """What was seen, meant and judged in the steps that went wrong, with their pictures, for whoever looks into it."""
    found = one.rows(
        'SELECT "index", edge_id, verification, suggestion, screen, picture_before, picture_after FROM execution_step '
        "WHERE execution_id = (SELECT MAX(id) FROM execution_execution)"
    )
    bad = {step.index for step in run.steps if trouble(step)}
    for index, edge_id, verification, suggestion, screen, *pictures in found:
        if index not in bad:
            continue
        stem = PICTURES / f"run-{run.number}-step-{index:02}-{edge_id or 'unknown'}"
        said = {"verification": verification, "suggestion": suggestion, "screen": screen}
        parsed = {name: json.loads(value) for name, value in said.items()}
        stem.with_suffix(".json").write_text(json.dumps(parsed, indent=1, ensure_ascii=False))
        for name, digest in zip(("before", "after"), pictures, strict=True):
            file = one.data / "pictures" / digest[:2] / f"{digest}.png"
            if digest and file.exists():
                shutil.copy(file, stem.with_name(f"{stem.name}-{name}.png"))


def trouble(step: Step) -> bool:
    """Whether a step is not as all should be; the last one, at the end of the workflow, has no action."""
    if not step.edge_id:
        return step.outcome != "terminal"
    return step.outcome != "succeeded" or step.verified != "yes" or step.retries > 0


def steps_of(one: Product) -> tuple[Step, ...]:
    found = one.rows(
        'SELECT "index", edge_id, outcome, verified, retries, resolve_ms, total_ms, rung, score, sentence, message '
        "FROM execution_step WHERE execution_id = (SELECT MAX(id) FROM execution_execution) "
        'ORDER BY "index"'
    )
    names = Step.__dataclass_fields__
    return tuple(Step(**dict(zip(names, row, strict=True))) for row in found)


def differences(one: Product, server: Clinic, values: dict[str, str]) -> list[str]:
    """What is not as it must be: the saved file, and what the form sent, once."""
    found = []
    file = one.documents / values["filename"]
    written = file.read_text() if file.exists() else None
    if written != note(values):
        found.append(f"the file holds {written!r}, not {note(values)!r}")
    if server.records != [record(values)]:
        found.append(f"the form sent {server.records}, not {record(values)} once")
    return found


def keep_picture(one: Product, file: Path) -> None:
    import cv2

    from execution.desktop.x11 import X11Desktop

    desktop = X11Desktop(one.screen.display)
    try:
        cv2.imwrite(str(file), desktop.grab().pixels)
    finally:
        desktop.close()


def rows_of(runs: list[Run]) -> list[Row]:
    resolve = [ms for run in runs for ms in run.resolve_ms]
    count, mean = len(STORY.acts), statistics.fmean(resolve) if resolve else 0.0
    good = sum(run.good for run in runs)
    done, verified = min(run.done for run in runs), min(run.verified for run in runs)
    retries = max(run.retries for run in runs)
    return [
        _row(f"trial: actions done of {count}, the worst run", done, "", count, done >= count),
        _row(f"trial: actions verified of {count}, the worst run", verified, "", count, verified >= count),
        _row("trial: retries, the worst run", retries, "", 0, retries == 0),
        _row("trial: resolve a click, mean", round(mean, 1), "ms", RESOLVE_GOAL_MS, 0 < mean <= RESOLVE_GOAL_MS),
        _row("trial: resolve a click, slowest", round(max(resolve, default=0.0), 1), "ms", None, None),
        _row(f"trial: runs right of {len(runs)}", good, "", len(runs), good == len(runs)),
    ]


def _row(figure: str, value: float, unit: str, goal: float | None, met: bool | None) -> Row:
    return {"figure": figure, "value": value, "unit": unit, "goal": goal, "met": met, "peers": ""}


def told(run: Run) -> str:
    """A run in lines: the whole in one, and each step that is not as it should be."""
    mean = statistics.fmean(run.resolve_ms) if run.resolve_ms else float("nan")
    total = sum(step.total_ms for step in run.steps) / 1000
    lines = [
        f"run {run.number}: {run.state}, {run.done}/{len(STORY.acts)} done, {run.verified} verified, "
        f"{run.retries} retries, {run.prompts} prompts, resolve mean {mean:.0f} ms, {total:.0f} s"
        + ("" if run.good else ", NOT right")
    ]
    for step in run.steps:
        if trouble(step):
            lines.append(
                f"    {step.index} {step.edge_id}: {step.outcome or 'open'}, {step.verified or 'not verified'}, "
                f"{step.retries} retries, {step.rung} {step.score:.2f}: {step.message or step.sentence}"
            )
    lines += [f"    {wrong}" for wrong in (run.degraded, *run.wrong) if wrong]
    if not run.good:
        lines += [f"    {line}" for line in run.said.splitlines()[-4:]]
        lines.append(
            f"    the screen then, if it stopped on the way: {PICTURES.relative_to(ROOT)}/run-{run.number}-last.png"
        )
    return "\n".join(lines)
