"""Learning by contrast: drawings of one name lie near each other, others apart (supervised contrast, Khosla 2020)."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tools.eye.drawings import Drawings, is_held_out
from tools.eye.network import Network
from tools.eye.samples import seen
from tools.eye.sources import HELD_OUT

NAMES, EACH = 64, 4  # names of one step, drawings of each
TEMPERATURE = 0.1
RATE = 2e-3


class _Steps(IterableDataset):  # type: ignore[type-arg]
    """Steps of NAMES × EACH drawings, of different families where there are."""

    def __init__(self, drawings: Drawings, seed: int) -> None:
        self._drawings, self._seed = drawings, seed
        self._by_name: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, (name, family) in enumerate(zip(drawings.names, drawings.families, strict=True)):
            if family not in HELD_OUT and not is_held_out(name):
                self._by_name[name][family].append(number)
        self._names = [name for name, families in self._by_name.items() if len(families) >= 2]

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        info = get_worker_info()
        rng = np.random.default_rng([self._seed, info.id if info else 0])
        while True:
            chosen = rng.choice(self._names, NAMES, replace=False)
            pictures = []
            for name in chosen:
                families = list(self._by_name[name])
                for family in rng.choice(families, EACH, replace=len(families) < EACH):
                    pictures.append(seen(self._drawings.pixels[rng.choice(self._by_name[name][family])], rng))
            yield torch.from_numpy(np.stack(pictures)), torch.arange(NAMES).repeat_interleave(EACH)


def contrast(vectors: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The supervised contrastive loss of one step."""
    alike = vectors @ vectors.T / TEMPERATURE
    itself = torch.eye(len(labels), dtype=torch.bool)
    alike = alike.masked_fill(itself, -1e9)
    same = (labels[:, None] == labels[None, :]) & ~itself
    log_share = alike - torch.logsumexp(alike, dim=1, keepdim=True)
    return -(log_share * same).sum(1).div(same.sum(1)).mean()


def train(drawings: Drawings, *, steps: int, seed: int = 7, workers: int = 2) -> Network:
    """A network after so many steps; prints the loss now and then."""
    torch.manual_seed(seed)
    network = Network()
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-4)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=steps, pct_start=0.1)
    started, losses = time.monotonic(), []
    loader = DataLoader(_Steps(drawings, seed), batch_size=None, num_workers=workers, prefetch_factor=4)
    for step, (pictures, labels) in enumerate(loader, 1):
        loss = contrast(network(pictures), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rates.step()
        losses.append(float(loss))
        if step % 50 == 0:
            print(
                f"step {step} of {steps}: loss {np.mean(losses[-50:]):.3f} after {time.monotonic() - started:.0f} s",
                flush=True,
            )
        if step >= steps:
            break
    return network.eval()
