"""The focus is told right or not at all (S2.9): real pages in many styles, the browser's own word for the truth."""

from __future__ import annotations

from typing import Any

import pytest

from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, ElementRole, ElementState, ScreenState
from execution.verification.change import Change
from execution.verification.effects import effect_at
from tests.support.browser import seen

PAGE = """<title>Form</title><style>body{font:15px "DejaVu Sans";margin:24px} label{display:block;margin:0 0 3px}
div{margin:0 0 16px} %s</style><div><label>Name</label><input id=a size=30></div>
<div><label>Reason</label><input id=b size=30></div>
<div><label>Remarks</label><textarea id=c rows=5 cols=50></textarea></div>
<div><label>Ward</label><select id=d><option>North<option>South</select></div>
<div><label><input type=checkbox id=e> Urgent</label></div><button id=f>Save</button> <button>Cancel</button>"""
BOX = (
    "input:not([type=checkbox]),textarea,select{padding:7px 10px;border:1px solid #889;border-radius:4px;font:inherit}"
)
DARK = BOX + "body{background:#202124;color:#eee}input,textarea,select{background:#303134;color:#eee}"
STYLES = {
    "plain": "",
    "default ring": BOX,
    "outline": BOX + ":focus{outline:2px solid #06c;outline-offset:2px}",
    "border colour": BOX + ":focus{outline:0;border-color:#1a73e8}",
    "shadow": BOX + ":focus{outline:0;border-color:#86b7fe;box-shadow:0 0 0 4px rgba(13,110,253,.25)}",
    "glow": BOX + ":focus{outline:0;box-shadow:0 0 6px 2px #4a90d9}",
    "fill": BOX + ":focus{outline:0;background:#fff8d6}",
    "nothing": BOX + ":focus{outline:0}",
    "another is ringed in red": BOX + "#a{border-color:#dc3545;box-shadow:0 0 0 3px rgba(220,53,69,.25)}",
    "another is framed in blue": BOX + "#a{border:2px solid #0d6efd}:focus{outline:2px solid #000}",
    "another is green, no ring": BOX + "#b{border-color:#198754}:focus{outline:0}",
    "dark": DARK,
}
WITHOUT_RING = {"nothing", "another is green, no ring", "fill"}


def boxes_of(page: Any) -> dict[str, Box]:
    found = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[id]')].map(e => {const r = e.getBoundingClientRect();"
        " return [e.id, [r.x, r.y, r.width, r.height].map(Math.round)]}))"
    )
    return {name: Box(*box) for name, box in found.items()}


def focused(state: ScreenState, boxes: dict[str, Box]) -> list[str]:
    own = [e.box for e in state.elements if ElementState.FOCUSED in e.states]
    return [max(boxes, key=lambda name: boxes[name].iou(box)) for box in own]


@pytest.mark.browser
@pytest.mark.parametrize("typed", ["", "Depuis hier, douleur"])
@pytest.mark.parametrize("style", STYLES)
def test_the_focus_is_that_of_the_browser_or_unknown(
    page: Any, analyzer: ScreenAnalyzer, style: str, typed: str
) -> None:
    told = []
    for name in ("a", "b", "c", "d", "f", ""):
        page.set_content(PAGE % STYLES[style])
        if name:
            page.focus(f"#{name}")
        if name in ("a", "b", "c"):
            page.keyboard.type(typed)
        state, boxes = seen(analyzer, page), boxes_of(page)
        active = page.evaluate("document.activeElement.id || ''")
        own = focused(state, boxes)
        assert own in ([], [active]), (style, name, own)
        told += own
        fields = [e.box for e in state.elements if e.role is ElementRole.FIELD]
        if name in ("a", "b", "c") and not (name == "c" and typed):
            assert any(box.iou(boxes[name]) > 0.6 for box in fields), f"the field {name} is none once it has the focus"
    least = 1 if style == "plain" else 2  # so low a field has no room above and below its cursor
    assert len(told) >= least, f"of three fields that had a cursor: {told}"


@pytest.mark.browser
@pytest.mark.parametrize("style", STYLES)
def test_a_click_into_a_field_is_seen_to_have_entered_it(page: Any, analyzer: ScreenAnalyzer, style: str) -> None:
    """With a ring the first look says so; the text cursor blinks, so that one of a few does."""
    for name in ("a", "b", "c"):
        page.set_content(PAGE % STYLES[style])
        page.focus("#f")
        before, box = seen(analyzer, page), boxes_of(page)[name]
        page.mouse.click(*box.center)
        looks = 1 if style not in WITHOUT_RING else 4
        facts = []
        for _look in range(looks):
            facts.append(effect_at(box, Change(before, seen(analyzer, page))))
            if facts[-1]:
                break
            page.wait_for_timeout(300)
        assert facts[-1] is not None and facts[-1].proof, (style, name)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("script", "start"),
    [
        ("document.getElementById('a').onfocus = () => document.getElementById('b').focus()", "b"),
        ("document.getElementById('a').onmousedown = e => e.preventDefault()", "f"),
        ("document.getElementById('a').onclick = () => document.getElementById('b').focus()", "a"),
    ],
    ids=["handed on", "refused", "lost"],
)
@pytest.mark.parametrize("style", ["default ring", "shadow", "border colour"])
def test_a_field_that_did_not_get_the_focus_is_not_said_to(
    page: Any, analyzer: ScreenAnalyzer, script: str, start: str, style: str
) -> None:
    page.set_content((PAGE % STYLES[style]).replace("<div><label>Ward", "<div><input size=30></div><div><label>Ward"))
    page.evaluate(f"void ({script})")
    page.focus(f"#{start}")
    before, box = seen(analyzer, page), boxes_of(page)["a"]
    page.mouse.click(*box.center)
    assert page.evaluate("document.activeElement.id") != "a"
    assert effect_at(box, Change(before, seen(analyzer, page))) is None
