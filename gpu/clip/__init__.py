"""CLIP: the image half of an open_clip model, on the processor always and on a GPU when it is sent there (S3.5)."""

from __future__ import annotations

from gpu.clip.manager import CPU, CLIPManager

__all__ = ["CPU", "CLIPManager"]
