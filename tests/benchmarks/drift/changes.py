"""What becomes of a page: for each kind of change, its new dress, what the script does to it, and what is expected."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from execution.types import Box, Size
from tests.benchmarks.drift.board import Control, View
from tests.benchmarks.drift.cases import PANEL, Case
from tests.benchmarks.drift.pairs import Truth
from tests.benchmarks.drift.wording import OTHER_ICONS, other, renamed
from tests.benchmarks.screens.styles import FONTS, icon
from tests.benchmarks.screens.widgets import Maker
from tests.benchmarks.screens.words import COMPLAINTS, ITEMS, PLACES, Words

_SMALLEST = 9  # pixels of a side


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One target of a change: its number when taught, and the number of what is right later, mostly the same.

    `row` is None, or the text that names the record: the target is then taught with a row that is a variable.
    """

    taught: int
    right: int
    truth: Truth
    row: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """`must_differ`: the picture of the target must not look as it did, else nobody could tell."""

    case: Case
    wanted: tuple[Wanted, ...]
    ops: tuple[Mapping[str, Any], ...] = ()
    why: str = ""
    no_window: float = 0.15  # the share of pairs for which the window is not known
    must_differ: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One case about to be changed; `count` is how many targets are wanted of it."""

    case: Case
    view: View
    rng: random.Random
    count: int
    words: Words = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", Words(self.case.look.lang, random.Random(self.rng.random())))

    @property
    def lang(self) -> str:
        return self.case.look.lang

    def some(self, fits: Callable[[Control], bool] = lambda control: True, count: int = 0) -> list[Control]:
        """Targets of as many roles as there are, that a person could have clicked."""
        by_role: dict[str, list[Control]] = {}
        for control in self.view.controls:
            if teachable(control) and fits(control):
                by_role.setdefault(control.role, []).append(control)
        queues = list(by_role.values())
        for queue in queues:
            self.rng.shuffle(queue)
        self.rng.shuffle(queues)
        chosen: list[Control] = []
        while any(queues) and len(chosen) < (count or self.count):
            for queue in queues:
                if queue and len(chosen) < (count or self.count):
                    chosen.append(queue.pop())
        return chosen

    def near(self, control: Control, count: int, fits: Callable[[Control], bool] = lambda c: True) -> list[Control]:
        """The nearest other controls."""
        others = [c for c in self.view.controls if c.number != control.number and teachable(c) and fits(c)]
        return sorted(others, key=lambda c: _distance(c.box, control.box))[:count]


def teachable(control: Control) -> bool:
    """Whether a workflow would click it: all of it shows, it is not chosen already, and its words are no data."""
    box = control.box
    return control.usable and min(box.w, box.h) >= _SMALLEST and not control.data and not control.chosen


def here(controls: Sequence[Control], why: str = "") -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.HERE, why=why) for c in controls)


def gone(controls: Sequence[Control], why: str = "") -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.GONE, why=why) for c in controls)


# --- the whole window, the whole dress -------------------------------------------------------------------------------
def moved(turn: Turn) -> Change | None:
    case, size = turn.case, _desktop(turn.case)
    width, height = min(case.place.w, size.width - 120), min(case.place.h, size.height - 90)
    place = _placed(turn.rng, size, width, height)
    if place.w != case.place.w or place.h != case.place.h:
        return None  # a maximised window is resized when it is moved
    return Change(case=replace(case, place=place), wanted=here(turn.some()))


def resized(turn: Turn) -> Change:
    case, size, rng = turn.case, _desktop(turn.case), turn.rng
    width = _even(min(size.width, max(860, case.place.w * rng.choice((0.72, 0.8, 0.88, 1.15, 1.3)))))
    height = _even(min(size.height, max(520, case.place.h * rng.choice((0.8, 0.9, 1.0, 1.1)))))
    x, y = min(case.place.x, size.width - width), min(case.place.y, size.height - height)
    return Change(case=replace(case, place=Box(x - x % 4, y - y % 4, width, height)), wanted=here(turn.some()))


def theme(turn: Turn) -> Change:
    look, rng = turn.case.look, turn.rng
    accent = (look.accent + rng.choice((60, 120, 180, 240))) % 360
    turned = "light" if look.theme == "dark" else "dark"
    changes: dict[str, Any] = {"accent": accent}
    if turned in look.kit.sheets and rng.random() < 0.7:
        changes = {"theme": turned} | ({"accent": accent} if rng.random() < 0.5 else {})
    return Change(case=turn.case.dressed(**changes), wanted=here(turn.some()), why=", ".join(changes))


def font(turn: Turn) -> Change:
    look, rng = turn.case.look, turn.rng
    changes: dict[str, Any] = {}
    if rng.random() < 0.6:
        changes["font_px"] = look.font_px + rng.choice((-2, 2, 3))
    if not changes or rng.random() < 0.5:
        changes["font"] = rng.choice([f for f in FONTS if f != look.font])
    return Change(case=turn.case.dressed(**changes), wanted=here(turn.some()), why=", ".join(changes))


def scale(turn: Turn) -> Change:
    case, rng = turn.case, turn.rng
    now = rng.choice([s for s in (1.0, 1.25, 1.5) if s != case.look.scale])
    size = (1920, 1080) if now <= 1.25 and rng.random() < 0.7 else (2560, 1440)
    desktop = Size(round(size[0] / now), round(size[1] / now) - PANEL)
    place = case.place
    w, h = _even(min(place.w, desktop.width)), _even(min(place.h, desktop.height))
    x, y = min(place.x, desktop.width - w), min(place.y, desktop.height - h)
    place = Box(x - x % 4, y - y % 4, w, h)
    changed = replace(case.dressed(scale=now, size=size), place=place)
    return Change(case=changed, wanted=here(turn.some()), why=f"{case.look.scale:g} to {now:g}")


def language(turn: Turn) -> Change:
    to = "fr" if turn.lang == "en" else "en"
    return Change(case=turn.case.dressed(lang=to), wanted=here(turn.some()), why=f"{turn.lang} to {to}")


# --- what the page is made of ----------------------------------------------------------------------------------------
def rename(turn: Turn) -> Change:
    chosen = turn.some(lambda c: c.worded and not c.cells and len(c.name) > 2)
    names = {c.number: renamed(c.name, c.role, turn.lang, turn.rng) for c in chosen}
    ops = [{"op": "rename", "id": number, "text": text} for number, text in names.items()]
    wanted = [replace(w, why=f"{c.name} → {names[c.number]}") for c, w in zip(chosen, here(chosen), strict=True)]
    return Change(case=turn.case, wanted=tuple(wanted), ops=tuple(ops))


def order(turn: Turn) -> Change:
    ops = ({"op": "order", "seed": turn.rng.randrange(10**6)},)
    return Change(case=turn.case, wanted=here(turn.some(lambda c: c.grouped)), ops=ops)


def twins(turn: Turn) -> Change:
    chosen = turn.some(lambda c: not c.cells and not c.over)
    t = turn.words.t
    titles = [t("Other service", "Autre service"), t("Second file", "Second dossier"), t("Archive", "Archives")]
    ops = [
        {
            "op": "twin", "id": c.number, "place": turn.rng.choice(("start", "end")), "title": turn.rng.choice(titles),
            "html": f"<p>{turn.words.of(PLACES)}, {turn.words.date(2026)}</p>",
        }
        for c in chosen
    ]  # fmt: skip
    return Change(case=turn.case, wanted=here(chosen, "a twin elsewhere"), ops=tuple(ops))


def rows(turn: Turn) -> Change | None:
    chosen = [c for c in turn.some(_in_row, count=2 * turn.count) if record_key(c, turn)][: turn.count]
    wanted = []
    for number, control in enumerate(chosen):
        other_row = _same_place_in_another_row(control, turn) if number % 2 else None
        right, why = (other_row, "another record") if other_row else (control, "the same record")
        column = record_key(control, turn)
        if column is not None:
            wanted.append(
                Wanted(taught=control.number, right=right.number, truth=Truth.HERE, row=right.cells[column], why=why)
            )
    fresh = [_fresh_row(turn) for _ in range(turn.rng.randint(0, 3))]
    ops = ({"op": "rows", "seed": turn.rng.randrange(10**6), "fresh": fresh, "drop": []},)
    return Change(case=turn.case, wanted=tuple(wanted), ops=ops)


def data(turn: Turn) -> Change:
    values = [turn.words.person() for _ in range(6)] + [turn.words.of(ITEMS), turn.words.of(COMPLAINTS)]
    chosen = turn.some(lambda c: c.role == "field" and not c.cells, count=2)
    chosen += [c for c in turn.some(lambda c: not c.cells) if c not in chosen][: turn.count - len(chosen)]
    ops = ({"op": "data", "seed": turn.rng.randrange(10**6), "values": values},)
    return Change(case=turn.case, wanted=here(chosen), ops=ops)


def neighbours(turn: Turn) -> Change:
    """What stands beside the target is gone, renamed or another; it itself stays."""
    chosen = turn.some(lambda c: not c.cells)
    spared = {c.number for c in chosen}
    ops = []
    for control in chosen:
        for beside in turn.near(control, 3, lambda c: c.number not in spared and not c.cells)[:2]:
            spared.add(beside.number)
            ops.append(turn.rng.choice((_removal(beside, turn), *_replacement(beside, turn))))
    return Change(case=turn.case, wanted=here(chosen), ops=tuple(ops))


def ambiguous(turn: Turn) -> Change | None:
    how = turn.rng.choice(("rows", "blocks", "blocks", "windows"))
    if how == "rows" or (how == "blocks" and any(map(_in_row, turn.view.controls)) and turn.rng.random() < 0.5):
        chosen = [c for c in turn.some(_in_row, count=2 * turn.count) if record_key(c, turn) is not None][: turn.count]
        wanted = [
            replace(w, row=c.cells[record_key(c, turn) or 0]) for c, w in zip(chosen, _unsure(chosen), strict=True)
        ]
        ops = [{"op": "doubleRow", "id": c.number} for c in chosen]
        return (
            Change(case=turn.case, wanted=tuple(wanted), ops=tuple(ops), why="two rows of one name") if chosen else None
        )
    if how == "blocks":
        chosen = turn.some(lambda c: not c.cells and c.scrolls, count=1)
        notice = f'<p style="margin-bottom:1.4em">{turn.words.long_date()}. {turn.words.paragraph(1)}</p>'
        return Change(
            case=turn.case, wanted=_unsure(chosen), why="its block twice",
            ops=tuple({"op": "double", "id": c.number, "notice": notice} for c in chosen),
        )  # fmt: skip
    return _two_windows(turn)


def _two_windows(turn: Turn) -> Change | None:
    """The program open twice, side by side, and nobody says which has the focus."""
    size, chosen = _desktop(turn.case), turn.some()
    width = _even((size.width - 60) // 2)
    if width < 780 or not chosen:
        return None
    height = min(turn.case.place.h, size.height - 80)
    op = {"op": "doubleWindow", "ids": [c.number for c in chosen], "left": 20, "right": 40 + width, "top": 36}
    case = replace(turn.case, place=Box(20, 36, width, height - height % 4))
    return Change(case=case, wanted=_unsure(chosen), ops=(op,), why="its window twice", no_window=1.0)


def _unsure(controls: Sequence[Control]) -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.AMBIGUOUS) for c in controls)


# --- not to be clicked ----------------------------------------------------------------------------------------------
def scrolled(turn: Turn) -> Change:
    ops = ({"op": "scroll", "by": turn.rng.choice((0.6, 0.8, 1.0))},)
    return Change(case=turn.case, wanted=gone(turn.some(lambda c: c.scrolls, count=12)), ops=ops)


def disabled(turn: Turn) -> Change:
    chosen = turn.some()
    ops = tuple({"op": "disable", "id": c.number} for c in chosen)
    return Change(case=turn.case, wanted=gone(chosen), ops=ops, must_differ=True)


def covered(turn: Turn) -> Change:
    how, rng = turn.rng.choice(("window", "window", "dialog", "menu")), turn.rng
    t, chosen = turn.words.t, turn.some()
    if how == "dialog":
        maker = Maker(turn.case.look.kit, turn.words)
        body = f"<p>{turn.words.paragraph(2)}</p>" + maker.field(t("Reason", "Motif"), "")
        html = maker.modal(t("The session ends", "Fin de session"), body, maker.button("OK", kind="primary"))
        return Change(case=turn.case, wanted=gone(chosen, "a dialog in the page"), ops=({"op": "html", "html": html},))
    if how == "menu":
        return _under_menu(turn, chosen[:1])
    first = chosen[0]
    nearest = [first, *(c for c in turn.near(first, 6) if _distance(c.box, first.box) < 420)][: turn.count]
    op = {
        "op": "cover", "ids": [c.number for c in nearest], "title": t("Messages", "Messagerie"),
        "lines": [turn.words.of(PLACES) + ", " + turn.words.paragraph(1) for _ in range(12)],
        "spread": [rng.randint(24, 160) for _ in range(4)],
    }  # fmt: skip
    return Change(case=turn.case, wanted=gone(nearest, "another window"), ops=(op,), no_window=0.4)


def _under_menu(turn: Turn, chosen: list[Control]) -> Change:
    case, t = turn.case, turn.words.t
    maker = Maker(case.look.kit, turn.words)
    items = [
        t("Cut", "Couper"),
        t("Copy", "Copier"),
        t("Paste", "Coller"),
        "",
        t("Select all", "Tout sélectionner"),
        t("Properties", "Propriétés"),
    ]
    ops = []
    for control in chosen:
        left = control.box.x / case.look.scale - case.place.x - 14
        top = control.box.y / case.look.scale - case.place.y - PANEL - 16
        style = f"min-width:{control.box.w / case.look.scale + 40:.0f}px"
        menu = maker.menu(items, left=f"{left:.0f}px", top=f"{top:.0f}px")
        surface = "#ffffff" if case.look.theme == "light" else "#20252c"
        menu = menu.replace(
            '<div class="x-under" style="', f'<div class="x-under" style="background:{surface};{style};', 1
        )
        ops.append({"op": "html", "html": menu})
    return Change(case=case, wanted=gone(chosen, "an opened menu"), ops=tuple(ops))


def removed(turn: Turn) -> Change:
    chosen = turn.some()
    return Change(case=turn.case, wanted=gone(chosen), ops=tuple(_removal(c, turn) for c in chosen))


def replaced(turn: Turn) -> Change:
    chosen = turn.some(lambda c: (c.worded and len(c.name) > 2 and not c.cells) or c.role == "icon")
    ops = [op for c in chosen for op in _replacement(c, turn)]
    return Change(case=turn.case, wanted=gone(chosen, "another control in its place"), ops=tuple(ops), must_differ=True)


def record_absent(turn: Turn) -> Change | None:
    chosen = [c for c in turn.some(_in_row, count=2 * turn.count) if record_key(c, turn) is not None]
    lines = {c.cells: c for c in chosen}
    chosen = list(lines.values())[: min(turn.count, 2)]
    wanted = [replace(w, row=c.cells[record_key(c, turn) or 0]) for c, w in zip(chosen, gone(chosen), strict=True)]
    op = {
        "op": "rows",
        "seed": turn.rng.randrange(10**6),
        "fresh": [_fresh_row(turn)],
        "drop": [c.number for c in chosen],
    }
    return Change(case=turn.case, wanted=tuple(wanted), ops=(op,)) if chosen else None


KINDS: dict[str, Callable[[Turn], Change | None]] = {
    "moved": moved, "resized": resized, "theme": theme, "font": font, "scale": scale, "language": language,
    "renamed": rename, "order": order, "twins": twins, "rows": rows, "data": data, "neighbours": neighbours,
    "ambiguous": ambiguous, "scrolled": scrolled, "disabled": disabled, "covered": covered, "removed": removed,
    "replaced": replaced, "record absent": record_absent,
}  # fmt: skip


# --- parts ----------------------------------------------------------------------------------------------------------
def _removal(control: Control, turn: Turn) -> dict[str, Any]:
    return {"op": "remove", "id": control.number, "hole": turn.rng.random() < 0.3}


def _replacement(control: Control, turn: Turn) -> list[dict[str, Any]]:
    if control.role == "icon":
        return [{"op": "replace", "id": control.number, "svg": icon(turn.rng.choice(OTHER_ICONS))}]
    text = other(control.name, control.role, turn.lang, turn.rng)
    return [{"op": "replace", "id": control.number, "text": text}]


def _in_row(control: Control) -> bool:
    return bool(control.cells) and not control.data


def record_key(control: Control, turn: Turn) -> int | None:
    """The cell that names the record of this control's row: a text that no other row has; None where there is none."""
    every = {c.cells for c in turn.view.controls if c.cells}
    for column in _columns(control.cells, turn):
        if sum(control.cells[column] == cells[column] for cells in every if len(cells) > column) == 1:
            return column
    return None


def _columns(cells: Sequence[str], turn: Turn) -> list[int]:
    """Cells that could name a record: words or a number of its own, no amount, hour or day."""
    fitting = [i for i, text in enumerate(cells) if len(text) >= 5 and not re.search(r"[€:%/]|\d{4}-", text)]
    named = [i for i in fitting if re.search(r"\d{5}|, |[A-ZÉÈ]{3,} ", cells[i])]
    return named or fitting


def _same_place_in_another_row(control: Control, turn: Turn) -> Control | None:
    groups: dict[tuple[str, ...], list[Control]] = {}
    for one in turn.view.controls:
        if one.cells:
            groups.setdefault(one.cells, []).append(one)
    own = [c.number for c in groups[control.cells]].index(control.number)
    column = record_key(control, turn)
    rest = [
        g[own] for cells, g in groups.items() if cells != control.cells and len(g) > own and g[own].role == control.role
    ]
    rest = [c for c in rest if teachable(c) and record_key(c, turn) == column]
    return turn.rng.choice(rest) if rest else None


def _fresh_row(turn: Turn) -> list[str]:
    """Texts for a new row, made of those that are there; it is nobody's record."""
    lines = [c.cells for c in turn.view.controls if c.cells]
    taken = {text for cells in lines for text in cells}
    return [_fresh_text(text, taken, turn) for text in turn.rng.choice(lines)] if lines else []


def _fresh_text(text: str, taken: set[str], turn: Turn) -> str:
    """Another text of that sort; what is short and without a number stays."""
    if not re.search(r"\d", text) and len(text) <= 4:
        return text
    fresh = text
    while fresh in taken:
        number = re.sub(r"\d", lambda _: str(turn.rng.randint(1, 9)), text)
        fresh = number if re.search(r"\d", text) else turn.words.person()
    return fresh


def _desktop(case: Case) -> Size:
    width, height = (round(side / case.look.scale) for side in case.look.size)
    return Size(width, height - PANEL)


def _placed(rng: random.Random, size: Size, width: int, height: int) -> Box:
    return Box(
        rng.randrange(0, size.width - width + 1, 4), rng.randrange(0, size.height - height + 1, 4), width, height
    )


def _even(length: float) -> int:
    return int(length) // 4 * 4


def _distance(one: Box, two: Box) -> int:
    return abs(one.center.x - two.center.x) + abs(one.center.y - two.center.y)
