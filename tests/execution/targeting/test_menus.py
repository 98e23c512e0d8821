"""S5.3: an entry of a menu is found by its words, whatever is read of the keys beside it, in another language too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Box, Element, ElementRole, Resolution, ResolveStatus, ScreenState, Window
from tests.execution.perception.drawing import Canvas, Pictures
from workflows.choices import EffectClass

Entry = tuple[str, str]
ENGLISH: tuple[Entry, ...] = (
    ("New", "Ctrl+N"), ("New Window", "Shift+Ctrl+N"), ("Open...", "Ctrl+O"), ("Save", "Ctrl+S"),
    ("Save As...", "Shift+Ctrl+S"), ("Close Tab", "Ctrl+W"), ("Quit", "Ctrl+Q"),
)  # fmt: skip
FRENCH: tuple[Entry, ...] = (
    ("Nouveau", "Ctrl+N"), ("Nouvelle fenêtre", "Maj+Ctrl+N"), ("Ouvrir...", "Ctrl+O"), ("Enregistrer", "Ctrl+S"),
    ("Enregistrer sous...", "Maj+Ctrl+S"), ("Fermer l’onglet", "Ctrl+W"), ("Quitter", "Ctrl+Q"),
)  # fmt: skip


def menu(
    entries: Sequence[Entry], *, size: int = 13, wide: int = 260, near: bool = False, over: Sequence[str] = ()
) -> ScreenState:
    """A menu that is pulled down; `near` has the keys right behind the words, and the reader takes both for one.

    `over` are the beginnings of the lines that it lies over, and of its entries only the words are told apart.
    """
    canvas, high, elements = Canvas(900, 600), 2 * size, list[Element]()
    for number, text in enumerate(over):
        canvas.text(text, 80, 118 + 17 * number, size=size)
    for number, (words, keys) in enumerate(entries):
        box = Box(100, 120 + high * number, wide, high)
        if near:
            canvas.text(f"{words} {keys}", box.x + 14, box.y + 5, size=size)
        else:
            canvas.text(words, box.x + 14, box.y + 5, size=size)
            canvas.text(keys, box.right - 9 * len(keys), box.y + 5, size=size)
        elements.append(Element(box=box, role=ElementRole.MENU_ITEM, text=words))
    elements = [] if over else elements
    return canvas.state(elements=elements, window=Window(title="Notes", app_name="Notes", box=Box(60, 40, 800, 500)))


def entry_of(state: ScreenState, words: str) -> Box:
    (box,) = [e.box for e in state.elements if e.text == words]
    return box


def found(words: str, now: ScreenState, *, taught: Sequence[Entry] = ENGLISH, text: str = "") -> Resolution:
    """Where it is now; `text` is what it was taught with in place of what would be."""
    first, store = menu(taught), Pictures()
    target = teach_target(first.frame, entry_of(first, words), label=words, state=first, click=None, store=store)
    target = replace(target, text=text or target.text)
    return TargetResolver(pictures=store).resolve(target, now, variables={}, effect=EffectClass.READ)


@pytest.mark.parametrize(("words", "keys"), ENGLISH)
def test_an_entry_is_found_where_its_keys_are_read_together_with_it(words: str, keys: str) -> None:
    now = menu(ENGLISH, near=True)
    there = found(words, now)
    assert there.status is ResolveStatus.FOUND, there.message
    assert entry_of(now, words).contains(there.point)


def test_an_entry_that_was_taught_with_keys_read_badly_is_found_by_its_words() -> None:
    now = menu(ENGLISH, size=15)
    there = found("Quit", now, text="Quit Ctrl+")
    assert there.status is ResolveStatus.FOUND, there.message
    assert entry_of(now, "Quit").contains(there.point)


@pytest.mark.parametrize(("words", "_keys"), ENGLISH)
def test_an_entry_is_known_by_what_it_means(words: str, _keys: str) -> None:
    now = menu(FRENCH, wide=320)
    there = found(words, now)
    right = entry_of(now, dict(zip((w for w, _ in ENGLISH), (w for w, _ in FRENCH), strict=True))[words])
    assert there.point is None or right.contains(there.point), there
    if words in ("New", "Save", "Save As...", "Quit"):
        assert there.status is ResolveStatus.FOUND, there.message


@pytest.mark.parametrize("choice", ["New Window", "Close Tab", "Quit"])
def test_an_entry_is_clicked_at_its_words_whatever_the_menu_lies_over(choice: str) -> None:
    """A box as wide as the taught entry, around words that stand at its left, takes in what is beside the menu."""
    first, store = menu(ENGLISH), Pictures()
    box = entry_of(first, "Open...")
    target = teach_target(first.frame, box, label="Open...", state=first, click=None, store=store)
    now = menu([(words, "") for words, _ in ENGLISH], over=[str(number) for number in range(1, 12)])
    there = TargetResolver(pictures=store).resolve(
        replace(target, text="{{choice}}"), now, variables={"choice": choice}
    )
    (words,) = [line.box for line in now.texts if line.text == choice]
    assert there.point is not None, there.message
    assert words.contains(there.point)


def test_an_entry_that_is_gone_is_not_taken_for_one_with_its_keys() -> None:
    now = menu([*ENGLISH[:-1], ("Close All", "Ctrl+Q")])
    there = found("Quit", now)
    assert (there.status, there.point) == (ResolveStatus.NOT_FOUND, None)
