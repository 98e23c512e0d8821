"""S10.4: what stands on a control is kept as its name, but nobody's name, age or day of birth is."""

from __future__ import annotations

import pytest

from execution.teaching.keeping import Taught

TAUGHT = Taught.of(["Save", "Patients", "Close record"])


@pytest.mark.parametrize(
    "text",
    ["Dupont Marie, 54 ans", "Martin Bernard né le 12/03/1971", "Marie Dupont", "Box 4 Marie Dupont vu",
     "douleur 12/03/1971", "Marie Dupont - douleur"],
)  # fmt: skip
@pytest.mark.parametrize("role", ["button", "checkbox", ""])
def test_what_may_be_somebody_is_neither_kept_nor_shown(text: str, role: str) -> None:
    assert not TAUGHT.labels(text, role)
    assert not TAUGHT.shows(text, role)


def test_one_word_is_what_a_control_is_called_and_elsewhere_a_name() -> None:
    assert TAUGHT.labels("Countersign", "button")
    assert not TAUGHT.labels("Dupont", "")


@pytest.mark.parametrize("text", ["Save", "Close Patients", "Open record", "Print the list"])
def test_what_programs_call_their_controls_is_kept(text: str) -> None:
    assert TAUGHT.labels(text, "button")
