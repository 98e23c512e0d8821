"""Changes after which the target is still there: the window and its dress, and what the page is made of."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from benchmarks.drift.board import Control
from benchmarks.drift.cases import PANEL
from benchmarks.drift.pairs import Truth
from benchmarks.drift.records import fresh_row, in_row, record_key, same_place_in_another_row
from benchmarks.drift.turn import Change, Turn, Wanted, desktop, even, here
from benchmarks.drift.wording import OTHER_ICONS, other, renamed
from benchmarks.screens.styles import FONTS, ICON_SETS, icon
from benchmarks.screens.words import COMPLAINTS, ITEMS, PLACES
from execution.types import Box, Size


def moved(turn: Turn) -> Change | None:
    case, size = turn.case, desktop(turn.case)
    width, height = min(case.place.w, size.width - 120), min(case.place.h, size.height - 90)
    place = _placed(turn.rng, size, width, height)
    if place.w != case.place.w or place.h != case.place.h:
        return None  # a maximised window is resized when it is moved
    return Change(case=replace(case, place=place), wanted=here(turn.some()))


def resized(turn: Turn) -> Change:
    case, size, rng = turn.case, desktop(turn.case), turn.rng
    width = even(min(size.width, max(860, case.place.w * rng.choice((0.72, 0.8, 0.88, 1.15, 1.3)))))
    height = even(min(size.height, max(520, case.place.h * rng.choice((0.8, 0.9, 1.0, 1.1)))))
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


def icons(turn: Turn) -> Change:
    """Another hand drew the pictures."""
    among = turn.rng.choice([name for name in ICON_SETS if name != turn.case.look.icons])
    chosen = [*turn.some(lambda c: c.role == "icon", count=3), *turn.some(lambda c: c.worded, count=1)]
    return Change(case=turn.case.dressed(icons=among), wanted=here(chosen), why=f"{turn.case.look.icons} to {among}")


def remote(turn: Turn) -> Change:
    """As a remote desktop shows it: compressed, in another window size, and nobody knows of windows."""
    moved_too = resized(turn) if turn.rng.random() < 0.5 else Change(case=turn.case, wanted=here(turn.some()))
    quality = turn.rng.choice((25, 35, 50, 70))
    return replace(moved_too, coded=quality, no_window=1.0, why=f"quality {quality}")


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
    now = rng.choice([s for s in (0.75, 1.0, 1.25, 1.5, 1.75, 2.0) if s != case.look.scale])
    size = (1920, 1080) if now <= 1.25 and rng.random() < 0.7 else (2560, 1440)
    desktop = Size(round(size[0] / now), round(size[1] / now) - PANEL)
    place = case.place
    w, h = even(min(place.w, desktop.width)), even(min(place.h, desktop.height))
    x, y = min(place.x, desktop.width - w), min(place.y, desktop.height - h)
    place = Box(x - x % 4, y - y % 4, w, h)
    changed = replace(case.dressed(scale=now, size=size), place=place)
    return Change(case=changed, wanted=here(turn.some()), why=f"{case.look.scale:g} to {now:g}")


def language(turn: Turn) -> Change:
    to = "fr" if turn.lang == "en" else "en"
    return Change(case=turn.case.dressed(lang=to), wanted=here(turn.some()), why=f"{turn.lang} to {to}")


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
    chosen = [c for c in turn.some(in_row, count=2 * turn.count) if record_key(c, turn)][: turn.count]
    wanted = []
    for number, control in enumerate(chosen):
        other_row = same_place_in_another_row(control, turn) if number % 2 else None
        right, why = (other_row, "another record") if other_row else (control, "the same record")
        column = record_key(control, turn)
        if column is not None:
            wanted.append(
                Wanted(taught=control.number, right=right.number, truth=Truth.HERE, row=right.cells[column], why=why)
            )
    fresh = [fresh_row(turn) for _ in range(turn.rng.randint(0, 3))]
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
            ops.append(turn.rng.choice((removal(beside, turn), *replacement(beside, turn))))
    return Change(case=turn.case, wanted=here(chosen), ops=tuple(ops))


def removal(control: Control, turn: Turn) -> dict[str, Any]:
    return {"op": "remove", "id": control.number, "hole": turn.rng.random() < 0.3}


def replacement(control: Control, turn: Turn) -> list[dict[str, Any]]:
    if control.role == "icon":
        return [
            {"op": "replace", "id": control.number, "svg": icon(turn.rng.choice(OTHER_ICONS), turn.case.look.icons)}
        ]
    text = other(control.name, control.role, turn.lang, turn.rng)
    return [{"op": "replace", "id": control.number, "text": text}]


def _placed(rng: random.Random, size: Size, width: int, height: int) -> Box:
    return Box(
        rng.randrange(0, size.width - width + 1, 4), rng.randrange(0, size.height - height + 1, 4), width, height
    )
