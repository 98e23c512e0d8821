"""The assistant as a program, and this product's own pages, have it: with the parts of this deployment (S11.12)."""

from __future__ import annotations

from django.conf import settings

from gpu.assistant.assistant import Assistant
from gpu.assistant.records import registered_records
from gpu.model_manager import get_model_manager
from gpu.wiring import get_gpu_resource_manager


class Mai(Assistant):
    """Made without arguments; its models and the GPU are those of the process, and outlive it."""

    def __init__(self) -> None:
        super().__init__(
            records=registered_records(),
            models=get_model_manager(),
            runtime=get_gpu_resource_manager().runtime,
            name=settings.RPA_ASSISTANT_NAME,
        )
