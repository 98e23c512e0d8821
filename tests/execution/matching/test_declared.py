"""What a person declares is a must (S5.10); what a lesson read off the picture is evidence, and may be gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from execution.matching import Matcher
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.embedding import BuiltinEmbedder
from execution.types import ScreenState, Window
from tests.execution.matching.test_matcher import BAR, MENU, editor, graph, node, note, recognise, taught
from tests.support.browser import seen

NOTES = Window(title="Untitled 1 - Mousepad", app_name="Mousepad")


def whole(canvas: Any) -> ScreenState:
    return replace(canvas.state(window=NOTES), embedding=BuiltinEmbedder().embed(canvas.pixels))


def test_however_alike_the_rest_a_screen_that_lacks_a_declared_text_is_another() -> None:
    """Title, bar and picture of the open menu are those of the note: only its entries are not there."""
    menu = node("menu", *BAR, "Save As...", window_title="* - Mousepad", app_name="Mousepad", picture="p")
    matcher = Matcher(
        graph(menu), pictures=None, embedder=None, references={"menu": taught(whole(editor()))}, threshold=0.1
    )
    empty = matcher.recognise(whole(editor()), variables={})
    assert empty.match is None
    assert empty.why_not == "the most similar is Menu, but the screen lacks “Save As...”"
    assert empty.candidates[0].confidence == 0.0
    assert matcher.recognise(whole(editor(menu=True)), variables={}).match is not None


def test_a_text_that_its_picture_shows_is_evidence_and_one_that_it_does_not_show_a_must() -> None:
    main = node("main", *BAR, picture="p")
    matcher = Matcher(graph(main), pictures=None, embedder=None, references={"main": taught(whole(editor()))})
    lost = matcher.recognise(whole(editor(without=("Help",))), variables={}).match
    assert lost is not None
    assert "missing: Help" in note(lost, "texts")
    must = node("main", *BAR, "Ready", picture="p")
    matcher = Matcher(graph(must), pictures=None, embedder=None, references={"main": taught(whole(editor()))})
    assert "lacks “Ready”" in matcher.recognise(whole(editor()), variables={}).why_not
    assert matcher.recognise(whole(editor(extra=("Ready",))), variables={}).match is not None


def test_of_several_that_lack_something_the_most_similar_is_shown_first() -> None:
    spec = graph(node("login", "User", "Password"), node("main", *BAR, "Ready"), node("menu", *BAR, *MENU))
    found = recognise(spec, editor().state())
    assert [c.node_id for c in found.candidates] == ["main", "menu", "login"]
    assert "Main, but the screen lacks “Ready”" in found.why_not


def test_what_the_reader_could_hardly_read_is_not_held_against_the_node() -> None:
    """Unless that is a text which names what the run is about."""
    spec = graph(node("main", *BAR, *MENU))
    canvas = editor(menu=True)
    canvas.lines = [replace(t, text="Pint..", confidence=0.5) if t.text == "Print..." else t for t in canvas.lines]
    found = recognise(spec, canvas.state())
    assert found.match is not None
    assert "Print... (something like it could hardly be read)" in note(found.match, "texts")
    sure = editor(menu=True)
    sure.lines = [replace(t, text="Pint..") if t.text == "Print..." else t for t in sure.lines]
    assert recognise(spec, sure.state()).match is None
    person = graph(node("record", *BAR, "{{patient}}"))
    blurred = editor(extra=("Marle Dupond",))
    blurred.lines = [replace(t, confidence=0.5) for t in blurred.lines]
    assert recognise(person, blurred.state(), variables={"patient": "Marie Dupont"}).match is None


def test_a_screen_that_was_not_read_lacks_nothing() -> None:
    menu = node("menu", *BAR, "Save As...", window_title="* - Mousepad", picture="p")
    matcher = Matcher(graph(menu), pictures=None, embedder=None, references={"menu": taught(whole(editor()))})
    unread = replace(whole(editor()), texts=(), elements=(), text_method="", degraded=True)
    assert "lacks" not in matcher.recognise(unread, variables={}).why_not


def test_declared_variables_are_filled_before_they_are_looked_for_and_nothing_is_asked_of_an_empty_one() -> None:
    spec = graph(node("record", *BAR, "{{remark}}", "{{patient}}"))
    state = editor(extra=("Marie Dupont",)).state()
    assert recognise(spec, state, variables={"patient": "Marie Dupont", "remark": ""}).match is not None
    other = recognise(spec, state, variables={"patient": "Marie Curie", "remark": ""})
    assert other.why_not == "the most similar is Record, but the screen lacks “Marie Curie”"


@pytest.mark.parametrize(
    ("declared", "there"),
    [
        ("Enregistré", "Enregistrer"),
        ("Commande envoyée", "Commande envoyer"),
        ("Validée", "Valider"),
        ("Completed", "Complete"),
        ("Deleted", "Delete"),
        ("1 dossier fermé", "1 dossier fermer"),
    ],
)
def test_what_was_done_is_not_read_from_the_button_that_would_do_it(declared: str, there: str) -> None:
    found = recognise(graph(node("done", *BAR, declared)), editor(extra=(there,)).state())
    assert found.match is None
    assert f"lacks “{declared}”" in found.why_not


# --- a form in a real browser -----------------------------------------------------------------------------------------
FORM = """<title>Dossier</title><style>body {{ font: 15px "DejaVu Sans"; margin: 30px }} label {{ display: block }}
input {{ width: 300px; padding: 7px; margin: 4px 0 14px; font: inherit }} button {{ font: inherit; padding: 7px 18px }}
#said {{ color: #064; margin: 12px 0 }}</style><h2>Note d'observation</h2><label>Nom<br><input value="{name}"></label>
<label>Motif<br><input value="{why}"></label><label>Remarque<br><input></label>
<button>Enregistrer</button> <button>Annuler</button><div id="said">{said}</div>"""
EMPTY = {"name": "", "why": "", "said": ""}
FILLED = {"name": "DUPONT Léa", "why": "Douleur", "said": ""}
SAVED = {**FILLED, "said": "Enregistré à 10:42"}


@pytest.mark.browser
@pytest.mark.parametrize("alone", [True, False])
def test_an_empty_form_is_not_the_saved_one(page: Any, analyzer: ScreenAnalyzer, alone: bool) -> None:
    """Even where nothing else was taught and the empty form is its taught picture."""
    states = {}
    for name, content in (("empty", EMPTY), ("filled", FILLED), ("saved", SAVED)):
        page.set_content(FORM.format(**content))
        states[name] = seen(analyzer, page)
    nodes = [node("saved", "Note d'observation", "Enregistré", picture="p", window_title="Dossier")]
    if not alone:
        nodes.append(node("form", "Note d'observation", "Remarque", picture="p", window_title="Dossier"))
    for picture in ("empty", "saved"):
        known = {"saved": taught(states[picture]), "form": taught(states["empty"])}
        matcher = Matcher(graph(*nodes), pictures=None, embedder=None, references=known)
        for name, state in states.items():
            found = matcher.recognise(state, variables={}, expected="saved").match
            expected = "saved" if name == "saved" else None if alone else "form"
            assert (found.node_id if found else None) == expected, (name, found)
