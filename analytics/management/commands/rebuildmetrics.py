from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils.translation import gettext as _

from analytics.jobs import FIGURES
from execution.behind.asking import do
from execution.behind.leases import Taken


class Command(BaseCommand):
    help = "Make step_metrics again from the recorded steps. Runs may go on meanwhile; a second time changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            came = do(FIGURES).place
        except Taken:
            self.stdout.write(_("A worker is at it already."))
            return
        self.stdout.write(f"{came.get('made', 0)} steps projected, {came.get('stale', 0)} stale rows removed.")
