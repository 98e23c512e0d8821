"""The socket routes. The application around them (rpa_site.asgi) checks the origin and reads the cookies."""

from __future__ import annotations

from django.urls import path, re_path

from execution.stream.consumers import no_socket, run_socket, runs_socket
from execution.stream.control_socket import control_socket
from execution.stream.lesson_socket import lesson_socket

websocket_urlpatterns = [
    path("ws/executions/<str:execution_id>/", run_socket, name="ws_execution"),  # type: ignore[arg-type]  # an ASGI application
    path("ws/runs/", runs_socket, name="ws_runs"),  # type: ignore[arg-type]
    path("ws/teach/<str:lesson_id>/", lesson_socket, name="ws_teach"),  # type: ignore[arg-type]
    path("ws/control/<str:execution_id>/", control_socket, name="ws_control"),  # type: ignore[arg-type]
    re_path(r"", no_socket),  # type: ignore[arg-type]
]
