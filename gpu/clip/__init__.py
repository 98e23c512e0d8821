"""CLIP: the image half of an open_clip model, on the processor always and on a GPU when it is sent there (S3.5)."""

from __future__ import annotations

from gpu.clip.gpu_copy import CPU
from gpu.clip.manager import CLIPManager

__all__ = ["CPU", "CLIPManager"]
