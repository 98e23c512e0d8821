"""The permissions of runs: looking, looking at what is masked, and operating (start, decide, pause, resume, stop)."""

from __future__ import annotations

VIEW = "execution.view_execution"
OPERATE = "execution.operate_execution"
UNMASKED = "execution.view_unmasked"
