from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from execution.language import sentences  # noqa: F401  registers them, before any module of an app is there to say one


class ExecutionConfig(AppConfig):
    name = "execution"
    verbose_name = _("Runs")

    def ready(self) -> None:
        from gpu.assistant.records import RecordsSource, register_records

        def records() -> RecordsSource:
            from execution.assistant.run_records import RunRecords

            return RunRecords()

        register_records(records)
