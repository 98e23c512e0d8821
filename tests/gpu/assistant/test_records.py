"""S4.6, S10.5: what a model says is checked against the records while it comes."""

from __future__ import annotations

import time

import pytest

from gpu.assistant.records import CheckedWords


def told(text: str, known: set[int], size: int = 3) -> CheckedWords:
    said = CheckedWords(known, unknown="not in this run")
    shown = "".join(said.feed(text[i : i + size]) for i in range(0, len(text), size)) + said.rest()
    assert shown == said.text
    return said


CASES = [
    ("Step 3 failed.", "Step 3 failed."),
    ("Step 9 failed.", "Step 9 [not in this run] failed."),
    ("Steps 2, 3 and 12 went well", "Steps 2, 3 and 12 [not in this run] went well"),
    ("l’étape 7 a échoué", "l’étape 7 [not in this run] a échoué"),
    ("Étapes 1 et 3.", "Étapes 1 et 3."),
    ("Step **8** is bold", "Step **8 [not in this run]** is bold"),
    ("step #8.", "step #8 [not in this run]."),
    ("the 9th step", "the 9th step [not in this run]"),
    ("la 9e étape", "la 9e étape [not in this run]"),
    ("the ninth step", "the ninth step [not in this run]"),
    ("the third step", "the third step"),
    ("step nine", "step nine [not in this run]"),
    ("étape neuf", "étape neuf [not in this run]"),
    ("It took 9 seconds at step 3", "It took 9 seconds at step 3"),
    ("No step was named.", "No step was named."),
    ("step", "step"),
    ("", ""),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_step_that_is_not_in_the_records_is_marked_however_the_words_are_cut(size: int) -> None:
    assert [told(text, {1, 2, 3}, size).text for text, _shown in CASES] == [shown for _text, shown in CASES]


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("Step 2 failed.", {2}), ("Steps 1, 2 and 3 have failed", {1, 2, 3}), ("**Step 2** failed", {2}),
        ("The second step failed.", {2}), ("it failed at step 3", {3}), ("The failure is at step 1.", {1}),
        ("Step 9 failed", {9}), ("step two has also failed", {2}), ("an error on step 2", {2}),
        ("L’étape 2 a échoué.", {2}), ("les étapes 1 et 3 ont échoué", {1, 3}), ("un échec à l’étape 3", {3}),
        ("Il a échoué à l'étape 1.", {1}), ("La deuxième étape a échoué.", {2}),
        ("the failed step 2", {2}), ("Step 2 did not fail.", set()), ("Step 2 was fine, the run failed.", set()),
        ("L’étape 2 n’a pas échoué.", set()), ("Before the failure step 1 typed.", set()), ("", set()),
    ],
)  # fmt: skip
def test_what_is_said_to_have_failed_is_known_afterwards(text: str, failed: set[int]) -> None:
    assert told(text, {1, 2, 3}).failed == failed


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_proposed_correction_is_cut_off_and_read(size: int) -> None:
    said = told('It should be the other one.\nCORRECTION {"place": 2, "params": {}}\n', {1}, size)
    assert said.text == "It should be the other one."
    assert said.proposal == {"place": 2, "params": {}}


@pytest.mark.parametrize(
    "tail", ["CORRECTION", "CORRECTION {", "CORRECTION [1]", "CORRECTION {'place': 1}", "Corrections?"]
)
def test_what_cannot_be_read_as_a_correction_is_none(tail: str) -> None:
    assert told(f"Yes.\n{tail}", {1}).proposal is None


def test_words_are_not_held_back_for_long() -> None:
    """Streaming: at most a word, or the list of steps that it belongs to, waits for what follows."""
    said = CheckedWords({1}, unknown="?")
    assert said.feed("The robot clicked on the ") == "The robot clicked on the "
    assert said.feed("button, ") == "button, "
    assert len(said.feed("step " * 100)) > 300


def test_a_proposal_as_deep_as_a_well_is_none() -> None:
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"
    assert told(f"Yes.\nCORRECTION {deep}", {1}, 10_000).proposal is None


@pytest.mark.timing
def test_a_flood_of_spaces_holds_nobody_up() -> None:
    """All answers of a process share one loop: reading a piece takes as long as it is, not the square of it."""
    began = time.process_time()
    assert told("step 1" + " " * 50_000 + "failed" + " " * 50_000 + "step 1", {1}, 100_000).failed == set()
    assert told("step 1" + " " * 50_000 + "x.", {1}, 100_000).failed == set()
    assert time.process_time() - began < 1
