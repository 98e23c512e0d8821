from __future__ import annotations

from django.urls import path

from gpu.api import GPUStatusView

urlpatterns = [path("gpu/status/", GPUStatusView.as_view(), name="api_gpu_status")]
