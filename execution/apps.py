from __future__ import annotations

from django.apps import AppConfig


class ExecutionConfig(AppConfig):
    name = "execution"

    def ready(self) -> None:
        from gpu.assistant.briefing import Briefer, register_briefer

        def briefer() -> Briefer:
            from execution.assistant.briefing import RunBriefer

            return RunBriefer()

        register_briefer(briefer)
