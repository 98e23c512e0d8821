from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from rpa_site.smoke import ExitCode, SmokeCheck, findings, verdict_of


class Command(BaseCommand):
    help = "Tell after a deploy whether to keep it (S5.7). Exit code 0: keep, 1: roll back, 2: look."
    requires_system_checks = []  # they import what is to be judged here, and would fail without saying what to do

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--timeout",
            type=float,
            default=20,
            metavar="SECONDS",
            help="how long the run loop and the web process may take to be up (default: 20)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["timeout"] <= 3600:
            raise CommandError(_("--timeout takes seconds, from 0 to 3600."), returncode=ExitCode.LOOK)
        found = []
        for finding in findings(timeout_s=options["timeout"]):
            self._say(finding)
            found.append(finding)
        verdict = verdict_of(found)
        self.stdout.write(SUMMARY[verdict]())
        if verdict is not ExitCode.KEEP:
            sys.exit(int(verdict))

    def _say(self, finding: SmokeCheck) -> None:
        if finding.verdict is ExitCode.KEEP:
            self.stdout.write(f"  ✓ {finding.what}")
            return
        self.stdout.write(f"  ✗ {finding.what}: {finding.why}")
        self.stdout.write(f"    {finding.to_do}")
        self.stdout.flush()


SUMMARY = {
    ExitCode.KEEP: lambda: _("Keep it."),
    ExitCode.ROLL_BACK: lambda: _("Roll back."),
    ExitCode.LOOK: lambda: _("Look: the code is whole, what runs is not."),
}
