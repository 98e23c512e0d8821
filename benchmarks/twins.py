"""Equal things drawn at random: one is taught as a person says it, and today it is covered, gone, larger, one of more.

    python -m benchmarks twins [--cases 900] [--seed 30]

Each case is a list of rows with the same icon or button. What is right is known from the drawing: the place of the
taught one, or nothing where it cannot be seen or is there no more.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import django

from execution.targeting.resolver import TargetResolver
from execution.types import Box, Element, ElementRole, ResolveStatus, ScreenState
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

django.setup()  # what lessons make are rows

from execution.lesson.screens import Known  # noqa: E402
from execution.lesson.understanding import Answer, Understood, taught, understand  # noqa: E402

NAMES = (
    "Anna Rossi", "Bernard Petit", "Carla Mendes", "David Okafor", "Elena Fischer", "Farid Haddad", "Greta Olsen",
    "Hugo Lambert", "Ines Moreau", "Jonas Weber", "Karin Novak", "Leo Dubois",
)  # fmt: skip
CHANGES = ("same", "covered", "erased", "larger", "more", "fewer", "order", "moved", "another")
LEAST = {"0.75": EffectClass.READ, "0.90": EffectClass.OBSERVABLE, "0.95": EffectClass.OPAQUE}


@dataclass(frozen=True)
class Drawn:
    """A list as it is drawn: a name for each row, the row whose thing is special, and how."""

    rows: tuple[str, ...]
    kind: str  # icon or button
    pitch: int
    top: int
    left: int
    special: str = ""
    how: str = ""

    def draw(self) -> tuple[ScreenState, dict[str, Box]]:
        canvas, elements, places = Canvas(900, 700), list[Element](), dict[str, Box]()
        canvas.text("Patients of the ward", 40, 24, size=18)
        for number, name in enumerate(self.rows):
            y = self.top + self.pitch * number
            canvas.text(name, 60, y + 4)
            how = self.how if name == self.special else ""
            if how == "erased":
                continue
            box = self._thing(canvas, y, grown=4 if how == "larger" else 0)
            if how == "covered":
                canvas.draw.rectangle((box.x - 6, box.y - 6, box.right + 6, box.bottom + 6), fill=(70, 90, 120))
                canvas.lines = [line for line in canvas.lines if not box.contains(line.box.center)]
                continue
            places[name] = box
            role = ElementRole.ICON if self.kind == "icon" else ElementRole.BUTTON
            elements.append(Element(role=role, box=box))
        return canvas.state(elements=elements), places

    def _thing(self, canvas: Canvas, y: int, *, grown: int) -> Box:
        if self.kind == "icon":
            box = canvas.icon(self.left, y, seed=7)
            return box._replace(w=box.w + grown, h=box.h + grown)
        return canvas.button("Open", Box(self.left, y - 4, 80 + grown, 26 + grown))


@dataclass(frozen=True)
class Case:
    shown: Drawn
    today: Drawn
    of: str  # whose row was taught
    said: str  # row, nth or this_place
    change: str


def cases(count: int, seed: int) -> Iterator[Case]:
    chance = random.Random(seed)
    for number in range(count):
        rows = tuple(chance.sample(NAMES, chance.randint(2, 7)))
        shown = Drawn(rows, chance.choice(("icon", "button")), chance.randint(36, 60), chance.randint(80, 160), 420)
        of, change = chance.choice(rows), CHANGES[number % len(CHANGES)]
        yield Case(shown, _today(shown, of, change, chance), of, chance.choice(("row", "nth", "this_place")), change)


def _today(shown: Drawn, of: str, change: str, chance: random.Random) -> Drawn:
    rows, others = list(shown.rows), [name for name in NAMES if name not in shown.rows]
    if change in ("covered", "erased", "larger"):
        return Drawn(shown.rows, shown.kind, shown.pitch, shown.top, shown.left, special=of, how=change)
    if change == "more":
        rows.insert(chance.randint(0, len(rows)), chance.choice(others))
    elif change == "fewer":
        rows.remove(chance.choice([name for name in rows if name != of]))
    elif change == "order":
        chance.shuffle(rows)
    elif change == "another":
        rows[rows.index(of)] = chance.choice(others)
    moved = chance.randint(8, 90) if change == "moved" else 0
    return Drawn(tuple(rows), shown.kind, shown.pitch, shown.top + moved, shown.left)


def right_of(case: Case, places: dict[str, Box]) -> Box | None:
    """By what was said: the row of that name; that number, or place, where there are as many as then."""
    if case.said == "row":
        return places.get(case.of)
    if case.change in ("more", "fewer", "covered", "erased"):
        return None
    return places.get(case.today.rows[case.shown.rows.index(case.of)])


def answer_of(found: Understood, case: Case) -> Answer | None:
    if case.said == "row":
        return next((a for a in found.answers if case.of in a.row), None)
    return next((a for a in found.answers if a.code == case.said), None)


def judged(case: Case) -> dict[str, str]:
    """What became of it at each P that acts need."""
    store, (state, places) = Pictures(), case.shown.draw()
    found = understand(state, places[case.of].center, known=Known())
    answer = answer_of(found, case)
    if answer is None:
        return dict.fromkeys(LEAST, "not offered")
    target = taught(found, state, store=store, known=Known(), answer=answer)
    now, there = case.today.draw()
    right, told = right_of(case, there), dict[str, str]()
    for least, effect in LEAST.items():
        seen = TargetResolver(pictures=store).resolve(target, now, variables={}, effect=effect)
        if seen.status is not ResolveStatus.FOUND or seen.point is None:
            told[least] = "refused" if right else "refused, rightly"
        else:
            told[least] = "right" if right is not None and right.contains(seen.point) else "WRONG"
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=900)
    parser.add_argument("--seed", type=int, default=30)
    asked = parser.parse_args()
    counted = {least: Counter[str]() for least in LEAST}
    wrong = Counter[str]()
    for case in cases(asked.cases, asked.seed):
        for least, what in judged(case).items():
            counted[least][what] += 1
            if what == "WRONG":
                wrong[f"{least} {case.change}, said by {case.said}, {case.shown.kind}"] += 1
    for least, results in counted.items():
        print(least, dict(sorted(results.items())))
    for what, times in wrong.most_common():
        print(f"  wrong {times}: {what}")


if __name__ == "__main__":
    main()
