"""Ollama, as a client of it sees it (S3.2)."""

from __future__ import annotations

from gpu.ollama.client import OllamaManager
from gpu.ollama.protocol import is_named, tagged

__all__ = ["OllamaManager", "is_named", "tagged"]
