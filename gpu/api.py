from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from gpu.manager import get_gpu_resource_manager


class GPUStatusView(APIView):
    """The GPU as the web process sees it."""

    read_permission = "execution.view_execution"

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        return Response(asdict(get_gpu_resource_manager().get_status()))
