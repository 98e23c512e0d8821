"""How often a person is asked while an application changes its look: `python -m benchmarks.coached [RUNS]`.

A series of automatic runs on a real page; whoever coaches answers what is asked, rightly, and nothing else. What was
done on the page is judged by the page. Prints a line a run, and draws `docs/learning.svg`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.timing import ROOT
from tests.e2e.coached_runs import CLOSES, CONFIRMS, Coached, coached_installation, declare, learned, tried
from tests.e2e.patients_page import PATIENTS
from tests.e2e.visits_page import NOTICE, Look

DRAWN = ROOT / "docs" / "learning.svg"
TAUGHT = Look()
DARK = replace(TAUGHT, dark=True)
RENAMED = replace(DARK, mark="Sign it off")
TURNED = replace(RENAMED, turned=True)
NOTED = replace(TURNED, notice=True)
AGAIN = replace(TAUGHT, mark="Close the visit")
# What changes with a run, by its number; the look stays until the next change.
CHANGES: dict[int, tuple[Look, str]] = {
    1: (TAUGHT, "as taught"),
    2: (DARK, "dark"),
    4: (RENAMED, "button renamed"),
    8: (TURNED, "list turned round"),
    9: (NOTED, "dialog over it"),
    11: (AGAIN, "renamed again, light"),
    15: (RENAMED, "the name before, dark"),
    16: (replace(AGAIN, notice=True), "dialog, light"),
    17: (TAUGHT, "as taught"),
    18: (replace(AGAIN, turned=True), "turned round, light"),
    19: (NOTED, "all at once"),
    20: (DARK, "dark"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One run, what had changed with it, and what of the stored pictures was answered wrongly after it."""

    number: int
    change: str
    run: Coached
    tried_on: int
    broken: int


def series(runs: int) -> Iterator[Line]:
    look = TAUGHT
    with TemporaryDirectory() as folder, coached_installation(Path(folder)) as coach:
        for number in range(1, runs + 1):
            look, change = CHANGES.get(number, (look, ""))
            found = coach.run(PATIENTS[number % len(PATIENTS)], look)
            if CLOSES in found.asked:
                declare(coach.one, "New", NOTICE, "Got it")
            tried(coach.one)
            kept = learned(coach.one)
            yield Line(number, change, found, max((on for *_, on, _ in kept), default=0), sum(len(b) for *_, b in kept))


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    lines: list[Line] = []
    print(f"{'run':>4}  {'asked':5}  {'wrong':5}  {'tried on':8}  {'broken':6}  {'s':>5}  what changed, what was asked")
    for line in series(runs):
        lines.append(line)
        told = ", ".join([line.change, *line.run.asked]).strip(", ")
        figures = f"{len(line.run.asked):5}  {len(line.run.wrong):5}  {line.tried_on:8}  {line.broken:6}"
        print(f"{line.number:4}  {figures}  {line.run.seconds:5.1f}  {told}", flush=True)
    wrong, ended = sum(len(line.run.wrong) for line in lines), sum(line.run.state == "completed" for line in lines)
    asked = [len(line.run.asked) for line in lines]
    print(f"{ended} of {runs} came to their end; {sum(asked)} questions; {wrong} wrong acts", end="")
    print(f"; {sum(line.broken for line in lines)} stored answers broken")
    if runs == max(CHANGES):
        DRAWN.write_text(drawn(lines))
        print(f"drawn: {DRAWN.relative_to(ROOT)}")
    return 0 if wrong == 0 and ended == runs else 1


# --- drawn -----------------------------------------------------------------------------------------------------------
WIDE, HIGH, LEFT, BASE, UNIT = 860, 340, 46, 210, 48  # UNIT: of one question
CSS = """
  text { font: 12px "DejaVu Sans", sans-serif; fill: #1f2933 } .axis { stroke: #9aa5b1; stroke-width: 1 }
  .shown { fill: #b45309 } .confirmed { fill: #f2c078 } .change { stroke: #9aa5b1; stroke-dasharray: 3 3 }
  .small { font-size: 11px; fill: #52606d } rect.ground { fill: #fff }
"""


def drawn(lines: Sequence[Line]) -> str:
    """Questions a run as bars: what a person had to say, and what they were asked to confirm."""
    step = (WIDE - LEFT - 14) / len(lines)
    parts = [f'<line class="axis" x1="{LEFT}" y1="{BASE}" x2="{WIDE - 10}" y2="{BASE}"/>']
    for n in (1, 2):
        parts.append(f'<text class="small" x="{LEFT - 8}" y="{BASE - n * UNIT + 4}" text-anchor="end">{n}</text>')
        y = BASE - n * UNIT
        parts.append(f'<line class="axis" opacity=".4" x1="{LEFT}" y1="{y}" x2="{WIDE - 10}" y2="{y}"/>')
    for number, line in enumerate(lines):
        x, top = LEFT + number * step, BASE
        confirmed = line.run.asked.count(CONFIRMS)
        for css, n in (("shown", len(line.run.asked) - confirmed), ("confirmed", confirmed)):
            if n:
                top -= n * UNIT
                parts.append(
                    f'<rect class="{css}" x="{x + 5:.1f}" y="{top}" width="{step - 10:.1f}" height="{n * UNIT}"/>'
                )
        parts.append(f'<text x="{x + step / 2:.1f}" y="{BASE + 16}" text-anchor="middle">{line.number}</text>')
        if line.change:
            parts.append(f'<line class="change" x1="{x:.1f}" y1="{BASE}" x2="{x:.1f}" y2="{BASE + 26}"/>')
            turned = f'transform="rotate(35 {x + step / 2:.1f} {BASE + 32})"'
            parts.append(f'<text class="small" x="{x + step / 2:.1f}" y="{BASE + 32}" {turned}>{line.change}</text>')
    wrong, broken = sum(len(line.run.wrong) for line in lines), sum(line.broken for line in lines)
    said = (
        f"Questions asked in each of {len(lines)} automatic runs. Wrong acts: {wrong}. Stored answers broken: {broken}."
    )
    key = (
        f'<rect class="shown" x="{LEFT}" y="40" width="12" height="12"/>'
        f'<text x="{LEFT + 18}" y="50">said or shown</text>'
        f'<rect class="confirmed" x="{LEFT + 130}" y="40" width="12" height="12"/>'
        f'<text x="{LEFT + 148}" y="50">confirmed: what was shown is on trial</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img"><title>{said}</title>'
        f'<style>{CSS}</style><rect class="ground" width="{WIDE}" height="{HIGH}"/>'
        f'<text x="{LEFT}" y="24">{said}</text>{key}{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    sys.exit(main())
