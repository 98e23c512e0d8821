"""The assistant of this process, with what it knows of runs and the models that it asks."""

from __future__ import annotations

from functools import cache

from gpu.assistant.assistant import Assistant, Mai
from gpu.manager import get_gpu_resource_manager
from gpu.model_manager import get_model_manager


@cache
def get_assistant() -> Assistant:
    """The one of this process; it is shut down with it."""
    return Mai()


def close_all() -> None:
    """End what this process began of it, after what there is to keep was kept; the next who asks begins anew."""
    if get_assistant.cache_info().currsize:
        get_assistant().shutdown()
    if get_model_manager.cache_info().currsize:
        get_model_manager().close()
    if get_gpu_resource_manager.cache_info().currsize:
        get_gpu_resource_manager().close()
    for one in (get_assistant, get_model_manager, get_gpu_resource_manager):
        one.cache_clear()
