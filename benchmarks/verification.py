"""Whether `verify_after` is right: `python -m benchmarks.verification`, on real pages in Chromium.

Each scene is shown once, with other data, and `expectation_of` declares from that what must be seen. Then the action
is judged as the run loop does it: look after look, until the answer is yes or there are no more looks. Right is: done
and not told no, or not done and anything but yes; a yes at a look at which it was not done yet is wrong, even if it
comes to be. No screen is recognised, so that nothing but what is seen on it can speak for it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.acts.pictures import LOOKS, Seen, Shown, look_at
from benchmarks.acts.scene import Scene
from benchmarks.acts.scenes import SCENES
from benchmarks.screens.corpus import ROOT
from execution.types import Answer, Recognition
from workflows.graph import EdgeSpec

OUTPUT = ROOT / "build" / "bench" / "verification.json"
GOAL, GOAL_UNTOLD = 99.0, 10.0
NOWHERE = Recognition(match=None, why_not="nothing was taught")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One action: the screen before it, the screens after it, and whether it was done in the end."""

    scene: Scene
    look: int
    before: str
    after: tuple[str, ...]
    done: bool

    @property
    def name(self) -> str:
        return f"{self.scene.name} {self.look}: {self.before} > {' > '.join(self.after)}"

    def shown(self) -> list[Shown]:
        """Every picture it needs, those of the demonstration first."""
        taught = [Shown(scene=self.scene, state=s, look=self.look, taught=True) for s in ("before", self.taught)]
        return taught + [Shown(scene=self.scene, state=s, look=self.look) for s in (self.before, *self.after)]

    @property
    def taught(self) -> str:
        return self.scene.goal[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    case: Case
    answer: Answer
    right: bool
    message: str
    verify_ms: tuple[float, ...]
    declared: bool


def cases(sample: int | None = None) -> list[Case]:
    """All cases, or `sample` of them evenly spread."""
    every = [
        Case(scene=scene, look=look, before=before, after=after, done=done)
        for look in range(LOOKS)
        for scene in SCENES
        for before, after, done in scene.cases()
    ]
    if not sample or sample >= len(every):
        return every
    return [every[round(i * len(every) / sample)] for i in range(sample)]


def judge_all(wanted: Sequence[Case], *, kept: bool = False) -> list[Judged]:
    seen = look_at((one for case in wanted for one in case.shown()), kept=kept)
    return [judge(case, seen) for case in wanted]


def judge(case: Case, seen: Mapping[str, Seen]) -> Judged:
    from execution.verification.verifier import verify_after

    first, last, before, *after = (seen[one.name] for one in case.shown())
    edge = _edge(case.scene, first, last)
    times, answer, message = [], Answer.CANNOT_TELL, ""
    for index, (state, now) in enumerate(zip(case.after, after, strict=True)):
        told = verify_after(
            edge, before=before.state, after=now.state, recognition=NOWHERE, typed=before.page.typed,
            variables=before.page.variables, acted_at=before.target, between=[one.state for one in after[:index]],
        )  # fmt: skip
        times.append(told.verify_ms)
        answer, message = told.answer, told.message
        if answer is Answer.YES:
            right = case.scene.is_goal(state)
            break
    else:
        right = not case.done
    return Judged(
        case=case, answer=answer, right=right, message=message, verify_ms=tuple(times), declared=bool(edge.expect)
    )


def _edge(scene: Scene, first: Seen, last: Seen) -> EdgeSpec:
    """The edge as teaching makes it from the demonstration."""
    from execution.teaching.expectations import expectation_of

    before, expect = expectation_of(
        first.state, last.state, action_type=scene.action, typed=first.page.typed, variables=first.page.variables
    )
    return EdgeSpec(edge_id="e", source="a", destination="b", action_type=scene.action, before=before, expect=expect)


def measure(sample: int | None = None, *, kept: bool = False) -> list[Row]:
    """The figures of S5.2, on all cases or on `sample` of them; Django must be set up."""
    return rows(judge_all(cases(sample), kept=kept))


def rows(judged: Sequence[Judged]) -> list[Row]:
    done, undone = [j for j in judged if j.case.done], [j for j in judged if not j.case.done]
    false = [j for j in judged if j.answer is Answer.YES and not j.right]
    untold = [j for j in done if j.answer is Answer.CANNOT_TELL]
    wrong = [j for j in done if j.answer is Answer.NO]
    fit = len(judged) - len(false) - len(wrong)
    times = [t for j in judged for t in j.verify_ms]
    return [
        _row("verify_after right, of all it told", 100 * fit / len(judged), "%", GOAL, at_least=True),
        _row("done, and said yes", 100 * sum(j.right for j in done) / max(1, len(done)), "%", None),
        _row("done, and could not tell", 100 * len(untold) / max(1, len(done)), "%", GOAL_UNTOLD, at_least=False),
        _row("done, and said no", len(wrong), "", 0, at_least=False),
        _row("not done, and said yes (or yes too early)", len(false), "", 0, at_least=False),
        _row(
            "not done, and said no", 100 * sum(j.answer is Answer.NO for j in undone) / max(1, len(undone)), "%", None
        ),
        _row("verify_after, median", statistics.median(times), "ms", None),
        _row("cases", len(judged), "", None),
    ]


def _row(figure: str, value: float, unit: str, goal: float | None, *, at_least: bool = True) -> Row:
    met = None if goal is None else (value >= goal if at_least else value <= goal)
    return {"figure": figure, "value": round(value, 2), "unit": unit, "goal": goal, "met": met, "peers": ""}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verification", description=__doc__)
    parser.add_argument("--sample", type=int, help="so many cases, evenly spread")
    parser.add_argument("--scene", help="the cases of one scene")
    parser.add_argument("--list", action="store_true", help="every case that was not answered as hoped")
    parser.add_argument("--kept", action="store_true", help="take the readings that there are, of whatever code")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    judged = judge_all([c for c in cases(options.sample) if options.scene in (None, c.scene.name)], kept=options.kept)
    if options.list:
        _tell(judged)
    made = rows(judged)
    for row in made:
        goal = "" if row["goal"] is None else f"goal {row['goal']:g}, {'met' if row['met'] else 'NOT met'}"
        print(f"{row['figure']:<52}{row['value']:>9} {row['unit']:<3} {goal}")
    OUTPUT.parent.mkdir(parents=True, exist_ok=True)
    OUTPUT.write_text(json.dumps(made, indent=1, ensure_ascii=False))


def _tell(judged: Sequence[Judged]) -> None:
    for j in judged:
        if not j.right:
            said = "FALSE YES" if j.answer is Answer.YES else j.answer.value
            print(f"{said:<12}{j.case.name}\n{'':12}{j.message}")
    untold = Counter(j.case.scene.name for j in judged if j.case.done and j.answer is not Answer.YES)
    print("done and not said yes:", dict(untold))
    print("nothing declared:", sorted({f"{j.case.scene.name} {j.case.look}" for j in judged if not j.declared}))


if __name__ == "__main__":
    main()
