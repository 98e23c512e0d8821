"""An owner of the GPU as a process of its own: the product's manager, on a card and a CUDA that are counted.

python -m tests.support.gpu_owner FILE

FILE tells how much of the card's memory the models' server holds, in MB; whoever runs that server keeps it up to date.
A tiny CLIP with random weights stands for the real one. It ends with SIGTERM, and gives the GPU back.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

NAME = "owner of the test"
TOTAL_MB = 24_000
CONTEXT_MB = 300  # what CUDA takes of the card with its first touch


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})  # waited for below; threads inherit it
    held = Path(sys.argv[1])
    import django

    django.setup()
    import pytest
    from django.conf import settings

    from gpu import get_gpu_resource_manager, manager
    from gpu.resources import VRAMMonitor
    from tests.doubles.cuda import FakeCuda
    from tests.doubles.nvml import Card, FakeNvml
    from tests.support.clip import NAME as CLIP
    from tests.support.clip import made_clip

    card = Card(total_mb=TOTAL_MB, name="Counted card", holders=[lambda: int(held.read_text())])
    with pytest.MonkeyPatch.context() as patch:
        FakeCuda(card, context_mb=CONTEXT_MB).install(patch)
        patch.setattr(manager, "VRAMMonitor", lambda: VRAMMonitor(nvml=FakeNvml(card)))
        settings.RPA_EMBEDDER, settings.RPA_CLIP_MODEL = "open_clip", CLIP
        settings.RPA_CLIP_WEIGHTS = str(made_clip().safetensors)
        owner = get_gpu_resource_manager()
        owner.clip.load()  # as a run loop does before its first run
        owner.claim(NAME)
        signal.sigwait({signal.SIGTERM, signal.SIGINT})
        owner.close()


if __name__ == "__main__":
    main()
