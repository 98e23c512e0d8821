"""The permissions of runs: looking, looking at what is masked, and operating (start, decide, pause, resume, stop)."""

from __future__ import annotations

from typing import Any

from django.conf import settings

VIEW = "execution.view_execution"
VIEW_PICTURE = "workflows.view_picture"
OPERATE = "execution.operate_execution"
UNMASKED = "execution.view_unmasked"
TELL_VALUES = "execution.add_noticerule"  # let values of rows stand in messages


def sees_unmasked(user: Any) -> bool:
    """Whether a person sees what is masked: where it is switched on, and they have the right to it (S10.4)."""
    return bool(settings.RPA_LIVE_UNMASKED and user.has_perm(UNMASKED))
