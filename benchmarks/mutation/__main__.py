"""`python -m benchmarks.mutation [PART OF A MODULE'S PATH ...] [--every N]`: how many mutants the tests notice.

`--safety N` takes N mutants by lot from what keeps the robot from doing what it should not, always the same ones;
`--lot` is another draw. Prints each survivor as the line that may be changed without any test going red, then a line
for each module and one for all. Exits with 1 where fewer than nine in ten of a module, or of a lot, were killed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.mutation.breaking import Mutant
from benchmarks.mutation.modules import MODULES, SAFETY
from benchmarks.mutation.mutants import mutants_of
from benchmarks.mutation.session import Findings, judge

ENOUGH = 0.9
LOT = 29

Mutants = Mapping[str, Sequence[Mutant]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="only modules whose path holds one of these")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant: a quick look")
    parser.add_argument("--safety", type=int, metavar="N", help="N mutants of the safety core, by lot")
    parser.add_argument("--lot", type=int, default=LOT, help="the seed by which they are drawn")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many groups of modules side by side")
    options = parser.parse_args()
    tests = SAFETY if options.safety else MODULES
    chosen = [path for path in tests if not options.parts or any(part in path for part in options.parts)]
    mutants: Mutants = {path: mutants_of(Path(path).read_text(encoding="utf-8"))[:: options.every] for path in chosen}
    if options.safety:
        mutants = drawn(mutants, options.safety, options.lot)
    found = judged(mutants, tests, workers=options.workers)
    killed, of = sum(one.killed_in_all for one in found), sum(one.judged for one in found)
    print(f"{killed} of {of} killed" + (f", lot {options.lot}" if options.safety else ""))
    shares = [killed / of if of else 1.0] if options.safety else [one.share for one in found]
    return int(min(shares, default=1.0) < ENOUGH)


def drawn(mutants: Mutants, number: int, lot: int) -> Mutants:
    every = [(path, index) for path, found in mutants.items() for index in range(len(found))]
    taken = sorted(random.Random(lot).sample(every, number))
    return {path: [mutants[path][index] for other, index in taken if other == path] for path in mutants}


def judged(mutants: Mutants, tests: Mapping[str, Sequence[str]], *, workers: int | None) -> list[Findings]:
    """Of each module with mutants; modules with the same tests share a process and a database of their own."""
    groups = defaultdict[tuple[str, ...], dict[str, Sequence[Mutant]]](dict)
    for path, found in mutants.items():
        if found:
            groups[tuple(tests[path])][path] = found
    findings = list[Findings]()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for of_group in pool.map(judge, groups.values(), groups):
            for path, one in of_group.items():
                _report(path, one)
                findings.append(one)
    return findings


def _report(path: str, findings: Findings) -> None:
    for mutant in findings.alive:
        untested = "  (no test comes by)" if mutant in findings.not_run else ""
        print(f"{path}:{mutant.line}: {mutant.operator}{untested}\n    - {mutant.before}\n    + {mutant.after}")
    print(
        f"{path}: {findings.killed_in_all} of {findings.judged} killed, {findings.share:.1%} "
        f"({findings.timed_out} by time, {findings.unbreakable} could not be put in place, {findings.seconds:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
