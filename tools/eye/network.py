"""The eye's network: seven convolutions and a projection to a direction of 96 numbers."""

from __future__ import annotations

import torch
from torch import nn

NUMBERS = 96
_WIDTHS = ((2, 32, 1), (32, 48, 2), (48, 64, 1), (64, 96, 2), (96, 96, 1), (96, 128, 2), (128, 160, 1))


class Network(nn.Module):
    """float32 (n, 2, 64, 64) → (n, 96), each of length 1."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for into, out, step in _WIDTHS:
            layers += [
                nn.Conv2d(into, out, 3, stride=step, padding=1, bias=False),
                nn.BatchNorm2d(out),
                nn.ReLU(inplace=True),
            ]
            if into == 2:
                layers += [nn.MaxPool2d(2)]
        self.layers = nn.Sequential(*layers)
        self.project = nn.Linear(_WIDTHS[-1][1] * 4, NUMBERS)

    def forward(self, ink: torch.Tensor) -> torch.Tensor:
        seen = self.layers(ink)
        # Where things are drawn matters, a little: four quarters, not one mean.
        pooled = torch.nn.functional.adaptive_avg_pool2d(seen, 2).flatten(1)
        return torch.nn.functional.normalize(self.project(pooled), dim=1)
