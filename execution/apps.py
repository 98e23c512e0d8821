from __future__ import annotations

from django.apps import AppConfig

from execution.language import sentences  # noqa: F401  registers them, before any module of an app is there to say one


class ExecutionConfig(AppConfig):
    name = "execution"

    def ready(self) -> None:
        from gpu.assistant.records import RecordsSource, register_records

        def records() -> RecordsSource:
            from execution.assistant.run_records import RunRecords

            return RunRecords()

        register_records(records)
