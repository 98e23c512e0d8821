from __future__ import annotations

from django.apps import AppConfig


class ExecutionConfig(AppConfig):
    name = "execution"

    def ready(self) -> None:
        from gpu.assistant.records import RunRecords, register_records

        def records() -> RunRecords:
            from execution.assistant.run_records import RunRecords

            return RunRecords()

        register_records(records)
