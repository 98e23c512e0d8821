"""One run loop process on one desktop: holds the desktop's lock, claims runs, runs them one after the other."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, close_old_connections
from django.utils import timezone
from django.utils.translation import gettext as _

from execution.choices import WAITING, ExecutionState, PauseReason
from execution.desktop.base import Desktop, DesktopError, DesktopIdentity, DesktopLost
from execution.desktop.capture import CaptureStats, ContinuousCapture
from execution.desktop.local import open_desktop
from execution.desktop.lock import DesktopLock
from execution.desktop.window_providers import load_provider
from execution.desktop.x11_connection import TOLD_AFTER_S
from execution.exceptions import DatabaseAway, LeaseLost, NoMatch, UnknownWindowProvider
from execution.language.said import from_json
from execution.matching import Matcher, Reference
from execution.models import Execution, Prompt, Robot, Step
from execution.perception.analyzer import ScreenAnalyzer, build_analyzer
from execution.perception.config import PerceptionConfig
from execution.perception.masking import masks_from
from execution.record.attribution import how_it_ended
from execution.record.claims import Claim, Heartbeat, claim, release
from execution.record.journal import Journal
from execution.record.patience import Patience, forget
from execution.record.place_store import DatabasePlaces
from execution.record.redaction import NothingShown, Redaction
from execution.record.reference_store import references_for
from execution.record.secret_values import between_runs, secrets_of
from execution.record.summary import as_sentence, run_summary
from execution.running import live_picture
from execution.running.gpu_mode import RunDrivenGpu
from execution.running.ladder import further_rungs
from execution.running.naming import element_classifier
from execution.running.unmasked import UnmaskedPicture
from execution.signals import run_begun, run_ended, tell
from execution.targeting.resolver import TargetResolver
from execution.turn.coach import Coach
from execution.turn.eyes import Eyes, Flags
from execution.turn.limits import LoopLimits
from execution.turn.loop import Loop
from execution.turn.stages import Stages
from execution.turn.workflow_stages import WorkflowStages
from execution.types import Frame, ScreenState
from gpu import get_gpu_resource_manager
from workflows.availability import is_away
from workflows.graph import GraphSpec, NormBox
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
    open_desktop: Callable[[str | None], Desktop] = lambda name: open_desktop(name)
    on_hold: Callable[[DesktopIdentity], str] = lambda identity: ""  # the desktop is ours; which run to take, if one
    capture: Callable[[Desktop, Robot], ShownCapture] = lambda desktop, robot: ShownCapture(desktop, robot)


class Runner:
    """`run` returns when told to leave, or when `once` or `max_executions` is fulfilled."""

    def __init__(
        self,
        *,
        desktop_name: str | None = None,
        execution_id: str = "",
        once: bool = False,
        max_executions: int | None = None,
        out: Callable[[str], None] = lambda line: None,
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
        self.done = 0

    def run(self) -> None:
        """Raises DesktopUnavailable or DesktopBusy when there is no desktop to work on at the start."""
        try:
            self._while_there_is_a_desktop()
        except DatabaseAway as error:  # it was told to leave while it waited
            self.out(str(error))
        finally:
            self._gpu.release()
            forget()

    def _while_there_is_a_desktop(self) -> None:
        while not self.leave.is_set():
            try:
                self._on_desktop()
                return
            except DesktopLost as error:
                self.out(_("The desktop is lost: %(error)s Waiting for it to come back.") % {"error": error})
                self.hooks.on_error("execution_loop", error)
                if self._desktop is not None or not self._wait_for_desktop():
                    return

    def _wait_for_desktop(self) -> bool:
        while not self.leave.wait(RECONNECT_EVERY_S):
            try:
                desktop = self.hooks.open_desktop(self.desktop_name)
            except DesktopError:
                continue
            try:
                desktop.identity()
                return True
            except DesktopError:
                continue
            finally:
                desktop.close()
        return False

    def _on_desktop(self) -> None:
        desktop = self._desktop or self.hooks.open_desktop(self.desktop_name)
        with ExitStack() as stack:
            stack.callback(desktop.close)
            identity = desktop.identity()
            stack.enter_context(DesktopLock(identity, settings.DATA_DIR / "locks"))
            self.execution_id = self.hooks.on_hold(identity) or self.execution_id
            desktop.release_all()  # a killed loop leaves keys and buttons down (S9.2)
            robot = self.patience.until_done(lambda: self._sign_on(identity), for_ever=True)
            self.patience.on_return = lambda sentence: tell_of_return(robot, sentence)
            stack.callback(self._sign_off, robot)
            self._gpu.claim(_("the run loop of %(desktop)s") % {"desktop": robot.name})
            heartbeat = stack.enter_context(Heartbeat(robot))
            heartbeat.on_beat = StillDisplay(desktop, robot, self.out).look
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
            self._serve(desktop, identity, robot, heartbeat, capture)

    def _serve(
        self,
        desktop: Desktop,
        identity: DesktopIdentity,
        robot: Robot,
        heartbeat: Heartbeat,
        capture: ShownCapture,
    ) -> None:
        analyzer = self._analyzer or self._load_analyzer()
        heartbeat.tells = lambda: told(analyzer, capture)
        while not self.leave.is_set():
            close_old_connections()
            claimed = self.patience.until_done(
                lambda: claim(robot, identity, execution_id=self.execution_id), for_ever=True
            )
            if claimed is None:
                if self.once or self._has_ended():
                    self.out(_("Nothing is queued for this desktop."))
                    return
                self.leave.wait(LOOK_EVERY_S)
                continue
            if not self._run_claimed(claimed, desktop, identity, analyzer, heartbeat, capture):
                self.leave.wait(RECONNECT_EVERY_S)
                continue  # as after a crash: taken over anew
            self.done += 1
            if self.once or self.execution_id or self.done == self.max_executions:
                return

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
        except Exception as error:
            log.exception("the GPU manager cannot be used")
            words = _("The GPU and its models are not used: %(error)s")
            self.out(words % {"error": f"{type(error).__name__}: {error}"})
            return None, None

    def _run_claimed(
        self,
        claimed: Claim,
        desktop: Desktop,
        identity: DesktopIdentity,
        analyzer: ScreenAnalyzer,
        heartbeat: Heartbeat,
        capture: ShownCapture,
    ) -> bool:
        """Run it to its end, or until the loop leaves; False where the database was away for too long."""
        execution = claimed.execution
        journal = Journal(execution, execution.version.spec(), pictures=self.pictures, patience=self.patience)
        self.listen_to(journal)
        if claimed.deadly:
            self._set_aside(journal)
            return True
        heartbeat.journal = journal
        self.hooks.on_begin(journal)
        self.out(
            _("%(id)s: “%(name)s” v%(version)d, %(mode)s")
            % {
                "id": execution.execution_id,
                "name": execution.version.workflow.name,
                "version": execution.version.number,
                "mode": execution.get_mode_display(),
            }
        )
        capture.redaction = journal.hidden
        capture.in_hand = True
        capture.begin_anew(interval_ms=(self.hooks.limits or LoopLimits()).capture_interval_ms)
        journal.recent_frames = capture.recent
        capture.tells = lambda stats: journal.capture_stats(asdict(stats))
        tell(run_begun, journal.warn, sender=Runner, execution_id=execution.execution_id)
        try:
            self._gpu.follow(journal)
            if claimed.taken_over:
                journal.tidy()
                check_same_desktop(journal, identity)
            self._loop(journal, desktop, analyzer, heartbeat, capture).run()
        except LeaseLost as error:
            self.out(_("%(id)s: given up, %(error)s") % {"id": execution.execution_id, "error": error})
            return not isinstance(error, DatabaseAway)
        except DesktopLost:
            raise
        except UnknownWindowProvider as error:  # listed when the run was started, and no longer
            journal.error("window_info_provider", str(error))
            journal.finish(ExecutionState.FAILED, str(error))
        except Exception as error:
            if is_away(error):  # nothing that is recorded: what was on its way is looked at anew
                log.warning("the run is taken anew: %s", error, extra={"execution": execution.execution_id})
                return False
            log.exception("the run failed", extra={"execution": execution.execution_id})
            self.hooks.on_error("execution_loop", error)
            journal.error("execution_loop", f"{type(error).__name__}: {error}")
            journal.finish(ExecutionState.FAILED, f"{type(error).__name__}: {error}")
        finally:
            heartbeat.journal = None
            self.patience.until_done(lambda: release(journal.execution), for_ever=True)
            tell(run_ended, journal.warn, sender=Runner, execution_id=execution.execution_id)
            capture.tells, capture.in_hand = lambda stats: None, False
            journal.capture_stats(asdict(capture.stats()))
            if not journal.hidden.is_needed:  # else the screen may still show what the run kept from being seen
                capture.redaction = self.patience.until_done(between_runs, for_ever=True)
        self._say_end(journal.execution)
        return True

    def _set_aside(self, journal: Journal) -> None:
        """A run whose loops die is not taken a third time; nothing of it is loaded or called before it is ended."""
        words = _(
            "The run loop ended without a word %(n)d times while it had this run, which got no further in between. "
            "The run is set aside; look at the log of the run loop before you start it again."
        ) % {"n": journal.execution.deaths}
        journal.error("set_aside", words)
        journal.finish(ExecutionState.FAILED, words)
        self._say_end(journal.execution)

    def listen_to(self, journal: Journal) -> None:
        """Say on the terminal what becomes of the run; its mode drives the GPU."""
        journal.on_step.append(lambda step: self._say_step(step, journal.graph))
        journal.on_state.append(self._say_state)
        journal.on_mode.append(self._say_mode)
        journal.on_mode.append(lambda execution: self._gpu.follow(journal))

    def _loop(
        self,
        journal: Journal,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        heartbeat: Heartbeat,
        capture: ShownCapture,
    ) -> Loop:
        references = references_for(
            journal, analyzer=analyzer, pictures=self.pictures, say=self.out, leave=self.leave.is_set
        )
        own = build_stages(
            journal,
            desktop,
            analyzer,
            pictures=self.pictures,
            provider=self.hooks.window_provider,
            references=references,
        )
        own.eyes.on_seen = capture.show_as_read
        stages = self.hooks.stages(journal, own)
        stages.missing = self._missing(journal.execution)
        return Loop(
            journal,
            stages,
            Coach(journal, leave=self.leave, listener=self.hooks.on_prompt),
            leave=self.leave,
            limits=self.hooks.limits,
            may_act=heartbeat.check,
            on_look=capture.follow,
            on_miss=lambda message: self.hooks.on_error("no_match", NoMatch(message)),
        )

    def _missing(self, execution: Execution) -> str:
        """Why a run that a program with parts of its own has left stands still; empty where they are here."""
        if execution.own_parts == self.hooks.own_parts:
            return ""
        return _(
            "The program that started this run has parts of its own (%(parts)s), and the run cannot go on without "
            "them. Look at the screen, stop this run, and start the program again."
        ) % {"parts": execution.own_parts}

    def _sign_on(self, identity: DesktopIdentity) -> Robot:
        robot, _created = Robot.objects.update_or_create(
            name=robot_name(identity),
            defaults={
                "desktop": robot_name(identity),
                "host": identity.host,
                "pid": os.getpid(),
                "screen_width": identity.size.width,
                "screen_height": identity.size.height,
                "started_at": timezone.now(),
                "heartbeat_at": timezone.now(),
                "stopped_at": None,
                "problem": "",
                "warnings": {},
                "perception": {},
            },
        )
        return robot

    def _sign_off(self, robot: Robot) -> None:
        try:
            Robot.objects.filter(pk=robot.pk, pid=os.getpid()).update(stopped_at=timezone.now())
        except DatabaseError as error:
            log.warning("could not sign off: %s", error, extra={"desktop": robot.desktop})

    def _say_step(self, step: Step, graph: GraphSpec) -> None:
        node = graph.node(step.node_id)
        what = " ".join((step.sentence or (node.name if node else step.node_id)).split())
        by = f" ({step.rung} {step.score:.2f})" if step.rung else ""
        checked = f", {step.get_verified_display()}" if step.verified else ""
        took = f"{step.robot_ms / 1000:.2f} s"
        if step.waited_ms:
            took = _("%(took)s, and %(waited).1f s waiting for a person") % {
                "took": took,
                "waited": step.waited_ms / 1000,
            }
        self.out(f"  {step.index:>3} {what} → {step.get_outcome_display()}{checked}{by} {took}")

    def _say_state(self, execution: Execution) -> None:
        if execution.state == ExecutionState.PAUSED:
            why = from_json(execution.pause_detail.get("message", ""))
            self.out(f"      {execution.get_state_display()}: {execution.get_pause_reason_display()}. {why}")
        elif execution.state in WAITING:
            prompt = execution.prompts.open().first()
            self.out(f"      {execution.get_state_display()}: {prompt.message if prompt else ''}")

    def _say_mode(self, execution: Execution) -> None:
        self.out(_("      From now on: %(mode)s") % {"mode": execution.get_mode_display()})

    def _say_end(self, execution: Execution) -> None:
        if execution.is_final:
            state = execution.get_state_display()
            ended = how_it_ended(execution) or f"{state}."
            summary = self.patience.until_done(lambda: as_sentence(run_summary(execution)))
            self.out(f"{execution.execution_id}: {ended} {summary}")
        else:
            self.out(_("%(id)s: left for the next run loop.") % {"id": execution.execution_id})


def tell_of_return(robot: Robot, sentence: str) -> None:
    """The robots page says for how long the database was away."""
    try:
        Robot.objects.warn(robot.pk, "database", sentence)
    except DatabaseError as error:
        log.warning("not kept: %s", error, extra={"kind": "database"})


class StillDisplay:
    """Says on the terminal and the robots page when a display stands still, and when it goes on."""

    def __init__(self, desktop: Desktop, robot: Robot, say: Callable[[str], None]) -> None:
        self._silent_s: Callable[[], float] = getattr(desktop, "silent_s", lambda: 0.0)  # only some can tell
        self._name, self._robot, self._say = desktop.name, robot, say
        self._told = False

    def look(self) -> None:
        """At each beat; it asks the display nothing."""
        silent = self._silent_s()
        if self._told == (silent > TOLD_AFTER_S):
            return
        self._told = not self._told
        if self._told:
            words = _("The display %(name)s has not answered for %(n)d s. It is waited for, for %(most)d s.")
        else:
            words = _("The display %(name)s answers again.")
        told = words % {"name": self._name, "n": silent, "most": settings.RPA_DISPLAY_WAIT_S}
        self._say(told)
        Robot.objects.warn(self._robot.pk, "display", told)


def robot_name(identity: DesktopIdentity) -> str:
    return f"{identity.host or socket.gethostname()}{identity.name}"


class ShownCapture(ContinuousCapture):
    """Continuous capture that keeps the robot's live picture fresh."""

    def __init__(self, desktop: Desktop, robot: Robot) -> None:
        super().__init__(desktop, interval_ms=settings.RPA_CAPTURE_INTERVAL_MS, on_change=self._show)
        self._robot = robot
        self.redaction: Redaction = NothingShown()
        self._newest: Frame | None = None
        self.in_hand = False  # whether a run is: nobody looks at what a desktop shows between runs
        self._writing = threading.Lock()  # the loop shows what it has read, beside the capture
        self.tells: Callable[[CaptureStats], None] = lambda stats: None  # with each heartbeat, while a run is at work

    def show_as_read(self, state: ScreenState) -> None:
        """A screen was read: what could not be shown of it before may be shown now."""
        self.redaction.seen(state)
        if self.redaction.is_needed and self.running:
            self._show(state.frame)

    def unmasked(self) -> tuple[Frame, Redaction] | None:
        """The newest frame, and what of it nobody may see; None while no run is in hand."""
        newest = self._newest
        return (newest, self.redaction) if newest is not None and self.in_hand else None

    def _show(self, frame: Frame) -> None:
        self._newest = frame
        try:
            with self._writing:
                live_picture.write(self._robot.name, frame, self.redaction)
        except OSError as error:
            log.warning("the live picture could not be written: %s", error, extra={"desktop": self._robot.desktop})

    def follow(self, execution: Execution) -> None:
        """On or off, as the run wants it (S1.14)."""
        if execution.continuous_capture:
            self.start()
        elif self.running:
            self.stop()


def told(analyzer: ScreenAnalyzer, capture: ShownCapture) -> dict[str, Any]:
    """What goes with each sign of life: the robot's columns; the run has its capture statistics renewed (S1.14)."""
    capture.tells(capture.stats())
    return {"perception": analyzer.report()}


def build_stages(
    journal: Journal,
    desktop: Desktop,
    analyzer: ScreenAnalyzer,
    *,
    pictures: PictureStore,
    provider: Any = None,
    references: Mapping[str, Reference] | None = None,
) -> WorkflowStages:
    """The product's own stages for one run."""
    execution, graph = journal.execution, journal.graph
    flags = Flags(
        enable_ocr=execution.enable_ocr,
        enable_ui_detection=execution.enable_ui_detection,
        analyze_timeout_ms=execution.analyze_timeout_ms,
        masks=masks_of(journal),
    )
    eyes = Eyes(
        desktop,
        analyzer,
        flags,
        window_provider=load_provider(provider or execution.window_info_provider),
        warn=journal.warn,
    )
    eyes.hides = journal.hidden.places
    eyes.degraded, eyes.degraded_reason = execution.degraded, execution.degraded_reason
    matcher = Matcher(
        graph,
        pictures=pictures,
        embedder=analyzer.embedder,
        references=references,
        threshold=settings.RPA_MATCH_THRESHOLD,
    )
    resolver = TargetResolver(
        pictures=pictures,
        similarity_threshold=settings.RPA_SIMILARITY_THRESHOLD,
        places=DatabasePlaces(),
        further=further_rungs(
            graph, analyzer.embedder, flags, execution_id=execution.execution_id, hides=eyes.hides, warn=journal.warn
        ),
    )
    return WorkflowStages(graph, {**execution.variables, **secrets_of(execution)}, eyes, matcher, resolver)


def masks_of(journal: Journal) -> tuple[NormBox, ...]:
    """Where changes do not matter (S2.6), as the workflow says; what it says wrongly costs a warning."""
    try:
        return masks_from(journal.graph.flags.get("masks"))
    except (TypeError, ValueError) as error:
        journal.warn("masks", str(error))
        return ()


def check_same_desktop(journal: Journal, identity: DesktopIdentity) -> None:
    """A run goes on only on the desktop that it was started on (S9.2)."""
    was, now = journal.execution.desktop_identity, asdict(identity)
    now["size"] = list(now["size"])
    differing = [name for name in ("host", "boot_id", "session", "user", "size") if was and was.get(name) != now[name]]
    if differing and journal.execution.state != ExecutionState.PAUSED:
        journal.pause(
            PauseReason.OTHER_DESKTOP,
            _("This is not the desktop that the run was on (%(what)s). Look at it, then resume or stop.")
            % {"what": ", ".join(differing)},
        )
    Execution.objects.filter(pk=journal.execution.pk).update(desktop_identity=now)
