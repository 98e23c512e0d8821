"""The web part of the benchmark's screens: planned as wanted, told apart by family, and true where it is rendered."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.screens import check, nodes
from benchmarks.screens.corpus import Screen, TrueElement, TrueText, load, save
from benchmarks.screens.kits import KITS
from benchmarks.screens.render import Look, studio
from execution.types import Box, ElementRole, ElementState


def test_each_learned_screen_is_taught_once_and_seen_twice_changed() -> None:
    poses = list(nodes.plan())
    counts = Counter((p.family.name, p.which) for p in poses if p.learned)
    assert set(counts.values()) == {1, 2} and len({p.name for p in poses}) == len(poses)
    assert {counts[p.family.name, "taught"] for p in poses if p.learned} == {1}
    assert all(p.which == "seen" and "data" in p.changes for p in poses if not p.learned)
    assert {c for p in poses for c in p.changes} == {"data", "theme", "position", "size"}
    for pose in poses:
        width, height = pose.look.size
        assert pose.place.right * pose.look.scale <= width + 1 and pose.place.bottom * pose.look.scale <= height, (
            pose.name
        )


def test_the_index_gives_back_what_was_saved(tmp_path: Path) -> None:
    screen = Screen(
        name="one",
        picture="one.png",
        family="f",
        texts=(TrueText(text="Œuvre", box=Box(1, 2, 3, 4)),),
        elements=(TrueElement(role="button", box=Box(1, 2, 3, 4), text="Été", states=("disabled",)),),
    )
    save([screen], tmp_path)
    assert load(tmp_path) == [screen]


def test_the_check_finds_letters_without_truth_and_truth_without_letters() -> None:
    ink = np.zeros((100, 300), bool)
    ink[10:20, 10:60] = ink[70:80, 200:240] = True
    screen = Screen(
        name="s",
        picture="",
        family="",
        texts=(TrueText(text="there", box=Box(8, 8, 60, 14)), TrueText(text="gone", box=Box(8, 40, 60, 14))),
    )
    faults = check.faults_of(screen, ink)
    assert len(faults) == 2 and "'gone'" in faults[0] and "lacks" in faults[1]


_PAGE = """
<div style="font-size:16px">
<p id="whole">Une phrase <b>en gras</b> et œuvrée</p>
<p style="text-transform:uppercase">été</p>
<p hidden>hidden</p><p style="visibility:hidden">unseen</p><p style="opacity:0">clear</p>
<p style="position:absolute;left:-900px">far</p>
<div style="position:relative;height:30px"><p style="margin:0">under</p>
<div style="position:absolute;inset:0;background:#fff;z-index:2"></div></div>
<input value="typed" autofocus data-focus="1"> <input placeholder="hint" disabled>
<select><option>first<option selected>second</select>
<input type="checkbox" checked> <input type="radio"> <button>Go</button>
<button><svg width="16" height="16"></svg></button>
<a href="#">link</a> <a href="#" role="tab" aria-selected="true">tab</a> <a href="#" role="menuitem">item</a>
<svg width="20" height="20"><rect width="20" height="20"/></svg></div>
"""


@pytest.mark.browser
@pytest.mark.slow
def test_the_truth_of_a_page_is_what_is_to_be_seen_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.screens.render.sheet", lambda path: "")  # no package is fetched for a test
    look = Look(kit=KITS["water"], size=(800, 600), scale=2.0)
    with studio() as made_in:
        shot = made_in.shoot(_PAGE, look, tmp_path / "page.png")
        ink = made_in.ink(look)
    screen = Screen(name="page", picture="page.png", family="page", texts=shot.texts, elements=shot.elements)
    assert screen.pixels(tmp_path).shape == (600, 800, 3)
    assert [t.text for t in shot.texts] == [
        "Une phrase en gras et œuvrée",
        "ÉTÉ",
        "Go",
        "link tab item",
        "typed",
        "hint",
        "second",
    ]
    assert check.faults_of(screen, ink) == [] and shot.complaints == ()
    found = [(e.role, e.text, e.states) for e in shot.elements]
    assert found == [
        ("field", "typed", ("focused",)),
        ("field", "hint", ("disabled",)),
        ("field", "second", ()),
        ("checkbox", "", ("checked",)),
        ("radio", "", ()),
        ("button", "Go", ()),
        ("button", "", ()),
        ("link", "link", ()),
        ("tab", "tab", ("checked",)),
        ("menu_item", "item", ()),
        ("icon", "", ()),
    ]
    assert {e.role for e in shot.elements} <= set(ElementRole)
    assert {s for e in shot.elements for s in e.states} <= set(ElementState)
