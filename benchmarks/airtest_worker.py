"""Airtest with its own defaults, asked over stdin: it pins an old OpenCV, so it lives in a virtual environment alone.

One JSON line a question: the files `template` and `screen`, and the target's `middle` and the screen's `size` when it
was recorded, as Airtest's recorder keeps them. One JSON line an answer: the `point` or null, and the time in `ms`.
"""

from __future__ import annotations

import json
import logging
import sys
import time


def main() -> None:
    from airtest import aircv
    from airtest.core.cv import Predictor, Template

    logging.getLogger("airtest").setLevel(logging.ERROR)
    for line in sys.stdin:
        asked = json.loads(line)
        size = tuple(asked["size"])
        screen = aircv.imread(asked["screen"])
        template = Template(
            asked["template"], record_pos=Predictor.count_record_pos(asked["middle"], size), resolution=size
        )
        started = time.perf_counter()
        found = template.match_in(screen)
        took = (time.perf_counter() - started) * 1000
        print(json.dumps({"point": [round(part) for part in found] if found else None, "ms": took}), flush=True)


if __name__ == "__main__":
    main()
