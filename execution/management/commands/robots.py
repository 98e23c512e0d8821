from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from execution.actions.maintain import set_maintenance
from execution.choices import ON_DESKTOP, Origin
from execution.models import Execution, Lesson, Robot

POLL_S = 1.0


class Command(BaseCommand):
    help = "List the robots; drain some before an upgrade (they finish what they have), and let them work again (S9.4)."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb")
        drain = verbs.add_parser("drain", help="maintenance: they finish what they have and take nothing new")
        drain.add_argument("--wait", type=float, metavar="S", default=0.0, help="until none has any, at most so long")
        resume = verbs.add_parser("resume", help="they take runs again")
        for one in (drain, resume):
            one.add_argument("name", nargs="*", help="as the list names them")
            one.add_argument("--host", metavar="NAME", help="all of that machine")
            one.add_argument("--all", action="store_true", help="all of them")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] is None:
            for robot in Robot.objects.order_by("name"):
                self.stdout.write(f"{robot.name}  {_state_of(robot)}  {' '.join(_has(robot)) or '-'}")
            return
        robots = _chosen(options)
        for robot in robots:
            set_maintenance(robot=robot, on=options["verb"] == "drain", origin=Origin.COMMAND)
        if options.get("wait"):
            self._wait(robots, options["wait"])

    def _wait(self, robots: QuerySet[Robot], seconds: float) -> None:
        """Until they are done; raises CommandError naming those that are not."""
        if not _until(lambda: not _busy(robots), seconds):
            words = _("Still at work after %(s)g s: %(robots)s. They go on, and take nothing new.")
            raise CommandError(words % {"s": seconds, "robots": ", ".join(_busy(robots))})


def _chosen(options: dict[str, Any]) -> QuerySet[Robot]:
    """Those that are named; raises CommandError where none is, or one is not there."""
    robots = Robot.objects.order_by("name")
    if options["all"]:
        return robots
    if options["host"]:
        robots = robots.filter(host=options["host"])
    elif missing := set(options["name"]) - set(robots.values_list("name", flat=True)):
        raise CommandError(_("There is no robot “%(name)s”.") % {"name": min(missing)})
    else:
        robots = robots.filter(name__in=options["name"])
    if not robots.exists():
        raise CommandError(_("Name the robots, or say --host NAME or --all."))
    return robots


def _has(robot: Robot) -> list[str]:
    """The runs on its desktop, and what is taught there."""
    runs = Execution.objects.filter(robot=robot, state__in=ON_DESKTOP).values_list("execution_id", flat=True)
    return [*runs, *(f"lesson:{lesson.pk}" for lesson in Lesson.objects.for_robot(robot))]


def _busy(robots: QuerySet[Robot]) -> list[str]:
    """Those that have something, with what; one that is not heard of any more will not finish it."""
    return [f"{robot.name} ({' '.join(has)})" for robot in robots.filter(stopped_at=None) if (has := _has(robot))]


def _state_of(robot: Robot) -> str:
    gone = "off" if robot.stopped_at is not None else "silent"
    state = "alive" if robot.is_alive else gone
    return f"{state}, in maintenance" if robot.is_in_maintenance else state


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True
