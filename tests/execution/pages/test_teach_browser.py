"""The page on which workflows are taught, in a real browser; the robot's end of its socket is the test's (S6.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from execution.lesson.telling import draft_told
from execution.models import Lesson
from tests.support.taught import SIZE, RobotEnd, at_work, desktop, held_step, make_lesson, open_box, question
from workflows.models import Node, Variable

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]

Taught = tuple[Page, RobotEnd, Lesson]


@pytest.fixture
def teach(page_of: Callable[..., Page], designer: Any) -> Callable[..., Taught]:
    """The designer's browser on a lesson that is given, and the robot's end of its socket."""

    def begin(on_open: Any = at_work, *, steps: bool = True, refuses: int = 0, **options: Any) -> Taught:
        lesson = make_lesson(designer, steps=steps)
        end = RobotEnd(lesson, on_open=on_open, refuses=refuses)
        page = page_of(designer, f"/teach/{lesson.lesson_id}", sockets={"**/ws/teach/**": end.serve}, **options)
        return page, end, lesson

    return begin


def shown(page: Page) -> None:
    expect(page.locator("#stage-empty")).to_be_hidden()
    expect(page.locator("#state")).to_contain_text("recording")


def at(page: Page, x: float, y: float) -> tuple[float, float]:
    """Where a pixel of the desktop lies on the page."""
    box = page.locator("#canvas").bounding_box()
    assert box
    return box["x"] + (x + 0.5) / SIZE[0] * box["width"], box["y"] + (y + 0.5) / SIZE[1] * box["height"]


def click(page: Page, x: float, y: float, **options: Any) -> None:
    page.mouse.click(*at(page, x, y), **options)


def sent(page: Page, end: RobotEnd, kind: str, count: int = 1) -> list[dict[str, Any]]:
    """The messages of that kind, once there are so many."""
    for _ in range(100):
        if len(end.of(kind)) >= count:
            return end.of(kind)
        page.wait_for_timeout(50)
    raise AssertionError(f"{count} of {kind} were awaited, heard: {end.heard}")


def ask(end: RobotEnd, **changes: Any) -> None:
    end.tell(rev=2, steps=[*draft_told(end.lesson)["steps"], held_step()], question={**question(), **changes})


# --- the picture -----------------------------------------------------------------------------------------------------
def test_a_picture_is_drawn_and_acknowledged_and_the_newest_wins(teach) -> None:
    page, end, _lesson = teach()
    shown(page)
    assert sent(page, end, "picture_ack")[0]["number"] == 1
    for number in range(2, 6):
        end.show(desktop(marked=number == 5), number)
    for _ in range(100):
        if end.of("picture_ack")[-1]["number"] == 5:
            break
        page.wait_for_timeout(50)
    acknowledged = [message["number"] for message in end.of("picture_ack")]
    assert acknowledged[-1] == 5
    assert acknowledged == sorted(acknowledged)


def test_what_is_done_on_the_picture_goes_to_the_same_place_of_the_desktop(teach) -> None:
    """Left, right, double, drag, wheel; the second of two quick clicks names the first, which is no step then."""
    page, end, _lesson = teach()
    shown(page)
    click(page, 300, 186)
    first = sent(page, end, "act")[0]
    assert (first["act"], first["keep"]) == ("click", True)
    assert abs(first["x"] - 300) <= 1
    assert abs(first["y"] - 186) <= 1
    page.wait_for_timeout(500)
    click(page, 200, 300, button="right")
    assert sent(page, end, "act", 2)[1]["act"] == "right_click"
    page.mouse.dblclick(*at(page, 400, 300))
    single, double = sent(page, end, "act", 4)[2:]
    assert (single["act"], double["act"], double["instead_of"]) == ("click", "double_click", single["id"])
    page.mouse.move(*at(page, 500, 300))
    page.mouse.down()
    page.mouse.move(*at(page, 560, 330), steps=4)
    page.mouse.up()
    drag = sent(page, end, "act", 5)[4]
    assert drag["act"] == "drag"
    assert abs(drag["dx"] - 60) <= 2
    assert abs(drag["dy"] - 30) <= 2
    page.mouse.wheel(0, 300)
    assert sent(page, end, "act", 6)[5] | {"id": ""} == {
        "type": "act", "id": "", "act": "scroll", "x": 560, "y": 330, "dx": 0, "dy": 3, "keep": True,
    }  # fmt: skip


def test_alt_held_acts_without_keeping(teach) -> None:
    page, end, _lesson = teach()
    shown(page)
    page.keyboard.down("Alt")
    expect(page.locator("#tool-hint")).to_contain_text("not kept")
    click(page, 300, 186)
    page.keyboard.up("Alt")
    assert sent(page, end, "act")[0]["keep"] is False


def test_hover_says_what_would_be_kept_before_it_is(teach) -> None:
    """S6.11: the box lights up with its sentence, its like are drawn dashed; clicks are not waited for."""
    page, end, _lesson = teach()
    shown(page)
    page.mouse.move(*at(page, 1050, 345))
    asked = sent(page, end, "pointer")[-1]
    end.say(
        type="hover", x=asked["x"], y=asked["y"], box=open_box(1), role="button", ambiguous=True,
        sentence="button “Ouvrir”, number 2 of 6", alike=[open_box(0), open_box(2)],
    )  # fmt: skip
    expect(page.locator(".sign-tag")).to_have_text("button “Ouvrir”, number 2 of 6")
    expect(page.locator(".spot.runner")).to_have_count(2)
    page.click("#boxes")
    expect(page.locator(".spot")).to_have_count(0)


def test_zoom_keeps_places_exact(teach) -> None:
    page, end, _lesson = teach()
    shown(page)
    page.click('[data-zoom="in"]')
    page.click('[data-zoom="in"]')
    expect(page.locator('[data-zoom="out"]')).to_be_visible()
    view = page.locator("#view").bounding_box()
    assert view
    x, y = view["x"] + view["width"] / 2, view["y"] + view["height"] / 2
    page.mouse.click(x, y)
    act = sent(page, end, "act")[0]
    assert all(abs(a - b) <= 1 for a, b in zip(at(page, act["x"], act["y"]), (x, y), strict=True))


# --- keys ------------------------------------------------------------------------------------------------------------
def test_keys_go_to_the_desktop_whole_and_escape_lets_go(teach) -> None:
    """Composed and pasted text arrives whole, chords by their names; Escape gives the keys back to the page."""
    page, end, _lesson = teach()
    shown(page)
    click(page, 300, 186)
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop · Esc lets go")
    page.keyboard.type("Ab")
    page.keyboard.insert_text("ê")  # as a dead key or an input method composes it
    page.evaluate(
        """() => { const data = new DataTransfer(); data.setData("text/plain", "LEFÈVRE\\r\\nMarie");
        document.querySelector("#keys").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data})); }"""
    )
    assert [message["text"] for message in sent(page, end, "type", 4)] == ["A", "b", "ê", "LEFÈVRE\nMarie"]
    for keys in ("Control+s", "Enter", "Shift+Tab", "Alt+F4", "PageDown", "F5", "Shift+Escape"):
        page.keyboard.press(keys)
    chords = [message["keys"] for message in sent(page, end, "keys", 7)]
    assert chords == ["ctrl+s", "enter", "shift+tab", "alt+f4", "pagedown", "f5", "esc"]
    page.keyboard.press("z")
    page.keyboard.press("Escape")
    expect(page.locator("#keys-line")).to_contain_text("Click the picture")
    page.keyboard.press("z")
    assert sent(page, end, "undo")[0]["n"] == 1
    assert len(end.of("undo")) == 1
    assert end.of("type")[-1]["text"] == "z"


# --- questions -------------------------------------------------------------------------------------------------------
def test_a_held_click_is_answered_by_its_number_and_the_keys_come_back(teach) -> None:
    """S6.11: the likely answer first and primary; while it is asked the keys answer."""
    page, end, _lesson = teach()
    shown(page)
    click(page, 1050, 345)
    ask(end)
    expect(page.locator("#question-title")).to_have_text("There are 6 Ouvrir. What says that it is this one?")
    expect(page.locator("#question .primary")).to_contain_text("The line of {{patient}}")
    expect(page.locator(".spot.because")).to_have_count(1)
    expect(page.locator(".spot.runner")).to_have_count(5)
    acts = len(end.of("act"))
    click(page, 300, 186)  # one thing at a time
    page.wait_for_timeout(450)  # what has just come is read first
    page.keyboard.press("1")
    assert sent(page, end, "answer")[0] | {"values": {}} == {
        "type": "answer", "question": "4", "choice": "row:patient", "values": {},
    }  # fmt: skip
    expect(page.locator("#question .primary")).to_be_disabled()
    assert len(end.of("act")) == acts
    end.tell(rev=3)
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")


def test_which_of_several_may_be_a_number_that_a_run_gives(teach) -> None:
    """S6.11: the line number {{n}}."""
    page, end, _lesson = teach()
    shown(page)
    ask(end)
    page.get_by_role("button", name="The number that a run gives").click()
    page.get_by_label("Variable that holds the number").fill("line")
    page.keyboard.press("Enter")
    answer = sent(page, end, "answer")[0]
    assert (answer["choice"], answer["values"]) == ("number", {"variable": "line"})


def test_a_held_click_can_be_let_go(teach) -> None:
    page, end, _lesson = teach()
    shown(page)
    ask(end)
    page.get_by_role("button", name="Do nothing").click()
    assert sent(page, end, "cancel")[0]["question"] == "4"


def test_the_same_screen_is_said_and_can_be_contradicted(teach) -> None:
    """S6.10"""
    page, end, lesson = teach()
    shown(page)
    expect(page.locator("#question-title")).to_have_text("This is Queue")
    page.get_by_role("button", name="It is another screen").click()
    sent(page, end, "new_screen")
    Node.objects.create(workflow=lesson.workflow, node_id="record", name="Record")
    end.tell(rev=2)
    page.select_option("[data-key=same_screen]", "record")
    assert sent(page, end, "same_screen")[0]["node_id"] == "record"


# --- what was understood ---------------------------------------------------------------------------------------------
def test_signs_are_left_out_and_taken_back_with_one_choice(teach) -> None:
    """S6.11: the row of the target is another one at once, with what was left out kept beside it."""
    page, _end, lesson = teach()
    shown(page)
    page.locator("[data-row=step-1]").click()
    expect(page.locator("#panel-target")).to_contain_text("14 of 14 found")
    expect(page.locator("#panel-target")).to_contain_text("The label Rechercher beside it")
    page.select_option("[data-sign=named_by]", "left_out")
    expect(page.locator("li.left_out")).to_contain_text("The label")
    target = lesson.workflow.targets.get()
    assert "named_by" not in target.evidence
    page.select_option("[data-sign=named_by]", "needed")
    expect(page.locator("li.left_out")).to_have_count(0)
    target.refresh_from_db()
    assert target.evidence["needed"] == ["named_by"]
    assert target.evidence["named_by"]["text"] == "Rechercher"


def test_a_target_is_redrawn_on_the_picture_it_was_taught_on(teach) -> None:
    """S6.11: what shows by now may be another screen."""
    page, end, lesson = teach()
    lesson.steps.filter(index=1).update(picture_before=Node.objects.get().reference.digest)
    end.tell(rev=2)
    shown(page)
    page.locator("[data-row=step-1]").click()
    page.get_by_role("button", name="Redraw").click()
    expect(page.locator("#kept-picture")).to_be_visible()
    page.mouse.move(*at(page, 128, 80))
    page.mouse.down()
    page.mouse.move(*at(page, 256, 160), steps=3)
    page.mouse.up()
    message = sent(page, end, "redraw")[0]
    assert message["step"] == 1
    assert message["box"] == pytest.approx([0.1, 0.1, 0.1, 0.1], abs=0.004)
    expect(page.locator("#kept-picture")).to_be_hidden()
    assert end.of("act") == []


def test_a_secret_is_made_one_before_it_is_typed(teach) -> None:
    """S6.1: it is in one message to the robot and on no page that stays."""
    page, end, _lesson = teach()
    shown(page)
    click(page, 300, 186)
    page.get_by_role("button", name="Type a value").click()
    dialog = page.locator("#type-dialog")
    expect(dialog.get_by_role("button", name="{{patient}} LEFÈVRE Marie")).to_be_visible()
    dialog.get_by_label("Secret text").fill("hunter2-Azerty")
    dialog.get_by_role("button", name="Type it on the desktop").click()
    typed = sent(page, end, "type")[0]
    assert (typed["text"], typed["secret"]) == ("{{password}}", "hunter2-Azerty")
    assert Variable.objects.get(name="password").kind == "secret"
    assert "hunter2" not in page.content()
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")


def test_texts_of_a_screen_and_its_areas_are_changed_on_the_page(teach) -> None:
    """S6.10: a press leaves a text out, data is crossed out, an area is drawn on the picture."""
    page, _end, _lesson = teach()
    shown(page)
    page.click("#tab-screen")
    page.locator("[data-chip='File active']").click()
    expect(page.locator("[data-chip='File active']")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".chip.data")).to_have_text("BERNARD Chloé")
    page.get_by_role("button", name="Must be empty").click()
    page.mouse.move(*at(page, 128, 80))
    page.mouse.down()
    page.mouse.move(*at(page, 640, 160), steps=3)
    page.mouse.up()
    expect(page.locator(".region.must_not")).to_have_count(1)
    node = Node.objects.get(node_id="queue")
    assert node.texts == ["Rechercher"]
    kinds = [region["kind"] for region in node.regions]
    assert kinds == ["ignore", "must_not"]
    assert node.regions[1]["box"] == pytest.approx([0.1, 0.1, 0.4, 0.1], abs=0.004)
    page.get_by_label("Name of the screen").fill("Waiting list")
    page.keyboard.press("Tab")
    expect(page.locator("#steps .group-name strong").first).to_have_text("Waiting list")


def test_variables_are_renamed_everywhere_and_get_their_allowed_values(teach) -> None:
    page, _end, _lesson = teach()
    shown(page)
    page.click("#tab-variables")
    page.click("[data-variable=patient] summary")
    page.get_by_label("Name", exact=True).first.fill("person")
    page.keyboard.press("Tab")
    expect(page.locator("[data-row=step-2] .step-name")).to_have_text("Type {{person}}")
    page.get_by_label("Allowed values").fill("LEFÈVRE Marie\nNGUYEN Paul")
    page.keyboard.press("Tab")
    expect(page.locator("#saving")).to_have_text("")
    for _ in range(40):
        if Variable.objects.get(name="person").choices:
            break
        page.wait_for_timeout(50)
    assert Variable.objects.get(name="person").choices == ["LEFÈVRE Marie", "NGUYEN Paul"]


# --- done ------------------------------------------------------------------------------------------------------------
def test_done_lists_what_is_left_to_mend_goes_there_and_publishes(teach) -> None:
    """S6.1: each thing with a button that goes there; then published, and the first run is offered."""
    page, _end, lesson = teach()
    shown(page)
    page.click("#done")
    dialog = page.locator("#done-dialog")
    expect(dialog).to_contain_text("1 thing to mend before publishing")
    dialog.get_by_role("button", name=re.compile("Go there: The graph has no end")).click()
    expect(dialog).not_to_be_visible()
    page.get_by_label("A run ends here").check()
    expect(page.locator("#problems-count")).to_be_hidden()
    page.click("#done")
    expect(dialog).to_contain_text("Ready to publish")
    dialog.get_by_role("button", name="Publish").click()
    expect(dialog).to_contain_text("Published as version 1")
    dialog.get_by_role("link", name="Start the first run").click()
    page.wait_for_url(re.compile("/runs/new"))
    lesson.refresh_from_db()
    assert lesson.state == "done"
    assert lesson.workflow.versions.count() == 1


# --- for everybody ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_keeps_anybody_from_using_it(teach, scheme: str, width: int) -> None:
    """U8, WCAG AA by axe: while it is asked, and on every panel."""
    options = {"viewport": {"width": width, "height": 860}, "color_scheme": scheme, "bypass_csp": True}
    page, end, _lesson = teach(**options)
    shown(page)
    found = {"steps": faults(page)}
    ask(end)
    expect(page.locator(".live-question.asks")).to_be_visible()
    for tab in ("target", "screen", "variables", "problems"):
        page.click(f"#tab-{tab}")
        if tab == "variables":
            page.click("details.variable summary")
        found[tab] = faults(page)
    page.click("#done")
    found["done"] = faults(page)
    assert {where: told for where, told in found.items() if told} == {}


def faults(page: Page) -> list[str]:
    """What axe finds on the page as it is."""
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(page, options=rules).response["violations"]]


# --- connections -----------------------------------------------------------------------------------------------------
def test_a_lost_connection_is_said_and_is_back_within_three_seconds(teach) -> None:
    page, end, _lesson = teach()
    shown(page)
    for _ in range(4):  # however often: the wait does not grow beyond three seconds
        before = end.opened
        end.route.close(code=4500)
        expect(page.locator("#state")).to_contain_text("reconnecting")
        expect(page.locator("#stage")).to_have_class(re.compile("lost"))
        expect(page.locator("#stage")).not_to_have_class(re.compile("lost"), timeout=3000)
        assert end.opened == before + 1


def test_it_is_said_where_somebody_else_has_the_lesson(teach) -> None:
    page, end, _lesson = teach(None, refuses=4409)
    expect(page.locator("#question-title")).to_have_text("Somebody else has this lesson")
    end.refuses, end.on_open = 0, at_work
    page.get_by_role("button", name="Try again").click()
    shown(page)


def test_it_is_said_where_the_robot_is_away(teach) -> None:
    page, end, _lesson = teach(lambda end: end.tell(state="away", problem="Nobody was there for 120 s."))
    expect(page.locator("#question-title")).to_have_text("The robot is away")
    expect(page.locator("#question")).to_contain_text("Nobody was there for 120 s.")
    page.mouse.click(700, 400)
    page.wait_for_timeout(100)
    assert end.of("act") == []


def test_on_a_phone_a_tap_clicks_and_nothing_is_wider_than_the_page(teach) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page, end, _lesson = teach(**phone)
    shown(page)
    page.locator("#canvas").scroll_into_view_if_needed()
    page.touchscreen.tap(*at(page, 300, 186))
    act = sent(page, end, "act")[0]
    assert abs(act["x"] - 300) <= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#keys-line")).to_contain_text("Click the picture")  # no keyboard jumps up
    page.click("#keyboard")
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")
