"""What is not to be kept of a screen is in no picture, no text and no live picture (S10.4)."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from execution.actions.decide import decide
from execution.choices import ExecutionState, Outcome, PromptKind
from execution.models import Execution, Prompt
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.hidden import HIDDEN, Hidden
from execution.record.payloads import screen_json
from execution.record.redaction import WHOLE, NothingShown, Redaction
from execution.record.secret_values import between_runs, hide_what_is_typed
from execution.running import live_picture
from execution.running.runner import Hooks, Runner
from execution.turn import acting
from execution.types import (
    Box,
    DecisionSource,
    Element,
    ElementRole,
    ElementState,
    Frame,
    Point,
    ScreenState,
    Size,
    TextLine,
    Window,
)
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, Field, ScriptedScreen, TextLabel
from tests.factories import make_published
from tests.support.scripted import BUTTON, KnownReader, analyzer, queue
from workflows.mask_patterns import Patterns
from workflows.pictures import PictureStore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.security, pytest.mark.usefixtures("own_folder")]

MAIL, NUMBER = "anna.martin@example.fr", "1 84 12 75 123 456 78"
PATTERNS = ["email", "national_number"]
GREY = (128, 128, 128)


def state(*lines: TextLine, elements: tuple[Element, ...] = (), read: bool = True, shade: int = 200) -> ScreenState:
    pixels = np.full((300, 400, 3), shade, np.uint8)
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC))
    window = Window(title=f"Record of {MAIL}")
    return ScreenState(frame=frame, window=window, texts=lines, elements=elements, text_method="known" if read else "")


def line(text: str, x: int = 20, y: int = 40) -> TextLine:
    return TextLine(text=text, box=Box(x, y, 9 * len(text), 18))


def redaction(*patterns: str, **more: Any) -> Redaction:
    return Redaction(Hidden(more.pop("values", ())), patterns=Patterns(patterns or PATTERNS), **more)


def written(one: Redaction, seen: ScreenState) -> str:
    run = SimpleNamespace(execution_id="exec_1", desktop=":0", workflow_id="w", current_node_id="n")
    return json.dumps(screen_json(one.shown(seen), execution=run, picture="a" * 64, lies=("", 0)))  # type: ignore[arg-type]


def is_hidden(pixels: np.ndarray, box: Box) -> bool:
    return bool((pixels[box.y : box.bottom, box.x : box.right] == GREY).all())


def test_a_line_that_matches_is_painted_over_and_its_text_kept_without_what_matches() -> None:
    seen = state(line(f"Mail: {MAIL}"), line("Ward 3", y=100))
    shown = redaction().shown(seen).state
    assert [t.text for t in shown.texts] == [f"Mail: {HIDDEN}", "Ward 3"]
    assert is_hidden(shown.frame.pixels, seen.texts[0].box)
    assert (shown.frame.pixels[100:118] == 200).all()
    assert (seen.frame.pixels == 200).all(), "what the eyes see stays whole"
    assert MAIL not in written(redaction(), seen)


def test_a_number_in_several_lines_of_one_row_is_found() -> None:
    """A reader cuts a row at wide gaps."""
    parts = [line("1 84 12", x=20), line("75 123", x=100), line("456 78", x=175), line("12 beds", x=20, y=200)]
    shown = redaction().shown(state(*parts)).state
    assert [t.text for t in shown.texts] == [HIDDEN, HIDDEN, HIDDEN, "12 beds"]
    assert all(is_hidden(shown.frame.pixels, part.box) for part in parts[:3])


@given(
    st.lists(st.text(alphabet="abc 0123456789@.-", max_size=30), max_size=4),
    st.sampled_from([MAIL, NUMBER, NUMBER.replace(" ", ""), "1-84-12-75-123-456-78"]),
    st.integers(0, 4),
    st.sampled_from(["text", "element", "label", "note", "title"]),
)
def test_no_text_that_matches_is_in_what_is_kept_of_a_screen(
    others: list[str], secret: str, at: int, where: str
) -> None:
    texts = [line(text, y=40 * n) for n, text in enumerate(others)]
    if where == "text":
        texts.insert(min(at, len(texts)), line(f"x {secret}", y=260))
    said = {"text": secret} if where == "element" else {"label": secret} if where == "label" else {}
    button = Element(box=Box(5, 5, 50, 20), role=ElementRole.BUTTON, **said)
    seen = state(*texts, elements=(button,))
    if where == "note":
        seen = ScreenState(**{n: getattr(seen, n) for n in seen.__dataclass_fields__} | {"notes": (secret,)})
    kept = written(redaction(), seen)
    assert secret not in kept
    assert MAIL not in kept


def test_a_screen_that_was_not_read_shows_nothing_where_patterns_are_to_be_hidden() -> None:
    shown = redaction().shown(state(line(MAIL), read=False))
    assert (shown.state.frame.pixels == GREY).all()
    assert shown.state.texts == ()
    assert redaction().places(state(read=False)) == (WHOLE,)


def test_what_stands_in_a_masked_region_is_quoted_nowhere() -> None:
    one = Redaction(Hidden(()), regions=[(0.0, 0.0, 1.0, 0.3)])
    seen = state(line("DUPONT Lea"), line("Ward 3", y=200))
    shown = one.shown(seen).state
    assert [t.text for t in shown.texts] == [HIDDEN, "Ward 3"]
    assert (shown.frame.pixels[:90] == GREY).all()
    assert one.any({"note": "“DUPONT Lea” is new", "node_id": "DUPONT Lea"}) == {
        "note": f"“{HIDDEN}” is new",
        "node_id": "DUPONT Lea",
    }


def test_the_live_picture_shows_of_a_screen_that_nobody_read_what_is_as_it_was_read() -> None:
    one, seen = redaction(), state(line(f"Mail: {MAIL}"))
    later = seen.frame.pixels.copy()
    later[200:210, 300:320] = 0  # something is drawn, and nobody knows what
    frame = Frame(pixels=later, taken_at=datetime.now(UTC))
    assert (one.live(frame) == GREY).all(), "nothing was read so far"
    one.seen(seen)
    live = one.live(frame)
    assert is_hidden(live, seen.texts[0].box)
    assert is_hidden(live, Box(300, 200, 20, 10))
    assert (live[240:, :] == 200).all()
    assert (one.live(Frame(pixels=later[:100], taken_at=datetime.now(UTC))) == GREY).all()


@pytest.mark.parametrize(("role", "whole"), [("field", False), ("text", True), ("", True)])
def test_a_secret_that_is_typed_at_a_label_hides_everything(role: str, whole: bool) -> None:
    """S6.12, S10.3: which field a click on a label leads to, nobody knows."""
    one = Redaction(Hidden(["Zx81-Quokka"]))
    edge = SimpleNamespace(action_type="type_text", target=SimpleNamespace(role=role))
    resolution = SimpleNamespace(box=Box(40, 60, 100, 24))
    typed = SimpleNamespace(edge=edge, params={"text": "Zx81-Quokka"}, resolution=resolution)
    hide_what_is_typed(one, typed, state())  # type: ignore[arg-type]
    assert (WHOLE in one.places(state())) is whole
    assert one.is_needed


def test_a_field_in_which_a_secret_is_typed_is_hidden_from_then_on() -> None:
    one = Redaction(Hidden(["Zx81-Quokka"]))
    field = Element(box=Box(40, 60, 100, 24), role=ElementRole.FIELD, states=frozenset({ElementState.FOCUSED}))
    edge = SimpleNamespace(action_type="type_text", target=None)
    typed = SimpleNamespace(edge=edge, params={"text": "Zx81-Quokka"}, resolution=SimpleNamespace(box=None))
    other = SimpleNamespace(edge=edge, params={"text": "Ada"}, resolution=SimpleNamespace(box=Box(0, 0, 10, 10)))
    hide_what_is_typed(one, other, state())  # type: ignore[arg-type]
    assert not one.is_needed
    hide_what_is_typed(one, typed, state(elements=(field,)))  # type: ignore[arg-type]
    assert is_hidden(one.shown(state()).state.frame.pixels, field.box)
    assert is_hidden(one.live(state().frame), field.box)
    hide_what_is_typed(one, typed, state())  # type: ignore[arg-type]
    assert (one.shown(state()).state.frame.pixels == GREY).all(), "nobody knows where it was typed"


def drawn(*shapes: tuple[Box, str]) -> np.ndarray:
    """A white screen with framed boxes and what stands in them."""
    pixels = np.full((300, 400, 3), 255, np.uint8)
    for box, text in shapes:
        cv2.rectangle(pixels, (box.x, box.y), (box.right - 1, box.bottom - 1), (120, 110, 100), 1)
        cv2.putText(pixels, text, (box.x + 6, box.bottom - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (20, 20, 20), 1)
    return pixels


def showing(pixels: np.ndarray, *lines: TextLine) -> ScreenState:
    return ScreenState(frame=Frame(pixels=pixels, taken_at=datetime.now(UTC)), texts=lines, text_method="known")


def typed_into(field: Element, seen: ScreenState) -> Redaction:
    one = Redaction(Hidden(["Zx81-Quokka"]))
    edge = SimpleNamespace(action_type="type_text", target=None)
    typed = SimpleNamespace(edge=edge, params={"text": "Zx81-Quokka"}, resolution=SimpleNamespace(box=None))
    hide_what_is_typed(one, typed, replace(seen, elements=(field,)))  # type: ignore[arg-type]
    return one


PASSWORD = Element(box=Box(100, 120, 200, 30), role=ElementRole.FIELD, states=frozenset({ElementState.FOCUSED}))


def test_a_secrets_field_is_hidden_as_long_as_it_is_in_sight_and_not_what_stands_there_later() -> None:
    """S10.3, S10.4: the list that follows a login has a patient's row where the password was typed."""
    one = typed_into(PASSWORD, showing(drawn((PASSWORD.box, ""))))
    misread = TextLine(text="Zx8l Quokko", box=Box(104, 126, 90, 18))
    refused = one.shown(showing(drawn((PASSWORD.box, "Zx81-Quokka"), (Box(90, 30, 220, 40), "Wrong")), misread)).state
    assert is_hidden(refused.frame.pixels, PASSWORD.box)
    assert refused.texts[0].text == HIDDEN

    rows = [(Box(20, 20 + 27 * n, 360, 28), f"DUPONT Lea  Ward {n}") for n in range(9)]
    row, told = (
        TextLine(text="DUPONT Lea", box=Box(100, 128, 90, 18)),
        TextLine(text="Zx81-Quokka", box=Box(30, 250, 99, 18)),
    )
    listed = showing(drawn(*rows), row, told)
    one.seen(listed)
    shown = one.shown(listed).state
    assert [line.text for line in shown.texts] == ["DUPONT Lea", HIDDEN]
    assert (shown.frame.pixels[:240] == listed.frame.pixels[:240]).all()
    assert is_hidden(shown.frame.pixels, told.box), "the secret's own letters, wherever they are read"
    assert (one.live(listed.frame)[:240] == listed.frame.pixels[:240]).all()

    back = showing(drawn((PASSWORD.box, "Zx81-Quokka")))
    assert is_hidden(one.live(back.frame), PASSWORD.box), "its field is in sight again"
    assert is_hidden(one.unmasked(back.frame), PASSWORD.box)


def test_until_another_screen_was_read_the_live_picture_keeps_the_secrets_field_hidden() -> None:
    """Screens that fade into each other show a little of both."""
    form, other = showing(drawn((PASSWORD.box, ""))), showing(drawn((Box(10, 10, 380, 280), "List")))
    one = typed_into(PASSWORD, form)
    one.seen(form)
    assert is_hidden(one.live(other.frame), PASSWORD.box)
    one.seen(other)
    assert (one.live(other.frame) == other.frame.pixels).all()


def test_lines_that_held_a_secret_when_they_were_read_are_hidden_in_every_live_picture() -> None:
    told = TextLine(text="Zx81-Quokka", box=Box(30, 250, 99, 18))
    seen = showing(drawn((Box(10, 10, 380, 280), "List")), told)
    for one in (typed_into(PASSWORD, showing(drawn((PASSWORD.box, "")))), Redaction(Hidden(["Zx81-Quokka"]))):
        one.seen(seen)
        assert is_hidden(one.live(seen.frame), told.box)
        assert is_hidden(one.unmasked(seen.frame), told.box)


def test_a_field_that_has_a_ring_once_it_has_the_focus_stays_hidden_after_it_was_read() -> None:
    ringed = drawn((PASSWORD.box, "Zx81-Quokka"))
    for n in (3, 4):
        ring = PASSWORD.box.grown(n, Size(400, 300))
        cv2.rectangle(ringed, (ring.x, ring.y), (ring.right - 1, ring.bottom - 1), (229, 70, 79), 1)
    one, now = typed_into(PASSWORD, showing(drawn((PASSWORD.box, "")))), showing(ringed)
    one.seen(now)
    assert is_hidden(one.live(now.frame), PASSWORD.box)
    assert is_hidden(one.unmasked(now.frame), PASSWORD.box)
    assert is_hidden(one.shown(now).state.frame.pixels, PASSWORD.box)


def test_a_secret_that_another_workflow_is_given_hides_nothing_before_it_is_typed() -> None:
    """S6.12: it is handed on; with the act that types it inside its field is hidden."""
    one = Redaction(Hidden(["Zx81-Quokka"]))
    edge = SimpleNamespace(action_type="call_workflow", target=None)
    given = {"workflow": "inner", "values": {"pw": "Zx81-Quokka"}}
    call = SimpleNamespace(edge=edge, params=given, resolution=SimpleNamespace(box=None))
    hide_what_is_typed(one, call, state())  # type: ignore[arg-type]
    assert WHOLE not in one.places(state())


def test_between_runs_nothing_is_shown_where_any_workflow_hides_something() -> None:
    make_published()
    assert not isinstance(between_runs(), NothingShown)
    make_published(workflow_id="hides", mask_patterns=["email"])
    assert isinstance(between_runs(), NothingShown)


# --- whole runs -----------------------------------------------------------------------------------------------------
def page(name: str, then: str, *more: str) -> ScriptedScreen:
    labels = [TextLabel(text=text, at=Point(60, 140 + 50 * n)) for n, text in enumerate(more)]
    widgets = [TextLabel(text=f"Page {name}", at=Point(60, 90)), *labels, Button(name="go", text="Go on", box=BUTTON)]
    return ScriptedScreen(name=name, title=f"{name.title()} - Forms", widgets=widgets, on={"go": then})


def started(effect_class: str = "opaque", **fields: Any) -> Execution:
    nodes = [
        {"node_id": n, "name": n.title(), "texts": [f"Page {n}"], "window_title": f"{n.title()} - Forms", **marks}
        for n, marks in (("one", {"is_entry": True}), ("two", {"is_end": True}))
    ]
    click = {
        "edge_id": "go", "source": "one", "destination": "two", "action_type": "click", "effect_class": effect_class,
        "target": {"target_id": "go", "label": "Go on", "text": "Go on", "role": "button"},
        "expect": {"window_title": "Two - Forms"}, "settle_ms": 20, "settle_timeout_ms": 200, "retry_backoff_ms": 0,
    }  # fmt: skip
    fields = {"mask_patterns": PATTERNS, **fields}
    return queue(make_published(nodes=nodes, edges=[click], variables=[], **fields))


def run(
    execution: Execution, desktop: ScriptedDesktop, *answers: str, eyes: ScreenAnalyzer | None = None
) -> list[Prompt]:
    said, asked = list(answers), []

    def answer(prompt: Prompt) -> None:
        asked.append(prompt)
        decide(prompt_id=prompt.pk, choice=said.pop(0), source=DecisionSource.PROGRAM)

    leave = threading.Event()
    eyes = eyes or analyzer(desktop)
    Runner(desktop=desktop, analyzer=eyes, once=True, leave=leave, hooks=Hooks(on_prompt=answer)).run()
    return asked


def everything() -> str:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names()
        return "".join(str(cursor.execute(f'SELECT * FROM "{table}"').fetchall()) for table in tables)


def test_a_run_leaves_neither_the_address_nor_the_number_anywhere(tmp_path: Path) -> None:
    """Database, files, and every picture: the lines are painted over."""
    desktop = ScriptedDesktop([page("one", "two", f"Mail {MAIL}", f"NIR {NUMBER}"), page("two", "", f"Mail {MAIL}")])
    execution = started()
    run(execution, desktop)
    done = Execution.objects.by_id(execution.execution_id)
    assert done.state == ExecutionState.COMPLETED
    rows = everything()
    assert MAIL not in rows
    assert NUMBER not in rows
    step = done.steps.order_by("index").first()
    assert f"Mail {HIDDEN}" in step.screen["perception"]["detected_text"]
    store = PictureStore()
    for digest in (step.picture_before, step.picture_after):
        assert is_hidden(store.get(digest), Box(60, 140, 12 * len(f"Mail {MAIL}"), 24))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if MAIL.encode() in path.read_bytes()] == []
    live = cv2.imread(str(live_picture.path_of(done.robot.name)))
    part = live[140:164, 60 : 60 + 12 * len(f"Mail {MAIL}")].astype(int)
    assert abs(part - 128).max() < 12, "JPEG aside it is grey"


@pytest.mark.parametrize(("reached", "changed"), [(True, False), (False, False), (False, True)])
def test_a_step_in_doubt_is_judged_by_what_was_kept_of_the_screen(
    monkeypatch: pytest.MonkeyPatch, reached: bool, changed: bool
) -> None:
    """S9.2: done is seen; undone is believed only where what was hidden has not changed either."""
    first = page("one", "two", f"Mail {MAIL}")
    other = page("one", "two", "Mail berta.b@example.fr")
    other = ScriptedScreen(name="other", title="One - Forms", widgets=other.widgets, on={"go": "two"})
    desktop = ScriptedDesktop([first, other, page("two", "", f"Mail {MAIL}")])
    execution = started("idempotent")
    perform = acting.perform

    def dies(*args: Any, **more: Any) -> Any:
        if reached:
            perform(*args, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(acting, "perform", dies)
        run(execution, desktop)
    assert execution.steps.in_doubt().exists()
    if changed:
        desktop.show("other")
    asked = run(execution, desktop, "done" if reached else "retry")
    step = execution.steps.order_by("index").first()
    assert step.in_doubt
    if reached:
        assert (step.outcome, asked) == (Outcome.SUCCEEDED, [])
    elif changed:
        assert [prompt.kind for prompt in asked] == [PromptKind.IN_DOUBT]
    else:
        assert (step.outcome, asked) == (Outcome.INTERRUPTED, [])
    assert Execution.objects.by_id(execution.execution_id).state == ExecutionState.COMPLETED
    assert "berta" not in everything()


def test_flags_that_cannot_be_understood_hide_everything() -> None:
    execution = started(mask_patterns=["email"])
    version = execution.version
    type(version).objects.filter(pk=version.pk).update(graph={**version.graph, "flags": {"mask_patterns": ["("]}})
    desktop = ScriptedDesktop([page("one", "two", MAIL), page("two", "")])
    run(execution, desktop)
    step = Execution.objects.by_id(execution.execution_id).steps.order_by("index").first()
    assert (PictureStore().get(step.picture_before) == GREY).all()
    assert MAIL not in everything()


class FocusedField:
    """Sees where the password goes."""

    def __init__(self, desktop: ScriptedDesktop, box: Box) -> None:
        self._desktop, self._box = desktop, box

    def detect(self, pixels: np.ndarray, texts: object) -> tuple[Element, ...]:
        there = self._desktop.window().title.startswith("One")
        return (Element(box=self._box, role=ElementRole.FIELD, states=frozenset({ElementState.FOCUSED})),) * there


def test_a_run_shows_the_list_that_follows_its_login_and_never_the_password() -> None:
    """S10.3, S10.4: a patient's row stands where the password was typed, which the program shows in clear."""
    place = Box(60, 190, 300, 40)
    login, listed = page("one", "two"), page("two", "", "Ward 3", "DUPONT Lea 1951")
    login = replace(login, widgets=[*login.widgets, Field(name="password", box=place)])
    desktop = ScriptedDesktop([login, listed])
    nodes = [
        {"node_id": n, "name": n.title(), "texts": [f"Page {n}"], "window_title": f"{n.title()} - Forms", **marks}
        for n, marks in (("one", {"is_entry": True}), ("two", {"is_end": True}))
    ]
    common = {"settle_ms": 20, "settle_timeout_ms": 200, "retry_backoff_ms": 0}
    button = {"target_id": "go", "label": "Go on", "text": "Go on", "role": "button"}
    edges = [
        {"edge_id": "type", "source": "one", "destination": "one", "order": 0, "action_type": "type_text",
         "params": {"text": "{{password}}"}, **common},
        {"edge_id": "go", "source": "one", "destination": "two", "order": 1, "action_type": "click",
         "target": button, "expect": {"window_title": "Two - Forms"}, **common},
    ]  # fmt: skip
    variables = [{"name": "password", "kind": "secret"}]
    execution = queue(
        make_published(nodes=nodes, edges=edges, variables=variables), variables={"password": "hunter2xyz"}
    )
    eyes = ScreenAnalyzer(KnownReader(desktop), FocusedField(desktop, place), None)
    desktop.click(place.center)
    run(execution, desktop, "done", eyes=eyes)
    assert desktop.memory["password"] == "hunter2xyz"
    done = Execution.objects.by_id(execution.execution_id)
    typed, went, *_ = done.steps.order_by("index")
    store, inside = PictureStore(), place.grown(-3, desktop.grab().size)
    for digest in (typed.picture_after, went.picture_before):
        assert is_hidden(store.get(digest), inside)
    assert (store.get(went.picture_after) == desktop.grab().pixels).all()
    last = done.steps.order_by("index").last()
    assert "DUPONT Lea 1951" in last.screen["perception"]["detected_text"]
