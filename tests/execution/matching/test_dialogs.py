"""What lies over a page that can still be read behind it, on real pages: dialogs and nothing else (S1.6, S5.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.matching import Matcher, Reading
from execution.matching.dialogs import Dialog, is_same_page, over_known, over_recognised, over_taught
from execution.perception.analyzer import ScreenAnalyzer
from execution.turn.popups import declared
from execution.types import Box, Element, ElementRole, ScreenState, TextLine, Window
from tests.execution.perception.drawing import Canvas, frame
from tests.support.browser import seen
from tests.support.display import missing_programs, virtual_desktop
from workflows.graph import GraphSpec, NodeSpec, PopupSpec

PAGE = """<title>Ward</title><style>body{font:15px "DejaVu Sans";margin:0;padding:24px} td{padding:6px 30px 6px 0}
button{font:inherit;padding:6px 16px} .box{position:fixed;background:#fff;border:1px solid #777;padding:18px}
.over{position:fixed;inset:0;background:rgba(0,0,0,.45)} dialog{font:inherit}
.tip{position:fixed;left:140px;top:66px;background:#333;color:#fff;padding:4px 8px}
.strip{position:fixed;left:0;right:0;bottom:0;background:#eee;padding:10px 24px}</style>
<h2>Patient list</h2><button>New</button> <button>Print</button> <input id=q placeholder="Search">
<table><tr><td>DUPONT Léa<td>8812<td>Room 12<tr><td>MARTIN Jean<td>4410<td>Room 3<tr><td>BERNARD Ana<td>9017<td>Room 7
<tr><td>PETIT Louis<td>5512<td>Room 9<tr><td>ROUX Claire<td>1204<td>Room 1</table><p id=more></p><div>%s</div>"""
ASKS = "<p>The session ends in two minutes.</p><button>Stay</button> <button>Log out</button>"
DIALOGS = {
    "modal": f"<dialog id=d>{ASKS}</dialog><script>d.showModal()</script>",
    "modal with form": "<dialog id=d><h3>Why?</h3><p>Name a reason to open this record.</p><input> "
    "<button>Stay</button> <button>Log out</button></dialog><script>d.showModal()</script>",
    "overlay": f"<div class=over><div class=box style='left:340px;top:190px;width:380px'>{ASKS}</div></div>",
    "over the table": f"<div class=box style='left:60px;top:120px;width:420px'>{ASKS}</div>",
    "over the ends of lines": f"<div class=box style='left:280px;top:150px;width:320px'>{ASKS}</div>",
    "blurred": f"<div class=over style='background:rgba(255,255,255,.6)'></div>"
    f"<div class=box style='left:350px;top:240px'>{ASKS}</div>",
}
OTHERS = {
    "nothing": "",
    "strip at the bottom": "<div class=strip>This site uses cookies. <button>Accept</button></div>",
    "tooltip": "<div class=tip>Prints the list</div>",
    "toast": "<div class=box style='right:20px;top:20px'>Saved at 10:42</div>",
    "suggestions": "<div class=box style='left:215px;top:106px'><div>DUPONT Léa</div><div>DUPUIS Paul</div></div>",
    "a panel below": "<div style='border:1px solid #999;padding:12px'>2 results <button>Open</button></div>",
    "another page": "<script>document.body.innerHTML='<h2>Settings</h2><p>Language</p><button>Save</button>'</script>",
}
LIST = NodeSpec(node_id="list", name="List", texts=("Patient list", "New"))


@pytest.fixture(scope="module")
def known(page: Any, analyzer: ScreenAnalyzer) -> ScreenState:
    page.set_content(PAGE % "")
    return seen(analyzer, page)


def show(page: Any, analyzer: ScreenAnalyzer, more: str) -> ScreenState:
    page.set_content(PAGE % more)
    return seen(analyzer, page)


def reading(state: ScreenState) -> Reading:
    return Reading(picture="p", maker="m", size=state.frame.size, texts=state.texts, elements=state.elements)


@pytest.mark.browser
@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_over_a_page_that_is_recognised_is_seen_quoted_and_its_buttons_are_named(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str
) -> None:
    state = show(page, analyzer, DIALOGS[name])
    graph = GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=(LIST,), edges=())
    assert Matcher(graph, pictures=None, embedder=None).recognise(state, variables={}).match is not None
    for taught in (None, reading(known)):
        dialog = over_recognised(state, known, LIST, taught=taught, variables={})
        assert dialog is not None
        assert [button.text for button in dialog.buttons] == ["Stay", "Log out"]
        said = dialog.told
        assert ("Name a reason" if "form" in name else "The session ends in two minutes") in said
        assert said.endswith("Its buttons: “Stay”, “Log out”")
        assert "Patient list" not in said
    shown = dialog.to_json(state)
    assert [b["text"] for b in shown["buttons"]] == ["Stay", "Log out"]
    for button in shown["buttons"]:
        x, y, w, h = button["box"]
        inside = page.evaluate(
            "([x, y]) => document.elementFromPoint(x * innerWidth, y * innerHeight).textContent", [x + w / 2, y + h / 2]
        )
        assert inside == button["text"]


@pytest.mark.browser
@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_dialog_is_not_said_to_lie_over_a_recognised_page(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str
) -> None:
    state = show(page, analyzer, OTHERS[name])
    for taught in (None, reading(known)):
        assert over_recognised(state, known, LIST, taught=taught, variables={}) is None


@pytest.mark.browser
def test_a_page_with_something_over_it_is_no_other_page(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState
) -> None:
    """A dialog over a page that only just opened is told by that page's picture, not by the page before."""
    assert is_same_page(show(page, analyzer, DIALOGS["modal"]), known)
    assert not is_same_page(show(page, analyzer, OTHERS["another page"]), known)


def test_an_icon_that_is_read_only_the_second_time_is_no_part_of_the_dialog() -> None:
    """It stands as it stood; with it the dialog would reach to the corner of the window, and be none."""
    canvas = Canvas(1000, 640, background=(255, 255, 255))
    for row, text in enumerate(("Patient list", "New", "Room 12", "Room 3")):
        canvas.text(text, 40, 60 + 60 * row, size=16)
    canvas.icon(4, 4)
    window = Window(title="Ward", box=Box(0, 0, 1000, 640))
    before = canvas.state(window=window)
    dimmed = (canvas.pixels * 0.9).astype("uint8")
    dimmed[:30, :30] = canvas.pixels[:30, :30]
    dimmed[280:400, 400:800] = 255
    asks = [TextLine(text="Somebody edits this order. Continue?", box=Box(430, 300, 300, 18))]
    asks.append(TextLine(text="Yes No", box=Box(430, 350, 60, 18)))
    for line in asks:
        dimmed[line.box.y : line.box.bottom : 2, line.box.x : line.box.right] = 0
    texts = (TextLine(text="5", box=Box(6, 6, 18, 18)), *before.texts, *asks)
    after = replace(before, frame=frame(dimmed), texts=texts)
    dialog = over_recognised(after, before, LIST, taught=None, variables={})
    assert dialog is not None
    assert dialog.texts == ("Somebody edits this order. Continue?", "Yes No")


ANOTHER_DAY = (("DUPONT Léa", "MOREL Zoé"), ("8812", "3307"), ("MARTIN Jean", "NOËL Luc"), ("Room 12", "Room 21"))


def on_another_day(page: Any, analyzer: ScreenAnalyzer, more: str, *, down: int = 0) -> ScreenState:
    """The page with other patients in its table, and farther down."""
    shown = (PAGE % more).replace("padding:24px}", f"padding:24px;padding-top:{24 + down}px}}")
    for was, now in ANOTHER_DAY:
        shown = shown.replace(was, now)
    page.set_content(shown)
    return seen(analyzer, page)


@pytest.mark.browser
@pytest.mark.parametrize("down", [0, 30])
@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_that_is_there_when_a_run_begins_is_told_by_the_taught_picture(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str, down: int
) -> None:
    """S1.6: nothing was seen before; the table behind shows other patients than the picture."""
    state = on_another_day(page, analyzer, DIALOGS[name], down=down)
    dialog = over_taught(state, LIST, taught=reading(known), picture=known.frame.pixels, variables={})
    assert dialog is not None
    assert [button.text for button in dialog.buttons] == ["Stay", "Log out"]
    own = reading(state)
    assert over_taught(state, LIST, taught=own, picture=state.frame.pixels, variables={}) is None


@pytest.mark.browser
@pytest.mark.parametrize("name", [n for n in DIALOGS if "table" not in n and "lines" not in n])
def test_a_dialog_whose_buttons_the_page_has_as_well_is_told_by_what_it_dims(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str
) -> None:
    more = DIALOGS[name].replace("Stay", "New").replace("Log out", "Print")
    state, taught = on_another_day(page, analyzer, more), reading(known)
    assert over_taught(state, LIST, taught=taught, picture=known.frame.pixels, variables={}) is not None
    assert over_recognised(show(page, analyzer, more), known, LIST, taught=taught, variables={}) is not None


@pytest.mark.browser
def test_a_dialog_whose_frame_and_buttons_were_not_found_is_told_by_what_it_dims(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState
) -> None:
    """What was read on a ground of its own is the dialog; the page's own data are new as well, and dimmed."""
    for state in (on_another_day(page, analyzer, DIALOGS["modal"]), show(page, analyzer, DIALOGS["modal"])):
        bare = replace(state, elements=())
        told = over_taught(bare, LIST, taught=reading(known), picture=known.frame.pixels, variables={})
        assert told is not None
        assert any("session ends" in text for text in told.texts)
        assert not any("MOREL" in text for text in told.texts)
    assert over_recognised(bare, known, LIST, taught=reading(known), variables={}) is not None


MORE_ROWS = (
    "<script>const t=document.querySelector('table');t.style.border='1px solid #777';for(const [i,r] of "
    "[...t.rows].entries()){r.insertCell().innerHTML=`<button>Open ${i}</button>`}"
    "for(let i=0;i<%d;i++)t.insertRow(0).innerHTML=`<td>NEWCOMER<td>77${i}1<td>Room 4${i}<td><button>Open</button>`"
    "</script>"
)


@pytest.mark.browser
@pytest.mark.parametrize("name", [*OTHERS, "more rows"])
def test_what_another_day_shows_when_a_run_begins_is_no_dialog(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str
) -> None:
    taught = show(page, analyzer, MORE_ROWS % 0) if name == "more rows" else known
    state = on_another_day(page, analyzer, OTHERS.get(name, MORE_ROWS % 3))
    assert over_taught(state, LIST, taught=reading(taught), picture=taught.frame.pixels, variables={}) is None


@pytest.mark.browser
def test_a_dialog_that_the_node_shows_itself_is_its_own(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState
) -> None:
    """A taught dialog is a screen of the workflow: by its picture, or by what it declares."""
    state = show(page, analyzer, DIALOGS["modal"])
    asks = NodeSpec(node_id="asks", name="Asks", texts=("The session ends in two minutes.",))
    assert over_known(state, known) is not None
    assert over_recognised(state, known, asks, taught=None, variables={}) is None
    assert over_recognised(state, known, LIST, taught=reading(state), variables={}) is None


@pytest.mark.browser
def test_a_strip_that_was_there_before_is_a_part_of_the_page(page: Any, analyzer: ScreenAnalyzer) -> None:
    before = show(page, analyzer, OTHERS["strip at the bottom"])
    page.evaluate("document.getElementById('more').textContent = 'Five patients'")
    assert over_recognised(seen(analyzer, page), before, LIST, taught=None, variables={}) is None


@pytest.mark.browser
@pytest.mark.parametrize("name", DIALOGS)
def test_a_declared_dialog_is_found_in_its_box_though_the_page_behind_is_recognised(
    page: Any, analyzer: ScreenAnalyzer, known: ScreenState, name: str
) -> None:
    state = show(page, analyzer, DIALOGS[name])
    dialog = over_recognised(state, known, LIST, taught=None, variables={})
    assert dialog is not None
    text = "Name a reason" if "form" in name else "session ends"
    found = declared([PopupSpec(name="Session", texts=(text,), click="Stay")], state, variables={}, at=dialog.box)
    assert found is not None
    assert dialog.box.contains(found.point or (0, 0))  # type: ignore[arg-type]
    behind = PopupSpec(name="Behind", texts=("Patient list",), click="New")
    assert declared([behind], state, variables={}, at=dialog.box) is None


@pytest.mark.display
def test_the_question_of_a_real_program_over_its_window_is_a_dialog(analyzer: ScreenAnalyzer) -> None:
    """Also by the picture of the screen alone, where the run has just come to it; not over one that is called so."""
    if missing := missing_programs("mousepad"):
        pytest.fail(f"install what this test needs: {', '.join(missing)}")

    def look(desktop: X11Desktop) -> ScreenState:
        return analyzer.analyze(settle(desktop, settle_ms=300, timeout_ms=4000).frame, desktop.window())

    editor = NodeSpec(node_id="editor", name="Editor", texts=("File", "Edit"))
    with virtual_desktop(1280, 800) as screen:
        screen.spawn(["mousepad"])
        screen.wait_for_window("Mousepad")
        desktop = X11Desktop(screen.display)
        try:
            desktop.type_text("seen at ten")
            before = look(desktop)
            assert over_recognised(before, before, editor, taught=None, variables={}) is None
            desktop.press(("ctrl", "q"))
            screen.wait_for_window("Save Changes")
            now = look(desktop)
        finally:
            desktop.close()
    taught = {"taught": reading(before), "picture": before.frame.pixels, "variables": {}}
    for asked in (
        over_recognised(now, before, editor, taught=None, variables={}),
        over_taught(now, replace(editor, window_title="*Mousepad"), **taught),
    ):
        assert asked is not None
        assert asked.title == "Save Changes"
        assert {b.text for b in asked.buttons} >= {"Cancel", "Save"}
    assert over_taught(now, replace(editor, window_title="Save*"), **taught) is None


FORM = """<title>Order</title><style>body{font:16px "DejaVu Sans";padding:24px}</style><h2>Order details</h2>
<p>Phone <input id=q value=0478123456></p><p><button id=s>Save</button> <button>Sign</button></p><p id=m>&nbsp;</p>
<p>Number: 48231</p><p>Ward 3</p>"""


@pytest.mark.browser
@pytest.mark.parametrize("said", ["", "Error 500: your changes could not be saved", "Saving…"])
def test_what_changes_in_a_form_when_it_is_sent_is_no_dialog(page: Any, analyzer: ScreenAnalyzer, said: str) -> None:
    """S1.6: the focus leaves a field and a message comes under its buttons: nothing lies over the form."""
    page.set_content(FORM)
    page.focus("#q")
    before = seen(analyzer, page)
    page.focus("#s")
    page.evaluate("said => { document.getElementById('m').textContent = said }", said or "\u00a0")
    assert over_known(seen(analyzer, page), before) is None


LETTERS = """<title>Letters</title><style>body{font:15px "DejaVu Sans";margin:0;background:#f4f6f8}
header{background:#1f4e79;color:#fff;padding:10px 24px} main{padding:16px 28px} h1{font-size:21px;margin:6px 0 14px}
table{border-collapse:collapse;background:#fff;min-width:620px} th{background:#e8eef4;font-weight:600}
td,th{border-bottom:1px solid #d9e0e6;padding:6px 14px;text-align:left}
button{font:inherit;padding:5px 10px;border:1px solid #9fb0c0;border-radius:4px;background:#fff}</style>
<header><b>Clinic Records</b> &nbsp; Patients &nbsp; Letters</header><main><h1>Letters to sign</h1>
<p>%d letter(s) wait for a signature</p>
<table><tr><th>Letter<th>Patient<th>Written on<th>Action</tr>%s</table></main>"""
KINDS = ("Referral", "Result letter", "Prescription renewal", "Sick note", "Discharge summary")
PEOPLE = ("Bernard Okafor", "Grace Lindqvist", "Amelia Stone", "Jonas Eberhardt", "Elena Petrova")


@pytest.mark.browser
@pytest.mark.parametrize("left", [4, 3, 2])
def test_a_list_of_which_one_line_went_is_no_dialog(page: Any, analyzer: ScreenAnalyzer, left: int) -> None:
    def letters(count: int) -> ScreenState:
        some = list(zip(KINDS, PEOPLE, range(20, 25), strict=True))[5 - count :]
        rows = (f"<tr><td>{kind}<td>{who}<td>2026-11-{day}<td><button>Sign</button>" for kind, who, day in some)
        page.set_content(LETTERS % (count, "".join(rows)))
        return seen(analyzer, page)

    before = letters(left + 1)
    assert over_known(letters(left), before) is None


def test_a_field_that_can_be_used_now_is_no_dialog() -> None:
    """The check box before it was ticked: its value is of now, and its writing no longer pale."""
    was, now = Canvas(700, 500), Canvas(700, 500)
    for canvas in (was, now):
        for row, text in enumerate(("Title", "User name", "Address", "Notes")):
            canvas.text(text, 40, 60 + 90 * row)
    disabled, enabled = Box(160, 230, 400, 30), Box(160, 230, 400, 30)
    was.draw.rectangle((160, 230, 559, 259), fill=(235, 235, 235), outline=(200, 200, 200))
    was.text("30 Nov 2026 09:06:49", 170, 238, ink=(160, 160, 160))
    now.field(enabled, "30 Nov 2026 09:07:51")
    window = Window(title="Add entry", box=Box(0, 0, 700, 500))
    group, field = Element(box=disabled, role=ElementRole.GROUP), Element(box=enabled, role=ElementRole.FIELD)
    then = was.state(window=window, elements=(group,))
    assert over_known(now.state(window=window, elements=(field,)), then) is None


def test_a_title_that_is_read_in_the_window_too_is_told_once() -> None:
    dialog = Dialog(title="Message", texts=("Message", "The menu has changed."), box=Box(0, 0, 90, 40))
    assert dialog.told == "“Message”: The menu has changed."


def owners(chosen: int, *, ring: bool) -> ScreenState:
    """Radio buttons of Tk: a ring around the caption of the one that has the focus, and none read as one line else."""
    canvas, marks, names = Canvas(700, 500), [], ("Hospital", "Rented", "Donated")
    for row, text in enumerate(("Name", "Serial", "Category", "Comment")):
        canvas.text(text, 40, 60 + 90 * row)
    for n, name in enumerate(names):
        box = Box(160 + 110 * n, 400, 12, 12)
        canvas.draw.ellipse((box.x, box.y, box.right, box.bottom), outline=(60, 60, 60), fill=(255, 255, 255))
        if n == chosen:
            canvas.draw.ellipse((box.x + 3, box.y + 3, box.right - 3, box.bottom - 3), fill=(0, 0, 0))
            if ring:
                canvas.draw.rectangle((box.x - 4, 394, box.right + 68, 420), outline=(0, 0, 0))
        canvas.text(name, box.right + 8, 398)
        marks.append(Element(box=box, role=ElementRole.RADIO, text=name))
    lines = [line for line in canvas.lines if line.text not in names]
    captions = [line for line in canvas.lines if line.text in names]
    if not ring:
        first, last = captions[0].box, captions[-1].box
        whole = Box(first.x, first.y, last.right - first.x, first.h)
        captions = [TextLine(text=" ".join(names), box=whole)]
    state = canvas.state(window=Window(title="New device", box=Box(0, 0, 700, 500)), elements=tuple(marks))
    return replace(state, texts=(*lines, *captions))


def test_the_ring_around_the_caption_that_was_chosen_is_no_dialog() -> None:
    assert over_known(owners(1, ring=True), owners(0, ring=False)) is None


def test_where_the_ring_goes_on_from_what_was_chosen_there_is_no_dialog() -> None:
    """With the ring around it the radio button was read as a frame with a caption."""
    known = owners(1, ring=True)
    ringed = replace(known, elements=tuple(e for e in known.elements if e.text != "Rented"))
    assert over_known(owners(1, ring=False), ringed) is None


def remarks(said: str, *, ring: bool = False, framed: Box | None = None) -> ScreenState:
    """A field of several rows in a form; `framed` is what lies in it with a button."""
    canvas, box = Canvas(700, 500), Box(200, 120, 400, 180)
    for at, text in enumerate(("Patient", "Ward", "Done", "Printed")):
        canvas.text(text, 40, (40, 80, 330, 370)[at])
    canvas.text("Remark", 40, 126)
    canvas.draw.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), outline=(0, 0, 0), width=3 if ring else 1)
    elements = [] if said else [Element(box=box, role=ElementRole.FIELD)]
    if framed:
        canvas.draw.rectangle(
            (framed.x, framed.y, framed.right, framed.bottom), fill=(220, 220, 220), outline=(0, 0, 0)
        )
        button = canvas.button("Close", Box(framed.right - 90, framed.bottom - 40, 80, 30))
        elements += [Element(box=framed, role=ElementRole.GROUP)]
        elements += [Element(box=button, role=ElementRole.BUTTON, text="Close")]
    if said:
        canvas.text(said, 210 + (40 if framed else 0), 130 + (40 if framed else 0))
    return canvas.state(window=Window(title="Form", box=Box(0, 0, 700, 500)), elements=elements)


def test_what_is_written_into_a_field_of_several_rows_is_no_dialog() -> None:
    """S6.15: with the ring around what has the focus it was a page of its own, called by what was typed."""
    assert over_known(remarks("Bring the old films", ring=True), remarks("")) is None
    assert over_known(remarks("Bring the old films"), remarks("")) is None


def test_what_lies_in_a_field_of_several_rows_with_a_frame_of_its_own_is_one() -> None:
    assert over_known(remarks("Nothing was found", framed=Box(240, 150, 300, 120)), remarks("")) is not None


def test_another_page_of_a_program_is_no_dialog_over_it_though_its_menu_stays() -> None:
    """S6.15: after saving, the box to search in was told as one, with its button to close it by."""
    then, now, window = Canvas(900, 600), Canvas(900, 600), Window(title="Desk", box=Box(0, 0, 900, 600))
    for canvas in (then, now):
        for row, text in enumerate(("Groups", "Users", "Referrals", "Wards", "Home", "Help", "Reports", "Rooms")):
            canvas.text(text, 30, 60 + 40 * row)
    for row, text in enumerate(("Patient", "Case", "Urgency")):
        then.text(text, 320, 100 + 60 * row)
    box = Box(300, 90, 500, 44)
    now.draw.rectangle((box.x, box.y, box.right, box.bottom), fill=(230, 230, 230))
    now.text("3 results", 660, 104)
    button = now.button("Search", Box(560, 96, 80, 30))
    for row, text in enumerate(("Samir Haddad", "Lucas Petit", "Odile Marchand", "Nora Lind", "By ward", "By done")):
        now.text(text, 320, 170 + 40 * row)
    elements = (Element(box=box, role=ElementRole.GROUP), Element(box=button, role=ElementRole.BUTTON, text="Search"))
    assert over_known(now.state(window=window, elements=elements), then.state(window=window)) is None
