"""Which node the screen is. S1.5: restricted to the workflow, successors of the last node preferred; never a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest

from execution.matching import CONTEXT, Matcher, Reading, Reference
from execution.matching.windows import title_matches
from execution.perception.embedding import BuiltinEmbedder
from execution.types import Box, Element, ElementRole, ScreenState, Window
from tests.execution.perception.drawing import Canvas
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

EDITOR = Window(title="Untitled 1 - Mousepad", app_name="Mousepad")
BAR = ("File", "Edit", "Search", "View", "Document", "Help")
MENU = ("New", "Open...", "Save", "Save As...", "Print...", "Quit")


def editor(*, menu: bool = False, extra: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> Canvas:
    canvas = Canvas(1280, 800)
    for index, text in enumerate(BAR):
        if text not in without:
            canvas.text(text, 40 + 110 * index, 40)
    for index, text in enumerate(extra):
        canvas.text(text, 700, 140 + 60 * index)
    if menu:
        canvas.draw.rectangle((30, 70, 330, 420), fill=(220, 220, 220), outline=(90, 90, 90))
        for index, text in enumerate(MENU):
            canvas.text(text, 50, 84 + 54 * index)
    return canvas


def graph(*nodes: NodeSpec, edges: tuple[tuple[str, str], ...] = ()) -> GraphSpec:
    made = tuple(
        EdgeSpec(edge_id=f"e{i}", source=a, destination=b, action_type="click", order=i)
        for i, (a, b) in enumerate(edges)
    )
    return GraphSpec(workflow_id="wf", name="wf", learning_state="COACHING", nodes=nodes, edges=made)


def node(node_id: str, *texts: str, **fields: object) -> NodeSpec:
    return NodeSpec(node_id=node_id, name=node_id.capitalize(), texts=texts, **fields)


def recognise(spec: GraphSpec, state: ScreenState, **options: object):
    variables = options.pop("variables", {})
    return Matcher(spec, pictures=None, embedder=None).recognise(state, variables=variables, **options)


def note(match, sign: str) -> str:
    return next(r.note for r in match.reasons if r.sign == sign)


def test_the_node_whose_texts_are_seen_is_recognised_and_says_why():
    found = recognise(graph(node("main", *BAR), node("login", "User", "Password")), editor().state(window=EDITOR))
    assert found.match.node_id == "main"
    assert found.match.confidence == 1.0
    assert (found.match.runner_up, found.match.margin) == ("login", 1.0)
    assert note(found.match, "texts") == "6 of 6 texts seen"


def test_what_is_missing_is_named():
    found = recognise(graph(node("main", *BAR)), editor(without=("Help",)).state())
    assert note(found.candidates[0], "texts") == "5 of 6 texts seen; missing: Help"


def test_a_screen_that_lacks_a_third_of_the_texts_is_not_recognised():
    found = recognise(graph(node("main", *BAR)), editor(without=("Help", "View")).state())
    assert found.match is None
    assert "the screen lacks “View”, “Help”" in found.why_not


def test_an_empty_screen_and_an_unknown_one_are_nothing():
    spec = graph(node("main", *BAR), node("bare"))
    assert recognise(spec, Canvas(640, 400).state()).match is None
    assert recognise(graph(), Canvas(640, 400).state()).why_not == "the workflow has no screens"


def test_a_text_that_must_not_be_there_rules_a_node_out():
    spec = graph(node("main", *BAR, absent=("Save As...",)))
    assert recognise(spec, editor().state()).match.node_id == "main"
    found = recognise(spec, editor(menu=True).state())
    assert found.match is None
    assert "ruled out: 'Save As...' is on the screen" in found.why_not


def test_what_the_run_itself_typed_rules_no_node_out():
    """“Scale” is an option of the list that must not be open; a device is called so."""
    spec, canvas = graph(node("main", *BAR, absent=("Scale",))), editor()
    canvas.text("Baby scale Seca", 60, 300)
    assert recognise(spec, canvas.state()).match is None
    assert recognise(spec, canvas.state(), variables={"name": "Baby scale Seca"}).match.node_id == "main"
    canvas.text("Scale", 60, 340)
    assert recognise(spec, canvas.state(), variables={"name": "Baby scale Seca"}).match is None


def test_an_open_menu_is_more_than_the_window_under_it():
    """All texts of the window are seen in both; the node with more of them seen says more."""
    spec = graph(node("main", *BAR), node("menu", *BAR, *MENU))
    assert recognise(spec, editor(menu=True).state(), last_node="main", expected="main").match.node_id == "menu"
    assert recognise(spec, editor().state(), last_node="menu").match.node_id == "main"


@pytest.mark.parametrize(
    ("pattern", "title", "fits"),
    [
        ("Untitled 1 - Mousepad", "Untitled 1 - Mousepad", True),
        ("* - Mousepad", "*Untitled 1 - Mousepad", True),
        ("*", "anything", True),
        ("Mousepad", "Untitled 1 - Mousepad", False),
        ("Éditeur *", "EDITEUR \u2013 notes.txt", True),
        ("a.c", "abc", False),
        ("", "", True),
    ],
)
def test_a_title_is_matched_whole_with_stars(pattern, title, fits):
    assert title_matches(pattern, title) is fits


def test_another_window_title_is_another_node_however_alike_the_rest():
    spec = graph(node("main", *BAR, window_title="* - Mousepad"))
    assert recognise(spec, editor().state(window=EDITOR)).match.confidence == 1.0
    found = recognise(spec, editor().state(window=Window(title="Untitled 1 - Gedit")))
    assert found.match is None
    assert "the window is 'Untitled 1 - Gedit', not '* - Mousepad'" in found.why_not


@pytest.mark.parametrize("mark", ["*", "• ", "● "])
def test_a_window_whose_title_says_that_it_is_not_saved_is_the_same_node(mark):
    spec = graph(node("main", *BAR, window_title="/home/Letters/Adams.txt - Mousepad"))
    window = Window(title=f"{mark}/home/Letters/Adams.txt - Mousepad", app_name="Mousepad")
    assert recognise(spec, editor().state(window=window)).match.confidence == 1.0


def test_where_no_window_is_known_its_title_is_not_held_against_the_screen():
    """S2.7: None means no window known."""
    found = recognise(graph(node("main", *BAR, window_title="* - Mousepad", app_name="Mousepad")), editor().state())
    assert found.match.confidence == 1.0
    assert note(found.match, "window_title") == "no window is known"


def test_another_application_is_another_node():
    spec = graph(node("main", *BAR, app_name="mousepad"))
    assert recognise(spec, editor().state(window=EDITOR)).match
    assert recognise(spec, editor().state(window=Window(title="x", app_name="Gedit"))).match is None


def test_the_record_of_another_person_is_not_this_node():
    """A text with a variable names what the run is about: it must be there to the letter."""
    spec = graph(node("record", *BAR, "Patient: {{patient}}"))
    right = editor(extra=("Patient: Marie Dupont",)).state()
    wrong = editor(extra=("Patient: Marie Dupond",)).state()
    variables = {"patient": "Marie Dupont"}
    assert recognise(spec, right, variables=variables).match.node_id == "record"
    assert recognise(spec, wrong, variables=variables).match is None
    missing = recognise(spec, right)
    assert missing.match is None
    assert "the variable patient has no value" in missing.why_not


TWINS = graph(node("one", *BAR), node("two", *BAR), node("three", "Login"), edges=(("three", "two"), ("one", "three")))


def test_two_nodes_that_look_the_same_are_ambiguous_and_both_are_named():
    found = recognise(TWINS, editor().state())
    assert found.match is None
    assert found.why_not == "ambiguous: One or Two"
    assert [c.node_id for c in found.candidates[:2]] == ["one", "two"]


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ({"expected": "two"}, "two"),
        ({"expected": "two", "last_node": "one"}, "two"),
        ({"last_node": "one"}, "one"),
        ({"last_node": "three"}, "two"),
        ({"expected": "three", "last_node": "one"}, "one"),
    ],
)
def test_of_two_equal_nodes_the_run_tells_which_and_the_match_says_so(where, chosen):
    found = recognise(TWINS, editor().state(), **where)
    assert found.match.node_id == chosen
    assert "could be One or Two" in note(found.match, CONTEXT)


def pictured(*nodes: NodeSpec, **canvases: Canvas) -> Matcher:
    """A matcher of nodes that were taught on those pictures."""
    known = {name: taught(seen(canvas)) for name, canvas in canvases.items()}
    return Matcher(graph(*nodes), pictures=None, embedder=BuiltinEmbedder(), references=known)


def seen(canvas: Canvas) -> ScreenState:
    """The picture as it is read and looks, and an open menu with the frame that a detector finds around it."""
    boxes = [line.box for line in canvas.lines if line.text in MENU]
    frame = (Element(box=Box(30, 70, 300, 350), role=ElementRole.GROUP),) if boxes else ()
    return replace(canvas.state(elements=frame), embedding=BuiltinEmbedder().embed(canvas.pixels))


def taught(state: ScreenState) -> Reference:
    reading = Reading(
        picture="p", maker="m", size=state.frame.size, texts=state.texts, elements=state.elements
    )  # fmt: skip
    return Reference(picture="p", reading=reading, embedding=state.embedding)


def test_a_node_without_a_picture_may_be_it_as_well_as_one_whose_picture_fits():
    """What its picture shows tells nothing of the other, of which there is none: each has a text of its own there."""
    both = pictured(node("one", *BAR, "Ready"), node("two", *BAR, "Online"), one=editor(extra=("Ready",)))
    one = both.recognise(seen(editor(extra=("Ready", "Online"))), variables={}).match
    assert one.margin == pytest.approx(one.confidence - one.runner_up_confidence, abs=1e-6)
    both.margin = 0.2
    found = both.recognise(seen(editor(extra=("Ready", "Online"))), variables={})
    assert found.match is None
    assert found.why_not == "ambiguous: One or Two"


@pytest.mark.parametrize("expected", ["main", "menu", None])
@pytest.mark.parametrize("menu", [True, False])
def test_what_lies_on_top_tells_whatever_the_run_expects(menu, expected):
    """The texts that both declare are seen in both."""
    matcher = pictured(node("main", *BAR), node("menu", *BAR), main=editor(), menu=editor(menu=True))
    found = matcher.recognise(seen(editor(menu=menu)), variables={}, last_node="main", expected=expected)
    assert found.match is None or found.match.node_id == ("menu" if menu else "main")


@pytest.mark.parametrize("menu", [True, False])
def test_a_screen_under_something_unknown_is_not_that_screen_and_it_is_said_what_lies_over_it(menu):
    """Nor is it where something lay over its picture that is gone: nothing of it can be done."""
    matcher = pictured(node("main", *BAR), main=editor(menu=not menu))
    found = matcher.recognise(seen(editor(menu=menu)), variables={}, expected="main")
    assert found.match is None
    assert "lies over Main" in found.why_not
    assert "Save As..." in found.why_not
    assert ("is gone" in found.why_not) is not menu


def test_the_run_never_overrules_the_screen():
    spec = graph(node("main", *BAR), node("login", "User", "Password"))
    assert recognise(spec, editor().state(), expected="login", last_node="login").match.node_id == "main"


def test_a_screen_that_was_not_read_is_recognised_by_its_look_with_less_certainty():
    """S2.3: matching falls back to the embedding alone."""
    other = Canvas(1280, 800, background=(30, 30, 30))
    other.draw.rectangle((500, 200, 900, 600), fill=(200, 200, 200))
    matcher = pictured(node("main", *BAR), node("login", "User"), main=editor(), login=other)
    whole = seen(editor())
    stub = ScreenState(frame=whole.frame, embedding=whole.embedding, degraded=True)
    found = matcher.recognise(stub, variables={})
    assert found.candidates[0].node_id == "main"
    assert note(found.candidates[0], "reference") == "the screen was not read"
    assert found.candidates[0].confidence < matcher.recognise(whole, variables={}).match.confidence


def test_a_screen_that_was_not_read_is_no_one_s_record():
    """What a variable names cannot be seen in the look: it stays unrecognised rather than guessed."""
    matcher, whole = pictured(node("record", "Patient {{name}}"), record=editor()), seen(editor())
    state = ScreenState(frame=whole.frame, embedding=whole.embedding, degraded=True)
    assert matcher.recognise(state, variables={"name": "Ana"}).match is None


def test_the_best_three_are_given_for_the_page():
    spec = graph(*(node(f"n{i}", *BAR[: i + 1], f"other {i}") for i in range(6)))
    found = recognise(spec, editor().state())
    assert len(found.candidates) == 3
    assert found.candidates[0].confidence >= found.candidates[1].confidence >= found.candidates[2].confidence


def test_among_three_hundred_nodes_none_that_fits_is_none():
    canvas = Canvas(1920, 1080)
    for index in range(110):
        canvas.text(f"Entry number {index} of the page", 20 + 480 * (index % 4), 10 + 38 * (index // 4))
    nodes = [
        node(f"n{i}", *(f"Label {i}-{j} text" for j in range(5)), "Entry number 3 of the page") for i in range(300)
    ]
    matcher, state = Matcher(graph(*nodes), pictures=None, embedder=None), canvas.state()
    assert matcher.recognise(state, variables={}).match is None


def test_what_must_not_be_there_may_stand_in_the_window_behind() -> None:
    """S2.10: where the window in front lies elsewhere than it was taught, the other one shows more of itself."""
    canvas, window = editor(), Window(title="Note", box=Box(0, 0, 640, 300))
    canvas.text("Serial number", 60, 340)
    taught = node("main", *BAR, absent=("Serial number",))
    assert recognise(graph(taught), canvas.state(window=window)).match is None
    in_front = replace(taught, window_box=(0.0, 0.0, 1.0, 0.75))
    assert recognise(graph(in_front), canvas.state(window=window)).match.node_id == "main"
    canvas.text("Serial number", 60, 260)
    assert recognise(graph(in_front), canvas.state(window=window)).match is None
