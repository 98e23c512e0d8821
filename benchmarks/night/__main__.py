"""A night of two robots on one list, with everything that goes wrong: `python -m benchmarks.night [--rows N]`.

The record program's own database is the judge. The exit status tells whether anything was wrong, twice or lost.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.night.house import House

ROOT = Path(__file__).resolve().parents[2]
ROW_S = 40.0  # so long may a row take before the night is given up


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--program", choices=("tk", "web"), default="tk")
    parser.add_argument("--robots", type=int, default=2)
    parser.add_argument("--kills", type=int, default=5, help="of run loops")
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench" / "night")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="night-settings-") as name:
        os.environ |= {"RPA_DATA_DIR": name, "RPA_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "rpa_site.settings"}
        import django

        django.setup()
        sys.exit(not _night(asked))


def _night(asked: argparse.Namespace) -> bool:
    from benchmarks.night.house import house
    from benchmarks.night.judging import judged
    from benchmarks.night.rows import drawn
    from benchmarks.night.troubles import worked_off
    from tests.support.display import wait_until

    night = drawn(asked.rows, seed=asked.seed)
    folder = Path(tempfile.mkdtemp(prefix="night-", dir=asked.out))
    with house(folder, robots=asked.robots, program=asked.program) as one:
        one.teach(asked.program)
        begins = one.plan(night)
        one.keep_alive()
        print(f"{len(night.lines)} rows, from {begins:%H:%M} on, in {folder}", flush=True)
        wait_until(lambda: one.state()[0] == "running", timeout=300, what="the start")
        began = time.monotonic()
        course = worked_off(one, seed=asked.seed, kills=asked.kills, timeout_s=600 + ROW_S * len(night.good))
        took = time.monotonic() - began
        _until_told(one)
        morning = judged(one, night)
        load = os.getloadavg()
    told = {"took_s": round(took), "load": load, "stood": course.stood, "kills": course.kills}
    print(morning.told())
    print("\n".join(f"{name:<16}{value}" for name, value in told.items()))
    kept = {**{name: getattr(morning, name) for name in morning.__slots__}, **told, "course": course.told}
    (asked.out / "night.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False, default=str))
    return morning.is_good


def _until_told(one: House) -> None:
    """The worker looks at the clock four times a minute: files are written and messages sent at the next looks."""
    from tests.support.display import DisplayProblem, wait_until

    sent = "SELECT 1 FROM execution_noticemessage WHERE state != 'delivered'"
    try:
        wait_until(lambda: list((one.one.data / "out").rglob("*.xlsx")), timeout=90, what="the file of results")
        wait_until(lambda: any(b"list.finished" in body for _h, body in one.caught.requests), timeout=90, what="news")
        wait_until(lambda: not one.one.rows(sent), timeout=90, what="the last message")
    except DisplayProblem as late:
        print(late)


if __name__ == "__main__":
    main()
