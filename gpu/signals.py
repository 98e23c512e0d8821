"""What leaves this package as rows do: after commit."""

from __future__ import annotations

from django.dispatch import Signal

# provides args: events (list of GPUEvent)
gpu_told = Signal()
