"""S5.3: in another language the number in a line of menus or buttons, and the words around, tell the target."""

from __future__ import annotations

from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

ENGLISH = ("File", "Edit", "Search", "View", "Help")
FRENCH = ("Fichier", "Édition", "Rechercher", "Affichage", "Aide")


def menus(*names: str, title: str = "notes - Editor") -> ScreenState:
    """A menu bar whose entries are as wide as their words, so that each stands elsewhere in another language."""
    canvas, elements, x = Canvas(900, 500), [], 60
    for name in names:
        box = Box(x, 60, 9 * len(name) + 20, 28)
        canvas.text(name, x + 10, 66)
        elements.append(Element(box=box, role=ElementRole.MENU_ITEM, text=name))
        x = box.right + 4
    canvas.text("1", 80, 300)
    return canvas.state(elements=elements, window=Window(title=title, box=Box(50, 50, 800, 400)))


def found_in(state: ScreenState, word: str, *names: str) -> Resolution:
    store, first = Pictures(), menus(*(names or ENGLISH))
    (box,) = [e.box for e in first.elements if e.text == word]
    target = teach_target(first.frame, box, label=word, state=first, click=None, store=store)
    return TargetResolver(pictures=store).resolve(target, state, variables={}, effect=EffectClass.READ)


def test_a_menu_of_a_bar_in_another_language_is_found_or_asked_about():
    """For an act that reads; never is another one of the bar taken for it."""
    state, points = menus(*FRENCH), {}
    for word in ENGLISH:
        found = found_in(state, word)
        if found.status is ResolveStatus.FOUND:
            points[word] = found.point
    right = {e.text: e.box for e in state.elements}
    assert all(right[FRENCH[ENGLISH.index(word)]].contains(point) for word, point in points.items())
    assert len(points) > len(ENGLISH) / 2


def test_a_menu_that_is_not_in_the_bar_any_more_is_not_taken_for_the_one_in_its_place():
    found = found_in(menus("Fichier", "Rechercher", "Affichage", "Aide"), "Edit")
    assert (found.status, found.point) == (ResolveStatus.NOT_FOUND, None)


def test_a_word_that_nobody_knows_is_not_believed_between_others_than_its_own():
    taught = ("File", "Edit", "Ledgering", "View", "Help")
    moved = menus("Fichier", "Grand livre", "Aide", "Affichage", "Édition")
    assert found_in(moved, "Ledgering", *taught).status is not ResolveStatus.FOUND
