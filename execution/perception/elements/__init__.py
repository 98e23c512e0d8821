"""UI elements: what on a screen can be acted on, with its role, its text and what shows of its state (S2.9)."""

from __future__ import annotations

from execution.perception.elements.base import DetectorUnavailable, ElementDetector
from execution.perception.elements.builtin import FrameDetector

__all__ = ["DetectorUnavailable", "ElementDetector", "FrameDetector"]
