from __future__ import annotations

from django.urls import path

from gpu import api

urlpatterns = [
    path("gpu/status/", api.GPUStatusView.as_view(), name="api_gpu_status"),
    path("gpu/samples/", api.GPUSamplesView.as_view(), name="api_gpu_samples"),
    path("gpu/requests/", api.GPURequestsView.as_view(), name="api_gpu_requests"),
    path("gpu/requests/<uuid:request_id>/", api.GPURequestView.as_view(), name="api_gpu_request"),
]
