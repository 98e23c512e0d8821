from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from analytics.projection import rebuild


class Command(BaseCommand):
    help = "Make step_metrics again from the recorded steps. Runs may go on meanwhile; a second time changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        made, stale = rebuild()
        self.stdout.write(f"{made} steps projected, {stale} stale rows removed.")
