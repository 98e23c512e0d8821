"""S5.2, S1.5: yes, no, cannot tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import Matcher
from execution.navigation.visual_verifier import something_changed, verify_after, verify_before
from execution.types import Answer, Match, Reason, Recognition, ScreenState, Verification, Window
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, ExpectSpec, GraphSpec, NodeSpec

NOWHERE = Recognition(match=None, why_not="ambiguous: A or B")


def screen(*texts: str, title: str = "Editor", unread: bool = False) -> ScreenState:
    canvas = Canvas(800, 500)
    for index, text in enumerate(texts):
        canvas.text(text, 40, 40 + 50 * index)
    state = canvas.state(window=Window(title=title))
    return replace(state, texts=(), text_method="", degraded=True) if unread else state


def edge(*, expect: ExpectSpec = ExpectSpec(), source: str = "a", destination: str = "b") -> EdgeSpec:  # noqa: B008
    return EdgeSpec(edge_id="e", source=source, destination=destination, action_type="click", expect=expect)


def at(node: str, *reasons: Reason) -> Recognition:
    return Recognition(match=Match(node_id=node, confidence=0.95, reasons=reasons))


def after(
    step: EdgeSpec, before: ScreenState, now: ScreenState, recognition: Recognition = NOWHERE, **more: object
) -> Verification:
    more.setdefault("variables", {})
    return verify_after(step, before=before, after=now, recognition=recognition, **more)


def test_before_the_action_the_screen_must_be_its_source():
    assert verify_before(edge(), screen(), recognition=at("a")).answer is Answer.YES
    wrong = verify_before(edge(), screen(), recognition=at("c"))
    assert (wrong.answer, wrong.message) == (Answer.NO, "the screen is c, this action starts at a")
    unsure = verify_before(edge(), screen(), recognition=NOWHERE)
    assert unsure.answer is Answer.CANNOT_TELL
    assert "ambiguous: A or B" in unsure.message


def test_a_declared_text_that_is_seen_is_a_yes_whatever_the_node():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor", "File saved"))
    assert result.answer is Answer.YES
    assert result.message == "'Saved' is seen"
    assert result.verify_ms > 0


def test_a_declared_text_is_read_with_accents_and_confusions_forgiven():
    step = edge(expect=ExpectSpec(texts=("Enregistré à 10 %",)))
    assert after(step, screen(), screen("Enregistre a 1O %")).answer is Answer.YES


def test_declared_and_not_seen_on_an_unchanged_screen_is_a_no():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor"), at("b"))
    assert result.answer is Answer.NO
    assert result.message == "'Saved' is not seen; the screen did not change"


def test_declared_and_not_seen_while_still_at_the_source_is_a_no():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Editor", "12:31"), at("a"))
    assert result.answer is Answer.NO
    assert "still where the action started" in result.message


def test_declared_and_not_seen_on_another_screen_cannot_be_told():
    result = after(edge(expect=ExpectSpec(texts=("Saved",))), screen("Editor"), screen("Please wait"))
    assert result.answer is Answer.CANNOT_TELL


def test_a_denial_of_the_declared_text_is_no_yes():
    step = edge(expect=ExpectSpec(texts=("saved",)))
    assert after(step, screen("Editor"), screen("The file could not be saved")).answer is not Answer.YES


def test_everything_declared_must_hold():
    step = edge(expect=ExpectSpec(texts=("Done",), gone=("Confirm",), window_title="* - Editor"))
    good = screen("Done", title="notes.txt - Editor")
    assert after(step, screen("Confirm"), good).answer is Answer.YES
    still = screen("Done", "Confirm", title="notes.txt - Editor")
    left = after(step, screen("Confirm"), still)
    assert left.answer is Answer.CANNOT_TELL
    assert "'Confirm' is seen but should be gone" in left.message
    other = after(step, screen("Confirm"), screen("Done", title="Error"))
    assert other.answer is Answer.CANNOT_TELL
    assert "the window is another than '* - Editor'" in other.message


def test_declared_texts_have_their_variables_put_in_and_must_then_be_exact():
    step = edge(expect=ExpectSpec(texts=("Saved for {{patient}}",)))
    who = {"patient": "Marie Dupont"}
    assert after(step, screen(), screen("Saved for Marie Dupont"), variables=who).answer is Answer.YES
    assert after(step, screen(), screen("Saved for Marie Dupond"), variables=who).answer is not Answer.YES
    missing = after(step, screen(), screen("Saved for Marie Dupont"))
    assert missing.answer is Answer.CANNOT_TELL
    assert "patient has no value" in missing.message


def test_what_was_declared_cannot_be_told_from_a_screen_that_was_not_read():
    step = edge(expect=ExpectSpec(texts=("Saved",)))
    result = after(step, screen("Editor"), screen("Saved", unread=True), at("b"))
    assert result.answer is Answer.CANNOT_TELL
    assert "the screen was not read" in result.message


def test_with_nothing_declared_the_destination_speaks_for_the_action():
    result = after(edge(), screen("Editor"), screen("Dialog"), at("b"))
    assert (result.answer, result.message) == (Answer.YES, "the screen is b")


def test_a_destination_that_only_the_run_told_apart_from_the_source_proves_nothing():
    graph = GraphSpec(
        workflow_id="w", name="w", learning_state="COACHING",
        nodes=(NodeSpec(node_id="a", name="A", texts=("Editor",)), NodeSpec(node_id="b", name="B", texts=("Editor",))),
    )  # fmt: skip
    now = screen("Editor", "12:31")
    recognition = Matcher(graph, pictures=None, embedder=None).recognise(now, variables={}, last_node="a", expected="b")
    assert recognition.match.node_id == "b"
    result = after(edge(), screen("Editor"), now, recognition)
    assert result.answer is Answer.CANNOT_TELL


def test_an_edge_back_to_its_own_node_is_not_proved_by_being_there():
    loop = edge(source="a", destination="a")
    assert after(loop, screen("Editor"), screen("Editor", "x y z"), at("a")).answer is Answer.CANNOT_TELL
    assert after(loop, screen("Editor"), screen("Editor"), at("a")).answer is Answer.NO


def test_a_destination_seen_on_an_unchanged_screen_proves_nothing():
    assert after(edge(), screen("Dialog"), screen("Dialog"), at("b")).answer is Answer.NO


def test_typed_text_that_is_newly_seen_is_a_yes_and_is_never_quoted():
    """S10.3: what was typed may be a secret."""
    loop = edge(source="a", destination="a")
    result = after(loop, screen("Editor"), screen("Editor", "Bonjour à tous"), at("a"), typed="Bonjour à tous")
    assert (result.answer, result.message) == (Answer.YES, "the typed text is seen")
    assert all("Bonjour" not in r.note for r in result.evidence)


@pytest.mark.parametrize(
    ("typed", "before", "now", "answer"),
    [
        ("Facture 10452", ("Editor",), ("Editor", "Facture 10453"), Answer.CANNOT_TELL),
        ("Facture 10452", ("Facture 10452",), ("Facture 10452", "Facture 10452"), Answer.CANNOT_TELL),
        ("s3cret!", ("Password",), ("Password", "*******"), Answer.CANNOT_TELL),
        ("s3cret!", ("Password",), ("Password",), Answer.NO),
        ("a\n", ("Editor",), ("Editor", "b"), Answer.CANNOT_TELL),
        ("first line\nsecond line", ("Editor",), ("first line", "second line"), Answer.YES),
        ("first line\nsecond line", ("Editor",), ("first line", "other"), Answer.CANNOT_TELL),
    ],
)
def test_typed_text_that_is_not_newly_seen_proves_nothing(typed, before, now, answer):
    assert (
        after(edge(source="a", destination="a"), screen(*before), screen(*now), at("a"), typed=typed).answer is answer
    )


def test_a_change_that_nobody_knows_cannot_be_told():
    result = after(edge(), screen("Editor"), screen("Something"))
    assert (result.answer, result.evidence[0].note) == (Answer.CANNOT_TELL, "the screen changed")


def test_a_blinking_caret_is_no_change_and_a_letter_or_a_new_title_is():
    before, caret, letter = Canvas(400, 200), Canvas(400, 200), Canvas(400, 200)
    caret.draw.line((100, 50, 100, 66), fill=(0, 0, 0))
    letter.text("m", 100, 50)
    assert not something_changed(before.state(), before.state())
    assert not something_changed(before.state(), caret.state())
    assert something_changed(before.state(), letter.state())
    assert something_changed(before.state(), before.state(window=Window(title="Saved")))
    assert something_changed(before.state(), Canvas(500, 200).state())
