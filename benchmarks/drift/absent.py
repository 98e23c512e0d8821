"""Changes after which nothing may be clicked: the target is gone, covered or grey, or there are two of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.drift.board import Control
from benchmarks.drift.cases import PANEL
from benchmarks.drift.pairs import Truth
from benchmarks.drift.present import icons, removal, replacement, theme
from benchmarks.drift.records import fresh_row, in_row, record_key
from benchmarks.drift.turn import Change, Turn, Wanted, desktop, distance, even, gone
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import PLACES
from execution.types import Box


def ambiguous(turn: Turn) -> Change | None:
    how = turn.rng.choice(("rows", "blocks", "blocks", "windows"))
    if how == "rows" or (how == "blocks" and any(map(in_row, turn.view.controls)) and turn.rng.random() < 0.5):
        chosen = [c for c in turn.some(in_row, count=2 * turn.count) if record_key(c, turn) is not None][: turn.count]
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
    size, chosen = desktop(turn.case), turn.some()
    width = even((size.width - 60) // 2)
    if width < 780 or not chosen:
        return None
    height = min(turn.case.place.h, size.height - 80)
    op = {"op": "doubleWindow", "ids": [c.number for c in chosen], "left": 20, "right": 40 + width, "top": 36}
    case = replace(turn.case, place=Box(20, 36, width, height - height % 4))
    return Change(case=case, wanted=_unsure(chosen), ops=(op,), why="its window twice", no_window=1.0)


def _unsure(controls: Sequence[Control]) -> tuple[Wanted, ...]:
    return tuple(Wanted(taught=c.number, right=c.number, truth=Truth.AMBIGUOUS) for c in controls)


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
    nearest = [first, *(c for c in turn.near(first, 6) if distance(c.box, first.box) < 420)][: turn.count]
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
    return Change(case=turn.case, wanted=gone(chosen), ops=tuple(removal(c, turn) for c in chosen))


def replaced(turn: Turn) -> Change:
    chosen = turn.some(lambda c: (c.worded and len(c.name) > 2 and not c.cells) or c.role == "icon")
    ops = [op for c in chosen for op in replacement(c, turn)]
    return Change(case=turn.case, wanted=gone(chosen, "another control in its place"), ops=tuple(ops), must_differ=True)


def removed_and_redrawn(turn: Turn) -> Change:
    return removed(_redrawn(turn))


def replaced_and_redrawn(turn: Turn) -> Change:
    return replaced(_redrawn(turn))


def _redrawn(turn: Turn) -> Turn:
    """The same page in another look: that everything is drawn otherwise does not say that the target is there."""
    return replace(turn, case=turn.rng.choice((theme, theme, icons))(turn).case)


def record_absent(turn: Turn) -> Change | None:
    chosen = [c for c in turn.some(in_row, count=2 * turn.count) if record_key(c, turn) is not None]
    lines = {c.cells: c for c in chosen}
    chosen = list(lines.values())[: min(turn.count, 2)]
    wanted = [replace(w, row=c.cells[record_key(c, turn) or 0]) for c, w in zip(chosen, gone(chosen), strict=True)]
    op = {
        "op": "rows",
        "seed": turn.rng.randrange(10**6),
        "fresh": [fresh_row(turn)],
        "drop": [c.number for c in chosen],
    }
    return Change(case=turn.case, wanted=tuple(wanted), ops=(op,)) if chosen else None
