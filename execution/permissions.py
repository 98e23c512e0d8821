"""The permissions of runs: looking, and operating (start, decide, pause, resume, stop)."""

from __future__ import annotations

VIEW = "execution.view_execution"
OPERATE = "execution.operate_execution"
