from __future__ import annotations

import json
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.behind.leases import Taken
from execution.management.commands.runloop import leaving_on_signals
from execution.models import Replay
from execution.perception.analyzer import build_analyzer
from execution.perception.config import PerceptionConfig
from execution.replay.answers import BREAKS, About, Passed, Verdict
from execution.replay.replaying import ask, go_on
from sentences.said import worded
from workflows.models import Workflow, WorkflowVersion

BROKEN = 3  # the exit code where what was right before is not any more
_SHOWN = 20


class Command(BaseCommand):
    help = "Look at stored steps again with today's eyes, and say what would differ (S6.17)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow", nargs="?", default="", help="its id; without one: go on with what was left")
        parser.add_argument("--runs", type=int, metavar="N", help="only the newest N runs")
        parser.add_argument("--with-version", type=int, metavar="N", help="as this version knows the screens")
        parser.add_argument("--json", action="store_true", help="the table as JSON, a line each")

    def handle(self, *args: Any, **options: Any) -> None:
        replays = [self._asked(options)] if options["workflow"] else list(Replay.objects.left())
        if not replays:
            self.stdout.write(_("Nothing was left to look at. Name a workflow."))
            return
        leave = threading.Event()
        analyzer = build_analyzer(PerceptionConfig.from_settings(settings))
        with leaving_on_signals(leave):
            for replay in replays:
                try:
                    go_on(replay, analyzer, tell=self._tell, leave_now=leave.is_set)
                except Taken:
                    self.stderr.write(_("%(id)s is being looked at by another process.") % {"id": replay.replay_id})
                    continue
                if not replay.is_final:
                    self.stdout.write(_("Left where it is. “manage.py replay” goes on with it."))
                    return
                self._table(replay, as_json=options["json"])
        if any(replay.of_verdict(verdict) for replay in replays for verdict in BREAKS):
            raise CommandError(_("What was right before would not be any more."), returncode=BROKEN)

    def _asked(self, options: dict[str, Any]) -> Replay:
        try:
            workflow = Workflow.objects.get(workflow_id=options["workflow"])
            number = options["with_version"]
            version = workflow.versions.get(number=number) if number is not None else None
        except Workflow.DoesNotExist:
            raise CommandError(_("There is no workflow “%(id)s”.") % {"id": options["workflow"]}) from None
        except WorkflowVersion.DoesNotExist:
            words = _("“%(id)s” has no version %(n)d.")
            raise CommandError(words % {"id": options["workflow"], "n": options["with_version"]}) from None
        if options["runs"] is not None and options["runs"] < 1:
            raise CommandError(_("--runs takes a number from 1."))
        return ask(workflow, version=version, most_runs=options["runs"])

    def _tell(self, replay: Replay) -> None:
        counts = {"done": replay.looked_at, "of": replay.steps}
        self.stderr.write(_("%(done)d of %(of)d steps") % counts)

    def _table(self, replay: Replay, *, as_json: bool) -> None:
        found = replay.differences.select_related("step__execution")
        if as_json:
            for difference in found.iterator(chunk_size=200):
                self.stdout.write(json.dumps(difference.as_json(), ensure_ascii=False))
            return
        n = replay.looked_at
        words = ngettext("%(n)d step of “%(name)s” looked at again.", "%(n)d steps of “%(name)s” looked at again.", n)
        self.stdout.write(words % {"n": n, "name": replay.workflow.name})
        for why, count in replay.passed_over.items():
            self.stdout.write(f"  {count:6d}  {_('passed over')}: {Passed(why).label}")
        if not replay.counts:
            self.stdout.write(f"  {_('Nothing would be answered otherwise.')}")
        for about in About:
            for verdict in Verdict:
                if count := replay.count(about, verdict):
                    self.stdout.write(f"  {count:6d}  {about.label}: {verdict.label}")
        for difference in found.filter(verdict__in=BREAKS)[:_SHOWN]:
            step = difference.step
            where = f"{step.execution.execution_id} #{step.index}"
            self.stdout.write(f"    {where}  {Verdict(difference.verdict).label}. {worded(difference.why)}")
