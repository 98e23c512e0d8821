"""Somebody who teaches on the page alone: a browser at `/teach`, and eyes that see on its picture where things are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from execution.desktop.capture import settle
from execution.desktop.x11 import X11Desktop
from execution.language.fuzzy import folded
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, ElementRole, TextLine
from tests.support.browser import CHROMIUM, shot
from tests.support.display import wait_until
from tests.support.product import PASSWORD, Product

THIS_PLACE = "This very place"
_SAME = re.compile("^Always “")
_IS_ASKED_MS = 600  # after a click a question of it would be there by now
_DONE_MS = 180_000  # a list is opened, read, scrolled and read again, each look as slow as the machine is busy


@contextmanager
def teachers_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def page_teacher(world: Product, browser: Browser, analyzer: ScreenAnalyzer) -> Iterator[PageTeacher]:
    """Raises AssertionError at the end where the page's scripts complained."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en").new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    with closing(X11Desktop(world.screen.display)) as desktop:
        try:
            yield PageTeacher(page, desktop, analyzer)
        except BaseException:
            shot(page, path=world.data / "page.png")  # what the person saw last
            raise
        finally:
            page.context.close()
    assert complaints == []


class PageTeacher:
    """Sees the robot's desktop, and does everything on the page's picture of it."""

    def __init__(self, page: Page, desktop: X11Desktop, analyzer: ScreenAnalyzer) -> None:
        self.page, self.desktop, self.analyzer = page, desktop, analyzer

    # --- the lesson ---------------------------------------------------------------------------------------------------
    def begin(self, world: Product, name: str, *, person: str = "dora") -> None:
        page = self.page
        page.goto(f"{world.url}/login?next=/teach/new")
        page.fill("[name=username]", person)
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.fill("[name=name]", name)
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#state")).to_contain_text("recording", timeout=60_000)
        self.knows(re.compile(".+"))

    def knows(self, name: re.Pattern[str]) -> None:
        """Wait until the page says which screen it is."""
        expect(self.page.locator("#question-title")).to_have_text(re.compile(f"(This is|A new screen:) {name.pattern}"))

    def knows_screen(self, name: str) -> None:
        """Wait until the page says that it is the screen of that name, or a new one so called."""
        self.knows(re.compile(f"{re.escape(name)}.*"))

    def publish(self) -> None:
        """Done, published as its first version; the desktop is free for the first run."""
        page = self.page
        page.keyboard.press("Escape")
        page.click("#done")
        page.get_by_role("button", name="Publish").click()
        expect(page.locator("#done-dialog")).to_contain_text("Published as version 1")
        page.get_by_role("link", name="Start the first run").click()
        page.wait_for_url(re.compile("/runs/new"))

    # --- on the desktop -----------------------------------------------------------------------------------------------
    def click(self, text: str, *, beside: str = "", answer: str | re.Pattern[str] = THIS_PLACE) -> None:
        """On the lowest line that says it, or the one at the height of `beside`; where it is asked which, `answer`."""
        place = self.place(text, beside=beside).center
        self.click_at(place.x, place.y)
        self.answer(answer)

    def double_click(self, text: str, *, answer: str | re.Pattern[str] = THIS_PLACE) -> None:
        """By its tool: how quick two clicks of a browser are is the machine's matter."""
        place = self.place(text).center
        self.takes_tool("double_click")
        self.click_at(place.x, place.y)
        self.answer(answer)

    def click_at(self, x: int, y: int) -> None:
        """A place of the desktop; where the page shows the window alone, and that is beside it, all of it is shown."""
        left, top = self._on_page(x, y)
        view = self.page.locator("#view").bounding_box()
        assert view
        is_seen = 0 <= left - view["x"] < view["width"] and 0 <= top - view["y"] < view["height"]
        if not is_seen:
            self.page.click("#whole")
            left, top = self._on_page(x, y)
        self.page.mouse.click(left, top)

    def _on_page(self, x: int, y: int) -> tuple[float, float]:
        box = self.page.locator("#canvas").bounding_box()
        assert box
        width, height = self.desktop.grab().size
        return box["x"] + (x + 0.5) / width * box["width"], box["y"] + (y + 0.5) / height * box["height"]

    def presses(self, keys: str) -> None:
        """Keys as the browser names them, and wait until they are a step."""
        steps = self.page.locator(".step-button").count()
        self.page.locator("#keys").focus()
        self.page.keyboard.press(keys)
        expect(self.page.locator(".step-button")).to_have_count(steps + 1)

    def place(self, text: str, *, beside: str = "") -> Box:
        """Where the desktop says it."""
        found: list[Box] = []

        def look() -> bool:
            texts = self.texts()
            height = next((line.box.center.y for line in texts if folded(line.text) == folded(beside)), None)
            if beside and height is None:
                return False
            found[:] = [
                line.box
                for line in texts
                if folded(line.text) == folded(text)
                and (height is None or abs(line.box.center.y - height) < line.box.h)
            ]
            return bool(found)

        wait_until(look, what=f"“{text}” on the screen")
        return max(found, key=lambda box: box.y)

    def texts(self) -> tuple[TextLine, ...]:
        """What is read on the desktop once it stands still."""
        settle(self.desktop, settle_ms=200, timeout_ms=3000)
        return self.analyzer.analyze(self.desktop.grab(), self.desktop.window()).texts

    def types(self, text: str) -> None:
        """A text as a browser composes it, and wait until it is a step."""
        self.page.locator("#keys").focus()
        self.page.keyboard.insert_text(text)
        expect(self.step(text)).to_have_count(1)

    def fills(self, label: str, text: str, variable: str) -> None:
        """The field beside a label gets a text, which is the value of a variable from now on."""
        self.enters(label)
        self.types(text)
        self.is_variable(text, variable)

    def enters(self, label: str) -> None:
        """Click into the field beside a label."""
        self.click_at(*self.field(label).center)

    def field(self, label: str) -> Box:
        """The field beside a label."""
        named = self.place(label).center
        state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        beside = [e.box for e in state.elements if e.role == ElementRole.FIELD and e.box.x > named.x]
        return min(beside, key=lambda box: abs(box.center.y - named.y))

    def types_secret(self, name: str, secret: str) -> None:
        """A secret text for the desktop, under that name."""
        self.page.get_by_role("button", name="Type a value").click()
        dialog = self.page.locator("#type-dialog")
        dialog.get_by_label("Name of the variable").fill(name)
        dialog.get_by_label("Secret text").fill(secret)
        dialog.get_by_role("button", name="Type it on the desktop").click()
        expect(self.step("{{" + name + "}}")).to_have_count(1)

    def sets(self, act: str, place: Box, **params: str) -> None:
        """A control is brought to what is said: choose(option), set_state(state), pick_date(date, format)."""
        page = self.page
        steps = page.locator(".step-button").count()
        self.takes_tool(act)
        self.click_at(*place.center)
        form = page.locator(".control-form")
        if act == "set_state":
            form.locator(f"[data-key={params['state']}]").click()
        else:
            if "format" in params:
                form.locator("#control-format").select_option(params["format"])
            form.locator("#control-value").fill(params.get("option") or params["date"])
            form.locator("button[type=submit]").click()
        expect(page.locator(".step-button")).to_have_count(steps + 1, timeout=_DONE_MS)
        expect(form).to_have_count(0)

    def takes_tool(self, name: str) -> None:
        """What the pointer does next; it may stand behind “More”."""
        self.page.keyboard.press("Escape")
        tool = self.page.locator(f"[data-tool={name}]")
        if not tool.is_visible():
            self.page.click("#more-tools")
        tool.click()

    def reads(self, text: str, name: str) -> None:
        """A value that stands on the desktop, kept under that name."""
        self.takes_tool("read_value")
        self.click_at(*self.place(text).center)
        expect(self.step(name)).to_have_count(1)

    def waits_for(self, title: str) -> None:
        wait_until(lambda: title in getattr(self.desktop.window(), "title", ""), what=f"the window {title}")

    # --- on the page --------------------------------------------------------------------------------------------------
    def answer(self, answer: str | re.Pattern[str]) -> None:
        """What is asked of the click, if anything is; what looks like data is the same in every run."""
        asks = self.page.locator(".live-question.asks")
        self.page.wait_for_timeout(_IS_ASKED_MS)
        if asks.count():
            same, wanted = (asks.get_by_role("button", name=name) for name in (_SAME, answer))
            (same if same.count() else wanted).first.click()  # once enabled: what has just come takes no answer
            expect(asks).to_have_count(0)

    def step(self, text: str) -> Locator:
        return self.page.locator(".step-button", has_text=text)

    def is_variable(self, typed: str, name: str) -> None:
        """The text of the step that types it is a variable from now on."""
        page = self.page
        page.keyboard.press("Escape")
        self.step(typed).click()
        page.get_by_label("a variable").check()
        page.get_by_label("Name of the variable").fill(name)
        page.keyboard.press("Enter")
        expect(self.step("{{" + name + "}}")).to_have_count(1)

    def adds_variable(self, name: str, example: str, *, kind: str = "text") -> None:
        """A value that a run gives, before anything is typed: what the desktop shows of it is data."""
        page = self.page
        page.keyboard.press("Escape")
        page.click("#tab-variables")
        page.locator(".variable-add input").fill(name)
        page.locator(".variable-add select").select_option(kind)
        page.locator(".variable-add").get_by_role("button", name="Add").click()
        row = page.locator(f"[data-variable={name}]")
        row.locator("summary").click()
        row.get_by_label("Example").fill(example)
        page.keyboard.press("Tab")
        expect(row.locator("summary")).to_contain_text(example)
        row.locator("summary").click()

    def repeats(self, step: str, *, counter: str = "n") -> None:
        """The step is done for each line of its list; it was shown on the first one."""
        page = self.page
        page.keyboard.press("Escape")
        self.step(step).click()
        page.locator("[data-key=each_line]").click()
        form = page.locator(".ways-form")
        form.locator("input").first.fill(counter)
        form.locator("button[type=submit]").click()
        expect(self.step("for each line")).to_have_count(1)

    def must_be_record(self, step: str, **values: str) -> None:
        """The step is done only where these stand at their labels: `Name="{{patient}}"`."""
        page = self.page
        page.keyboard.press("Escape")
        self.step(step).click()
        for number, (label, value) in enumerate(values.items()):
            page.locator("[data-part=record] .link-button").click()
            page.get_by_label("Value that must be seen").nth(number).fill(value)
            page.get_by_label("At the label").nth(number).fill(label)
            page.locator(".identity-form button[type=submit]").click()
            expect(page.locator("#panel-target")).to_contain_text(value)
