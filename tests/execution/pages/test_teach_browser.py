"""The page on which workflows are taught, in a real browser; the robot's end of its socket is the test's (S6.1)."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.support.display import wait_until
from tests.support.taught import at_work, desktop, open_box
from tests.support.teach_page import ask, at, click, sent, shown, tool

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]


# --- the picture -----------------------------------------------------------------------------------------------------
def test_a_picture_is_drawn_and_acknowledged_and_the_newest_wins(teach) -> None:
    page, end, _lesson = teach()
    assert sent(page, end, "picture_ack")[0]["number"] == 1
    for number in range(2, 6):
        end.show(desktop(marked=number == 5), number)
    wait_until(lambda: page.wait_for_timeout(50) or end.of("picture_ack")[-1]["number"] == 5, what="the newest picture")
    acknowledged = [message["number"] for message in end.of("picture_ack")]
    assert acknowledged == sorted(acknowledged)


def test_what_is_done_on_the_picture_goes_to_the_same_place_of_the_desktop(teach) -> None:
    """Left, right, double, drag, wheel; the second of two quick clicks names the first, which is no step then."""
    page, end, _lesson = teach()
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
    wheel = sent(page, end, "act", 6)[5]
    assert (abs(wheel["x"] - 560) <= 2, abs(wheel["y"] - 330) <= 2) == (True, True)
    assert {**wheel, "id": "", "x": 0, "y": 0} == {
        "type": "act", "id": "", "act": "scroll", "x": 0, "y": 0, "dx": 0, "dy": 3, "keep": True,
    }  # fmt: skip


def test_alt_held_acts_without_keeping(teach) -> None:
    page, end, _lesson = teach()
    page.keyboard.down("Alt")
    expect(page.locator("#tool-hint")).to_contain_text("not kept")
    click(page, 300, 186)
    page.keyboard.up("Alt")
    assert sent(page, end, "act")[0]["keep"] is False


def test_hover_says_what_would_be_kept_before_it_is(teach) -> None:
    """S6.11: the box lights up with its sentence, its like are drawn dashed; clicks are not waited for."""
    page, end, _lesson = teach()
    page.mouse.move(*at(page, 1050, 345))
    asked = sent(page, end, "pointer")[-1]
    end.say(
        type="hover", x=asked["x"], y=asked["y"], box=open_box(1), role="button", ambiguous=True,
        sentence="button “Ouvrir”, number 2 of 6", alike=[open_box(0), open_box(2)],
    )  # fmt: skip
    expect(page.locator("#hover-line")).to_have_text("button “Ouvrir”, number 2 of 6")
    expect(page.locator(".spot.runner")).to_have_count(2)
    page.click("#boxes")
    expect(page.locator(".spot")).to_have_count(0)


def sizes(page: Page) -> tuple[float, float, float]:
    """Pixels of the page for one of the desktop, and what of the desktop stands in the view's left and top corner."""
    return tuple(
        page.evaluate(
            """() => { const view = document.querySelector("#view");
            const scale = document.querySelector("#canvas").getBoundingClientRect().width / 1280;
            return [scale, view.scrollLeft / scale, view.scrollTop / scale]; }"""
        )
    )


def test_the_window_is_shown_as_large_as_it_is_and_the_desktop_when_asked(teach) -> None:
    """S6.1: a dialog within it moves nothing; what is clicked is the same place of the desktop."""
    page, end, _lesson = teach()
    screen = {"type": "screen", "node_id": "queue", "name": "Queue", "why": "", "state": "known"}
    assert sizes(page)[0] < 0.8  # all of it
    end.say(**screen, window=[500, 250, 560, 230])
    wait_until(lambda: sizes(page)[0] > 0.99, what="its own size")
    shown = sizes(page)
    assert shown[0] == pytest.approx(1, abs=0.01)
    assert shown[1] <= 500 and shown[2] <= 250
    click(page, 700, 400)
    act = sent(page, end, "act")[0]
    assert (act["x"], act["y"]) == (pytest.approx(700, abs=1), pytest.approx(400, abs=1))
    end.say(**screen, window=[600, 300, 300, 120])
    end.say(type="told", text="A dialog came.")
    expect(page.locator("#question")).to_contain_text("A dialog came.")
    assert sizes(page) == shown
    page.get_by_role("button", name="The whole desktop").click()
    wait_until(lambda: sizes(page)[0] < 0.8, what="all of the desktop")
    page.get_by_role("button", name="The whole desktop").click()
    end.say(**screen, window=[0, 0, 1280, 790])
    wait_until(lambda: sizes(page)[0] < 0.8, what="all of the desktop")
    expect(page.get_by_role("button", name="The whole desktop")).to_be_hidden()


def test_the_page_is_dark_when_the_system_is(teach) -> None:
    """While it is open as well, unless somebody chose otherwise here; who chooses as the system is follows it again."""
    page, _end, _lesson = teach(color_scheme="light")
    html = page.locator("html")
    page.emulate_media(color_scheme="dark")
    expect(html).to_have_attribute("data-bs-theme", "dark")
    switch = page.locator("[data-theme-switch]").first
    switch.click()
    expect(html).to_have_attribute("data-bs-theme", "light")
    page.emulate_media(color_scheme="light")
    page.emulate_media(color_scheme="dark")
    expect(html).to_have_attribute("data-bs-theme", "light")
    switch.click()
    page.emulate_media(color_scheme="light")
    expect(html).to_have_attribute("data-bs-theme", "light")
    page.emulate_media(color_scheme="dark")
    expect(html).to_have_attribute("data-bs-theme", "dark")


def test_zoom_keeps_places_exact(teach) -> None:
    page, end, _lesson = teach()
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


# --- for everybody ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "locale"), [(1440, "en"), (390, "en"), (1280, "fr"), (390, "fr")])
def test_nothing_keeps_anybody_from_using_it(teach, scheme: str, width: int, locale: str) -> None:
    """U8, WCAG AA by axe: while it is asked, and on every panel, in both languages; nothing is wider than the page."""
    options = {
        "viewport": {"width": width, "height": 860}, "color_scheme": scheme, "bypass_csp": True, "locale": locale,
    }  # fmt: skip
    page, end, _lesson = teach(**options)
    found = {"steps": faults(page)}
    page.click("#more-tools")
    found["more tools"] = faults(page)
    page.keyboard.press("Escape")
    for name in ("choose", "set_state", "pick_date", "visual_login"):
        tool(page, name)
        if name != "visual_login":
            click(page, 300, 186)
        expect(page.locator(".control-form")).to_be_visible()
        found[name] = faults(page)
        page.keyboard.press("Escape")
    ask(end)
    expect(page.locator(".live-question.asks")).to_be_visible()
    for tab in ("target", "screen", "variables", "problems"):
        page.click(f"#tab-{tab}")
        if tab == "variables":
            page.click("details.variable summary")
        if tab == "target":
            page.locator("[data-row=step-1]").click()
            page.locator("[data-key=only_if]").click()
            page.locator("[data-key=each_line]").click()
        found[tab] = faults(page)
    page.click("#done")
    found["done"] = faults(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert {where: told for where, told in found.items() if told} == {}


def faults(page: Page) -> list[str]:
    """What axe finds on the page as it is."""
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(page, options=rules).response["violations"]]


# --- connections -----------------------------------------------------------------------------------------------------
def test_a_lost_connection_is_said_and_is_back_within_three_seconds(teach) -> None:
    page, end, _lesson = teach()
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
    page.locator("#canvas").scroll_into_view_if_needed()
    page.touchscreen.tap(*at(page, 300, 186))
    act = sent(page, end, "act")[0]
    assert abs(act["x"] - 300) <= 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator("#keys-line")).to_contain_text("Click the picture")  # no keyboard jumps up
    page.click("#keyboard")
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")
