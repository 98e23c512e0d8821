"""Whether the text of a control may still be the taught one. S5.3: renamed, yes; another command, never."""

from __future__ import annotations

import pytest

from execution.language.lexicon import mean_different, mean_the_same
from execution.language.rewording import compare
from execution.language.screen_texts import Wanted

SAME = [
    ("Save", "save"), ("Prénom", "Prenom"), ("Save", "Enregistrer"), ("Annuler", "Cancel"), ("Annuler", "Undo"),
    ("Information", "Info"), ("Description", "Desc."), ("Quantity", "Qty"), ("Validate the order", "Validate order"),
    ("Login", "Sign in"), ("Mot de passe", "Kennwort"), ("Discharge", "Sortie"),
]  # fmt: skip
LONGER = [("Save", "Save changes"), ("Create invoice", "Create"), ("Submit", "Submit form"), ("Next", "Next page")]
OTHER = [
    ("Save", "Save as..."), ("Save", "Don't save"), ("Save", "Delete"), ("Save", "Löschen"), ("Lock", "Unlock"),
    ("Select all", "Deselect all"), ("Add row", "Delete row"), ("Page 1", "Page 2"), ("On", "Off"), ("Open", "Reopen"),
    ("Close", "Close all"), ("Log in", "Log out"), ("Enable", "Disable"), ("Print", "Printer"), ("Import", "Important"),
    ("Step 1", "Step"), ("Refuser", "Accepter"),
]  # fmt: skip


@pytest.mark.parametrize(("taught", "now"), SAME)
def test_the_same_label_written_otherwise_or_in_another_language_is_the_same(taught: str, now: str) -> None:
    said = compare(Wanted(taught), now)
    assert (said.score >= 0.8, said.against) == (True, False), said


@pytest.mark.parametrize(("taught", "now"), LONGER)
def test_a_label_with_a_word_more_or_less_may_be_the_same(taught: str, now: str) -> None:
    said = compare(Wanted(taught), now)
    assert (0.5 < said.score < 0.75, said.against) == (True, False), said


@pytest.mark.parametrize(("taught", "now"), OTHER)
def test_another_command_is_never_the_same(taught: str, now: str) -> None:
    said = compare(Wanted(taught), now)
    assert (said.score < 0.5, said.against) == (True, True), said


@pytest.mark.parametrize(
    "now", ["18:42 · Détails", "Détails (12)", "Détails (Alt+D)", "Details [Ctrl+D]", "12/03/2026 Détails"]
)
def test_what_changes_beside_a_caption_and_the_keys_in_it_are_no_other_words(now: str) -> None:
    """S6.1: of a taught one it is not kept either. A record's number is."""
    assert compare(Wanted("Détails"), now).score >= 0.9
    for other in ("Détails 48213", "18:42 · Détails tout", "Détails (B2)", "Détails (F2)", "18:42 · Retours"):
        assert compare(Wanted("Détails"), other).against, other


def test_one_wrong_letter_in_a_short_word_neither_agrees_nor_contradicts() -> None:
    """It may be misread, or another word."""
    for now in ("Sond", "Bend"):
        said = compare(Wanted("Send"), now)
        assert (said.score < 0.5, said.against) == (True, False)
    assert compare(Wanted("Send"), "Sent").against  # known, and another thing


def test_a_text_in_a_variable_must_be_that_very_text() -> None:
    name = Wanted("Ada Martin", exact=True)
    assert compare(name, "Ada Martin").score == 1.0
    for other in ("Ada Martinez", "A. Martin", "Ada", "Ida Martin", ""):
        assert compare(name, other).score == 0.0
    assert compare(Wanted("{{patient}}", exact=True, problem="the variable patient has no value"), "x").against


def test_what_no_word_is_shared_with_is_unknown_and_what_is_known_is_not() -> None:
    assert compare(Wanted("Save"), "Store").unknown
    assert not compare(Wanted("Save"), "Delete").unknown
    assert not compare(Wanted("Add row"), "Delete row").unknown


def test_the_lexicon_knows_whole_labels_alone() -> None:
    assert mean_the_same("Save", "Speichern")
    assert mean_different("Save", "Löschen")
    assert not mean_the_same("Save the whales", "Speichern")
    assert not mean_different("Save the whales", "Löschen")
