"""What a robot's eyes are and how often a screen was known, on the robots page and in the API (S2.6, S2.8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from execution.models import Robot
from execution.pages.robots import eyes_in_words
from execution.pages.start import flag_rows
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.claims import Heartbeat, beat
from execution.running.runner import Runner
from execution.turn.loop import Loop
from tests.analytics.steps import make_step
from tests.doubles.scripted import ScriptedDesktop
from tests.factories import make_execution, make_published
from tests.support.display import wait_until
from tests.support.scripted import KnownReader, publish_line, queue, screens

pytestmark = pytest.mark.django_db

REPORT = {
    "reader": "rapidocr",
    "detector": "builtin",
    "embedder": "builtin-2",
    "problems": ["The text reader rapidocr has not come back within 16 s."],
    "cache": {
        "hits": 120,
        "near": {"caret": 20, "clock": 8, "mask": 2},
        "misses": 50,
        "entries": 8,
        "bytes": 50_331_648,
    },
}  # fmt: skip


def make_robot(**fields: Any) -> Robot:
    return Robot.objects.create(name="desk:1", desktop="desk:1", host="desk", pid=1, **fields)


def test_the_robots_page_says_what_looks_and_how_often_it_knew_the_screen(client_of, viewer) -> None:
    make_robot(perception=REPORT)
    page = client_of(viewer).get("/robots").content.decode()
    assert "Text: rapidocr. Elements: builtin. Looks: builtin-2." in page
    assert "Of 200 looks 150 showed a screen that was known (75 %)." in page
    assert "Known but for a text cursor: 20, a clock: 8, a masked region: 2." in page
    assert "8 screens are kept (48.0" in page
    assert "Perception is degraded: The text reader rapidocr has not come back within 16 s." in " ".join(page.split())


def test_a_robot_without_eyes_says_so() -> None:
    report = ScreenAnalyzer(None, None, None).report()
    assert eyes_in_words(report) == ["No text is read. No elements are detected. Looks are not compared."]
    assert eyes_in_words({}) == []


# --- written with the heartbeat -------------------------------------------------------------------------------------
def test_a_beat_writes_what_it_is_told() -> None:
    robot = make_robot()
    beat(robot, perception=REPORT)
    robot.refresh_from_db()
    assert robot.perception == REPORT
    beat(robot)
    robot.refresh_from_db()
    assert robot.perception == REPORT


@pytest.mark.django_db(transaction=True)
def test_whoever_cannot_tell_lives_all_the_same(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.RPA_LEASE_S = 0.5
    robot = make_robot()

    def tells() -> dict[str, Any]:
        raise RuntimeError("no report")

    with Heartbeat(robot) as heart:
        heart.tells = tells
        first = Robot.objects.get().heartbeat_at
        wait_until(lambda: Robot.objects.get().heartbeat_at > first, what="a heartbeat")
        heart.check()
    assert "no report" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_the_run_loop_tells_of_its_eyes(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA_DIR = tmp_path
    settings.RPA_LEASE_S = 0.5
    desktop = ScriptedDesktop(screens("one", "two"))
    told: list[dict[str, Any]] = []
    run = Loop.run

    def until_told(loop: Loop) -> None:
        run(loop)
        told.append(wait_until(lambda: Robot.objects.get().perception, what="a report"))

    monkeypatch.setattr(Loop, "run", until_told)
    queue(publish_line("one", "two"))
    Runner(desktop=desktop, analyzer=ScreenAnalyzer(KnownReader(desktop), None, None), once=True).run()
    assert told[0]["reader"] == "known"
    assert set(told[0]["cache"]) == {"hits", "near", "misses", "entries", "bytes"}


# --- what the flags gained, on the start form -----------------------------------------------------------------------
def test_beside_each_flag_stands_what_it_gained_here(client_of, operator) -> None:
    """S2.2"""
    version = make_published(workflow_id="wf_note", name="Patient note", analyze_timeout_ms=15_000)
    with_text = make_execution(version=version, enable_ocr=True, enable_ui_detection=False)
    for ms in (100, 120, 900):
        make_step(with_text, analyze_ms=ms, confidence=0.9, degraded=ms == 900)
    make_step(make_execution(version=version, enable_ocr=False), analyze_ms=20, confidence=0.6)
    make_step(make_execution(), analyze_ms=9000)  # of another workflow
    page = " ".join(client_of(operator).get("/runs/new?workflow=wf_note").content.decode().split())
    assert "On: 120 ms a step, confidence 90 % (3 steps). Off: 20 ms a step, confidence 60 % (1 step)." in page
    assert "1 of 4 steps were degraded." in page
    assert "15000 ms" in page
    assert "Neither text nor elements: screens are told apart by their look alone." in page


def test_where_nothing_ran_nothing_was_gained() -> None:
    rows = flag_rows(make_published().workflow)
    assert [row.gained for row in rows] == ["Nothing was measured here yet."] * 4
    assert [row.now for row in rows] == ["on", "on", "8000 ms", "the desktop"]


def test_a_step_that_recognised_nothing_does_not_count_for_confidence() -> None:
    version = make_published()
    run = make_execution(version=version)
    make_step(run, confidence=0.0, analyze_ms=10)
    make_step(run, confidence=0.8, analyze_ms=10)
    assert "confidence 80 %" in flag_rows(version.workflow)[0].gained


# --- degraded mode, over a change of the run loop -------------------------------------------------------------------
def test_a_masked_region_that_is_none_costs_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """S2.6"""
    from execution.running.parts import masks_of

    class Journal:
        class graph:  # noqa: N801
            flags = {"masks": [[0, 0, 7, 1]]}

        def __init__(self) -> None:
            self.told: list[tuple[str, str]] = []

        def warn(self, kind: str, message: str) -> None:
            self.told.append((kind, message))

    journal = Journal()
    assert masks_of(journal) == ()
    assert journal.told[0][0] == "masks"
    Journal.graph.flags = {"masks": [[0, 0, 0.5, 1]]}
    assert masks_of(journal) == ((0.0, 0.0, 0.5, 1.0),)
    Journal.graph.flags = {}
    assert masks_of(journal) == ()
