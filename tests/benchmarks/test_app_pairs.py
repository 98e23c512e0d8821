"""The pairs of programs' screens: which targets are there, which are gone, and what is done to their pictures."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.drift import remote, ward
from benchmarks.drift.app_options import groups, options
from benchmarks.drift.app_pairs import answers, teachable
from benchmarks.drift.app_records import rows
from benchmarks.drift.app_screens import Control, Shown, load_shown, save_shown, shot
from benchmarks.drift.changed_pictures import another_in_its_place, greyed
from benchmarks.drift.dresses import REMOTE, TAUGHT
from benchmarks.drift.pairs import Truth
from benchmarks.drift.programs import program
from benchmarks.screens import accessibility
from benchmarks.screens.corpus import Screen
from benchmarks.screens.stage import OFF, stage
from execution.types import Box

ROWS = ("notes.txt", "lettre.txt", "order.py", "plan.png")


def control(name: str, box: Box, *, role: str = "text", off: bool = False, front: bool = True) -> Control:
    return Control(role=role, name=name, text=name, box=box, off=off, front=front)


def shown(*controls: Control, dress: str = TAUGHT) -> Shown:
    paths = {f"frame:0/list:0/item:{number}": one for number, one in enumerate(controls)}
    return Shown(
        app="files", state="main", dress=dress, worn="light", elements=paths,
        screen=Screen(name=dress, picture="x.png", family="files"),
        nodes={"frame:0": ("frame", ""), **{p: ("item", c.name) for p, c in paths.items()}},
    )  # fmt: skip


def listed(*names: str, dress: str = TAUGHT) -> Shown:
    return shown(*(control(name, Box(20, 40 + 24 * i, 200, 20)) for i, name in enumerate(names)), dress=dress)


def test_what_stands_at_the_same_place_of_the_tree_under_its_name_is_the_target() -> None:
    taught, place = listed(*ROWS), "frame:0/list:0/item:1"
    assert answers("theme", taught, listed(*ROWS), place)
    assert not answers("theme", taught, listed("notes.txt", "autre.txt", *ROWS[2:]), place)
    assert answers("language", taught, listed("notes.txt", "autre.txt", *ROWS[2:]), place)
    assert not answers("language", taught, listed("notes.txt", "autre.txt"), place)


def test_a_line_that_stands_twice_is_no_target() -> None:
    assert not answers("theme", listed(*ROWS), listed(*ROWS, "lettre.txt"), "frame:0/list:0/item:1")


def test_what_is_greyed_or_behind_or_partly_under_a_menu_is_no_target() -> None:
    box = Box(20, 40, 100, 24)
    for one in (control("Save", box, off=True), control("Save", box, front=False)):
        assert not teachable(one, shown(one))
    button, item = control("Save", box, role="button"), control("Paste", Box(100, 20, 80, 100), role="menu_item")
    assert teachable(button, shown(button)) and not teachable(button, shown(button, item))


def test_another_one_of_a_list_is_wanted_and_an_absent_value_is_not_there() -> None:
    taught, seen = listed(*ROWS), listed(*ROWS, dress="arc")
    assert [sorted(group) for group in groups(taught)] == [sorted(taught.elements)]
    made = options([(taught, seen)])
    (given, more), (absent, unheard) = made["option"][0], made["option absent"][0]
    assert given[-1] is Truth.HERE and more["choice"] != given[1].text
    assert [c.text for c in seen.elements.values() if c.box in more["boxes"]] == [more["choice"]]
    assert absent[-1] is Truth.GONE and unheard["choice"] not in ROWS


def test_two_of_a_kind_are_no_list_and_fields_hold_values_of_their_own() -> None:
    assert list(groups(listed(*ROWS[:2]))) == []
    fields = [replace(c, role="field") for c in listed(*ROWS).elements.values()]
    assert list(groups(shown(*fields))) == []


def test_another_of_its_group_is_drawn_in_its_place_and_nothing_else_changes() -> None:
    pixels = np.full((200, 300, 3), 240, np.uint8)
    for number in range(4):
        pixels[46 + 24 * number : 52 + 24 * number, 30 : 60 + 30 * number] = 20
    elements = listed(*ROWS).elements
    made = another_in_its_place(pixels, "frame:0/list:0/item:1", elements, random.Random(1))
    assert made is not None
    box = elements["frame:0/list:0/item:1"].box
    changed = (made != pixels).any(axis=2)
    assert changed.any() and not np.delete(changed, np.s_[box.y : box.bottom], axis=0).any()


def test_greyed_lettering_loses_contrast_and_colour_and_its_ground_stays() -> None:
    pixels = np.full((40, 120, 3), 240, np.uint8)
    pixels[16:22, 30:70] = (20, 20, 200)
    made = greyed(pixels, Box(10, 10, 100, 20))
    assert made is not None and (made[0] == 240).all() and (made[12, 12] == 240).all()
    left = 240 - made[18, 40].astype(int)
    assert 40 < left.mean() < 90 and np.ptp(left) < 60
    assert greyed(np.full((40, 120, 3), 240, np.uint8), Box(10, 10, 100, 20)) is None


def test_what_was_shown_is_kept_as_it_was(tmp_path: Path) -> None:
    one = replace(listed(*ROWS), over=Box(1, 2, 3, 4))
    save_shown([one], tmp_path / "shown" / "taught.json")
    assert load_shown(tmp_path / "shown" / "taught.json") == [one]


@pytest.mark.display
def test_a_program_of_its_own_toolkit_tells_its_rows_and_a_client_shows_them_where_it_is_put(tmp_path: Path) -> None:
    if missing := [name for name in remote.NEEDED if shutil.which(name) is None]:
        pytest.skip(f"remote desktops need {', '.join(missing)}")
    if not accessibility.is_readable():
        pytest.skip(accessibility.NEEDED)
    dress, app = REMOTE["vnc"], program("ward")
    dress = replace(dress, look=replace(dress.look, font="DejaVu Sans"))  # the one that is there without the others
    with stage(dress.look) as on, remote.viewer(on, dress) as client:
        on.place(on.start(app.command), dress.place)
        own = shot(on, app, "main", "own", dress.worn, tmp_path)
        seen = client.seen(own, tmp_path)
    held = rows(own)
    assert len(held) == 2 * ward.SHOWN and set(held) <= {told for patient in ward.PATIENTS for told in patient}
    left, top = remote.CLIENTS["vnc"].place
    pixels = seen.screen.pixels(tmp_path)
    for buttons in held.values():
        for place in buttons:
            before, after = own.elements[place].box, seen.elements[place].box
            assert abs(after.x - before.x - left) <= OFF and abs(after.y - before.y - top) <= OFF
            assert np.ptp(pixels[after.y : after.bottom, after.x : after.right].astype(int)) > 60
