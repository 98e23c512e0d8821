"""What is filled in, ticked or shown next in a form lies over nothing; what does is still told (S1.6, S6.10)."""

from __future__ import annotations

from execution.matching.dialogs import over_known
from execution.types import Box, Element, ElementRole, ScreenState, TextLine, Window
from tests.execution.perception.drawing import Canvas

WINDOW = Box(20, 20, 700, 460)
GREY, WHITE, DARK = (217, 217, 217), (255, 255, 255), (0, 0, 0)
LABELS = ("File number", "Name", "Date", "Room")


class Page(Canvas):
    """A window with a side bar before the words of another window; what it shows comes into it."""

    def __init__(self) -> None:
        super().__init__(1100, 520, background=GREY)
        self.elements: list[Element] = []
        for row, text in enumerate(("Lines of another window", "They stay as they are", "System messages", "None")):
            self.text(text, 800, 60 + 30 * row)
        self.text("Admissions", 330, 26)
        for row, text in enumerate(("Patients", "Orders", "Letters", "Settings")):
            self.text(text, 50, 80 + 40 * row)

    def shown(self) -> ScreenState:
        return self.state(window=Window(title="Admissions", box=WINDOW), elements=self.elements)


def a_form(*values: str, ring: int = -1, fasting: bool = False) -> Page:
    page = Page()
    page.text("New admission", 180, 60, size=22)
    for row, label in enumerate(LABELS):
        box = Box(320, 110 + 40 * row, 300, 26)
        page.text(label, 180, box.y + 5)
        page.field(box)
        if row == ring:
            page.draw.rectangle((box.x - 2, box.y - 2, box.right + 1, box.bottom + 1), outline=DARK, width=2)
        value = values[row] if row < len(values) else ""
        if value:
            page.text(value, box.x + 5, box.y + 5, ink=DARK)
        # a field with a short text in it, and the ring of the focus, are often taken for a button
        role = ElementRole.BUTTON if value and row == ring else ElementRole.FIELD
        page.elements.append(Element(box=box, role=role, text=value))
    mark = Box(320, 274, 13, 13)
    page.field(mark)
    page.text("x Fasting" if fasting else "Fasting", mark.x if fasting else 340, 272, ink=DARK)
    if not fasting:
        page.elements.append(Element(box=mark, role=ElementRole.CHECKBOX, text="Fasting"))
    page.elements.append(Element(box=page.button("Save", Box(180, 310, 90, 30)), role=ElementRole.BUTTON, text="Save"))
    return page


def saved() -> Page:
    page = Page()
    page.text("Admission saved", 180, 60, size=22)
    page.text("Anna Berger", 180, 110)
    button = page.button("Next admission", Box(180, 150, 150, 30))
    page.elements.append(Element(box=button, role=ElementRole.BUTTON, text="Next admission"))
    return page


def asked() -> Page:
    """A question in a frame of its own on the ground of the form, that nothing found as a frame."""
    page = a_form("004711")
    box = Box(260, 130, 300, 130)
    page.draw.rectangle((box.x, box.y, box.right, box.bottom), fill=GREY, outline=DARK, width=2)
    page.lines = [line for line in page.lines if not box.intersection(line.box).area]
    page.elements = [element for element in page.elements if not box.intersection(element.box).area]
    page.text("Discard this admission?", 280, 150)
    for column, text in enumerate(("Discard", "Stay")):
        button = page.button(text, Box(280 + 120 * column, 200, 100, 30))
        page.elements.append(Element(box=button, role=ElementRole.BUTTON, text=text))
    return page


def test_what_is_typed_into_a_field_lies_over_nothing() -> None:
    assert over_known(a_form("004711", ring=0).shown(), a_form().shown()) is None
    assert over_known(a_form("004711", "Anna Berger", ring=1).shown(), a_form("004711", ring=0).shown()) is None


def test_a_box_that_is_ticked_lies_over_nothing_whatever_its_mark_is_read_as() -> None:
    assert over_known(a_form(fasting=True).shown(), a_form().shown()) is None


def test_the_page_that_a_form_leads_to_lies_over_nothing_and_so_does_the_form_that_comes_back() -> None:
    """Its side bar stays, as do the words of other windows; what stood in the middle is gone."""
    form, next_page = a_form("004711", "Anna Berger").shown(), saved().shown()
    assert over_known(next_page, form) is None
    assert over_known(a_form().shown(), next_page) is None


def test_a_question_with_edges_of_its_own_lies_over_the_form() -> None:
    over = over_known(asked().shown(), a_form("004711").shown())
    assert over is not None
    assert [button.text for button in over.buttons] == ["Discard", "Stay"]
    assert "Discard this admission?" in over.texts


def test_words_of_other_windows_are_nothing_of_the_page_that_stays_behind() -> None:
    """A page of its own in a window that shows nothing else: all of it is another one."""
    page, other = (Canvas(1100, 520, background=GREY) for _ in range(2))
    for canvas, text in ((page, "Question"), (other, "Answer")):
        for row in range(4):
            canvas.text("Words of another window", 800, 60 + 30 * row)
        canvas.draw.rectangle((200, 150, 500, 300), fill=WHITE, outline=DARK, width=2)
        canvas.lines.append(TextLine(text=text, box=canvas.text(text, 240, 200, ink=DARK)))
    window = Window(title="", box=WINDOW)
    other.draw.rectangle((200, 150, 500, 300), outline=(255, 0, 0), width=3)
    assert over_known(other.state(window=window), page.state(window=window)) is None
