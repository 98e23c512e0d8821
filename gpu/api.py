"""The API of the GPU: what it is like, its memory over time, and what operators may ask of it (S3.8, S3.9)."""

from __future__ import annotations

import logging
import os
import uuid
from collections import OrderedDict
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import Any

from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from gpu.exceptions import GPUError, Later, NotEnoughVRAM
from gpu.machine.ownership import machine_name
from gpu.machine.status import MOST_MINUTES, last_known_status, memory_over_time, nothing_known
from gpu.manager import get_gpu_resource_manager
from gpu.types import ExecutionMode, RequestKind, as_json
from gpu.types import Request as GPURequest
from sentences.request_body import RequestBody, checked
from sentences.said import in_words, say, worded

ASKABLE = [kind for kind in RequestKind if kind is not RequestKind.USE]


class GPUWishSerializer(RequestBody):
    """`kind`, with `mode` for a mode and `model` for loading and unloading."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in ASKABLE])
    mode = serializers.ChoiceField(choices=[mode.value for mode in ExecutionMode], required=False)
    model = serializers.CharField(max_length=200, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The fields as values of a `gpu.types.Request`; what the kind does not take is left out."""
        kind = RequestKind(attrs["kind"])
        if kind is RequestKind.MODE:
            if "mode" not in attrs:
                raise serializers.ValidationError({"mode": gettext_lazy("Say which mode.")})
            return {"kind": kind, "mode": ExecutionMode(attrs["mode"])}
        if kind in (RequestKind.LOAD, RequestKind.UNLOAD):
            if "model" not in attrs:
                raise serializers.ValidationError({"model": gettext_lazy("Say which model.")})
            return {"kind": kind, "model": attrs["model"]}
        return {"kind": kind}


class GPUMemorySerializer(serializers.Serializer[Any]):
    uuid = serializers.CharField()
    total_mb = serializers.IntegerField()
    points = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))


class GPUSamplesQuerySerializer(serializers.Serializer[Any]):
    minutes = serializers.IntegerField(default=15, min_value=1, max_value=10**9)


class GPUSamplesSerializer(serializers.Serializer[Any]):
    machine = serializers.CharField()
    gpus = GPUMemorySerializer(many=True)


KEPT = 200


@dataclass(frozen=True, slots=True)
class Operation:
    """One request of a person; `outcome` is not done while it lasts."""

    id: uuid.UUID
    request: GPURequest
    outcome: Future[Any]


class Operations:
    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[uuid.UUID, Operation] = OrderedDict()

    def make(self, request: GPURequest) -> Operation:
        """Have it begun in the loop of the GPU's manager."""
        manager = get_gpu_resource_manager()
        return self.keep(request, manager.runtime.submit(manager.carry_out(request)))

    def keep(self, request: GPURequest, outcome: Future[Any]) -> Operation:
        operation = Operation(uuid.uuid4(), request, outcome)
        with self._lock:
            self._kept[operation.id] = operation
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return operation

    def find(self, number: uuid.UUID) -> Operation | None:
        with self._lock:
            return self._kept.get(number)


operations = Operations()


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
        return _told(operation, 200 if wait([operation.outcome], QUICK_S).done else 202)


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


def answer_to(error: GPUError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers: `error` is a word for programs, `detail` the sentence, and the numbers beside it."""
    body: dict[str, Any] = {"error": error.code, "detail": worded(error) or error.code}
    if isinstance(error, NotEnoughVRAM) and hasattr(error, "needed_mb"):
        body |= {"needed_mb": error.needed_mb, "free_mb": error.free_mb}
    if not isinstance(error, Later):
        return error.status, body, {}
    return error.status, {**body, "retry_after_s": error.whole_seconds}, {"Retry-After": str(error.whole_seconds)}


def _told(operation: Operation, status: int) -> Response:
    body: dict[str, Any] = {"request_id": str(operation.id), "kind": operation.request.kind.value}
    outcome = operation.outcome
    if not outcome.done():
        return Response({**body, "state": "doing"}, status=status)
    error = GPUError(say("gpu.web_ended")) if outcome.cancelled() else outcome.exception()
    if error is None:
        return Response({**body, "state": "done"}, status=status)
    if not isinstance(error, GPUError):
        log.error("request %s (%s) met an error of the program", operation.id, operation.request.kind, exc_info=error)
        error = GPUError(_("That is an error of the program; the server's log says more."))
    refused, why, headers = answer_to(error)
    return Response({**body, "state": "failed", **why}, status=refused, headers=headers)


urlpatterns = [
    path("gpu/status/", GPUStatusView.as_view(), name="api_gpu_status"),
    path("gpu/samples/", GPUSamplesView.as_view(), name="api_gpu_samples"),
    path("gpu/requests/", GPURequestsView.as_view(), name="api_gpu_requests"),
    path("gpu/requests/<uuid:request_id>/", GPURequestView.as_view(), name="api_gpu_request"),
]
