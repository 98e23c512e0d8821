"""One model says how probable it is that a screen is a node: fitted to its features, with none of them as an answer."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from execution.matching import Gallery
from execution.matching.comparison import NAMES
from execution.matching.same import FITTED, Compared, SameScreen, fitted_model, rows_of
from tests.execution.matching.screens import record, references

STATE = record("Summary").state()


def compared(*names: str) -> list[Compared]:
    known = {name: one for name, one in references().items() if name in names}
    return Gallery(known).compared(STATE, among=names)


def lead(found: list[Compared], node: str) -> float:
    at = [one.node_id for one in found].index(node)
    return float(rows_of(found)[at, NAMES.index("texts_lead")])


def test_it_is_kept_with_the_features_that_it_was_fitted_to() -> None:
    fitted = json.loads(FITTED.read_text())
    assert fitted["features"] == list(NAMES)
    with pytest.raises(ValueError, match="fit them again"):
        SameScreen({**fitted, "features": ["another"]})


def test_the_right_node_is_far_likelier_than_the_others_and_each_sign_has_its_share() -> None:
    judged = fitted_model().judge(compared("summary", "patients", "examinations"))
    assert judged["summary"].probability > 0.9
    assert max(judged[name].probability for name in ("patients", "examinations")) < 0.1
    assert judged["summary"].shares.sum() > judged["patients"].shares.sum()


def test_none_of_them_is_an_answer() -> None:
    judged = fitted_model().judge(compared("patients", "examinations", "reports"))
    assert max(one.probability for one in judged.values()) < 0.5
    assert fitted_model().judge([]) == {}


def test_a_lead_is_counted_to_the_next_node_that_fits_otherwise() -> None:
    """Two nodes taught on one screen are one question, and each is as far ahead of the others as if it were alone."""
    [one, other] = compared("summary", "patients")
    assert lead([one, other], "summary") > 0 > lead([one, other], "patients")
    twin = replace(one, node_id="twin")
    assert lead([one, other, twin], "summary") == lead([one, other], "summary")
    assert lead([one, twin], "summary") == lead([one], "summary")


def test_a_node_that_the_screen_is_not_by_what_is_declared_leads_nobody() -> None:
    """An empty form, and the same filled in: the one must not say what the other does."""
    [one, other] = compared("summary", "patients")
    assert other.comparison is not None
    row = 0.8 * one.comparison.row + 0.2 * other.comparison.row
    near = replace(one, node_id="near", comparison=replace(one.comparison, row=row))
    both, name = [one, near], NAMES.index("texts_lead")
    assert rows_of(both)[0, name] < rows_of(both, none_of={"near"})[0, name] == rows_of([one])[0, name]
    assert fitted_model().judge(both, none_of={"near"})["summary"].probability == (
        fitted_model().judge([one])["summary"].probability
    )


def test_a_screen_that_shares_nothing_with_a_node_is_not_it_whatever_cannot_be_told() -> None:
    [one] = compared("summary")
    assert one.comparison is not None
    blind = replace(one, cosine=np.nan, title=np.nan, app=np.nan, declared=np.nan)
    assert fitted_model().judge([blind])["summary"].probability > 0.75
    nothing = Gallery({"summary": references()["summary"]}).compared(
        replace(STATE, texts=(), elements=(), embedding=None), among=["summary"]
    )
    assert fitted_model().judge(nothing)["summary"].probability < 0.5
