from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from analytics.models import StepMetric
from analytics.projection import project
from execution.models import Step


class Command(BaseCommand):
    help = "Make step_metrics again from the recorded steps (S7.5)."

    def handle(self, *args: Any, **options: Any) -> None:
        kept = 0
        for step_id in Step.objects.closed().order_by("pk").values_list("pk", flat=True).iterator():
            project(step_id)
            kept += 1
        known = set(Step.objects.closed().values_list("execution__execution_id", "index"))
        stale = [m.pk for m in StepMetric.objects.all().iterator() if (m.execution_id, m.step) not in known]
        StepMetric.objects.filter(pk__in=stale).delete()
        self.stdout.write(f"{kept} steps projected, {len(stale)} stale rows removed.")
