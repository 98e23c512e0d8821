"""The robot that works on a desktop, as the page of robots shows it: when it begins, lives, is troubled and ends."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from execution.desktop import programs
from execution.desktop.base import Desktop, DesktopIdentity
from execution.desktop.elsewhere.address import is_elsewhere
from execution.desktop.x11_connection import TOLD_AFTER_S
from execution.models import Ability, AbilityOrigin, Robot
from execution.perception.analyzer import ScreenAnalyzer
from execution.running.shown_capture import ShownCapture
from sentences.said import say, to_json
from workflows.choices import AbilityKind

log = logging.getLogger(__name__)


def robot_name(identity: DesktopIdentity) -> str:
    between = " " if is_elsewhere(identity.name) else ""
    return f"{identity.host or socket.gethostname()}{between}{identity.name}"


def sign_on(identity: DesktopIdentity) -> Robot:
    """The row of the robot that works on this desktop, as of one that has just begun."""
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
            "connection": {},
        },
    )
    found = (
        [] if is_elsewhere(identity.name) else programs.found()
    )  # this machine's are not those of a desktop elsewhere
    Ability.objects.say(robot, AbilityKind.PROGRAM, found, origin=AbilityOrigin.FOUND)
    Ability.objects.say(robot, AbilityKind.TAG, settings.RPA_ROBOT_TAGS, origin=AbilityOrigin.SETTING)
    return robot


def sign_off(robot: Robot) -> None:
    try:
        Robot.objects.filter(pk=robot.pk, pid=os.getpid()).update(stopped_at=timezone.now())
    except DatabaseError as error:
        log.warning("could not sign off: %s", error, extra={"desktop": robot.desktop})


def signs_of_life(analyzer: ScreenAnalyzer, capture: ShownCapture) -> dict[str, Any]:
    """What goes with each sign of life: the robot's columns; the run has its capture statistics renewed (S1.14)."""
    capture.tells(capture.stats())
    return {"perception": to_json(analyzer.report())}


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
            told = say("running.display_silent", name=self._name, n=silent, most=settings.RPA_DISPLAY_WAIT_S)
        else:
            told = say("running.display_again", name=self._name)
        self._say(told)
        Robot.objects.warn(self._robot.pk, "display", told)


# How often a run loop that has nothing to do looks whether there is something: together they ask the database as
# often as a few of them would.

AS_MANY = 5  # robots look as often as one alone
MOST_S = 2.0
COUNT_EVERY_S = 10.0


class Pace:
    """Of one run loop; `every_s` is how long a robot that is alone waits."""

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self._robots, self._counted_at = 0, -COUNT_EVERY_S

    def pause_s(self) -> float:
        """What to wait until the next look. Raises what the database does where it is away."""
        now = time.monotonic()
        if now - self._counted_at >= COUNT_EVERY_S:
            self._robots, self._counted_at = Robot.objects.at_work().count(), now
        return min(max(self.every_s, MOST_S), self.every_s * max(1.0, self._robots / AS_MANY))
