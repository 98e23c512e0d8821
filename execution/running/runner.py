"""One run loop process on one desktop: holds the desktop's lock, claims runs, runs them one after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext as _

from execution.actions.control import resume
from execution.choices import ExecutionState, PauseReason, Wish
from execution.desktop.base import Desktop, DesktopError, DesktopIdentity, DesktopLost, DesktopRefused
from execution.desktop.elsewhere.address import is_elsewhere
from execution.desktop.lock import DesktopLock
from execution.exceptions import DatabaseAway, LeaseLost, NoMatch, UnknownWindowProvider
from execution.learning.overlay import overlaid
from execution.models import Execution, Prompt, Robot
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.record.claims import Claim, Heartbeat, beat, claim, lesson_for, release
from execution.record.journal import Journal
from execution.record.patience import Patience, connect_anew, forget, let_go_of_broken
from execution.record.reference_store import references_for
from execution.record.secret_values import between_runs
from execution.running import service_manager
from execution.running.control_session import ControlSession
from execution.running.desktops import ConnectionTold, open_named, pauses_s
from execution.running.gpu_mode import RunDrivenGpu, element_classifier
from execution.running.learner import RunLearner
from execution.running.lesson_session import LessonSession, is_taken_anew
from execution.running.parts import build_stages
from execution.running.picture_lessons import PictureLessons
from execution.running.robots import Pace, StillDisplay, sign_off, sign_on, signs_of_life, tell_of_return
from execution.running.shown_capture import ShownCapture
from execution.running.terminal import Terminal, Untaken, why_untaken
from execution.running.timing import with_clocks
from execution.running.unmasked import UnmaskedPicture
from execution.signals import run_begun, run_ended, tell
from execution.turn.coach import Coach
from execution.turn.limits import LoopLimits
from execution.turn.loop import Loop
from execution.turn.stages import Stages
from execution.turn.workflow_stages import WorkflowStages
from execution.worklists.claiming import is_of_a_list, take
from execution.worklists.unanswered import end_unanswered
from gpu import get_gpu_resource_manager
from sentences.said import by_sentence, cause, say, told_by, worded
from workflows.availability import is_away
from workflows.exceptions import PictureAway
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.2
RECONNECT_EVERY_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a program puts in place of the product's own (S11); the defaults are the product's."""

    stages: Callable[[Journal, WorkflowStages], Stages] = lambda journal, stages: stages
    own_parts: str = ""  # by their names in S11.2
    limits: LoopLimits | None = None
    on_begin: Callable[[Journal], None] = lambda journal: None
    on_prompt: Callable[[Prompt], None] | None = None
    on_error: Callable[[str, Exception], None] = lambda kind, error: None
    window_provider: Any = None
    open_desktop: Callable[[str | None], Desktop] = lambda name: open_named(name)
    on_hold: Callable[[DesktopIdentity], str] = lambda identity: ""  # the desktop is ours; which run to take, if one
    capture: Callable[[Desktop, Robot], ShownCapture] = lambda desktop, robot: ShownCapture(desktop, robot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """What a run loop works with for as long as it has its desktop."""

    desktop: Desktop
    identity: DesktopIdentity
    robot: Robot
    heartbeat: Heartbeat
    capture: ShownCapture
    analyzer: ScreenAnalyzer


class Runner:
    """`run` returns when told to leave, or when `once` or `max_executions` is fulfilled. `shows_values`: what `out` is
    told may name people and say what was typed."""

    def __init__(
        self,
        *,
        desktop_name: str | None = None,
        execution_id: str = "",
        once: bool = False,
        max_executions: int | None = None,
        out: Callable[[str], None] = lambda line: None,
        shows_values: bool = False,
        leave: threading.Event | None = None,
        desktop: Desktop | None = None,
        analyzer: ScreenAnalyzer | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        self.desktop_name, self.execution_id = desktop_name, execution_id
        self.once, self.max_executions, self.out = once, max_executions, out
        self.leave = leave or threading.Event()
        self._desktop, self._analyzer = desktop, analyzer
        self.hooks = hooks or Hooks()
        self.pictures = PictureStore()
        self.patience = Patience(leave=self.leave, say=self.out)
        self._gpu = RunDrivenGpu(say=self.out)
        self._terminal = Terminal(self.out, self.patience, values=shows_values)
        self._untaken = Untaken(self.out, self.patience, lambda kind, error: self.hooks.on_error(kind, error))
        self._connection = ConnectionTold()
        self._pace = Pace(LOOK_EVERY_S)
        self.done = 0

    def run(self) -> None:
        """Raises DesktopUnavailable or DesktopBusy when there is no desktop to work on at the start."""
        try:
            self._while_there_is_a_desktop()
        except DatabaseAway as error:  # it was told to leave while it waited
            self.out(str(error))
        finally:
            self._connection.is_over()
            self._gpu.release()
            forget()

    def _while_there_is_a_desktop(self) -> None:
        desktop: Desktop | None = None
        while not self.leave.is_set():
            try:
                self._on_desktop(desktop or self._desktop or self.hooks.open_desktop(self.desktop_name))
                return
            except DesktopLost as error:
                self.out(_("The desktop is lost: %(error)s Waiting for it to come back.") % {"error": worded(error)})
                self.hooks.on_error("execution_loop", error)
                self._connection.is_cut(told_by(error))
                if self._desktop is not None or (desktop := self._wait_for_desktop()) is None:
                    return

    def _wait_for_desktop(self) -> Desktop | None:
        """The desktop once it is back; None where the loop is to leave. Raises DesktopRefused: time mends nothing."""
        for tries, pause_s in enumerate(pauses_s(self.desktop_name, otherwise=RECONNECT_EVERY_S), 1):
            if self.leave.wait(pause_s):
                break
            try:
                return self.hooks.open_desktop(self.desktop_name)
            except DesktopRefused as error:
                self._connection.is_given_up(told_by(error))
                raise
            except DesktopError as error:
                self._connection.is_still_cut(told_by(error), tries=tries)
        return None

    def _on_desktop(self, desktop: Desktop) -> None:
        with ExitStack() as stack:
            stack.callback(desktop.close)
            identity = desktop.identity()
            stack.enter_context(DesktopLock(identity, settings.DATA_DIR / "locks"))
            self.execution_id = self.hooks.on_hold(identity) or self.execution_id
            desktop.release_all()  # a killed loop leaves keys and buttons down (S9.2)
            robot = self.patience.until_done(lambda: sign_on(identity), for_ever=True)
            self.patience.on_return = lambda sentence: tell_of_return(robot, sentence)
            stack.callback(sign_off, robot)
            self._connection.is_there(robot, desktop.name)
            self._gpu.claim(robot.name)
            heartbeat = stack.enter_context(Heartbeat(robot))
            display = StillDisplay(desktop, robot, self.out)
            heartbeat.on_beat = lambda: self._beat(display, heartbeat)
            capture = self.hooks.capture(desktop, robot)
            capture.redaction = self.patience.until_done(between_runs, for_ever=True)
            capture.start()
            stack.callback(capture.stop)
            unmasked = UnmaskedPicture(robot.name, capture.unmasked)
            unmasked.start()
            stack.callback(unmasked.stop)
            self.out(
                _("Watching desktop %(name)s, %(w)d × %(h)d. Ctrl-C finishes the step and leaves.")
                % {"name": desktop.name, "w": identity.size.width, "h": identity.size.height}
            )
            analyzer = self._analyzer or self._load_analyzer()
            if not (self.once or self.execution_id):  # such a loop is here for one run, and teaches nobody
                pictures = PictureLessons(robot, analyzer, self.pictures)
                pictures.start()
                stack.callback(pictures.stop)
            heartbeat.tells = lambda: signs_of_life(analyzer, capture)
            self._serve(
                Workplace(
                    desktop=desktop,
                    identity=identity,
                    robot=robot,
                    heartbeat=heartbeat,
                    capture=capture,
                    analyzer=analyzer,
                )
            )

    def _beat(self, display: StillDisplay, heartbeat: Heartbeat) -> None:
        """What is looked at besides while a run stands still as well."""
        display.look()
        if (journal := heartbeat.journal) is not None:
            end_unanswered(journal.execution.execution_id)

    def _serve(self, place: Workplace) -> None:
        service_manager.notify(service_manager.READY)
        while not self.leave.is_set():
            let_go_of_broken()
            if self._teach(place):
                continue
            claimed = self.patience.until_done(lambda: self._claimed(place), for_ever=True)
            if claimed is None:
                if self.once or self._has_ended():
                    self.out(self._why_nothing())
                    return
                if self.execution_id:
                    self._untaken.look(self.execution_id)
                self.leave.wait(self.patience.until_done(self._pace.pause_s, for_ever=True))
                continue
            if not self._run_claimed(claimed, place):
                self.leave.wait(RECONNECT_EVERY_S)
                continue  # as after a crash: taken over anew
            self.done += 1
            if self.once or self.execution_id or self.done == self.max_executions:
                return

    def _claimed(self, place: Workplace) -> Claim | None:
        """The next run for this desktop, or else that of the next row of a list; a loop that is here for one run, or
        has a program's own parts, takes no row."""
        found = claim(place.robot, place.identity, execution_id=self.execution_id)
        if found is not None or self.execution_id or self.hooks.own_parts:
            return found
        return take(place.robot, place.identity)

    def _teach(self, place: Workplace) -> bool:
        """Give a lesson that waits for this desktop, unless a run was left on it; whether one was given (S9.4)."""
        if self.once or self.execution_id:
            return False
        lesson = self.patience.until_done(lambda: lesson_for(place.robot), for_ever=True)
        if lesson is None:
            return False
        self.out(_("Teaching “%(name)s”.") % {"name": lesson.workflow.name})
        session = LessonSession(
            lesson,
            desktop=place.desktop,
            analyzer=place.analyzer,
            store=self.pictures,
            leave=self.leave,
            may_act=place.heartbeat.check,
        )
        try:
            session.run()
        except (LeaseLost, DatabaseError, InterfaceError) as error:
            if not is_taken_anew(error):
                raise
            log.warning("the lesson is taken anew: %s", error, extra={"lesson": lesson.lesson_id})
            connect_anew()
            self.patience.until_done(lambda: beat(place.robot), for_ever=True)
            self.leave.wait(RECONNECT_EVERY_S)
            return True
        self.out(_("The lesson of “%(name)s” is over.") % {"name": lesson.workflow.name})
        return True

    def _why_nothing(self) -> str:
        """Why a loop that is here for one run, or for the next one, leaves without any."""
        why = self.patience.until_done(lambda: why_untaken(self.execution_id), for_ever=True)
        if not why:
            return _("Nothing is queued for this desktop.")
        return worded(by_sentence([why, say("waiting.stays_queued", id=self.execution_id)]))

    def _has_ended(self) -> bool:
        """Whether the one run that this loop is for was stopped before it was taken."""
        return bool(self.execution_id) and Execution.objects.final().filter(execution_id=self.execution_id).exists()

    def _load_analyzer(self) -> ScreenAnalyzer:
        self.out(_("Loading the reader “%(name)s” …") % {"name": settings.RPA_OCR_ENGINE})
        clip, classifier = self._from_gpu_manager()
        analyzer = build_analyzer(PerceptionConfig.from_settings(settings), clip=clip, classifier=classifier)
        analyzer.warm_up()
        return analyzer

    def _from_gpu_manager(self) -> tuple[Any, Any]:
        """Its CLIP and its model for names; a helper that raises is told of and done without (S1.21)."""
        try:
            return get_gpu_resource_manager().clip, element_classifier()
        except Exception as error:  # a helper, and what a server or a driver raises is no list: the run does without it
            log.exception("the GPU manager cannot be used")
            words = _("The GPU and its models are not used: %(error)s")
            self.out(words % {"error": worded(cause(error))})
            return None, None

    def _run_claimed(self, claimed: Claim, place: Workplace) -> bool:
        """Run it to its end, or until the loop leaves; False where the database was away for too long."""
        execution = claimed.execution
        journal = Journal(execution, execution.version.spec(), pictures=self.pictures, patience=self.patience)
        self.listen_to(journal)
        if claimed.deadly:
            self._set_aside(journal)
        self._begin(journal, place)
        try:
            self._gpu.follow(journal)
            if claimed.taken_over:
                journal.tidy()
                if check_same_desktop(journal, place.identity):
                    go_on_after_a_cut(journal, place.identity)
                self._until_it_goes_on(journal, place)
            loop = self._once_read(journal, place)
            if loop is not None:
                loop.run()
                if loop.is_outdated:  # gone on with as after a crash: by its rows, with the version that they name
                    return False
        except LeaseLost as error:
            self.out(_("%(id)s: given up, %(error)s") % {"id": execution.execution_id, "error": error})
            return not isinstance(error, DatabaseAway)
        except DesktopLost:
            raise
        except UnknownWindowProvider as error:  # listed when the run was started, and no longer
            journal.error("window_info_provider", told_by(error))
            journal.finish(ExecutionState.FAILED, told_by(error))
        except Exception as error:  # whatever ends a run ends that run alone: this process goes on with the next
            if is_away(error):  # nothing that is recorded: what was on its way is looked at anew
                log.warning("the run is taken anew: %s", error, extra={"execution": execution.execution_id})
                return False
            log.exception("the run failed", extra={"execution": execution.execution_id})
            self.hooks.on_error("execution_loop", error)
            journal.error("execution_loop", cause(error))
            journal.finish(ExecutionState.FAILED, cause(error))
        finally:
            self._end(journal, place)
        self._terminal.end(journal.execution)
        return True

    def _begin(self, journal: Journal, place: Workplace) -> None:
        """Everything that watches the desktop is told of the run."""
        execution, capture = journal.execution, place.capture
        place.heartbeat.journal = journal
        RunLearner(journal, on_drift=lambda error: self.hooks.on_error("drift_detected", error)).listen()
        self.hooks.on_begin(journal)
        self._terminal.begin(execution)
        capture.redaction = journal.hidden
        capture.in_hand = True
        capture.begin_anew(interval_ms=(self.hooks.limits or LoopLimits()).capture_interval_ms)
        journal.recent_frames = capture.recent
        capture.tells = lambda stats: journal.capture_stats(asdict(stats))
        tell(run_begun, journal.warn, sender=Runner, execution_id=execution.execution_id)

    def _end(self, journal: Journal, place: Workplace) -> None:
        """The run is let go of, however it came to its end."""
        capture = place.capture
        place.heartbeat.journal = None
        self.patience.until_done(lambda: release(journal.execution), for_ever=True)
        tell(run_ended, journal.warn, sender=Runner, execution_id=journal.execution.execution_id)
        capture.rest()
        journal.capture_stats(asdict(capture.stats()))
        if not journal.hidden.is_needed:  # else the screen may still show what the run kept from being seen
            capture.redaction = self.patience.until_done(between_runs, for_ever=True)

    def _set_aside(self, journal: Journal) -> None:
        """A run whose loops die is not gone on with a third time before a person says so."""
        words = say("running.set_aside", n=journal.execution.deaths)
        log.warning(words, extra={"execution": journal.execution.execution_id})
        journal.set_aside(words)

    def _until_it_goes_on(self, journal: Journal, place: Workplace) -> None:
        """Nothing of a run that stands still is loaded or called before somebody wishes something of it: that may be
        what ends run loops. Another mode needs nothing of it."""
        while not self.leave.is_set() and journal.refresh().stands_for_a_person:
            place.heartbeat.check()
            if journal.execution.wish_mode:
                journal.change_mode()
            let_go_of_broken()
            place.capture.follow(journal.execution)
            self.leave.wait(LOOK_EVERY_S)

    def listen_to(self, journal: Journal) -> None:
        """Say on the terminal what becomes of the run; its mode drives the GPU."""
        self._terminal.listen_to(journal)
        journal.on_mode.append(lambda execution: self._gpu.follow(journal))

    def _once_read(self, journal: Journal, place: Workplace) -> Loop | None:
        """The run's loop as soon as what was taught can be read; None where it is stopped before, or left.

        Until then nothing is seen, so of all that people may wish only that is done which needs no eyes.
        """
        while not self.leave.is_set():
            place.heartbeat.check()
            if journal.refresh().wish == Wish.STOP:
                journal.finish(ExecutionState.STOPPED)
                return None
            try:
                return self._loop(journal, place)
            except PictureAway as error:
                if journal.execution.state != ExecutionState.PAUSED:
                    journal.error("storage", told_by(error))
                    journal.pause(PauseReason.STORAGE, told_by(error))
            self.leave.wait(RECONNECT_EVERY_S)
        return None

    def _loop(self, journal: Journal, place: Workplace) -> Loop:
        prepared = partial(
            references_for,
            journal,
            analyzer=place.analyzer,
            pictures=self.pictures,
            tell=self.out,
            leave=self.leave.is_set,
        )
        references = prepared()
        shown = overlaid(journal.graph, journal.in_force()).graph
        own = build_stages(
            journal,
            place.desktop,
            place.analyzer,
            pictures=self.pictures,
            provider=self.hooks.window_provider,
            references=references,
        )
        if shown.nodes != journal.graph.nodes:  # coaches picked screens that are not known as they were taught
            own.also_by(shown, prepared(graph=shown))
        own.eyes.on_seen = place.capture.show_as_read
        stages = self.hooks.stages(journal, own)
        stages.missing = self._missing(journal.execution)
        coach = Coach(journal, leave=self.leave, listener=self.hooks.on_prompt)
        limits = self.hooks.limits or LoopLimits()
        if is_of_a_list(journal.execution):
            limits = limits.without_time_outs()
        stages, coach = with_clocks(journal, stages, coach)
        return Loop(
            journal,
            stages,
            coach,
            leave=self.leave,
            limits=limits,
            may_act=place.heartbeat.check,
            on_look=place.capture.follow,
            hand_over=lambda: self._hand_over(journal, place),
            on_miss=lambda message: self.hooks.on_error("no_match", NoMatch(message)),
        )

    def _hand_over(self, journal: Journal, place: Workplace) -> None:
        """The desktop is in a person's hands until they give it back (S6.15)."""
        self.out(worded(say("record.has_control", who=journal.execution.pause_detail.get("by") or "")))
        ControlSession(
            journal,
            desktop=place.desktop,
            analyzer=place.analyzer,
            robot_name=place.robot.name,
            leave=self.leave,
            may_act=place.heartbeat.check,
        ).run()

    def _missing(self, execution: Execution) -> str:
        """Why a run that a program with parts of its own has left stands still; empty where they are here."""
        if execution.own_parts == self.hooks.own_parts:
            return ""
        return say("program.parts_missing", parts=execution.own_parts)


_OF_A_DESKTOP = {
    "host": "running.of_host",
    "boot_id": "running.of_boot",
    "session": "running.of_session",
    "user": "running.of_user",
    "size": "running.of_size",
}


def check_same_desktop(journal: Journal, identity: DesktopIdentity) -> bool:
    """A run goes on only on the desktop that it was started on (S9.2); whether it is that one."""
    was, now = journal.execution.desktop_identity, asdict(identity)
    now["size"] = list(now["size"])
    differing = [say(code) for name, code in _OF_A_DESKTOP.items() if was and was.get(name) != now[name]]
    if differing and journal.execution.state != ExecutionState.PAUSED:
        journal.pause(PauseReason.OTHER_DESKTOP, say("running.other_desktop", what=differing))
    Execution.objects.filter(pk=journal.execution.pk).update(desktop_identity=now)
    return not differing


def go_on_after_a_cut(journal: Journal, identity: DesktopIdentity) -> None:
    """A desktop elsewhere is connected again by this loop itself, so nobody has to say that it is back.

    What was under way when it was cut is in doubt, and looked at first (S9.2). What people wish meanwhile comes before.
    """
    execution = journal.refresh()
    cut = execution.state == ExecutionState.PAUSED and execution.pause_reason == PauseReason.DESKTOP_LOST
    if cut and execution.wish == Wish.NONE and is_elsewhere(identity.name):
        resume(execution_id=execution.execution_id)
