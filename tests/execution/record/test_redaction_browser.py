"""S10.4 on a real page: pictures, stored and live, are read again with the product's own reader."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import PromptKind
from execution.desktop.x11 import X11Desktop
from execution.models import Execution, Prompt
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.hidden import Hidden
from execution.record.redaction import Redaction
from execution.record.typed_places import TypedPlace
from execution.running import live_picture
from execution.running.runner import Hooks, Runner
from execution.types import Box, DecisionSource, Frame, ScreenState
from tests.execution.record.test_redaction import everything
from tests.execution.turn.test_saves_on_a_page import record_form
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop, wait_until
from tests.support.on_a_page import ON_A_PAGE
from workflows.pictures import PictureStore, decode

pytestmark = [*ON_A_PAGE, pytest.mark.security]

PAGE = """<!doctype html><html lang="fr"><meta charset="utf-8"><title>Record form</title>
<style>
  body { font: 16px/1.7 "DejaVu Sans", sans-serif; margin: 30px }
  td, th { border: 1px solid #aab; padding: 4px 12px; text-align: left } button { font: inherit; padding: 8px 24px }
</style>
<h1>New record</h1><p id="said">&nbsp;</p>
<p>Patiente : Léa Dupont, anna.martin@example.fr, chambre 12</p>
<table><tr><th>NIR</th><th>Courriel</th></tr>
<tr><td>1 84 12 75 123 456 78</td><td>lea_dupont@hopital.example.org</td></tr></table>
<p><input value="berta@example.com" style="font: inherit"> <small>184127512345678</small></p>
<p><button id="save">Save</button></p>
<script>
  document.getElementById("save").addEventListener("click", () => {
    document.getElementById("said").textContent = "Saved for anna.martin@example.fr, 1841275123456";
  });
</script></html>"""
DIGITS = ("184127512345678", "1841275123456")
LOCAL_PARTS = ("anna.martin", "lea_dupont", "lea dupont@", "berta@")


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 700) as one:
        yield one


def told(text: str) -> list[str]:
    """What of the page's addresses and numbers stands in a text."""
    plain, digits = text.lower(), re.sub(r"[^0-9]", "", text)
    return [part for part in LOCAL_PARTS if part in plain] + [number for number in DIGITS if number in digits]


def test_neither_stored_nor_live_pictures_can_be_read_for_what_is_masked(
    screen: VirtualDesktop, analyzer: ScreenAnalyzer
) -> None:
    """The page's own picture can, or this would show nothing."""
    nodes = [
        {"node_id": "form", "name": "Form", "texts": ["New record"], "window_title": "Record form*", "is_entry": True},
        {"node_id": "saved", "name": "Saved", "texts": ["Saved for"], "window_title": "Record form*", "is_end": True},
    ]
    edge = {
        "edge_id": "save", "source": "form", "destination": "saved", "action_type": "click",
        "target": {"target_id": "save", "label": "Save", "text": "Save", "role": "button"},
        "expect": {"texts": ["Saved for"]}, "settle_ms": 200, "settle_timeout_ms": 4000,
    }  # fmt: skip
    flags = {"mask_patterns": ["email", "national_number"], "analyze_timeout_ms": 60_000}
    version = make_published(nodes=nodes, edges=[edge], variables=[], **flags)
    live: list[str] = []

    def read(pixels: Any) -> str:
        assert analyzer.reader is not None
        return " ".join(found.text for found in analyzer.reader.read(pixels))

    def answer(prompt: Prompt) -> None:
        assert prompt.kind == PromptKind.COACHING, prompt.message
        time.sleep(1.2)  # the live picture is renewed by a thread of its own
        live.append(read(decode(live_picture.path_of(prompt.execution.robot.name).read_bytes())))
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)

    with record_form(screen, PAGE):
        desktop = X11Desktop(screen.display)
        execution = start(workflow_id=version.workflow.workflow_id, mode="coaching", desktop=desktop.name)
        Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=answer)).run()
        looking = X11Desktop(screen.display)
        assert set(told(read(looking.grab().pixels))) >= {"anna.martin", "184127512345678"}
    done = Execution.objects.by_id(execution.execution_id)
    assert done.state == "completed", (done.state, done.pause_detail)
    store = PictureStore()
    pictures = {digest for step in done.steps.all() for digest in (step.picture_before, step.picture_after) if digest}
    kept = [read(store.get(digest)) for digest in pictures]
    assert len(kept) >= 2
    assert any("New record" in text for text in kept)
    assert live
    assert any("New record" in text for text in live)
    assert [found for text in [*kept, *live] if (found := told(text))] == []
    rows = everything().lower()
    assert [part for part in (*LOCAL_PARTS, *DIGITS, "1 84 12 75") if part in rows] == []


RINGS = {
    "the browser's own": "",
    "an outline": "outline: 3px solid #005fcc",
    "a ring with a gap": "outline: none; box-shadow: 0 0 0 2px #fff, 0 0 0 4px #4f46e5",
    "a ring": "outline: none; box-shadow: 0 0 0 4px #86b7fe; border-color: #86b7fe",
}
LOGIN = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Record form</title>
<style>
  body { font: 16px/1.5 "DejaVu Sans", sans-serif; margin: 24px }
  #window { position: absolute; left: 90px; top: 90px; width: 360px; padding: 18px; border: 1px solid #889;
            background: #f6f6f8 }
  input { font: inherit; width: 320px; height: 34px; padding: 2px 8px; border: 1px solid #aab; box-sizing: border-box }
  #pin { background: #fffef0; caret-color: transparent } #pin:focus { %s }
  td { border: 1px solid #aab; padding: 4px 20px }
</style>
<div id="page"><p>Ward 3</p></div>
<div id="window">User<br><input value="surgeon"><br>Pass phrase<br><input id="pin"></div>
<script>
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") document.getElementById("window").style.left = "270px";
    if (event.key !== "Enter") return;
    document.getElementById("window").remove();
    document.getElementById("page").innerHTML = "<table>" + "<tr><td>DUPONT Lea<td>12.03.1951<td>Ward 3".repeat(14);
  });
</script></html>"""


def pin_field(pixels: np.ndarray) -> Box | None:
    """The one thing of its colour."""
    rows, columns = np.nonzero((pixels == (240, 254, 255)).all(axis=2))
    if rows.size < 1000:
        return None
    x, y = int(columns.min()), int(rows.min())
    return Box(x, y, int(columns.max()) + 1 - x, int(rows.max()) + 1 - y)


@pytest.mark.parametrize("ring", RINGS.values(), ids=RINGS)
def test_a_field_with_the_focus_is_hidden_moved_and_zoomed_and_the_list_after_it_is_not(
    screen: VirtualDesktop, ring: str
) -> None:
    """S10.3, S10.4: as browsers draw the focus."""
    redaction = Redaction(Hidden(()))

    def live() -> tuple[np.ndarray, np.ndarray]:
        frame = Frame(pixels=desktop.grab().pixels, taken_at=datetime.now(UTC))
        redaction.seen(ScreenState(frame=frame, text_method="known"))
        return frame.pixels, redaction.live(frame)

    def is_hidden(at: Box) -> bool:
        return bool((live()[1][at.y : at.bottom, at.x : at.right] == 128).all())

    def field(is_so: Callable[[Box], bool]) -> Box:
        return wait_until(lambda: (now := pin_field(desktop.grab().pixels)) and is_so(now) and now, what="the field")

    with record_form(screen, LOGIN % ring):
        desktop = X11Desktop(screen.display)
        at = field(lambda now: True)
        before = desktop.grab().pixels
        redaction.typed_secret(TypedPlace.on(at.grown(3, desktop.grab().size).normalised(desktop.grab().size), before))
        for _field in ("the name's", "the secret's"):
            desktop.press(["tab"])
        desktop.type_text("Zx81 Quokka")
        inner = (slice(at.y + 4, at.bottom - 4), slice(at.x + 4, at.right - 4))
        wait_until(lambda: (desktop.grab().pixels[inner] < 90).all(axis=2).sum() > 150, what="what was typed")
        assert is_hidden(at)
        desktop.press(["escape"])
        moved = field(lambda now: now.x > at.x + 100)
        assert is_hidden(moved)
        desktop.press(["ctrl", "+"])
        zoomed = field(lambda now: now.w > 1.05 * moved.w)
        assert is_hidden(zoomed)
        desktop.press(["enter"])
        wait_until(lambda: pin_field(desktop.grab().pixels) is None, what="the list")
        pixels, shown = live()
        assert (shown == pixels).all()
