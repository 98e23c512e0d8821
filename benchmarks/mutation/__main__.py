"""`python -m benchmarks.mutation [PART OF A MODULE'S PATH ...] [--every N]`: how many mutants the tests notice.

`--safety N` takes N mutants by lot, always the same, from what keeps the robot from doing what it should not.
Prints each survivor as the line that may be changed without any test going red, and a table at the end. Exits with 1
where fewer than nine in ten were killed.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.mutation.mutants import mutants_of
from benchmarks.mutation.session import Findings, judge

# Which tests speak for which module: its own, and those of what is built right on it.
DEATHS = [  # the quick ones, without processes of their own
    f"tests/execution/running/test_deadly_runs.py::{name}"
    for name in (
        "test_a_step_in_between_is_progress",
        "test_closing_what_was_never_done_is_no_progress",
        "test_whoever_lets_go_has_not_died",
    )
]
MODULES = {
    **{
        f"execution/record/{name}.py": [
            "tests/execution/record/test_journal.py",
            "tests/execution/record/test_journal_kept.py",
            "tests/execution/record/test_step_times.py",
            "tests/execution/record/test_statistics.py",
            "tests/execution/record/test_secret_values.py",
        ]
        for name in ("fence", "steps", "questions", "moves", "journal")
    },
    "execution/record/claims.py": ["tests/execution/record/test_claims.py", *DEATHS],
    "execution/actions/control.py": [
        "tests/execution/actions/test_control.py",
        "tests/execution/targeting/test_pressing.py",
    ],
    "execution/actions/decide.py": ["tests/execution/actions/test_decide.py"],
    "execution/actions/hold.py": ["tests/execution/actions/test_hold.py"],
    "execution/models/execution.py": [
        "tests/execution/models/test_moves.py",
        "tests/execution/models/test_execution_rows.py",
        "tests/execution/record/test_clocks.py",
    ],
    "execution/turn/performing.py": ["tests/execution/turn/test_performing.py"],
    "execution/turn/readiness.py": ["tests/execution/turn/test_readiness.py"],
    "execution/turn/repeating.py": ["tests/execution/turn/test_repeating.py"],
    "workflows/catalogue.py": [
        "tests/workflows/test_catalogue.py",
        "tests/execution/turn/test_defaults.py",
        "tests/execution/turn/test_repeating.py",
    ],
    **{
        f"workflows/validation/{name}.py": ["tests/workflows/test_validation.py"]
        for name in ("__init__", "actions", "dialogs", "pictures", "problem", "screens", "structure", "variables")
    },
    "workflows/vault.py": ["tests/workflows/test_vault.py"],
    "rpa_site/roles.py": ["tests/rpa_site/test_roles.py"],
}
# What keeps the robot from acting where, when or for whom it should not, and tests of the gate that come by there.
_ROUTES = "tests/test_routes.py"
_LOOKS = [f"tests/execution/turn/test_{name}.py" for name in ("readiness", "repeating", "performing", "loop_checks")]
_RECORD = [f"tests/execution/record/test_{name}.py" for name in ("claims", "journal", "journal_kept", "patience")]
_ANSWERS = [f"tests/execution/{name}.py" for name in ("actions/test_decide", "actions/test_hold")]
SAFETY = {
    "execution/targeting/vetoes.py": ["tests/execution/targeting"],
    "execution/turn/readiness.py": _LOOKS,
    "execution/turn/repeating.py": _LOOKS,
    "execution/verification/identity.py": ["tests/execution/verification", *_LOOKS],
    "execution/verification/verifier.py": ["tests/execution/verification"],
    "execution/record/fence.py": [*_RECORD, *DEATHS],
    "execution/record/claims.py": [*_RECORD, *DEATHS],
    "execution/actions/decide.py": [
        *_ANSWERS,
        "tests/execution/api/test_decide_api.py",
        "tests/execution/record/test_attribution.py",
    ],
    "execution/permissions.py": [_ROUTES, *_ANSWERS],
    "workflows/permissions.py": [_ROUTES],
    "rpa_site/roles.py": [_ROUTES, "tests/rpa_site/test_roles.py"],
}
ENOUGH = 0.9
LOT = 29  # the seed by which mutants of SAFETY are taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="only modules whose path holds one of these")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant: a quick look")
    parser.add_argument("--safety", type=int, metavar="N", help="N mutants of the safety core, by lot")
    parser.add_argument("--only", type=int, nargs="*", metavar="INDEX", help=argparse.SUPPRESS)
    options = parser.parse_args()
    modules = SAFETY if options.safety or options.only else MODULES
    chosen = [path for path in modules if not options.parts or any(part in path for part in options.parts)]
    mutants = {path: mutants_of(Path(path).read_text(encoding="utf-8")) for path in chosen}
    if options.safety:
        every = [(path, index) for path in chosen for index in range(len(mutants[path]))]
        taken = sorted(random.Random(LOT).sample(every, options.safety))
        indices = {path: [i for other, i in taken if other == path] for path in chosen}
    else:
        indices = {path: options.only or list(range(0, len(mutants[path]), options.every)) for path in chosen}
    if len(chosen) == 1:
        (path,) = chosen
        return _report(path, judge(Path(path), modules[path], [mutants[path][i] for i in indices[path]]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each in a process of its own, with a database of its own
        commands = [[path, "--only", *map(str, which)] for path, which in indices.items() if which]
        if not options.safety:
            commands = [[path, "--every", str(options.every)] for path in chosen]
        return max(pool.map(_alone, commands))


def _alone(arguments: list[str]) -> int:
    command = [sys.executable, "-m", "benchmarks.mutation", *arguments]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    print(ended.stdout + ended.stderr, end="", flush=True)
    return ended.returncode


def _report(path: str, findings: Findings) -> int:
    killed = findings.killed + findings.timed_out
    alive = [*findings.survivors, *findings.not_run]
    judged = killed + len(alive)
    for mutant in alive:
        untested = "  (no test comes by)" if mutant in findings.not_run else ""
        print(f"{path}:{mutant.line}: {mutant.operator}{untested}\n    - {mutant.before}\n    + {mutant.after}")
    share = killed / judged if judged else 1.0
    print(
        f"{path}: {killed} of {judged} killed, {share:.1%} ({findings.timed_out} by time, "
        f"{findings.unbreakable} could not be put in place, {findings.seconds:.0f} s)",
        flush=True,
    )
    return int(share < ENOUGH)


if __name__ == "__main__":
    sys.exit(main())
