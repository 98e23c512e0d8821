"""What the live page and the viewer of a run say of what the server tells by its code (S8.5)."""

from __future__ import annotations

import pytest
from django.utils import translation

from execution.pages import script_texts
from execution.verification import facts

SIGNS = sorted(value for name, value in vars(facts).items() if name.isupper() and isinstance(value, str))


def found(told: object, name: str) -> dict[str, str]:
    """The words under that name, wherever they lie."""
    if not isinstance(told, dict):
        return {}
    return told.get(name) or next(filter(None, (found(inner, name) for inner in told.values())), {})


@pytest.mark.parametrize("sign", SIGNS)
def test_what_came_of_an_act_is_told_in_words_in_both_languages(sign: str) -> None:
    assert len(SIGNS) >= 10
    with translation.override("en"):
        english = str(found(script_texts.live(), "signs")[sign])
    with translation.override("fr"):
        french = str(found(script_texts.live(), "signs")[sign])
    assert english != french
