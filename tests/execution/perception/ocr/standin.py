"""EasyOCR without its published weights: files in its format with random numbers, and an engine that sees ink."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np

from execution.perception.weights import checksum, easyocr_table, easyocr_weights
from execution.types import TextLine

LANGUAGES = ("en", "fr")


def make_weights(folder: Path) -> None:
    """Random weights of both networks, as EasyOCR keeps them. The detector is made to see text wherever it looks."""
    import torch
    from easyocr.craft import CRAFT
    from easyocr.model.vgg_model import Model

    torch.manual_seed(1)
    detector, recogniser = easyocr_weights(LANGUAGES)
    craft = CRAFT()
    last = craft.conv_cls[-1]
    last.weight.data *= 1e-3
    last.bias.data[:] = torch.tensor([0.9, 0.1])  # text everywhere, no links
    characters = easyocr_table().recognition_models["gen2"]["latin_g2"]["characters"]
    network = Model(input_channel=1, output_channel=256, hidden_size=256, num_class=len(characters) + 1)
    for path, module in ((folder / detector.filename, craft), (folder / recogniser.filename, network)):
        torch.save(OrderedDict((f"module.{key}", value) for key, value in module.state_dict().items()), path)


def publish(folder: Path, patch: Any) -> None:
    """Put the checksums of the files in `folder` where those of the published ones stand."""
    import easyocr.config

    sums = {path.name: checksum(path, "md5") for path in folder.glob("*.pth")}
    for table in (easyocr_table(), easyocr.config):
        for row in rows(table):
            if row["filename"] in sums:
                patch.setitem(row, "md5sum", sums[row["filename"]])


def rows(table: ModuleType) -> Iterable[dict[str, Any]]:
    yield from table.detection_models.values()
    for generation in table.recognition_models.values():
        yield from generation.values()


class InkReader:
    """Stands for `easyocr.Reader`: finds lines of ink, and knows what they say by how wide they are."""

    def __init__(self, truth: Iterable[TextLine]) -> None:
        self.said = {(line.box.w, line.box.h): line.text for line in truth}

    def readtext(self, pixels: np.ndarray, **options: Any) -> list[tuple[Any, str, float]]:
        assert pixels.flags.c_contiguous
        grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
        ink = (cv2.absdiff(grey, np.full_like(grey, np.median(grey))) > 30).astype(np.uint8)
        joined = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((9, 25), np.uint8))
        count, labels, _, _ = cv2.connectedComponentsWithStats(joined)
        found = []
        for index in range(count - 1, 0, -1):  # from the bottom: the order is the reader's business
            ys, xs = np.nonzero(ink * (labels == index))
            left, top, right, bottom = xs.min() - 1, ys.min() - 1, xs.max() + 2, ys.max() + 2
            corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
            found.append((corners, self._text(right - left, bottom - top), np.float64(0.9)))
        return found

    def _text(self, width: int, height: int) -> str:
        nearest = min(self.said, key=lambda size: 4 * abs(size[0] - width) + abs(size[1] - height))
        return self.said[nearest]
