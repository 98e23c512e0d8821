"""What the API of the GPU takes and gives."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from gpu.types import ExecutionMode, RequestKind
from sentences.request_body import RequestBody

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
                raise serializers.ValidationError({"mode": _("Say which mode.")})
            return {"kind": kind, "mode": ExecutionMode(attrs["mode"])}
        if kind in (RequestKind.LOAD, RequestKind.UNLOAD):
            if "model" not in attrs:
                raise serializers.ValidationError({"model": _("Say which model.")})
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
