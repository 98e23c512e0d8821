"""How long the picture store takes: 200 screens put, put again and got, the median of each in milliseconds.

`python -m benchmarks.pictures` measures the default, a folder; with RPA_PICTURES_URL the store that it names.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable

PICTURES, WIDTH, HEIGHT, ROUNDS = 200, 1280, 720, 3


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="surehand-bench-") as folder:
        os.environ |= {
            "RPA_DATA_DIR": folder, "RPA_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "rpa_site.settings",
        }  # fmt: skip
        import django

        django.setup()
        import numpy as np

        from workflows.pictures import PictureStore

        random = np.random.default_rng(7)
        ground = np.full((HEIGHT, WIDTH, 3), 240, np.uint8)
        for _n in range(60):  # what a screen has: areas of one colour, and some that are like a photograph
            x, y = int(random.integers(0, WIDTH - 200)), int(random.integers(0, HEIGHT - 80))
            ground[y : y + 60, x : x + 180] = random.integers(0, 255, 3)
        ground[40:240, 900:1200] = random.integers(0, 255, (200, 300, 3))
        for turn in range(ROUNDS):
            store, digests = PictureStore(), list[str]()

            def put(number: int, turn: int = turn) -> None:
                pixels = ground.copy()
                pixels[0, 0] = (turn, number // 256, number % 256)
                digests.append(store.put(pixels))  # noqa: B023  called before the next turn

            first = _median(put)
            again = _median(put)
            got = _median(lambda number: store.get(digests[number]))  # noqa: B023
            sys.stdout.write(f"put {first:.2f} ms, put again {again:.2f} ms, got {got:.2f} ms\n")
    return 0


def _median(work: Callable[[int], object]) -> float:
    took = []
    for number in range(PICTURES):
        began = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)


if __name__ == "__main__":
    raise SystemExit(main())
