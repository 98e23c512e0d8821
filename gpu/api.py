"""The API of the GPU: what it is like, its memory over time, and what operators may ask of it (S3.8, S3.9)."""

from __future__ import annotations

import logging
import os
import uuid
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from gpu.exceptions import GPUError
from gpu.machine.ownership import machine_name
from gpu.machine.status import MOST_MINUTES, last_known_status, memory_over_time, nothing_known
from gpu.operations import Operation, operations
from gpu.refusals import answer_to
from gpu.serializers import GPUSamplesQuerySerializer, GPUSamplesSerializer, GPUWishSerializer
from gpu.types import Request as GPURequest
from gpu.types import as_json
from gpu.wiring import get_gpu_resource_manager
from sentences.request_body import checked
from sentences.said import in_words

log = logging.getLogger(__name__)

VIEW = "execution.view_execution"
OPERATE_GPU = "gpu.operate_gpu"

# What is refused or done at once is answered at once; what lasts longer is told under the number of the request.
QUICK_S = 0.4


class GPUStatusView(APIView):
    """The GPU of this machine as its owner last told it, seldom the process that answers; the memory is read now.

    `at` says when that was, `fresh` whether it still holds, `owner` who owns the GPU: nobody where it is empty.
    """

    read_permission = VIEW

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        own = in_words(as_json(get_gpu_resource_manager().get_status()))
        told = last_known_status() or {**nothing_known(), **own}
        if told["owner_pid"] == os.getpid():
            told = {**told, **own}
        return Response({**told, "vram": own["vram"] or told["vram"]})


class GPUSamplesView(APIView):
    """The memory of each GPU over the last minutes, for a chart: [seconds since 1970, MB in use], the oldest first."""

    read_permission = VIEW

    @extend_schema(
        parameters=[
            OpenApiParameter("minutes", int, description=f"1 to {MOST_MINUTES}, 15 without it."),
            OpenApiParameter("machine", str, description="Of this machine; without it, the one that answers."),
        ],
        responses=GPUSamplesSerializer,
    )
    def get(self, request: Request) -> Response:
        query = GPUSamplesQuerySerializer(data=request.query_params)
        query.is_valid(raise_exception=True)
        minutes = min(query.validated_data["minutes"], MOST_MINUTES)
        machine = request.query_params.get("machine") or machine_name()
        since = timezone.now() - timedelta(minutes=minutes)
        return Response({"machine": machine, "gpus": memory_over_time(machine, since=since)})


class GPURequestsView(APIView):
    """Change the mode, load or unload a model, move CLIP."""

    write_permission = OPERATE_GPU

    @extend_schema(request=GPUWishSerializer, responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """200 when it was done at once, 202 with its number while it lasts, 409, 422, 502 to 504 when it cannot be."""
        wish = checked(GPUWishSerializer, request.data)
        operation = operations.make(GPURequest(asked_by=request.user.get_username(), **wish))
        operation.wait(QUICK_S)
        return _told(operation, 200 if operation.is_over else 202)


class GPURequestView(APIView):
    """What became of a request; of the last few, and only until the server is started anew."""

    read_permission = VIEW

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, request_id: uuid.UUID) -> Response:
        """Always 200 for one that is known: `state` is doing, done or failed; then `error`, `detail` and `status`."""
        operation = operations.find(request_id)
        if operation is None:
            raise NotFound(_("No request %(id)s is known here any more.") % {"id": request_id})
        answer = _told(operation, 200)
        if answer.status_code != 200:
            return Response({**(answer.data or {}), "status": answer.status_code})
        return answer


def _told(operation: Operation, status: int) -> Response:
    body: dict[str, Any] = {"request_id": str(operation.id), "kind": operation.request.kind.value}
    error = operation.error()
    if error is None:
        return Response({**body, "state": "done" if operation.is_over else "doing"}, status=status)
    if not isinstance(error, GPUError):
        log.error("request %s (%s) met an error of the program", operation.id, operation.request.kind, exc_info=error)
        error = GPUError(_("That is an error of the program; the server's log says more."))
    refused, why, headers = answer_to(error)
    return Response({**body, "state": "failed", **why}, status=refused, headers=headers)
