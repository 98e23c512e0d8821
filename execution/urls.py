"""The pages of runs and robots, and their pictures."""

from __future__ import annotations

from django.urls import path

from execution.pages.live import live, run_snapshot
from execution.pages.pictures import picture, robot_frame, run_frame, run_screen
from execution.pages.robots import robots
from execution.pages.runs import runs
from execution.pages.start import start
from execution.pages.teach import teach, teach_new

urlpatterns = [
    path("", runs, name="runs"),
    path("runs/new", start, name="run_start"),
    path("runs/<str:execution_id>", live, name="run"),
    path("runs/<str:execution_id>/snapshot", run_snapshot, name="run_snapshot"),
    path("runs/<str:execution_id>/frame", run_frame, name="run_frame"),
    path("runs/<str:execution_id>/steps/<int:index>/screen", run_screen, name="run_screen"),
    path("pictures/<str:digest>.png", picture, name="picture"),
    path("teach/new", teach_new, name="teach_new"),
    path("teach/<str:lesson_id>", teach, name="teach"),
    path("robots", robots, name="robots"),
    path("robots/<path:name>/frame", robot_frame, name="robot_frame"),
]
