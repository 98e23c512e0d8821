"""`make bench NAME=targeting`: the right place or no click on screens that drifted, beside other ways to find a target.

`python -m benchmarks.targeting` measures every pair of benchmarks.drift, prints each figure with its goal
and writes build/bench/targeting.json. Nothing here passes or fails. `--sample N` takes every Nth pair of a kind,
`--only KIND` one kind, `--ours-only` leaves the others out, `--half development` leaves the held out families alone,
and `--show FOLDER` draws what our own answers got wrong. `--whole` adds the bench of verifying and the trial.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import judging, verification
from benchmarks.airtest_peer import airtest
from benchmarks.drift import look
from benchmarks.drift.pairs import HALVES, KINDS, PARTS, Pair, Truth, Verdict, judge, load_all
from benchmarks.kept_answers import KeptAnswers
from benchmarks.perception import row
from benchmarks.readings import Read
from benchmarks.screens.corpus import ROOT, Screen
from benchmarks.targeting_methods import Answer, Method, Ours, Scene, likeness, peers, read_screens, scene
from benchmarks.timing import Row
from benchmarks.trial import measuring as trial
from execution.types import Size

OUTPUT = ROOT / "build" / "bench" / "targeting.json"
RUNS = 10  # of the trial
PROMISED = Size(1920, 1080)  # the screen that the times are promised for


REDRAWN = 0.5  # a target whose likeness is below was drawn anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One answer of one method to one pair."""

    pair: Pair
    method: str
    answer: Answer
    size: Size
    likeness: float | None = None  # of the taught target and the true one, whatever its size

    @property
    def verdict(self) -> Verdict:
        return judge(self.pair, self.answer.point)


def choose(pairs: Sequence[Pair], *, sample: int, half: str = "") -> list[Pair]:
    """Every `sample`th pair of each kind, of one half where it is named."""
    fitting = [pair for pair in pairs if half in ("", pair.half)]
    return [pair for kind in KINDS for pair in [p for p in fitting if p.kind == kind][::sample]]


def measure(
    pairs: Sequence[Pair], reads: dict[str, Read], methods: Sequence[Method], *, kept: bool = False
) -> list[Outcome]:
    """Every method on every pair; `kept` takes the answers of the others that there are, never our own."""
    outcomes, said, answers = [], time.perf_counter(), KeptAnswers()

    def asked(method: Method, on: Scene) -> Answer:
        return method.answer(on) if isinstance(method, Ours) else answers.ask(method, on, anew=not kept)

    for number, pair in enumerate(pairs):
        on = scene(pair, reads[pair.taught_on], reads[pair.seen_on])
        size, like = on.seen.frame.size, likeness(on)
        outcomes += [Outcome(pair=pair, method=m.name, answer=asked(m, on), size=size, likeness=like) for m in methods]
        if time.perf_counter() - said > 30:
            said = time.perf_counter()
            answers.save()
            print(f"  {number + 1} of {len(pairs)} pairs", flush=True)
    answers.save()
    return outcomes


def share(outcomes: Sequence[Outcome], verdict: Verdict = Verdict.RIGHT) -> float:
    """Per cent of the outcomes that are so; 0 of none."""
    return 100 * sum(one.verdict is verdict for one in outcomes) / max(1, len(outcomes))


def figures(outcomes: Sequence[Outcome], names: Sequence[str]) -> list[Row]:
    """The figures of all pairs, of the pages and of the programs; the first of `names` is ours."""
    rows = []
    for part in ("", *PARTS):
        within = [one for one in outcomes if part in ("", one.pair.part)]
        if within:
            rows += _figures({name: [o for o in within if o.method == name] for name in names}, part and f", {part}")
    return rows


def _figures(by_name: dict[str, list[Outcome]], note: str) -> list[Row]:
    mine = next(iter(by_name.values()))
    counts = f"{len(_here(mine))} to be found, {len(_not_here(mine))} not"
    rows = [row(f"pairs{note}", len(mine), peers=counts)]
    for figure, among, of, unit, goal, most in FIGURES:
        if among(mine):
            others = [(name, of(among(theirs))) for name, theirs in list(by_name.items())[1:]]
            peers = ", ".join(f"{name} {value:.1f}" for name, value in others)
            rows.append(row(figure + note, of(among(mine)), unit, goal=goal, most=most, peers=peers))
    return rows


def _here(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.pair.truth is Truth.HERE]


def _not_here(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.pair.truth is not Truth.HERE]


def _of(*kinds: str) -> Callable[[Sequence[Outcome]], list[Outcome]]:
    return lambda outcomes: [o for o in outcomes if o.pair.kind in kinds]


MOVED = _of("moved", "resized", "scale")


def _without_window(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in _here(outcomes) if not o.pair.window]


def _redrawn(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in _here(_of("theme", "icons")(outcomes)) if o.likeness is not None and o.likeness < REDRAWN]


def _variable(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.pair.variables]


def _promised(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.size == PROMISED]


def _wrong(outcomes: Sequence[Outcome]) -> float:
    return share(outcomes, Verdict.WRONG)


def _time(percentile: float) -> Callable[[Sequence[Outcome]], float]:
    return lambda outcomes: float(np.percentile([o.answer.ms for o in outcomes], percentile))


# The figure, the outcomes it is of, what it says of them, its unit and goal, and whether the goal is the most.
FIGURES: tuple[tuple[str, Callable[..., list[Outcome]], Callable[..., float], str, float, bool], ...] = (
    ("found right, target still there", _here, share, "%", 97, False),
    ("found right, without window information", _without_window, share, "%", 96, False),
    ("found right, redrawn", _redrawn, share, "%", 85, False),
    (
        "found right, moved, resized or scaled",
        lambda o: _here(_of("moved", "resized", "scale")(o)),
        share,
        "%",
        99,
        False,
    ),
    ("wrong place clicked, of all pairs", list, _wrong, "%", 0.2, True),
    ("found right, known by a variable", lambda o: _here(_variable(o)), share, "%", 95, False),
    ("wrong place clicked, known by a variable", _variable, _wrong, "%", 0.5, True),
    ("known by a variable, value absent: said so", lambda o: _not_here(_variable(o)), share, "%", 99.5, False),
    ("target gone, covered or ambiguous: said so", _not_here, share, "%", 99.5, False),
    ("covered or erased: said so", lambda o: _not_here(_of("covered", "painted")(o)), share, "%", 98, False),
    ("resolve, 1920×1080, median", _promised, _time(50), "ms", 40, True),
    ("resolve, 1920×1080, p95", _promised, _time(95), "ms", 250, True),
)


def table(outcomes: Sequence[Outcome], names: Sequence[str]) -> list[str]:
    """Lines: for each kind of change, right and wrong of each method in per cent of the pairs of that kind."""
    lines = [f"{'right/wrong, % of the kind':<28}" + "".join(f"{name:>16}" for name in names)]
    for kind in KINDS:
        within = [o for o in outcomes if o.pair.kind == kind]
        if not within:
            continue
        cells = []
        for name in names:
            own = [o for o in within if o.method == name]
            cells.append(f"{share(own):.0f}/{share(own, Verdict.WRONG):.0f}")
        count = sum(o.method == names[0] for o in within)
        lines.append(f"{kind:<20}{count:>6}  " + "".join(f"{cell:>16}" for cell in cells))
    return lines


def failures(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """What our own method got wrong, false clicks first."""
    own = [o for o in outcomes if o.method == Ours.name and o.verdict is not Verdict.RIGHT]
    return sorted(own, key=lambda o: o.verdict is not Verdict.WRONG)


def show(outcomes: Sequence[Outcome], screens: dict[str, Screen], folder: Path) -> None:
    """Draw each failure: what was taught, the screen, its truth and our answer."""
    for outcome in failures(outcomes):
        pair, answer = outcome.pair, outcome.answer
        taught, seen = screens[pair.taught_on], screens[pair.seen_on]
        picture = look.drawn(pair, taught, seen, point=answer.point, box=answer.box, message=answer.said)
        look.write(picture, folder / f"{outcome.verdict}-{pair.kind.replace(' ', '-')}-{pair.name}.png")


def written(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> None:
    """Figures and every answer, for reading later."""
    answers = [
        {
            "pair": o.pair.name, "part": o.pair.part, "kind": o.pair.kind, "half": o.pair.half, "method": o.method,
            "truth": o.pair.truth, "verdict": o.verdict, "ms": round(o.answer.ms, 1), "said": o.answer.said,
        }
        for o in outcomes
    ]  # fmt: skip
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps({"rows": list(rows), "answers": answers}, indent=1, ensure_ascii=False))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.targeting", description=__doc__)
    parser.add_argument("--sample", type=int, default=1, help="every Nth pair of each kind")
    parser.add_argument("--only", action="append", choices=KINDS, help="these kinds alone")
    parser.add_argument("--half", choices=HALVES, default="", help="these families alone")
    parser.add_argument("--ours-only", action="store_true", help="leave the other ways out")
    parser.add_argument("--kept", action="store_true", help="take the readings and the others' answers there are")
    parser.add_argument("--show", type=Path, metavar="FOLDER", help="draw our failures there")
    parser.add_argument("--whole", action="store_true", help="verifying and the trial of 25 actions too")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    print(f"{platform.node()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    screens, every = load_all(kinds=options.only or KINDS)
    pairs = choose(every, sample=options.sample, half=options.half)
    reads = read_screens(pairs, screens, kept=options.kept)
    with ExitStack() as stack:
        methods: list[Method] = [Ours(lambda pair: judging.unseen(judging.DRIFT, pair.family))]
        if not options.ours_only:
            methods += [*peers(), stack.enter_context(airtest())]
        outcomes = measure(pairs, reads, methods, kept=options.kept)
    names = [method.name for method in methods]
    rows = figures(outcomes, names)
    if options.whole:
        rows += [*verification.measure(kept=options.kept), *trial.measure(RUNS)]
    for one in rows:
        goal = "" if one["goal"] is None else f"goal {one['goal']:g}, {'met' if one['met'] else 'NOT met'}"
        print(f"{one['figure']:<66}{one['value']:>10} {one['unit']:<3} {goal:<22} {one['peers']}")
    print("\n".join(["", *table(outcomes, names), ""]))
    for outcome in failures(outcomes):
        print(f"{outcome.verdict} {outcome.pair.kind}: {outcome.pair.name}: {outcome.answer.said[:150]}")
    if options.show:
        show(outcomes, screens, options.show)
    written(rows, outcomes)
    print(f"written to {OUTPUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
