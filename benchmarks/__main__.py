"""`python -m benchmarks NAME [OPTION ...]` runs one benchmark; without a name it lists them.

`make bench NAME=loop` does the same after setting up. Options go to the benchmark's last part; `--help` tells them.
What a benchmark needs besides the development set-up is installed first.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Benchmark(NamedTuple):
    """The modules it runs, in order, each with its options; `setup` is what tools/setup.sh is called with."""

    measures: str
    parts: tuple[str, ...]
    setup: str = "dev"


BENCHMARKS = {
    "acts": Benchmark("acts that should not have happened, on programs of others", ("programs",), "bench"),
    "analytics": Benchmark("pages of figures over ten million steps", ("figures",)),
    "coached": Benchmark("questions asked while an application changes its look", ("coached",)),
    "foreign": Benchmark("screens that nobody here drew, taught and found again", ("foreign",)),
    "gpu": Benchmark("the GPU manager's own cost", ("gpu",)),
    "layers": Benchmark("what lies on top, and which tab, step or entry it is", ("layers",)),
    "learning": Benchmark("how soon drift is told, and how often wrongly", ("sequential",)),
    "loop": Benchmark("what each stage of a step costs", ("loop",)),
    "lots": Benchmark("fifty robots on one list of ten thousand rows", ("crowd lots",), "all"),
    "many": Benchmark("fifty robots, three web processes, PostgreSQL, Redis", ("crowd troubles", "crowd costs"), "all"),
    "matching": Benchmark("which screen is it", ("matching",), "bench"),
    "memory": Benchmark("memory of a run loop over a thousand steps", ("memory",), "bench"),
    "mutation": Benchmark("how many mutants the tests notice", ("mutation",), "mutation"),
    "night": Benchmark("a night of two robots on one list, everything going wrong; the program judges", ("night",)),
    "pages": Benchmark("what a page costs over the wire", ("page_weight",)),
    "perception": Benchmark("reading and elements, beside other readers", ("screens", "perception"), "bench"),
    "pictures": Benchmark("the picture store", ("pictures",)),
    "replay": Benchmark("looking again at stored steps", ("replay",)),
    "stream": Benchmark("how fast and how faithful the stream is", ("stream",)),
    "targeting": Benchmark("right place or no click", ("drift", "judging", "targeting --whole"), "bench"),
    "teaching": Benchmark("how fast a lesson is", ("teaching",)),
    "trial": Benchmark("25 actions at 2560×1600, taught once", ("trial",), "bench"),
    "twins": Benchmark("equal things drawn at random, covered, gone, one more", ("twins",)),
    "verification": Benchmark("whether verifying is right", ("verification",)),
}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in BENCHMARKS:
        print("python -m benchmarks NAME [OPTION ...], where NAME is one of:\n")
        print("\n".join(f"  {name:<13} {one.measures}" for name, one in BENCHMARKS.items()))
        return 2 if arguments else 0
    chosen, options = BENCHMARKS[arguments[0]], arguments[1:]
    subprocess.run([ROOT / "tools/setup.sh", chosen.setup], cwd=ROOT, check=True)
    for part in chosen.parts:
        module, *fixed = part.split()
        command = [sys.executable, "-m", f"benchmarks.{module}", *fixed]
        if part == chosen.parts[-1]:
            command += options
        if status := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
