"""A dialog that is taught from a run's picture is known by what no other dialog says (S6.14)."""

from __future__ import annotations

from typing import Any

import pytest

from execution.lesson.hearing import Unheard
from execution.lesson.mending import texts_of
from sentences.said import worded

BUTTONS = ("Yes", "No")
REFUSED = "This dialog says nothing that is the same each time and that no other dialog says"


def dialog(*said: str, title: str = "", buttons: tuple[str, ...] = BUTTONS) -> dict[str, Any]:
    return {
        "title": title,
        "window": title or "Forms",
        "texts": [*said, *buttons],
        "box": [0.1, 0.1, 0.5, 0.5],
        "buttons": [{"text": text, "box": [0.3, 0.5, 0.1, 0.1]} for text in buttons],
    }


LIKE_ANY = [
    dialog("Leave the record of 12/03/1980?"),  # nothing of it lasts but its buttons
    dialog("Confirmation", "Discharge the patient of 04/05/1961?"),
    dialog("Are you sure?"),
    dialog("Quitter le dossier de 12/03/1980 ?", buttons=("Oui", "Non")),
    dialog("Leave the record of 12/03/1980?", title="Clinic"),  # its title is that of each of them
    dialog("Clinic", "Leave the record of 12/03/1980?", title="Clinic"),
    dialog("No"),  # a button that was not seen as one
]
KNOWN_BY = [
    (dialog("Leave without saving?"), ["Leave without saving?"]),
    (dialog("The session is over", "Closed at 12:30"), ["The session is over", "Closed at"]),
    (dialog("two words", "or three words", "its longest line of all", "words"),
     ["its longest line of all", "or three words", "two words"]),
    (dialog(title="Session over"), []),
]  # fmt: skip


def buttons_of(one: dict[str, Any]) -> list[str]:
    return [button["text"] for button in one["buttons"]]


@pytest.mark.parametrize("one", LIKE_ANY, ids=lambda one: " ".join((one["title"], *one["texts"])))
def test_what_every_dialog_says_tells_none(one: dict[str, Any]) -> None:
    """The answer to one question is never given to another one (S1.22)."""
    with pytest.raises(Unheard) as refused:
        texts_of(one, buttons_of(one))
    assert worded(str(refused.value)).startswith(REFUSED)


@pytest.mark.parametrize(("one", "texts"), KNOWN_BY, ids=lambda one: " ".join(one["texts"]) if "texts" in one else "")
def test_a_dialog_is_known_by_what_it_alone_says(one: dict[str, Any], texts: list[str]) -> None:
    assert texts_of(one, buttons_of(one)) == texts
