"""Which run loop owns which run: claims with a lease and an epoch (S9.4).

The desktop itself is fenced by its kernel lock (execution.desktop.lock); the lease tells people and other machines.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections, transaction
from django.db.models import F, Q
from django.utils import timezone

from execution.choices import ON_DESKTOP, ExecutionState
from execution.desktop.base import DesktopIdentity
from execution.exceptions import IllegalMove, LeaseLost
from execution.models import Execution, Lesson, Robot
from execution.models.robot import beat_every_s, lease_end
from execution.record.clocks import JumpWatch
from execution.record.events import emit_state
from execution.record.patience import let_go_of_broken
from sentences.said import say
from workflows.models import Workflow

if TYPE_CHECKING:
    from execution.record.journal import Journal

log = logging.getLogger(__name__)

MOST_DEATHS = 2  # of run loops that had a run at work, one after the other, without the run getting any further


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that is ours, and whether somebody else had begun it; `deadly`: its run loops die over it."""

    execution: Execution
    taken_over: bool

    @property
    def deadly(self) -> bool:
        return self.execution.deaths >= MOST_DEATHS


def claim(robot: Robot, identity: DesktopIdentity, *, execution_id: str = "") -> Claim | None:
    """The next run for this desktop: one that was left on it first, then the first in line that fits (S9.4).

    The caller holds the desktop's lock, so whoever had a run on this desktop before can no longer act on it.
    """
    if not Execution.objects.may_be_for(robot.desktop, identity.name).exists():
        return None
    with transaction.atomic():
        mine = Execution.objects.abandoned_on(robot.desktop)
        queued = Execution.objects.queued().fitting(robot).with_room()
        queued = queued.filter(desktop__in=("", robot.desktop, identity.name))
        if execution_id:
            mine, queued = mine.filter(execution_id=execution_id), queued.filter(execution_id=execution_id)
        left = mine.first()
        is_held = bool(execution_id) and Execution.objects.abandoned_on(robot.desktop).exists()  # by another run
        # what another loop is claiming right now is passed over; SQLite has one writer at a time
        waiting = None if left or is_held else queued.select_for_update(skip_locked=True, of=("self",)).first()
        found = left or waiting
        if found is None or (waiting is not None and not _has_room_still(waiting)):
            return None
        now = timezone.now()
        changes: dict[str, Any] = {
            "robot": robot,
            "epoch": F("epoch") + 1,
            "lease_until": lease_end(),
            "desktop": robot.desktop,
            "in_hand": True,
            "measured_at": now,
        }
        if waiting is not None:
            try:
                identified = asdict(identity)
                waiting.move(
                    ExecutionState.RUNNING, started_at=now, desktop_identity=identified, lasted_s=0.0, **changes
                )
            except IllegalMove:  # another run loop, or a stop, was first
                return None
        else:
            deaths = F("deaths") + int(_died(found, identity))
            there = Execution.objects.filter(pk=found.pk, state__in=ON_DESKTOP)
            if not there.update(**changes, deaths=deaths, lasted_s=lasted_until(found, now)):
                return None  # somebody has just stopped it
        execution = Execution.objects.by_id(found.execution_id)
        emit_state(execution)
    return Claim(execution, taken_over=left is not None)


def _has_room_still(waiting: Execution) -> bool:
    """Whether fewer runs that do its workflows are on desktops than may be; until the transaction ends none begins.

    Two loops that look at the same moment would each see room for their own run: the workflows' rows are the
    turnstiles, passed by everybody in the same order, so that no two wait for each other.
    """
    limited = Workflow.objects.filter(done_in=waiting.version_id, most_at_once__isnull=False).order_by("pk")
    if not list(limited.select_for_update(no_key=True, of=("self",)).values_list("pk")):
        return True
    return Execution.objects.filter(pk=waiting.pk).with_room().exists()


def lesson_for(robot: Robot) -> Lesson | None:
    """What is to be taught on this desktop; a run that was left on it comes first, those that are queued wait."""
    lessons = Lesson.objects.for_robot(robot)
    if not lessons.exists() or Execution.objects.abandoned_on(robot.desktop).exists():
        return None
    return lessons.select_related("workflow", "robot", "teacher", "cursor").first()


def lessons_on_pictures(robot: Robot) -> list[Lesson]:
    """Those whose pictures this robot's run loop reads: its own, and those that no living one has taken.

    Compare-and-set: of several robots one has it.
    """
    waiting = Lesson.objects.on_pictures()
    if not waiting.exists():
        return []
    free = Q(robot=None) | Q(robot=robot) | ~Q(robot__in=Robot.objects.alive())
    if Robot.objects.filter(pk=robot.pk, maintenance_at__isnull=False).exists():
        free = Q(robot=robot)  # what it has, and nothing new
    for lesson in waiting.filter(free).exclude(robot=robot):
        waiting.filter(free, pk=lesson.pk).update(robot=robot)
    return list(waiting.filter(robot=robot).select_related("workflow", "robot", "teacher", "cursor", "execution"))


def _died(left: Execution, identity: DesktopIdentity) -> bool:
    """Whether the run loop before us ended without letting go, and over the run: a machine that went down was not the
    run's doing, nor can what only waits for a person end a process."""
    booted = left.desktop_identity.get("boot_id")
    restarted = bool(booted and identity.boot_id and booted != identity.boot_id)
    if not left.in_hand or restarted:
        return False
    return not Execution.objects.needing_a_person().filter(pk=left.pk).exists()


def release(execution: Execution) -> None:
    """The run loop lets go of the run, whatever became of it; without this its process has died."""
    Execution.objects.filter(pk=execution.pk, epoch=execution.epoch).update(in_hand=False)


def lasted_until(left: Execution, now: datetime) -> float:
    """How long a run has lasted that was left: while nobody had it only the time of day was kept."""
    if left.lasted_s is None or left.measured_at is None:
        return left.duration_seconds
    return left.lasted_s + max(0.0, (now - left.measured_at).total_seconds())


def beat(robot: Robot, **told: Any) -> None:
    """Say that this run loop lives, with what it tells of itself (columns of its row); renew the lease of its run."""
    Robot.objects.filter(pk=robot.pk).update(heartbeat_at=timezone.now(), **told)
    Execution.objects.filter(robot=robot, state__in=ON_DESKTOP).update(lease_until=lease_end())


class Heartbeat:
    """Beats in its own thread; `lost` is set when it could not for half a lease, by the monotonic clock.

    Whoever acts asks `check()` first: a loop that cannot say that it lives must not act. `tells` gives what goes with
    each beat, as columns of the robot's row.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.tells: Callable[[], Mapping[str, Any]] = dict
        self.journal: Journal | None = None  # of the run in hand
        self.on_beat: Callable[[], None] = lambda: None
        self._stop = threading.Event()
        self._last, self._watch = time.monotonic(), JumpWatch()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        beat(self._robot)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        """Raises LeaseLost; where it was silent for long but can say now that it lives, it does."""
        silent = time.monotonic() - self._last
        if silent <= settings.RPA_LEASE_S / 2:
            return
        try:
            beat(self._robot)
        except DatabaseError as error:
            raise LeaseLost(f"no heartbeat could be written for {silent:.0f} s: {error}") from error
        self._last = time.monotonic()

    def _told(self) -> Mapping[str, Any]:
        try:
            return self.tells()
        except Exception as error:  # noqa: BLE001  what it tells is for people to look at: it must not end the beat
            log.warning("heartbeat: nothing to tell, %r", error, extra={"desktop": self._robot.desktop})
            return {}

    def _measure(self) -> None:
        """The run lasts while it stands still too, such as before a person who thinks."""
        if (journal := self.journal) is not None:
            journal.measure()

    def _tell_of_jumps(self) -> None:
        """A clock that jumped makes all times of day before it wrong; durations are not taken from it."""
        if jump := self._watch.jumped_s():
            Robot.objects.warn(self._robot.pk, "clock", say("running.clock_jumped", n=f"{round(jump):+d}"))
            log.warning("the clock jumped by %+.0f s", jump, extra={"desktop": self._robot.desktop})

    def _run(self) -> None:
        try:
            while not self._stop.wait(beat_every_s()):
                let_go_of_broken()
                try:
                    beat(self._robot, **self._told())
                    self._measure()
                    self.on_beat()
                    self._last = time.monotonic()
                    self._tell_of_jumps()
                except (DatabaseError, InterfaceError) as error:
                    log.warning("heartbeat: %s", error, extra={"desktop": self._robot.desktop})
        finally:
            connections.close_all()
