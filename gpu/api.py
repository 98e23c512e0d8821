from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from gpu.manager import get_gpu_resource_manager
from gpu.shared import as_json, last_known_status


class GPUStatusView(APIView):
    """The GPU's memory now, and the models as the run loop of this machine last told; `at` says when that was."""

    read_permission = "execution.view_execution"

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        own = as_json(get_gpu_resource_manager().get_status())
        told = last_known_status() or {"at": None}
        return Response({**own, **told, "vram": own["vram"]})
