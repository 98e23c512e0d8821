"""Many robots on PostgreSQL and Redis: `python -m benchmarks.crowd {troubles,lots,costs} [--runs N] [--robots N]`.

`troubles`: what becomes of all runs while everything is killed or restarted once. `lots`: the same of one list's rows,
and how long its pages take. `costs`: what each robot costs. All need servers that tools/setup.sh all installs, and
memory: a run loop takes some 150 MB.
"""

from __future__ import annotations

import argparse

from benchmarks.crowd.costs import STEPS, costs
from benchmarks.crowd.house import house
from benchmarks.crowd.lots import worked_off
from benchmarks.crowd.troubles import troubled
from benchmarks.timing import ROOT, show

OUTPUT = ROOT / "build" / "bench"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("troubles", "lots", "costs"))
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--rows", type=int, default=10_000, help="of the list")
    parser.add_argument("--minutes", type=float, default=180, help="until the list is paused")
    parser.add_argument(
        "--steps", type=int, nargs="*", default=STEPS, help="how many robots are at work before all are"
    )
    told = parser.parse_args()
    with house() as lived_in:
        if told.what == "troubles":
            account = troubled(lived_in, runs=told.runs, robots=told.robots)
            print(account.told())
            account.keep(OUTPUT / "many-troubles.json")
        elif told.what == "lots":
            story = worked_off(lived_in, rows=told.rows, robots=told.robots, minutes=told.minutes)
            print(story.told())
            story.keep(OUTPUT / "many-lots.json")
        else:
            show(costs(lived_in, told.robots, steps=told.steps), OUTPUT / "many-costs.json")


if __name__ == "__main__":
    main()
