"""How much of screens that nobody here drew is found again, and how often wrongly.

    python -m benchmarks foreign needles|miniwob|screens [--sample N] [--folder DIR] [--out FILE]

They are taught as the teach page would keep them and looked for as a run does, each by a judge that was fitted without
its family where python -m benchmarks.judging left some. The sets are no part of the repository;
what is read of their pictures is kept under build/ until the eyes change. With --out the answers at the least level are
written as JSON lines for the scorer that lies beside the sets, those of a second way of teaching in a file beside it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.foreign import miniwob, needles, screens
from benchmarks.foreign.scoring import Outcome, table
from benchmarks.foreign.seen import Seen
from benchmarks.judging import has_folds
from benchmarks.timing import ROOT, figures

SETS = {"needles": needles, "miniwob": miniwob, "screens": screens}
FOLDER = ROOT.parent / "shared" / "foreign"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks foreign", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--sample", type=int, metavar="N", help="so many cases, always the same ones")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="what holds needles/, miniwob/ and screens/")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the answers are written")
    asked = parser.parse_args()
    needed = {asked.set, "needles"} if asked.set == "screens" else {asked.set}  # which share their pictures
    if missing := sorted(name for name in needed if not (asked.folder / name).is_dir()):
        parser.error(
            f"{asked.folder} holds no {' and no '.join(missing)}: the sets are kept outside of the repository; "
            "say with --folder where they lie"
        )
    if asked.set != "screens" and not has_folds():
        print("Judged by the product's fit, which knows these sets (python -m benchmarks.judging leaves others).")
    figure = "match" if asked.set == "screens" else "resolve"
    ways = SETS[asked.set].answers(asked.folder, Seen(asked.folder), asked.sample)
    for number, (way, answers) in enumerate(ways.items()):
        outcomes = list(answers)
        print(f"\n{table(outcomes, f'{asked.set}, {way}')}\n{_times(figure, outcomes)}", flush=True)
        if asked.out:
            stem = f"{asked.out.stem}-{way.replace(' ', '-')}" if number else asked.out.stem
            _write(outcomes, asked.out.with_stem(stem))


def _times(figure: str, outcomes: Sequence[Outcome]) -> str:
    if not (taken := [outcome.ms for outcome in outcomes if outcome.ms is not None]):
        return "nothing was looked for"
    return "; ".join(f"{row['figure']} {row['value']:.0f} ms" for row in figures(figure, taken))


def _write(outcomes: Sequence[Outcome], file: Path) -> None:
    file.write_text("".join(json.dumps(outcome.answer, ensure_ascii=False) + "\n" for outcome in outcomes))
    print(f"written to {file}")


if __name__ == "__main__":
    main()
