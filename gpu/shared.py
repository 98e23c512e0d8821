"""What the process that holds the GPU last said of it, for the other processes of this machine.

The run loop loads and unloads; the web process shows. The file is evidence, not control: nothing decides by it.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from gpu.types import GPUResourceStatus

log = logging.getLogger(__name__)


def publish(status: GPUResourceStatus) -> None:
    """Keep the status where the other processes find it; a disk that refuses costs a line in the log."""
    path = _path()
    said = {**as_json(status), "at": datetime.now(UTC).isoformat(), "pid": os.getpid()}
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(said))
        fresh.replace(path)  # whoever reads sees the old one or the new one, never a part
    except OSError as error:
        log.warning("the state of the GPU could not be told: %s", error)


def last_known_status() -> dict[str, Any] | None:
    """The last published status with `at` and `pid`; None when nobody has said anything yet."""
    try:
        said = json.loads(_path().read_text())
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and {"vram", "vlm_state", "degraded"} <= said.keys() else None


def as_json(status: GPUResourceStatus) -> dict[str, Any]:
    last = status.last_vlm_request
    return {**asdict(status), "last_vlm_request": last.isoformat() if last else None}


def _path() -> Path:
    return Path(settings.DATA_DIR) / "gpu" / "status.json"
