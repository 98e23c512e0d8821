"""Lists, tables and cards of records in a real browser: the right record or a question (S2.9, S5.3, S6.11, S9.6).

The page tells which record was clicked, so that nothing that the product says of itself has to be believed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from execution.perception.analyzer import ScreenAnalyzer
from execution.targeting.boxes import holds_several, target_box
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, ElementRole, Point, ScreenState, Window
from tests.execution.perception.drawing import Pictures
from tests.support.browser import chromium, frame_of
from tests.support.display import wait_until
from workflows.graph import TargetSpec

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WIDE, HIGH = 1000, 640
Row = tuple[str, str, str, str]
PATIENTS: tuple[Row, ...] = (
    ("DUPONT Léa", "8812", "03/04/1971", "Cardiologie"),
    ("DUPONT Léa", "8821", "14/07/1980", "Cardiologie"),
    ("MARTIN Paul", "7701", "14/01/1980", "Cardiologie"),
    ("LEFÈVRE Ida", "9012", "02/02/1990", "Chirurgie"),
    ("LEFEBVRE Ida", "9013", "02/02/1991", "Chirurgie"),
    ("DUPONT Léa Marie", "8813", "03/04/1971", "Cardiologie"),
)
HEAD = """<title>Ward</title><style>body{font:14px "DejaVu Sans";margin:18px}%s</style>
<script>addEventListener("click", e => { const row = e.target.closest("[data-id]");
 window.hit = (row ? row.dataset.id : "") + " " + e.target.tagName }, true)</script><h2>Patients</h2>"""


def table(style: str, button: str = "<button>Open</button>") -> Callable[[Sequence[Row]], str]:
    def page(rows: Sequence[Row]) -> str:
        lines = "".join(
            f"<tr data-id={row[1]}>" + "".join(f"<td>{cell}</td>" for cell in row) + f"<td>{button}</td></tr>"
            for row in rows
        )
        return HEAD % style + f"<table><tr><th>Name<th>IPP<th>Born<th>Ward<th></tr>{lines}</table>"

    return page


def cards(rows: Sequence[Row]) -> str:
    style = ".c{border:1px solid #aaa;padding:8px;width:210px;display:inline-block;margin:6px}"
    return HEAD % style + "".join(
        f"<div class=c data-id={r[1]}><b>{r[0]}</b><br>IPP {r[1]}<br>{r[3]}<br><button>Open</button></div>"
        for r in rows
    )


def lines(rows: Sequence[Row]) -> str:
    style = "ul{border:1px solid #888;width:520px;list-style:none;padding:6px}li{padding:3px}"
    items = "".join(f"<li data-id={r[1]}>{r[0]} – IPP {r[1]} – née le {r[2]} <button>Open</button></li>" for r in rows)
    return HEAD % style + f"<ul>{items}</ul>"


def row_cards(rows: Sequence[Row]) -> str:
    style = ".c{border:1px solid #aaa;padding:6px;width:700px;margin:6px 0;display:flex;justify-content:space-between}"
    return HEAD % style + "".join(
        f"<div class=c data-id={r[1]}><span>{r[0]} IPP {r[1]}</span><button>Open</button></div>" for r in rows
    )


RULED = "table{border-collapse:collapse;border:1px solid #888;width:800px}td{border-bottom:1px solid #ddd;padding:6px}"
STRIPED = "table{border:1px solid #bbb;width:900px;border-spacing:0}td{padding:5px}tr:nth-child(even){background:#eef}"
PLAIN = "table{border:1px solid #888;width:800px;border-spacing:0}td{padding:2px 10px}"
PAGES = {
    "ruled": table(RULED), "striped": table(STRIPED), "links": table(PLAIN, "<a href=#>Open</a>"), "cards": cards,
    "lines": lines, "row_cards": row_cards,
}  # fmt: skip


@dataclass
class Browser:
    page: Any
    analyzer: ScreenAnalyzer

    def look(self, html: str) -> ScreenState:
        self.page.set_content(html)
        shown = frame_of(self.page)
        known = Window(title="Ward", box=Box(0, 0, WIDE, HIGH))
        # A reader that is late on a busy machine gives no text, once.
        return wait_until(lambda: _read(self.analyzer.analyze(shown, known)), timeout=60, what="the reader")

    def middle(self, selector: str) -> Point:
        box = self.page.query_selector(selector).bounding_box()
        return Point(int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2))

    def clicked(self, point: Point) -> str:
        self.page.evaluate("window.hit = ''")
        self.page.mouse.click(point.x, point.y)
        return str(self.page.evaluate("window.hit"))


def _read(state: ScreenState) -> ScreenState | None:
    return state if state.texts else None


@pytest.fixture(scope="module")
def browser(analyzer: ScreenAnalyzer) -> Iterator[Browser]:
    with chromium(WIDE, HIGH) as page:
        yield Browser(page, analyzer)


def teach(browser: Browser, state: ScreenState, point: Point, store: Pictures, row: tuple[str, ...]) -> TargetSpec:
    box = target_box(state, point)
    return teach_target(state.frame, box, label="Open", state=state, click=point, store=store, row=row)


@pytest.mark.parametrize("name", PAGES)
def test_the_buttons_of_a_bordered_list_are_found_and_the_list_is_no_field(browser: Browser, name: str) -> None:
    """S2.9: a table with a border was one field, and its buttons were gone."""
    state = browser.look(PAGES[name](PATIENTS))
    texts = [e for e in state.elements if e.role in (ElementRole.BUTTON, ElementRole.LINK) and e.text == "Open"]
    assert len(texts) == len(PATIENTS)
    assert not [e for e in state.elements if e.role == ElementRole.FIELD]
    for row in PATIENTS:
        box = target_box(state, browser.middle(f"[data-id='{row[1]}'] :is(button, a)"))
        assert box.h < 32
        assert box.w < 80


@pytest.mark.parametrize(
    "panel",
    [
        "Unsaved changes in this record. <button>Save</button>",
        "Unsaved changes. <button>Save</button> <button>Discard</button>",
        "The record was changed<br>by somebody else. <button>Save</button>",
        "<button>Save</button>",
    ],
)
def test_a_banner_is_no_field_and_its_button_is_one(browser: Browser, panel: str) -> None:
    """S2.9: what has a border and a button in it is a panel."""
    style = ".b{border:1px solid #999;padding:10px;width:700px;background:#fee}"
    state = browser.look(HEAD % style + f"<div class=b>{panel}</div><p><input value='A field'></p>")
    assert [e.text for e in state.elements if e.role == ElementRole.FIELD] == ["A field"]
    assert "Save" in [e.text for e in state.elements if e.role == ElementRole.BUTTON]


def test_a_text_area_is_a_field_with_its_text_and_without(browser: Browser) -> None:
    """S2.9: it shows the lines by which it is pulled larger."""
    areas = "<textarea rows=5 cols=50>First line\nsecond line\nthird line</textarea><p><textarea rows=4></textarea>"
    state = browser.look(HEAD % "" + areas)
    fields = [e.box for e in state.elements if e.role == ElementRole.FIELD]
    assert len(fields) == 2
    assert not any(holds_several(box, state) for box in fields)


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("row", [(), ("{{patient}}", "{{ipp}}"), ("{{patient}}",)], ids=["as_shown", "both", "name"])
def test_the_open_button_of_a_record_opens_that_record_or_a_person_is_asked(
    browser: Browser, name: str, row: tuple[str, ...]
) -> None:
    """S5.3, S6.11, S9.6: rows are sorted anew, some are gone, two have one name: no other record is ever opened."""
    chance = random.Random(f"{name}{row}")
    right = 0
    for _ in range(5):
        rows = chance.sample(PATIENTS, len(PATIENTS))
        shown = chance.choice(rows)
        store = Pictures()
        state = browser.look(PAGES[name](rows))
        point = browser.middle(f"[data-id='{shown[1]}'] :is(button, a)")
        target = teach(browser, state, point, store, row)
        later = chance.sample(PATIENTS, chance.choice([3, 5, 6]))
        who = chance.choice(PATIENTS) if row else shown
        found = TargetResolver(pictures=store).resolve(
            target, browser.look(PAGES[name](later)), variables={"patient": who[0], "ipp": who[1]}
        )
        if found.point is None:
            continue
        hit = browser.clicked(found.point).split()[0]
        same = [r[1] for r in later if r[0] == who[0]] if row == ("{{patient}}",) else [who[1]]
        assert same == [hit], (who, hit, found.message)
        right += 1
    assert right or name in ("cards", "row_cards"), "nothing is found any more"


def test_a_place_in_a_table_is_kept_by_its_own_pixels(browser: Browser) -> None:
    """S6.11: who shows a table, or a blank place in it, has not shown the table."""
    state = browser.look(PAGES["ruled"](PATIENTS))
    box = browser.page.query_selector("table").bounding_box()
    whole = Box(int(box["x"]), int(box["y"]), int(box["width"]), int(box["height"]))
    assert holds_several(whole, state)
    with pytest.raises(ValueError, match="Show which one"):
        teach_target(state.frame, whole, label="x", state=state, click=None, store=Pictures())
    point = browser.middle("[data-id='7701'] button")
    target = teach_target(state.frame, whole, label="x", state=state, click=point, store=Pictures())
    assert (target.text, target.role) == ("Open", "button")
    blank = Point(whole.right - 200, point.y)
    assert target_box(state, blank).h <= 32


def test_what_was_taught_as_a_whole_table_is_not_found(browser: Browser) -> None:
    """S5.3: evidence of before; a row that stands in it says nothing of the place in it."""
    state, store = browser.look(PAGES["ruled"](PATIENTS)), Pictures()
    box = browser.page.query_selector("table").bounding_box()
    whole = Box(int(box["x"]), int(box["y"]), int(box["width"]), int(box["height"]))
    old = TargetSpec(
        target_id="t", label="x", picture=store.put(state.frame.crop(whole).copy()), role="field",
        box=whole.normalised(state.frame.size), screen_size=(WIDE, HIGH), row=("{{patient}}",), click=(0.9, 0.3),
    )  # fmt: skip
    found = TargetResolver(pictures=store).resolve(old, state, variables={"patient": "MARTIN Paul"})
    assert found.point is None


def test_the_button_of_the_next_row_is_not_that_of_a_row_without_one(browser: Browser) -> None:
    """S5.3: the row is no higher than its line."""
    page = PAGES["links"]
    state, store = browser.look(page(PATIENTS)), Pictures()
    target = teach(browser, state, browser.middle("[data-id='7701'] a"), store, ("{{patient}}",))
    for row in PATIENTS[2:]:
        bare = page(PATIENTS).split(f"<tr data-id={row[1]}>")
        bare[1] = bare[1].replace("<a href=#>Open</a>", "", 1)
        later = browser.look(f"<tr data-id={row[1]}>".join(bare))
        found = TargetResolver(pictures=store).resolve(target, later, variables={"patient": row[0]})
        assert found.point is None, (row, found.message)
