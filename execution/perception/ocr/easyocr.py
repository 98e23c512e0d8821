"""EasyOCR with weights from a local folder; nothing is ever downloaded here (DESIGN 5.9)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np

from execution.perception.ocr.base import ReaderUnavailable, in_reading_order, within
from execution.types import Box, TextLine

DETECTOR_FILE = "craft_mlt_25k.pth"
RECOGNISER_FILE = "latin_g2.pth"


class EasyReader:
    """Reads with EasyOCR; `folder` holds its weights, `languages` are its codes."""

    name = "easyocr"

    def __init__(
        self,
        *,
        folder: str | Path | None = None,
        languages: tuple[str, ...] = ("en", "fr"),
        gpu: bool = False,
        least_confidence: float = 0.3,
    ) -> None:
        self._folder = Path(folder) if folder else None
        self._languages = languages
        self._gpu = gpu
        self._least = least_confidence
        self._reader: Any = None
        self._lock = threading.Lock()

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        """The lines inside `region` (default: all); raises ReaderUnavailable where the weights are missing."""
        part = within(region, pixels)
        if not part.area:
            return ()
        with self._lock:
            if self._reader is None:
                self._reader = self._open()
            found = self._reader.readtext(np.ascontiguousarray(pixels[part.y : part.bottom, part.x : part.right]))
        lines = [_line(corners, text, float(confidence), part) for corners, text, confidence in found if text.strip()]
        return in_reading_order(line for line in lines if line.confidence >= self._least)

    def _open(self) -> Any:
        missing = self._missing()
        if missing:
            where = f"in {self._folder}" if self._folder else "(no folder is configured)"
            raise ReaderUnavailable(
                f"The reader easyocr lacks its weights {', '.join(missing)} {where}; get them once with "
                "'manage.py fetchmodels', or choose the reader rapidocr, which brings its own."
            )
        try:
            import easyocr
        except ImportError as error:
            raise ReaderUnavailable(f"The reader easyocr is not installed ({error}): pip install easyocr.") from error
        return easyocr.Reader(
            list(self._languages),
            gpu=self._gpu,
            model_storage_directory=str(self._folder),
            user_network_directory=str(self._folder),
            download_enabled=False,
            verbose=False,
        )

    def _missing(self) -> list[str]:
        files = (DETECTOR_FILE, RECOGNISER_FILE)
        return [name for name in files if self._folder is None or not (self._folder / name).is_file()]


def _line(corners: Any, text: str, confidence: float, part: Box) -> TextLine:
    """Its four corners as an upright box of the whole picture."""
    xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    left, top = int(min(xs)), int(min(ys))
    box = Box(part.x + left, part.y + top, round(max(xs)) - left, round(max(ys)) - top)
    return TextLine(text=" ".join(text.split()), box=box, confidence=confidence)
