from __future__ import annotations

from argparse import ArgumentParser
from datetime import date, time
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_time

from execution.choices import Origin, Rhythm, WhileRunning
from execution.models import Schedule, Worklist
from execution.worklists.actions.when import plan, switch, take_back
from execution.worklists.clock import in_words, next_starts
from execution.worklists.looking import worker_missing
from execution.worklists.schedules import timing_from, timing_of
from sentences.said import worded
from workflows.exceptions import DomainError


def _time(text: str) -> time | None:
    try:
        found = parse_time(text) if text else None
    except ValueError:
        found = None
    if text and found is None:
        raise CommandError(f"“{text}” is no time. Write it as 02:00.")
    return found


def _day(text: str) -> date:
    try:
        found = parse_date(text)
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"“{text}” is no day. Write it as 2026-12-24.")
    return found


class Command(BaseCommand):
    help = "When lists begin by themselves: schedule list|add|on|off|delete."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        shown = verbs.add_parser("list", help="the schedules of one list, or of all, each with its next starts")
        shown.add_argument("list_id", nargs="?")
        shown.add_argument("--starts", type=int, default=10, metavar="N")
        add = verbs.add_parser("add", help="a schedule of a list; times are those of the clock on the wall in its zone")
        add.add_argument("list_id")
        how = add.add_mutually_exclusive_group(required=True)
        how.add_argument("--once", metavar="DAY", help="as 2026-12-24")
        how.add_argument("--daily", action="store_true")
        how.add_argument("--weekdays", metavar="0,1,2", help="from Monday as 0")
        how.add_argument("--cron", metavar="RULE", help="five fields, as '0 2 * * 1-5'")
        add.add_argument("--at", default="", metavar="TIME", help="as 02:00")
        add.add_argument("--zone", default="", help="as Europe/Paris; without it that of the server")
        add.add_argument("--until", default="", metavar="TIME", help="from then on no row begins")
        add.add_argument("--make-up-until", default="", metavar="TIME", help="without it a missed start is skipped")
        add.add_argument("--country", default="", help="on its holidays nothing begins, as FR")
        add.add_argument("--region", default="")
        add.add_argument("--not-on", action="append", default=[], metavar="DAY")
        add.add_argument("--while-running", choices=WhileRunning.values, default=WhileRunning.WAIT)
        add.add_argument("--files", action="store_true", help="rows come from the list's folder")
        add.add_argument("--reason", default="", help="why it acts by itself though that was not earned")
        for verb in ("on", "off", "delete"):
            verbs.add_parser(verb).add_argument("schedule_id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['verb']}")(options)
        except DomainError as error:
            raise CommandError(worded(error)) from error

    def _list(self, options: dict[str, Any]) -> None:
        found = Schedule.objects.select_related("worklist").order_by("worklist", "pk")
        if options["list_id"]:
            found = found.filter(worklist=Worklist.objects.by_id(options["list_id"]))
        for schedule in found:
            self._say(schedule, options["starts"])
        if problem := worker_missing():
            self.stderr.write(worded(problem))

    def _add(self, options: dict[str, Any]) -> None:
        days = [_day(one) for one in options["not_on"]]
        try:
            weekdays = [int(one) for one in options["weekdays"].split(",")] if options["weekdays"] else []
        except ValueError as error:
            raise CommandError("--weekdays takes numbers from 0 (Monday) to 6 (Sunday), as 0,1,2.") from error
        kinds = {"once": Rhythm.ONCE, "daily": Rhythm.DAILY, "weekdays": Rhythm.WEEKDAYS, "cron": Rhythm.CRON}
        kind = next(kind for name, kind in kinds.items() if options[name])
        at = _time(options["at"])
        if at is None and kind != Rhythm.CRON:
            raise CommandError("Say --at TIME, as 02:00.")
        timing = timing_from(
            {
                "kind": kind,
                "zone": options["zone"] or timezone.get_default_timezone_name(),
                "at": at,
                "on": _day(options["once"]) if options["once"] else None,
                "weekdays": weekdays,
                "cron": options["cron"],
                "country": options["country"].upper(),
                "region": options["region"],
                "not_on": days,
                "until": _time(options["until"]),
                "make_up_until": _time(options["make_up_until"]),
                "while_running": WhileRunning(options["while_running"]),
            }
        )
        kept = plan(
            worklist_id=options["list_id"],
            timing=timing,
            takes_files=options["files"],
            reason=options["reason"],
            origin=Origin.COMMAND,
        )
        self._say(kept, 3)

    def _on(self, options: dict[str, Any]) -> None:
        self._switch(options["schedule_id"], is_on=True)

    def _off(self, options: dict[str, Any]) -> None:
        self._switch(options["schedule_id"], is_on=False)

    def _switch(self, schedule_id: str, *, is_on: bool) -> None:
        one = Schedule.objects.by_id(schedule_id)
        worklist_id = one.worklist.worklist_id
        self._say(switch(worklist_id=worklist_id, schedule_id=schedule_id, is_on=is_on, origin=Origin.COMMAND), 1)

    def _delete(self, options: dict[str, Any]) -> None:
        one = Schedule.objects.by_id(options["schedule_id"])
        take_back(worklist_id=one.worklist.worklist_id, schedule_id=one.schedule_id, origin=Origin.COMMAND)

    def _say(self, schedule: Schedule, starts: int) -> None:
        timing, state = timing_of(schedule), "on" if schedule.is_on else "off"
        worklist = schedule.worklist
        self.stdout.write(f"{schedule.schedule_id}  {worklist.worklist_id}  {worklist.name}  {state}")
        self.stdout.write(f"  {worded(in_words(timing))}")
        for start in next_starts(timing, timezone.now(), starts) if schedule.is_on else ():
            at = start.at.astimezone(ZoneInfo(timing.zone))
            told = f"  {worded(start.left_out) or worded(start.note)}".rstrip()
            self.stdout.write(f"  {at:%a %Y-%m-%d %H:%M}{'  –' if start.left_out else ''}{told}")
