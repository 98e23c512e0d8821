"""Stored steps looked at again: what was right stays right, or is told; gone on with after a death (S6.17)."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from execution.behind.leases import Taken
from execution.choices import Feedback
from execution.models import Execution, Replay, ReplayState, StepMark
from execution.perception.analyzer import ScreenAnalyzer
from execution.replay import replaying
from execution.replay.answers import BREAKS
from execution.replay.replaying import ask, go_on
from execution.running.runner import Runner
from execution.types import Box, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.support.pictured import PicturesReader, analyzer_of
from tests.support.scripted import analyzer, publish_line, queue, screens
from workflows.models import Workflow, WorkflowVersion
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

NAMES = ("one", "two", "three")


class Blurred(PicturesReader):
    """Does not read a word, or reads it elsewhere: what a new reader may do."""

    def __init__(self, word: str, moved_by: int | None = None) -> None:
        super().__init__(screens(*NAMES))
        self._word, self._moved_by = word, moved_by

    def read(self, pixels: Any, region: Box | None = None) -> tuple[TextLine, ...]:
        found = super().read(pixels, region)
        others = tuple(line for line in found if line.text != self._word)
        if self._moved_by is None:
            return others
        moved = (
            replace(line, box=line.box._replace(y=line.box.y + self._moved_by)) for line in found if line not in others
        )
        return (*others, *moved)


def done(*names: str, runs: int = 1, mode: str = "automatic") -> Workflow:
    """A workflow over those pages, with runs that went well."""
    names = names or NAMES
    version = publish_line(*names)
    for _n in range(runs):
        execution, desktop = queue(version, mode=mode), ScriptedDesktop(screens(*names))
        Runner(desktop=desktop, analyzer=analyzer(desktop), once=True, out=str, leave=threading.Event()).run()
        execution.refresh_from_db()
        assert execution.state == "completed"
    return version.workflow


def same_eyes() -> ScreenAnalyzer:
    return analyzer_of(screens(*NAMES))


def looked_at(workflow: Workflow, eyes: ScreenAnalyzer, **more: Any) -> Replay:
    return go_on(ask(workflow, **more), eyes)


def test_the_same_eyes_find_everything_where_it_was() -> None:
    replay = looked_at(done(runs=2), same_eyes())
    assert (replay.state, replay.looked_at, replay.steps) == (ReplayState.DONE, replay.steps, 6)
    assert not replay.counts
    assert not replay.differences.exists()


def test_a_word_that_is_not_read_any_more_is_a_question_where_there_was_none() -> None:
    replay = looked_at(done(), ScreenAnalyzer(Blurred("Go on"), None, None))
    assert replay.counts == {"place": {"worse": 2}}
    difference = replay.differences.first()
    assert difference is not None
    assert difference.now is None
    assert difference.was == pytest.approx([400 / 1280, 400 / 800, 160 / 1280, 48 / 800], abs=0.01)


def test_a_screen_that_is_not_known_any_more_is_told() -> None:
    replay = looked_at(done(), ScreenAnalyzer(Blurred("Page two"), None, None))
    assert replay.counts["screen"] == {"worse": 1}
    difference = replay.differences.get(about="screen")
    assert (difference.was, difference.now, difference.step.index) == ("two", "", 2)


def test_another_place_than_the_one_that_proved_right_is_wrong() -> None:
    replay = looked_at(done(), ScreenAnalyzer(Blurred("Go on", moved_by=-250), None, None))
    assert replay.count("place", "wrong") + replay.count("place", "worse") == 2
    assert any(replay.of_verdict(verdict) for verdict in BREAKS)


def test_what_a_person_called_wrong_is_better_refused() -> None:
    workflow = done()
    for step in Execution.objects.get().steps.filter(edge_id__gt=""):
        StepMark.objects.create(step=step, feedback=Feedback.INCORRECT)
    replay = looked_at(workflow, ScreenAnalyzer(Blurred("Go on"), None, None))
    assert replay.counts == {"place": {"better": 2}}


def test_a_picture_that_is_gone_is_passed_over_and_counted() -> None:
    workflow = done()
    step = Execution.objects.get().steps.earliest("index")
    PictureStore().path(step.picture_before).unlink()
    replay = looked_at(workflow, same_eyes())
    assert replay.passed_over == {"picture_gone": 1}
    assert replay.looked_at == replay.steps == 3


def test_it_goes_on_where_it_was_left_and_counts_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "PIECE", 2)
    workflow, eyes = done(runs=2), ScreenAnalyzer(Blurred("Go on"), None, None)
    replay = go_on(ask(workflow), eyes, leave_now=lambda: True)
    assert (replay.state, replay.looked_at) == (ReplayState.RUNNING, 2)
    replay = go_on(replay, eyes)
    assert (replay.state, replay.looked_at) == (ReplayState.DONE, 6)
    assert replay.counts == {"place": {"worse": 4}}
    assert replay.differences.count() == 4


def test_after_a_death_in_a_piece_it_is_looked_at_anew_and_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease of a process that died has to run out first."""
    monkeypatch.setattr(replaying, "PIECE", 2)
    replay, eyes = ask(done(runs=2)), ScreenAnalyzer(Blurred("Go on"), None, None)

    def die(replay: Replay) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go_on(replay, eyes, tell=die)
    replay.refresh_from_db()
    assert (replay.state, replay.looked_at) == (ReplayState.RUNNING, 2)
    with pytest.raises(Taken):
        go_on(replay, eyes)
    Replay.objects.update(lease_until=replay.created_at)
    assert go_on(replay, eyes).counts == {"place": {"worse": 4}}


def test_half_of_a_table_by_other_eyes_is_begun_anew(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(replaying, "PIECE", 2)
    replay = go_on(ask(done(runs=2)), ScreenAnalyzer(Blurred("Go on"), None, None), leave_now=lambda: True)
    assert replay.counts == {"place": {"worse": 2}}
    settings.RPA_MATCH_THRESHOLD = 0.7
    replay = go_on(replay, same_eyes())
    assert (replay.looked_at, replay.counts) == (6, {})
    assert not replay.differences.exists()


def test_what_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = ask(done())
    monkeypatch.setattr(replaying, "LookingAgain", lambda *args, **more: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        go_on(replay, same_eyes())
    replay.refresh_from_db()
    assert replay.state == ReplayState.FAILED
    assert "ZeroDivisionError" in str(replay.problem)


def test_with_another_version_its_screens_and_targets_are_looked_for() -> None:
    """The button is called otherwise there: what is published next would not find it."""
    workflow = done()
    first = workflow.versions.get()
    graph = json.loads(json.dumps(first.graph))
    for edge in graph["edges"]:
        edge["target"]["text"] = "Another word"
    version = WorkflowVersion.objects.create(workflow=workflow, number=2, graph=graph, digest="0" * 64)
    replay = looked_at(workflow, same_eyes(), version=version)
    assert replay.counts == {"place": {"worse": 2}}
    assert looked_at(workflow, same_eyes()).counts == {}


def test_only_runs_that_have_ended_are_looked_at() -> None:
    workflow = done()
    assert set(Execution.objects.get().steps.values_list("outcome", flat=True)) == {"succeeded", "terminal"}
    queue(workflow.versions.get())
    replay = ask(workflow)
    assert (replay.steps, replay.from_run, replay.to_run) == (3, replay.from_run, replay.from_run)


def test_the_command_says_what_breaks_and_ends_with_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    workflow = done()
    monkeypatch.setattr(
        "execution.management.commands.replay.build_analyzer",
        lambda config: ScreenAnalyzer(Blurred("Go on"), None, None),
    )
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as ended:
        call_command("replay", workflow.workflow_id, stdout=out, stderr=err)
    assert ended.value.returncode == 3
    assert "2  which place: a person would be asked" in out.getvalue()
    assert "3 of 3 steps" in err.getvalue()
    for bad in (
        {"workflow": "none"},
        {"workflow": workflow.workflow_id, "with_version": 9},
        {"workflow": workflow.workflow_id, "runs": 0},
    ):
        with pytest.raises(CommandError):
            call_command("replay", bad.pop("workflow"), **bad, stdout=out, stderr=err)
    assert Replay.objects.count() == 1


def test_without_a_workflow_the_command_goes_on_with_what_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    replay = ask(done())
    monkeypatch.setattr("execution.management.commands.replay.build_analyzer", lambda config: same_eyes())
    out = StringIO()
    call_command("replay", stdout=out, stderr=StringIO())
    replay.refresh_from_db()
    assert replay.state == ReplayState.DONE
    assert "Nothing would be answered otherwise." in out.getvalue()
    call_command("replay", stdout=out, stderr=StringIO())
    assert "Nothing was left" in out.getvalue()
