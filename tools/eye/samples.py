"""Drawings as they come off a screen: any size, colour and ground, in a button or bare, shifted, blurred, coded."""

from __future__ import annotations

import cv2
import numpy as np

from execution.perception.eye.ink import SIDE, prepared
from tools.eye.drawings import DRAWN

_SIZES = (12, 14, 16, 16, 18, 20, 20, 22, 24, 24, 28, 32, 40, 48, 64)


def shown(drawing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A grey crop of one drawing, as a program could show it."""
    size = int(rng.choice(_SIZES))
    stretch = 1.0 + rng.normal(0, 0.03)
    wide, high = max(8, round(size * stretch)), size
    inner = cv2.resize(_turned(drawing, rng), (wide, high), interpolation=cv2.INTER_AREA)
    brightness, cover = inner[..., 0].astype(np.float32), inner[..., 1].astype(np.float32) / 255
    ground = float(rng.choice([255, 250, 245, 240, 230, 200, 128, 60, 45, 40, 30, 20, 0, rng.integers(0, 256)]))
    if rng.random() < 0.6 or brightness[cover > 0.5].std() < 12:  # painted in one colour, as a program's theme says
        away = rng.uniform(60, 220)
        ink = (
            ground - away
            if ground - away >= 0 and (ground + away > 255 or rng.random() < 0.5)
            else min(255.0, ground + away)
        )
        tone = brightness - (brightness[cover > 0.5].mean() if (cover > 0.5).any() else 0)
        brightness = np.clip(ink + 0.5 * tone, 0, 255)
    margins = rng.integers(1, max(2, size // 2 + 2), size=4)
    top, bottom, left, right = (int(m) for m in margins)
    crop = np.full((high + top + bottom, wide + left + right), ground, np.float32)
    area = crop[top : top + high, left : left + wide]
    area[:] = area * (1 - cover) + brightness * cover
    if rng.random() < 0.25 and min(margins) >= 3:  # a button's frame
        line = float(np.clip(ground + rng.choice([-1, 1]) * rng.uniform(15, 120), 0, 255))
        cv2.rectangle(crop, (0, 0), (crop.shape[1] - 1, crop.shape[0] - 1), line, 1)
    if rng.random() < 0.3:
        crop = cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.3, 0.9))
    if rng.random() < 0.2:
        crop = crop + rng.normal(0, rng.uniform(1, 4), crop.shape)
    crop = np.clip(crop, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        _, coded = cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(40, 95))])
        crop = np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE))
    if rng.random() < 0.2:  # drawn for another resolution, or a remote desktop that scales
        factor = rng.uniform(0.75, 2.0)
        crop = cv2.resize(
            crop,
            None,
            fx=factor,
            fy=factor,
            interpolation=int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_AREA, cv2.INTER_CUBIC])),
        )
    return np.asarray(crop)


def seen(drawing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What the eye is given of it: float32 (2, SIDE, SIDE); what shows nothing is drawn again, larger."""
    for _ in range(4):
        ready = prepared(shown(drawing, rng))
        if ready is not None:
            return ready
    return np.zeros((2, SIDE, SIDE), np.float32)


def _turned(drawing: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A little thicker or thinner, a little off."""
    cover = drawing[..., 1]
    if rng.random() < 0.3:
        kernel = np.ones((2, 2) if rng.random() < 0.7 else (3, 3), np.uint8)
        cover = cv2.dilate(cover, kernel) if rng.random() < 0.6 else cv2.erode(cover, np.ones((2, 2), np.uint8))
        if cover.max() < 100:
            cover = drawing[..., 1]
    move = np.float32([[1, 0, rng.uniform(-1, 1)], [0, 1, rng.uniform(-1, 1)]])
    both = np.dstack([drawing[..., 0], cover])
    return np.asarray(cv2.warpAffine(both, move, (DRAWN, DRAWN), flags=cv2.INTER_LINEAR))
