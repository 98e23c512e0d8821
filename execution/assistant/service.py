"""The assistant of this process, with what it knows of runs and the models that it asks."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from execution.assistant.briefing import RunBriefer
from gpu.assistant import Assistant
from gpu.manager import get_gpu_resource_manager
from gpu.model_manager import get_model_manager


@cache
def get_assistant() -> Assistant:
    """The one of this process; it is shut down with it."""
    return Assistant(
        briefer=RunBriefer(),
        models=get_model_manager(),
        runtime=get_gpu_resource_manager().runtime,
        name=settings.RPA_ASSISTANT_NAME,
    )
