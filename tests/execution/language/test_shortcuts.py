"""Keys beside a menu's entries are told from its words."""

from __future__ import annotations

import pytest

from execution.language.shortcuts import is_shortcut, keys_from, names_keys, without_hint, without_shortcut


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("Quit Ctrl+Q", "Quit"),
        ("Quit Ctrl+", "Quit"),  # a reader loses a letter that stands alone
        ("Save As... Shift+Ctrl+S", "Save As..."),
        ("Enregistrer sous… Maj+Ctrl+S", "Enregistrer sous…"),
        ("Speichern Strg+S", "Speichern"),
        ("Zoom In Ctrl++", "Zoom In"),
        ("Zoom Out Ctrl+-", "Zoom Out"),
        ("Next Tab Ctrl+Page Down", "Next Tab"),
        ("Quitter ⌘Q", "Quitter"),
        ("Find Next F3", "Find Next"),
        ("Effacer Suppr", "Effacer"),
        ("Close", "Close"),
        ("Use Ctrl+C to copy", "Use Ctrl+C to copy"),
        ("Alternative", "Alternative"),
        ("Ctrl+Q", ""),
        ("", ""),
    ],
)
def test_an_entry_is_called_by_its_words(entry: str, said: str) -> None:
    assert without_shortcut(entry) == said


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Shift+Ctrl+W", True),
        ("Ctrl+", True),
        ("⌘Q", True),
        ("F11", True),
        ("Suppr", True),
        ("Delete", False),
        ("Control", False),
        ("Quit Ctrl+Q", False),
        ("", False),
    ],
)
def test_what_is_nothing_but_keys(text: str, keys: bool) -> None:
    assert is_shortcut(text) is keys


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("Quit  Ctrl+Q ", "Ctrl+Q"),
        ("Quit Shift+Ctrl+", "Shift+Ctrl+"),
        ("Ctrl+Q", "Ctrl+Q"),
        ("Box F1", ""),
        ("Effacer Suppr", ""),
        ("Night shift-2", ""),
        ("Delete option-B", ""),
        ("Quit", ""),
        ("", ""),
    ],
)
def test_where_in_a_line_the_keys_begin(line: str, keys: str) -> None:
    assert line[keys_from(line) :].strip() == keys


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Shift+Ctrl+W", True),
        ("Ctrl Z", True),
        ("CtrlZ", True),
        ("Delete", True),
        ("F2", True),
        ("Page Up", True),
        ("Delivered", False),
        ("Alternative", False),
        ("Majority", False),
        ("Tab 2", False),
        ("Copy", False),
        ("", False),
    ],
)
def test_what_beside_the_entries_names_keys(text: str, named: bool) -> None:
    assert names_keys(text) is named


@pytest.mark.parametrize(
    ("caption", "said"),
    [
        ("Patients (Alt+P)", "Patients"),
        ("Box (F2)", "Box (F2)"),
        ("Save [Ctrl+S]", "Save"),
        ("Bed (B2)", "Bed (B2)"),
        ("Inbox (12)", "Inbox (12)"),
        ("(Alt+P)", "(Alt+P)"),
        ("Save", "Save"),
    ],
)
def test_keys_in_brackets_are_no_words_of_a_caption(caption: str, said: str) -> None:
    assert without_hint(caption) == said
